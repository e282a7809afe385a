//! What pagekin shows in a browser.
//!
//! - [`demo`]: the built-in site of a fictitious racing championship, for the tour and for tests.
//! - [`map`]: a site from above.
//! - [`report`]: what was found, as one HTML page.
//! - [`serve`]: the whole job, with an API.
//!
//! Knows nothing of archives or SQL: it answers requests, and shows what `pagekin` gives.

pub mod demo;
pub mod map;
pub mod report;
pub mod serve;

pub use pagekin::snapshot::escaped;

/// Why something could not be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "cannot serve on `{address}`: {cause}\n\nhint: is the port taken? Port 0 lets the system choose a free one"
    )]
    Serve { address: String, cause: std::io::Error },
    #[error("cannot use the TLS file `{path}`: {cause}\n\nhint: PEM files of a certificate and of its key are needed")]
    Tls { path: String, cause: String },
    #[error("cannot make the page of the report: {0}\n\nhint: write it as `.json` or `.csv` instead")]
    Report(String),
    #[error("cannot draw the map: {0}\n\nhint: write it as `.json`, `.dot` or `.graphml` instead")]
    Map(String),
}
