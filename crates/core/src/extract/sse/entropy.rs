//! How much of what is looked for stands below each node? Document, domain → annotated leaves, entropies, regions.
//!
//! - [`Tree`]: the leaves with their roles, and the nodes above them, without presentational elements.
//! - [`Regions`]: which nodes are data-rich, lists, link offers. - [`entropy`]: definition 1, on counts.
//!
//! Algorithm 1, lines 1 to 18. Knows nothing of values.

use super::Settings;
use crate::extract::domain::{Domain, Role};
use crate::extract::leaves::label_of;
use crate::page::dom::{Document, NodeId};
use crate::page::text;
use aho_corasick::AhoCorasick;
use rustc_hash::FxHashMap;

/// "Representation tags, such as b, i, and font" (line 2): their texts belong to the element around them.
const PRESENTATION: [&str; 16] = [
    "b", "i", "u", "s", "em", "strong", "font", "small", "big", "sup", "sub", "tt", "strike", "mark", "nobr", "center",
];

/// Two entropies are the same within this.
const SAME: f64 = 1e-9;

/// Leaves are read up to here: a bound against hostile pages, set by hand.
const MOST_LEAVES: usize = 20_000;

#[derive(Debug, Clone)]
pub struct Leaf {
    pub node: NodeId,
    pub text: Box<str>,
    /// Number of the role in the domain; none is unidentified.
    pub role: Option<usize>,
}

/// Which nodes are what, in document order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Regions {
    pub rich: Vec<NodeId>,
    pub lists: Vec<NodeId>,
    pub link_offers: Vec<NodeId>,
}

/// A non-leaf node: which leaves are below it, and how they mix.
#[derive(Debug, Clone)]
struct Branch {
    node: NodeId,
    parent: Option<usize>,
    /// First and one past the last leaf.
    leaves: (usize, usize),
    entropy: f64,
}

pub struct Tree {
    pub leaves: Vec<Leaf>,
    /// Parents before children.
    branches: Vec<Branch>,
    known: FxHashMap<NodeId, usize>,
    roles: usize,
}

/// −Σ p log2 p over how many leaves have each role; the unidentified are one role of their own.
pub fn entropy(counts: &[u32]) -> f64 {
    let all: u32 = counts.iter().sum();
    let part = |&count: &u32| {
        let p = f64::from(count) / f64::from(all);
        if count == 0 { 0.0 } else { -p * p.log2() }
    };
    if all == 0 { 0.0 } else { counts.iter().map(part).sum::<f64>().max(0.0) }
}

impl Tree {
    pub fn new(document: &Document, domain: &Domain) -> Self {
        let keywords = Keywords::new(domain);
        let mut leaves = Vec::new();
        for leaf in text::leaves(document).into_iter().take(MOST_LEAVES) {
            annotate(leaf, keywords.as_ref(), &mut leaves);
        }
        let roles = domain.roles.len();
        let mut tree = Self { leaves, branches: Vec::new(), known: FxHashMap::default(), roles };
        tree.grow(document);
        tree.weigh();
        tree
    }

    /// The elements above the leaves; each is met first with its first leaf, so that parents stand before children.
    fn grow(&mut self, document: &Document) {
        for at in 0..self.leaves.len() {
            let mut above = Vec::new();
            let mut node = document.parent(self.leaves[at].node);
            while let Some(own) = node {
                if !document.name(own).is_empty() && !PRESENTATION.contains(&document.name(own)) {
                    above.push(own);
                }
                node = document.parent(own);
            }
            let mut parent = None;
            for own in above.into_iter().rev() {
                let branch = *self.known.entry(own).or_insert_with(|| {
                    self.branches.push(Branch { node: own, parent, leaves: (at, at), entropy: 0.0 });
                    self.branches.len() - 1
                });
                self.branches[branch].leaves.1 = at + 1;
                parent = Some(branch);
            }
        }
    }

    /// Children give their counts to their parents, last ones first, so that each is counted once.
    fn weigh(&mut self) {
        let width = self.roles + 1;
        let mut counts = vec![0u32; width * self.branches.len()];
        let mut own = vec![None; self.leaves.len()];
        for (number, branch) in self.branches.iter().enumerate() {
            own[branch.leaves.0..branch.leaves.1].fill(Some(number));
        }
        for (leaf, branch) in self.leaves.iter().zip(own) {
            if let Some(branch) = branch {
                counts[branch * width + leaf.role.unwrap_or(self.roles)] += 1;
            }
        }
        for number in (0..self.branches.len()).rev() {
            self.branches[number].entropy = entropy(&counts[number * width..(number + 1) * width]);
            if let Some(parent) = self.branches[number].parent {
                for role in 0..width {
                    counts[parent * width + role] += counts[number * width + role];
                }
            }
        }
    }

    /// Lines 11 to 18, bottom up.
    pub fn regions(&self, settings: Settings) -> Regions {
        let mut below = vec![0.0f64; self.branches.len()];
        let mut rich = vec![false; self.branches.len()];
        let mut children: Vec<Vec<f64>> = vec![Vec::new(); self.branches.len()];
        for (number, branch) in self.branches.iter().enumerate().rev() {
            rich[number] = branch.entropy >= settings.rich && branch.entropy > below[number] + SAME;
            if let Some(parent) = branch.parent {
                below[parent] = below[parent].max(below[number]).max(branch.entropy);
                children[parent].push(branch.entropy);
            }
        }
        self.without_inner(&mut rich);
        let nodes = |chosen: &[usize]| chosen.iter().map(|&at| self.branches[at].node).collect();
        let is_list = |at: &usize| {
            let entropy = self.branches[*at].entropy;
            (settings.list..settings.rich).contains(&entropy) && alike(&children[*at]).is_some()
        };
        let lists: Vec<usize> = (0..self.branches.len()).filter(is_list).collect();
        let offers = lists.iter().copied().filter(|&at| alike(&children[at]).is_some_and(|e| e < settings.rich));
        let link_offers: Vec<usize> = offers.collect();
        let rich: Vec<usize> = (0..rich.len()).filter(|&at| rich[at]).collect();
        Regions { rich: nodes(&rich), lists: nodes(&lists), link_offers: nodes(&link_offers) }
    }

    /// A data-rich node "makes all its descendant nodes non data-rich".
    fn without_inner(&self, rich: &mut [bool]) {
        let mut inside = vec![false; rich.len()];
        for (number, branch) in self.branches.iter().enumerate() {
            inside[number] = branch.parent.is_some_and(|parent| inside[parent] || rich[parent]);
            rich[number] &= !inside[number];
        }
    }

    /// First and one past the last leaf below a node.
    pub fn leaves_of(&self, node: NodeId) -> (usize, usize) {
        self.known.get(&node).map_or((0, 0), |&at| self.branches[at].leaves)
    }

    /// The entropy of an element that has leaves.
    pub fn entropy_of(&self, node: NodeId) -> Option<f64> {
        self.known.get(&node).map(|&at| self.branches[at].entropy)
    }
}

/// The entropy that two children or more share, if it is not 0.
fn alike(children: &[f64]) -> Option<f64> {
    let mut sorted: Vec<f64> = children.iter().copied().filter(|entropy| *entropy > SAME).collect();
    sorted.sort_by(f64::total_cmp);
    sorted.windows(2).find(|pair| pair[1] - pair[0] <= SAME).map(|pair| pair[0])
}

/// Finds the roles whose keywords a text holds as whole words.
struct Keywords {
    finder: AhoCorasick,
    /// The role of each keyword.
    roles: Vec<usize>,
}

impl Keywords {
    /// None when there are too many to look for at once.
    fn new(domain: &Domain) -> Option<Self> {
        let of_role = |(number, role): (usize, &Role)| {
            role.synonyms.iter().map(|word| (number, word.clone())).collect::<Vec<_>>()
        };
        let all: Vec<(usize, String)> = domain.roles.iter().enumerate().flat_map(of_role).collect();
        let finder = AhoCorasick::new(all.iter().map(|(_, word)| word)).ok()?;
        Some(Self { finder, roles: all.into_iter().map(|(role, _)| role).collect() })
    }

    fn roles(&self, text: &str) -> Vec<usize> {
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let whole = |start: usize, end: usize| {
            !inside(text[..start].chars().next_back()) && !inside(text[end..].chars().next())
        };
        let found = self.finder.find_overlapping_iter(text).filter(|one| whole(one.start(), one.end()));
        let mut roles: Vec<usize> = found.map(|one| self.roles[one.pattern().as_usize()]).collect();
        roles.sort_unstable();
        roles.dedup();
        roles
    }
}

/// A leaf that matches several roles becomes as many leaves (lines 8 and 9); one without a letter or digit is none.
fn annotate(leaf: text::Leaf, keywords: Option<&Keywords>, leaves: &mut Vec<Leaf>) {
    let text::Leaf { node, text } = leaf;
    let content = label_of(&text);
    if content.is_empty() {
        return;
    }
    let roles = keywords.map_or(Vec::new(), |keywords| keywords.roles(&content));
    if roles.is_empty() {
        leaves.push(Leaf { node, text, role: None });
    } else {
        leaves.extend(roles.into_iter().map(|role| Leaf { node, text: text.clone(), role: Some(role) }));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::domain;
    use crate::page::parser::{Limits, parse};

    const FIGURE_3: &str = "<body><div id=two><div id=four><p>Code</p><p>Manufacturer</p><p>Price</p><p>x</p><p>y</p>\
        <p>Description</p></div></div><ul>LIST</ul></body>";

    fn tree(page: &str) -> (Document, Tree) {
        let roles = "[roles.c]\nsynonyms=['code']\n[roles.m]\nsynonyms=['manufacturer']\n\
            [roles.p]\nsynonyms=['price']\n[roles.d]\nsynonyms=['description']";
        let document = parse(page, &Limits::default()).unwrap();
        let tree = Tree::new(&document, &domain::parse(roles).unwrap());
        (document, tree)
    }

    fn named(document: &Document, name: &str) -> Vec<NodeId> {
        document.descendants(Document::ROOT).filter(|&node| document.name(node) == name).collect()
    }

    #[test]
    fn entropies_of_figure_3() {
        let page = FIGURE_3.replace("LIST", &"<li><p>Manufacturer</p><p>Price</p></li>".repeat(5));
        let (document, tree) = tree(&page);
        let of = |name: &str, nth: usize| tree.entropy_of(named(&document, name)[nth]).unwrap();
        let near = |a: f64, b: f64| assert!((a - b).abs() < 5e-9, "{a} is not {b}");
        near(of("body", 0), 1.936_278_12);
        near(of("div", 0), 2.251_629_17);
        near(of("div", 1), 2.251_629_17);
        near(of("ul", 0), 1.0);
        near(of("li", 0), 1.0);
        near(of("p", 0), 0.0);
        let regions = tree.regions(Settings::default());
        assert_eq!(regions.rich, [named(&document, "div")[1]], "of a node and its child with one entropy, the child");
        assert_eq!((&regions.lists, &regions.link_offers), (&named(&document, "ul"), &named(&document, "ul")));
    }

    #[test]
    fn a_leaf_of_two_roles_is_two_leaves() {
        let (_, tree) = tree("<p>Manufacturer and price</p><p>prices</p><p>|</p>");
        assert_eq!(tree.leaves.iter().map(|leaf| leaf.role).collect::<Vec<_>>(), [Some(1 + 1), Some(3), None]);
    }
}
