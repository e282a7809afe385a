//! What is in these bytes? Raw page → DOM, links with link-paths, text leaves.
pub mod address;
