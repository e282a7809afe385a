//! The document tree: one arena of nodes, children as linked ids, all text in one buffer, all attributes in one list.
//!
//! Built by [`crate::parser`], read by everything else; knows nothing of parsers, URLs or charsets.
//! - [`Document`]: the arena. - [`NodeId`]: a place in it. - [`Kind`]: what a node is. - [`Element`]: its name.

use super::names::{self, Name};

/// The number of a node in its [`Document`], in the order in which nodes were made.
pub type NodeId = u32;

pub(crate) const NONE: NodeId = NodeId::MAX;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
/// The namespace that an element is in.
pub enum Namespace {
    /// Elements of HTML.
    Html,
    /// Elements inside `<svg>`.
    Svg,
    /// Elements inside `<math>`.
    MathMl,
}

/// A stretch of the document's text buffer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Span {
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Attribute {
    pub name: Name,
    pub value: Span,
}

/// A stretch of the document's attributes. Elements made from one tag share it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Attributes {
    pub start: u32,
    pub len: u16,
}

/// What a node is.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// The document itself, or the contents of a `<template>`.
    Root,
    /// An element; [`Document::element`] says which.
    Element(ElementNode),
    /// A text; [`Document::text`] gives it.
    Text(TextSpan),
    /// Comments, doctypes, processing instructions: kept as places, not as content.
    Other,
}

/// An element as the arena keeps it.
#[derive(Debug, Clone, Copy)]
pub struct ElementNode {
    /// The name as a number.
    pub name: Name,
    /// The namespace it is in.
    pub namespace: Namespace,
    pub(crate) attributes: Attributes,
}

impl ElementNode {
    /// A number of the tag that the attributes came from, `None` where it had none. Elements made from one tag share it.
    #[inline]
    pub fn tag(&self) -> Option<u32> {
        (self.attributes.len > 0).then_some(self.attributes.start)
    }
}

/// An element as a reader sees it.
#[derive(Debug, Clone, Copy)]
pub struct Element<'d> {
    /// The local name, in lower case for HTML.
    pub name: &'d str,
    /// The namespace it is in.
    pub namespace: Namespace,
}

/// Where a text stands in the document; [`Document::text`] gives it.
#[derive(Debug, Clone, Copy)]
pub struct TextSpan(pub(crate) Span);

#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub parent: NodeId,
    pub previous: NodeId,
    pub next: NodeId,
    pub first: NodeId,
    pub last: NodeId,
    pub kind: Kind,
}

/// A parsed document: all nodes, and the text they are made of.
///
/// ```
/// use pagekin_html::{Document, Limits, parse};
///
/// let document = parse("<ul><li>one<li><a href=/2>two</a></ul>", &Limits::default())?;
/// let items = document.descendants(Document::ROOT).filter(|&node| document.name(node) == "li");
/// assert_eq!(items.count(), 2);
/// # Ok::<(), pagekin_html::Refused>(())
/// ```
#[derive(Debug, Clone)]
pub struct Document {
    pub(crate) nodes: Vec<Node>,
    /// The source with its line ends made one kind, and behind it text that does not stand there literally.
    pub(crate) buffer: String,
    pub(crate) attributes: Vec<Attribute>,
    /// The texts of names the standard does not know.
    pub(crate) names: Vec<Span>,
    nofollow: bool,
}

impl Document {
    /// `source` is the first part of the buffer.
    pub(crate) fn new(source: &str) -> Self {
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

    /// The node above all others.
    pub const ROOT: NodeId = 0;

    /// Was [`Document::set_nofollow`] called? The parser itself does not look.
    pub fn nofollow(&self) -> bool {
        self.nofollow
    }

    /// Notes that whoever sent the page asks robots not to follow its links.
    pub fn set_nofollow(&mut self, nofollow: bool) {
        self.nofollow = nofollow;
    }

    /// Nodes, the root counted.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is there nothing below the root?
    pub fn is_empty(&self) -> bool {
        self.nodes.len() <= 1
    }

    /// Of the source, and of text that does not stand in it literally.
    pub fn bytes(&self) -> usize {
        self.buffer.len()
    }

    /// What the node is.
    #[inline]
    pub fn kind(&self, node: NodeId) -> &Kind {
        &self.nodes[node as usize].kind
    }

    /// The node above; `None` for the root and the contents of a `<template>`.
    #[inline]
    pub fn parent(&self, node: NodeId) -> Option<NodeId> {
        some(self.nodes[node as usize].parent)
    }

    /// Name and namespace of an element; `None` for other nodes.
    pub fn element(&self, node: NodeId) -> Option<Element<'_>> {
        let element = self.element_node(node)?;
        Some(Element { name: self.name_text(element.name), namespace: element.namespace })
    }

    /// The element as the arena keeps it; `None` for other nodes.
    #[inline]
    pub fn element_node(&self, node: NodeId) -> Option<&ElementNode> {
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
    #[inline]
    pub fn is(&self, node: NodeId, name: Name) -> bool {
        self.element_node(node).is_some_and(|element| element.name == name)
    }

    #[inline]
    pub(crate) fn name_text(&self, name: Name) -> &str {
        names::text(name).unwrap_or_else(|| self.slice(self.names[name.0 as usize - names::KNOWN]))
    }

    /// The text of a text node; `None` for other nodes.
    #[inline]
    pub fn text(&self, node: NodeId) -> Option<&str> {
        match self.kind(node) {
            Kind::Text(span) => Some(self.slice(span.0)),
            _ => None,
        }
    }

    /// The value of an attribute; empty for one without a value, `None` where there is none of this name.
    pub fn attribute(&self, node: NodeId, name: &str) -> Option<&str> {
        match names::find(name) {
            Some(known) => self.attribute_named(node, known),
            None => self.attributes(node).find(|(own, _)| *own == name).map(|(_, value)| value),
        }
    }

    /// As [`Document::attribute`], by a name known beforehand.
    #[inline]
    pub fn attribute_named(&self, node: NodeId, name: Name) -> Option<&str> {
        let attributes = self.attribute_list(self.element_node(node)?.attributes);
        attributes.iter().find(|attribute| attribute.name == name).map(|attribute| self.slice(attribute.value))
    }

    /// Names and values of all attributes, as written.
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
    pub(crate) fn attribute_list(&self, range: Attributes) -> &[Attribute] {
        &self.attributes[range.start as usize..][..range.len as usize]
    }

    /// The nodes right below, in order.
    #[inline]
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(some(self.nodes[node as usize].first), |&child| some(self.nodes[child as usize].next))
    }

    /// All nodes under `top` in document order, `top` first.
    #[inline]
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
    pub(crate) fn slice(&self, span: Span) -> &str {
        &self.buffer[span.start as usize..span.end as usize]
    }

    pub(crate) fn add(&mut self, kind: Kind) -> NodeId {
        let id = self.nodes.len() as NodeId;
        self.nodes.push(Node { parent: NONE, previous: NONE, next: NONE, first: NONE, last: NONE, kind });
        id
    }

    pub(crate) fn append(&mut self, parent: NodeId, child: NodeId) {
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
    pub(crate) fn insert_before(&mut self, sibling: NodeId, new: NodeId) {
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

    pub(crate) fn detach(&mut self, node: NodeId) {
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
    pub(crate) fn move_children(&mut self, from: NodeId, to: NodeId) {
        while let Some(child) = some(self.nodes[from as usize].first) {
            self.append(to, child);
        }
    }
}

#[inline]
fn some(node: NodeId) -> Option<NodeId> {
    (node != NONE).then_some(node)
}
