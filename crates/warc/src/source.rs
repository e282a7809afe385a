//! Where do an archive's bytes come from, at any offset? Offset → bytes, without a shared file position.
//!
//! - [`Source`]: bytes that can be read at an offset by many threads at once (a file, a buffer).
//! - `Window`: a small buffer sliding over a source.
//!
//! Does not know what the bytes mean.

use std::fs::File;
use std::io;
use std::sync::Arc;

/// One read from the disk. 64 KiB: holds most compressed pages whole; chosen, other sizes were not measured.
const WINDOW: usize = 64 << 10;

/// Bytes that many threads can read at any offset: a file, a buffer.
pub trait Source: Send + Sync {
    /// Like `pread`: fewer bytes than asked for are fine, none mean the end.
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize>;
    /// Bytes in all.
    fn size(&self) -> io::Result<u64>;
}

impl Source for File {
    #[cfg(unix)]
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::unix::fs::FileExt::read_at(self, into, at)
    }

    #[cfg(windows)]
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        std::os::windows::fs::FileExt::seek_read(self, into, at)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl Source for Vec<u8> {
    fn read_at(&self, into: &mut [u8], at: u64) -> io::Result<usize> {
        let start = usize::try_from(at).unwrap_or(usize::MAX).min(self.len());
        let count = into.len().min(self.len() - start);
        into[..count].copy_from_slice(&self[start..start + count]);
        Ok(count)
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

/// As many bytes as there is room for, or an error.
pub fn read_exact_at(source: &dyn Source, into: &mut [u8], at: u64) -> io::Result<()> {
    let mut read = 0;
    while read < into.len() {
        match source.read_at(&mut into[read..], at + read as u64) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(count) => read += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A small buffer sliding over a source.
pub(crate) struct Window {
    source: Arc<dyn Source>,
    buffer: Box<[u8]>,
    start: usize,
    end: usize,
    /// Offset in the source of `buffer[end]`.
    next: u64,
    /// What comes behind this is not read: the file may grow, or be endless.
    size: u64,
}

impl Window {
    pub(crate) fn new(source: Arc<dyn Source>, at: u64, size: u64) -> Self {
        Self { source, buffer: vec![0; WINDOW].into(), start: 0, end: 0, next: at, size }
    }

    /// Offset of the next byte.
    pub(crate) fn position(&self) -> u64 {
        self.next - (self.end - self.start) as u64
    }

    pub(crate) fn seek(&mut self, at: u64) {
        (self.start, self.end, self.next) = (0, 0, at);
    }

    /// At least `count` bytes, fewer only before the end of the source.
    pub(crate) fn peek(&mut self, count: usize) -> io::Result<&[u8]> {
        if self.end - self.start < count {
            self.buffer.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        while self.end - self.start < count {
            let room = (self.buffer.len() - self.end) as u64;
            let wanted = room.min(self.size.saturating_sub(self.next)) as usize;
            match self.source.read_at(&mut self.buffer[self.end..self.end + wanted], self.next) {
                Ok(0) => break,
                Ok(read) => {
                    self.end += read;
                    self.next += read as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(&self.buffer[self.start..self.end])
    }

    pub(crate) fn consume(&mut self, count: usize) {
        self.start = (self.start + count).min(self.end);
    }

    /// Bytes to come.
    pub(crate) fn left(&self) -> u64 {
        self.size.saturating_sub(self.position())
    }

    /// Up to `count` bytes, copied out; the caller bounds `count`.
    pub(crate) fn take(&mut self, count: usize) -> io::Result<Vec<u8>> {
        let mut taken = Vec::new();
        while taken.len() < count {
            let bytes = self.peek(1)?;
            let wanted = bytes.len().min(count - taken.len());
            if wanted == 0 {
                break;
            }
            taken.extend_from_slice(&bytes[..wanted]);
            self.consume(wanted);
        }
        Ok(taken)
    }

    /// Moves to the next place, from here on, where one of the two marks stands. `false` at the end of the source.
    pub(crate) fn find_either(&mut self, marks: [&[u8]; 2]) -> io::Result<bool> {
        let width = marks[0].len().max(marks[1].len());
        loop {
            let bytes = self.peek(width)?;
            let last = bytes.len() < width;
            let searched = if last { bytes.len() } else { bytes.len() - (width - 1) };
            let hit = memchr::memchr2_iter(marks[0][0], marks[1][0], &bytes[..searched])
                .find(|&at| marks.iter().any(|mark| bytes[at..].starts_with(mark)));
            self.consume(hit.unwrap_or(searched));
            if hit.is_some() || last {
                return Ok(hit.is_some());
            }
        }
    }
}
