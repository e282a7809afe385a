//! The tree under construction: open elements, where the next node goes, text that grows (13.2.4, 13.2.6.1).
//!
//! Takes tokens in source order from [`super::tokens`] → grows a [`Document`]. The rules by insertion mode stand in the
//! sibling modules, as more methods of [`Builder`].
//! - [`Tag`]: a start tag. - [`Open`]: an element on the stack. - [`Place`]: where a node goes. - [`Mode`]: the insertion
//!   mode. - [`Content`]: how the tokenizer reads on.

use super::formatting::{self, Entry};
use super::{Limits, Refused};
use crate::dom::{Attribute, Attributes, Document, ElementNode, Kind, NONE, Namespace, NodeId, Span, TextSpan};
use crate::names::{self, Interner, Name, flag, known};
use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Debug, Clone, Copy)]
pub struct Tag {
    pub name: Name,
    pub attributes: Attributes,
    pub self_closing: bool,
}

#[derive(Debug, Clone, Copy)]
pub struct Open {
    pub node: NodeId,
    pub name: Name,
    pub namespace: Namespace,
    /// [`names::of`] an HTML element; integration points and their like of a foreign one.
    pub flags: u32,
}

impl Open {
    pub fn is(&self, name: Name) -> bool {
        self.name == name && self.namespace == Namespace::Html
    }

    pub fn has(&self, flags: u32) -> bool {
        self.flags & flags != 0
    }
}

/// Inside `parent`: before `before`, or at the end.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    pub parent: NodeId,
    pub before: NodeId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    Initial,
    BeforeHtml,
    BeforeHead,
    InHead,
    InHeadNoscript,
    AfterHead,
    InBody,
    Text,
    InTable,
    InCaption,
    InColumnGroup,
    InTableBody,
    InRow,
    InCell,
    InTemplate,
    AfterBody,
    InFrameset,
    AfterFrameset,
    AfterAfterBody,
    AfterAfterFrameset,
}

/// What the tokenizer takes the text after a start tag for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Data,
    /// Character references, and no tag but the end tag of that name.
    Rcdata(Name),
    Rawtext(Name),
    Script,
    Plaintext,
}

pub struct Builder {
    pub document: Document,
    pub limits: Limits,
    pub refused: Option<Refused>,
    /// Set by a start tag, taken by the tokenizer.
    pub content: Content,
    pub quirks: bool,
    /// The next token, if it is a line feed, is dropped.
    pub skip_newline: bool,
    pub(super) interner: Interner,
    pub(super) mode: Mode,
    /// To go back to after [`Mode::Text`].
    pub(super) original: Mode,
    pub(super) templates: Vec<Mode>,
    pub(super) open: Vec<Open>,
    /// How many HTML elements of each known name are open: most questions about the stack are answered by a zero here.
    pub(super) counts: Vec<u32>,
    pub(super) formatting: Vec<Entry>,
    /// Text directly inside a table, until it is known whether it is only white space.
    pub(super) pending: Vec<Span>,
    pub(super) head: NodeId,
    pub(super) form: NodeId,
    pub(super) frameset_ok: bool,
    pub(super) foster: bool,
    /// Attributes that later `<html>` and `<body>` tags add to the first ones.
    late: Vec<(NodeId, Attribute)>,
    /// Names that these elements have, once they got such a tag.
    named: FxHashMap<NodeId, FxHashSet<Name>>,
    /// Formatting elements opened again.
    pub(super) reopened: usize,
    pub(super) may_reopen: usize,
    /// Text nodes that were moved to the end of the buffer, and where the room kept for each ends.
    rooms: FxHashMap<NodeId, u32>,
}

impl Builder {
    pub fn new(source: &str, limits: &Limits) -> Self {
        Self {
            document: Document::new(source),
            limits: *limits,
            refused: None,
            content: Content::Data,
            quirks: false,
            skip_newline: false,
            interner: Interner::new(),
            mode: Mode::Initial,
            original: Mode::Initial,
            templates: Vec::new(),
            open: Vec::with_capacity(64),
            counts: vec![0; names::KNOWN],
            formatting: Vec::new(),
            pending: Vec::new(),
            head: NONE,
            form: NONE,
            frameset_ok: true,
            foster: false,
            late: Vec::new(),
            named: FxHashMap::default(),
            reopened: 0,
            may_reopen: formatting::REOPENED + source.len(),
            rooms: FxHashMap::default(),
        }
    }

    pub fn finish(mut self) -> Result<Document, Refused> {
        self.write_late_attributes();
        match self.refused {
            Some(refused) => Err(refused),
            None => Ok(self.document),
        }
    }

    /// The number of a name the document spells as `text`.
    pub fn intern(&mut self, text: &str) -> Name {
        self.interner.find_text(text).unwrap_or_else(|| {
            let start = self.document.buffer.len() as u32;
            self.document.buffer.push_str(text);
            self.add_name(Span { start, end: self.document.buffer.len() as u32 })
        })
    }

    pub fn find_name(&self, key: u128) -> Option<Name> {
        self.interner.find(key)
    }

    /// Numbers a name not known yet.
    pub fn add_name(&mut self, span: Span) -> Name {
        let buffer = &self.document.buffer;
        match self.interner.add(&buffer[span.start as usize..span.end as usize], buffer.as_bytes()) {
            Some(name) => {
                self.document.names.push(span);
                name
            }
            None => {
                self.refused = Some(Refused::Names(names::OWN));
                known::NONE
            }
        }
    }

    /// Is a CDATA section one here?
    pub fn in_foreign_content(&self) -> bool {
        self.open.last().is_some_and(|open| open.namespace != Namespace::Html)
    }

    pub(super) fn create(&mut self, name: Name, namespace: Namespace, attributes: Attributes) -> NodeId {
        let node = self.document.add(Kind::Element(ElementNode { name, namespace, attributes }));
        if name == known::TEMPLATE && namespace == Namespace::Html {
            // The contents of a template hang below it: a reader of links and text wants to see them.
            let contents = self.document.add(Kind::Root);
            self.document.append(node, contents);
        }
        if self.document.len() > self.limits.nodes {
            self.refused = Some(Refused::Nodes(self.limits.nodes));
        }
        node
    }

    /// The appropriate place for inserting a node, `target` being the current node or its stand-in (13.2.6.1).
    pub(super) fn place_in(&self, target: Open) -> Place {
        if self.foster && target.has(flag::FOSTER) {
            return self.foster_place();
        }
        if target.is(known::TEMPLATE) {
            return Place { parent: self.contents(target.node), before: NONE };
        }
        Place { parent: target.node, before: NONE }
    }

    fn foster_place(&self) -> Place {
        for (index, open) in self.open.iter().enumerate().rev() {
            if open.is(known::TEMPLATE) {
                return Place { parent: self.contents(open.node), before: NONE };
            }
            if open.is(known::TABLE) {
                return match self.document.parent(open.node) {
                    Some(parent) => Place { parent, before: open.node },
                    None => Place { parent: self.open[index - 1].node, before: NONE },
                };
            }
        }
        Place { parent: self.open[0].node, before: NONE }
    }

    fn contents(&self, template: NodeId) -> NodeId {
        self.document.nodes[template as usize].first
    }

    pub(super) fn put(&mut self, node: NodeId, place: Place) {
        match place.before {
            NONE => self.document.append(place.parent, node),
            before => self.document.insert_before(before, node),
        }
    }

    /// Inserts an HTML element and opens it.
    pub(super) fn insert(&mut self, tag: Tag) -> NodeId {
        let node = self.insert_void(tag);
        self.push(Open { node, name: tag.name, namespace: Namespace::Html, flags: names::of(tag.name) });
        node
    }

    /// Inserts an HTML element and does not open it.
    pub(super) fn insert_void(&mut self, tag: Tag) -> NodeId {
        let place = self.place_in(self.current());
        let node = self.create(tag.name, Namespace::Html, tag.attributes);
        self.put(node, place);
        node
    }

    /// Inserts an element the source leaves out.
    pub(super) fn insert_implied(&mut self, name: Name) -> NodeId {
        self.insert(Tag { name, attributes: Attributes::default(), self_closing: false })
    }

    pub(super) fn insert_comment(&mut self, place: Place) {
        let node = self.document.add(Kind::Other);
        self.put(node, place);
        if self.document.len() > self.limits.nodes {
            self.refused = Some(Refused::Nodes(self.limits.nodes));
        }
    }

    // Text.

    pub(super) fn is_space(&self, span: Span) -> bool {
        self.document.slice(span).bytes().all(is_space)
    }

    pub(super) fn insert_text(&mut self, span: Span) {
        let place = self.place_in(self.current());
        let neighbour = match place.before {
            NONE => self.document.nodes[place.parent as usize].last,
            before => self.document.nodes[before as usize].previous,
        };
        if neighbour != NONE
            && let Kind::Text(TextSpan(old)) = *self.document.kind(neighbour)
        {
            let whole = self.joined(neighbour, old, span);
            self.document.nodes[neighbour as usize].kind = Kind::Text(TextSpan(whole));
            return;
        }
        let node = self.document.add(Kind::Text(TextSpan(span)));
        self.put(node, place);
    }

    /// The text of a node grown by `more`. What does not stand in one stretch moves to the end of the buffer, with as
    /// much room again, so that text which grows in many steps is copied a bounded number of times.
    fn joined(&mut self, node: NodeId, old: Span, more: Span) -> Span {
        if old.end == more.start {
            return Span { start: old.start, end: more.end };
        }
        let buffer = &mut self.document.buffer;
        let added = (more.end - more.start) as usize;
        let end = old.end as usize + added;
        if self.rooms.get(&node).is_some_and(|&room| end <= room as usize) {
            let text = buffer[more.start as usize..more.end as usize].to_owned();
            buffer.replace_range(old.end as usize..end, &text);
            return Span { start: old.start, end: end as u32 };
        }
        let start = buffer.len();
        buffer.extend_from_within(old.start as usize..old.end as usize);
        buffer.extend_from_within(more.start as usize..more.end as usize);
        let end = buffer.len();
        buffer.extend(std::iter::repeat_n('\0', end - start));
        self.rooms.insert(node, buffer.len() as u32);
        Span { start: start as u32, end: end as u32 }
    }

    // Attributes of a second `<html>` or `<body>`.

    pub(super) fn add_missing(&mut self, node: NodeId, attributes: Attributes) {
        let Some(element) = self.document.element_node(node).copied() else { return };
        let own = self.document.attribute_list(element.attributes);
        let named = self.named.entry(node).or_insert_with(|| own.iter().map(|attribute| attribute.name).collect());
        for new in self.document.attribute_list(attributes) {
            if named.insert(new.name) {
                self.late.push((node, *new));
            }
        }
        if self.late.len() > self.limits.attributes {
            self.refused = Some(Refused::Attributes(self.limits.attributes));
        }
    }

    fn write_late_attributes(&mut self) {
        let late = std::mem::take(&mut self.late);
        let mut nodes: Vec<NodeId> = late.iter().map(|(node, _)| *node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for node in nodes {
            let Kind::Element(element) = &mut self.document.nodes[node as usize].kind else { continue };
            let own = element.attributes;
            let start = self.document.attributes.len();
            self.document.attributes.extend_from_within(own.start as usize..own.start as usize + own.len as usize);
            let added = late.iter().filter(|(owner, _)| *owner == node).map(|(_, attribute)| *attribute);
            self.document.attributes.extend(added);
            let len = (self.document.attributes.len() - start).min(u16::MAX.into()) as u16;
            element.attributes = Attributes { start: start as u32, len };
        }
    }
}

pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\t' | b'\x0C' | b'\r')
}
