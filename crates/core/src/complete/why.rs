//! Why is a search thought to be so complete? Evidence → sentences.

use super::fitted::Bounds;
use super::{Evidence, thousands};

/// What was seen, the most telling first, and how often searches that saw the like were right.
pub(super) fn because(evidence: &Evidence, bounds: &Bounds) -> Vec<String> {
    let mut because = Vec::new();
    because.extend(stated(evidence));
    because.extend(routes(evidence));
    because.extend(ids(evidence));
    if evidence.stopped {
        because.push("the search was cut short by its budget".to_owned());
    }
    because.extend(not_asked(evidence));
    because.extend(doubtful(evidence));
    if because.is_empty() {
        because.push(format!("{} lists were gone through, and no page promised more", evidence.lists));
    }
    because.push(right_so_often(bounds));
    because
}

fn right_so_often(bounds: &Bounds) -> String {
    let of_hundred = (100.0 * bounds.sure).round();
    match bounds.safe {
        true => format!("of 100 searches that saw the like, {of_hundred} were right within so narrow an interval"),
        false => format!(
            "searches that saw the like missed very different shares; {of_hundred} of 100 were right within so wide an interval"
        ),
    }
}

fn stated(evidence: &Evidence) -> Option<String> {
    let stated = evidence.stated.as_ref()?;
    let (shown, text, url) = (thousands(stated.shown as u64), &stated.text, &stated.url);
    Some(format!("the list at {url} says \"{text}\", and showed {shown}"))
}

fn routes(evidence: &Evidence) -> Option<String> {
    let routes = evidence.routes?;
    let [first, second, both, all] = [routes.first, routes.second, routes.both, routes.estimate().round() as usize]
        .map(|count| thousands(count as u64));
    Some(format!("two routes showed {first} and {second} of them, {both} on both, which speaks for {all}"))
}

fn ids(evidence: &Evidence) -> Option<String> {
    let ids = evidence.ids.filter(|ids| ids.dense())?;
    Some(format!("their ids run from {} to {} with {} gaps", ids.first, ids.last, thousands(ids.gaps())))
}

fn not_asked(evidence: &Evidence) -> Option<String> {
    let expected = evidence.left_out + evidence.not_shown;
    let pages = match evidence.open_lists {
        0 => "pages that were not asked for".to_owned(),
        1 => "pages that were not asked for, 1 of them a further page of a list,".to_owned(),
        more => format!("pages that were not asked for, {} of them further pages of lists,", thousands(more as u64)),
    };
    (expected >= 0.5 || evidence.open_lists > 0)
        .then(|| format!("{pages} may show about {} more", thousands(expected.round() as u64)))
}

fn doubtful(evidence: &Evidence) -> Option<String> {
    let wrong = evidence.doubtful.round() as u64;
    (wrong > 0).then(|| format!("about {} of those found may be of another kind", thousands(wrong)))
}
