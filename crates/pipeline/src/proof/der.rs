//! What do the bytes of a certificate or a time stamp say? DER (X.690) ↔ tags and contents.
//!
//! - [`Value`]: one value. - [`Reader`]: values one after the other. - [`written`]: the way back. - [`oid`]: a dotted name.
//!
//! Lengths are definite and below 2^31, as DER has them; whatever else comes is no DER.

pub const BOOLEAN: u8 = 0x01;
pub const INTEGER: u8 = 0x02;
pub const BIT_STRING: u8 = 0x03;
pub const OCTET_STRING: u8 = 0x04;
pub const NULL: u8 = 0x05;
pub const OID: u8 = 0x06;
pub const UTC_TIME: u8 = 0x17;
pub const GENERALIZED_TIME: u8 = 0x18;
pub const SEQUENCE: u8 = 0x30;
pub const SET: u8 = 0x31;

/// A tag of its place, `[number]`, around other values.
pub const fn tagged(number: u8) -> u8 {
    0xa0 | number
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Value<'d> {
    pub tag: u8,
    pub content: &'d [u8],
    /// With its tag and length.
    pub whole: &'d [u8],
}

impl<'d> Value<'d> {
    /// The values within.
    pub fn values(&self) -> Reader<'d> {
        Reader(self.content)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct Reader<'d>(pub &'d [u8]);

impl<'d> Reader<'d> {
    /// The next value; none at the end, or where the bytes are no DER.
    pub fn any(&mut self) -> Option<Value<'d>> {
        let all = self.0;
        let (&tag, &first) = (all.first()?, all.get(1)?);
        let (length, start) = match first {
            0..=0x7f => (usize::from(first), 2),
            0x81..=0x84 => {
                let count = usize::from(first & 0x7f);
                let digits = all.get(2..2 + count)?;
                (digits.iter().fold(0, |length, &byte| length << 8 | usize::from(byte)), 2 + count)
            }
            _ => return None,
        };
        let end = start.checked_add(length)?;
        let (whole, content) = (all.get(..end)?, all.get(start..end)?);
        self.0 = &all[end..];
        Some(Value { tag, content, whole })
    }

    /// The next value, if it has this tag; else nothing is taken.
    pub fn next(&mut self, tag: u8) -> Option<Value<'d>> {
        (self.0.first() == Some(&tag)).then(|| self.any()).flatten()
    }
}

/// A value of these parts.
pub fn written(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let length: usize = parts.iter().map(|part| part.len()).sum();
    let mut bytes = vec![tag];
    match length {
        0..=0x7f => bytes.push(length as u8),
        _ => {
            let digits: Vec<u8> = length.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
            bytes.push(0x80 | digits.len() as u8);
            bytes.extend(digits);
        }
    }
    parts.iter().for_each(|part| bytes.extend_from_slice(part));
    bytes
}

/// A number that is not below zero.
pub fn number(bytes: &[u8]) -> Vec<u8> {
    let digits: &[u8] = &bytes[bytes.iter().take_while(|byte| **byte == 0).count().min(bytes.len() - 1)..];
    let sign: &[u8] = if digits[0] & 0x80 != 0 { &[0] } else { &[] };
    written(INTEGER, &[sign, digits])
}

/// `1.2.840.113549`, of the content of an OID.
pub fn oid(content: &[u8]) -> String {
    let (mut parts, mut part) = (Vec::<u64>::new(), 0u64);
    for byte in content {
        part = part << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            match parts.is_empty() {
                true => parts.extend([(part / 40).min(2), part - (part / 40).min(2) * 40]),
                false => parts.push(part),
            }
            part = 0;
        }
    }
    parts.iter().map(u64::to_string).collect::<Vec<_>>().join(".")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again() {
        for length in [0, 5, 127, 128, 300, 70_000] {
            let content = vec![7; length];
            let bytes = written(SEQUENCE, &[&written(OCTET_STRING, &[&content]), &number(&[0, 200])]);
            let mut values = Reader(&bytes).next(SEQUENCE).unwrap().values();
            assert_eq!(values.next(OCTET_STRING).unwrap().content, content);
            assert_eq!(values.next(NULL), None);
            assert_eq!(values.next(INTEGER).unwrap().whole, [2, 2, 0, 200]);
            assert_eq!(values.any(), None);
        }
    }

    #[test]
    fn what_is_no_der_is_nothing() {
        for bytes in [
            &[][..],
            &[0x30],
            &[0x30, 5, 1],
            &[0x30, 0x80, 0, 0],
            &[0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
            &[0x30, 0x85, 1, 1, 1, 1, 1],
        ] {
            assert_eq!(Reader(bytes).any(), None, "{bytes:?}");
        }
    }

    #[test]
    fn names_are_dotted() {
        assert_eq!(
            oid(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x10, 0x01, 0x04]),
            "1.2.840.113549.1.9.16.1.4"
        );
        assert_eq!(oid(&[0x55, 0x1d, 0x25]), "2.5.29.37");
    }
}
