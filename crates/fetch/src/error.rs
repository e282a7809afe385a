//! Why fetching could not run at all. A single bad page is a [`Skipped`](pagekin_core::pages::Skipped) row instead.

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
        "cannot keep the answer of `{url}`: {source}\n\nhint: free disk space or choose another file, then run again"
    )]
    Record { url: String, source: std::io::Error },
}
