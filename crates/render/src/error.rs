//! Why is there no browser, and why no page? [`Error`] ends all rendering, a [`Failure`] one page.

use pagekin_core::pages::{Reason, Skipped};
use std::path::PathBuf;
use url::Url;

#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    #[error("no browser found\n\nhint: `apt-get install chromium`, or name the program")]
    NoBrowser,
    #[error("there is no browser `{path}`\n\nhint: give the program itself, no wrapper", path = .0.display())]
    NotThere(PathBuf),
    #[error(
        "the browser's sandbox does not work for root, and scripts of strangers would run as root without it\n\n\
         hint: run as another user, or do without the sandbox where nothing is to be lost, as in a container"
    )]
    Root,
    #[error(
        "the browser `{program}` does not start: {reason}\n\n\
         hint: try `{program} --headless --dump-dom about:blank`; where the system forbids its sandbox, do without",
        program = program.display()
    )]
    Start { program: PathBuf, reason: String },
}

#[derive(Debug, Clone, thiserror::Error)]
pub enum Failure {
    /// There is no browser at all.
    #[error(transparent)]
    Browser(#[from] Error),
    /// The page itself, or something that it needs, could not be had: no word on what scripts would show.
    #[error("{}: {}", .0.reason, .0.detail)]
    NotHad(Skipped),
    #[error("its tab crashed")]
    Crashed,
    #[error("the browser took more than {0} bytes of memory for it")]
    Memory(u64),
    #[error("its scripts did not end within {0} s")]
    Endless(u64),
    #[error("its document has more than {0} bytes")]
    TooLarge(usize),
    /// With other pages at the same time: which of them it was is found out by trying alone.
    #[error("the browser ended")]
    Gone,
    #[error("the browser says: {0}")]
    Protocol(String),
}

impl Failure {
    /// As a row that a person can read.
    pub fn skipped(self, url: &Url) -> Skipped {
        match self {
            Self::NotHad(skipped) => Skipped { url: url.clone(), ..skipped },
            Self::TooLarge(_) => Skipped::new(url, Reason::TooLarge, self.to_string()),
            other => Skipped::new(url, Reason::NotRendered, other.to_string()),
        }
    }
}
