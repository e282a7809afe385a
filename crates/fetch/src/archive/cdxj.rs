//! What was found in this file the last time? A listing ↔ `<file>.cdxj` beside the archive.
//!
//! CDXJ is what web archives keep as index: one line a record, sorted by address, `urlkey date {json}`. The first
//! line says of which file (size, time of change) it is; an index of another state is made again, an index that
//! another tool made is left alone. Files of which parts are read from a temporary copy get none.

use super::index::{Entry, Listing};
use super::revisit::Referral;
use super::scan::{self, Scanned, Store};
use crate::error::Error;
use crate::warc::digest::Digest;
use crate::warc::head::Kind;
use crate::warc::read::{Damage, Reader};
use jiff::Timestamp;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use url::Url;

/// The first line starts with this; lines with `!` are comments to other tools.
const MARK: &str = "!pagekin-cdxj-1 ";
/// No line of ours is longer; an address has at most 128 KiB.
const LINE: u64 = 1 << 20;

/// Which state of the archive the index describes.
#[derive(Debug, Serialize, Deserialize, PartialEq, Eq)]
struct State {
    size: u64,
    modified: String,
}

#[derive(Serialize, Deserialize)]
struct Line<'a> {
    #[serde(borrow)]
    url: Cow<'a, str>,
    mime: &'a str,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
    offset: String,
    #[serde(borrow)]
    filename: Cow<'a, str>,
    /// From here on: what other tools do not need.
    microseconds: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    within: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    drawn: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refers_to: Option<(String, Option<i64>)>,
}

const HTML: &str = "text/html";
const OTHER: &str = "unk";
const REVISIT: &str = "warc/revisit";

/// From the index when there is one of the file as it is; else from the file, and the index is written.
pub fn scan_or_load(path: &Path) -> Result<Scanned, Error> {
    let beside = beside(path);
    let cannot = |source| Error::OpenArchive { path: path.to_owned(), source };
    let state = state(path).map_err(cannot)?;
    if let Some(listing) = load(&beside, &state) {
        let source = scan::open(path)?;
        let mut reader = Reader::new(source.clone()).map_err(cannot)?;
        reader.next_head().map_err(cannot)?; // Meets the dictionary of a zstd file.
        let store = Store { path: path.to_owned(), source, dictionary: reader.dictionary() };
        return Ok(Scanned { listing, damage: Damage::default(), store, copy: None });
    }
    let scanned = scan::scan(path)?;
    if scanned.copy.is_some() || scanned.damage.any() || is_foreign(&beside) {
        tracing::warn!("no index kept for `{}`: compressed as a whole, damaged, or it has another's", path.display());
    } else {
        let written = save(&beside, &state, &scanned.listing, path);
        written.map_err(|source| pagekin_warc::Error::Write { path: beside.clone(), source })?;
    }
    Ok(scanned)
}

fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".cdxj");
    name.into()
}

fn state(path: &Path) -> io::Result<State> {
    let about = fs::metadata(path)?;
    let modified = Timestamp::try_from(about.modified()?).map_err(io::Error::other)?;
    Ok(State { size: about.len(), modified: modified.to_string() })
}

fn is_foreign(beside: &Path) -> bool {
    let Ok(file) = File::open(beside) else { return false };
    !matches!(first_line(&mut BufReader::new(file)), Some(line) if line.starts_with(MARK))
}

fn first_line(reader: &mut impl BufRead) -> Option<String> {
    let mut line = String::new();
    io::Read::take(reader, LINE).read_line(&mut line).ok()?;
    Some(line)
}

/// The listing in file order; `None` when there is none, or not of this state, or not readable.
fn load(beside: &Path, state: &State) -> Option<Listing> {
    let mut reader = BufReader::new(File::open(beside).ok()?);
    let first = first_line(&mut reader)?;
    let said: State = serde_json::from_str(first.strip_prefix(MARK)?).ok()?;
    if said != *state {
        return None;
    }
    let mut found: Vec<(String, Entry, Option<Referral>)> = Vec::new();
    loop {
        let line = first_line(&mut reader)?;
        if line.is_empty() {
            break;
        }
        found.push(parse(line.trim_end())?);
    }
    found.sort_by_key(|(_, entry, _)| (entry.member, entry.within));
    let mut listing = Listing::default();
    for (url, entry, referral) in found {
        let at = listing.entries.len() as u32;
        listing.referrals.extend(referral.map(|referral| Referral { entry: at, ..referral }));
        listing.push(&url, entry);
    }
    Some(listing)
}

fn parse(line: &str) -> Option<(String, Entry, Option<Referral>)> {
    let line: Line = serde_json::from_str(line.splitn(3, ' ').nth(2)?).ok()?;
    let kind = match (line.mime, line.resource, line.drawn) {
        (REVISIT, _, _) => Kind::Revisit,
        (_, _, Some(true)) => Kind::Drawn,
        (_, Some(true), _) => Kind::Resource,
        _ => Kind::Response,
    };
    let entry = Entry {
        member: line.offset.parse().ok()?,
        url: 0,
        date: line.microseconds,
        within: line.within.unwrap_or(0),
        digest: line.digest.map_or(Digest::default(), |digest| Digest::parse(&digest)),
        status: line.status.parse().unwrap_or(0),
        file: 0,
        kind,
        html: line.mime == HTML,
    };
    let referral = (kind == Kind::Revisit).then(|| {
        let (url, date) = line.refers_to.unwrap_or_default();
        Referral { entry: 0, url, date }
    });
    Some((line.url.into_owned(), entry, referral))
}

/// Written under another name first, so that a reader never sees half an index.
fn save(beside: &Path, state: &State, listing: &Listing, path: &Path) -> io::Result<()> {
    let unfinished = beside.with_extension(format!("cdxj.{}", std::process::id()));
    let mut out = BufWriter::new(File::create(&unfinished)?);
    writeln!(out, "{MARK}{}", serde_json::to_string(state)?)?;
    let filename = path.file_name().unwrap_or_default().to_string_lossy();
    let referrals: FxHashMap<u32, &Referral> =
        listing.referrals.iter().map(|referral| (referral.entry, referral)).collect();
    for (key, at) in sorted(listing) {
        let entry = &listing.entries[at as usize];
        let line = line(entry, listing.url(at as usize), &filename, referrals.get(&at).copied());
        writeln!(out, "{key} {} {}", digits(entry.date), serde_json::to_string(&line)?)?;
    }
    out.flush()?;
    fs::rename(&unfinished, beside)
}

fn sorted(listing: &Listing) -> Vec<(String, u32)> {
    let mut keys: Vec<(String, u32)> =
        (0..listing.entries.len() as u32).map(|at| (url_key(listing.url(at as usize)), at)).collect();
    keys.sort_unstable_by(|a, b| {
        let date = |at: u32| listing.entries[at as usize].date;
        a.0.cmp(&b.0).then_with(|| (date(a.1), a.1).cmp(&(date(b.1), b.1)))
    });
    keys
}

fn line<'a>(entry: &Entry, url: &'a str, filename: &'a str, referral: Option<&Referral>) -> Line<'a> {
    Line {
        url: url.into(),
        mime: match entry.kind {
            Kind::Revisit => REVISIT,
            _ if entry.html => HTML,
            _ => OTHER,
        },
        status: entry.status.to_string(),
        digest: (entry.digest != Digest::default()).then(|| entry.digest.field()),
        offset: entry.member.to_string(),
        filename: filename.into(),
        microseconds: entry.date,
        within: (entry.within > 0).then_some(entry.within),
        resource: (entry.kind == Kind::Resource).then_some(true),
        drawn: (entry.kind == Kind::Drawn).then_some(true),
        refers_to: referral.map(|referral| (referral.url.clone(), referral.date)),
    }
}

/// `https://www.example.org/a?b` → `org,example)/a?b`, the key web archives sort by.
fn url_key(url: &str) -> String {
    let Ok(url) = Url::parse(url) else { return url.replace(' ', "%20") };
    let host = url.host_str().unwrap_or("");
    let host = host.strip_prefix("www.").unwrap_or(host);
    let joined = match url.host() {
        Some(url::Host::Domain(_)) => host.split('.').rev().collect::<Vec<_>>().join(","),
        _ => host.to_owned(),
    };
    let port = url.port().map_or(String::new(), |port| format!(":{port}"));
    let query = url.query().map_or(String::new(), |query| format!("?{query}"));
    format!("{joined}{port}){}{query}", url.path()).to_lowercase()
}

/// `20200131100000`
fn digits(microseconds: i64) -> String {
    let date = Timestamp::from_microsecond(microseconds).unwrap_or(Timestamp::UNIX_EPOCH);
    date.strftime("%Y%m%d%H%M%S").to_string()
}
