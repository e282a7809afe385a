//! What does a run say of itself when it ends? What it was answered, and what came of it → a statement beside its archives, also where nothing changed.
//!
//! - [`leave`]: writes it, with the word of a time-stamp authority where one is named. - [`beside`], [`token_beside`]: the files.
//!
//! It holds the digests of the archives: whoever has it later can tell that the pages are those that the run saw.

use super::{MADE_WITH, timestamp};
use crate::Error;
use crate::digest::Sha256;
use crate::digest::unhex;
use crate::run::Summary;
use jiff::Timestamp;
use serde_json::json;
use std::path::{Path, PathBuf};
use url::Url;

/// `run-000007-001.warc.gz` → `run-000007-001.proof.json`
pub fn beside(archive: &Path) -> PathBuf {
    let name = archive.file_name().unwrap_or_default().to_string_lossy().into_owned();
    archive.with_file_name(format!("{}.proof.json", name.trim_end_matches(".gz").trim_end_matches(".warc")))
}

/// `run-000007-001.warc.gz` → `run-000007-001.warc.gz.tsr`
pub fn token_beside(archive: &Path) -> PathBuf {
    archive.with_added_extension("tsr")
}

/// `archives`: of the run, the first one first.
pub async fn leave(archives: &[PathBuf], summary: &Summary, authority: Option<&Url>) -> Result<(), Error> {
    let Some(first) = archives.first() else { return Ok(()) };
    let mut told = Vec::new();
    for path in archives {
        let (digest, bytes) = Sha256::of_file(path).map_err(Error::Write)?;
        if let Some(authority) = authority {
            let (token, _) = timestamp::fetched(authority, &unhex(&digest).unwrap_or_default()).await?;
            std::fs::write(token_beside(path), token).map_err(Error::Write)?;
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        told.push(json!({"file": name, "sha256": digest, "bytes": bytes}));
    }
    let unchanged = summary.new + summary.changed + summary.gone == 0;
    let said = json!({
        "what": "a run, and the archives of all that it was answered",
        "run": summary.run, "site": summary.site, "class": summary.class, "ended_at": Timestamp::now().to_string(),
        "nothing_changed": unchanged,
        "records": summary.records, "pages": summary.pages, "new": summary.new, "changed": summary.changed, "gone": summary.gone,
        "requests": summary.requests, "downloads": summary.downloads, "not_modified": summary.not_modified, "skipped": summary.skipped,
        "archives": told,
        "made_with": MADE_WITH,
    });
    let text = crate::export::json_pretty(&said).map_err(|error| Error::Write(error.into()))?;
    std::fs::write(beside(first), text).map_err(Error::Write)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_beside_the_archive() {
        let archive = Path::new("/p/s/run-000007-001.warc.gz");
        assert_eq!(beside(archive), Path::new("/p/s/run-000007-001.proof.json"));
        assert_eq!(token_beside(archive), Path::new("/p/s/run-000007-001.warc.gz.tsr"));
    }
}
