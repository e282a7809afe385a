//! The document tree: one arena of nodes, children as linked ids, all text in one buffer, all attributes in one list.
//!
//! Built by [`super::parser`], read by everything else; knows nothing of parsers, URLs or charsets.
//! - [`Document`]: the arena. - [`NodeId`]: a place in it. - [`Kind`]: what a node is. - [`Element`]: its name.

use super::names::{self, Name};

pub type NodeId = u32;

pub(super) const NONE: NodeId = NodeId::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Namespace {
    Html,
    Svg,
    MathMl,
}

/// A stretch of the document's text buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Attribute {
    pub name: Name,
    pub value: Span,
}

/// A stretch of the document's attributes. Elements made from one tag share it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Attributes {
    pub start: u32,
    pub len: u16,
}

#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// The document itself, or the contents of a `<template>`.
    Root,
    Element(ElementNode),
    Text(TextSpan),
    /// Comments, doctypes, processing instructions: kept as places, not as content.
    Other,
}

/// An element as the arena keeps it.
#[derive(Debug, Clone, Copy)]
pub struct ElementNode {
    pub(super) name: Name,
    pub namespace: Namespace,
    pub(super) attributes: Attributes,
}

/// An element as a reader sees it.
#[derive(Debug, Clone, Copy)]
pub struct Element<'d> {
    pub name: &'d str,
    pub namespace: Namespace,
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
    /// The source with its line ends made one kind, and behind it text that does not stand there literally.
    pub(super) buffer: String,
    pub(super) attributes: Vec<Attribute>,
    /// The texts of names the standard does not know.
    pub(super) names: Vec<Span>,
    nofollow: bool,
}

impl Document {
    /// `source` is the first part of the buffer.
    pub(super) fn new(source: &str) -> Self {
        // Measured on 3,200 pages: a node for each 40 bytes, an attribute for each 45.
        let mut document = Self {
            nodes: Vec::with_capacity(source.len() / 32 + 16),
            buffer: String::with_capacity(source.len() + source.len() / 8),
            attributes: Vec::with_capacity(source.len() / 40 + 16),
            names: Vec::new(),
            nofollow: false,
        };
        document.buffer.push_str(source);
        document.add(Kind::Root);
        document
    }

    pub const ROOT: NodeId = 0;

    /// Does the page ask that its links are not followed? Then [`links`](super::links::links) gives none.
    pub fn nofollow(&self) -> bool {
        self.nofollow
    }

    pub fn set_nofollow(&mut self, nofollow: bool) {
        self.nofollow = nofollow;
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// Of the source, and of text that does not stand in it literally.
    pub fn bytes(&self) -> usize {
        self.buffer.len()
    }

    #[inline]
    pub fn kind(&self, node: NodeId) -> &Kind {
        &self.nodes[node as usize].kind
    }

    #[inline]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].parent)
    }

    pub fn element(&self, node: NodeId) -> Option<Element<'_>> {
        let element = self.element_node(node)?;
        Some(Element { name: self.name_text(element.name), namespace: element.namespace })
    }

    #[inline]
    pub(super) fn element_node(&self, node: NodeId) -> Option<&ElementNode> {
        match self.kind(node) {
            Kind::Element(element) => Some(element),
            _ => None,
        }
    }

    /// The local name of an element; empty for other nodes.
    #[inline]
    pub fn name(&self, node: NodeId) -> &str {
        self.element_node(node).map_or("", |element| self.name_text(element.name))
    }

    /// Is this an element of that name, in any namespace?
    pub(super) fn is(&self, node: NodeId, name: Name) -> bool {
        self.element_node(node).is_some_and(|element| element.name == name)
    }

    #[inline]
    pub(super) fn name_text(&self, name: Name) -> &str {
        names::text(name).unwrap_or_else(|| self.slice(self.names[name.0 as usize - names::KNOWN]))
    }

    #[inline]
    pub fn text(&self, node: NodeId) -> Option<&str> {
        match self.kind(node) {
            Kind::Text(span) => Some(self.slice(span.0)),
            _ => None,
        }
    }

    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        match names::find(name) {
            Some(known) => self.attribute_named(node, known),
            None => self.attributes(node).find(|(own, _)| *own == name).map(|(_, value)| value),
        }
    }

    pub(super) fn attribute_named(&self, node: NodeId, name: Name) -> Option<&str> {
        let attributes = self.attribute_list(self.element_node(node)?.attributes);
        attributes.iter().find(|attribute| attribute.name == name).map(|attribute| self.slice(attribute.value))
    }

    #[inline]
    pub fn attributes(&self, node: NodeId) -> impl Iterator<Item = (&str, &str)> {
        let attributes = self.element_node(node).map_or(&[][..], |element| self.attribute_list(element.attributes));
        attributes.iter().map(|attribute| (self.name_text(attribute.name), self.slice(attribute.value)))
    }

    /// The attributes that say what an element is, with the sign each is written with in a selector; `@` is `itemprop`.
    #[inline]
    pub fn marks(&self, node: NodeId) -> impl Iterator<Item = (char, &str)> {
        let attributes = self.element_node(node).map_or(&[][..], |element| self.attribute_list(element.attributes));
        attributes.iter().filter_map(|attribute| {
            let sign = match attribute.name {
                names::known::CLASS => '.',
                names::known::ID => '#',
                names::known::ITEMPROP => '@',
                _ => return None,
            };
            Some((sign, self.slice(attribute.value)))
        })
    }

    #[inline]
    pub(super) fn attribute_list(&self, range: Attributes) -> &[Attribute] {
        &self.attributes[range.start as usize..][..range.len as usize]
    }

    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(some(self.nodes[node as usize].first), |&child| some(self.nodes[child as usize].next))
    }

    /// All nodes under `top` in document order, `top` first.
    pub fn descendants(&self, top: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(top), move |&node| self.following(node, top))
    }

    /// The next node in document order that is not below `node`, within `top`: how a walk leaves a subtree out.
    #[inline]
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
    #[inline]
    pub fn following(&self, node: NodeId, top: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].first).or_else(|| self.after(node, top))
    }

    #[inline]
    pub(super) fn slice(&self, span: Span) -> &str {
        &self.buffer[span.start as usize..span.end as usize]
    }

    pub(super) fn add(&mut self, kind: Kind) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, kind });
        id
    }

    pub(super) fn append(&mut self, parent: NodeId, child: NodeId) {
        self.detach(child);
        let last = self.nodes[parent as usize].last;
        let node = &mut self.nodes[child as usize];
        (node.parent, node.previous) = (parent, last);
        match last {
            NONE => self.nodes[parent as usize].first = child,
            last => self.nodes[last as usize].next = child,
        }
        self.nodes[parent as usize].last = child;
    }

    /// Puts `new` before `sibling`, which has a parent.
    pub(super) fn insert_before(&mut self, sibling: NodeId, new: NodeId) {
        self.detach(new);
        let Node { parent, previous, .. } = self.nodes[sibling as usize];
        let node = &mut self.nodes[new as usize];
        (node.parent, node.previous, node.next) = (parent, previous, sibling);
        self.nodes[sibling as usize].previous = new;
        match previous {
            NONE => self.nodes[parent as usize].first = new,
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

    /// Moves all children of `from` to the end of `to`.
    pub(super) fn move_children(&mut self, from: NodeId, to: NodeId) {
        while let Some(child) = some(self.nodes[from as usize].first) {
            self.append(to, child);
        }
    }
}

#[inline]
fn some(node: NodeId) -> Option<NodeId> {
    (node != NONE).then_some(node)
}
