//! Where does everything stand on a page that was drawn? Elements with their boxes, as a browser gives them.
//!
//! - [`Layout`]: the elements in document order. - [`Element`]: its place in the tree and on the page. - [`Bounds`]: a box.
//!
//! Knows nothing of browsers: whoever draws pages hands this over.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Parents before their children.
    pub elements: Vec<Element>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Element {
    /// Index of the element around it.
    pub parent: Option<u32>,
    /// In lower case.
    pub name: Box<str>,
    pub href: Option<Box<str>>,
    /// None: not drawn.
    pub bounds: Option<Bounds>,
}

/// In pixels, from the upper left corner of the page.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Bounds {
    pub x: f32,
    pub y: f32,
    pub width: f32,
    pub height: f32,
}
