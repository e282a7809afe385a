//! Development only: real servers and tools, and sites to test with.
//!
//! - [`bigsite`]: an archive of any size. - [`python`]: Python packages to compare with.
//! - [`replay`]: a stored site served again. - [`server`]: a real web site on loopback.

pub mod bigsite;
pub mod python;
pub mod replay;
pub mod server;
