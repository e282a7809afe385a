//! Text and start tags in the body (13.2.6.4.7).
//!
//! More methods of [`Builder`].

use super::builder::{Builder, Content, Mode, Tag};
use crate::dom::{NONE, Namespace, Span};
use crate::names::{flag, known};

impl Builder {
    pub(super) fn body_text(&mut self, span: Span) {
        self.reconstruct();
        if self.frameset_ok && !self.is_space(span) {
            self.frameset_ok = false;
        }
        self.insert_text(span);
    }

    pub(super) fn body_start(&mut self, tag: Tag) {
        match tag.name {
            known::ADDRESS
            | known::ARTICLE
            | known::ASIDE
            | known::BLOCKQUOTE
            | known::CENTER
            | known::DETAILS
            | known::DIALOG
            | known::DIR
            | known::DIV
            | known::DL
            | known::FIELDSET
            | known::FIGCAPTION
            | known::FIGURE
            | known::FOOTER
            | known::HEADER
            | known::HGROUP
            | known::MAIN
            | known::MENU
            | known::NAV
            | known::OL
            | known::P
            | known::SEARCH
            | known::SECTION
            | known::SUMMARY
            | known::UL => {
                self.close_p();
                self.insert(tag);
            }
            known::A => {
                self.close_misnested_a();
                self.insert_formatting(tag);
            }
            known::B
            | known::BIG
            | known::CODE
            | known::EM
            | known::FONT
            | known::I
            | known::S
            | known::SMALL
            | known::STRIKE
            | known::STRONG
            | known::TT
            | known::U => self.insert_formatting(tag),
            known::AREA | known::BR | known::EMBED | known::IMG | known::KEYGEN | known::WBR => {
                self.insert_content_void(tag);
            }
            known::LI | known::DD | known::DT => self.insert_item(tag),
            known::H1 | known::H2 | known::H3 | known::H4 | known::H5 | known::H6 => {
                self.close_p();
                if self.current().has(flag::HEADING) {
                    self.pop();
                }
                self.insert(tag);
            }
            known::INPUT
            | known::BUTTON
            | known::SELECT
            | known::OPTION
            | known::OPTGROUP
            | known::TEXTAREA
            | known::FORM
            | known::HR => self.body_control(tag),
            known::HTML | known::BODY | known::FRAMESET => self.body_again(tag),
            known::BASE
            | known::BASEFONT
            | known::BGSOUND
            | known::LINK
            | known::META
            | known::NOFRAMES
            | known::SCRIPT
            | known::STYLE
            | known::TEMPLATE
            | known::TITLE => self.head_start(tag),
            known::CAPTION
            | known::COL
            | known::COLGROUP
            | known::FRAME
            | known::HEAD
            | known::TBODY
            | known::TD
            | known::TFOOT
            | known::TH
            | known::THEAD
            | known::TR => {}
            _ => self.body_rarer(tag),
        }
    }

    fn body_rarer(&mut self, tag: Tag) {
        match tag.name {
            known::TABLE => {
                if !self.quirks {
                    self.close_p();
                }
                self.insert(tag);
                self.frameset_ok = false;
                self.mode = Mode::InTable;
            }
            known::PRE | known::LISTING => {
                self.close_p();
                self.insert(tag);
                self.skip_newline = true;
                self.frameset_ok = false;
            }
            known::PLAINTEXT => {
                self.close_p();
                self.insert(tag);
                self.content = Content::Plaintext;
            }
            known::NOBR => self.insert_nobr(tag),
            known::APPLET | known::MARQUEE | known::OBJECT => {
                self.reconstruct();
                self.insert(tag);
                self.push_marker();
                self.frameset_ok = false;
            }
            known::PARAM | known::SOURCE | known::TRACK => {
                self.insert_void(tag);
            }
            known::IMAGE => self.insert_content_void(Tag { name: known::IMG, ..tag }),
            known::XMP => {
                self.close_p();
                self.reconstruct();
                self.frameset_ok = false;
                self.insert_raw(tag, Content::Rawtext(tag.name));
            }
            known::IFRAME => {
                self.frameset_ok = false;
                self.insert_raw(tag, Content::Rawtext(tag.name));
            }
            known::NOEMBED => self.insert_raw(tag, Content::Rawtext(tag.name)),
            known::RB | known::RTC | known::RP | known::RT => self.insert_ruby(tag),
            known::MATH => {
                self.reconstruct();
                self.enter_foreign(tag, Namespace::MathMl);
            }
            known::SVG => {
                self.reconstruct();
                self.enter_foreign(tag, Namespace::Svg);
            }
            _ => {
                self.reconstruct();
                self.insert(tag);
            }
        }
    }

    /// `<br>`, `<img>` and their like.
    fn insert_content_void(&mut self, tag: Tag) {
        self.reconstruct();
        self.insert_void(tag);
        self.frameset_ok = false;
    }

    /// A second `<html>` or `<body>`, or a `<frameset>` instead of the body.
    fn body_again(&mut self, tag: Tag) {
        let body = self.open.get(1).filter(|open| open.is(known::BODY)).copied();
        match (tag.name, body) {
            (known::HTML, _) if !self.is_open(known::TEMPLATE) => self.add_missing(self.open[0].node, tag.attributes),
            (known::BODY, Some(body)) if !self.is_open(known::TEMPLATE) => {
                self.frameset_ok = false;
                self.add_missing(body.node, tag.attributes);
            }
            (known::FRAMESET, Some(body)) if self.frameset_ok => {
                self.document.detach(body.node);
                self.truncate(1);
                self.insert(tag);
                self.mode = Mode::InFrameset;
            }
            _ => {}
        }
    }

    fn insert_item(&mut self, tag: Tag) {
        self.frameset_ok = false;
        let closes = |name| match tag.name {
            known::LI => name == known::LI,
            _ => matches!(name, known::DD | known::DT),
        };
        let stops = |name| !matches!(name, known::ADDRESS | known::DIV | known::P);
        let reached = self.open.iter().rev().find(|open| {
            open.namespace == Namespace::Html && closes(open.name) || open.has(flag::SPECIAL) && stops(open.name)
        });
        if let Some(item) = reached.filter(|open| open.namespace == Namespace::Html && closes(open.name)).copied() {
            self.close_named(item.name);
        }
        self.close_p();
        self.insert(tag);
    }

    fn insert_nobr(&mut self, tag: Tag) {
        self.reconstruct();
        if self.in_scope(known::NOBR, flag::SCOPE) {
            self.adopt(known::NOBR);
        }
        self.insert_formatting(tag);
    }

    fn insert_ruby(&mut self, tag: Tag) {
        if self.in_scope(known::RUBY, flag::SCOPE) {
            let except = if matches!(tag.name, known::RP | known::RT) { known::RTC } else { known::NONE };
            self.close_implied(flag::IMPLIED, except);
        }
        self.insert(tag);
    }

    /// Forms and what stands in them.
    fn body_control(&mut self, tag: Tag) {
        match tag.name {
            known::FORM => self.insert_form(tag),
            known::INPUT => self.insert_input(tag),
            known::BUTTON => {
                if self.in_scope(known::BUTTON, flag::SCOPE) {
                    self.close_named(known::BUTTON);
                }
                self.reconstruct();
                self.insert(tag);
                self.frameset_ok = false;
            }
            known::TEXTAREA => {
                self.frameset_ok = false;
                self.insert_raw(tag, Content::Rcdata(tag.name));
                self.skip_newline = true;
            }
            known::SELECT => {
                if self.in_scope(known::SELECT, flag::SCOPE) {
                    return self.pop_until(known::SELECT);
                }
                self.reconstruct();
                self.insert(tag);
                self.frameset_ok = false;
            }
            known::HR => {
                self.close_p();
                if self.in_scope(known::SELECT, flag::SCOPE) {
                    self.close_implied(flag::IMPLIED, known::NONE);
                }
                self.insert_void(tag);
                self.frameset_ok = false;
            }
            _ => self.insert_option(tag),
        }
    }

    fn insert_form(&mut self, tag: Tag) {
        let in_template = self.is_open(known::TEMPLATE);
        if self.form != NONE && !in_template {
            return;
        }
        self.close_p();
        let node = self.insert(tag);
        if !in_template {
            self.form = node;
        }
    }

    fn insert_input(&mut self, tag: Tag) {
        if self.in_scope(known::SELECT, flag::SCOPE) {
            self.pop_until(known::SELECT);
        }
        self.reconstruct();
        self.insert_void(tag);
        if !self.is_hidden(tag) {
            self.frameset_ok = false;
        }
    }

    pub(super) fn is_hidden(&self, tag: Tag) -> bool {
        let attributes = self.document.attribute_list(tag.attributes);
        let kind = attributes.iter().find(|attribute| attribute.name == known::TYPE);
        kind.is_some_and(|kind| self.document.slice(kind.value).eq_ignore_ascii_case("hidden"))
    }

    /// `<option>` and `<optgroup>`.
    fn insert_option(&mut self, tag: Tag) {
        if self.in_scope(known::SELECT, flag::SCOPE) {
            let except = if tag.name == known::OPTION { known::OPTGROUP } else { known::NONE };
            self.close_implied(flag::IMPLIED, except);
        } else if self.current_is(known::OPTION) {
            self.pop();
        }
        self.reconstruct();
        self.insert(tag);
    }
}
