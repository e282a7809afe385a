//! Development only: real servers and tools, and sites to test with.
//!
//! - [`applications`]: real applications with truth. - [`bigsite`]: an archive of any size. - [`browser`]: a real Chromium. - [`data`]: real sites with truth.
//! - [`gaps`]: a shop and a forum with pages that no link reaches. - [`garden`]: one site as an application, plain, and decorated.
//! - [`hostile`]: sites that want to do harm. - [`mutate`]: broken inputs out of good ones. - [`postgres`]: a real PostgreSQL.
//! - [`python`]: Python packages to compare with. - [`replay`]: a stored site served again.
//! - [`server`]: a real web site on loopback. - [`traps`]: sites that never end.

pub mod applications;
pub mod bigsite;
pub mod browser;
pub mod data;
pub mod gaps;
pub mod garden;
pub mod hostile;
pub mod mutate;
pub mod postgres;
pub mod python;
pub mod replay;
pub mod server;
pub mod traps;
