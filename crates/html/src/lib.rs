//! An HTML parser that builds the tree of the standard, and refuses what would cost it quadratic time or memory.
//!
//! Bytes → text ([`charset::decode`]) → tree ([`parse`]). The tree is one arena: nodes are numbers, text and attribute values are stretches of the
//! source, so that parsing copies little.
//!
//! - [`Document`]: the tree. - [`Limits`]: what a document may be at most; [`Refused`]: which of them it is over.
//! - [`names`]: names of elements and attributes as numbers, for readers who compare many.
//!
//! Scripts do not run, and `<noscript>` is content. Knows nothing of addresses, links, styles or fetching.
//!
//! ```
//! use pagekin_html::{Document, Limits, charset, parse};
//!
//! let bytes = b"<!doctype html><title>Teams</title><p class=lead>Hello <a href='/teams'>teams</a>";
//! let text = charset::decode(bytes, Some("text/html; charset=utf-8"), None);
//! let document = parse(&text, &Limits::default())?;
//!
//! let link = document.descendants(Document::ROOT).find(|&node| document.name(node) == "a").unwrap();
//! assert_eq!(document.attribute(link, "href"), Some("/teams"));
//! assert_eq!(document.name(document.parent(link).unwrap()), "p");
//! # Ok::<(), pagekin_html::Refused>(())
//! ```

#![warn(missing_docs)]

pub mod charset;
pub mod dom;
pub mod names;
pub mod parser;

pub use dom::{Document, Element, ElementNode, Kind, Namespace, NodeId, TextSpan};
pub use parser::{Limits, Refused, parse, unescaped};

/// Runs the examples of the readme.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
