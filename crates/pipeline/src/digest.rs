//! Which bytes are these? Bytes or a file → their SHA-256, as digits.

use ring::digest::{Context, SHA256, digest};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Bytes read at a time.
const CHUNK: usize = 64 * 1024;

pub struct Sha256;

impl Sha256 {
    pub fn bytes(bytes: &[u8]) -> Vec<u8> {
        digest(&SHA256, bytes).as_ref().to_vec()
    }

    /// In hexadecimal digits.
    pub fn of(bytes: &[u8]) -> String {
        hex(&Self::bytes(bytes))
    }

    /// Of a whole file, and its size.
    pub fn of_file(path: &Path) -> io::Result<(String, u64)> {
        Self::of_reader(&mut File::open(path)?)
    }

    pub fn of_reader(reader: &mut dyn Read) -> io::Result<(String, u64)> {
        let (mut context, mut buffer, mut size) = (Context::new(&SHA256), vec![0; CHUNK], 0);
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok((hex(context.finish().as_ref()), size)),
                read => {
                    context.update(&buffer[..read]);
                    size += read as u64;
                }
            }
        }
    }
}

pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// From digits; none where they are none.
pub fn unhex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    let digit = |byte: u8| char::from(byte).to_digit(16);
    pairs.map(|pair| Some((digit(pair[0])? * 16 + digit(*pair.get(1)?)?) as u8)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_those_that_everybody_writes() {
        assert_eq!(Sha256::of(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Sha256::of_reader(&mut &b"abc"[..]).unwrap(), (Sha256::of(b"abc"), 3));
        assert_eq!(unhex("00ff"), Some(vec![0, 255]));
        assert_eq!((unhex("0"), unhex("zz")), (None, None));
    }
}
