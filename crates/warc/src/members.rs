//! Which bytes does an archive file hold once its compression is undone, and where does each piece start?
//!
//! Takes a [`Source`] → gives its content as a stream that knows its [`Place`], so that a record found once can
//! be found again. Plain, gzip and zstd are told apart by their bytes, piece by piece ("member": a gzip member or
//! a zstd frame), so it does not matter whether a file has one member per record, one for all, or blocks.
//!
//! - [`Place`]: a member and an offset in its content.
//! - `Members`: the stream.
//! - [`Trouble`]: why it cannot go on: the disk, damage, or a file that ends too early.
//!
//! Does not know WARC.

use super::source::{Source, Window};
use flate2::{Decompress, FlushDecompress, Status};
use std::io;
use std::sync::Arc;
use zstd::stream::raw::{Decoder as ZstdDecoder, InBuffer, Operation, OutBuffer};

/// Decoded bytes held at once.
const CONTENT: usize = 64 << 10;
/// The dictionary of a zstd archive is kept in memory. 16 MiB: chosen as more than any use of it needs.
const DICTIONARY: usize = 16 << 20;
/// Work allowed on one file: this much, and this many times its size. Twelve real sites grow 2.3 to 9.4 times; the
/// rest is room for dictionaries and repetitive sites, chosen and not measured. What grows more is taken as a bomb.
const WORK: u64 = 4 << 30;
const GROWTH: u64 = 256;

const GZIP: &[u8] = b"\x1f\x8b\x08";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
/// zstd frames to skip have the magic numbers 0x184D2A50 to 0x184D2A5F; 0x184D2A5D holds a WARC's dictionary.
const SKIPPABLE: &[u8] = b"\x2a\x4d\x18";
const HOLDS_DICTIONARY: u8 = 0x5d;

/// Where something stands in an archive file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Place {
    /// Offset of the member in the file.
    pub member: u64,
    /// Offset in the member's content.
    pub within: u64,
}

/// Why reading cannot go on here.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// The source cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The content is not what it should be, but can be read on.
    #[error("{0}")]
    Damaged(&'static str),
    /// The content of the member here cannot be known.
    #[error("{0}")]
    Packing(&'static str),
    /// The file ends in the middle of something.
    #[error("the file ends too early")]
    Truncated,
    /// Unpacking it would take more work than any real archive.
    #[error("it grows more than {GROWTH} times when unpacked")]
    Bomb,
}

enum Decoder {
    Plain,
    Gzip(Decompress),
    Zstd(ZstdDecoder<'static>),
}

pub(crate) struct Members {
    window: Window,
    dictionary: Option<Arc<[u8]>>,
    /// `None` between members.
    decoder: Option<Decoder>,
    member: u64,
    content: Box<[u8]>,
    start: usize,
    end: usize,
    /// Offset in the member's content of `content[end]`.
    decoded: u64,
    /// Was the first member compressed? Then so are all.
    packed: Option<bool>,
    work: u64,
    allowed: u64,
}

impl Members {
    pub(crate) fn new(source: Arc<dyn Source>, dictionary: Option<Arc<[u8]>>, at: u64) -> io::Result<Self> {
        let size = source.size()?;
        let allowed = size.saturating_mul(GROWTH).saturating_add(WORK);
        Ok(Self {
            window: Window::new(source, at, size),
            dictionary,
            decoder: None,
            member: at,
            content: vec![0; CONTENT].into(),
            start: 0,
            end: 0,
            decoded: 0,
            packed: None,
            work: 0,
            allowed,
        })
    }

    /// The dictionary met so far, to be handed to readers that start in the middle of the file.
    pub(crate) fn dictionary(&self) -> Option<Arc<[u8]>> {
        self.dictionary.clone()
    }

    /// Where the next byte of [`Self::peek`] stands.
    pub(crate) fn place(&self) -> Place {
        let within = self.decoded - (self.end - self.start) as u64;
        match self.decoder {
            Some(Decoder::Plain) => Place { member: self.member + within, within: 0 },
            _ => Place { member: self.member, within },
        }
    }

    /// Does the stream stand between two compressed members, or in a plain file? Then its offset in the file.
    pub(crate) fn boundary(&self) -> Option<u64> {
        match self.decoder {
            Some(Decoder::Plain) => Some(self.place().member),
            None if self.start == self.end => Some(self.window.position()),
            _ => None,
        }
    }

    /// At the end of a compressed member, with another one perhaps to come.
    pub(crate) fn between(&self) -> bool {
        self.start == self.end && self.decoder.is_none()
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    /// At least `count` bytes of one member (at most [`CONTENT`]), fewer only before its end. Starts the next
    /// member when this one is used up; empty at the end of the file.
    pub(crate) fn peek(&mut self, count: usize) -> Result<&[u8], Trouble> {
        while self.start == self.end {
            if self.decoder.is_none() && !self.start_member()? {
                break;
            }
            if !self.decode()? && !self.compressed() {
                break;
            }
        }
        self.peek_here(count)
    }

    /// As [`Self::peek`], but does not start the next member: empty at the end of this one.
    pub(crate) fn peek_here(&mut self, count: usize) -> Result<&[u8], Trouble> {
        debug_assert!(count <= CONTENT);
        while self.end - self.start < count && self.decoder.is_some() && self.decode()? {}
        Ok(&self.content[self.start..self.end])
    }

    /// Goes to the next line that starts with `mark`; the start of a compressed member starts a line.
    pub(crate) fn find_line(&mut self, mark: &[u8]) -> Result<bool, Trouble> {
        let mut fresh = true;
        loop {
            let bytes = self.peek(mark.len())?;
            if bytes.is_empty() {
                return Ok(false);
            }
            if fresh && bytes.starts_with(mark) {
                return Ok(true);
            }
            let end = memchr::memchr(b'\n', bytes);
            let count = end.map_or(bytes.len(), |at| at + 1);
            self.consume(count);
            fresh = end.is_some() || self.between();
        }
    }

    /// Drops up to `count` bytes without looking at them, at most to the end of the member.
    pub(crate) fn skip(&mut self, count: u64) -> Result<u64, Trouble> {
        let held = (self.peek(1)?.len() as u64).min(count);
        self.consume(held as usize);
        if held < count && matches!(self.decoder, Some(Decoder::Plain)) {
            let at = self.window.position();
            let jump = (count - held).min(self.window.left());
            self.window.seek(at + jump);
            self.decoded += jump;
            return Ok(held + jump);
        }
        Ok(held)
    }

    /// Goes back (or on) to a place. The work of decoding up to it counts.
    pub(crate) fn seek(&mut self, place: Place) -> Result<(), Trouble> {
        self.leave(place.member);
        let mut left = place.within;
        while left > 0 {
            match self.skip(left)? {
                0 => return Err(Trouble::Truncated),
                skipped => left -= skipped,
            }
        }
        Ok(())
    }

    fn leave(&mut self, at: u64) {
        self.window.seek(at);
        self.decoder = None;
        (self.start, self.end, self.decoded, self.member) = (0, 0, 0, at);
    }

    /// After [`Trouble::Packing`] or a cut: what it costs to look for the next member right after the start of this
    /// one, and from where to do so.
    pub(crate) fn way_back(&self) -> (u64, u64) {
        let here = self.window.position();
        if self.decoder.is_none() { (0, here) } else { (here - self.member, self.member + 1) }
    }

    /// Goes to the next compressed member at or after `from` whose content starts with `accept`; `false` when
    /// there is none.
    pub(crate) fn resume(&mut self, from: u64, accept: &[u8]) -> Result<bool, Trouble> {
        self.leave(from);
        while self.window.find_either([GZIP, ZSTD])? {
            let at = self.window.position();
            self.charge(CONTENT as u64)?; // A file of nothing but false starts must end, too.
            match self.peek(accept.len()) {
                Ok(bytes) if bytes.starts_with(accept) => return Ok(true),
                Err(error @ (Trouble::Io(_) | Trouble::Bomb)) => return Err(error),
                _ => self.leave(at + 1),
            }
        }
        Ok(false)
    }

    /// Is the file compressed, as far as its first piece tells?
    pub(crate) fn packed(&self) -> bool {
        self.packed == Some(true)
    }

    /// Is the member here compressed, so that damage in it makes its content unreadable?
    pub(crate) fn compressed(&self) -> bool {
        !matches!(self.decoder, Some(Decoder::Plain))
    }

    fn start_member(&mut self) -> Result<bool, Trouble> {
        loop {
            let at = self.window.position();
            let magic = self.window.peek(4)?;
            let decoder = if magic.is_empty() {
                return Ok(false);
            } else if magic.starts_with(GZIP) {
                Decoder::Gzip(Decompress::new_gzip(15))
            } else if magic.starts_with(ZSTD) {
                Decoder::Zstd(match &self.dictionary {
                    Some(dictionary) => ZstdDecoder::with_dictionary(dictionary)?,
                    None => ZstdDecoder::new()?,
                })
            } else if magic[0] & 0xf0 == 0x50 && magic[1..].starts_with(SKIPPABLE) {
                let holds_dictionary = magic[0] == HOLDS_DICTIONARY && at == 0;
                self.skippable(holds_dictionary)?;
                continue;
            } else if magic[0] == 0 && at > 0 {
                self.window.consume(1); // Tapes and block devices pad with zeros.
                self.charge(1)?;
                continue;
            } else if self.packed == Some(true) && magic.len() < 4 {
                return Err(Trouble::Truncated);
            } else if self.packed == Some(true) {
                return Err(Trouble::Packing("there is something else between its compressed pieces"));
            } else {
                Decoder::Plain
            };
            self.packed = Some(!matches!(decoder, Decoder::Plain));
            self.decoder = Some(decoder);
            (self.member, self.start, self.end, self.decoded) = (at, 0, 0, 0);
            return Ok(true);
        }
    }

    /// A zstd frame that carries no content, perhaps the dictionary of all others.
    fn skippable(&mut self, holds_dictionary: bool) -> Result<(), Trouble> {
        let head = self.window.peek(8)?;
        let Some(size) = head.get(4..8) else { return Err(Trouble::Truncated) };
        let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize;
        self.window.consume(8);
        if !holds_dictionary {
            let after = self.window.position() + size as u64;
            self.window.seek(after);
            return Ok(());
        }
        if size > DICTIONARY {
            return Err(Trouble::Packing("its zstd dictionary is larger than 16 MiB"));
        }
        let bytes = self.window.take(size)?;
        if bytes.len() < size {
            return Err(Trouble::Truncated);
        }
        self.dictionary = Some(if bytes.starts_with(ZSTD) { unpack(&bytes)?.into() } else { bytes.into() });
        Ok(())
    }

    fn charge(&mut self, work: u64) -> Result<(), Trouble> {
        self.work += work;
        if self.work > self.allowed { Err(Trouble::Bomb) } else { Ok(()) }
    }

    /// Decodes a little more; `false` when the member has ended (or, plain, the file).
    fn decode(&mut self) -> Result<bool, Trouble> {
        self.content.copy_within(self.start..self.end, 0);
        (self.start, self.end) = (0, self.end - self.start);
        let input = self.window.peek(1)?;
        let output = &mut self.content[self.end..];
        let (read, written, ended) = match &mut self.decoder {
            None => (0, 0, true),
            Some(Decoder::Plain) => {
                let count = input.len().min(output.len());
                output[..count].copy_from_slice(&input[..count]);
                (count, count, count == 0)
            }
            Some(_) if input.is_empty() => return Err(Trouble::Truncated),
            Some(Decoder::Gzip(inflate)) => gzip_step(inflate, input, output)?,
            Some(Decoder::Zstd(decoder)) => zstd_step(decoder, input, output)?,
        };
        self.window.consume(read);
        self.end += written;
        self.decoded += written as u64;
        self.charge((read + written) as u64)?;
        if ended && self.compressed() {
            self.decoder = None;
        }
        Ok(!ended)
    }
}

type Step = Result<(usize, usize, bool), Trouble>;

fn gzip_step(inflate: &mut Decompress, input: &[u8], output: &mut [u8]) -> Step {
    let (read, written) = (inflate.total_in(), inflate.total_out());
    let damaged = Trouble::Packing("its gzip data is damaged");
    let Ok(status) = inflate.decompress(input, output, FlushDecompress::None) else { return Err(damaged) };
    let (read, written) = ((inflate.total_in() - read) as usize, (inflate.total_out() - written) as usize);
    let ended = status == Status::StreamEnd;
    if read == 0 && written == 0 && !ended {
        return Err(damaged);
    }
    Ok((read, written, ended))
}

fn zstd_step(decoder: &mut ZstdDecoder<'static>, input: &[u8], output: &mut [u8]) -> Step {
    let damaged = Trouble::Packing("its zstd data is damaged");
    let (mut from, mut into) = (InBuffer::around(input), OutBuffer::around(output));
    let Ok(hint) = decoder.run(&mut from, &mut into) else { return Err(damaged) };
    let (read, written) = (from.pos(), into.pos());
    if read == 0 && written == 0 && hint != 0 {
        return Err(damaged);
    }
    Ok((read, written, hint == 0))
}

fn unpack(packed: &[u8]) -> Result<Vec<u8>, Trouble> {
    zstd::bulk::decompress(packed, DICTIONARY).map_err(|_| Trouble::Packing("its zstd dictionary is damaged"))
}
