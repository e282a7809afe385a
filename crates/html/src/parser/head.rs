//! Up to the end of the head (13.2.6.4.1 to .6).
//!
//! More methods of [`Builder`]; each is the standard's paragraph of that name.

use super::builder::{Builder, Content, Mode, Open, Tag};
use crate::dom::{Attributes, Document, Namespace};
use crate::names::{Name, flag, known, of};

impl Builder {
    pub(super) fn initial_start(&mut self, tag: Tag) {
        self.quirks = true;
        self.mode = Mode::BeforeHtml;
        self.start(tag);
    }

    pub(super) fn before_html_start(&mut self, tag: Tag) {
        if tag.name == known::HTML {
            self.open_html(tag.attributes);
        } else {
            self.open_html(Attributes::default());
            self.start(tag);
        }
    }

    fn open_html(&mut self, attributes: Attributes) {
        let node = self.create(known::HTML, Namespace::Html, attributes);
        self.document.append(Document::ROOT, node);
        self.push(Open { node, name: known::HTML, namespace: Namespace::Html, flags: of(known::HTML) });
        self.mode = Mode::BeforeHead;
    }

    pub(super) fn before_head_start(&mut self, tag: Tag) {
        match tag.name {
            known::HTML => self.body_start(tag),
            known::HEAD => {
                self.head = self.insert(tag);
                self.mode = Mode::InHead;
            }
            _ => {
                self.leave_before_head();
                self.start(tag);
            }
        }
    }

    /// From before the head to the head, with the elements left out.
    pub(super) fn leave_before_head(&mut self) {
        if self.mode == Mode::Initial {
            self.quirks = true;
            self.mode = Mode::BeforeHtml;
        }
        if self.mode == Mode::BeforeHtml {
            self.open_html(Attributes::default());
        }
        self.head = self.insert_implied(known::HEAD);
        self.mode = Mode::InHead;
    }

    /// One step or more from anywhere up to the head to the body.
    pub(super) fn leave_head(&mut self) {
        match self.mode {
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => self.leave_before_head(),
            Mode::InHeadNoscript => {
                self.pop();
                self.mode = Mode::InHead;
            }
            Mode::InHead => {
                self.pop();
                self.mode = Mode::AfterHead;
            }
            Mode::AfterHead => {
                self.insert_implied(known::BODY);
                self.mode = Mode::InBody;
            }
            _ => {}
        }
    }

    // The head.

    pub(super) fn head_start(&mut self, tag: Tag) {
        match tag.name {
            known::HTML => self.body_start(tag),
            known::BASE | known::BASEFONT | known::BGSOUND | known::LINK | known::META => {
                self.insert_void(tag);
            }
            known::TITLE => self.insert_raw(tag, Content::Rcdata(tag.name)),
            known::NOSCRIPT => {
                self.insert(tag);
                self.mode = Mode::InHeadNoscript;
            }
            known::NOFRAMES | known::STYLE => self.insert_raw(tag, Content::Rawtext(tag.name)),
            known::SCRIPT => self.insert_raw(tag, Content::Script),
            known::TEMPLATE => {
                self.insert(tag);
                self.push_marker();
                self.frameset_ok = false;
                self.mode = Mode::InTemplate;
                self.templates.push(Mode::InTemplate);
            }
            known::HEAD => {}
            _ => {
                self.leave_head();
                self.start(tag);
            }
        }
    }

    /// An element with nothing but text in it.
    pub(super) fn insert_raw(&mut self, tag: Tag, content: Content) {
        self.insert(tag);
        self.original = self.mode;
        self.mode = Mode::Text;
        self.content = content;
    }

    pub(super) fn text_end(&mut self) {
        self.pop();
        self.mode = self.original;
    }

    pub(super) fn head_end(&mut self, name: Name) {
        match name {
            known::HEAD => self.leave_head(),
            known::BODY | known::HTML | known::BR => {
                self.leave_head();
                self.end(name);
            }
            known::TEMPLATE => self.end_template(),
            _ => {}
        }
    }

    pub(super) fn end_template(&mut self) {
        if self.is_open(known::TEMPLATE) {
            self.close_implied(flag::THOROUGH, known::NONE);
            self.leave_template();
        }
    }

    pub(super) fn leave_template(&mut self) {
        self.pop_until(known::TEMPLATE);
        self.clear_formatting();
        self.templates.pop();
        self.reset_mode();
    }

    pub(super) fn noscript_start(&mut self, tag: Tag) {
        match tag.name {
            known::HTML => self.body_start(tag),
            known::BASEFONT | known::BGSOUND | known::LINK | known::META | known::NOFRAMES | known::STYLE => {
                self.head_start(tag);
            }
            known::HEAD | known::NOSCRIPT => {}
            _ => {
                self.leave_head();
                self.start(tag);
            }
        }
    }

    pub(super) fn noscript_end(&mut self, name: Name) {
        match name {
            known::NOSCRIPT => self.leave_head(),
            known::BR => {
                self.leave_head();
                self.end(name);
            }
            _ => {}
        }
    }

    pub(super) fn after_head_start(&mut self, tag: Tag) {
        match tag.name {
            known::HTML => self.body_start(tag),
            known::BODY => {
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = Mode::InBody;
            }
            known::FRAMESET => {
                self.insert(tag);
                self.mode = Mode::InFrameset;
            }
            known::BASE
            | known::BASEFONT
            | known::BGSOUND
            | known::LINK
            | known::META
            | known::NOFRAMES
            | known::SCRIPT
            | known::STYLE
            | known::TEMPLATE
            | known::TITLE => {
                let head = self.head;
                self.push(Open { node: head, name: known::HEAD, namespace: Namespace::Html, flags: of(known::HEAD) });
                self.head_start(tag);
                self.close(head);
            }
            known::HEAD => {}
            _ => {
                self.leave_head();
                self.start(tag);
            }
        }
    }

    pub(super) fn after_head_end(&mut self, name: Name) {
        match name {
            known::TEMPLATE => self.end_template(),
            known::BODY | known::HTML | known::BR => {
                self.leave_head();
                self.end(name);
            }
            _ => {}
        }
    }
}
