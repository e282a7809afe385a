//! Development only: what the tests of several crates share.
//!
//! - [`server`]: a real web site on loopback.

pub mod server;
