//! With which name and password does a host let us in? Taken off the addresses that the user typed, kept in this process only.
//!
//! - [`take`], [`taken`]: takes them off addresses. - [`of`]: those for an address. - [`give`]: those that a config file names.
//! - [`stripped`]: an address without them, whoever wrote them there.
//!
//! An address with a password in it would spread into tables, files and reports. So nothing behind this module ever sees one;
//! they are sent with every request to that host and port, and are gone with the process.

use percent_encoding::percent_decode_str;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use url::Url;

/// By host and port.
static KEYS: Mutex<BTreeMap<String, (String, String)>> = Mutex::new(BTreeMap::new());

/// The address without name and password, which are remembered.
pub fn take(url: Url) -> Url {
    if url.username().is_empty() && url.password().is_none() {
        return url;
    }
    let plain = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let key = (plain(url.username()), plain(url.password().unwrap_or("")));
    keep(place(&url), key);
    stripped(url)
}

/// The same of several addresses.
pub fn taken(urls: &[Url]) -> Vec<Url> {
    urls.iter().cloned().map(take).collect()
}

/// The address without name and password, which nobody remembers.
pub fn stripped(mut url: Url) -> Url {
    if !url.username().is_empty() || url.password().is_some() {
        // They fail only where there is no host, and then there is no password either.
        let _ = url.set_username("");
        let _ = url.set_password(None);
    }
    url
}

/// For a host with its port, or for a host at the usual ones.
pub fn give(place: &str, name: &str, word: &str) {
    let key = || (name.to_owned(), word.to_owned());
    let has_port = place.rsplit_once(':').is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    if has_port {
        return keep(place.to_ascii_lowercase(), key());
    }
    ["80", "443"].iter().for_each(|port| keep(format!("{}:{port}", place.to_ascii_lowercase()), key()));
}

fn keep(place: String, key: (String, String)) {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner).insert(place, key);
}

/// Name and password for this address, if the user gave any.
pub fn of(url: &Url) -> Option<(String, String)> {
    KEYS.lock().unwrap_or_else(PoisonError::into_inner).get(&place(url)).cloned()
}

fn place(url: &Url) -> String {
    format!("{}:{}", url.host_str().unwrap_or(""), url.port_or_known_default().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_taken_off_and_known_for_its_host() {
        let url = |text: &str| Url::parse(text).unwrap();
        let typed = take(url("http://ann:p%40ss@keys.example:81/a"));
        assert_eq!(typed.as_str(), "http://keys.example:81/a");
        assert_eq!(of(&url("http://keys.example:81/b")), Some(("ann".to_owned(), "p@ss".to_owned())));
        assert_eq!(of(&url("http://keys.example/")), None);
        assert_eq!(take(url("http://other.example/")), url("http://other.example/"));
        give("Given.example", "bob", "w");
        let known = Some(("bob".to_owned(), "w".to_owned()));
        assert_eq!((of(&url("https://given.example/")), of(&url("http://given.example:81/"))), (known.clone(), None));
        give("given.example:81", "bob", "w");
        assert_eq!(of(&url("http://given.example:81/")), known);
    }
}
