//! Which addresses does this file list? A list, a CDX or CDXJ index, or a WARC file of a crawl → addresses of pages.
//!
//! Indexes and archives hold everything a crawler met; only successful answers that are HTML count (thesis 4). A list counts
//! as it is. Any of them may be packed with gzip. What the file is, is seen from its content.
//!
//! - [`Listing`]: the addresses, in the order of the file, each once a line.
//!
//! Does not know what the addresses are for. Lines that hold no address are counted, not guarded.

use crate::archive::scan;
use crate::error::Error;
use crate::warc::head::Kind;
use crate::warc::http::{Answered, HTTP_HEAD};
use crate::warc::read::Reader;
use flate2::read::MultiGzDecoder;
use serde::Deserialize;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// Longest line looked at; a longer one is no address.
const LINE: usize = 1 << 16;

/// Addresses, one a line.
#[derive(Debug, Default, Clone)]
pub struct Listing {
    text: String,
    count: usize,
    /// Lines or records that were no address, no success or no HTML.
    pub left_out: usize,
}

impl Listing {
    /// `-` is stdin.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let cannot = |source| Error::OpenListing { path: path.to_owned(), source };
        if path.as_os_str() == "-" {
            return Self::of_reader(&mut io::stdin().lock()).map_err(cannot);
        }
        let mut start = Vec::new();
        File::open(path).and_then(|file| unpacked(file)?.take(5).read_to_end(&mut start)).map_err(cannot)?;
        if start == b"WARC/" {
            return Self::of_warc(path);
        }
        let file = File::open(path).map_err(cannot)?;
        Self::of_reader(&mut BufReader::new(unpacked(file).map_err(cannot)?)).map_err(cannot)
    }

    /// Of addresses at hand.
    pub fn of<'u>(urls: impl IntoIterator<Item = &'u str>) -> Self {
        let mut listing = Self::default();
        urls.into_iter().for_each(|url| listing.push(url));
        listing
    }

    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }

    pub fn extend(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.count += other.count;
        self.left_out += other.left_out;
    }

    fn push(&mut self, url: &str) {
        let web = url.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
        if web && url.contains("://") && !url.contains(char::is_whitespace) {
            self.text.push_str(url);
            self.text.push('\n');
            self.count += 1;
        } else {
            self.left_out += 1;
        }
    }

    fn of_reader<R: BufRead>(reader: &mut R) -> io::Result<Self> {
        let (mut listing, mut form, mut line) = (Self::default(), None, Vec::new());
        loop {
            line.clear();
            if reader.by_ref().take(LINE as u64).read_until(b'\n', &mut line)? == 0 {
                return Ok(listing);
            }
            let cut = line.len() == LINE && line.last() != Some(&b'\n');
            if cut {
                skip_line(reader)?;
            }
            match std::str::from_utf8(&line).map(|line| line.trim_end_matches(['\r', '\n'])) {
                Ok(text) if !cut => listing.line(text, &mut form),
                _ => listing.left_out += 1,
            }
        }
    }

    fn line(&mut self, line: &str, form: &mut Option<Form>) {
        if let Some(columns) = line.strip_prefix(" CDX ") {
            *form = Some(Form::of_header(columns));
            return;
        }
        if line.trim().is_empty() || line.starts_with(['#', '!']) {
            return;
        }
        let url = match form.get_or_insert_with(|| Form::of_line(line)) {
            Form::List => Some(line.trim().to_owned()),
            Form::Cdxj => cdxj(line),
            Form::Cdx { url, mime, status } => {
                let fields: Vec<&str> = line.split_ascii_whitespace().collect();
                let field = |at: &usize| fields.get(*at).copied().unwrap_or("");
                is_page(field(status), field(mime)).then(|| field(url).to_owned())
            }
        };
        match url {
            Some(url) => self.push(&url),
            None => self.left_out += 1,
        }
    }

    fn of_warc(path: &Path) -> Result<Self, Error> {
        let cannot = |source| Error::OpenArchive { path: path.to_owned(), source };
        let mut reader = Reader::new(scan::open(path)?).map_err(cannot)?;
        let mut listing = Self::default();
        while let Some(head) = reader.next_head().map_err(cannot)? {
            let Some(url) = head.url().filter(|_| !matches!(head.kind, Kind::Other | Kind::Drawn) && !head.segmented())
            else {
                continue;
            };
            match reader.block(HTTP_HEAD) {
                Ok(block) if is_answer(&head, &block) => listing.push(url.as_str()),
                Ok(_) => listing.left_out += 1,
                Err(trouble) => reader.give_up(trouble).map_err(cannot)?,
            }
        }
        Ok(listing)
    }
}

fn skip_line(reader: &mut impl BufRead) -> io::Result<()> {
    loop {
        let held = reader.fill_buf()?;
        let (used, done) = match memchr::memchr(b'\n', held) {
            Some(at) => (at + 1, true),
            None => (held.len(), held.is_empty()),
        };
        reader.consume(used);
        if done {
            return Ok(());
        }
    }
}

/// Undoes gzip, of as many members as there are.
fn unpacked(file: File) -> io::Result<Box<dyn Read>> {
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let packed = reader.fill_buf()?.starts_with(&[0x1f, 0x8b]);
    Ok(if packed { Box::new(MultiGzDecoder::new(reader)) } else { Box::new(reader) })
}

fn is_answer(head: &crate::warc::head::Head, block: &[u8]) -> bool {
    let answered = Answered::parse(head, block);
    answered.is_some_and(|answer| is_page(&answer.status.to_string(), answer.header("content-type").unwrap_or("")))
}

/// How lines are written. Columns are counted from 0.
enum Form {
    List,
    Cdxj,
    Cdx { url: usize, mime: usize, status: usize },
}

impl Form {
    /// `N b a m s k r M S V g`: letters for columns (the CDX file format of the Internet Archive).
    fn of_header(columns: &str) -> Self {
        let column = |letter: &str| columns.split_ascii_whitespace().position(|own| own == letter);
        let at = |letter: &str| column(letter).unwrap_or(usize::MAX);
        Self::Cdx { url: at("a"), mime: at("m"), status: at("s") }
    }

    /// Without a header: `urlkey date {json}`, or the eleven columns in their usual order, or a list.
    fn of_line(line: &str) -> Self {
        let mut fields = line.split_ascii_whitespace();
        let (second, third) = (fields.nth(1).unwrap_or(""), fields.next().unwrap_or(""));
        let date = second.len() >= 8 && second.bytes().all(|b| b.is_ascii_digit());
        match (date, third.starts_with('{')) {
            (true, true) => Self::Cdxj,
            (true, false) => Self::of_header("N b a m s k r M S V g"),
            _ => Self::List,
        }
    }
}

#[derive(Deserialize)]
struct Row {
    url: String,
    #[serde(default)]
    status: serde_json::Value,
    #[serde(default, alias = "mime-detected")]
    mime: String,
}

fn cdxj(line: &str) -> Option<String> {
    let row: Row = serde_json::from_str(&line[line.find('{')?..]).ok()?;
    let status = row.status.as_str().map_or_else(|| row.status.to_string(), str::to_owned);
    is_page(&status, &row.mime).then_some(row.url)
}

fn is_page(status: &str, mime: &str) -> bool {
    let mime = mime.split(';').next().unwrap_or("").trim();
    status.starts_with('2') && status.len() == 3 && ["text/html", "application/xhtml+xml"].contains(&mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<String> {
        let listing = Listing::of_reader(&mut text.as_bytes()).unwrap();
        assert_eq!(listing.len(), listing.urls().count());
        listing.urls().map(str::to_owned).collect()
    }

    #[test]
    fn lists_and_indexes_are_told_apart() {
        assert_eq!(of("# mine\nhttp://s/1\r\n\nmailto:x\nhttp://s/2"), ["http://s/1", "http://s/2"]);
        let cdxj = "org,s)/1 20150701000000 {\"url\":\"http://s.org/1\",\"status\":\"200\",\"mime\":\"text/html\"}\n\
                    org,s)/2 20150701000000 {\"url\":\"http://s.org/2\",\"status\":404,\"mime\":\"text/html\"}\n";
        assert_eq!(of(cdxj), ["http://s.org/1"]);
        let cdx = " CDX N b a m s k r M S V g\n\
                   org,s)/1 20150701000000 http://s.org/1 text/html 200 X - - 5 7 f.warc.gz\n\
                   org,s)/2 20150701000000 http://s.org/2.png image/png 200 X - - 5 7 f.warc.gz\n";
        assert_eq!(of(cdx), ["http://s.org/1"]);
        assert_eq!(of(&cdx[cdx.find('\n').unwrap() + 1..]), ["http://s.org/1"]);
    }

    #[test]
    fn endless_lines_are_left_out() {
        let text = format!("http://s/{}\nhttp://s/1\n", "x".repeat(3 * LINE));
        let listing = Listing::of_reader(&mut text.as_bytes()).unwrap();
        assert_eq!((listing.len(), listing.left_out), (1, 1));
    }
}
