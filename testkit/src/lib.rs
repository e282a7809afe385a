//! Development only: real servers and tools, and sites to test with.
//!
//! - [`bigsite`]: an archive of any size.
//! - [`python`]: Python packages to compare with.

pub mod bigsite;
pub mod python;
