//! What table would a person make of these pages? Pages of one class, nothing particular wanted → columns, and tables within pages.
//!
//! ```text
//! documents ─► chrome, cut (pieces: whole texts with their labels) ─► fields (the same piece on many pages) ─► sieve ─► rows, names ─► slots
//! document ─► chrome, cut ─► read (slots) ─► record
//! ```
//!
//! - [`learn`]: pages → slots. - [`Rule`]: how a wrapper finds a piece again. - [`read`]: a page as these rules read it.
//!
//! Learning and reading cut pages in the same way ([`cut`]), so that what was learned is what is read.

pub mod authored;
pub mod chrome;
pub mod cut;
pub mod data;
pub mod fields;
pub mod learn;
pub mod names;
pub mod read;
pub mod rows;
pub mod sieve;
pub mod title;

use serde::{Deserialize, Serialize};

/// Which piece of a page a slot is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rule {
    /// Path of the element.
    pub path: String,
    /// Labels it has, as labels are written; none: it has none.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub labels: Vec<String>,
    /// Whatever its label is.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub any_label: bool,
    pub take: Take,
    /// Values that are none: nearly all pages have them.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub skip: Vec<String>,
}

/// What of a piece is its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Take {
    /// All of it, one value.
    Whole,
    /// All pieces of the page, one text.
    Joined,
    /// Each item of a list.
    Items,
    /// Each text.
    Texts,
    /// The n-th text of this path within it.
    Part { path: String, nth: u16 },
}
