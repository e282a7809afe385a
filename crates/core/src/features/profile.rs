//! What a page looks like, as sets of tokens by family: element paths, classes, short texts, headings, marks of the page, words of the title.
//!
//! Document, address → [`Profile`]. Which tokens are template and which are content is for the reader to find out by comparing pages
//! ([`super::kind`]); digits are folded, so that `Points: 12` and `Points: 97` are one text.

pub use super::tokens::Token;
use super::tokens::{fold, in_link};
use crate::page::dom::{Document, NodeId};
use crate::page::text;
use url::Url;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Families of tokens that are compared each by itself.
pub const FAMILIES: usize = 4;
pub const PATHS: usize = 0;
pub const CLASSES: usize = 1;
pub const LABELS: usize = 2;
pub const HEADINGS: usize = 3;

/// The longest text that is taken for a label, in bytes.
const LABEL: usize = 40;

/// Tokens of one family kept of one page: more than any real page measured has.
const MOST: usize = 20_000;

/// Elements whose short texts are headings or names of attributes.
const HEADING_ELEMENTS: [&str; 13] =
    ["th", "dt", "strong", "b", "h2", "h3", "h4", "h5", "h6", "label", "legend", "caption", "em"];

#[derive(Debug, Clone, Default)]
pub struct Profile {
    /// Sorted, by family.
    pub families: [Box<[Token]>; FAMILIES],
    /// What the page says of itself: classes of its body, its type in metadata, names of its metadata. Sorted.
    pub marks: Box<[Token]>,
    /// Words of the title, and its separators. Sorted.
    pub title: Box<[Token]>,
    /// Bytes of visible text.
    pub text: u32,
    pub links: u32,
}

impl Profile {
    /// `url` is the page's own address: its parts are names of the entity, of its year, letter or category, not labels.
    pub fn of(document: &Document, url: &Url, links: usize) -> Self {
        let mut profile = Self { links: links as u32, ..Self::default() };
        profile.read_elements(document);
        profile.read_texts(document, url);
        profile.title = sorted(title_tokens(&text::title(document)));
        profile
    }

    fn read_elements(&mut self, document: &Document) {
        let (mut paths, mut classes, mut marks) = (Vec::new(), Vec::new(), Vec::new());
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
            if matches!(name, "script" | "style" | "noscript") {
                if name == "script" {
                    read_structured_type(document, node, &mut marks);
                }
                continue;
            }
            paths.push(path);
            read_classes(document, node, name, &mut classes);
            read_marks(document, node, name, &mut marks);
        }
        self.families[PATHS] = sorted(paths);
        self.families[CLASSES] = sorted(classes);
        self.marks = sorted(marks);
    }

    fn read_texts(&mut self, document: &Document, url: &Url) {
        let own: Vec<Token> =
            url.path().split('/').filter_map(|part| label(&part.replace(['-', '_', '+'], " "))).collect();
        let (mut labels, mut headings) = (Vec::new(), Vec::new());
        for leaf in text::leaves(document) {
            self.text = self.text.saturating_add(leaf.text.len() as u32);
            if leaf.text.len() > LABEL || leaf.text.split(' ').count() > 4 || in_link(document, leaf.node) {
                continue;
            }
            let Some(token) = label(&leaf.text).filter(|token| !own.contains(token)) else { continue };
            labels.push(token);
            let inside = document.parent(leaf.node).map_or("", |parent| document.name(parent));
            if HEADING_ELEMENTS.contains(&inside) {
                headings.push(token);
            }
        }
        self.families[LABELS] = sorted(labels);
        self.families[HEADINGS] = sorted(headings);
    }

    /// The share of tokens of the first three families that two pages have in common, in [0, 1].
    pub fn jaccard(&self, other: &Self) -> f64 {
        let (mut both, mut all) = (0, 0);
        for (a, b) in self.families[..HEADINGS].iter().zip(&other.families[..HEADINGS]) {
            let shared = overlap(a, b);
            both += shared;
            all += a.len() + b.len() - shared;
        }
        if all == 0 { 1.0 } else { both as f64 / all as f64 }
    }
}

fn read_classes(document: &Document, node: NodeId, name: &str, classes: &mut Vec<Token>) {
    let seed = xxh3_64_with_seed(name.as_bytes(), 1);
    for class in document.attribute(node, "class").unwrap_or("").split_ascii_whitespace() {
        classes.push(xxh3_64_with_seed(fold(class).as_bytes(), seed));
    }
    if let Some(id) = document.attribute(node, "id").filter(|id| id.len() < LABEL) {
        classes.push(xxh3_64_with_seed(fold(id).as_bytes(), 3));
    }
}

fn read_marks(document: &Document, node: NodeId, name: &str, marks: &mut Vec<Token>) {
    let mut mark = |kind: u64, text: &str| marks.push(xxh3_64_with_seed(fold(text).as_bytes(), kind));
    if let Some(item) = document.attribute(node, "itemtype") {
        mark(4, item);
    }
    match name {
        "body" | "html" => {
            for class in document.attribute(node, "class").unwrap_or("").split_ascii_whitespace() {
                mark(5, class);
            }
            if let Some(id) = document.attribute(node, "id") {
                mark(6, id);
            }
        }
        "meta" => {
            let of = document.attribute(node, "name").or_else(|| document.attribute(node, "property")).unwrap_or("");
            match document.attribute(node, "content") {
                Some(content) if of.eq_ignore_ascii_case("og:type") => mark(7, content),
                _ if !of.is_empty() => mark(8, of),
                _ => {}
            }
        }
        _ => {}
    }
}

/// The types that JSON-LD names.
fn read_structured_type(document: &Document, node: NodeId, marks: &mut Vec<Token>) {
    if !document.attribute(node, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("application/ld+json")) {
        return;
    }
    for text in document.children(node).filter_map(|child| document.text(child)) {
        for after in text.split("\"@type\"").skip(1).take(50) {
            if let Some(value) = after.trim_start_matches([' ', ':', '\n', '\t', '[']).strip_prefix('"') {
                let value = value.split('"').next().unwrap_or("");
                marks.push(xxh3_64_with_seed(value.as_bytes(), 9));
            }
        }
    }
}

/// A label needs a letter; a colon at its end says nothing.
pub fn label(text: &str) -> Option<Token> {
    let folded = fold(text.trim_matches([':', ' ', '|', ',', '(', ')', '-']));
    folded.chars().any(char::is_alphabetic).then(|| xxh3_64_with_seed(folded.as_bytes(), 2))
}

/// Separators count as words: they tell how titles of a kind are put together.
fn title_tokens(title: &str) -> Vec<Token> {
    let folded = fold(title);
    let words = folded.split(|c: char| !c.is_alphanumeric() && c != '#').filter(|word| !word.is_empty());
    let mut tokens: Vec<Token> = words.take(60).map(|word| xxh3_64_with_seed(word.as_bytes(), 10)).collect();
    let separators = ['|', ':', '»', '«', '–', '—', '-', '·', '/'];
    tokens.extend(separators.iter().filter(|sign| folded.contains(**sign)).map(|sign| separator(*sign)));
    tokens
}

fn separator(sign: char) -> Token {
    xxh3_64_with_seed(&(sign as u32).to_le_bytes(), 11)
}

fn sorted(mut tokens: Vec<Token>) -> Box<[Token]> {
    tokens.sort_unstable();
    tokens.dedup();
    tokens.truncate(MOST);
    tokens.into()
}

/// How many elements two sorted sets have in common.
pub fn overlap(a: &[Token], b: &[Token]) -> usize {
    let (mut i, mut j, mut both) = (0, 0, 0);
    while i < a.len() && j < b.len() {
        match a[i].cmp(&b[j]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => (i, j, both) = (i + 1, j + 1, both + 1),
        }
    }
    both
}
