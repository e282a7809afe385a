//! Does this page need a browser? A page as it came, and as a browser left it → what scripts add, and which pages are worth it.
//!
//! - [`Mode`]: what the user chose. - [`look()`]: links and texts of a page, as numbers. - [`Gain`]: what the scripts of a page add.
//! - [`Decisions`]: the classes of pages of a site that were compared, and what is to be done with a further page.
//!
//! Decides by comparing, never from script tags: nearly every page has scripts, and few need them. Renders nothing itself.

pub mod look;

pub use look::{Gain, Look, look};

use serde::{Deserialize, Serialize};

/// When a browser is used.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    Serialize,
    Deserialize,
    strum::EnumString,
    strum::IntoStaticStr,
    strum::VariantNames,
)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Mode {
    /// For classes of pages that show more in it.
    #[default]
    Auto,
    Never,
    /// For every page.
    Always,
}

/// What is to be done with a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    Plain,
    /// Render it once and compare; why this page is asked.
    Compare(&'static str),
    /// Its class shows more in a browser: what, in words.
    Render(String),
}

/// Likeness from which on two pages are of one class here. 0.6: pages of one template differ in optional parts only, and
/// pages of two templates of one site share little more than menus. Set by hand.
const ALIKE: f64 = 0.6;

/// Pages of a site that are compared at most: sites have some dozen templates, and each is compared once.
const MOST_COMPARED: usize = 24;

/// Classes of pages of one site.
#[derive(Debug, Default)]
pub struct Decisions {
    classes: Vec<Class>,
    compared: usize,
    /// Some class shows more in a browser, or links that were expected are missing: then each further class is compared, too.
    wary: bool,
    /// Some page with scripts was read as it came, and nothing like it was compared.
    unsure: bool,
}

#[derive(Debug)]
struct Class {
    /// Of the page that was compared.
    shape: Box<[u64]>,
    gain: Option<String>,
    /// Compare it again: something else than its shape says that it changed.
    doubted: bool,
}

impl Decisions {
    /// `first`: a sample, the entry page, or the first page of the site that was asked.
    pub fn decide(&mut self, page: &Look, first: bool) -> Decision {
        let class = self.class_of(page);
        let unknown = class.is_none();
        let decision = self.decision(class, page, first);
        self.unsure |= unknown && page.scripts && decision == Decision::Plain;
        decision
    }

    fn decision(&self, class: Option<&Class>, page: &Look, first: bool) -> Decision {
        match class {
            Some(class) if class.doubted && self.may_compare() => Decision::Compare("its class was in doubt"),
            Some(Class { gain: Some(gain), .. }) => Decision::Render(gain.clone()),
            Some(_) => Decision::Plain,
            None if !page.scripts || !self.may_compare() => Decision::Plain,
            None if first => Decision::Compare("a first page"),
            None if page.is_shell() => Decision::Compare("an empty shell"),
            None if self.wary => Decision::Compare("a new class of a site with scripts"),
            None => Decision::Plain,
        }
    }

    /// What the comparison of a page said, and whether its class is worth a browser. A failed one is no evidence, and is not to be told here.
    pub fn learn(&mut self, page: &Look, gain: &Gain) -> bool {
        let doubted = self.class_of(page).is_some_and(|class| class.doubted);
        let worth = gain.is_worth_it() || doubted && gain.is_any();
        let gained = worth.then(|| gain.to_string());
        self.wary |= worth;
        self.compared += 1;
        self.classes.retain(|class| !(class.doubted && likeness(&class.shape, &page.shape) >= ALIKE));
        self.classes.push(Class { shape: page.shape.clone(), gain: gained, doubted: false });
        worth
    }

    /// A comparison that failed counts towards those that may be made.
    pub fn failed(&mut self) {
        self.compared += 1;
    }

    /// Values that used to be there are missing: classes that needed no browser may need one now, and so may those that were not compared.
    /// False when no page was read of which that is not known.
    pub fn doubt(&mut self) -> bool {
        let plain = self.classes.iter_mut().filter(|class| class.gain.is_none());
        let doubted = plain.map(|class| class.doubted = true).count() > 0 && self.may_compare();
        self.expect() || doubted
    }

    /// Links that were expected are missing: scripts may show them. False when no page was read of which that is not known.
    pub fn expect(&mut self) -> bool {
        let changes = self.unsure && !self.wary && self.may_compare();
        self.wary |= changes;
        changes
    }

    fn may_compare(&self) -> bool {
        self.compared < MOST_COMPARED
    }

    fn class_of(&self, page: &Look) -> Option<&Class> {
        let alike = self.classes.iter().map(|class| (likeness(&class.shape, &page.shape), class));
        let best = alike.max_by(|a, b| a.0.total_cmp(&b.0));
        best.filter(|(likeness, _)| *likeness >= ALIKE).map(|(_, class)| class)
    }
}

/// Jaccard of two sorted sets.
fn likeness(a: &[u64], b: &[u64]) -> f64 {
    let common = a.iter().filter(|own| b.binary_search(own).is_ok()).count();
    let all = a.len() + b.len() - common;
    if all == 0 { 1.0 } else { common as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::robots::Directives;
    use crate::pages::RawPage;
    use url::Url;

    fn page(html: &str) -> Look {
        let url = Url::parse("http://s.org/a").unwrap();
        let (body, robots) = (html.as_bytes().to_vec().into(), Directives::default());
        let content_type = Some("text/html; charset=utf-8".to_owned());
        look(&RawPage { url, redirects: Vec::new(), status: 200, content_type, body, robots }).expect("a page")
    }

    const SHELL: &str = "<title>App</title><div id=app></div><script src=app.js></script>";
    const LIST: &str = "<div id=app><h1>All of them</h1><ul><li><a href=/1>one</a><li><a href=/2>two</a></ul></div>";

    fn article(name: &str, extra: &str) -> String {
        let text = "Many words about something that one can read without any script at all. ".repeat(5);
        format!("<script src=x.js></script><nav><a href=/>home</a></nav><h1>{name}</h1><p>{text}</p>{extra}")
    }

    #[test]
    fn a_shell_is_compared_and_its_class_rendered() {
        let mut decisions = Decisions::default();
        let (shell, list) = (page(SHELL), page(LIST));
        assert_eq!(decisions.decide(&shell, false), Decision::Compare("an empty shell"));
        decisions.learn(&shell, &Gain::of(&shell, &list));
        assert!(matches!(decisions.decide(&shell, false), Decision::Render(why) if why.contains("2 links")));
        assert_eq!(
            decisions.decide(&page(&article("a", "")), false),
            Decision::Compare("a new class of a site with scripts")
        );
    }

    #[test]
    fn scripts_that_only_decorate_leave_a_class_plain() {
        let mut decisions = Decisions::default();
        let plain = page(&article("a", ""));
        assert_eq!(decisions.decide(&plain, true), Decision::Compare("a first page"));
        let decorated =
            article("a", "<div class=clock>12:03:11</div><a href=#top>up</a><a href=//x.org/share>share</a>");
        let gain = Gain::of(&plain, &page(&decorated));
        assert!(!gain.is_worth_it(), "{gain:?}");
        decisions.learn(&plain, &gain);
        let list: String = (0..30).map(|at| format!("<ul><li><a href=/{at}>{at}</a></ul><script></script>")).collect();
        for other in [article("b", ""), list] {
            assert_eq!(decisions.decide(&page(&other), false), Decision::Plain);
        }
        // Until something says that links or values are missing.
        decisions.doubt();
        assert_eq!(decisions.decide(&plain, false), Decision::Compare("its class was in doubt"));
        assert!(decisions.learn(&plain, &gain), "in doubt a few words are enough");
        assert!(matches!(decisions.decide(&plain, false), Decision::Render(_)));
    }

    #[test]
    fn a_page_without_scripts_is_never_compared() {
        let plain = page("<p>hello");
        assert_eq!(Decisions::default().decide(&plain, true), Decision::Plain);
    }

    #[test]
    fn missing_links_are_looked_for_on_pages_that_were_not_compared() {
        let mut decisions = Decisions::default();
        let (plain, other) = (page("<p>hello"), page(&article("a", "")));
        assert_eq!(decisions.decide(&plain, true), Decision::Plain);
        assert!(!decisions.expect(), "no page has scripts");
        assert_eq!(decisions.decide(&other, false), Decision::Plain);
        assert!(decisions.expect());
        assert!(matches!(decisions.decide(&other, false), Decision::Compare(_)));
        assert!(!decisions.expect(), "once");
    }

    #[test]
    fn comparisons_are_bounded() {
        let mut decisions = Decisions::default();
        (0..MOST_COMPARED).for_each(|_| decisions.failed());
        assert_eq!(decisions.decide(&page(SHELL), true), Decision::Plain);
    }

    #[test]
    fn visits_in_addresses_are_no_gain() {
        let of = |visit: &str| article("a", &format!("<ul><li><a href='/1?PHPSESSID={visit}'>1</a></ul>"));
        let gain = Gain::of(&page(&of("a1")), &page(&of("b2")));
        assert_eq!((gain.links, gain.text), (0, 0));
    }
}
