//! How does PostgreSQL write a value? [`Value`] ↔ its binary form.

use crate::value::Value;
use bytes::BytesMut;
use jiff::Timestamp;
use postgres_types::{FromSql, IsNull, ToSql, Type};
use std::error::Error as StdError;

/// Microseconds from 1970 to 2000, where PostgreSQL's times begin.
const EPOCH_2000: i64 = 946_684_800_000_000;

impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> std::result::Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Bool(value) => value.to_sql(ty, out),
            Self::Int(value) => match *ty {
                Type::INT4 => i32::try_from(*value)?.to_sql(ty, out),
                Type::FLOAT8 => (*value as f64).to_sql(ty, out),
                _ => value.to_sql(ty, out),
            },
            Self::Real(value) => value.to_sql(ty, out),
            Self::Text(text) => text.as_str().to_sql(ty, out),
            Self::Json(text) => {
                if *ty == Type::JSONB {
                    out.extend_from_slice(&[1]);
                }
                out.extend_from_slice(text.as_bytes());
                Ok(IsNull::No)
            }
            Self::Time(time) => (time.as_microsecond() - EPOCH_2000).to_sql(&Type::INT8, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    postgres_types::to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::BOOL => Self::Bool(bool::from_sql(ty, raw)?),
            Type::INT2 => Self::Int(i64::from(i16::from_sql(ty, raw)?)),
            Type::INT4 => Self::Int(i64::from(i32::from_sql(ty, raw)?)),
            Type::INT8 => Self::Int(i64::from_sql(ty, raw)?),
            Type::OID => Self::Int(i64::from(u32::from_sql(ty, raw)?)),
            Type::FLOAT4 => Self::Real(f64::from(f32::from_sql(ty, raw)?)),
            Type::FLOAT8 => Self::Real(f64::from_sql(ty, raw)?),
            Type::TIMESTAMPTZ | Type::TIMESTAMP => {
                Self::Time(Timestamp::from_microsecond(i64::from_sql(&Type::INT8, raw)?.saturating_add(EPOCH_2000))?)
            }
            Type::JSONB => Self::Json(std::str::from_utf8(raw.get(1..).unwrap_or_default())?.to_owned()),
            Type::JSON => Self::Json(std::str::from_utf8(raw)?.to_owned()),
            Type::NUMERIC => numeric(raw).ok_or("a number that cannot be read")?,
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                Self::Text(std::str::from_utf8(raw)?.to_owned())
            }
            _ => return Err(format!("a column is of type `{}`; cast it to text", ty.name()).into()),
        })
    }

    fn from_sql_null(_: &Type) -> std::result::Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

/// PostgreSQL's decimal numbers: groups of four digits, of which `weight` says where the point is. Sums and averages are
/// such; whole ones come back whole.
fn numeric(raw: &[u8]) -> Option<Value> {
    let short = |at: usize| Some(i16::from_be_bytes(raw.get(at..at + 2)?.try_into().ok()?));
    let (groups, weight, sign, scale) = (short(0)?, short(2)?, short(4)? as u16, short(6)?);
    if sign > 0x4000 {
        return Some(Value::Null); // Not a number, or infinite.
    }
    let digits = (0..groups).map(|group| Some((group, short(8 + 2 * group as usize)?)));
    let parts: Option<Vec<(i16, i16)>> = digits.collect();
    let value: f64 = parts?.iter().map(|(at, digits)| f64::from(*digits) * 1e4_f64.powi(i32::from(weight - at))).sum();
    let value = if sign == 0x4000 { -value } else { value };
    let whole = scale == 0 && value.abs() < 9e15;
    Some(if whole { Value::Int(value as i64) } else { Value::Real(value) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimal_numbers_are_read() {
        let raw = |parts: &[i16]| parts.iter().flat_map(|part| part.to_be_bytes()).collect::<Vec<u8>>();
        assert_eq!(numeric(&raw(&[2, 1, 0, 0, 1, 2345])), Some(Value::Int(12345)));
        assert_eq!(numeric(&raw(&[2, 0, 0x4000, 1, 3, 5000])), Some(Value::Real(-3.5)));
        assert_eq!(numeric(&raw(&[0, 0, 0, 0])), Some(Value::Int(0)));
        assert_eq!(numeric(&raw(&[3, 0])), None);
    }
}
