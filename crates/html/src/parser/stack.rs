//! The stack of open elements: what is open, in which scope, and what a tag closes (13.2.4.2, 13.2.6.3).
//!
//! More methods of [`Builder`], the only ones that change the stack: they keep its counts right.

use super::Refused;
use super::builder::{Builder, Open};
use crate::dom::{Document, Namespace, NodeId};
use crate::names::{Name, flag, known};

impl Builder {
    /// The element open last. There is always one once `html` is, and before that nobody asks.
    pub(super) fn current(&self) -> Open {
        let nothing = Open { node: Document::ROOT, name: known::NONE, namespace: Namespace::Html, flags: 0 };
        self.open.last().copied().unwrap_or(nothing)
    }

    pub(super) fn current_is(&self, name: Name) -> bool {
        self.current().is(name)
    }

    pub(super) fn push(&mut self, open: Open) {
        self.count(open, 1);
        self.open.push(open);
        if self.open.len() > self.limits.depth {
            self.refused = Some(Refused::Depth(self.limits.depth));
        }
    }

    pub(super) fn pop(&mut self) {
        if let Some(open) = self.open.pop() {
            self.count(open, -1);
        }
    }

    pub(super) fn truncate(&mut self, len: usize) {
        while self.open.len() > len {
            self.pop();
        }
    }

    pub(super) fn remove_open(&mut self, index: usize) {
        let open = self.open.remove(index);
        self.count(open, -1);
    }

    pub(super) fn insert_open(&mut self, index: usize, open: Open) {
        self.count(open, 1);
        self.open.insert(index, open);
    }

    /// Takes the element out of the stack, wherever it stands.
    pub(super) fn close(&mut self, node: NodeId) {
        if let Some(index) = self.open.iter().rposition(|open| open.node == node) {
            self.remove_open(index);
        }
    }

    fn count(&mut self, open: Open, by: i32) {
        if open.namespace == Namespace::Html
            && let Some(count) = self.counts.get_mut(open.name.0 as usize)
        {
            *count = count.wrapping_add_signed(by);
        }
    }

    /// Is an HTML element of this known name open, in any scope?
    pub(super) fn is_open(&self, name: Name) -> bool {
        self.counts[name.0 as usize] > 0
    }

    /// Is one open, with none of `stops` above it? (13.2.4.2)
    pub(super) fn in_scope(&self, name: Name, stops: u32) -> bool {
        self.is_open(name) && self.in_scope_where(stops, |open| open.is(name))
    }

    pub(super) fn in_scope_where(&self, stops: u32, wanted: impl Fn(&Open) -> bool) -> bool {
        self.open.iter().rev().find(|open| wanted(open) || open.has(stops)).is_some_and(wanted)
    }

    pub(super) fn pop_until(&mut self, name: Name) {
        while let Some(open) = self.open.last().copied() {
            self.pop();
            if open.is(name) {
                break;
            }
        }
    }

    /// Pops up to, and with, an element that has one of the flags.
    pub(super) fn pop_until_any(&mut self, flags: u32) {
        while let Some(open) = self.open.last().copied() {
            self.pop();
            if open.has(flags) {
                break;
            }
        }
    }

    /// Pops until the current element has one of the flags.
    pub(super) fn clear_to(&mut self, flags: u32) {
        while self.open.last().is_some_and(|open| !open.has(flags)) {
            self.pop();
        }
    }

    pub(super) fn close_implied(&mut self, flags: u32, except: Name) {
        while self.open.last().is_some_and(|open| open.has(flags) && open.name != except) {
            self.pop();
        }
    }

    /// Pops an element of this name with all in it, after what it implies.
    pub(super) fn close_named(&mut self, name: Name) {
        self.close_implied(flag::IMPLIED, name);
        self.pop_until(name);
    }

    pub(super) fn close_p(&mut self) {
        if self.in_scope(known::P, flag::SCOPE | flag::BUTTON) {
            self.close_named(known::P);
        }
    }
}
