//! What did the page look like when it was read? A record's address → the page, from the archive of the run that fetched it.

use crate::Error;
use pagekin_core::pages::{Answer, Pages, RawPage};
use pagekin_fetch::Archive;
use pagekin_store::Store;
use std::path::PathBuf;
use url::Url;

/// None where the archive is gone, or does not hold the page any more.
pub async fn stored_page(store: &Store, class: i64, url: &Url) -> Result<Option<RawPage>, Error> {
    let Some(path) = store.archive_of(class, url.as_str()).await?.map(PathBuf::from).filter(|path| path.is_file())
    else {
        return Ok(None);
    };
    let archive = Archive::open_with_index(&[path])?;
    Ok(match archive.get(std::slice::from_ref(url)).await.pop() {
        Some(Answer::Page(page)) if page.is_success() => Some(page),
        _ => None,
    })
}
