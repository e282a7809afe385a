//! How does it look, in numbers? Pages and addresses → terms, link-path sets, similarities in [0, 1].
//!
//! - [`url_terms`]: the terms of an address (SSUP 2019 definition 4.1). - [`similarity`]: weak, strong and HTML similarity.
//!
//! Sets are sorted slices of ids; who gives out the ids is the caller's business.

pub mod kind;
pub mod mixing;
pub mod profile;
pub mod similarity;
mod terms;
pub mod tokens;

pub use terms::{TermTable, url_terms};
