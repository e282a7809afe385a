//! What pagekin serves over HTTP.
//!
//! - [`demo`]: the built-in site of a fictitious racing championship, for the tour and for tests.
//!
//! Knows nothing of discovery, archives or databases: it only answers requests.

pub mod demo;

/// Why something could not be served.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(
        "cannot serve the demo site on `{address}`: {cause}\n\nhint: is the port taken? Port 0 lets the system choose a free one"
    )]
    Serve { address: String, cause: std::io::Error },
}
