//! When was this there, at the latest? A digest and a time-stamp authority → a token (RFC 3161); a token and a digest → when, by whom, and
//! whether its signature is right.
//!
//! - [`fetched`]: asks an authority. - [`read`]: what an answer or a token says. - [`Stamp`]: that. - [`signature`]: who signed it.
//!
//! The signature is checked against the certificate in the token, and that one against its purpose and its dates. Whether the authority is to
//! be trusted is not decided here: `openssl ts -verify` asks the certificates that its reader trusts.

mod signature;

use super::der::{self, BOOLEAN, GENERALIZED_TIME, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE, tagged};
use crate::Error;
use ring::rand::{SecureRandom, SystemRandom};
use serde::Serialize;
use url::Url;

const SHA_256: [u8; 9] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01];
const TST_INFO: &str = "1.2.840.113549.1.9.16.1.4";
const SIGNED_DATA: &str = "1.2.840.113549.1.7.2";

const KINDS: (&str, &str) = ("application/timestamp-query", "application/timestamp-reply");

/// What a token says.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Stamp {
    /// As `2026-11-18T19:40:00Z`.
    pub at: String,
    /// Of what, in hexadecimal digits; SHA-256.
    pub digest: String,
    /// Under which rules the authority works.
    pub policy: String,
    /// The number of the token.
    pub serial: String,
    /// The subject of the certificate that signed it.
    pub authority: String,
    #[serde(skip)]
    nonce: Vec<u8>,
}

/// The answer of the authority, as `openssl ts` reads it, and what it says. It is of this digest, or an error.
pub async fn fetched(authority: &Url, digest: &[u8]) -> Result<(Vec<u8>, Stamp), Error> {
    let wrong = |reason: String| Error::Timestamp { host: authority.host_str().unwrap_or_default().to_owned(), reason };
    let mut nonce = [0; 8];
    SystemRandom::new().fill(&mut nonce).map_err(|_| wrong("the system gives no random numbers".to_owned()))?;
    nonce[0] |= 1;
    let answer = pagekin_fetch::ask::bytes(authority, KINDS, request(digest, &nonce)).await?;
    let stamp = read(&answer).map_err(wrong)?;
    if stamp.digest != crate::digest::hex(digest) {
        return Err(wrong("its token is of something else".to_owned()));
    }
    if stamp.nonce != nonce {
        return Err(wrong("its token answers another request".to_owned()));
    }
    Ok((answer, stamp))
}

fn request(digest: &[u8], nonce: &[u8]) -> Vec<u8> {
    let algorithm = der::written(SEQUENCE, &[&der::written(OID, &[&SHA_256]), &der::written(der::NULL, &[])]);
    let imprint = der::written(SEQUENCE, &[&algorithm, &der::written(OCTET_STRING, &[digest])]);
    let with_certificate = der::written(BOOLEAN, &[&[0xff]]);
    der::written(SEQUENCE, &[&der::number(&[1]), &imprint, &der::number(nonce), &with_certificate])
}

/// Of an answer, or of the token alone.
pub fn read(bytes: &[u8]) -> Result<Stamp, String> {
    let token = match status(bytes)? {
        Some(token) => token,
        None => bytes,
    };
    let signed = signed_data(token).ok_or("it is no time-stamp token")?;
    let info = signature::content(signed).ok_or("it holds no time stamp")?;
    let mut stamp = stamp(info).ok_or("its time stamp cannot be read")?;
    stamp.authority = signature::signer(signed, info, &stamp.at)?;
    Ok(stamp)
}

/// The token of an answer; none when the bytes are no answer. A refusal is told in the authority's words.
fn status(bytes: &[u8]) -> Result<Option<&[u8]>, String> {
    let answer = || {
        let mut values = Reader(bytes).next(SEQUENCE)?.values();
        let mut info = values.next(SEQUENCE)?.values();
        let status = *info.next(INTEGER)?.content.last()?;
        let text = info.next(SEQUENCE).and_then(|text| text.values().any());
        let text = text.map(|text| String::from_utf8_lossy(text.content).into_owned());
        Some((status, text, values.any().map(|token| token.whole)))
    };
    match answer() {
        None => Ok(None),
        Some((0 | 1, _, Some(token))) => Ok(Some(token)),
        Some((status, text, _)) => {
            let told = text
                .map(|text| format!(": {}", text.chars().filter(|c| !c.is_control()).take(200).collect::<String>()));
            Err(format!("the authority refused (status {status}{})", told.unwrap_or_default()))
        }
    }
}

/// The SignedData of a token.
fn signed_data(token: &[u8]) -> Option<Reader<'_>> {
    let mut content = Reader(token).next(SEQUENCE)?.values();
    let kind = der::oid(content.next(OID)?.content);
    let signed = content.next(tagged(0))?.values().next(SEQUENCE)?;
    (kind == SIGNED_DATA).then(|| signed.values())
}

/// TSTInfo.
fn stamp(info: &[u8]) -> Option<Stamp> {
    let mut values = Reader(info).next(SEQUENCE)?.values();
    values.next(INTEGER)?;
    let policy = der::oid(values.next(OID)?.content);
    let mut imprint = values.next(SEQUENCE)?.values();
    let algorithm = imprint.next(SEQUENCE)?.values().next(OID)?.content;
    let digest = imprint.next(OCTET_STRING)?.content;
    let serial = crate::digest::hex(values.next(INTEGER)?.content);
    let at = instant(values.next(GENERALIZED_TIME)?.content)?;
    let (_accuracy, _ordering) = (values.next(SEQUENCE), values.next(BOOLEAN));
    let nonce = values.next(INTEGER).map(|nonce| nonce.content.to_vec()).unwrap_or_default();
    let nonce = nonce.iter().copied().skip_while(|byte| *byte == 0).collect();
    (algorithm == SHA_256).then(|| Stamp {
        at,
        digest: crate::digest::hex(digest),
        policy,
        serial,
        authority: String::new(),
        nonce,
    })
}

/// `20261118194000Z` → `2026-11-18T19:40:00Z`; parts of a second stay.
fn instant(content: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(content).ok()?.strip_suffix('Z')?;
    let (whole, part) = text.split_once('.').map_or((text, None), |(whole, part)| (whole, Some(part)));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() != 14 || !digits(whole) || !part.is_none_or(digits) {
        return None;
    }
    let of = |from: usize, to: usize| &whole[from..to];
    let part = part.map(|part| format!(".{part}")).unwrap_or_default();
    Some(format!("{}-{}-{}T{}:{}:{}{part}Z", of(0, 4), of(4, 6), of(6, 8), of(8, 10), of(10, 12), of(12, 14)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_token_is_told() {
        for bytes in [&b""[..], b"no", &der::written(SEQUENCE, &[]), &request(&[1; 32], &[1; 8])] {
            assert!(read(bytes).is_err());
        }
        let info = der::written(
            SEQUENCE,
            &[&der::number(&[2]), &der::written(SEQUENCE, &[&der::written(0x0c, &[b"bad alg"])])],
        );
        assert_eq!(read(&der::written(SEQUENCE, &[&info])).unwrap_err(), "the authority refused (status 2: bad alg)");
    }

    #[test]
    fn times_are_written_as_everywhere_else() {
        assert_eq!(instant(b"20261118194000Z").as_deref(), Some("2026-11-18T19:40:00Z"));
        assert_eq!(instant(b"20261118194000.25Z").as_deref(), Some("2026-11-18T19:40:00.25Z"));
        assert_eq!(instant(b"20261118194000+0100"), None);
    }
}
