//! Formatting elements that outlive the blocks they were opened in: `<b>` goes on after `</p>` (13.2.4.3), and
//! misnested end tags are sorted out (the adoption agency, 13.2.6.4.7).
//!
//! More methods of [`Builder`]. - [`Entry`]: an element of the list of active formatting elements, or a marker.

use super::Refused;
use super::builder::{Builder, Open, Tag};
use crate::dom::{Attributes, NONE, Namespace, NodeId};
use crate::names::{Name, flag, known};
use rustc_hash::{FxHashSet, FxHasher};
use std::hash::Hasher;

/// Elements that are opened again because a block ended: so many, and one for each byte of the document. A page of a few kilobytes could
/// ask for millions.
pub(super) const REOPENED: usize = 200_000;

#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// [`NONE`] in a marker.
    node: NodeId,
    name: Name,
    attributes: Attributes,
    /// Of the attributes, whatever their order.
    hash: u64,
}

impl Builder {
    pub(super) fn push_marker(&mut self) {
        self.formatting.push(Entry { node: NONE, name: known::NONE, attributes: Attributes::default(), hash: 0 });
    }

    /// Clears the list up to the last marker.
    pub(super) fn clear_formatting(&mut self) {
        while self.formatting.pop().is_some_and(|entry| entry.node != NONE) {}
    }

    /// Inserts a formatting element; of four alike within one marker, the first is forgotten.
    pub(super) fn insert_formatting(&mut self, tag: Tag) {
        self.reconstruct();
        let hash = self.hash(tag.attributes);
        let alike = self.since_marker().filter(|&index| {
            let entry = self.formatting[index];
            entry.name == tag.name && entry.hash == hash && self.same_attributes(entry.attributes, tag.attributes)
        });
        if let (3.., first) = alike.fold((0, 0), |(count, _), index| (count + 1, index)) {
            self.formatting.remove(first);
        }
        let node = self.insert(tag);
        self.formatting.push(Entry { node, name: tag.name, attributes: tag.attributes, hash });
        if self.formatting.len() > self.limits.depth {
            self.refused = Some(Refused::Formatting(self.limits.depth));
        }
    }

    fn hash(&self, attributes: Attributes) -> u64 {
        self.document.attribute_list(attributes).iter().fold(0, |sum: u64, attribute| {
            let mut hasher = FxHasher::default();
            hasher.write_u16(attribute.name.0);
            hasher.write(self.document.slice(attribute.value).as_bytes());
            sum.wrapping_add(hasher.finish())
        })
    }

    fn same_attributes(&self, one: Attributes, other: Attributes) -> bool {
        let sorted = |range| {
            let mut list: Vec<_> = self.document.attribute_list(range).iter().collect();
            list.sort_unstable_by_key(|attribute| attribute.name.0);
            list
        };
        one == other
            || one.len == other.len
                && sorted(one)
                    .iter()
                    .zip(sorted(other))
                    .all(|(a, b)| a.name == b.name && self.document.slice(a.value) == self.document.slice(b.value))
    }

    /// Places in the list from its end to the last marker.
    fn since_marker(&self) -> impl Iterator<Item = usize> + use<'_> {
        (0..self.formatting.len()).rev().take_while(|&index| self.formatting[index].node != NONE)
    }

    fn formatting_position(&self, node: NodeId) -> Option<usize> {
        self.formatting.iter().rposition(|entry| entry.node == node)
    }

    fn is_marker_or_open(&self, entry: Entry) -> bool {
        entry.node == NONE || self.is_open(entry.name) && self.open.iter().rev().any(|open| open.node == entry.node)
    }

    /// The last entry that is a marker or open. The stack is gone through once, not once for each entry.
    fn last_open_entry(&self) -> Option<usize> {
        let open: FxHashSet<NodeId> = self.open.iter().map(|open| open.node).collect();
        self.formatting.iter().rposition(|entry| entry.node == NONE || open.contains(&entry.node))
    }

    /// Opens again what was closed by the end of a block.
    pub(super) fn reconstruct(&mut self) {
        let Some(&last) = self.formatting.last() else { return };
        if self.is_marker_or_open(last) {
            return;
        }
        let first = self.last_open_entry().map_or(0, |open| open + 1);
        self.reopened += self.formatting.len() - first;
        if self.reopened > self.may_reopen {
            self.refused = Some(Refused::Formatting(self.may_reopen));
            return;
        }
        for index in first..self.formatting.len() {
            let Entry { name, attributes, .. } = self.formatting[index];
            self.formatting[index].node = self.insert(Tag { name, attributes, self_closing: false });
        }
    }

    /// `<a>` inside `<a>`: the outer one ends first.
    pub(super) fn close_misnested_a(&mut self) {
        let Some(index) = self.since_marker().find(|&index| self.formatting[index].name == known::A) else { return };
        let node = self.formatting[index].node;
        self.adopt(known::A);
        if let Some(index) = self.formatting_position(node) {
            self.formatting.remove(index);
        }
        self.close(node);
    }

    /// The adoption agency algorithm for the end tag of a formatting element.
    pub(super) fn adopt(&mut self, subject: Name) {
        let current = self.current();
        if current.is(subject) && self.formatting_position(current.node).is_none() {
            return self.pop();
        }
        for _ in 0..8 {
            let Some(entry) = self.since_marker().find(|&index| self.formatting[index].name == subject) else {
                return self.end_any_other(subject);
            };
            let node = self.formatting[entry].node;
            let Some(place) = self.open.iter().rposition(|open| open.node == node) else {
                self.formatting.remove(entry);
                return;
            };
            if !self.in_scope_where(flag::SCOPE, |open| open.node == node) {
                return;
            }
            let Some(block) = self.open[place..].iter().position(|open| open.has(flag::SPECIAL)) else {
                self.truncate(place);
                self.formatting.remove(entry);
                return;
            };
            self.adopt_block(entry, place, place + block);
        }
    }

    /// One round of the algorithm: the formatting element of `entry`, open at `place`, ends before the block open at
    /// `block`, and a copy of it begins inside the block.
    fn adopt_block(&mut self, entry: usize, place: usize, block: usize) {
        let Entry { name, attributes, hash, .. } = self.formatting[entry];
        let furthest = self.open[block];
        let ancestor = self.open[place - 1];
        let Adopted { entry, bookmark, block, last } = self.copy_between(entry, place, block);
        self.document.detach(last);
        let target = self.place_in(ancestor);
        self.put(last, target);
        let copy = self.create(name, Namespace::Html, attributes);
        self.document.move_children(furthest.node, copy);
        self.document.append(furthest.node, copy);
        self.formatting.insert(bookmark, Entry { node: copy, name, attributes, hash });
        self.formatting.remove(if bookmark <= entry { entry + 1 } else { entry });
        let open = Open { node: copy, ..self.open[place] };
        self.remove_open(place);
        self.insert_open(block, open);
    }

    /// The inner loop: each element between the two is copied around the block, or closed.
    fn copy_between(&mut self, mut entry: usize, place: usize, mut block: usize) -> Adopted {
        let furthest = self.open[block].node;
        let (mut bookmark, mut last) = (entry, furthest);
        let mut index = block;
        for round in 1.. {
            index -= 1;
            if index == place {
                break;
            }
            let position = self.formatting_position(self.open[index].node);
            let Some(position) = position.filter(|_| round <= 3) else {
                if let Some(position) = position {
                    self.formatting.remove(position);
                    entry -= usize::from(position < entry);
                    bookmark -= usize::from(position < bookmark);
                }
                self.remove_open(index);
                block -= 1;
                continue;
            };
            let Entry { name, attributes, .. } = self.formatting[position];
            let copy = self.create(name, Namespace::Html, attributes);
            self.formatting[position].node = copy;
            self.open[index].node = copy;
            if last == furthest {
                bookmark = position + 1;
            }
            self.document.append(copy, last);
            last = copy;
        }
        Adopted { entry, bookmark, block, last }
    }
}

/// How a round of the inner loop left things.
struct Adopted {
    entry: usize,
    bookmark: usize,
    block: usize,
    /// The outermost of the copies, or the block itself.
    last: NodeId,
}
