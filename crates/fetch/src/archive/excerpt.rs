//! Which records say what an address answered? An address → its records as they stand in the archive, redirects and all, each packed by
//! itself, so that they are an archive of their own.
//!
//! - [`Excerpt`]: one record. A revisit comes with the record that holds its body, and an answer with what a browser made of it.

use super::{Archive, Inner, Listed, scan};
use crate::warc::head::{Head, Kind};
use crate::warc::http::{Answered, HTTP_HEAD};
use crate::warc::read::raw_head;
use crate::warc::write::Form;
use jiff::Timestamp;
use url::Url;

/// Addresses of one chain of redirects.
const HOPS: usize = 10;

#[derive(Debug, Clone, PartialEq)]
pub struct Excerpt {
    pub kind: Kind,
    pub url: Url,
    pub at: Timestamp,
    /// None of what a browser made.
    pub status: Option<u16>,
    pub media_type: String,
    /// As the record says it: `sha1:…`.
    pub digest: String,
    pub id: String,
    /// A gzip member with the record, byte for byte.
    pub packed: Vec<u8>,
}

impl Archive {
    /// Empty where the archive does not hold the address.
    pub fn excerpt(&self, url: &Url) -> Vec<Excerpt> {
        let (mut all, mut next) = (Vec::<Excerpt>::new(), Some(url.clone()));
        for _ in 0..HOPS {
            let Some(entry) = next.take().and_then(|url| self.inner.index.find(&url)) else { break };
            let first = self.inner.index.first(entry).filter(|_| self.inner.index.entry(entry).kind == Kind::Revisit);
            for entry in first.into_iter().chain([entry]).chain(self.inner.index.drawn(entry)) {
                let own = self.inner.excerpt(entry, self.limits.decoded);
                all.extend(own.filter(|own| all.iter().all(|known| known.id != own.id)));
            }
            let answer =
                self.inner.exchange(entry, &self.limits).ok().filter(|answer| (300..400).contains(&answer.status));
            next = answer.and_then(|answer| answer.url.join(answer.header("location")?).ok());
        }
        all
    }

    /// The record that is listed.
    pub fn record(&self, listed: &Listed) -> Option<Excerpt> {
        self.inner.excerpt(listed.entry, self.limits.decoded)
    }
}

impl Inner {
    fn excerpt(&self, entry: u32, most: usize) -> Option<Excerpt> {
        let at = self.index.entry(entry);
        let store = self.stores.get(usize::from(at.file))?;
        let (head, block) = scan::read(store, at.place(), (most + HTTP_HEAD) as u64).ok()?;
        let lines = raw_head(store.source.clone(), store.dictionary.clone(), at.place()).ok()?;
        let raw = [lines, block.clone(), b"\r\n\r\n".to_vec()].concat();
        let answered = Answered::parse(&head, &block);
        Some(Excerpt {
            kind: head.kind,
            url: head.url()?,
            at: head.date().unwrap_or(Timestamp::UNIX_EPOCH),
            status: answered.as_ref().map(|own| own.status).filter(|_| head.kind != Kind::Drawn),
            media_type: media_type(&head, answered.as_ref()),
            digest: head.field("warc-payload-digest").unwrap_or_default().to_owned(),
            id: head.field("warc-record-id").unwrap_or_default().to_owned(),
            packed: Form::Gzip.pack(raw).ok()?,
        })
    }
}

fn media_type(head: &Head, answered: Option<&Answered>) -> String {
    let of_answer = |own: &Answered| {
        let kind = own.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
        kind.map(|(_, value)| value.clone())
    };
    let whole = match answered.filter(|_| head.kind != Kind::Drawn) {
        Some(own) => of_answer(own),
        None => head.field("content-type").map(str::to_owned),
    };
    whole.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}
