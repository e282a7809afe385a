//! The document tree: one arena, children as linked ids, all text in one buffer.
//!
//! Built by [`super::parser`], read by everything else; knows nothing of parsers, URLs or charsets.
//! - [`Document`]: the arena. - [`NodeId`]: a place in it. - [`Kind`]: what a node is.

use html5ever::LocalName;

pub type NodeId = u32;

pub(super) const NONE: NodeId = NodeId::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// A stretch of the document's text buffer.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

#[derive(Debug, Clone)]
pub struct Attribute {
    pub name: LocalName,
    pub(super) value: Span,
}

#[derive(Debug, Clone)]
pub enum Kind {
    /// The document itself, or the contents of a `<template>`.
    Root,
    Element(Element),
    Text(TextSpan),
    /// Comments, doctypes, processing instructions: kept as places, not as content.
    Other,
}

#[derive(Debug, Clone)]
pub struct Element {
    pub name: LocalName,
    pub namespace: Namespace,
    pub(super) attributes: Vec<Attribute>,
}

#[derive(Debug, Clone, Copy)]
pub struct TextSpan(pub(super) Span);

#[derive(Debug, Clone)]
pub(super) struct Node {
    pub parent: NodeId,
    pub previous: NodeId,
    pub next: NodeId,
    pub first: NodeId,
    pub last: NodeId,
    pub kind: Kind,
}

#[derive(Debug, Clone)]
pub struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) buffer: String,
}

impl Document {
    pub(super) fn new() -> Self {
        let mut document = Self { nodes: Vec::with_capacity(1024), buffer: String::new() };
        document.add(Kind::Root);
        document
    }

    pub const ROOT: NodeId = 0;

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    pub fn kind(&self, node: NodeId) -> &Kind {
        &self.nodes[node as usize].kind
    }

    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].parent)
    }

    pub fn element(&self, node: NodeId) -> Option<&Element> {
        match self.kind(node) {
            Kind::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The local name of an element; empty for other nodes.
    pub fn name(&self, node: NodeId) -> &str {
        self.element(node).map_or("", |element| &element.name)
    }

    pub fn text(&self, node: NodeId) -> Option<&str> {
        match self.kind(node) {
            Kind::Text(span) => Some(self.slice(span.0)),
            _ => None,
        }
    }

    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        let element = self.element(node)?;
        element
            .attributes
            .iter()
            .find(|attribute| &*attribute.name == name)
            .map(|attribute| self.slice(attribute.value))
    }

    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let attributes = self.element(node).map_or(&[][..], |element| &element.attributes);
        attributes.iter().map(|attribute| (&*attribute.name, self.slice(attribute.value)))
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(some(self.nodes[node as usize].first), |&child| some(self.nodes[child as usize].next))
    }

    /// All nodes under `top` in document order, `top` first.
    pub fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(top), move |&node| self.following(node, top))
    }

    /// The next node in document order that is not below `node`, within `top`: how a walk leaves a subtree out.
    pub fn after(&self, node: NodeId, top: NodeId) -> Option<NodeId> {
        let mut at = node;
        while at != top {
            let current = &self.nodes[at as usize];
            if current.next != NONE {
                return Some(current.next);
            }
            at = current.parent;
            if at == NONE {
                return None;
            }
        }
        None
    }

    /// The next node in document order, children first.
    pub fn following(&self, node: NodeId, top: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].first).or_else(|| self.after(node, top))
    }

    pub(super) fn slice(&self, span: Span) -> &str {
        &self.buffer[span.start as usize..span.end as usize]
    }

    pub(super) fn add(&mut self, kind: Kind) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, kind });
        id
    }

    pub(super) fn store(&mut self, text: &str) -> Span {
        let start = self.buffer.len() as u32;
        self.buffer.push_str(text);
        Span { start, end: self.buffer.len() as u32 }
    }

    /// Adds `text` to the text node `node` if its text stands at the end of the buffer, else moves it there first.
    pub(super) fn extend_text(&mut self, node: NodeId, text: &str) {
        let Kind::Text(TextSpan(span)) = self.nodes[node as usize].kind else { return };
        let start = if span.end as usize == self.buffer.len() {
            span.start
        } else {
            let start = self.buffer.len() as u32;
            self.buffer.extend_from_within(span.start as usize..span.end as usize);
            start
        };
        self.buffer.push_str(text);
        self.nodes[node as usize].kind = Kind::Text(TextSpan(Span { start, end: self.buffer.len() as u32 }));
    }

    pub(super) fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let last = self.nodes[parent as usize].last;
        self.nodes[child as usize].parent = parent;
        self.nodes[child as usize].previous = last;
        match last {
            NONE => self.nodes[parent as usize].first = child,
            last => self.nodes[last as usize].next = child,
        }
        self.nodes[parent as usize].last = child;
    }

    pub(super) fn insert_before(&mut self, sibling: NodeId, new: NodeId) {
        self.detach(new);
        let Node { parent, previous, .. } = self.nodes[sibling as usize];
        let node = &mut self.nodes[new as usize];
        (node.parent, node.previous, node.next) = (parent, previous, sibling);
        self.nodes[sibling as usize].previous = new;
        match previous {
            NONE if parent != NONE => self.nodes[parent as usize].first = new,
            NONE => {}
            previous => self.nodes[previous as usize].next = new,
        }
    }

    pub(super) fn detach(&mut self, node: NodeId) {
        let Node { parent, previous, next, .. } = self.nodes[node as usize];
        if parent == NONE {
            return;
        }
        match previous {
            NONE => self.nodes[parent as usize].first = next,
            previous => self.nodes[previous as usize].next = next,
        }
        match next {
            NONE => self.nodes[parent as usize].last = previous,
            next => self.nodes[next as usize].previous = previous,
        }
        let node = &mut self.nodes[node as usize];
        (node.parent, node.previous, node.next) = (NONE, NONE, NONE);
    }
}

fn some(node: NodeId) -> Option<NodeId> {
    (node != NONE).then_some(node)
}
