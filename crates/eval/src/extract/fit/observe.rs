//! What is seen of a site's true values, and of all its texts? Site → shares of tokens by role and view.
//!
//! - [`Aligned`]: the pages of a site lined up, and how well each candidate is each role. - [`Seen`]: shares of tokens.

use crate::Error;
use crate::extract::score::{Counts, norm};
use crate::extract::truth::Site;
use pagekin::extract::class::{At, Class};
use pagekin::extract::fitted::views::{self, VIEWS};
use pagekin::extract::{batch, value};
use std::collections::{BTreeMap, BTreeSet};

/// Candidates of a role have an F1 of at least this, and nearly that of the best one. Set by hand.
const LEAST_F1: f64 = 0.5;
const NEAR_BEST: f64 = 0.05;

/// The pages of a site, lined up.
pub struct Aligned {
    pub class: Class,
    /// By role, F1 of each candidate.
    pub f1: BTreeMap<String, Vec<f64>>,
}

impl Aligned {
    pub fn new(site: &Site) -> Result<Self, Error> {
        let pages = site.pages()?;
        let read = batch::read_all(&pages).into_iter().zip(&pages);
        let (documents, urls): (Vec<_>, Vec<_>) =
            read.filter_map(|(document, page)| Some((document.ok()?, page.url.clone()))).unzip();
        let class = Class::align(documents);
        let texts: Vec<Vec<[String; 2]>> = class
            .pages
            .iter()
            .map(|page| page.list.iter().map(|leaf| [norm(&leaf.text), norm(value::clean(&leaf.text))]).collect())
            .collect();
        let of_role = |role: String| {
            let truth: Vec<&Vec<String>> = urls.iter().map(|url| &site.truth[url][&role]).collect();
            let hit =
                |at: &At| texts[at.0 as usize][at.1 as usize].iter().any(|text| truth[at.0 as usize].contains(text));
            let pages = truth.iter().filter(|values| !values.is_empty()).count();
            let f1 = class.candidates.iter().map(|candidate| {
                let hit = candidate.leaves.iter().filter(|at| hit(at)).count();
                Counts { hit, found: candidate.leaves.len(), truth: pages }.f1()
            });
            (role, f1.collect())
        };
        let f1 = site.attributes().into_iter().map(of_role).collect();
        Ok(Self { class, f1 })
    }

    /// Candidates that are the role, as well as any; best first.
    pub fn good(&self, role: &str) -> Vec<usize> {
        let Some(f1) = self.f1.get(role) else { return Vec::new() };
        let best = f1.iter().copied().fold(0.0, f64::max);
        let mut good: Vec<usize> =
            (0..f1.len()).filter(|&at| f1[at] >= LEAST_F1 && f1[at] >= best - NEAR_BEST).collect();
        good.sort_by(|a, b| f1[*b].total_cmp(&f1[*a]).then(a.cmp(b)));
        good
    }

    /// The leaf of each page's title, as the truth has it.
    pub fn titles(&self, role: Option<&str>) -> BTreeMap<u32, u32> {
        let best = role.and_then(|role| self.good(role).first().copied());
        best.map_or_else(BTreeMap::new, |best| self.class.candidates[best].leaves.iter().copied().collect())
    }
}

/// Share of the leaves or candidates that have a token, by view.
pub type Shares = Vec<BTreeMap<String, f64>>;

/// What is seen of a site.
pub struct Seen {
    pub roles: BTreeMap<String, Shares>,
    pub all: Shares,
}

impl Seen {
    pub fn of(aligned: &Aligned) -> Self {
        let class = &aligned.class;
        // The attribute that is the title is called so in every vertical.
        let title = ["title", "name", "model"].into_iter().find(|name| aligned.f1.contains_key(*name));
        let titles = aligned.titles(title);
        let tokens = |at: At, found: &mut dyn FnMut(usize, &str)| {
            views::of_leaf(class, at, titles.get(&at.0).copied(), found);
        };
        let of = |leaves: &BTreeSet<At>, candidates: &[usize]| {
            let mut shares: Shares = vec![BTreeMap::new(); VIEWS.len()];
            leaves.iter().for_each(|at| add(&mut shares, leaves.len(), |found| tokens(*at, found)));
            for &at in candidates {
                let one = |found: &mut dyn FnMut(usize, &str)| views::of_candidate(class, &class.candidates[at], found);
                add(&mut shares, candidates.len(), one);
            }
            shares
        };
        let leaves = |candidates: &[usize]| -> BTreeSet<At> {
            candidates.iter().flat_map(|at| class.candidates[*at].leaves.iter().copied()).collect()
        };
        let of_role = |role: &String| {
            let good = aligned.good(role);
            (role.clone(), of(&leaves(&good), &good))
        };
        let everything: Vec<usize> = (0..class.candidates.len()).collect();
        let varying =
            leaves(&everything).into_iter().filter(|at| !class.template.anchors.contains(&class.leaf(*at).word));
        Self { roles: aligned.f1.keys().map(of_role).collect(), all: of(&varying.collect(), &everything) }
    }

    /// Does a label stand before values of the role?
    pub fn has_label(&self, role: &str, label: &str) -> bool {
        self.roles.get(role).is_some_and(|shares| shares[3].contains_key(&format!("={label}")))
    }
}

/// Each token of one leaf or candidate counts once.
fn add(shares: &mut Shares, of: usize, tokens: impl FnOnce(&mut dyn FnMut(usize, &str))) {
    let mut seen: BTreeSet<(usize, String)> = BTreeSet::new();
    tokens(&mut |view, token| {
        seen.insert((view, token.to_owned()));
    });
    for (view, token) in seen {
        *shares[view].entry(token).or_default() += 1.0 / of as f64;
    }
}
