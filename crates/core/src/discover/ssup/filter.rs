//! Which pages of this level are of the sample's kind? Candidates with their strong URL similarity → groups, kept or not,
//! and the HTML threshold learned on the way (SSUP 2019 algorithm 2; SSUP 2014 algorithm 2, lines 8 to 20).
//!
//! - [`filter`]: the algorithm. - [`Candidate`]: a page and its URL similarity. - [`Group`]: candidates of equal URL
//!   similarity. - [`Filtered`]: the judged groups. - [`HtmlSimilarity`]: whom it asks, as late and as little as it can.
//!
//! The first group is looked at in one batch, because the smallest similarity in it is the threshold. A later group is
//! looked at page by page until one reaches the threshold; the first group in which none does ends the search.
//! What the papers leave open: a page that cannot be had (an error status, say) has no HTML similarity and is neither
//! kept nor a vote; a group of nothing but such pages decides nothing, and the next one stands in for it.
//!
//! Knows no sites: the golden of SSUP 2019 figure 5 is run literally in the tests.

use crate::site::{Stop, UrlId};
use std::future::Future;

/// Similarities closer than this are equal.
const TOLERANCE: f64 = 1e-9;

/// HTML similarity with the sample, none for what is no page.
pub trait HtmlSimilarity {
    fn of(&mut self, pages: &[UrlId]) -> impl Future<Output = Result<Vec<Option<f64>>, Stop>> + Send;
}

#[derive(Debug, Clone, Copy)]
pub struct Candidate {
    pub page: UrlId,
    pub similarity: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Html {
    /// Not needed, so not looked at.
    Unknown,
    /// Asked for, and no page.
    Gone,
    Similarity(f64),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The first group: kept, and its smallest HTML similarity is the threshold.
    First,
    /// A page reached the threshold.
    Reached,
    /// No page reached it.
    Below,
    /// Comes after a group in which no page reached it.
    After,
    /// No member is a page.
    Gone,
    /// The run ended before.
    Unjudged,
}

#[derive(Debug)]
pub struct Group {
    pub similarity: f64,
    pub members: Vec<(UrlId, Html)>,
    pub verdict: Verdict,
}

#[derive(Debug)]
pub struct Filtered {
    /// In decreasing order of URL similarity.
    pub groups: Vec<Group>,
    pub threshold: Option<f64>,
    pub stopped: Option<Stop>,
}

/// Judges the candidates, the sample not among them. Members of a group stand in the order they came.
pub async fn filter<H: HtmlSimilarity>(candidates: Vec<Candidate>, html: &mut H) -> Filtered {
    let mut filtered = Filtered { groups: groups(candidates), threshold: None, stopped: None };
    filtered.stopped = filtered.judge(html).await.err();
    filtered
}

fn groups(mut candidates: Vec<Candidate>) -> Vec<Group> {
    candidates.sort_by(|a, b| b.similarity.total_cmp(&a.similarity));
    let mut groups: Vec<Group> = Vec::new();
    for Candidate { page, similarity } in candidates {
        match groups.last_mut() {
            Some(group) if group.similarity - similarity <= TOLERANCE => group.members.push((page, Html::Unknown)),
            _ => groups.push(Group { similarity, members: vec![(page, Html::Unknown)], verdict: Verdict::Unjudged }),
        }
    }
    groups
}

impl Filtered {
    async fn judge<H: HtmlSimilarity>(&mut self, html: &mut H) -> Result<(), Stop> {
        let mut groups = self.groups.iter_mut();
        for group in groups.by_ref() {
            match self.threshold {
                None => self.threshold = group.learn(html).await?,
                Some(threshold) => group.verdict = group.reach(threshold, html).await?,
            }
            if group.verdict == Verdict::Below {
                break;
            }
        }
        groups.for_each(|group| group.verdict = Verdict::After);
        Ok(())
    }

    /// The groups and members kept, with the place of the group.
    pub fn kept(&self) -> impl Iterator<Item = (usize, &Group, UrlId, Html)> {
        let groups = self.groups.iter().enumerate().filter(|(_, group)| group.is_kept());
        let members = groups.flat_map(|(place, group)| group.members.iter().map(move |member| (place, group, *member)));
        members
            .filter(|(_, _, (_, html))| *html != Html::Gone)
            .map(|(place, group, (page, html))| (place, group, page, html))
    }
}

impl Group {
    pub fn is_kept(&self) -> bool {
        matches!(self.verdict, Verdict::First | Verdict::Reached)
    }

    /// Looks at all members: the smallest similarity is the threshold. The members are kept even when the run stops
    /// here: line 5 comes before line 6.
    async fn learn<H: HtmlSimilarity>(&mut self, html: &mut H) -> Result<Option<f64>, Stop> {
        self.verdict = Verdict::First;
        let pages: Vec<UrlId> = self.members.iter().map(|(page, _)| *page).collect();
        let similarities = html.of(&pages).await?;
        for (member, similarity) in self.members.iter_mut().zip(similarities) {
            member.1 = similarity.map_or(Html::Gone, Html::Similarity);
        }
        let lowest = self.similarities().min_by(f64::total_cmp);
        if lowest.is_none() {
            self.verdict = Verdict::Gone;
        }
        Ok(lowest)
    }

    /// Looks at members one by one until one reaches the threshold.
    async fn reach<H: HtmlSimilarity>(&mut self, threshold: f64, html: &mut H) -> Result<Verdict, Stop> {
        let mut verdict = Verdict::Gone;
        for (page, known) in &mut self.members {
            let similarity = html.of(&[*page]).await?.first().copied().flatten();
            *known = similarity.map_or(Html::Gone, Html::Similarity);
            match similarity {
                Some(similarity) if similarity >= threshold => return Ok(Verdict::Reached),
                Some(_) => verdict = Verdict::Below,
                None => {}
            }
        }
        Ok(verdict)
    }

    /// The HTML similarities looked at.
    pub fn similarities(&self) -> impl Iterator<Item = f64> {
        self.members.iter().filter_map(|(_, html)| match html {
            Html::Similarity(similarity) => Some(*similarity),
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures::executor::block_on;
    use rustc_hash::FxHashMap;

    /// Answers from a table, and remembers each question.
    struct Table {
        html: FxHashMap<UrlId, f64>,
        asked: Vec<Vec<UrlId>>,
        budget: usize,
    }

    impl HtmlSimilarity for Table {
        async fn of(&mut self, pages: &[UrlId]) -> Result<Vec<Option<f64>>, Stop> {
            self.asked.push(pages.to_vec());
            self.budget = self.budget.checked_sub(pages.len()).ok_or(Stop::Budget)?;
            Ok(pages.iter().map(|page| self.html.get(page).copied()).collect())
        }
    }

    fn run(rows: &[(UrlId, f64, Option<f64>)], budget: usize) -> (Filtered, Vec<Vec<UrlId>>) {
        let html = rows.iter().filter_map(|(page, _, html)| Some((*page, (*html)?))).collect();
        let mut table = Table { html, asked: Vec::new(), budget };
        let candidates = rows.iter().map(|&(page, similarity, _)| Candidate { page, similarity }).collect();
        let filtered = block_on(filter(candidates, &mut table));
        (filtered, table.asked)
    }

    fn kept(filtered: &Filtered) -> Vec<UrlId> {
        filtered.kept().map(|(_, _, page, _)| page).collect()
    }

    /// SSUP 2019 figure 5: sample 3.2. 3.0 and 3.8 stand under another link-path and are no candidates.
    const FIGURE_5: [(UrlId, f64, Option<f64>); 6] = [
        (31, 0.94, Some(0.85)),
        (33, 0.94, Some(0.75)),
        (34, 0.75, Some(0.80)),
        (35, 0.75, Some(0.82)),
        (36, 0.56, Some(0.45)),
        (37, 0.62, Some(0.40)),
    ];

    #[test]
    fn the_golden_of_2019() {
        let (filtered, asked) = run(&FIGURE_5, usize::MAX);
        assert_eq!(filtered.threshold, Some(0.75));
        assert_eq!(kept(&filtered), [31, 33, 34, 35]);
        // The first group at once; of the second one page is enough; no HTML of 3.6 is needed.
        assert_eq!(asked, [vec![31, 33], vec![34], vec![37]]);
        let verdicts: Vec<Verdict> = filtered.groups.iter().map(|group| group.verdict).collect();
        assert_eq!(verdicts, [Verdict::First, Verdict::Reached, Verdict::Below, Verdict::After]);
    }

    /// SSUP 2014 figure 5: sample L1; G1 = {L2, L3}, G2 = {L4, L5}, G3 = {L6}, G4 = {L7}; L0 and L8 stand under another
    /// link-path. The threshold is 0.75, that of L3; L5 is not looked at.
    #[test]
    fn the_golden_of_2014() {
        let rows = [
            (2, 0.9, Some(0.8)),
            (3, 0.9, Some(0.75)),
            (4, 0.6, Some(0.78)),
            (5, 0.6, Some(0.1)),
            (6, 0.3, Some(0.5)),
            (7, 0.0, Some(0.9)),
        ];
        let (filtered, asked) = run(&rows, usize::MAX);
        assert_eq!(kept(&filtered), [2, 3, 4, 5]);
        assert_eq!(asked, [vec![2, 3], vec![4], vec![6]]);
        assert_eq!(filtered.threshold, Some(0.75));
    }

    #[test]
    fn a_later_group_is_asked_until_one_page_reaches_the_threshold() {
        let rows = [(1, 0.9, Some(0.5)), (2, 0.8, Some(0.2)), (3, 0.8, None), (4, 0.8, Some(0.5)), (5, 0.8, Some(0.1))];
        let (filtered, asked) = run(&rows, usize::MAX);
        assert_eq!(asked, [vec![1], vec![2], vec![3], vec![4]]);
        assert_eq!(kept(&filtered), [1, 2, 4, 5]);
    }

    #[test]
    fn similarities_within_the_tolerance_are_one_group() {
        let (filtered, _) = run(&[(1, 0.3, Some(0.5)), (2, 0.1 + 0.2, Some(0.2))], usize::MAX);
        assert_eq!(filtered.groups.len(), 1);
        assert_eq!(filtered.threshold, Some(0.2));
    }

    #[test]
    fn pages_that_are_gone_decide_nothing() {
        let rows = [(1, 0.9, None), (2, 0.8, Some(0.6)), (3, 0.8, None), (4, 0.7, None), (5, 0.6, Some(0.7))];
        let (filtered, _) = run(&rows, usize::MAX);
        assert_eq!(filtered.threshold, Some(0.6));
        assert_eq!(kept(&filtered), [2, 5]);
    }

    #[test]
    fn a_spent_budget_leaves_what_was_judged() {
        let (filtered, _) = run(&FIGURE_5, 3);
        assert_eq!(filtered.stopped, Some(Stop::Budget));
        assert_eq!(kept(&filtered), [31, 33, 34, 35]);
        assert_eq!(filtered.groups[2].verdict, Verdict::Unjudged);
        let (filtered, _) = run(&FIGURE_5, 1);
        assert_eq!((kept(&filtered), filtered.threshold), (vec![31, 33], None));
    }

    #[test]
    fn no_candidates_is_no_groups() {
        let (filtered, asked) = run(&[], usize::MAX);
        assert!(filtered.groups.is_empty() && asked.is_empty() && filtered.threshold.is_none());
    }
}
