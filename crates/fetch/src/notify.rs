//! Who is told that something happened? An address of the user's, by one POST of JSON.
//!
//! The only request that is no `GET` or `HEAD`, and only ever sent where a file or a flag of whoever runs this says: never to an address
//! from a page, and never to one from a database.

use crate::ask::service;
use crate::error::Error;
use std::time::Duration;
use url::Url;

/// Tries, and the pause before the second; doubled each time.
const TRIES: u32 = 3;
const PAUSE: Duration = Duration::from_secs(1);

/// Sends it, again after a failure of the network or the server.
pub async fn post(url: &Url, json: &str) -> Result<(), Error> {
    let client = service()?;
    // The rest of the address is often what lets one in.
    let place = format!("{}://{}/…", url.scheme(), url.host_str().unwrap_or(""));
    let mut pause = PAUSE;
    for tried in 1..=TRIES {
        let request = client.post(url.clone()).header("content-type", "application/json").body(json.to_owned());
        let reason = match request.send().await {
            Ok(answer) if answer.status().is_success() => return Ok(()),
            Ok(answer) if !answer.status().is_server_error() => {
                return Err(Error::Notify { url: place, reason: format!("status {}", answer.status()) });
            }
            Ok(answer) => format!("status {}", answer.status()),
            Err(error) => error.without_url().to_string(),
        };
        if tried == TRIES {
            return Err(Error::Notify { url: place, reason });
        }
        tokio::time::sleep(pause).await;
        pause *= 2;
    }
    Ok(())
}
