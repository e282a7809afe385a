//! What do addresses have in common? Each address belongs to *nodes*: patterns of its folders, the form and the first word of its last part,
//! its parameters, the places its links stand in, the lists that show it. What is learned of one address is said of others through
//! the nodes they share ([`super::belief`]).
//!
//! Folders keep their names in some nodes and lose one of them in others, so that years, letters and categories need no rule of their
//! own: looks tell which node matters on a site.

use crate::page::shape::{Form, Shape, first_word, last_word};
use rustc_hash::FxHashMap;
use xxhash_rust::xxh3::xxh3_64_with_seed;

pub type NodeId = u32;

/// What a node stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum NodeKind {
    /// All folders by name, extension and names of parameters.
    Folder,
    /// The same, and what the last part looks like.
    Form,
    /// The folder, and the first word of the last part; the last word; both.
    Word,
    End,
    Both,
    /// The first word, the last word, whatever the folder.
    AnyWord,
    AnyEnd,
    /// The first folder; the first two.
    Top,
    TopTwo,
    /// Depth, extension and names of parameters.
    Outline,
    /// The folders with one of them left out.
    Wild,
    /// The last part, whatever the folder.
    Name,
    /// A parameter and its value.
    Value,
    /// The first folder, the form and the extension, at any depth.
    Tree,
    /// The place of a link on its page; the same, for one folder; one list: a place on one page.
    Place,
    PlaceFolder,
    List,
}

pub const NODE_KINDS: usize = 17;

impl NodeKind {
    const ALL: [NodeKind; NODE_KINDS] = [
        Self::Folder,
        Self::Form,
        Self::Word,
        Self::End,
        Self::Both,
        Self::AnyWord,
        Self::AnyEnd,
        Self::Top,
        Self::TopTwo,
        Self::Outline,
        Self::Wild,
        Self::Name,
        Self::Value,
        Self::Tree,
        Self::Place,
        Self::PlaceFolder,
        Self::List,
    ];
}

pub const NODE_KIND_NAMES: [&str; NODE_KINDS] = [
    "folder",
    "form",
    "word",
    "end",
    "both",
    "any_word",
    "any_end",
    "top",
    "top_two",
    "outline",
    "wild",
    "name",
    "value",
    "tree",
    "place",
    "place_folder",
    "list",
];

/// Folders of an address that may be left out one at a time.
const WILD: usize = 6;

/// Nodes by what they stand for.
#[derive(Default)]
pub struct Nodes {
    ids: FxHashMap<u64, NodeId>,
    kinds: Vec<NodeKind>,
    /// Addresses by node.
    times: Vec<u32>,
    addresses: u32,
    /// By folder: addresses whose last part has a first word, and a last one.
    with_words: FxHashMap<NodeId, [u32; 2]>,
}

/// A word names a type when at least this share of the last parts with words in a folder begins, or ends, with it.
const TYPE_SHARE: f64 = 0.1;
const TYPE_LEAST: u32 = 3;

/// The places of nodes in what [`Nodes::of_shape`] gives.
pub const FOLDER: usize = 0;
pub const FORM: usize = 1;
pub const WORD: usize = 2;
pub const END: usize = 3;
pub const BOTH: usize = 4;

impl Nodes {
    /// As they were collected: by number, each with its kind.
    pub fn of_kinds(kinds: &[u8]) -> Self {
        let kinds = kinds.iter().map(|&kind| NodeKind::ALL[kind as usize]).collect();
        Self { kinds, ..Self::default() }
    }

    pub fn id(&mut self, kind: NodeKind, key: u64) -> NodeId {
        let key = xxh3_64_with_seed(&key.to_le_bytes(), kind as u64 + 100);
        let next = self.kinds.len() as NodeId;
        let id = *self.ids.entry(key).or_insert(next);
        if id == next {
            self.kinds.push(kind);
            self.times.push(0);
        }
        id
    }

    /// How much it tells that an address belongs to a node: from 0, where all addresses do, to 3.
    pub fn specificity(&self, node: NodeId) -> f64 {
        let times = self.times.get(node as usize).copied().unwrap_or(0);
        ((f64::from(self.addresses) + 1.0) / (f64::from(times) + 1.0)).ln().clamp(0.0, 3.0)
    }

    fn names_type(&self, nodes: &[NodeId], at: usize) -> bool {
        let times = self.times[nodes[at] as usize];
        let all = self.with_words.get(&nodes[FOLDER]).map_or(0, |words| words[at - WORD]);
        nodes[at] != nodes[FORM] && times >= TYPE_LEAST && f64::from(times) >= TYPE_SHARE * f64::from(all)
    }

    /// The group of addresses that is judged and verified together: those of one folder and form; where words of the last part name types, those of one
    /// type.
    pub fn cell(&self, nodes: &[NodeId]) -> NodeId {
        match (self.names_type(nodes, WORD), self.names_type(nodes, END)) {
            (true, true) => nodes[BOTH],
            (true, false) => nodes[WORD],
            (false, true) => nodes[END],
            (false, false) => nodes[FORM],
        }
    }

    pub fn kind(&self, node: NodeId) -> NodeKind {
        self.kinds[node as usize]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.kinds.len()
    }

    /// The nodes of an address by itself; the first is that of its folder, the second that of its form.
    pub fn of_shape(&mut self, shape: &Shape) -> Box<[NodeId]> {
        let mut nodes = Vec::with_capacity(10);
        // A folder with a number in it is a year, a month, an edition or an id.
        let fold = |folder: &String| if folder.contains(char::is_numeric) { "#".to_owned() } else { folder.clone() };
        let folders: Vec<String> = shape.folders.iter().map(fold).collect();
        let kind = kind_of_file(shape);
        let form = if shape.parameters.is_empty() { Form::of(&shape.last) } else { Form::Empty };
        let symbol = form.symbol().to_string();
        let path = folders.join("/");
        let folder = hash(&[&path, &kind]);
        nodes.push(self.id(NodeKind::Folder, folder));
        nodes.push(self.id(NodeKind::Form, hash(&[&path, &kind, &symbol])));
        let (word, end) = (first_word(&shape.last), last_word(&shape.last));
        let form = nodes[FORM];
        let mut named = |kind_of_node: NodeKind, parts: &[&str], word: &str| {
            if word.is_empty() { form } else { self.id(kind_of_node, hash(parts)) }
        };
        nodes.push(named(NodeKind::Word, &[&path, &kind, &word], &word));
        nodes.push(named(NodeKind::End, &[&path, &kind, &end], &end));
        nodes.push(named(NodeKind::Both, &[&path, &kind, &word, &end], &word));
        for (kind_of_node, word) in [(NodeKind::AnyWord, &word), (NodeKind::AnyEnd, &end)] {
            if !word.is_empty() {
                nodes.push(self.id(kind_of_node, hash(&[&shape.extension, word])));
            }
        }
        let top = folders.first().map_or("", String::as_str);
        nodes.push(self.id(NodeKind::Top, hash(&[top])));
        if let Some(second) = folders.get(1) {
            nodes.push(self.id(NodeKind::TopTwo, hash(&[top, second])));
        }
        nodes.push(self.id(NodeKind::Outline, hash(&[&folders.len().to_string(), &kind])));
        for at in 0..folders.len().min(WILD) {
            let mut wild: Vec<&str> = folders.iter().map(String::as_str).collect();
            wild[at] = "*";
            nodes.push(self.id(NodeKind::Wild, hash(&[&wild.join("/"), &kind])));
        }
        if shape.parameters.is_empty() && !shape.last.is_empty() {
            nodes.push(self.id(NodeKind::Name, hash(&[&shape.last, &shape.extension])));
        }
        for (name, value) in shape.parameters.iter().take(4) {
            nodes.push(self.id(NodeKind::Value, hash(&[&path, &shape.last, name, value])));
        }
        nodes.push(self.id(NodeKind::Tree, hash(&[top, &shape.extension, &symbol])));
        let words = self.with_words.entry(nodes[FOLDER]).or_default();
        for (count, at) in words.iter_mut().zip([WORD, END]) {
            *count += u32::from(nodes[at] != nodes[FORM]);
        }
        self.addresses += 1;
        for (at, node) in nodes.iter().enumerate() {
            self.times[*node as usize] += u32::from(!nodes[..at].contains(node));
        }
        nodes.into()
    }
}

/// What kind of file or script an address names: its extension, or the script with the names of its parameters.
fn kind_of_file(shape: &Shape) -> String {
    let mut kind = shape.extension.clone();
    if !shape.parameters.is_empty() {
        kind.push('?');
        kind.push_str(&shape.last);
        for (name, _) in &shape.parameters {
            kind.push('&');
            kind.push_str(&fold_digits(name));
        }
    }
    kind
}

/// Numbers in names of parameters are ids.
fn fold_digits(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for character in text.chars() {
        if !character.is_numeric() {
            folded.push(character);
        } else if !folded.ends_with('#') {
            folded.push('#');
        }
    }
    folded
}

pub fn hash(parts: &[&str]) -> u64 {
    parts.iter().fold(0, |seed, part| xxh3_64_with_seed(part.as_bytes(), seed + part.len() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn nodes_of(nodes: &mut Nodes, url: &str) -> Box<[NodeId]> {
        nodes.of_shape(&Shape::of(&Url::parse(url).unwrap()))
    }

    #[test]
    fn addresses_of_one_folder_share_its_node_and_months_are_one_folder() {
        let mut nodes = Nodes::default();
        let may = nodes_of(&mut nodes, "http://s/list/2006-May/000804.html");
        let june = nodes_of(&mut nodes, "http://s/list/2007-June/000977.html");
        let index = nodes_of(&mut nodes, "http://s/list/2007-June/date.html");
        let elsewhere = nodes_of(&mut nodes, "http://s/about/000804.html");
        assert_eq!((may[0], may[1]), (june[0], june[1]));
        assert!(june[0] == index[0] && june[1] != index[1], "a number and a word are two forms");
        assert_ne!(may[0], elsewhere[0]);
    }

    #[test]
    fn numbers_in_names_of_parameters_are_ids() {
        let mut nodes = Nodes::default();
        let one = nodes_of(&mut nodes, "http://s/spip.php?article123");
        let other = nodes_of(&mut nodes, "http://s/spip.php?article77");
        assert_eq!(one[0], other[0]);
        assert_ne!(one[0], nodes_of(&mut nodes, "http://s/spip.php?rubrique77")[0]);
    }
}
