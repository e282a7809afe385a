//! Which records were found twice? Records → one for each thing, the pairs of its doubles added.
//!
//! A "link offer" with one item repeats what a detail region says (section 4.1): such records share their title, or all
//! pairs of one are in the other. Does not compare across pages.

use super::values::Found;

pub fn merged(records: Vec<Found>) -> Vec<Found> {
    let mut kept: Vec<Found> = Vec::new();
    for record in records {
        match kept.iter_mut().find(|known| same(known, &record)) {
            Some(known) => add(known, record),
            None => kept.push(record),
        }
    }
    kept
}

fn same(a: &Found, b: &Found) -> bool {
    let within = |a: &Found, b: &Found| {
        let held = |one: &super::values::Pair| b.pairs.iter().any(|own| own.role == one.role && own.value == one.value);
        !a.pairs.is_empty() && a.pairs.iter().all(held)
    };
    within(a, b) || within(b, a)
}

fn add(known: &mut Found, record: Found) {
    for pair in record.pairs {
        if !known.pairs.iter().any(|own| own.role == pair.role && own.value == pair.value) {
            known.pairs.push(pair);
        }
    }
}
