//! How is one record of a far-away file read? File, offset and length → the bytes of the record, asked for once.
//!
//! - [`Base`]: where the files are: a folder, or an address that answers `Range` requests. - [`Places`]: which record stands where.
//! - [`Remote`]: reads records: in parallel within a bound, again after a failure that passes, slower when the server says so.
//! - [`RemoteStats`]: what was asked.
//!
//! A record that was read stays in a temporary file, so that nobody asks for it twice. Names of files come from an index that others wrote:
//! they never lead out of the base. Runs on threads of its own, so that callers with and without a runtime can wait for it. Does not know what a
//! record means.

use super::ranges::{Asked, Ranges};
use crate::error::Error;
use pagekin_core::pages::Reason;
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::runtime::Runtime;
use url::Url;

/// Where the files of an index are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Base {
    Folder(PathBuf),
    /// Ends with `/`.
    Web(Url),
}

impl Base {
    /// An address, or a folder; none is the folder of the index.
    pub fn parse(text: Option<&str>, index: &Path) -> Result<Self, Error> {
        let Some(text) = text else { return Ok(Self::Folder(index.parent().unwrap_or(Path::new("")).to_owned())) };
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return Ok(Self::Folder(PathBuf::from(text)));
        }
        let folder = if text.ends_with('/') { text.to_owned() } else { format!("{text}/") };
        Url::parse(&folder)
            .map(Self::Web)
            .map_err(|error| Error::Base { base: text.to_owned(), reason: error.to_string() })
    }

    /// Is it the name of a file below the base? One that leads elsewhere is none.
    fn holds(name: &str) -> bool {
        let inside = |part: &str| !matches!(part, "" | "." | "..");
        !name.contains(['\\', '?', '#', ':', '%']) && name.split('/').all(inside)
    }
}

/// Where the records of an index stand, in the order of its rows.
#[derive(Debug, Default)]
pub struct Places {
    files: Vec<String>,
    numbers: FxHashMap<String, u32>,
    /// File, offset, length.
    records: Vec<(u32, u64, u32)>,
}

impl Places {
    /// `false` when the row names no record below the base.
    pub fn push(&mut self, file: &str, offset: u64, length: u64) -> bool {
        let Ok(length) = u32::try_from(length) else { return false };
        if !Base::holds(file) || length == 0 {
            return false;
        }
        let number = match self.numbers.get(file) {
            Some(number) => *number,
            None => {
                let number = self.files.len() as u32;
                self.files.push(file.to_owned());
                self.numbers.insert(file.to_owned(), number);
                number
            }
        };
        self.records.push((number, offset, length));
        true
    }

    pub fn files(&self) -> usize {
        self.files.len()
    }
}

/// What was asked of the files of an index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RemoteStats {
    /// Records that the index lists, and files they are in.
    pub records: u64,
    pub files: u64,
    /// Ranges read, and their bytes.
    pub ranges: u64,
    pub bytes: u64,
    /// Ranges asked for again, after the server was busy or the connection broke.
    pub retries: u64,
    /// Pages whose record says that the crawler cut them off.
    pub truncated: u64,
    /// Records that could not be read.
    pub unreadable: u64,
}

pub struct Remote {
    places: Places,
    ranges: Arc<Ranges>,
    kept: Mutex<Kept>,
    counted: Mutex<RemoteStats>,
    /// Given up when the archive is dropped.
    runtime: Option<Runtime>,
}

/// Records that were read, one after the other in a temporary file without a name.
struct Kept {
    file: File,
    end: u64,
    places: FxHashMap<u32, (u64, u32)>,
}

impl Remote {
    /// `at_once`: ranges under way at a time.
    pub fn new(base: Base, places: Places, at_once: usize) -> Result<Self, Error> {
        let spool = |source| Error::Spool {
            path: PathBuf::from("records"),
            source,
            hint: "set `TMPDIR` to a folder with room",
        };
        let threads = std::thread::available_parallelism().map_or(2, usize::from);
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build();
        let counted =
            RemoteStats { records: places.records.len() as u64, files: places.files() as u64, ..Default::default() };
        Ok(Self {
            places,
            ranges: Arc::new(Ranges::new(base, at_once)?),
            kept: Mutex::new(Kept { file: tempfile::tempfile().map_err(spool)?, end: 0, places: FxHashMap::default() }),
            counted: Mutex::new(counted),
            runtime: Some(runtime.map_err(spool)?),
        })
    }

    pub fn at_once(&self) -> usize {
        self.ranges.at_once()
    }

    pub fn stats(&self) -> RemoteStats {
        *self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn count(&self, change: impl FnOnce(&mut RemoteStats)) {
        change(&mut self.counted.lock().unwrap_or_else(PoisonError::into_inner));
    }

    /// The bytes of the record of an entry, of which more than `limit` are refused, and whether they were read for the first time.
    pub async fn record(&self, entry: u32, limit: u64) -> Result<(Vec<u8>, bool), (Reason, String)> {
        if let Some(bytes) = self.kept(entry) {
            return Ok((bytes, false));
        }
        let (file, offset, length) = self.places.records[entry as usize];
        if u64::from(length) > limit {
            return Err((Reason::TooLarge, format!("its record has {length} bytes, more than {limit}")));
        }
        let name = &self.places.files[file as usize];
        let asked = self.ranges.read(name, offset, length).await;
        let retries = asked.retries();
        self.count(|stats| {
            stats.ranges += 1;
            stats.retries += retries;
        });
        match asked {
            Asked::Read { bytes, .. } => {
                self.count(|stats| stats.bytes += bytes.len() as u64);
                // Without room on the disk it is asked for again the next time.
                let _ = self.keep(entry, &bytes);
                Ok((bytes, true))
            }
            Asked::Failed { reason, .. } => {
                self.count(|stats| stats.unreadable += 1);
                Err((Reason::Network, format!("cannot read `{name}` at {offset}: {reason}")))
            }
        }
    }

    fn kept(&self, entry: u32) -> Option<Vec<u8>> {
        let kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, length) = *kept.places.get(&entry)?;
        let mut bytes = vec![0; length as usize];
        crate::warc::source::read_exact_at(&kept.file, &mut bytes, at).ok()?;
        Some(bytes)
    }

    fn keep(&self, entry: u32, bytes: &[u8]) -> io::Result<()> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let at = kept.end;
        kept.file.write_all(bytes)?;
        kept.end += bytes.len() as u64;
        kept.places.insert(entry, (at, bytes.len() as u32));
        Ok(())
    }

    /// Runs on the threads of this archive; for callers that wait with or without a runtime of their own.
    pub fn spawn<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> futures::channel::oneshot::Receiver<T> {
        let (sender, receiver) = futures::channel::oneshot::channel();
        if let Some(runtime) = &self.runtime {
            runtime.spawn(async move {
                let _ = sender.send(work.await); // Nobody waits any more: nothing to do.
            });
        }
        receiver
    }

    /// As [`Self::spawn`], for callers that may block; none when this process ends.
    pub fn wait<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Option<T> {
        let (sender, receiver) = std::sync::mpsc::channel();
        self.runtime.as_ref()?.spawn(async move {
            let _ = sender.send(work.await); // The receiver waits until the end.
        });
        receiver.recv().ok()
    }
}

impl Drop for Remote {
    /// A runtime that is dropped waits for its threads, which is not allowed in a runtime.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_the_base() {
        for name in ["a.warc.gz", "crawl-data/CC-MAIN-2026/x.warc.gz"] {
            assert!(Base::holds(name), "{name}");
        }
        for name in ["", "/etc/passwd", "../x", "a/../../x", "http://h/x", "a?b", "a\\b", "%2e%2e/x"] {
            assert!(!Base::holds(name), "{name}");
        }
    }

    #[test]
    fn a_base_is_a_folder_or_an_address() {
        let index = Path::new("crawl/index.parquet");
        assert_eq!(Base::parse(None, index).unwrap(), Base::Folder("crawl".into()));
        assert_eq!(Base::parse(Some("/data"), index).unwrap(), Base::Folder("/data".into()));
        let web = Base::parse(Some("https://data.example.org/crawl"), index).unwrap();
        assert_eq!(web, Base::Web(Url::parse("https://data.example.org/crawl/").unwrap()));
        assert!(Base::parse(Some("http://"), index).is_err());
    }

    #[test]
    fn files_are_listed_once() {
        let mut places = Places::default();
        assert!(places.push("a", 0, 10) && places.push("b", 5, 10) && places.push("a", 10, 7));
        assert!(!places.push("../a", 0, 1) && !places.push("a", 0, 0) && !places.push("a", 0, 1 << 33));
        assert_eq!((places.files(), places.records.len()), (2, 3));
    }
}
