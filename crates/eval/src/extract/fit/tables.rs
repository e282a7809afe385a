//! How much more often has a value of the role a token than any text has? Shares of tokens on several sites → log odds.
//!
//! Each site weighs the same. A token is kept when values of the role have it on two sites, or texts in general have it often.

use super::observe::Seen;
use pagekin::extract::fitted::views::VIEWS;
use pagekin::extract::fitted::{Table, Tables};
use std::collections::{BTreeMap, BTreeSet};

/// Of one view; these and the others here were set by hand.
const MOST_TOKENS: usize = 80;

/// Texts have a token often when this share has it.
const OFTEN: f64 = 0.01;

/// Sites that a role's share of a token is drawn towards the share in general by.
const DRAWN: f64 = 1.0;
const DRAWN_SMALL: f64 = 2.0;

const FARTHEST: f64 = 3.0;

/// What a handful of sites did not show says little.
const LEAST_ODDS: f64 = -1.0;

/// Log odds below are not worth a line.
const LEAST: f64 = 0.1;

/// Views with few tokens, all of which are kept.
const SMALL: [&str; 6] = ["length", "place", "distance", "support", "variation", "repeats"];

pub fn of_role(sites: &[&Seen], role: &str) -> Tables {
    // Sites that have no value of the role say nothing of it.
    let has = |seen: &&&Seen| seen.roles.get(role).is_some_and(|shares| shares.iter().any(|view| !view.is_empty()));
    let sites: Vec<&Seen> = sites.iter().filter(has).copied().collect();
    if sites.is_empty() {
        return Tables::new();
    }
    VIEWS.iter().enumerate().map(|(number, view)| ((*view).to_owned(), table(&sites, role, (number, view)))).collect()
}

fn table(sites: &[&Seen], role: &str, (number, view): (usize, &str)) -> Table {
    let own: Vec<&BTreeMap<String, f64>> = sites.iter().map(|seen| &seen.roles[role][number]).collect();
    let all: Vec<&BTreeMap<String, f64>> = sites.iter().map(|seen| &seen.all[number]).collect();
    let mean = |of: &[&BTreeMap<String, f64>], token: &str| {
        of.iter().map(|shares| shares.get(token).copied().unwrap_or(0.0)).sum::<f64>() / of.len() as f64
    };
    let small = SMALL.contains(&view);
    let drawn = if small { DRAWN_SMALL } else { DRAWN };
    let kept = |token: &&String| {
        let with = own.iter().filter(|shares| shares.contains_key(*token)).count();
        small || with >= 2 || mean(&all, token) >= OFTEN
    };
    let tokens: BTreeSet<&String> = own.iter().chain(&all).flat_map(|shares| shares.keys()).collect();
    let n = own.len() as f64;
    let odds = |token: &String| {
        let general = mean(&all, token).max(0.0005);
        let share = (n * mean(&own, token) + drawn * general) / (n + drawn);
        (share / general).ln().clamp(LEAST_ODDS, FARTHEST)
    };
    let worth = |token: &String, odds: f64| odds.abs() * mean(&own, token).max(mean(&all, token));
    let mut known: Vec<(&String, f64)> = tokens.into_iter().filter(kept).map(|token| (token, odds(token))).collect();
    known.sort_by(|a, b| worth(b.0, b.1).total_cmp(&worth(a.0, a.1)).then(a.0.cmp(b.0)));
    known.truncate(MOST_TOKENS);
    let names: BTreeSet<&String> = known.iter().map(|(token, _)| *token).collect();
    let other = if small { 0.0 } else { rounded(unknown(&own, &all, &names)) };
    let telling = known.into_iter().filter(|(_, odds)| (odds - other).abs() >= LEAST);
    Table { known: telling.map(|(token, odds)| (token.clone(), rounded(odds))).collect(), other }
}

/// Log odds of a token that is in no table.
fn unknown(own: &[&BTreeMap<String, f64>], all: &[&BTreeMap<String, f64>], known: &BTreeSet<&String>) -> f64 {
    let share = |of: &[&BTreeMap<String, f64>]| {
        let every: f64 = of.iter().flat_map(|shares| shares.values()).sum();
        let unknown = of.iter().flat_map(|shares| shares.iter()).filter(|(token, _)| !known.contains(token));
        unknown.map(|(_, share)| share).sum::<f64>() / every.max(f64::MIN_POSITIVE)
    };
    ((share(own) + 0.02) / (share(all) + 0.02)).ln().clamp(LEAST_ODDS, FARTHEST)
}

fn rounded(odds: f64) -> f64 {
    (odds * 100.0).round() / 100.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(own: &[(&str, f64)], all: &[(&str, f64)]) -> Seen {
        let shares = |words: &[(&str, f64)]| {
            let mut shares = vec![BTreeMap::new(); VIEWS.len()];
            shares[0] = words.iter().map(|(word, share)| ((*word).to_owned(), *share)).collect();
            shares
        };
        Seen { roles: BTreeMap::from([("cuisine".to_owned(), shares(own))]), all: shares(all) }
    }

    #[test]
    fn words_that_two_sites_share_tell_the_role() {
        let sites = [
            seen(&[("thai", 0.2), ("joe", 0.1)], &[("thai", 0.01), ("home", 0.3)]),
            seen(&[("thai", 0.1)], &[("thai", 0.01), ("home", 0.2)]),
        ];
        let words = &of_role(&sites.iter().collect::<Vec<_>>(), "cuisine")["words"];
        assert!(words.known["thai"] > 1.0, "{words:?}");
        assert!(words.known["home"] <= LEAST_ODDS, "no value has it, and many texts do: {words:?}");
        assert!(!words.known.contains_key("joe"), "one site says nothing of others");
        assert!(of_role(&[], "cuisine").is_empty());
    }
}
