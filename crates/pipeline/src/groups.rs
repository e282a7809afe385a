//! Which pages of a mixed lot are of one class? Documents → groups, by how their elements stand in one another.
//!
//! Each page is compared with the first page of each group, and joins the most similar one that is similar enough: linear in the
//! number of pages. Does not look at links or addresses; the site's model knows more.

use pagekin_core::features::tokens::{Token, tokens};
use pagekin_core::page::Document;
use url::Url;

/// Jaccard similarity of structures from which pages are of one class. Set by hand, not measured.
const ALIKE: f64 = 0.4;

/// Groups that are told apart; a page unlike all of them goes to the nearest.
const MOST: usize = 12;

/// A group of less than this share of the pages (and of one page) is left out: errors, the front page.
const LEAST_SHARE: f64 = 0.03;

/// The largest group first.
pub fn groups(pages: Vec<(Url, Document)>) -> Vec<Vec<Document>> {
    let all = pages.len();
    let mut groups: Vec<(Box<[Token]>, Vec<Document>)> = Vec::new();
    for (url, document) in pages {
        let structure = tokens(&document, &url).structure;
        let near = groups.iter().enumerate().map(|(at, (leader, _))| (at, jaccard(leader, &structure)));
        let near = near.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)));
        match near {
            Some((at, share)) if share >= ALIKE || groups.len() >= MOST => groups[at].1.push(document),
            _ => groups.push((structure, vec![document])),
        }
    }
    let mut groups: Vec<Vec<Document>> = groups.into_iter().map(|(_, documents)| documents).collect();
    groups.sort_by_key(|documents| std::cmp::Reverse(documents.len()));
    let large = |documents: &Vec<Document>| documents.len() > 1 && documents.len() as f64 >= all as f64 * LEAST_SHARE;
    let kept = groups.iter().take_while(|documents| large(documents)).count().max(1);
    groups.truncate(kept);
    groups
}

/// Of sorted sets.
fn jaccard(a: &[Token], b: &[Token]) -> f64 {
    let (mut i, mut j, mut both) = (0, 0, 0usize);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                both += 1;
                i += 1;
                j += 1;
            }
        }
    }
    let union = a.len() + b.len() - both;
    if union == 0 { 1.0 } else { both as f64 / union as f64 }
}
