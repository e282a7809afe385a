//! A stored site served again: a WARC file → a real server that gives the same answers.
//!
//! Reads the file by itself, in the plainest way, so that a test compares two implementations. For small archives:
//! everything is held in memory.

use crate::server::{Reply, Server};
use flate2::read::MultiGzDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// A stored answer: path and query, status, headers, body.
pub struct Stored {
    pub target: String,
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A server with a route for every response record; the host is not looked at.
pub fn server(archive: &Path) -> io::Result<Server> {
    Ok(stored(archive)?.into_iter().fold(Server::new(), |server, stored| {
        let sent = stored.headers.iter().filter(|(name, _)| !is_of_the_connection(name));
        let reply = sent.fold(Reply::status(stored.status).body(stored.body), |reply, (name, value)| {
            reply.header(name, value.clone())
        });
        server.route(&stored.target, move |_| reply.clone())
    }))
}

/// What the server says for itself.
fn is_of_the_connection(name: &str) -> bool {
    ["content-length", "transfer-encoding", "connection", "keep-alive"].contains(&name)
}

/// The response records of a `.warc.gz`, in file order.
pub fn stored(archive: &Path) -> io::Result<Vec<Stored>> {
    let mut bytes = Vec::new();
    MultiGzDecoder::new(File::open(archive)?).read_to_end(&mut bytes)?;
    let mut found = Vec::new();
    let mut rest = bytes.as_slice();
    while let Some((head, after)) = split_head(rest) {
        let field = |name: &str| fields(head).find(|(known, _)| known == name).map(|(_, value)| value);
        let length: usize = field("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        let block = &after[..length.min(after.len())];
        if let (Some("response"), Some(url)) = (field("warc-type").as_deref(), field("warc-target-uri")) {
            found.extend(answer(&url, block));
        }
        rest = after[block.len()..].trim_ascii_start();
    }
    Ok(found)
}

fn answer(url: &str, block: &[u8]) -> Option<Stored> {
    let (head, body) = split_head(block)?;
    let target = url.split_once("://")?.1.split_once('/').map_or("/".to_owned(), |(_, rest)| format!("/{rest}"));
    let status = head.split_whitespace().nth(1)?.parse().ok()?;
    Some(Stored { target, status, headers: fields(head).collect(), body: body.to_vec() })
}

fn split_head(bytes: &[u8]) -> Option<(&str, &[u8])> {
    let end = bytes.windows(4).position(|window| window == b"\r\n\r\n")?;
    Some((std::str::from_utf8(&bytes[..end]).ok()?, &bytes[end + 4..]))
}

/// Names in lower case.
fn fields(head: &str) -> impl Iterator<Item = (String, String)> + '_ {
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(':'));
    lines.map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
}
