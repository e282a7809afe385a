//! Reads and writes web archives: WARC files (ISO 28500, WARC 1.0 and 1.1), plain, gzip or zstd, of any tool, damaged ones too.
//!
//! From the bytes up: [`source`] reads at offsets, [`members`] undoes gzip and zstd, [`head`] understands the lines of a record, [`read`] walks from
//! record to record, [`http`] makes an [`Exchange`] of a record. [`mod@write`] is the way back, [`check`] tells whether a file is as it was written.
//!
//! - [`Reader`]: the records of a file; [`Damage`]: what it had to leave out. - [`WarcWriter`]: a file being written.
//! - [`Exchange`]: an answer of a server. - [`Head`], [`Kind`]: what a record says of itself.
//!
//! Memory is bounded whatever the file holds. Nothing here knows which record answers an address, nor how to fetch one.
//!
//! ```
//! use pagekin_warc::{Kind, Reader, http};
//! use std::sync::Arc;
//!
//! let file = "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://example.org/\r\nContent-Length: 46\r\n\r\n\
//!     HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhi\r\n\r\n";
//! let mut reader = Reader::new(Arc::new(file.as_bytes().to_vec()))?;
//! while let Some(head) = reader.next_head()? {
//!     if head.kind == Kind::Response {
//!         let answer = http::exchange(&head, reader.block(1 << 20)?).expect("an HTTP answer");
//!         assert_eq!((answer.status, &answer.body[..]), (200, &b"hi"[..]));
//!         assert_eq!(answer.header("content-type"), Some("text/html"));
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![warn(missing_docs)]

pub mod check;
pub mod digest;
mod error;
mod exchange;
pub mod head;
pub mod http;
pub mod members;
pub mod read;
pub mod source;
pub mod write;

pub use digest::Digest;
pub use error::Error;
pub use exchange::{Drawn, Exchange};
pub use head::{Head, Kind};
pub use members::{Place, Trouble};
pub use read::{Damage, Reader};
pub use source::Source;
pub use write::{Form, WarcWriter, Written};

/// Runs the examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
