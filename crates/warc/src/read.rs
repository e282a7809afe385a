//! Which records does this archive file hold? Bytes → records one after the other, in bounded memory.
//!
//! - [`Reader`]: walks through a file; a block is only read when asked for.
//! - [`Damage`]: what had to be left out on the way.
//!
//! A damaged record is left out and the walk goes on at the next one; a file that was cut off keeps every whole
//! record before the cut. Damage may make the reader go back, but only as often as a budget allows, so that the
//! time spent stays linear in the size of the file. Does not know what a block means.

use super::head::Head;
use super::members::{Members, Place, Trouble};
use super::source::Source;
use std::io;
use std::sync::Arc;

/// What every record starts with.
const MARK: &[u8] = b"WARC/";
/// Lines before the block. The longest of twelve real sites has 476 bytes; the rest is room for long
/// addresses and the fields of other tools, chosen and not measured.
const LINES: usize = 128 << 10;
/// Bytes read twice because of damage, beyond the size of the file.
const AGAIN: u64 = 64 << 20;

/// What was left out of a file, and why the last time.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage {
    /// Records (or stretches that may have been several) left out.
    pub places: usize,
    /// The file ends in the middle of a record.
    pub truncated: bool,
    /// Why something was left out, the last time.
    pub reason: String,
}

impl Damage {
    /// Was anything left out?
    pub fn any(&self) -> bool {
        self.places > 0 || self.truncated
    }
}

/// Walks from record to record.
///
/// ```
/// use pagekin_warc::Reader;
/// use std::sync::Arc;
///
/// let file = b"WARC/1.1\r\nWARC-Type: resource\r\nWARC-Target-URI: https://example.org/a\r\n\
///     Content-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello\r\n\r\n";
/// let mut reader = Reader::new(Arc::new(file.to_vec()))?;
/// while let Some(head) = reader.next_head()? {
///     assert_eq!(head.url().unwrap().path(), "/a");
///     assert_eq!(reader.block(1000)?, b"hello");
/// }
/// assert!(!reader.damage().any());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Reader {
    members: Members,
    /// Bytes of the present block not yet taken.
    left: u64,
    block: Option<Place>,
    /// Bytes taken since the block started, for the budget of going back.
    taken: u64,
    again: u64,
    allowed: u64,
    damage: Damage,
    done: bool,
}

/// The lines of the record at a place, as they stand, with the empty one.
pub fn raw_head(source: Arc<dyn Source>, dictionary: Option<Arc<[u8]>>, place: Place) -> Result<Vec<u8>, Trouble> {
    let mut members = Members::new(source, dictionary, place.member).map_err(Trouble::Io)?;
    members.seek(place)?;
    let (mut lines, mut start) = (Vec::new(), 0);
    loop {
        let bytes = members.peek(1)?;
        let end = memchr::memchr(b'\n', bytes);
        let count = end.map_or(bytes.len(), |at| at + 1);
        if count == 0 || lines.len() + count > LINES {
            return Err(Trouble::Truncated);
        }
        lines.extend_from_slice(&bytes[..count]);
        members.consume(count);
        if end.is_some() {
            if lines[start..].trim_ascii().is_empty() {
                return Ok(lines);
            }
            start = lines.len();
        }
    }
}

impl Reader {
    /// A reader of all records of a file.
    pub fn new(source: Arc<dyn Source>) -> io::Result<Self> {
        Self::starting(source, None, 0)
    }

    /// A reader of the one record at `place`.
    pub fn at(source: Arc<dyn Source>, dictionary: Option<Arc<[u8]>>, place: Place) -> Result<Self, Trouble> {
        let mut reader = Self::starting(source, dictionary, place.member)?;
        reader.members.seek(place)?;
        Ok(reader)
    }

    /// A reader of the records that begin at `from` or behind it.
    pub fn part(source: Arc<dyn Source>, from: u64) -> io::Result<Self> {
        let mut first = Self::new(source.clone())?;
        if from == 0 {
            return Ok(first);
        }
        first.next_head()?; // Meets the dictionary of a zstd file.
        let mut reader = Self::starting(source, first.dictionary(), from)?;
        let found = match first.packed() {
            true => reader.members.resume(from, MARK),
            false => reader.members.find_line(MARK),
        };
        match found {
            Err(Trouble::Io(error)) => return Err(error),
            found => reader.done = !found.unwrap_or(false),
        }
        Ok(reader)
    }

    fn starting(source: Arc<dyn Source>, dictionary: Option<Arc<[u8]>>, at: u64) -> io::Result<Self> {
        let allowed = source.size()?.saturating_add(AGAIN);
        let members = Members::new(source, dictionary, at)?;
        Ok(Self { members, left: 0, block: None, taken: 0, again: 0, allowed, damage: Damage::default(), done: false })
    }

    /// What was left out so far.
    pub fn damage(&self) -> &Damage {
        &self.damage
    }

    /// The dictionary of a zstd file, as far as it was met: for [`Reader::at`].
    pub fn dictionary(&self) -> Option<Arc<[u8]>> {
        self.members.dictionary()
    }

    /// Is the file compressed?
    pub fn packed(&self) -> bool {
        self.members.packed()
    }

    /// After a whole record: where in the file it ends, when the file can be cut and continued there.
    pub fn boundary(&self) -> Option<u64> {
        self.members.boundary()
    }

    /// The next record that has a readable head; `None` at the end. Finishes the record before.
    pub fn next_head(&mut self) -> io::Result<Option<Head>> {
        self.finish()?;
        while !self.done {
            match self.head() {
                Ok(Some(head)) => return Ok(Some(head)),
                Ok(None) => self.done = true,
                Err(trouble) => self.recover(trouble)?,
            }
        }
        Ok(None)
    }

    /// The record here and nothing else: damage is told, not stepped over.
    pub fn head_here(&mut self) -> Result<Option<Head>, Trouble> {
        self.head()
    }

    fn head(&mut self) -> Result<Option<Head>, Trouble> {
        if !self.skip_line_ends()? {
            return Ok(None);
        }
        let place = self.members.place();
        self.taken = 0;
        if !self.members.peek(MARK.len())?.starts_with(MARK) {
            return Err(Trouble::Damaged("there is something else where a record should start"));
        }
        let lines = self.lines()?;
        let text = String::from_utf8_lossy(&lines);
        let head = Head::parse(place, &text).map_err(Trouble::Damaged)?;
        self.left = head.length;
        self.block = Some(self.members.place());
        self.taken = 0;
        Ok(Some(head))
    }

    /// To the first byte that is no line end; `false` at the end of the file.
    fn skip_line_ends(&mut self) -> Result<bool, Trouble> {
        loop {
            let bytes = self.members.peek(1)?;
            if bytes.is_empty() {
                return Ok(false);
            }
            let blank = bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let more = blank == bytes.len();
            self.members.consume(blank);
            if !more {
                return Ok(true);
            }
        }
    }

    /// All lines up to and with the empty one, the version line left out.
    fn lines(&mut self) -> Result<Vec<u8>, Trouble> {
        let mut lines = Vec::new();
        let mut first = true;
        loop {
            let start = lines.len();
            self.line(&mut lines)?;
            if lines[start..].trim_ascii().is_empty() {
                lines.truncate(start);
                return Ok(lines);
            }
            if std::mem::take(&mut first) {
                lines.clear();
            }
        }
    }

    fn line(&mut self, into: &mut Vec<u8>) -> Result<(), Trouble> {
        loop {
            let bytes = self.members.peek(1)?;
            if bytes.is_empty() {
                return Err(Trouble::Truncated);
            }
            let end = memchr::memchr(b'\n', bytes);
            let count = end.map_or(bytes.len(), |at| at + 1);
            if into.len() + count > LINES {
                return Err(Trouble::Damaged("a record's head is longer than 128 KiB"));
            }
            into.extend_from_slice(&bytes[..count]);
            self.members.consume(count);
            self.taken += count as u64;
            if end.is_some() {
                return Ok(());
            }
        }
    }

    /// Up to `limit` more bytes of the block here.
    pub fn block(&mut self, limit: usize) -> Result<Vec<u8>, Trouble> {
        let mut block = Vec::with_capacity(limit.min(self.left as usize).min(1 << 20));
        while block.len() < limit && self.left > 0 {
            self.check_lie()?;
            let bytes = self.members.peek(1)?;
            let count = bytes.len().min(limit - block.len()).min(usize::try_from(self.left).unwrap_or(usize::MAX));
            if count == 0 {
                return Err(Trouble::Truncated);
            }
            block.extend_from_slice(&bytes[..count]);
            self.members.consume(count);
            self.advance(count as u64);
        }
        Ok(block)
    }

    fn advance(&mut self, count: u64) {
        self.left -= count;
        self.taken += count;
    }

    /// A block may go on in the next member (files compressed in pieces), but not where that one starts a record:
    /// then the length was a lie.
    fn check_lie(&mut self) -> Result<(), Trouble> {
        let starts = self.members.between() || self.members.compressed() && self.members.place().within == 0;
        if starts && self.members.peek(MARK.len())?.starts_with(MARK) {
            return Err(Trouble::Damaged("a record's Content-Length reaches into the next record"));
        }
        Ok(())
    }

    /// Goes to the end of the present record. `false`: it was not whole, and the reader stands at the next record
    /// it could find.
    pub fn finish(&mut self) -> io::Result<bool> {
        if self.block.is_none() {
            return Ok(true);
        }
        match self.end_of_record() {
            Ok(()) => {
                self.block = None;
                Ok(true)
            }
            Err(trouble) => {
                self.recover(trouble)?;
                Ok(false)
            }
        }
    }

    /// Steps over the present record after trouble with its block.
    pub fn give_up(&mut self, trouble: Trouble) -> io::Result<()> {
        self.recover(trouble)
    }

    /// To the end of the present record: damage is told, not stepped over.
    pub fn close(&mut self) -> Result<(), Trouble> {
        self.end_of_record()
    }

    fn end_of_record(&mut self) -> Result<(), Trouble> {
        while self.left > 0 {
            self.check_lie()?;
            match self.members.skip(self.left)? {
                0 => return Err(Trouble::Truncated),
                skipped => self.advance(skipped),
            }
        }
        // A compressed member must be read to its end: only then is its checksum known to be right.
        let bytes = self.members.peek_here(MARK.len() + 4)?;
        let blank = bytes.iter().take(4).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        let next = &bytes[blank..];
        if blank < 2 && !next.is_empty() && !next.starts_with(MARK) {
            return Err(Trouble::Damaged("a record's Content-Length is wrong"));
        }
        self.members.consume(blank);
        Ok(())
    }

    /// After damage: goes to where the next record may start, and counts what was left out. Nothing found after a
    /// cut means that the file was cut off; otherwise something in the middle is damaged.
    fn recover(&mut self, trouble: Trouble) -> io::Result<()> {
        let reason = trouble.to_string();
        let cut = matches!(trouble, Trouble::Truncated);
        let found = match self.find_next(trouble) {
            Err(Trouble::Io(error)) => return Err(error),
            other => other.unwrap_or(false),
        };
        (self.block, self.left, self.taken, self.done) = (None, 0, 0, !found);
        if cut && !found {
            self.damage.truncated = true;
        } else {
            self.damage.places += 1;
        }
        self.damage.reason = reason;
        Ok(())
    }

    fn find_next(&mut self, trouble: Trouble) -> Result<bool, Trouble> {
        let lost = match trouble {
            Trouble::Io(_) | Trouble::Bomb => return Err(trouble),
            Trouble::Packing(_) => true,
            Trouble::Truncated => self.members.compressed(),
            Trouble::Damaged(_) => false,
        };
        if lost {
            return self.next_member();
        }
        match self.find_in_content() {
            Err(Trouble::Packing(_) | Trouble::Truncated) => self.next_member(),
            other => other,
        }
    }

    /// The content can be read, so the next record is looked for in it, from the start of the bad one's block.
    fn find_in_content(&mut self) -> Result<bool, Trouble> {
        let place = self.members.place();
        if self.members.compressed() && place.within == 0 && self.members.peek(MARK.len())?.starts_with(MARK) {
            return Ok(true); // A length reached into this member, which starts a record.
        }
        if place == Place::default() && self.members.resume(0, MARK)? {
            return Ok(true); // The first bytes of a compressed file are damaged, so that it seemed plain.
        }
        let block = self.block;
        match block {
            Some(block) if self.may_go_back(self.taken + block.within) => self.members.seek(block)?,
            None if place == Place::default() => self.members.seek(place)?,
            _ => {}
        }
        self.members.find_line(MARK)
    }

    fn next_member(&mut self) -> Result<bool, Trouble> {
        let (cost, start) = self.members.way_back();
        let from = if self.may_go_back(cost) { start } else { start + cost };
        self.members.resume(from, MARK)
    }

    fn may_go_back(&mut self, cost: u64) -> bool {
        let allowed = self.again + cost <= self.allowed;
        if allowed {
            self.again += cost;
        }
        allowed
    }
}
