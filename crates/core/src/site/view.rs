//! What did the site answer? [`Answer`] → [`PageView`]: a page of the site, parsed once; or the reason why there is none.
//!
//! Every stage that asks a site for pages reads the answers here: discovery, its refresh, the site model and the published methods.
//! - [`PageView::links`]: the links that may be followed. - [`PageView::place`]: where on the page a link stands.
//!
//! Knows nothing of what a stage keeps of a page.

use crate::page::address::{Scope, state_changing};
use crate::page::place::place;
use crate::page::{self, Document, Limits, Link, Origin};
use crate::pages::{Answer, RawPage, Reason, Skipped};

/// Links read from one page; the rest is ignored. The fullest of 19,000 real pages measured has 3,478.
const LINKS: usize = 100_000;

/// A page that answered, with its document.
#[derive(Debug)]
pub struct PageView {
    pub raw: RawPage,
    pub document: Document,
}

impl PageView {
    /// A page that did not answer, answered with an error, or stands outside of `scope` comes back with the reason.
    pub fn of(answer: Answer, scope: Option<&Scope>, limits: &Limits) -> Result<Self, Skipped> {
        let raw = match answer {
            Answer::Page(raw) => raw,
            Answer::Skipped(skipped) => return Err(skipped),
        };
        if !raw.is_success() {
            return Err(Skipped::new(&raw.url, Reason::Status, raw.status.to_string()));
        }
        if scope.is_some_and(|scope| !scope.contains(&raw.url)) {
            return Err(Skipped::new(&raw.url, Reason::OutOfScope, "a redirect leads off the site"));
        }
        Self::parse(raw, limits)
    }

    /// Whatever the status and the address.
    pub fn parse(raw: RawPage, limits: &Limits) -> Result<Self, Skipped> {
        match page::read(&raw, limits) {
            Ok(document) => Ok(Self { raw, document }),
            Err(refused) => Err(Skipped::new(&raw.url, Reason::Unparsable, refused.to_string())),
        }
    }

    /// Links in document order that lead to other pages of the site and change nothing there. Links by which a page names its own other
    /// addresses (`rel=canonical`, `rel=alternate`) are left out.
    pub fn links(&self, scope: Option<&Scope>) -> impl Iterator<Item = Link> {
        page::links::links(&self.document, &self.raw.url)
            .into_iter()
            .filter(|link| !link.rel.canonical && !link.rel.alternate)
            .filter(move |link| scope.is_none_or(|scope| scope.contains(&link.url)) && !state_changing(&link.url))
            .take(LINKS)
    }

    /// Where a link of this page stands: the end of its path, or where in embedded data it was found.
    pub fn place(&self, link: &Link) -> String {
        match link.origin {
            Origin::Head => "head".to_owned(),
            Origin::Data => link.data_path.as_deref().unwrap_or("data").to_owned(),
            _ => place(&self.document, link.node),
        }
    }

    /// Does the page only send its visitor on to another?
    pub fn is_stub(&self) -> bool {
        let document = &self.document;
        document.descendants(Document::ROOT).take_while(|&node| document.name(node) != "body").any(|node| {
            let attribute = |name| document.attribute(node, name).unwrap_or("").to_ascii_lowercase();
            document.name(node) == "meta"
                && attribute("http-equiv") == "refresh"
                && attribute("content").contains("url=")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::address::ScopeKind;
    use crate::page::robots::Directives;
    use url::Url;

    fn answer(status: u16, body: &'static str) -> Answer {
        let url = Url::parse("http://s.org/a").unwrap();
        let (redirects, content_type, robots) = (Vec::new(), None, Directives::default());
        Answer::Page(RawPage { url, redirects, status, content_type, body: body.into(), robots })
    }

    fn scope(start: &str) -> Scope {
        Scope::new(ScopeKind::Host, &Url::parse(start).unwrap())
    }

    #[test]
    fn an_answer_that_is_no_page_of_the_site_comes_back_with_the_reason() {
        let limits = Limits::default();
        let reason =
            |answer, scope: &Scope| PageView::of(answer, Some(scope), &limits).map_err(|skipped| skipped.reason);
        assert_eq!(reason(answer(404, "gone"), &scope("http://s.org/")).unwrap_err(), Reason::Status);
        assert_eq!(reason(answer(200, "here"), &scope("http://other.org/")).unwrap_err(), Reason::OutOfScope);
        assert!(reason(answer(200, "here"), &scope("http://s.org/")).is_ok());
    }

    #[test]
    fn links_lead_to_other_pages_of_the_site_and_change_nothing() {
        let body = "<link rel=canonical href=/b><a href=/c>c</a><a href=http://other.org/>o</a><a href=/logout>out</a>";
        let view = PageView::of(answer(200, body), None, &Limits::default()).unwrap();
        let links: Vec<Url> = view.links(Some(&scope("http://s.org/"))).map(|link| link.url).collect();
        assert_eq!(links, [Url::parse("http://s.org/c").unwrap()]);
    }

    #[test]
    fn a_page_that_only_sends_on_is_a_stub() {
        let stub = |body| PageView::of(answer(200, body), None, &Limits::default()).unwrap().is_stub();
        assert!(stub("<meta http-equiv=Refresh content='5; URL=/b'><body>moved"));
        assert!(!stub("<meta http-equiv=refresh content=30><body>reloads itself"));
    }
}
