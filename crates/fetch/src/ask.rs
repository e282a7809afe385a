//! What does a service answer? An address that the user configured → JSON, or bytes.
//!
//! - [`json`]: one `GET` with headers. - [`bytes()`]: one `POST` of bytes. Both are bounded in size and time. Only for services that the user named in a file of his own: no robots.txt, no
//!   private-address rule, and never for an address that a page or an answer gave.

use crate::error::Error;
use reqwest::header::{HeaderName, HeaderValue};
use reqwest::redirect;
use std::time::Duration;
use url::Url;

/// Bytes of an answer: a page of search results has some kilobytes.
const LARGEST: usize = 4 << 20;

/// Longest time for one request.
const TIMEOUT: Duration = Duration::from_secs(30);

/// All clients speak TLS by the same library; reqwest takes the one that the process has.
pub(crate) fn client_builder() -> reqwest::ClientBuilder {
    // Refused where one is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

/// For what the user named himself; what the polite fetcher asks has a client of its own.
pub(crate) fn service() -> Result<reqwest::Client, Error> {
    let client = client_builder().user_agent(crate::live::USER_AGENT).timeout(TIMEOUT);
    client.redirect(redirect::Policy::none()).build().map_err(Error::Client)
}

/// `headers`: names and values, such as a key.
pub async fn json(url: &Url, headers: &[(String, String)]) -> Result<serde_json::Value, Error> {
    let told = |reason: String| Error::Ask { host: url.host_str().unwrap_or("").to_owned(), reason };
    let mut request = service()?.get(url.clone()).header("accept", "application/json");
    for (name, value) in headers {
        let name = HeaderName::try_from(name).map_err(|_| told(format!("`{name}` is no name of a header")))?;
        let value =
            HeaderValue::try_from(value).map_err(|_| told(format!("the header `{name}` has no usable value")))?;
        request = request.header(name, value);
    }
    let body = body(request, &told).await?;
    serde_json::from_slice(&body).map_err(|error| told(format!("its answer is not JSON: {error}")))
}

/// `kinds`: media types of what is sent and of what is expected.
pub async fn bytes(url: &Url, kinds: (&str, &str), sent: Vec<u8>) -> Result<Vec<u8>, Error> {
    let told = |reason: String| Error::Ask { host: url.host_str().unwrap_or("").to_owned(), reason };
    let request = service()?.post(url.clone()).header("content-type", kinds.0).header("accept", kinds.1);
    body(request.body(sent), &told).await
}

async fn body(request: reqwest::RequestBuilder, told: &(dyn Fn(String) -> Error + Sync)) -> Result<Vec<u8>, Error> {
    let mut answer = request.send().await.map_err(|error| told(error.without_url().to_string()))?;
    if !answer.status().is_success() {
        return Err(told(format!("status {}", answer.status())));
    }
    let mut body = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| told(error.without_url().to_string()))? {
        if body.len() + chunk.len() > LARGEST {
            return Err(told(format!("its answer is larger than {LARGEST} bytes")));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}
