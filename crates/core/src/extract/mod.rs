//! What does the page say? (work in progress)
pub mod choose;
pub mod class;
pub mod domain;
pub mod leaves;
pub mod places;
pub mod roles;
pub mod slot;
pub mod sse;
pub mod template;
pub mod title;
