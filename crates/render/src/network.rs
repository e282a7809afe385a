//! Who answers the requests of a page? One that may be sent → what the site answered, or why it is not asked.
//!
//! - [`Request`], [`Response`]: plain data. - [`Network`]: implemented by whoever may talk to the web, or has stored it.

use bytes::Bytes;
use pagekin_core::pages::Skipped;
use url::Url;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub url: Url,
    /// `HEAD` instead of `GET`; nothing else is ever asked.
    pub head: bool,
    /// The page itself, and not a script, a style sheet or data of it.
    pub document: bool,
    /// The header of this name, as a script sets it.
    pub accept: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    /// Decoded from any content coding.
    pub body: Bytes,
}

pub trait Network: Sync {
    fn answer(&self, request: Request) -> impl Future<Output = Result<Response, Skipped>> + Send;
}
