//! What are the values in a data-rich region? Annotated leaves, a node → attribute-value pairs.
//!
//! - [`Found`]: one record. - [`Pair`]: a role, the text that is its value, and the label it stands behind.
//!
//! Algorithm 1, lines 19 to 22: the value of a role is the next text; when a pattern is given and fails, the one after that, up
//! to the next annotated leaf. The title is the first leaf of the region, or the leaf before it.

use super::entropy::{Leaf, Tree};
use crate::extract::domain::{Domain, Role};
use crate::page::dom::NodeId;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The data-rich node.
    pub node: NodeId,
    pub pairs: Vec<Pair>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub role: String,
    pub value: Box<str>,
    /// None for a title.
    pub label: Option<Box<str>>,
    /// The text node of the value.
    pub node: NodeId,
}

pub fn record(tree: &Tree, node: NodeId, domain: &Domain) -> Found {
    let (start, end) = tree.leaves_of(node);
    let mut pairs = Vec::new();
    for at in start..end {
        let Some(role) = tree.leaves[at].role.map(|role| &domain.roles[role]).filter(|role| !role.extra) else {
            continue;
        };
        if let Some(value) = value(&tree.leaves[..end], at, role) {
            pairs.push(pair(role, value, Some(&tree.leaves[at].text)));
        }
    }
    for role in domain.wanted().filter(|role| role.title) {
        pairs.extend(titles(&tree.leaves, start).map(|leaf| pair(role, leaf, None)));
    }
    Found { node, pairs }
}

fn pair(role: &Role, leaf: &Leaf, label: Option<&str>) -> Pair {
    Pair { role: role.name.clone(), value: leaf.text.clone(), label: label.map(Into::into), node: leaf.node }
}

/// The leaves that a label of several roles was split into stand at the same node, and are not between it and its value.
fn value<'t>(leaves: &'t [Leaf], label: usize, role: &Role) -> Option<&'t Leaf> {
    let behind = leaves[label + 1..].iter().skip_while(|leaf| leaf.node == leaves[label].node);
    let mut free = behind.take_while(|leaf| leaf.role.is_none());
    match &role.value {
        None => free.next(),
        Some(pattern) => free.find(|leaf| pattern.matches(&leaf.text)),
    }
}

/// Both places that the paper names; which of the two is the title it does not say.
fn titles(leaves: &[Leaf], start: usize) -> impl Iterator<Item = &Leaf> {
    let first = leaves.get(start).filter(|leaf| leaf.role.is_none());
    let before = leaves[..start].iter().rev().find(|leaf| leaf.role.is_none());
    first.into_iter().chain(before)
}
