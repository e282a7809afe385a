//! Text → [`Document`], exactly as the HTML standard builds it. The one seam behind which a parser stands:
//! everything else sees only [`parse`] and the tree.
//!
//! html5ever with scripting off, so that links inside `noscript` exist. Input that the standard's algorithm
//! would spend quadratic time or memory on is refused with a [`Refused`]: see [`Limits`].

use super::dom::{Attribute, Document, Element, Kind, NONE, Namespace, NodeId, Span, TextSpan};
use super::tagscan;
use html5ever::interface::{ElemName, ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{LocalName, ParseOpts, QualName, ns, parse_document};
use std::borrow::Cow;
use std::cell::{Cell, RefCell};

/// What a document may be at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Elements inside one another. The algorithm walks the open elements at each tag, so depth × tags is its
    /// cost. Browsers flatten at 512; the deepest of 27,000 real pages measured has 60.
    pub depth: usize,
    /// Nodes in the tree. A 16 MiB document of empty elements stays below.
    pub nodes: usize,
    /// Attributes on one tag: each new one is compared with all before it.
    pub attributes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 1024, nodes: 6_000_000, attributes: 4096 }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("elements nested more than {0} deep")]
    Depth(usize),
    #[error("more than {0} nodes")]
    Nodes(usize),
    #[error("a tag with more than {0} attributes")]
    Attributes(usize),
}

/// Fed in pieces, so that limits are looked at while the tree grows. One piece can add at most this many bytes
/// times the open formatting elements, which the depth limit bounds.
const PIECE: usize = 4096;

/// Below this size a bomb of attributes costs under a second, and the scan for it is left out.
const SCAN_FROM: usize = 256 * 1024;

pub fn parse(html: &str, limits: &Limits) -> Result<Document, Refused> {
    if html.len() >= SCAN_FROM && tagscan::max_attributes(html) > limits.attributes {
        return Err(Refused::Attributes(limits.attributes));
    }
    let options = ParseOpts {
        tree_builder: TreeBuilderOpts { scripting_enabled: false, ..Default::default() },
        ..Default::default()
    };
    let mut parser = parse_document(Sink::new(), options);
    parser.tokenizer.sink.sink.document.borrow_mut().buffer.reserve(html.len());
    let mut rest = html;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE.min(rest.len())));
        parser.process(StrTendril::from_slice(piece));
        parser.tokenizer.sink.sink.check(limits)?;
        rest = after;
    }
    Ok(parser.finish())
}

struct Sink {
    document: RefCell<Document>,
    depths: RefCell<Vec<u32>>,
    deepest: Cell<u32>,
}

impl Sink {
    fn new() -> Self {
        Self { document: RefCell::new(Document::new()), depths: RefCell::new(vec![0]), deepest: Cell::new(0) }
    }

    fn check(&self, limits: &Limits) -> Result<(), Refused> {
        if self.deepest.get() as usize > limits.depth {
            return Err(Refused::Depth(limits.depth));
        }
        if self.document.borrow().len() > limits.nodes {
            return Err(Refused::Nodes(limits.nodes));
        }
        Ok(())
    }

    fn place(&self, parent: NodeId, child: NodeId) {
        let mut depths = self.depths.borrow_mut();
        let depth = depths.get(parent as usize).copied().unwrap_or(0) + 1;
        if depths.len() <= child as usize {
            depths.resize(child as usize + 1, 0);
        }
        depths[child as usize] = depth;
        self.deepest.set(self.deepest.get().max(depth));
    }

    fn append_text(&self, parent: NodeId, text: &str) {
        let mut document = self.document.borrow_mut();
        let last = document.nodes[parent as usize].last;
        if last != NONE && matches!(document.kind(last), Kind::Text(_)) {
            return document.extend_text(last, text);
        }
        let node = new_text(&mut document, text);
        document.append(parent, node);
    }

    fn insert_text_before(&self, sibling: NodeId, text: &str) {
        let mut document = self.document.borrow_mut();
        let previous = document.nodes[sibling as usize].previous;
        if previous != NONE && matches!(document.kind(previous), Kind::Text(_)) {
            return document.extend_text(previous, text);
        }
        let node = new_text(&mut document, text);
        document.insert_before(sibling, node);
    }
}

fn new_text(document: &mut Document, text: &str) -> NodeId {
    let span = document.store(text);
    document.add(Kind::Text(TextSpan(span)))
}

fn attribute(document: &mut Document, attribute: html5ever::Attribute) -> Attribute {
    let value = if attribute.value.is_empty() { Span::default() } else { document.store(&attribute.value) };
    Attribute { name: attribute.name.local, value }
}

static HTML: html5ever::Namespace = ns!(html);
static SVG: html5ever::Namespace = ns!(svg);
static MATHML: html5ever::Namespace = ns!(mathml);

#[derive(Debug)]
struct Name {
    namespace: &'static html5ever::Namespace,
    local: LocalName,
}

impl ElemName for Name {
    fn ns(&self) -> &html5ever::Namespace {
        self.namespace
    }

    fn local_name(&self) -> &LocalName {
        &self.local
    }
}

impl TreeSink for Sink {
    type Handle = NodeId;
    type Output = Document;
    type ElemName<'a> = Name;

    fn finish(self) -> Document {
        self.document.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> NodeId {
        Document::ROOT
    }

    fn elem_name<'a>(&'a self, target: &'a NodeId) -> Name {
        match self.document.borrow().kind(*target) {
            Kind::Element(element) => Name {
                namespace: match element.namespace {
                    Namespace::Html => &HTML,
                    Namespace::Svg => &SVG,
                    Namespace::MathMl => &MATHML,
                },
                local: element.name.clone(),
            },
            _ => Name { namespace: &HTML, local: LocalName::from("") },
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<html5ever::Attribute>, flags: ElementFlags) -> NodeId {
        let mut document = self.document.borrow_mut();
        let attributes = attributes.into_iter().map(|one| attribute(&mut document, one)).collect();
        let namespace = match name.ns {
            ns!(svg) => Namespace::Svg,
            ns!(mathml) => Namespace::MathMl,
            _ => Namespace::Html,
        };
        let node = document.add(Kind::Element(Element { name: name.local, namespace, attributes }));
        if flags.template {
            // The contents of a template hang below it: a reader of links and text wants to see them.
            let contents = document.add(Kind::Root);
            document.append(node, contents);
        }
        node
    }

    fn create_comment(&self, _text: StrTendril) -> NodeId {
        self.document.borrow_mut().add(Kind::Other)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> NodeId {
        self.document.borrow_mut().add(Kind::Other)
    }

    fn append(&self, parent: &NodeId, child: NodeOrText<NodeId>) {
        match child {
            NodeOrText::AppendNode(child) => {
                self.place(*parent, child);
                self.document.borrow_mut().append(*parent, child);
            }
            NodeOrText::AppendText(text) => self.append_text(*parent, &text),
        }
    }

    fn append_based_on_parent_node(&self, element: &NodeId, previous: &NodeId, child: NodeOrText<NodeId>) {
        let has_parent = self.document.borrow().parent(*element).is_some();
        if has_parent {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &NodeId) -> NodeId {
        self.document.borrow().nodes[*target as usize].first
    }

    fn same_node(&self, x: &NodeId, y: &NodeId) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &NodeId, new: NodeOrText<NodeId>) {
        match new {
            NodeOrText::AppendNode(new) => {
                let parent = self.document.borrow().parent(*sibling).unwrap_or(Document::ROOT);
                self.place(parent, new);
                self.document.borrow_mut().insert_before(*sibling, new);
            }
            NodeOrText::AppendText(text) => self.insert_text_before(*sibling, &text),
        }
    }

    fn add_attrs_if_missing(&self, target: &NodeId, attributes: Vec<html5ever::Attribute>) {
        let mut document = self.document.borrow_mut();
        for new in attributes {
            let known = document.attribute(*target, &new.name.local).is_some();
            if !known {
                let new = attribute(&mut document, new);
                if let Kind::Element(element) = &mut document.nodes[*target as usize].kind {
                    element.attributes.push(new);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &NodeId) {
        self.document.borrow_mut().detach(*target);
    }

    fn reparent_children(&self, node: &NodeId, new_parent: &NodeId) {
        let mut document = self.document.borrow_mut();
        let children: Vec<NodeId> = document.children(*node).collect();
        for child in children {
            document.append(*new_parent, child);
        }
    }
}
