//! Who signed a time stamp, and is the signature right? SignedData (RFC 5652) → the name in the certificate, or what is wrong.
//!
//! - [`content`]: what was signed. - [`signer`]: the name of a certificate in the token whose key made the signature, that is meant for time stamps
//!   and was valid then.

use crate::proof::der::{
    self, BIT_STRING, GENERALIZED_TIME, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE, SET, UTC_TIME, Value, tagged,
};
use ring::digest::{Algorithm, SHA256, SHA384, SHA512, digest};
use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA384_ASN1, ECDSA_P384_SHA256_ASN1, ECDSA_P384_SHA384_ASN1,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384, RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey,
    VerificationAlgorithm,
};

const MESSAGE_DIGEST: &str = "1.2.840.113549.1.9.4";
const CONTENT_TYPE: &str = "1.2.840.113549.1.9.3";
const EXTENDED_KEY_USAGE: &str = "2.5.29.37";
const TIME_STAMPING: &str = "1.3.6.1.5.5.7.3.8";

/// What the token is of, as bytes.
pub fn content(signed: Reader<'_>) -> Option<&[u8]> {
    let (kind, bytes) = encapsulated(signed)?;
    (kind == super::TST_INFO).then_some(bytes)
}

fn encapsulated(mut signed: Reader<'_>) -> Option<(String, &[u8])> {
    signed.next(INTEGER)?;
    signed.next(SET)?;
    let mut inner = signed.next(SEQUENCE)?.values();
    let kind = der::oid(inner.next(OID)?.content);
    Some((kind, inner.next(tagged(0))?.values().next(OCTET_STRING)?.content))
}

/// `info`: what was signed. `at`: when, as `2026-11-18T19:40:00Z`.
pub fn signer(signed: Reader<'_>, info: &[u8], at: &str) -> Result<String, String> {
    let (certificates, signer) = parts(signed).ok_or("it is not signed as time stamps are")?;
    let said = digest(signer.hash, info);
    if signer.attribute(MESSAGE_DIGEST).and_then(|own| own.values().next(OCTET_STRING)).map(|own| own.content)
        != Some(said.as_ref())
    {
        return Err("what it says was changed after it was signed".to_owned());
    }
    let kind = signer.attribute(CONTENT_TYPE).and_then(|own| own.values().next(OID));
    if kind.map(|own| der::oid(own.content)).as_deref() != Some(super::TST_INFO) {
        return Err("its signature is of something else".to_owned());
    }
    let made = certificates.iter().filter_map(Certificate::read).find(|own| signer.is_by(own));
    let certificate =
        made.ok_or("no certificate in it belongs to its signature, or its algorithm is not known here")?;
    if !certificate.stamps {
        return Err(format!("the certificate of `{}` is not meant for time stamps", certificate.subject));
    }
    let day = at.get(..19).unwrap_or_default();
    if day < certificate.from.as_str() || day > certificate.until.as_str() {
        return Err(format!("the certificate of `{}` was not valid then", certificate.subject));
    }
    Ok(certificate.subject)
}

struct Signer<'d> {
    hash: &'static Algorithm,
    attributes: Value<'d>,
    algorithm: String,
    signature: &'d [u8],
}

/// Certificates, and the one who signed.
fn parts(mut signed: Reader<'_>) -> Option<(Vec<Value<'_>>, Signer<'_>)> {
    signed.next(INTEGER)?;
    signed.next(SET)?;
    signed.next(SEQUENCE)?;
    let mut inside = signed.next(tagged(0))?.values();
    let certificates = std::iter::from_fn(|| inside.any()).collect();
    signed.next(tagged(1));
    let mut signers = signed.next(SET)?.values();
    let mut own = signers.next(SEQUENCE)?.values();
    own.next(INTEGER)?;
    own.any()?;
    let hash = match der::oid(own.next(SEQUENCE)?.values().next(OID)?.content).as_str() {
        "2.16.840.1.101.3.4.2.1" => &SHA256,
        "2.16.840.1.101.3.4.2.2" => &SHA384,
        "2.16.840.1.101.3.4.2.3" => &SHA512,
        _ => return None,
    };
    let attributes = own.next(tagged(0))?;
    let algorithm = der::oid(own.next(SEQUENCE)?.values().next(OID)?.content);
    let signature = own.next(OCTET_STRING)?.content;
    Some((certificates, Signer { hash, attributes, algorithm, signature }))
}

impl Signer<'_> {
    /// The values of a signed attribute.
    fn attribute(&self, name: &str) -> Option<Value<'_>> {
        let mut all = self.attributes.values();
        std::iter::from_fn(|| all.next(SEQUENCE)).find_map(|one| {
            let mut parts = one.values();
            (der::oid(parts.next(OID)?.content) == name).then(|| parts.next(SET)).flatten()
        })
    }

    fn is_by(&self, certificate: &Certificate) -> bool {
        // They were signed as a set, and stand here under the tag of their place.
        let text = der::written(SET, &[self.attributes.content]);
        let known = self.algorithm(&certificate.algorithm, &certificate.curve);
        known.is_some_and(|known| UnparsedPublicKey::new(known, certificate.key).verify(&text, self.signature).is_ok())
    }

    fn algorithm(&self, key: &str, curve: &str) -> Option<&'static dyn VerificationAlgorithm> {
        let hash = match self.algorithm.as_str() {
            "1.2.840.113549.1.1.11" | "1.2.840.10045.4.3.2" => 256,
            "1.2.840.113549.1.1.12" | "1.2.840.10045.4.3.3" => 384,
            "1.2.840.113549.1.1.13" => 512,
            // The bare names of kinds of keys: the digest is the one that is named beside.
            "1.2.840.113549.1.1.1" | "1.2.840.10045.2.1" => self.hash.output_len() * 8,
            _ => return None,
        };
        Some(match (key, curve, hash) {
            ("1.2.840.113549.1.1.1", _, 256) => &RSA_PKCS1_2048_8192_SHA256,
            ("1.2.840.113549.1.1.1", _, 384) => &RSA_PKCS1_2048_8192_SHA384,
            ("1.2.840.113549.1.1.1", _, 512) => &RSA_PKCS1_2048_8192_SHA512,
            ("1.2.840.10045.2.1", "1.2.840.10045.3.1.7", 256) => &ECDSA_P256_SHA256_ASN1,
            ("1.2.840.10045.2.1", "1.2.840.10045.3.1.7", 384) => &ECDSA_P256_SHA384_ASN1,
            ("1.2.840.10045.2.1", "1.3.132.0.34", 256) => &ECDSA_P384_SHA256_ASN1,
            ("1.2.840.10045.2.1", "1.3.132.0.34", 384) => &ECDSA_P384_SHA384_ASN1,
            _ => return None,
        })
    }
}

struct Certificate<'d> {
    subject: String,
    /// As `2026-11-18T19:40:00`.
    from: String,
    until: String,
    algorithm: String,
    curve: String,
    key: &'d [u8],
    /// Is it meant for time stamps?
    stamps: bool,
}

impl<'d> Certificate<'d> {
    fn read(own: &Value<'d>) -> Option<Self> {
        let mut values = own.values().next(SEQUENCE)?.values();
        values.next(tagged(0));
        values.next(INTEGER)?;
        values.next(SEQUENCE)?;
        values.next(SEQUENCE)?;
        let mut dates = values.next(SEQUENCE)?.values();
        let (from, until) = (date(dates.any()?)?, date(dates.any()?)?);
        let subject = name(values.next(SEQUENCE)?);
        let mut key = values.next(SEQUENCE)?.values();
        let mut kind = key.next(SEQUENCE)?.values();
        let algorithm = der::oid(kind.next(OID)?.content);
        let curve = kind.next(OID).map(|own| der::oid(own.content)).unwrap_or_default();
        // Its first byte says how many bits of the last one are not meant.
        let key = key.next(BIT_STRING)?.content.get(1..)?;
        let stamps = std::iter::from_fn(|| values.any()).any(|own| own.tag == tagged(3) && is_for_stamps(own));
        Some(Self { subject, from, until, algorithm, curve, key, stamps })
    }
}

fn is_for_stamps(extensions: Value<'_>) -> bool {
    let found = || {
        let mut all = extensions.values().next(SEQUENCE)?.values();
        std::iter::from_fn(|| all.next(SEQUENCE)).find_map(|one| {
            let mut parts = one.values();
            let usage = der::oid(parts.next(OID)?.content) == EXTENDED_KEY_USAGE;
            parts.next(der::BOOLEAN);
            let mut uses = Reader(parts.next(OCTET_STRING).filter(|_| usage)?.content).next(SEQUENCE)?.values();
            Some(std::iter::from_fn(|| uses.next(OID)).any(|own| der::oid(own.content) == TIME_STAMPING))
        })
    };
    found().unwrap_or(false)
}

/// `261118194000Z`, or with the whole year.
fn date(own: Value<'_>) -> Option<String> {
    let text = std::str::from_utf8(own.content).ok()?;
    let whole = match own.tag {
        GENERALIZED_TIME => text.to_owned(),
        // RFC 5280: years from 50 on are of the last century.
        UTC_TIME => format!("{}{text}", if text.get(..2)? < "50" { "20" } else { "19" }),
        _ => return None,
    };
    super::instant(whole.as_bytes()).and_then(|own| Some(own.get(..19)?.to_owned()))
}

/// The parts of a name that people read: `Example Time Stamps, Example Ltd, DE`.
fn name(own: Value<'_>) -> String {
    let mut parts = own.values();
    let text = |set: Value<'_>| {
        let mut pair = set.values().next(SEQUENCE)?.values();
        pair.next(OID)?;
        Some(String::from_utf8_lossy(pair.any()?.content).into_owned())
    };
    let all: Vec<String> = std::iter::from_fn(|| parts.next(SET)).filter_map(text).collect();
    let name: String = all.into_iter().rev().collect::<Vec<_>>().join(", ");
    name.chars().filter(|c| !c.is_control()).take(200).collect()
}
