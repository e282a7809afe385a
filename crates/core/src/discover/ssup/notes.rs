//! What the walk down says of itself: entities, index pages, pages left out, and the lines of `--explain`.
//!
//! Confidence of a page that was looked at is its HTML similarity over the learned threshold, at most 1; of a page taken
//! on the word of its group, whose speaker reached the threshold, 1.

use super::collections::Collections;
use super::filter::{Filtered, Group, Html, Verdict};
use super::ledger::{Found, Grouping, counted};
use super::pagination::Continuation;
use super::traversal::{Member, Traversal};
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::UrlId;
use rustc_hash::FxHashSet;

impl<P: Pages> Traversal<'_, '_, P> {
    pub(super) fn note_entities(&mut self, members: &[Member]) {
        for member in members {
            let Member { page, parent: via, confidence, ref evidence } = *member;
            self.ledger.entity(page, Found { confidence, via, evidence: evidence.clone().into() });
        }
    }

    /// From the leaves up: an index page stays when it leads to a page that stays. A stopped run cannot tell.
    pub(super) fn note_indexes(&mut self, levels: Vec<Vec<Member>>, entities: &[Member]) {
        let mut below: FxHashSet<UrlId> = entities.iter().map(|member| self.site.resolve(member.page)).collect();
        for (level, members) in levels.into_iter().enumerate().rev() {
            let mut here = FxHashSet::default();
            for Member { page, parent, evidence, .. } in members {
                let down = self.path.down[level];
                let leads = self.site.links(page).any(|link| link.path == down && below.contains(&link.target));
                if leads || self.stopped.is_some() {
                    here.insert(page);
                    self.ledger.index(page, Grouping { level, parent, evidence: evidence.into() });
                } else {
                    self.ledger.drop(page, "like an index page, but leads to no page of the next level");
                }
            }
            below = here;
        }
    }

    /// Pages that stand under other link-paths only (algorithm 2, line 2).
    pub(super) fn drop_others(&mut self, collections: &Collections, path: PathId) {
        let under: FxHashSet<UrlId> = collections.under(path).iter().copied().collect();
        for page in collections.pages().into_iter().filter(|page| !under.contains(page)) {
            self.ledger.drop(page, "stands under another link-path than the sample");
        }
    }

    pub(super) fn drop_groups(&mut self, filtered: &Filtered) {
        for group in filtered.groups.iter().filter(|group| !group.is_kept()) {
            for &(page, html) in &group.members {
                self.ledger.drop(page, left_out(group, html, filtered.threshold));
            }
        }
    }

    pub(super) fn explain_level(
        &mut self,
        depth: usize,
        pages: &[UrlId],
        collections: &Collections,
        filtered: &Filtered,
    ) {
        let (sample, path) = (self.path.pages[depth + 1], self.path.down[depth]);
        let (under, all) = (collections.under(path).len(), collections.pages().len());
        let path = self.site.show_path(path);
        let mut lines = vec![format!(
            "linked from {}: {all} pages, {under} of them through {path}",
            counted(pages.len(), "index page")
        )];
        let judged = filtered.groups.iter().take_while(|group| group.verdict != Verdict::After);
        lines.extend(judged.enumerate().map(|(place, group)| explain_group(place, group, filtered.threshold)));
        let after: Vec<&Group> = filtered.groups.iter().filter(|group| group.verdict == Verdict::After).collect();
        if let (Some(first), Some(last)) = (after.first(), after.last()) {
            let pages = counted(after.iter().map(|group| group.members.len()).sum(), "page");
            let (groups, from, to) = (counted(after.len(), "further group"), first.similarity, last.similarity);
            lines.push(format!("{groups}, URL similarity {from:.2} to {to:.2}, {pages}: dropped unseen"));
        }
        self.ledger.step(format!("level {}: pages like `{}`", depth + 1, self.site.url(sample)), lines);
    }

    pub(super) fn explain_continuations(&mut self, groups: &[Continuation], sample: UrlId) {
        let lines = groups.iter().map(|group| {
            let verdict = if group.is_taken() { "taken" } else { "left" };
            let html = group.html.map_or("no page".to_owned(), |(own, next)| {
                format!("HTML similarity {own:.2} to this level, {next:.2} to the next")
            });
            let (first, pages) = (self.site.url(group.pages[0]), counted(group.pages.len(), "page"));
            let (similarity, path) = (group.similarity, self.site.show_path(group.path));
            format!("{verdict}: {pages}, URL similarity {similarity:.2}, first `{first}`, {html}, through {path}")
        });
        let lines = lines.collect();
        self.ledger.step(format!("pages that go on with `{}` and its like", self.site.url(sample)), lines);
    }
}

pub(super) fn confidence(html: Html, threshold: Option<f64>) -> f64 {
    match (html, threshold) {
        (Html::Similarity(similarity), Some(threshold)) if threshold > 0.0 => (similarity / threshold).min(1.0),
        _ => 1.0,
    }
}

/// Why a member of a kept group is kept.
pub(super) fn taken(filtered: &Filtered, place: usize, group: &Group, html: Html) -> String {
    let (number, groups, similarity) = (place + 1, filtered.groups.len(), group.similarity);
    let html = match html {
        Html::Similarity(similarity) => format!("HTML similarity {similarity:.2}"),
        _ => "taken with its group".to_owned(),
    };
    let threshold = filtered.threshold.map_or("no threshold learned".to_owned(), |t| format!("threshold {t:.2}"));
    format!("group {number} of {groups}: URL similarity {similarity:.2}, {html}, {threshold}")
}

fn left_out(group: &Group, html: Html, threshold: Option<f64>) -> String {
    let (similarity, threshold) = (group.similarity, threshold.unwrap_or(0.0));
    match (group.verdict, html) {
        (Verdict::Below, Html::Similarity(html)) => {
            format!("URL similarity {similarity:.2}, HTML similarity {html:.2} below the threshold {threshold:.2}")
        }
        (Verdict::Unjudged, _) => format!("URL similarity {similarity:.2}, the run ended before it was judged"),
        _ => format!("URL similarity {similarity:.2}, lower than that of a group below the threshold {threshold:.2}"),
    }
}

fn explain_group(place: usize, group: &Group, threshold: Option<f64>) -> String {
    let (number, similarity, pages) = (place + 1, group.similarity, counted(group.members.len(), "page"));
    let looked: Vec<f64> = group.similarities().collect();
    let lowest = looked.iter().copied().fold(f64::INFINITY, f64::min);
    let highest = looked.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let html = match looked.len() {
        0 => "no HTML looked at".to_owned(),
        1 => format!("HTML similarity {highest:.2} of one page looked at"),
        some => format!("HTML similarity {lowest:.2} to {highest:.2} of {some} pages looked at"),
    };
    let threshold = threshold.map_or("none".to_owned(), |threshold| format!("{threshold:.2}"));
    let verdict = match group.verdict {
        Verdict::First => format!("kept; learned threshold {threshold}"),
        Verdict::Reached => format!("kept, reaches {threshold}"),
        Verdict::Below => format!("dropped, below {threshold}"),
        Verdict::Gone => "no page could be looked at, decides nothing".to_owned(),
        Verdict::After | Verdict::Unjudged => "not judged".to_owned(),
    };
    format!("group {number}: URL similarity {similarity:.2}, {pages}, {html}: {verdict}")
}
