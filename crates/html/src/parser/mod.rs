//! Text → [`Document`], exactly as the HTML standard builds it (13.2, scripting off, so that links inside `noscript`
//! exist). The one seam behind which a parser stands: everything else sees only [`parse`] and the tree.
//!
//! [`tokens`] cuts the text into tags, text and the rest ([`rawtext`], [`references`], [`doctype`] are parts of that);
//! [`builder`] with [`stack`] holds the tree under construction, [`modes`] finds the rule for a token, and the rules are in
//! [`head`], [`body`] and [`body_end`] with [`formatting`], [`table`], [`outer`], [`foreign`]. Text and attribute values are not copied: they are
//! stretches of the source, which the document keeps.
//!
//! - [`Limits`]: what a document may be at most. - [`Refused`]: which of them it is over. Input that the standard's
//!   algorithm would spend quadratic time or memory on is refused, not endured.

mod body;
mod body_end;
mod builder;
mod doctype;
mod foreign;
mod formatting;
mod head;
mod modes;
mod outer;
mod rawtext;
mod references;
mod stack;
mod table;
mod tokens;

use super::dom::Document;
use memchr::memchr;
use std::borrow::Cow;
use tokens::Tokenizer;

/// What a document may be at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Elements open at once, one inside the other. The algorithm walks the open elements at some tags, so depth × tags
    /// is its cost. Browsers flatten at 512; the deepest of 27,000 real pages measured has 60.
    pub depth: usize,
    /// Nodes in the tree. A 16 MiB document of empty elements stays below.
    pub nodes: usize,
    /// Attributes on one tag.
    pub attributes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 1024, nodes: 6_000_000, attributes: 4096 }
    }
}

/// Over which of its [`Limits`] a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refused {
    /// Elements inside elements.
    #[error("elements nested more than {0} deep")]
    Depth(usize),
    /// Nodes in the tree.
    #[error("more than {0} nodes")]
    Nodes(usize),
    /// Attributes on one tag.
    #[error("a tag with more than {0} attributes")]
    Attributes(usize),
    /// Formatting elements that the standard opens again after each block.
    #[error("more than {0} formatting elements to be opened again")]
    Formatting(usize),
    /// Names that the standard does not know.
    #[error("more than {0} different names of elements and attributes")]
    Names(usize),
    /// Bytes of the source.
    #[error("more than {0} bytes of text")]
    Bytes(usize),
}

/// Places in the text are 32 bits wide, and what a document adds to its source is at most a few times the source.
const BYTES: usize = 256 << 20;

/// A text of a source with its character references replaced.
///
/// ```
/// assert_eq!(pagekin_html::unescaped("Fish &amp; chips &euro;5"), "Fish & chips \u{20ac}5");
/// ```
pub fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    references::decode(text, false, &mut plain);
    plain
}

/// Builds the tree of a text, as browsers without scripts do.
///
/// ```
/// use pagekin_html::{Document, Limits, parse};
///
/// // The standard puts in what the author left out.
/// let document = parse("<table><td>cell", &Limits::default())?;
/// let names: Vec<&str> = document.descendants(Document::ROOT).map(|node| document.name(node)).collect();
/// assert_eq!(names, ["", "html", "head", "body", "table", "tbody", "tr", "td", ""]);
/// # Ok::<(), pagekin_html::Refused>(())
/// ```
pub fn parse(html: &str, limits: &Limits) -> Result<Document, Refused> {
    if html.len() > BYTES {
        return Err(Refused::Bytes(BYTES));
    }
    Tokenizer::new(&with_line_feeds(html), limits).run()
}

/// Each CR LF and each other CR becomes LF (13.2.3.5).
fn with_line_feeds(html: &str) -> Cow<'_, str> {
    let Some(mut at) = memchr(b'\r', html.as_bytes()) else { return Cow::Borrowed(html) };
    let mut clean = String::with_capacity(html.len());
    let mut rest = html;
    loop {
        clean.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if !rest.starts_with('\n') {
            clean.push('\n');
        }
        match memchr(b'\r', rest.as_bytes()) {
            Some(next) => at = next,
            None => {
                clean.push_str(rest);
                return Cow::Owned(clean);
            }
        }
    }
}
