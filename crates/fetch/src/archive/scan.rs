//! Which answers does this file hold, and where? One walk through a file → its [`Listing`].
//!
//! - [`Store`]: a file whose records can be read by place: an archive, or the temporary copy of one.
//! - [`Scanned`]: the listing, the damage met, and the stores to read from.
//!
//! Records that stand deep inside a compressed piece (a file compressed as a whole) cannot be reached without
//! unpacking everything before them; they are copied once to a temporary file, one zstd frame each. Does not know
//! which record is wanted.

use super::index::{Entry, Listing};
use super::revisit::Referral;
use crate::error::Error;
use crate::sniff;
use crate::warc::digest::Digest;
use crate::warc::head::{Head, Kind};
use crate::warc::http::{Answered, HTTP_HEAD};
use crate::warc::members::{Place, Trouble};
use crate::warc::read::{Damage, Reader};
use crate::warc::source::Source;
use crate::warc::write::Form;
use jiff::Timestamp;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How far into a piece a record may start without being copied. 1 MiB of a real site took zlib
/// about 3 ms to unpack (busy machine, 2 cores).
const DEEP: u64 = 1 << 20;
/// Blocks above this are no pages; they are listed but not copied.
const COPIED: u64 = 64 << 20;

/// Stands for "too deep" in an entry: a record too large to be copied or to be a page.
pub const UNREACHABLE: u32 = u32::MAX;

#[derive(Clone)]
pub struct Store {
    pub path: PathBuf,
    pub source: Arc<dyn Source>,
    pub dictionary: Option<Arc<[u8]>>,
}

pub struct Scanned {
    pub listing: Listing,
    pub damage: Damage,
    pub store: Store,
    /// Entries with `file` 1 are in here, the others in the store itself.
    pub copy: Option<Store>,
}

pub fn scan(path: &Path) -> Result<Scanned, Error> {
    let cannot = |source| Error::OpenArchive { path: path.to_owned(), source };
    let source = open(path)?;
    let mut scan =
        Scan { reader: Reader::new(source.clone()).map_err(cannot)?, listing: Listing::default(), copy: None };
    let mut records = 0_usize;
    while let Some(head) = scan.reader.next_head().map_err(cannot)? {
        records += 1;
        scan.record(&head).map_err(|trouble| trouble.at(path))?;
    }
    let damage = scan.reader.damage().clone();
    if records == 0 && source.size().map_err(cannot)? > 0 {
        return Err(Error::NotAnArchive { path: path.to_owned(), what: "it has no record", advice: "" });
    }
    let store = Store { path: path.to_owned(), source, dictionary: scan.reader.dictionary() };
    let copy = scan.copy.map(|copy| copy.store(path));
    Ok(Scanned { listing: scan.listing, damage, store, copy })
}

/// The file, when it may be an archive.
pub fn open(path: &Path) -> Result<Arc<dyn Source>, Error> {
    let cannot = |source| Error::OpenArchive { path: path.to_owned(), source };
    let not = |what, advice| Error::NotAnArchive { path: path.to_owned(), what, advice };
    let file = File::open(path).map_err(cannot)?;
    let about = file.metadata().map_err(cannot)?;
    if about.is_dir() {
        return Err(not("it is a folder", ", as many as there are in it"));
    }
    if !about.is_file() {
        return Err(not("it is no regular file", "; write a stream to a file first"));
    }
    let mut start = [0; 4];
    let read = Source::read_at(&file, &mut start, 0).map_err(cannot)?;
    if start[..read] == *b"PK\x03\x04" {
        return Err(not("it is a zip file", "; unpack a WACZ file with `unzip` and give its `archive/*.warc.gz`"));
    }
    Ok(Arc::new(file))
}

/// Reading the archive and writing the copy fail for different reasons, with different advice.
enum Failure {
    Read(io::Error),
    Copy(io::Error),
}

impl Failure {
    fn at(self, path: &Path) -> Error {
        match self {
            Self::Read(source) => Error::OpenArchive { path: path.to_owned(), source },
            Self::Copy(source) => Error::Spool {
                path: path.to_owned(),
                source,
                hint: "it is compressed as a whole; set `TMPDIR` to a folder with room for it, or compress it record \
                       by record with `warcio recompress`",
            },
        }
    }
}

struct Scan {
    reader: Reader,
    listing: Listing,
    copy: Option<Copy>,
}

impl Scan {
    /// Lists one record when it is an answer and whole.
    fn record(&mut self, head: &Head) -> Result<(), Failure> {
        let Some(url) = head.url().filter(|_| head.kind != Kind::Other && !head.segmented()) else { return Ok(()) };
        let deep = head.place.within > DEEP;
        let wanted = if deep && head.length <= COPIED { head.length as usize } else { HTTP_HEAD };
        let block = match self.reader.block(wanted) {
            Ok(block) => block,
            Err(trouble) => return self.reader.give_up(trouble).map_err(Failure::Read),
        };
        if !self.reader.finish().map_err(Failure::Read)? {
            return Ok(());
        }
        let Some(mut entry) = describe(head, &block) else { return Ok(()) };
        if deep && head.length > COPIED {
            entry.within = UNREACHABLE;
        } else if deep {
            let place = self.copied(head, &block).map_err(Failure::Copy)?;
            (entry.file, entry.member, entry.within) = (1, place.member, place.within as u32);
        }
        if head.kind == Kind::Revisit {
            self.listing.referrals.push(referral(head, self.listing.entries.len() as u32));
        }
        self.listing.push(url.as_str(), entry);
        Ok(())
    }

    fn copied(&mut self, head: &Head, block: &[u8]) -> io::Result<Place> {
        if self.copy.is_none() {
            tracing::info!("compressed as a whole: its records are copied to a temporary file");
            self.copy = Some(Copy { file: tempfile::tempfile()?, end: 0 });
        }
        let copy = self.copy.as_mut().expect("made above");
        copy.push(head, block)
    }
}

fn describe(head: &Head, block: &[u8]) -> Option<Entry> {
    let answered = Answered::parse(head, block);
    if answered.is_none() && head.kind != Kind::Revisit {
        return None;
    }
    let date = head.date().unwrap_or(Timestamp::UNIX_EPOCH).as_microsecond();
    let html = answered.as_ref().is_some_and(|answered| is_html(answered, &block[answered.length..]));
    Some(Entry {
        member: head.place.member,
        url: 0,
        date,
        within: head.place.within as u32,
        digest: digest(head),
        status: answered.map_or(0, |answered| answered.status),
        file: 0,
        kind: head.kind,
        html,
    })
}

/// As the header says; where it is missing or generic, as the first bytes say, and where those are encoded: perhaps.
pub fn is_html(answered: &Answered, start: &[u8]) -> bool {
    let content_type = answered.header("content-type");
    let essence = content_type.and_then(|value| value.split(';').next()).unwrap_or("").trim();
    let said = ["text/html", "application/xhtml+xml"].iter().any(|html| essence.eq_ignore_ascii_case(html));
    let unsaid = sniff::by_header(content_type).is_none();
    said || unsaid && (sniff::is_markup(start) || answered.header("content-encoding").is_some())
}

/// What the record says of its payload. "Not modified" has none, and some tools give the digest of nothing.
fn digest(head: &Head) -> Digest {
    let said = head.field("warc-payload-digest").map_or(Digest::default(), Digest::parse);
    let not_modified = head.field("warc-profile").is_some_and(|profile| profile.contains("server-not-modified"));
    if not_modified && said == Digest::of(&[]) { Digest::default() } else { said }
}

fn referral(head: &Head, entry: u32) -> Referral {
    Referral {
        entry,
        url: head.refers_to().map_or(String::new(), String::from),
        date: head.refers_to_date().map(|date| date.as_microsecond()),
    }
}

/// A temporary file without a name: it is gone when the process is.
struct Copy {
    file: File,
    end: u64,
}

impl Copy {
    fn push(&mut self, head: &Head, block: &[u8]) -> io::Result<Place> {
        let place = Place { member: self.end, within: 0 };
        let frame = Form::Zstd.pack(head.record(block))?;
        self.file.write_all(&frame)?;
        self.end += frame.len() as u64;
        Ok(place)
    }

    fn store(self, of: &Path) -> Store {
        Store { path: of.to_owned(), source: Arc::new(self.file), dictionary: None }
    }
}

/// The record at a place, which must be whole and have at most `limit` bytes.
pub fn read(store: &Store, place: Place, limit: u64) -> Result<(Head, Vec<u8>), Unread> {
    let mut reader = Reader::at(store.source.clone(), store.dictionary.clone(), place)?;
    let head = reader.head_here()?.ok_or(Trouble::Truncated)?;
    if head.length > limit {
        return Err(Unread::TooLarge(head.length));
    }
    let block = reader.block(head.length as usize)?;
    reader.close()?;
    Ok((head, block))
}

pub enum Unread {
    TooLarge(u64),
    Broken(Trouble),
}

impl From<Trouble> for Unread {
    fn from(trouble: Trouble) -> Self {
        Self::Broken(trouble)
    }
}
