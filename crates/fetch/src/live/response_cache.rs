//! What was asked before in this run? Exchanges put away outside memory, and handed out again.
//!
//! Every address is asked once a run, and no body stays in memory: an exchange goes to the end of a temporary file
//! without a name, which the system removes whatever ends the run.
//!
//! - [`ResponseCache`]: the file.
//! - [`Place`]: where in it one exchange lies.

use crate::exchange::Exchange;
use bytes::Bytes;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use url::Url;

/// Made when the first exchange is put away.
#[derive(Debug, Default)]
pub struct ResponseCache(Mutex<Option<File>>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    at: u64,
    head: usize,
    body: usize,
}

#[derive(Serialize, Deserialize)]
struct Head {
    url: Url,
    status: u16,
    headers: Vec<(String, String)>,
    at: String,
    address: Option<IpAddr>,
}

impl ResponseCache {
    pub fn put(&self, exchange: &Exchange) -> io::Result<Place> {
        let head = serde_json::to_vec(&Head {
            url: exchange.url.clone(),
            status: exchange.status,
            headers: exchange.headers.clone(),
            at: exchange.at.to_string(),
            address: exchange.address,
        })?;
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let file = match &mut *file {
            Some(file) => file,
            none => none.insert(tempfile::tempfile()?),
        };
        let at = file.seek(SeekFrom::End(0))?;
        file.write_all(&head)?;
        file.write_all(&exchange.body)?;
        Ok(Place { at, head: head.len(), body: exchange.body.len() })
    }

    pub fn get(&self, place: Place) -> io::Result<Exchange> {
        let mut bytes = vec![0; place.head + place.body];
        {
            let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let file = file.as_mut().ok_or(io::ErrorKind::NotFound)?;
            file.seek(SeekFrom::Start(place.at))?;
            file.read_exact(&mut bytes)?;
        }
        let bytes = Bytes::from(bytes);
        let head: Head = serde_json::from_slice(&bytes[..place.head])?;
        let at = head.at.parse().map_err(io::Error::other)?;
        let body = bytes.slice(place.head..);
        Ok(Exchange { url: head.url, status: head.status, headers: head.headers, body, at, address: head.address })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange(path: &str, body: &'static [u8]) -> Exchange {
        Exchange {
            url: Url::parse("http://s/").unwrap().join(path).unwrap(),
            status: 200,
            headers: vec![("x".to_owned(), "\u{e9}\"".to_owned())],
            body: Bytes::from_static(body),
            at: "2026-11-15T12:00:00.123456789Z".parse().unwrap(),
            address: Some("::1".parse().unwrap()),
        }
    }

    #[test]
    fn what_was_put_comes_back_in_any_order() {
        let kept = ResponseCache::default();
        let (one, two) = (exchange("1", b"one\0\xff"), exchange("2", b""));
        let places = [kept.put(&one).unwrap(), kept.put(&two).unwrap()];
        assert_eq!(kept.get(places[1]).unwrap(), two);
        assert_eq!(kept.get(places[0]).unwrap(), one);
        let third = kept.put(&one).unwrap();
        assert_eq!(kept.get(third).unwrap(), one);
    }

    #[test]
    fn a_place_of_another_file_is_an_error() {
        let place = ResponseCache::default().put(&exchange("1", b"one")).unwrap();
        assert!(ResponseCache::default().get(place).is_err());
    }
}
