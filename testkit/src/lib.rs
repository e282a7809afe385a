//! Development only: real servers and tools, and sites to test with, shared by the tests of several crates.
//!
//! - [`bigsite`]: an archive of any size.
//! - [`python`]: Python packages to compare with.
//! - [`server`]: a real web site on loopback.

pub mod bigsite;
pub mod python;
pub mod server;
