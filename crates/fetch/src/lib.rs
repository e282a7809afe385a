//! What does this address return, asked politely, or in the archive? URL → raw page.
//!
//! The live fetcher and the archive are two sources of [`Exchange`]s; what happens after one (redirects,
//! content coding, what counts as a document) is [`follow::follow`], shared, so that an archive behaves as the
//! site did.
//!
//! - [`exchange`]: one answer of a server as it came, who keeps it, who remembers it.
//! - [`codec`]: content codings undone within a size limit.
//! - [`sniff`]: is it a document?
//! - [`warc`]: the file format of stored answers, read and written: the crate `pagekin-warc`.
//! - [`archive`]: which stored answer belongs to an address.
//! - [`live`]: the polite fetcher.
//! - [`keys`]: names and passwords of hosts.
//! - [`listing`]: the addresses that a list, an index or an archive of a crawl holds.
//! - [`part`]: what the scripts of a page ask for.
//! - [`notify`]: tells an address of the user's that something happened.
//! - [`wishes`]: what pages ask of robots, counted and honoured.
//! - [`follow`]: from an address over its redirects to a page or a reason.
//!
//! Knows nothing of HTML, of SQL, or of which page is worth asking for.

pub mod archive;
pub mod ask;
pub mod codec;
pub mod error;
pub mod exchange;
pub mod follow;
pub mod keys;
pub mod listing;
pub mod live;
pub mod notify;
pub mod part;
pub mod sniff;
pub mod wishes;

pub use archive::remote::{Base, RemoteStats};
pub use archive::slice::{ArchiveSlice, SlicePage};
pub use archive::{Archive, Excerpt, Indexed, IndexedRecord};
pub use error::Error;
pub use exchange::{Drawn, Exchange, Known, Ready, Recorder, Turns};
pub use follow::Limits;
pub use listing::Listing;
pub use live::{Ceilings, Live, LiveSettings, Spent, Stats, Stop};
/// The file format of stored answers.
pub use pagekin_warc as warc;
pub use pagekin_warc::{WarcWriter, Written};
pub use part::{Part, PartRequest};
pub use wishes::Wishes;
