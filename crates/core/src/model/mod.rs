//! Which classes of pages does the site have, and how do they link?
pub mod counts;
pub mod folds;
pub mod groups;
pub mod merge;
pub mod pattern;
pub use crate::discover::kin::shape::Shape;
