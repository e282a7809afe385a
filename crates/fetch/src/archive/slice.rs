//! Which pages stand in this slice of an archive? A file and a range of it → its pages, without a look at the rest of the file.
//!
//! - [`ArchiveSlice`]: the pages whose records begin in the range, one after the other. Slices that lie side by side give each page once, so that many
//!   machines can share one file.
//!
//! A file that is compressed as a whole has one beginning: its first slice gives all of it. Redirects to other records are not followed.

use super::scan::{self, is_html};
use crate::error::Error;
use crate::follow::{self, Limits};
use crate::warc::head::{Head, Kind};
use crate::warc::http::{self, Answered, HTTP_HEAD};
use crate::warc::read::Reader;
use futures::FutureExt;
use jiff::Timestamp;
use pagekin_core::pages::{Answer, Reason, Skipped};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A page of a slice, and where its record begins.
pub struct SlicePage {
    pub answer: Answer,
    pub position: u64,
    pub at: Timestamp,
}

pub struct ArchiveSlice {
    path: PathBuf,
    reader: Reader,
    end: u64,
    limits: Limits,
}

impl ArchiveSlice {
    /// The records that begin at `from` or behind it, and before `to`.
    pub fn open(path: &Path, from: u64, to: u64, limits: Limits) -> Result<Self, Error> {
        let cannot = |source| Error::OpenArchive { path: path.to_owned(), source };
        let reader = Reader::part(scan::open(path)?, from).map_err(cannot)?;
        Ok(Self { path: path.to_owned(), reader, end: to, limits })
    }

    /// The next page of HTML that answered with success; damaged records are stepped over.
    pub fn next_page(&mut self) -> Result<Option<SlicePage>, Error> {
        self.advance().map_err(|source| Error::OpenArchive { path: self.path.clone(), source })
    }

    fn advance(&mut self) -> io::Result<Option<SlicePage>> {
        while let Some(head) = self.reader.next_head()? {
            if head.place.member >= self.end {
                return Ok(None);
            }
            if head.segmented() || !matches!(head.kind, Kind::Response | Kind::Resource) || head.url().is_none() {
                continue;
            }
            let limit = self.limits.decoded + HTTP_HEAD;
            let block = match self.reader.block(limit) {
                Ok(block) => block,
                Err(trouble) => {
                    self.reader.give_up(trouble)?;
                    continue;
                }
            };
            if self.reader.finish()?
                && let Some(page) = page(&head, block, &self.limits)
            {
                return Ok(Some(page));
            }
        }
        Ok(None)
    }
}

fn page(head: &Head, block: Vec<u8>, limits: &Limits) -> Option<SlicePage> {
    let url = head.url()?;
    let answered = Answered::parse(head, &block)?;
    if !(200..300).contains(&answered.status) || !is_html(&answered, &block[answered.length..]) {
        return None;
    }
    let exchange = Arc::new(http::exchange(head, block)?);
    let hop = async |at: &url::Url| match *at == url {
        true => Ok(exchange.clone()),
        false => Err(Skipped::new(at, Reason::NotArchived, "another record")),
    };
    let answer = follow::follow(&url, limits, hop).now_or_never()?;
    Some(SlicePage { answer, position: head.place.member, at: head.date().unwrap_or(Timestamp::UNIX_EPOCH) })
}
