//! The thinking of pagekin, stage by stage (see `ARCHITECTURE.md`): what is on a page, how alike two pages
//! are, which pages of a site are of one kind.
//!
//! Pure: no network, no disk, no clock, no runtime. Methods that need pages as they go are `async` functions
//! over [`pages::Pages`]; randomness and limits come in as arguments. Same input, same output.

pub mod check;
pub mod complete;
pub mod discover;
pub mod expect;
pub mod extract;
pub mod features;
pub mod hidden;
pub mod model;
pub mod page;
pub mod pages;
pub mod render;
pub mod site;
