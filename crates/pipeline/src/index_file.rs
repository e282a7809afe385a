//! Which records does an index of a web crawl name? Parquet files → an [`Archive`] that reads the records where they are.
//!
//! Columns are those of the columnar index of Common Crawl: `url`, `warc_filename`, `warc_record_offset`, `warc_record_length`; where they are there,
//! also `fetch_status`, `fetch_time` and `content_mime_detected` or `content_mime_type`. Only rows of the sites asked for are kept.

use crate::{Error, SourceSettings, columnar};
use pagekin_core::page::address::registrable;
use pagekin_fetch::{Archive, Base, Indexed};
use std::path::PathBuf;
use url::Url;

/// Ranges of far-away files under way at a time. Such servers are made for many readers; one host of them is asked as a browser would.
const AT_ONCE: usize = 16;

/// WARC files, or indexes of such. `typed`: rows of other sites are left out; none takes all.
pub fn open_archives(settings: &SourceSettings, typed: &[Url]) -> Result<Archive, Error> {
    let is_index = |path: &&PathBuf| path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"));
    let (indexes, files): (Vec<_>, Vec<_>) = settings.archives.iter().partition(is_index);
    match (indexes.first(), files.first()) {
        (None, _) => Ok(Archive::open(&settings.archives)?),
        (Some(_), Some(file)) => Err(Error::MixedArchives { path: (*file).clone() }),
        (Some(first), None) => {
            let mut rows = Indexed::default();
            let wanted = Wanted::new(typed);
            for path in &indexes {
                columnar::read_index(path, &|url| wanted.contains(url), &mut rows)?;
            }
            if rows.is_empty() {
                let reason = format!("none of its rows is of the site; {} rows name no record", rows.left_out);
                return Err(Error::Index { path: (*first).clone(), reason });
            }
            Ok(rows.archive(Base::parse(settings.archive_base.as_deref(), first)?, AT_ONCE)?)
        }
    }
}

/// The sites whose rows are kept.
struct Wanted(Vec<String>);

impl Wanted {
    fn new(typed: &[Url]) -> Self {
        let mut sites: Vec<String> =
            typed.iter().filter_map(Url::host_str).map(|host| registrable(host).to_owned()).collect();
        sites.sort();
        sites.dedup();
        Self(sites)
    }

    fn contains(&self, url: &str) -> bool {
        let Some((_, rest)) = url.split_once("://") else { return false };
        let host = rest.split(['/', '?', '#']).next().unwrap_or("");
        let host = host.rsplit('@').next().unwrap_or("").split(':').next().unwrap_or("");
        let inside =
            |site: &String| host == site || host.strip_suffix(site.as_str()).is_some_and(|rest| rest.ends_with('.'));
        self.0.is_empty() || self.0.iter().any(inside)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_other_sites_are_left_out() {
        let typed = [Url::parse("https://www.example.org/1").unwrap()];
        let wanted = Wanted::new(&typed);
        for (url, expected) in [
            ("https://example.org/2", true),
            ("http://x.example.org:8080/", true),
            ("https://notexample.org/", false),
            ("https://example.org.evil.net/", false),
            ("mailto:x", false),
        ] {
            assert_eq!(wanted.contains(url), expected, "{url}");
        }
        assert!(Wanted::new(&[]).contains("http://any/"));
    }
}
