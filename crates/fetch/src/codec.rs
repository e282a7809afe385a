//! Which bytes are under this content coding, within a limit?
//!
//! `Content-Encoding`, body, limit → decoded body. Identity, gzip, deflate (zlib or raw), br, zstd, and several
//! in a row. Output is bounded while it is made, so a bomb costs the limit and a buffer, never its full size.
//!
//! - [`DecodeError`]: too large, unknown coding, or nothing could be decoded.
//!
//! Does not know what the bytes mean, nor where they came from.

use bytes::Bytes;
use std::io::{self, Read};

/// RFC 9659: a decoder of the `zstd` coding need not go beyond windows of 8 MB; a larger one is a memory attack.
const ZSTD_WINDOW_LOG: u32 = 23;

/// More codings in a row than any real server applies; each costs a pass over up to `limit` bytes.
const MAX_CODINGS: usize = 4;

/// Small, because what a decoder wrote into it before it met broken data is lost.
const BUFFER: usize = 8 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    #[error("more than {limit} bytes decoded")]
    TooLarge { limit: usize },
    #[error("unknown content coding `{0}`")]
    Unknown(String),
    #[error("broken `{coding}` stream: {detail}")]
    Broken { coding: String, detail: String },
}

/// Undoes the codings named by a `Content-Encoding` value. A truncated or broken stream gives what was decoded
/// so far, as browsers do, and is an error only when that is nothing.
pub fn decode(coding: Option<&str>, body: &Bytes, limit: usize) -> Result<Bytes, DecodeError> {
    let names: Vec<String> = coding
        .unwrap_or("")
        .split(',')
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty() && name != "identity" && name != "none")
        .collect();
    if names.len() > MAX_CODINGS {
        return Err(DecodeError::Unknown(format!("{} codings in a row", names.len())));
    }
    let mut body = body.clone();
    // Listed in the order they were applied (RFC 9110, 8.4), so undone from the last.
    for name in names.iter().rev() {
        body = decode_one(name, &body, limit)?;
    }
    if body.len() > limit { Err(DecodeError::TooLarge { limit }) } else { Ok(body) }
}

fn decode_one(name: &str, body: &Bytes, limit: usize) -> Result<Bytes, DecodeError> {
    if body.is_empty() {
        return Ok(Bytes::new()); // Answers to HEAD, and servers that label empty bodies.
    }
    let input: &[u8] = body;
    match name {
        "gzip" | "x-gzip" => read_bounded(name, flate2::read::MultiGzDecoder::new(input), limit),
        "deflate" if is_zlib(input) => read_bounded(name, flate2::read::ZlibDecoder::new(input), limit),
        "deflate" => read_bounded(name, flate2::read::DeflateDecoder::new(input), limit),
        "br" if is_large_window(input) => {
            Err(DecodeError::Broken { coding: name.to_owned(), detail: "window too large".to_owned() })
        }
        "br" => read_bounded(name, brotli::Decompressor::new(input, BUFFER), limit),
        "zstd" => read_bounded(name, zstd_reader(input).map_err(|error| broken(name, &error))?, limit),
        other => Err(DecodeError::Unknown(other.to_owned())),
    }
}

/// The opening that RFC 7932 (9.1) forbids and an extension uses for windows of up to 1 GB, which the decoder
/// would reserve at once.
fn is_large_window(input: &[u8]) -> bool {
    input[0] & 0x7f == 0x11
}

fn zstd_reader(input: &[u8]) -> io::Result<impl Read + '_> {
    let mut reader = zstd::stream::read::Decoder::with_buffer(input)?;
    reader.window_log_max(ZSTD_WINDOW_LOG)?;
    Ok(reader)
}

/// `deflate` means zlib, but some servers send the bare stream; the two header bytes tell (RFC 1950, 2.2).
fn is_zlib(input: &[u8]) -> bool {
    matches!(input, [cmf, flags, ..] if cmf & 0x0f == 8 && (u16::from(*cmf) << 8 | u16::from(*flags)) % 31 == 0)
}

fn read_bounded(coding: &str, mut reader: impl Read, limit: usize) -> Result<Bytes, DecodeError> {
    let mut out: Vec<u8> = Vec::new();
    let mut buffer = vec![0; BUFFER];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) if out.is_empty() => return Ok(Bytes::new()),
            Ok(0) => break,
            Ok(read) if out.len() + read > limit => return Err(DecodeError::TooLarge { limit }),
            Ok(read) => append(&mut out, &buffer[..read], limit),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if out.is_empty() => return Err(broken(coding, &error)),
            Err(_) => break,
        }
    }
    Ok(out.into())
}

/// Grows by doubling, but never past the limit: plain `extend` could reserve nearly twice of it.
fn append(out: &mut Vec<u8>, bytes: &[u8], limit: usize) {
    let needed = out.len() + bytes.len();
    if needed > out.capacity() {
        let target = needed.max(out.capacity() * 2).min(limit.max(needed));
        out.reserve_exact(target - out.len());
    }
    out.extend_from_slice(bytes);
}

fn broken(coding: &str, error: &io::Error) -> DecodeError {
    DecodeError::Broken { coding: coding.to_owned(), detail: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use std::io::Write;

    const MIB: usize = 1 << 20;

    fn gzip(data: &[u8]) -> Bytes {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), Compression::default());
        writer.write_all(data).unwrap();
        writer.finish().unwrap().into()
    }

    fn zlib(data: &[u8]) -> Bytes {
        let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), Compression::default());
        writer.write_all(data).unwrap();
        writer.finish().unwrap().into()
    }

    fn raw_deflate(data: &[u8]) -> Bytes {
        let mut writer = flate2::write::DeflateEncoder::new(Vec::new(), Compression::default());
        writer.write_all(data).unwrap();
        writer.finish().unwrap().into()
    }

    fn br(data: &[u8]) -> Bytes {
        let mut out = Vec::new();
        brotli::BrotliCompress(&mut &data[..], &mut out, &brotli::enc::BrotliEncoderParams::default()).unwrap();
        out.into()
    }

    fn zst(data: &[u8]) -> Bytes {
        zstd::encode_all(data, 3).unwrap().into()
    }

    /// Text that does not compress to nothing, so that cutting it leaves something to decode.
    fn text() -> Vec<u8> {
        (0u32..20_000).flat_map(|n| format!("{:x} ", n.wrapping_mul(2_654_435_761)).into_bytes()).collect()
    }

    #[test]
    fn every_coding_comes_back() {
        let text = text();
        let cases = [
            (None, Bytes::from(text.clone())),
            (Some("identity"), Bytes::from(text.clone())),
            (Some("gzip"), gzip(&text)),
            (Some("X-GZIP"), gzip(&text)),
            (Some("deflate"), zlib(&text)),
            (Some("deflate"), raw_deflate(&text)),
            (Some("br"), br(&text)),
            (Some("zstd"), zst(&text)),
            (Some(" gzip , br "), br(&gzip(&text))),
            (Some("zstd, identity, deflate"), zlib(&zst(&text))),
        ];
        for (coding, body) in cases {
            assert_eq!(decode(coding, &body, 16 * MIB).unwrap(), text, "{coding:?}");
        }
    }

    #[test]
    fn gzip_members_and_zstd_frames_in_a_row_are_all_read() {
        let two = |one: Bytes| Bytes::from([one.to_vec(), one.to_vec()].concat());
        assert_eq!(decode(Some("gzip"), &two(gzip(b"ab")), MIB).unwrap(), "abab");
        assert_eq!(decode(Some("zstd"), &two(zst(b"ab")), MIB).unwrap(), "abab");
    }

    #[test]
    fn a_bomb_stops_at_the_limit() {
        let zeros = vec![0; 8 * MIB];
        for (coding, body) in
            [("gzip", gzip(&zeros)), ("deflate", zlib(&zeros)), ("br", br(&zeros)), ("zstd", zst(&zeros))]
        {
            assert!(body.len() < MIB / 64, "{coding} is a bomb");
            assert_eq!(decode(Some(coding), &body, MIB), Err(DecodeError::TooLarge { limit: MIB }), "{coding}");
        }
        let nested = gzip(&gzip(&zeros));
        assert_eq!(decode(Some("gzip, gzip"), &nested, MIB), Err(DecodeError::TooLarge { limit: MIB }));
        assert_eq!(decode(None, &Bytes::from(vec![0; 11]), 10), Err(DecodeError::TooLarge { limit: 10 }));
        assert_eq!(decode(None, &Bytes::from(vec![0; 10]), 10).unwrap().len(), 10);
        assert_eq!(decode(Some("gzip"), &gzip(&[7; 10]), 10).unwrap().len(), 10);
    }

    #[test]
    fn output_never_reserves_more_than_the_limit() {
        let mut out = Vec::new();
        for _ in 0..1000 {
            append(&mut out, &[0; 1000], MIB);
        }
        assert_eq!(out.len(), 1_000_000);
        assert!(out.capacity() <= MIB, "{}", out.capacity());
    }

    #[test]
    fn a_cut_stream_gives_what_was_decoded() {
        let text = text();
        for (coding, body) in [("gzip", gzip(&text)), ("deflate", zlib(&text)), ("br", br(&text))] {
            let cut = decode(Some(coding), &body.slice(..body.len() * 3 / 4), 16 * MIB).unwrap();
            assert!(!cut.is_empty() && text.starts_with(&cut), "{coding}");
        }
        let blocks = Bytes::from([zst(&text).to_vec(), b"garbage".to_vec()].concat());
        assert_eq!(decode(Some("zstd"), &blocks, 16 * MIB).unwrap(), text);
        let trailing = Bytes::from([gzip(&text).to_vec(), b"garbage".to_vec()].concat());
        assert_eq!(decode(Some("gzip"), &trailing, 16 * MIB).unwrap(), text);
    }

    #[test]
    fn nothing_decoded_is_an_error_and_empty_stays_empty() {
        let garbage = Bytes::from_static(b"\xff\xff\xffnot compressed at all");
        for coding in ["gzip", "deflate", "br", "zstd"] {
            assert!(matches!(decode(Some(coding), &garbage, MIB), Err(DecodeError::Broken { .. })), "{coding}");
            assert_eq!(decode(Some(coding), &Bytes::new(), MIB).unwrap(), "", "{coding}");
        }
        assert_eq!(decode(Some("lzma"), &garbage, MIB), Err(DecodeError::Unknown("lzma".into())));
        assert!(matches!(decode(Some("gzip,gzip,gzip,gzip,gzip"), &garbage, MIB), Err(DecodeError::Unknown(_))));
    }

    #[test]
    fn a_brotli_window_beyond_the_standard_is_refused() {
        let params = brotli::enc::BrotliEncoderParams { lgwin: 30, large_window: true, ..Default::default() };
        let mut body = Vec::new();
        brotli::BrotliCompress(&mut &text()[..], &mut body, &params).unwrap();
        assert!(matches!(decode(Some("br"), &body.into(), MIB), Err(DecodeError::Broken { .. })));
    }

    #[test]
    fn a_zstd_window_beyond_the_standard_is_refused() {
        let mut writer = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
        writer.window_log(27).unwrap();
        writer.write_all(&text()).unwrap();
        let body = Bytes::from(writer.finish().unwrap());
        assert!(matches!(decode(Some("zstd"), &body, MIB), Err(DecodeError::Broken { .. })));
    }
}
