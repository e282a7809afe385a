//! Where do pages stand that were drawn before? Address → its layout, kept in a folder, so that an evaluation draws each page of an archive once.
//!
//! - [`KeptLayouts`]: the folder, a file for each page, named by the hash of its address.
//!
//! What cannot be read is drawn again. Layouts of a live site are not kept: it changes.

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use pagekin_core::page::address::key;
use pagekin_core::page::layout::Layout;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufReader, Write};
use std::path::PathBuf;
use url::Url;
use xxhash_rust::xxh3::xxh3_128;

/// Layouts of pages, in a folder.
#[derive(Debug, Clone)]
pub struct KeptLayouts {
    folder: PathBuf,
}

/// What a file holds. The address guards against two of one hash.
#[derive(Serialize, Deserialize)]
struct Kept<'l> {
    key: String,
    layout: Cow<'l, Layout>,
}

impl KeptLayouts {
    /// The folder is made when the first layout is kept.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:032x}.json.gz", xxh3_128(key.as_bytes())))
    }

    /// Of this page; none where it was not drawn yet, or cannot be read.
    pub fn get(&self, url: &Url) -> Option<Layout> {
        let key = key(url);
        let file = File::open(self.file(&key)).ok()?;
        let kept: Kept = serde_json::from_reader(BufReader::new(GzDecoder::new(BufReader::new(file)))).ok()?;
        (kept.key == key).then(|| kept.layout.into_owned())
    }

    /// Under its name it is whole: somebody else may draw the same page.
    pub fn put(&self, url: &Url, layout: &Layout) -> io::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let key = key(url);
        let path = self.file(&key);
        let part = path.with_extension(format!("{}-{:?}", std::process::id(), std::thread::current().id()));
        let mut file = GzEncoder::new(Vec::new(), Compression::fast());
        serde_json::to_writer(&mut file, &Kept { key, layout: Cow::Borrowed(layout) })?;
        File::create(&part)?.write_all(&file.finish()?)?;
        fs::rename(part, path)
    }
}
