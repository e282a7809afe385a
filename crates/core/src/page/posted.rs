//! Which addresses does a page do something at? Forms that post → their addresses; a link → does it only look like a link?
//!
//! - [`Posted`]: the addresses that forms of one page post to, apart from its own: pages post to themselves for many reasons.
//! - [`Posted::acts`]: the verdict on a link, by two signals of three: its words say that something is done, a form posts to
//!   the same address, the page marks it `nofollow`. One alone says too little: shops post to the pages of their goods, authors
//!   mark links to strangers, and titles are made of verbs.
//!
//! What the words of an address say by themselves is in [`state_changing`](super::state_changing).

use super::dom::{Document, NodeId};
use super::links::Rel;
use super::state_changing::has_verb;
use rustc_hash::FxHashSet;
use url::Url;

/// Forms of a page that are looked at.
const MOST: usize = 1000;

#[derive(Debug, Default)]
pub struct Posted(FxHashSet<Url>);

impl Posted {
    pub fn of(document: &Document, forms: &[NodeId], url: &Url, base: &Url) -> Self {
        let address = |form: &NodeId| {
            let posts =
                document.attribute(*form, "method").is_some_and(|method| method.trim().eq_ignore_ascii_case("post"));
            let mut address = base.join(document.attribute(*form, "action").filter(|_| posts)?.trim()).ok()?;
            address.set_fragment(None);
            Some(address)
        };
        Self(forms.iter().take(MOST).filter_map(address).filter(|address| address != url).collect())
    }

    /// Does following this link do something?
    pub fn acts(&self, link: &Url, rel: Rel) -> bool {
        let posted = self.0.contains(link);
        // Words are looked at last: it takes longest.
        match (posted, rel.nofollow) {
            (true, true) => true,
            (false, false) => false,
            _ => has_verb(link),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::page::{Limits, links::links, parser};

    fn left(html: &str) -> Vec<String> {
        let url = "http://s/page".parse().unwrap();
        let document = parser::parse(html, &Limits::default()).unwrap();
        links(&document, &url).into_iter().map(|link| link.url.path().to_owned()).collect()
    }

    #[test]
    fn two_signals_of_three_make_an_action() {
        let form = "<form method=POST action=/x/like-this><button>ok</button></form>";
        for (html, expected) in [
            ("<a href=/x/like-this>words alone</a>", 1),
            ("<a rel=nofollow href=/x/plain>nofollow alone</a>", 1),
            ("<form method=post action=/x/plain></form><a href=/x/plain>form alone</a>", 1),
            ("<a rel=nofollow href=/x/like-this>words, nofollow</a>", 0),
            (&format!("{form}<a href=/x/like-this#now>words, form</a>"), 0),
            ("<a rel=nofollow href=/x/plain>both</a><form method=post action='http://s/x/plain'></form>", 0),
            ("<form action=/x/like-this></form><a href=/x/like-this>a form that asks</a>", 1),
            (&format!("{form}<script type=application/json>{{\"url\":\"/x/like-this\"}}</script>"), 0),
            ("<script type=application/json>{\"url\":\"/x/like-this\"}</script>", 1),
        ] {
            assert_eq!(left(html).len(), expected, "{html}");
        }
    }

    #[test]
    fn a_page_that_posts_to_itself_is_still_a_page() {
        assert_eq!(left("<form method=post action=''></form><a rel=nofollow href=/page>again</a>"), ["/page"]);
        assert_eq!(left("<form method=post></form><a rel=nofollow href=/page>again</a>"), ["/page"]);
    }

    #[test]
    fn links_needed_to_go_on_are_read_whatever_their_rel() {
        let html = "<a rel=nofollow href=/producto/packaging-5/>a</a><a rel='nofollow next' href='/list?page=2'>b</a>";
        assert_eq!(left(html), ["/producto/packaging-5/", "/list"]);
    }
}
