//! Where on this page is the data, told by words alone? Page, domain → records, by structural-semantic entropy.
//!
//! The published method, as published: Zheng, Gu, Li: "Data extraction from web pages based on structural-semantic entropy",
//! WWW 2012; algorithm 1 and section 3. One page at a time, nothing learned.
//!
//! - [`extract`]: algorithm 1. - [`Settings`]: its two thresholds. - [`Regions`]: data-rich, list and link-offer nodes.
//! - [`entropy`]: definition 1 over the tree. - [`values`]: lines 19 to 22, and the title. - [`merge`]: records found twice on a page;
//!   [`across`]: on several.
//!
//! What the paper leaves open is settled in `docs/stages/extract.md`.

pub mod across;
pub mod entropy;
pub mod merge;
pub mod values;

use super::domain::Domain;
use crate::page::dom::Document;
pub use entropy::{Regions, Tree};
pub use values::Found;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    /// Hd: entropy from which a node is data-rich. 2 is what the paper found best.
    pub rich: f64,
    /// Hl: entropy from which a node of alike children is a list. The paper: "equal to or close to 1".
    pub list: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self { rich: 2.0, list: 0.9 }
    }
}

/// What the method says of one page: no record, no data-intensive page.
#[derive(Debug, Clone, Default)]
pub struct Extraction {
    pub records: Vec<Found>,
    pub regions: Regions,
}

pub fn extract(document: &Document, domain: &Domain, settings: Settings) -> Extraction {
    let tree = Tree::new(document, domain);
    let regions = tree.regions(settings);
    let records = regions.rich.iter().map(|&node| values::record(&tree, node, domain)).collect();
    Extraction { records: merge::merged(records), regions }
}
