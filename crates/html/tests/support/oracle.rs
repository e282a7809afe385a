//! A second opinion on the tree: html5ever with the plainest of sinks, written out as ours is.

#![allow(dead_code, reason = "a test uses a part of it")]

use crate::tree::line;
use html5ever::interface::{ElementFlags, NodeOrText, QuirksMode, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink};
use html5ever::tokenizer::{Doctype, Tag, TagKind, Token, TokenSink as _};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts};
use html5ever::{Attribute, ExpandedName, ParseOpts, QualName, local_name, ns, parse_document};
use std::borrow::Cow;
use std::cell::RefCell;
use std::fmt::Write as _;

/// html5ever's tree, a node a line.
pub fn expected(html: &str) -> String {
    let options = ParseOpts { tree_builder: builder(), ..Default::default() };
    written(&parse_document(Sink::default(), options).one(html))
}

fn builder() -> TreeBuilderOpts {
    TreeBuilderOpts { scripting_enabled: false, ..Default::default() }
}

fn written(nodes: &[Node]) -> String {
    let mut out = String::new();
    write_expected(nodes, 0, 0, &mut out);
    out
}

/// html5ever's tree of these tokens of html5lib-tests, behind the tags of `way`.
pub fn expected_of_tokens(way: &str, tokens: &serde_json::Value) -> String {
    let builder = TreeBuilder::new(Sink::default(), builder());
    let give = |token: Token| drop(builder.process_token(token, 1));
    for name in
        way.split('<').filter_map(|tag| tag.split('>').next()).filter(|name| name.starts_with(char::is_alphabetic))
    {
        give(Token::TagToken(tag(TagKind::StartTag, name, Vec::new(), false)));
    }
    if way.ends_with(".") {
        characters(".", &give);
    }
    for token in tokens.as_array().expect("tokens") {
        let word = |at: usize| token[at].as_str().unwrap_or("");
        match word(0) {
            "StartTag" => {
                let attributes = token[2].as_object().expect("attributes").iter();
                let attributes = attributes.map(|(name, value)| Attribute {
                    name: QualName::new(None, ns!(), name.as_str().into()),
                    value: value.as_str().expect("a value").into(),
                });
                let closes = token[3].as_bool().unwrap_or(false);
                give(Token::TagToken(tag(TagKind::StartTag, word(1), attributes.collect(), closes)));
            }
            "EndTag" => give(Token::TagToken(tag(TagKind::EndTag, word(1), Vec::new(), false))),
            "Comment" => give(Token::CommentToken(word(1).into())),
            "DOCTYPE" => give(Token::DoctypeToken(Doctype::default())),
            "Character" => characters(word(1), &give),
            other => panic!("no token `{other}`"),
        }
    }
    give(Token::EOFToken);
    builder.end();
    written(&builder.sink.finish())
}

fn tag(kind: TagKind, name: &str, attrs: Vec<Attribute>, self_closing: bool) -> Tag {
    Tag { kind, name: name.into(), self_closing, attrs, had_duplicate_attributes: false }
}

/// A NUL is a token of its own.
fn characters(text: &str, give: &impl Fn(Token)) {
    for (at, piece) in text.split('\0').enumerate() {
        if at > 0 {
            give(Token::NullCharacterToken);
        }
        if !piece.is_empty() {
            give(Token::CharacterTokens(piece.into()));
        }
    }
}

fn write_expected(nodes: &[Node], node: usize, depth: usize, out: &mut String) {
    match &nodes[node].kind {
        Kin::Root => line(out, depth, "#root"),
        Kin::Other => line(out, depth, "#other"),
        Kin::Text(text) => line(out, depth, &format!("{text:?}")),
        Kin::Element(name, attributes, _) => {
            let namespace = match name.ns {
                ns!(svg) => "svg ",
                ns!(mathml) => "math ",
                _ => "",
            };
            let mut text = format!("<{namespace}{}", name.local);
            for attribute in attributes {
                write!(text, " {}={:?}", attribute.name.local, &*attribute.value).unwrap();
            }
            line(out, depth, &text);
        }
    }
    for &child in &nodes[node].children {
        write_expected(nodes, child, depth + 1, out);
    }
}

enum Kin {
    Root,
    Other,
    Text(String),
    Element(QualName, Vec<Attribute>, bool),
}

struct Node {
    parent: Option<usize>,
    children: Vec<usize>,
    kind: Kin,
}

struct Sink(RefCell<Vec<Node>>);

impl Default for Sink {
    fn default() -> Self {
        Self(RefCell::new(vec![Node { parent: None, children: Vec::new(), kind: Kin::Root }]))
    }
}

impl Sink {
    fn add(&self, kind: Kin) -> usize {
        let mut nodes = self.0.borrow_mut();
        nodes.push(Node { parent: None, children: Vec::new(), kind });
        nodes.len() - 1
    }

    fn put(&self, parent: usize, index: usize, child: NodeOrText<usize>) {
        let node = match child {
            NodeOrText::AppendNode(node) => node,
            NodeOrText::AppendText(text) => {
                let before = index.checked_sub(1).map(|index| self.0.borrow()[parent].children[index]);
                if let Some(before) = before
                    && let Kin::Text(known) = &mut self.0.borrow_mut()[before].kind
                {
                    known.push_str(&text);
                    return;
                }
                self.add(Kin::Text(text.to_string()))
            }
        };
        let mut nodes = self.0.borrow_mut();
        nodes[parent].children.insert(index, node);
        nodes[node].parent = Some(parent);
    }

    fn index(&self, node: usize) -> Option<(usize, usize)> {
        let nodes = self.0.borrow();
        let parent = nodes[node].parent?;
        Some((parent, nodes[parent].children.iter().rposition(|&child| child == node)?))
    }
}

impl TreeSink for Sink {
    type Handle = usize;
    type Output = Vec<Node>;
    type ElemName<'a> = OwnName;

    fn finish(self) -> Vec<Node> {
        self.0.into_inner()
    }

    fn parse_error(&self, _message: Cow<'static, str>) {}

    fn get_document(&self) -> usize {
        0
    }

    fn elem_name<'a>(&'a self, target: &'a usize) -> OwnName {
        match &self.0.borrow()[*target].kind {
            Kin::Element(name, ..) => OwnName(name.clone()),
            _ => OwnName(QualName::new(None, ns!(html), local_name!(""))),
        }
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, flags: ElementFlags) -> usize {
        let node = self.add(Kin::Element(name, attributes, flags.mathml_annotation_xml_integration_point));
        if flags.template {
            let contents = self.add(Kin::Root);
            self.put(node, 0, NodeOrText::AppendNode(contents));
        }
        node
    }

    fn create_comment(&self, _text: StrTendril) -> usize {
        self.add(Kin::Other)
    }

    fn create_pi(&self, _target: StrTendril, _data: StrTendril) -> usize {
        self.add(Kin::Other)
    }

    fn append(&self, parent: &usize, child: NodeOrText<usize>) {
        if let NodeOrText::AppendNode(node) = &child {
            self.remove_from_parent(node);
        }
        let end = self.0.borrow()[*parent].children.len();
        self.put(*parent, end, child);
    }

    fn append_based_on_parent_node(&self, element: &usize, previous: &usize, child: NodeOrText<usize>) {
        if self.index(*element).is_some() {
            self.append_before_sibling(element, child);
        } else {
            self.append(previous, child);
        }
    }

    fn append_doctype_to_document(&self, _name: StrTendril, _public: StrTendril, _system: StrTendril) {}

    fn get_template_contents(&self, target: &usize) -> usize {
        self.0.borrow()[*target].children[0]
    }

    fn same_node(&self, x: &usize, y: &usize) -> bool {
        x == y
    }

    fn set_quirks_mode(&self, _mode: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &usize, child: NodeOrText<usize>) {
        if let NodeOrText::AppendNode(node) = &child {
            self.remove_from_parent(node);
        }
        let (parent, index) = self.index(*sibling).expect("a sibling has a parent");
        self.put(parent, index, child);
    }

    fn add_attrs_if_missing(&self, target: &usize, new: Vec<Attribute>) {
        if let Kin::Element(_, attributes, _) = &mut self.0.borrow_mut()[*target].kind {
            for attribute in new {
                if !attributes.iter().any(|known| known.name == attribute.name) {
                    attributes.push(attribute);
                }
            }
        }
    }

    fn remove_from_parent(&self, target: &usize) {
        if let Some((parent, index)) = self.index(*target) {
            let mut nodes = self.0.borrow_mut();
            nodes[parent].children.remove(index);
            nodes[*target].parent = None;
        }
    }

    fn reparent_children(&self, node: &usize, new_parent: &usize) {
        let children = std::mem::take(&mut self.0.borrow_mut()[*node].children);
        for child in children {
            self.0.borrow_mut()[child].parent = None;
            self.append(new_parent, NodeOrText::AppendNode(child));
        }
    }

    fn is_mathml_annotation_xml_integration_point(&self, handle: &usize) -> bool {
        matches!(self.0.borrow()[*handle].kind, Kin::Element(_, _, true))
    }
}

#[derive(Debug)]
pub struct OwnName(QualName);

impl html5ever::interface::ElemName for OwnName {
    fn ns(&self) -> &html5ever::Namespace {
        &self.0.ns
    }

    fn local_name(&self) -> &html5ever::LocalName {
        &self.0.local
    }

    fn expanded(&self) -> ExpandedName<'_> {
        self.0.expanded()
    }
}
