//! What did the server answer, and who keeps it? The answer itself is that of the crate `pagekin-warc`.
//!
//! - [`Exchange`]: one answer as it came. - [`Drawn`]: the document that the scripts of a page made of it.
//! - [`Recorder`]: who keeps exchanges (an archive being written).
//! - [`Known`]: who remembers earlier exchanges (an archive of the last run), for conditional requests.
//! - [`Turns`]: the pace that several programs keep together.

use pagekin_warc::WarcWriter;
pub use pagekin_warc::{Drawn, Exchange};
use std::io;
use std::pin::Pin;
use std::time::Duration;
use url::Url;

/// Keeps exchanges. An error (disk full) stops the run: what was fetched must not be lost silently.
pub trait Recorder: Send + Sync {
    /// `revisit`: the server said that nothing changed, and `exchange` carries the earlier body.
    fn record(&self, exchange: &Exchange, revisit: bool) -> io::Result<()>;

    /// Beside the answer, which was recorded before.
    fn record_drawn(&self, exchange: &Exchange, drawn: &Drawn) -> io::Result<()>;
}

/// A turn is ready.
pub type Ready<'t> = Pin<Box<dyn Future<Output = ()> + Send + 't>>;

/// The pace that several programs keep together.
pub trait Turns: Send + Sync {
    /// Waits for the next turn at a host, where turns are this far apart.
    fn turn<'t>(&'t self, host: &'t str, gap: Duration) -> Ready<'t>;
}

/// Remembers exchanges of an earlier run.
pub trait Known: Send + Sync {
    fn exchange(&self, url: &Url) -> Option<Exchange>;
}

impl Recorder for WarcWriter {
    fn record(&self, exchange: &Exchange, revisit: bool) -> io::Result<()> {
        self.write(exchange, revisit).map(drop)
    }

    fn record_drawn(&self, exchange: &Exchange, drawn: &Drawn) -> io::Result<()> {
        self.write_drawn(exchange, drawn).map(drop)
    }
}
