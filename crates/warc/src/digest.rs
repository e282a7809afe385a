//! Are two payloads the same? Bytes or the digest field of a record → 20 bytes to compare.
//!
//! - [`Digest`]: a SHA-1, or the SHA-1 of another algorithm's digest text, so that all have one size.

use data_encoding::{BASE32, HEXLOWER_PERMISSIVE};
use sha1::{Digest as _, Sha1};

/// A SHA-1, or the SHA-1 of the text of another digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Digest(pub [u8; 20]);

impl Digest {
    /// Of these bytes one after the other.
    pub fn of(parts: &[&[u8]]) -> Self {
        let mut sha = Sha1::new();
        parts.iter().for_each(|part| sha.update(part));
        Self(sha.finalize().into())
    }

    /// From `sha1:` with base 32 (most tools) or hexadecimal digits (some), or any other algorithm's text.
    pub fn parse(field: &str) -> Self {
        let sha1 = field.get(..5).filter(|start| start.eq_ignore_ascii_case("sha1:")).and_then(|_| {
            let digits = field[5..].trim();
            let bytes = match digits.len() {
                32 => BASE32.decode(digits.to_ascii_uppercase().as_bytes()),
                _ => HEXLOWER_PERMISSIVE.decode(digits.as_bytes()),
            };
            bytes.ok()?.try_into().ok()
        });
        sha1.map_or_else(|| Self::of(&[field.as_bytes()]), Self)
    }

    /// The form of WARC fields.
    pub fn field(&self) -> String {
        format!("sha1:{}", BASE32.encode(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base32_and_hexadecimal_are_the_same_digest() {
        let digest = Digest::of(&[b"a", b"bc"]);
        assert_eq!(digest.field(), "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5");
        assert_eq!(Digest::parse(&digest.field()), digest);
        assert_eq!(Digest::parse("SHA1:vgmt4nsha2awvor6evyxqugcnsonbwe5"), digest);
        assert_eq!(Digest::parse("sha1:a9993e364706816aba3e25717850c26c9cd0d89d"), digest);
        assert_ne!(Digest::parse("sha256:ab"), Digest::parse("sha256:ac"));
        assert_eq!(Digest::parse("sha1:é"), Digest::parse("sha1:é"));
    }
}
