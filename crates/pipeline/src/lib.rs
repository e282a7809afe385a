//! The flow from a sample page to records: the one crate that knows both the thinking (`core`) and the world (`fetch`).
//!
//! ```text
//! SourceSettings ─► Source ─┐
//!                           ├─► discover_job ─► Discovery, RunStats
//! samples, Settings ────────┘
//! ```
//!
//! - [`source`]: where pages come from, the live site or archives. - [`job`]: one discovery from start to end.
//! - [`export`]: what was found, as columns.
//! - [`cost`]: what a run took: downloads, requests, bytes, time, memory.
//!
//! What `cli`, `web`, `eval` and others need of the crates below is re-exported here. Prints nothing.

pub mod cost;
pub mod export;
pub mod job;
pub mod source;

pub use cost::{RunStats, peak_memory, reset_peak_memory};
pub use job::discover_job;
pub use source::{Source, SourceSettings};

pub use pagekin_core::{discover, features, page, pages, site};
pub use pagekin_fetch::{Archive, Stats, Stop};
pub use url::Url;

/// Why a run could not be done. The messages are those of the stage that failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error(transparent)]
    Fetch(#[from] pagekin_fetch::Error),
    #[error(transparent)]
    Discover(#[from] pagekin_core::discover::Error),
    #[error("cannot make a Parquet file: {0}\n\nhint: write `.jsonl` or `.csv` instead")]
    Parquet(#[from] parquet::errors::ParquetError),
}
