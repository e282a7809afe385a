//! How are answers kept so that every tool can read them? Exchanges → WARC 1.1 file.
//!
//! - [`WarcWriter`]: a file being written. - [`Written`]: where a record of it stands.
//! - [`Form`]: plain, gzip or zstd, by the ending of the file's name.
//!
//! One gzip member or zstd frame per record, the file's own description first. A payload already in the file is
//! written as a revisit of the first. Each record reaches the file in one write, so a killed process leaves at most
//! the last record incomplete; [`WarcWriter::append`] removes such a rest and goes on behind it. The same exchanges
//! give the same records. Does not know which answers are worth keeping.

use super::digest::Digest;
use super::head::{ENGINE, Kind};
use super::read::Reader;
use super::source::Source;
use crate::error::Error;
use crate::exchange::{Drawn, Exchange};
use flate2::{Compression, write::GzEncoder};
use jiff::Timestamp;
use rustc_hash::FxHashMap;
use std::fmt::Write as _;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use url::Url;
use uuid::Uuid;

const SOFTWARE: &str = concat!("pagekin/", env!("CARGO_PKG_VERSION"));
const IDENTICAL: &str = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest";
const NOT_MODIFIED: &str = "http://netpreserve.org/warc/1.1/revisit/server-not-modified";

/// How a file is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Not at all: `.warc`.
    Plain,
    /// A gzip member for each record: `.warc.gz`.
    Gzip,
    /// A zstd frame for each record: `.warc.zst`.
    Zstd,
}

impl Form {
    /// By the ending: `.warc`, `.warc.gz`, `.warc.zst`.
    pub fn of(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.to_ascii_lowercase();
        [(".warc", Self::Plain), (".warc.gz", Self::Gzip), (".warc.zst", Self::Zstd)]
            .into_iter()
            .find(|(ending, _)| name.ends_with(ending))
            .map(|(_, form)| form)
    }

    /// One record, packed by itself.
    pub fn pack(self, record: Vec<u8>) -> io::Result<Vec<u8>> {
        match self {
            Self::Plain => Ok(record),
            Self::Gzip => {
                let mut packed = GzEncoder::new(Vec::with_capacity(record.len() / 3), Compression::default());
                packed.write_all(&record)?;
                packed.finish()
            }
            Self::Zstd => zstd::bulk::compress(&record, 3),
        }
    }
}

/// A WARC file being written; many threads may write to it.
///
/// ```
/// use pagekin_warc::{Exchange, Reader, WarcWriter, http};
/// use std::{fs::File, sync::Arc};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("crawl.warc.gz");
/// let answer = Exchange {
///     url: "https://example.org/".parse()?,
///     status: 200,
///     headers: vec![("Content-Type".to_owned(), "text/html".to_owned())],
///     body: "<p>Hello".into(),
///     at: "2026-01-31T10:00:00Z".parse()?,
///     address: None,
/// };
/// WarcWriter::create(&path)?.write(&answer, false)?;
///
/// let mut reader = Reader::new(Arc::new(File::open(&path)?))?;
/// reader.next_head()?; // The file's description of itself.
/// let head = reader.next_head()?.expect("a record");
/// let block = reader.block(1 << 20)?;
/// assert_eq!(http::exchange(&head, block), Some(answer));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WarcWriter {
    path: PathBuf,
    form: Form,
    state: Mutex<State>,
}

struct State {
    file: File,
    /// The end of the last whole record.
    end: u64,
    /// Payloads in the file, by digest: where each was first seen.
    seen: FxHashMap<Digest, (Url, Timestamp)>,
}

impl WarcWriter {
    /// A new file. One that is there already is not touched.
    pub fn create(path: &Path) -> Result<Self, Error> {
        let form = form_of(path)?;
        let opened = OpenOptions::new().read(true).write(true).create_new(true).open(path);
        let file = opened.map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => Error::Exists { path: path.to_owned() },
            _ => cannot_write(path, source),
        })?;
        let writer = Self::around(path, form, State { file, end: 0, seen: FxHashMap::default() });
        writer.describe().map_err(|source| cannot_write(path, source))?;
        Ok(writer)
    }

    /// Goes on behind the last whole record of a file, or starts it.
    pub fn append(path: &Path) -> Result<Self, Error> {
        let form = form_of(path)?;
        let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|source| cannot_write(path, source))?;
        let state = State::continued(file).map_err(|source| cannot_write(path, source))?;
        let state = state.ok_or_else(|| Error::NotContinuable { path: path.to_owned() })?;
        let empty = state.end == 0;
        let writer = Self::around(path, form, state);
        if empty {
            writer.describe().map_err(|source| cannot_write(path, source))?;
        }
        Ok(writer)
    }

    fn around(path: &Path, form: Form, state: State) -> Self {
        Self { path: path.to_owned(), form, state: Mutex::new(state) }
    }

    fn describe(&self) -> io::Result<()> {
        let block = format!(
            "software: {SOFTWARE}\r\nformat: WARC File Format 1.1\r\n\
             conformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n"
        );
        let date = Timestamp::now();
        let name = self.path.file_name().unwrap_or_default().to_string_lossy().replace(['\r', '\n'], " ");
        let mut lines = Lines::new("warcinfo", date, &record_id(&["warcinfo", &name, &date.to_string()]));
        lines.field("WARC-Filename", &name);
        lines.field("Content-Type", "application/warc-fields");
        let record = lines.record(block.as_bytes(), &[]);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).write(&self.form.pack(record)?)
    }
}

/// Where a record stands, and what it holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Offset of the record in the file.
    pub position: u64,
    /// Of the body as sent, as the record has it: `sha1:…`.
    pub digest: String,
}

impl WarcWriter {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes an answer and says where. `revisit`: the server said that nothing changed, and `exchange` carries the earlier body.
    pub fn write(&self, exchange: &Exchange, revisit: bool) -> io::Result<Written> {
        let payload = Digest::of(&[&exchange.body]);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let first = state.seen.get(&payload).filter(|_| !exchange.body.is_empty());
        let record = match first {
            Some((url, date)) => revisit_record(exchange, payload, (url, *date), revisit),
            // Even when the server said that nothing changed, a file without the earlier body would not stand alone.
            None => response_record(exchange, payload),
        };
        let is_first = first.is_none() && !exchange.body.is_empty();
        let position = state.end;
        state.write(&self.form.pack(record)?)?;
        if is_first {
            state.seen.insert(payload, (exchange.url.clone(), exchange.at));
        }
        Ok(Written { position, digest: payload.field() })
    }

    /// What a browser made of an answer that was written before, as a record that refers to it.
    pub fn write_drawn(&self, exchange: &Exchange, drawn: &Drawn) -> io::Result<Written> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let payload = Digest::of(&[&exchange.body]);
        let first = state.seen.get(&payload).is_none_or(|(url, at)| (url, *at) == (&exchange.url, exchange.at));
        let original = exchange_id(if first { "response" } else { "revisit" }, exchange, payload);
        let digest = Digest::of(&[&drawn.html]);
        let position = state.end;
        state.write(&self.form.pack(drawn_record(exchange, drawn, digest, &original))?)?;
        Ok(Written { position, digest: digest.field() })
    }
}

impl State {
    /// In one go; when the disk is full, what was written of the record is taken back.
    fn write(&mut self, record: &[u8]) -> io::Result<()> {
        let written = self.file.write_all(record);
        match written {
            Ok(()) => self.end += record.len() as u64,
            // What went wrong first is what is told; a rest that cannot be removed is removed by `append`.
            Err(_) => drop(self.cut()),
        }
        written
    }

    fn cut(&mut self) -> io::Result<()> {
        if self.file.metadata()?.len() > self.end {
            self.file.set_len(self.end)?;
        }
        self.file.seek(io::SeekFrom::Start(self.end)).map(drop)
    }

    /// Reads what is there, removes a record that was cut off; `None` when this is no file to write behind.
    fn continued(file: File) -> io::Result<Option<Self>> {
        let size = file.metadata()?.len();
        let source: Arc<dyn Source> = Arc::new(file.try_clone()?);
        let mut reader = Reader::new(source.clone())?;
        let (mut seen, mut end) = (FxHashMap::default(), Some(0));
        while let Some(head) = reader.next_head()? {
            if !reader.finish()? {
                continue;
            }
            match reader.boundary() {
                Some(at) if reader.packed() || is_closed(source.as_ref(), at) => end = Some(at),
                None => end = None,
                Some(_) => {}
            }
            if head.kind == Kind::Response
                && let (Some(url), Some(date), Some(payload)) =
                    (head.url(), head.date(), head.field("warc-payload-digest"))
            {
                seen.entry(Digest::parse(payload)).or_insert((url, date));
            }
        }
        let Some(end) = end.filter(|&end| end > 0 || size == 0) else { return Ok(None) };
        let mut state = Self { file, end, seen };
        state.cut()?;
        Ok(Some(state))
    }
}

/// Does the plain record that ends here have its two line ends?
fn is_closed(source: &dyn Source, at: u64) -> bool {
    let mut tail = [0; 4];
    at >= 4 && source.read_at(&mut tail, at - 4).is_ok() && &tail == b"\r\n\r\n"
}

fn form_of(path: &Path) -> Result<Form, Error> {
    Form::of(path).ok_or_else(|| Error::Name { path: path.to_owned() })
}

fn cannot_write(path: &Path, source: io::Error) -> Error {
    Error::Write { path: path.to_owned(), source }
}

fn response_record(exchange: &Exchange, payload: Digest) -> Vec<u8> {
    let mut lines = exchange_lines("response", exchange, payload);
    lines.field("Content-Type", "application/http; msgtype=response");
    lines.record(http_head(exchange).as_bytes(), &exchange.body)
}

/// The answer's own head and a pointer to the body in an earlier record.
fn revisit_record(exchange: &Exchange, payload: Digest, first: (&Url, Timestamp), not_modified: bool) -> Vec<u8> {
    let mut lines = exchange_lines("revisit", exchange, payload);
    lines.field("WARC-Profile", if not_modified { NOT_MODIFIED } else { IDENTICAL });
    lines.field("WARC-Refers-To-Target-URI", first.0.as_str());
    lines.field("WARC-Refers-To-Date", &first.1.to_string());
    lines.field("Content-Type", "application/http; msgtype=response");
    lines.record(http_head(exchange).as_bytes(), &[])
}

/// The document that scripts made, named after the answer it was made of.
fn drawn_record(exchange: &Exchange, drawn: &Drawn, digest: Digest, original: &str) -> Vec<u8> {
    let id = record_id(&["conversion", exchange.url.as_str(), &drawn.at.to_string(), &digest.field()]);
    let line = |text: &str| text.replace(['\r', '\n'], " ");
    let mut lines = Lines::new("conversion", drawn.at, &id);
    lines.field("WARC-Target-URI", exchange.url.as_str());
    lines.field("WARC-Refers-To", original);
    lines.field("WARC-Payload-Digest", &digest.field());
    lines.field(ENGINE, &line(&drawn.engine));
    lines.field("Pagekin-Render-Reason", &line(&drawn.reason));
    lines.field("Content-Type", "text/html; charset=utf-8");
    lines.record(&drawn.html, &[])
}

fn exchange_id(kind: &str, exchange: &Exchange, payload: Digest) -> String {
    record_id(&[kind, exchange.url.as_str(), &exchange.at.to_string(), &payload.field()])
}

fn exchange_lines(kind: &str, exchange: &Exchange, payload: Digest) -> Lines {
    let mut lines = Lines::new(kind, exchange.at, &exchange_id(kind, exchange, payload));
    lines.field("WARC-Target-URI", exchange.url.as_str());
    if let Some(address) = exchange.address {
        lines.field("WARC-IP-Address", &address.to_string());
    }
    lines.field("WARC-Payload-Digest", &payload.field());
    lines
}

/// Named after what is recorded, so that the same run gives the same file.
fn record_id(parts: &[&str]) -> String {
    format!("<urn:uuid:{}>", Uuid::new_v5(&Uuid::NAMESPACE_URL, parts.join("\n").as_bytes()))
}

/// The head of the answer. Its chunks are gone, so it says nothing of them; its length is that of the body kept.
fn http_head(exchange: &Exchange) -> String {
    let mut head = format!("HTTP/1.1 {} {}\r\n", exchange.status, reason(exchange.status));
    for (name, value) in &exchange.headers {
        let length = exchange.body.len().to_string();
        let value = if name.eq_ignore_ascii_case("content-length") { &length } else { value };
        if !name.eq_ignore_ascii_case("transfer-encoding") {
            let _ = write!(head, "{name}: {}\r\n", value.replace(['\r', '\n'], " "));
        }
    }
    head.push_str("\r\n");
    head
}

fn reason(status: u16) -> &'static str {
    http::StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Unknown")
}

/// The lines of a record under way.
struct Lines(String);

impl Lines {
    fn new(kind: &str, date: Timestamp, id: &str) -> Self {
        Self(format!("WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: {id}\r\nWARC-Date: {date}\r\n"))
    }

    fn field(&mut self, name: &str, value: &str) {
        let _ = write!(self.0, "{name}: {value}\r\n");
    }

    /// The whole record; its block in two parts.
    fn record(mut self, head: &[u8], body: &[u8]) -> Vec<u8> {
        self.field("WARC-Block-Digest", &Digest::of(&[head, body]).field());
        self.field("Content-Length", &(head.len() + body.len()).to_string());
        [self.0.as_bytes(), b"\r\n", head, body, b"\r\n\r\n"].concat()
    }
}
