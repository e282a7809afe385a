//! Are the records of this file what they were when they were written? A file → each record with what its digests say.
//!
//! - [`Checked`]: one record. - [`Verdict`]: what came of it. - [`check`]: walks through a file, in bounded memory.
//!
//! A digest may be of SHA-1 or SHA-256, in base 32 or hexadecimal. The payload of an answer is what stands behind its head; tools that undid
//! its chunks before they took the digest cannot be checked by it, and then the digest of the block decides.

use super::head::{Head, Kind};
use super::read::Reader;
use super::source::Source;
use data_encoding::{BASE32, HEXLOWER_PERMISSIVE};
use ring::digest::{Algorithm, Context, SHA1_FOR_LEGACY_USE_ONLY, SHA256};
use std::io;
use std::sync::Arc;

/// Bytes of a block looked at at a time; the head of an answer stands in the first.
const PIECE: usize = 256 << 10;

/// A record, and what its digests say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// As it names itself.
    pub id: String,
    /// `response`, `request`, ...
    pub kind: String,
    /// What it is of; empty: of none.
    pub url: String,
    /// Is it what it was?
    pub verdict: Verdict,
}

/// Is a record what it was when it was written?
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Its digests are those of its bytes.
    Same,
    /// It says no digest that is known here.
    NoDigest,
    /// It is not, and why.
    Different(String),
}

/// Every record, one after the other; the reason where something else stands between them.
pub fn check(source: Arc<dyn Source>, mut each: impl FnMut(Checked)) -> io::Result<Option<String>> {
    let mut reader = Reader::new(source)?;
    while let Some(head) = reader.next_head()? {
        let verdict = match record(&mut reader, &head) {
            Ok(verdict) => verdict,
            Err(trouble) => {
                let told = trouble.to_string();
                reader.give_up(trouble)?;
                Verdict::Different(told)
            }
        };
        let field = |name: &str| head.field(name).unwrap_or_default().to_owned();
        each(Checked { id: field("warc-record-id"), kind: field("warc-type"), url: field("warc-target-uri"), verdict });
    }
    reader.finish()?;
    let damage = reader.damage();
    Ok(damage.any().then(|| damage.reason.clone()))
}

/// A digest that a record says, being taken again.
struct Claim {
    what: &'static str,
    said: Vec<u8>,
    own: Context,
}

impl Claim {
    fn of(head: &Head, what: &'static str, field: &str) -> Option<Self> {
        let (name, digits) = head.field(field)?.split_once(':')?;
        let algorithm: &'static Algorithm = match name.to_ascii_lowercase().as_str() {
            "sha1" | "sha-1" => &SHA1_FOR_LEGACY_USE_ONLY,
            "sha256" | "sha-256" => &SHA256,
            _ => return None,
        };
        let digits = digits.trim();
        let hexadecimal = digits.len() == algorithm.output_len() * 2;
        let said = match hexadecimal {
            true => HEXLOWER_PERMISSIVE.decode(digits.as_bytes()),
            false => BASE32.decode(padded(digits).as_bytes()),
        };
        // What cannot be read is no digest of these bytes.
        Some(Self { what, said: said.unwrap_or_default(), own: Context::new(algorithm) })
    }

    fn differs(self) -> Option<String> {
        (self.own.finish().as_ref() != self.said)
            .then(|| format!("its {} is not the one that its digest was taken of", self.what))
    }
}

fn padded(digits: &str) -> String {
    let missing = (8 - digits.trim_end_matches('=').len() % 8) % 8;
    format!("{}{}", digits.trim_end_matches('=').to_ascii_uppercase(), "=".repeat(missing))
}

fn record(reader: &mut Reader, head: &Head) -> Result<Verdict, super::members::Trouble> {
    let mut block = Claim::of(head, "block", "warc-block-digest");
    // A revisit names the digest of a body that stands in another record.
    let mut payload = Claim::of(head, "payload", "warc-payload-digest").filter(|_| head.kind != Kind::Revisit);
    let http = head.field("content-type").is_some_and(|kind| kind.starts_with("application/http"));
    let (mut left, mut first) = (head.length, true);
    while left > 0 {
        let piece = reader.block(PIECE)?;
        if piece.is_empty() {
            break;
        }
        left = left.saturating_sub(piece.len() as u64);
        if let Some(block) = &mut block {
            block.own.update(&piece);
        }
        let body = if first && http { behind_head(&piece) } else { 0 };
        if first && http && is_chunked(&piece[..body]) {
            payload = None;
        }
        if let Some(payload) = &mut payload {
            payload.own.update(&piece[body..]);
        }
        first = false;
    }
    reader.close()?;
    let known = block.is_some() || payload.is_some();
    let differs = block.and_then(Claim::differs).or(payload.and_then(Claim::differs));
    Ok(differs.map_or(if known { Verdict::Same } else { Verdict::NoDigest }, Verdict::Different))
}

/// Where the body of an answer begins.
fn behind_head(block: &[u8]) -> usize {
    let ends = [&b"\r\n\r\n"[..], b"\n\n"];
    let found = ends.iter().filter_map(|end| Some(memchr::memmem::find(block, end)? + end.len())).min();
    found.unwrap_or(block.len())
}

fn is_chunked(head: &[u8]) -> bool {
    let text = String::from_utf8_lossy(head).to_ascii_lowercase();
    text.lines().any(|line| line.starts_with("transfer-encoding:") && line.contains("chunked"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::Exchange;
    use crate::write::WarcWriter;

    fn verdicts(bytes: Vec<u8>) -> Vec<Verdict> {
        let mut all = Vec::new();
        check(Arc::new(bytes), |own| all.push(own.verdict)).unwrap();
        all
    }

    #[test]
    fn a_changed_byte_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.warc");
        let exchange = Exchange {
            url: "http://s/".parse().unwrap(),
            status: 200,
            headers: vec![("content-type".to_owned(), "text/html".to_owned())],
            body: "<p>true</p>".into(),
            at: jiff::Timestamp::UNIX_EPOCH,
            address: None,
        };
        WarcWriter::create(&path).unwrap().write(&exchange, false).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(verdicts(bytes.clone()), [Verdict::Same, Verdict::Same]);
        let at = memchr::memmem::find(&bytes, b"true").unwrap();
        let mut changed = bytes;
        changed[at] = b'T';
        assert!(matches!(&verdicts(changed)[1], Verdict::Different(why) if why.contains("block")));
    }

    #[test]
    fn digests_come_in_several_spellings() {
        let record = |field: &str, body: &str| {
            format!(
                "WARC/1.0\r\nWARC-Type: resource\r\n{field}\r\nContent-Length: {}\r\n\r\n{body}\r\n\r\n",
                body.len()
            )
            .into_bytes()
        };
        for (field, expected) in [
            ("WARC-Block-Digest: sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5", Verdict::Same),
            ("WARC-Block-Digest: sha1:a9993e364706816aba3e25717850c26c9cd0d89d", Verdict::Same),
            (
                "WARC-Payload-Digest: sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
                Verdict::Same,
            ),
            ("WARC-Block-Digest: md5:x", Verdict::NoDigest),
            ("X: y", Verdict::NoDigest),
        ] {
            assert_eq!(verdicts(record(field, "abc")), [expected], "{field}");
        }
        assert!(matches!(&verdicts(record("WARC-Block-Digest: sha1:no", "abc"))[0], Verdict::Different(_)));
    }
}
