//! May a request of a page be made, and what does the browser get for it? A paused request → asked of the [`Network`], or refused.
//!
//! - [`Paused`]: a request that waits. - [`answer`]: asks and tells the browser.
//!
//! Only `GET` and `HEAD`; no pictures, films, sounds and fonts; no documents in frames; and the page itself goes nowhere else.

use crate::error::Failure;
use crate::network::{Network, Request, Response};
use crate::wire::Wire;
use data_encoding::BASE64;
use pagekin_core::pages::{Reason, Skipped};
use serde_json::{Value, json};
use url::{Position, Url};

/// Kinds of resources that change neither links nor text, or never end.
const UNWANTED: [&str; 10] = [
    "Image",
    "Media",
    "Font",
    "TextTrack",
    "EventSource",
    "Manifest",
    "Ping",
    "CSPViolationReport",
    "Prefetch",
    // Icons of the page, and what the browser loads ahead.
    "Other",
];

/// Headers that are about the way the answer came, about visits, or about other requests.
const DROPPED: [&str; 12] = [
    "content-encoding",
    "content-length",
    "transfer-encoding",
    "content-disposition",
    "set-cookie",
    "alt-svc",
    "strict-transport-security",
    "report-to",
    "reporting-endpoints",
    "nel",
    "link",
    "clear-site-data",
];

pub struct Paused {
    id: String,
    pub request: Option<Request>,
    /// Without it the page is as its author did not mean it.
    needed: bool,
    pub document: bool,
}

impl Paused {
    /// `page`: the address that was opened, in the frame `frame`.
    pub fn new(params: &Value, frame: &str, page: &Url) -> Option<Self> {
        let id = params["requestId"].as_str()?.to_owned();
        let kind = params["resourceType"].as_str().unwrap_or("");
        let (needed, document) = (kind != "Stylesheet", kind == "Document");
        Some(Self { id, request: wanted(params, kind, frame, page), needed, document })
    }

    /// A page that would go elsewhere stays: anything but "aborted" would show an error in its place.
    pub fn refuse(&self, wire: &Wire, session: &str) {
        let reason = if self.document { "Aborted" } else { "BlockedByClient" };
        wire.tell(session, "Fetch.failRequest", json!({"requestId": self.id, "errorReason": reason}));
    }
}

fn wanted(params: &Value, kind: &str, frame: &str, page: &Url) -> Option<Request> {
    let head = match params["request"]["method"].as_str()? {
        "GET" => false,
        "HEAD" => true,
        _ => return None,
    };
    let mut url = Url::parse(params["request"]["url"].as_str()?).ok()?;
    url.set_fragment(None);
    if !matches!(url.scheme(), "http" | "https") || UNWANTED.contains(&kind) {
        return None;
    }
    let document = kind == "Document";
    let is_page = url[..] == page[..Position::AfterQuery];
    let redirected = params["redirectedRequestId"].is_string();
    let leaves = document && (params["frameId"].as_str() != Some(frame) || !(redirected || is_page));
    let headers = params["request"]["headers"].as_object();
    let accept = headers.and_then(|headers| headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("accept")));
    let accept = accept.and_then(|(_, value)| value.as_str().map(str::to_owned));
    (!leaves).then_some(Request { url, head, document, accept })
}

/// Asks the network and hands on what it says. Gives the trouble that makes the page no evidence of what scripts show.
pub async fn answer<N: Network>(wire: &Wire, session: &str, paused: Paused, network: &N) -> Option<Skipped> {
    let request = paused.request.clone()?;
    let url = request.url.clone();
    let document = paused.document;
    match network.answer(request).await {
        Ok(response) => {
            let trouble = trouble_of(&url, &response).filter(|_| paused.needed && !document);
            if fulfil(wire, session, &paused.id, response).await.is_err() {
                paused.refuse(wire, session);
            }
            trouble
        }
        Err(skipped) => {
            paused.refuse(wire, session);
            (document || paused.needed && is_passing(skipped.reason)).then_some(skipped)
        }
    }
}

/// An answer that another time may be better.
fn trouble_of(url: &Url, response: &Response) -> Option<Skipped> {
    let passing = response.status == 429 || response.status >= 500;
    passing.then(|| {
        Skipped::new(url, Reason::Status, format!("`{url}`, which the page needs, answers {}", response.status))
    })
}

/// What says nothing about the page.
fn is_passing(reason: Reason) -> bool {
    matches!(reason, Reason::Timeout | Reason::Network | Reason::Budget | Reason::Interrupted)
}

async fn fulfil(wire: &Wire, session: &str, id: &str, response: Response) -> Result<Value, Failure> {
    let headers: Vec<Value> = response
        .headers
        .iter()
        .filter(|(name, value)| is_sound(name, value))
        .map(|(name, value)| json!({"name": name, "value": value}))
        .collect();
    let answer = json!({
        "requestId": id,
        "responseCode": response.status,
        "responseHeaders": headers,
        "body": BASE64.encode(&response.body),
    });
    wire.call(session, "Fetch.fulfillRequest", answer).await
}

fn is_sound(name: &str, value: &str) -> bool {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    let wanted = !DROPPED.iter().any(|dropped| name.eq_ignore_ascii_case(dropped));
    wanted && !name.is_empty() && name.bytes().all(token) && !value.contains(|c: char| c.is_control() || !c.is_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(kind: &str, method: &str, url: &str, frame: &str) -> Option<Request> {
        let page = Url::parse("http://s/page").unwrap();
        let params = json!({"requestId": "1", "resourceType": kind, "frameId": frame, "request": {"url": url, "method": method}});
        Paused::new(&params, "main", &page)?.request
    }

    #[test]
    fn only_what_a_reader_of_the_page_needs_is_asked() {
        for (kind, method, url, frame, expected) in [
            ("Document", "GET", "http://s/page#top", "main", true),
            ("Document", "GET", "http://s/other", "main", false),
            ("Document", "GET", "http://s/page", "inner", false),
            ("Script", "GET", "http://s/app.js", "main", true),
            ("XHR", "HEAD", "http://s/api", "main", true),
            ("Fetch", "POST", "http://s/api", "main", false),
            ("Fetch", "DELETE", "http://s/api", "main", false),
            ("Image", "GET", "http://s/a.png", "main", false),
            ("Font", "GET", "http://s/a.woff", "main", false),
            ("Script", "GET", "file:///etc/passwd", "main", false),
            ("Stylesheet", "GET", "http://s/a.css", "main", true),
        ] {
            assert_eq!(asked(kind, method, url, frame).is_some(), expected, "{kind} {method} {url}");
        }
    }

    #[test]
    fn headers_that_a_browser_would_refuse_are_left_out() {
        assert!(is_sound("Content-Type", "text/html"));
        for (name, value) in [("a b", "x"), ("", "x"), ("x", "a\nb"), ("Set-Cookie", "a=b"), ("x", "\u{e9}")] {
            assert!(!is_sound(name, value), "{name}: {value}");
        }
    }
}
