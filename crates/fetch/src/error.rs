//! Why fetching could not run at all. A single bad page is a [`Skipped`](pagekin_core::pages::Skipped) row instead.

use std::path::PathBuf;

/// One enum for the crate; each message names the item and ends with a hint.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "cannot set up the HTTP client: {0}\n\nhint: check the system's certificate store and the user agent given"
    )]
    Client(#[source] reqwest::Error),

    #[error("`{value}` is no user agent: {reason}\n\nhint: use a form like `name/1.0 (+https://example.org/about)`")]
    UserAgent { value: String, reason: &'static str },

    #[error(
        "the service at `{host}` cannot be used: {reason}\n\nhint: check its address, and the headers where a file names them"
    )]
    Ask { host: String, reason: String },

    #[error(
        "cannot keep the answer of `{url}`: {source}\n\nhint: free disk space or choose another file, then run again"
    )]
    Record { url: String, source: std::io::Error },

    #[error("cannot read archive `{path}`: {source}\n\nhint: check that the file exists and may be read")]
    OpenArchive { path: PathBuf, source: std::io::Error },

    #[error(
        "cannot read addresses from `{path}`: {source}\n\nhint: give a list, a CDX, CDXJ or WARC file; gzip'd or not"
    )]
    OpenListing { path: PathBuf, source: std::io::Error },

    #[error("`{path}` is no WARC file: {what}\n\nhint: give `.warc`, `.warc.gz` or `.warc.zst` files{advice}")]
    NotAnArchive { path: PathBuf, what: &'static str, advice: &'static str },

    #[error("{0} archives are too many at once\n\nhint: join them, WARC files can be put together with `cat`")]
    TooManyArchives(usize),

    #[error(
        "`{base}` is no place for archives: {reason}\n\nhint: give a folder, or an address such as https://data.example.org/"
    )]
    Base { base: String, reason: String },

    #[error("cannot make a temporary copy of `{path}`: {source}\n\nhint: {hint}")]
    Spool { path: PathBuf, source: std::io::Error, hint: &'static str },

    #[error(transparent)]
    Warc(#[from] pagekin_warc::Error),

    #[error("cannot tell `{url}`: {reason}\n\nhint: check the address of the webhook, and that it takes POST requests")]
    Notify { url: String, reason: String },
}
