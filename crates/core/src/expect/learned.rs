//! What do earlier runs lead one to expect? What a run did beside what was known → what cannot be the daily change of a site.
//!
//! A page read again is compared with itself. That some of its values change is usual; that a column loses its values, changes its type or its
//! size, or that most columns of most pages say something else at once, is not.

use super::wall::Wall;
use super::{Expectations, Failure, Missed, Observed, Pair, day, number};
use crate::extract::value::{Typed, typed};
use std::collections::{BTreeMap, BTreeSet};

/// Fewer pages say too little. Set by hand, as all of these are; `crates/cli/tests/accidents.rs` holds them against 20 accidents and 20 changes.
const FEWEST: usize = 4;

/// Share of the records that may go at once.
const DROP: f64 = 0.2;

/// Share of index pages, and of known pages, that may give nothing.
const LISTS: f64 = 0.2;
const FAILED: f64 = 0.25;

/// Share of the pages that had values in a column and have none, another type, or an older date.
const COLUMN: f64 = 0.5;

/// Numbers of a column that are, in the middle, so many times larger or smaller than they were.
const TIMES: f64 = 5.0;

/// Share of the columns of a page that say something else, and of the pages of which that is true.
const REPLACED: f64 = 0.6;

/// Share of a page's columns that are empty now.
const LOST: f64 = 0.5;

pub fn missed(expect: &Expectations, seen: &Observed) -> Vec<Missed> {
    let mut missed = Vec::new();
    missed.extend(fewer(expect, seen));
    missed.extend(lists(seen));
    missed.extend(failed(seen));
    missed.extend(walls(seen));
    if seen.pairs.len() >= FEWEST {
        missed.extend(columns(seen));
        missed.extend(replaced(seen));
        missed.extend(same(seen));
        missed.extend(stale(seen));
    }
    missed.extend(template(seen, missed.is_empty()));
    missed
}

fn percent(part: usize, whole: usize) -> String {
    format!("{:.0} %", part as f64 / whole.max(1) as f64 * 100.0)
}

fn fewer(expect: &Expectations, seen: &Observed) -> Option<Missed> {
    let (most, fewer) = (expect.drop.unwrap_or(DROP), seen.before.saturating_sub(seen.records));
    let too_many = fewer as f64 > most * seen.before as f64 && (fewer >= FEWEST || expect.drop.is_some());
    let because = || {
        let (now, before) = (seen.records, seen.before);
        format!(
            "{now} records where there were {before}: {} fewer, and {:.0} % are expected at most",
            percent(fewer, before),
            most * 100.0
        )
    };
    too_many.then(|| Missed::new("drop", because(), examples(&seen.failures)))
}

fn examples(failures: &[Failure]) -> impl Iterator<Item = String> + '_ {
    failures.iter().map(|one| format!("{}: {}", one.url, one.why))
}

fn lists(seen: &Observed) -> Option<Missed> {
    let failed = seen.failed_lists.len();
    // That the last page of a list is not there any more is usual; what it costs in records is judged by itself.
    let broken = seen.failed_lists.iter().filter(|one| !one.missing).count();
    let too_many = broken >= 1 && broken as f64 >= LISTS * seen.lists as f64 || failed >= 1 && failed == seen.lists;
    let because = || format!("{failed} of {} index pages show nothing", seen.lists);
    too_many.then(|| Missed::new("lists", because(), examples(&seen.failed_lists)))
}

/// Of pages that lists show, or that were known.
fn failed(seen: &Observed) -> Option<Missed> {
    let (failed, asked) = (seen.failures.len(), seen.failures.len() + seen.pairs.len() + seen.new);
    let too_many = failed >= FEWEST && failed as f64 >= FAILED * asked as f64;
    let missing = seen.failures.iter().filter(|one| one.missing).count();
    let because = || {
        format!(
            "{failed} of {asked} pages that were asked for gave no record, {missing} of them because they are not there"
        )
    };
    too_many.then(|| Missed::new("pages", because(), examples(&seen.failures)))
}

fn walls(seen: &Observed) -> Vec<Missed> {
    let mut by_wall: BTreeMap<Wall, Vec<String>> = BTreeMap::new();
    for (url, wall) in &seen.walls {
        by_wall.entry(*wall).or_default().push(url.clone());
    }
    let asked = seen.pairs.len() + seen.failures.len() + seen.new;
    let many = |urls: &[String]| urls.len() >= FEWEST && urls.len() as f64 >= FAILED * asked as f64;
    let told = |(wall, urls): (Wall, Vec<String>)| {
        Missed::new(wall.name(), format!("{} of {asked} pages {}", urls.len(), wall.told()), urls)
    };
    by_wall.into_iter().filter(|(_, urls)| many(urls)).map(told).collect()
}

/// Has the page lost most of what it said?
pub fn has_lost(pair: &Pair) -> bool {
    let lost = pair.before.keys().filter(|name| !pair.after.contains_key(*name)).count();
    !pair.before.is_empty() && lost as f64 > LOST * pair.before.len() as f64
}

/// Has most of what it said become something else?
pub fn is_replaced(pair: &Pair) -> bool {
    let names: BTreeSet<&String> = pair.before.keys().chain(pair.after.keys()).collect();
    let other = names.iter().filter(|name| pair.before.get(**name) != pair.after.get(**name)).count();
    names.len() >= 2 && other as f64 >= REPLACED * names.len() as f64
}

/// A column on the pages that had it.
#[derive(Default)]
struct Paired<'p> {
    had: usize,
    lost: Vec<&'p Pair>,
    retyped: Vec<(&'p Pair, &'p str, &'p str)>,
    /// Now as a share of before.
    ratios: Vec<f64>,
    older: Vec<(&'p Pair, &'p str, &'p str)>,
}

fn columns(seen: &Observed) -> Vec<Missed> {
    let mut columns: BTreeMap<&str, Paired> = BTreeMap::new();
    for pair in &seen.pairs {
        for (name, before) in &pair.before {
            let column = columns.entry(name).or_default();
            column.had += 1;
            match (before.first(), pair.after.get(name).and_then(|after| after.first())) {
                (Some(before), Some(after)) => column.compare(pair, before, after),
                _ => column.lost.push(pair),
            }
        }
    }
    columns
        .into_iter()
        .filter(|(_, column)| column.had >= FEWEST)
        .flat_map(|(name, column)| column.missed(name))
        .collect()
}

impl<'p> Paired<'p> {
    fn compare(&mut self, pair: &'p Pair, before: &'p str, after: &'p str) {
        let (old, new) = (typed(before), typed(after));
        if old.as_ref().map(Typed::name) != new.as_ref().map(Typed::name) && before != after {
            self.retyped.push((pair, before, after));
        }
        if let (Some(old), Some(new)) = (old.as_ref().and_then(number), new.as_ref().and_then(number)) {
            self.ratios.push((new.abs() + 1e-9) / (old.abs() + 1e-9));
        }
        if let (Some(old), Some(new)) = (old.as_ref().and_then(day), new.as_ref().and_then(day))
            && new < old
        {
            self.older.push((pair, before, after));
        }
    }

    fn missed(mut self, name: &str) -> Vec<Missed> {
        let many = |count: usize, of: usize| count >= FEWEST && count as f64 >= COLUMN * of as f64;
        let told = |(pair, before, after): &(&Pair, &str, &str)| format!("{}: {before} → {after}", pair.url);
        let mut missed = Vec::new();
        if many(self.lost.len(), self.had) {
            let because = format!("`{name}` is empty on {} of {} pages that had it", self.lost.len(), self.had);
            missed.push(Missed::new("fill", because, self.lost.iter().map(|pair| pair.url.clone())));
        }
        if many(self.retyped.len(), self.had) {
            let because = format!("`{name}` is of another type on {} of {} pages", self.retyped.len(), self.had);
            missed.push(Missed::new("type", because, self.retyped.iter().map(told)));
        }
        self.ratios.sort_by(f64::total_cmp);
        let middle = self.ratios.get(self.ratios.len() / 2).copied().unwrap_or(1.0);
        if self.ratios.len() >= FEWEST && !(1.0 / TIMES..=TIMES).contains(&middle) {
            let because = format!("`{name}` is {middle:.3} times what it was, on {} pages", self.ratios.len());
            missed.push(Missed::new("range", because, []));
        }
        if many(self.older.len(), self.had) {
            let because = format!("`{name}` is older than before on {} of {} pages", self.older.len(), self.had);
            missed.push(Missed::new("stale", because, self.older.iter().map(told)));
        }
        missed
    }
}

fn replaced(seen: &Observed) -> Option<Missed> {
    let others: Vec<&Pair> = seen.pairs.iter().filter(|pair| is_replaced(pair)).collect();
    let many = others.len() >= FEWEST && others.len() as f64 >= REPLACED * seen.pairs.len() as f64;
    let because = || format!("most columns say something else on {} of {} pages", others.len(), seen.pairs.len());
    many.then(|| Missed::new("values", because(), others.iter().filter_map(|pair| change(pair))))
}

/// One value that is another now.
fn change(pair: &Pair) -> Option<String> {
    let shown = |values: Option<&Vec<String>>| values.map_or("nothing".to_owned(), |values| values.join("; "));
    let other = pair.before.iter().find(|(name, values)| pair.after.get(*name) != Some(values));
    let (name, before) = other?;
    Some(format!("{}: {name}: {} → {}", pair.url, shown(Some(before)), shown(pair.after.get(name))))
}

/// Pages that said different things and now all say the same.
fn same(seen: &Observed) -> Option<Missed> {
    let most = |of: fn(&Pair) -> &super::Values| {
        let mut times: BTreeMap<&super::Values, usize> = BTreeMap::new();
        seen.pairs.iter().for_each(|pair| *times.entry(of(pair)).or_default() += 1);
        times.into_values().max().unwrap_or(0)
    };
    let (before, after) = (most(|pair| &pair.before), most(|pair| &pair.after));
    let too_many = after >= FEWEST && after as f64 >= COLUMN * seen.pairs.len() as f64 && before * 2 < after;
    let because = || format!("{after} of {} pages say the same, and {before} did", seen.pairs.len());
    too_many.then(|| Missed::new("same", because(), seen.pairs.iter().map(|pair| pair.url.clone())))
}

/// Values that had been replaced are back.
fn stale(seen: &Observed) -> Option<Missed> {
    let changed: Vec<&Pair> = seen.pairs.iter().filter(|pair| pair.before != pair.after).collect();
    let back: Vec<&&Pair> = changed.iter().filter(|pair| pair.earlier.contains(&pair.after)).collect();
    let many = back.len() >= FEWEST && back.len() as f64 >= COLUMN * changed.len() as f64;
    let because =
        || format!("{} of {} changed pages say again what they said before: a stale copy", back.len(), changed.len());
    many.then(|| Missed::new("stale", because(), back.iter().map(|pair| pair.url.clone())))
}

/// Columns that were no longer found, and that pages still lack after they were learned again. Where they were found again nothing is missed.
fn template(seen: &Observed, nothing_else: bool) -> Option<Missed> {
    let changed = seen.pairs.iter().filter(|pair| is_replaced(pair) || has_lost(pair)).count();
    let missed = !seen.drift.is_empty() && (!nothing_else || changed >= FEWEST);
    let because = || {
        let slots: Vec<String> = seen.drift.iter().map(|one| format!("`{}`", one.slot)).collect();
        format!("the template of the pages changed: {} no longer stand where they stood", slots.join(", "))
    };
    missed.then(|| Missed::new("template", because(), []))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(of: &[(&str, String)]) -> super::super::Values {
        of.iter().map(|(name, value)| ((*name).to_owned(), vec![value.clone()])).collect()
    }

    /// Ten pages, each changed by `after`.
    fn seen(after: impl Fn(usize, &mut super::super::Values)) -> Observed {
        let pair = |at: usize| {
            let before = values(&[
                ("name", format!("thing {at}")),
                ("price", format!("{} EUR", 100 + at)),
                ("made", format!("2024-05-{:02}", at + 1)),
                ("about", format!("it is number {at} of ten")),
            ]);
            let mut now = before.clone();
            after(at, &mut now);
            Pair { url: format!("http://s/{at}"), before, after: now, earlier: Vec::new() }
        };
        Observed { before: 10, records: 10, lists: 2, pairs: (0..10).map(pair).collect(), ..Observed::default() }
    }

    fn told(seen: &Observed) -> Vec<String> {
        missed(&Expectations::default(), seen).into_iter().map(|one| one.expectation).collect()
    }

    #[test]
    fn daily_changes_are_not_told() {
        assert_eq!(told(&seen(|_, _| {})), [""; 0]);
        assert_eq!(told(&seen(|at, now| now.extend(values(&[("price", format!("{} EUR", 130 + at))])))), [""; 0]);
        assert_eq!(told(&seen(|at, now| now.extend(values(&[("made", format!("2024-06-{:02}", at + 1))])))), [""; 0]);
        assert_eq!(told(&Observed { records: 9, ..seen(|_, _| {}) }), [""; 0]);
    }

    #[test]
    fn columns_that_lose_their_values_type_or_size_are_told() {
        assert_eq!(told(&seen(|_, now| drop(now.remove("price")))), ["fill"]);
        assert_eq!(told(&seen(|_, now| now.extend(values(&[("price", "call us".to_owned())])))), ["type"]);
        assert_eq!(told(&seen(|at, now| now.extend(values(&[("price", format!("{} EUR", 10_000 + at))])))), ["range"]);
        assert_eq!(told(&seen(|at, now| now.extend(values(&[("made", format!("2023-05-{:02}", at + 1))])))), ["stale"]);
    }

    #[test]
    fn other_contents_are_told() {
        let other = seen(|at, now| {
            now.extend(values(&[
                ("name", format!("Ding {at}")),
                ("about", format!("Nummer {at}")),
                ("price", format!("{at} EUR")),
            ]));
        });
        assert!(told(&other).contains(&"values".to_owned()), "{:?}", told(&other));
        let one = seen(|_, now| *now = values(&[("name", "thing 3".to_owned()), ("price", "103 EUR".to_owned())]));
        assert!(told(&one).contains(&"same".to_owned()), "{:?}", told(&one));
    }

    #[test]
    fn records_lists_and_pages_that_go_at_once_are_told() {
        assert_eq!(told(&Observed { records: 5, ..seen(|_, _| {}) }), ["drop"]);
        let failure = |at: usize| Failure { url: format!("http://s/{at}"), why: "429".to_owned(), missing: false };
        assert_eq!(told(&Observed { failed_lists: vec![failure(1)], ..seen(|_, _| {}) }), ["lists"]);
        assert_eq!(told(&Observed { failures: (0..6).map(failure).collect(), ..seen(|_, _| {}) }), ["pages"]);
        let walls = (0..8).map(|at| (format!("http://s/{at}"), Wall::Login)).collect();
        assert_eq!(told(&Observed { walls, ..seen(|_, _| {}) }), ["login"]);
    }
}
