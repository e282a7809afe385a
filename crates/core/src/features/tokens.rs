//! What a page looks like, as a set of tokens: how its elements stand in one another, which classes they carry, and the
//! short texts that may be names of attributes ("entities of the same type have the same attributes", SSUP 2019 section 3).
//!
//! Document → sorted set of [`Token`] hashes. Which of them are template and which are content is for the reader to
//! find out by comparing pages; numbers are folded, so that `Points: 12` and `Points: 97` are one text.

use crate::page::dom::{Document, NodeId};
use crate::page::text;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A hash of kind and content.
pub type Token = u64;

/// The longest text that is taken for a label.
const LABEL: usize = 40;

/// The tokens of a page.
#[derive(Debug, Clone, Default)]
pub struct Tokens {
    /// Element paths and classes, sorted.
    pub structure: Box<[Token]>,
    /// Short texts, sorted.
    pub labels: Box<[Token]>,
}

/// `url` is the page's own address: its parts are names of the entity, of its year, letter or category, not labels.
pub fn tokens(document: &Document, url: &Url) -> Tokens {
    Tokens { structure: structure(document), labels: labels(document, url) }
}

fn structure(document: &Document) -> Box<[Token]> {
    let mut tokens = Vec::new();
    let mut path_of: Vec<Token> = vec![0; document.len()];
    for node in document.descendants(Document::ROOT) {
        let above = document.parent(node).map_or(0, |parent| path_of[parent as usize]);
        let name = document.name(node);
        if name.is_empty() {
            path_of[node as usize] = above;
            continue;
        }
        let path = xxh3_64_with_seed(name.as_bytes(), above);
        path_of[node as usize] = path;
        tokens.push(path);
        for class in document.attribute(node, "class").unwrap_or("").split_ascii_whitespace() {
            tokens.push(xxh3_64_with_seed(fold(class).as_bytes(), xxh3_64_with_seed(name.as_bytes(), 1)));
        }
    }
    sorted(tokens)
}

fn labels(document: &Document, url: &Url) -> Box<[Token]> {
    let leaves = text::leaves(document);
    let own: Vec<Token> = url.path().split('/').filter_map(|part| label(&part.replace(['-', '_', '+'], " "))).collect();
    let short = leaves.iter().filter(|leaf| leaf.text.len() <= LABEL && !in_link(document, leaf.node));
    sorted(short.filter_map(|leaf| label(&leaf.text)).filter(|label| !own.contains(label)).collect())
}

/// The words of a link name the page it leads to, not an attribute of this one.
pub(super) fn in_link(document: &Document, node: NodeId) -> bool {
    std::iter::successors(document.parent(node), |&above| document.parent(above))
        .any(|above| document.name(above) == "a")
}

/// A label needs a letter; a colon at its end says nothing.
fn label(text: &str) -> Option<Token> {
    let folded = fold(text.trim_end_matches([':', ' ']));
    folded.chars().any(char::is_alphabetic).then(|| xxh3_64_with_seed(folded.as_bytes(), 2))
}

/// Lower case, each run of digits as one `#`.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars().flat_map(char::to_lowercase) {
        if !character.is_numeric() {
            folded.push(character);
        } else if !folded.ends_with('#') {
            folded.push('#');
        }
    }
    folded
}

fn sorted(mut tokens: Vec<Token>) -> Box<[Token]> {
    tokens.sort_unstable();
    tokens.dedup();
    tokens.into()
}
