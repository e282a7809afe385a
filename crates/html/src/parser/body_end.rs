//! End tags in the body (13.2.6.4.7).
//!
//! More methods of [`Builder`].

use super::builder::{Builder, Mode, Tag};
use crate::dom::{Attributes, NONE, NodeId};
use crate::names::{Name, flag, known};

impl Builder {
    pub(super) fn body_end(&mut self, name: Name) {
        match name {
            known::ADDRESS
            | known::ARTICLE
            | known::ASIDE
            | known::BLOCKQUOTE
            | known::BUTTON
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
            | known::LISTING
            | known::MAIN
            | known::MENU
            | known::NAV
            | known::OL
            | known::PRE
            | known::SEARCH
            | known::SECTION
            | known::SELECT
            | known::SUMMARY
            | known::UL
            | known::DD
            | known::DT => self.end_scoped(name, flag::SCOPE),
            known::LI => self.end_scoped(name, flag::SCOPE | flag::LIST),
            known::A
            | known::B
            | known::BIG
            | known::CODE
            | known::EM
            | known::FONT
            | known::I
            | known::NOBR
            | known::S
            | known::SMALL
            | known::STRIKE
            | known::STRONG
            | known::TT
            | known::U => self.adopt(name),
            known::P => {
                if !self.in_scope(known::P, flag::SCOPE | flag::BUTTON) {
                    self.insert_implied(known::P);
                }
                self.close_named(known::P);
            }
            known::H1 | known::H2 | known::H3 | known::H4 | known::H5 | known::H6 => {
                if self.in_scope_where(flag::SCOPE, |open| open.has(flag::HEADING)) {
                    self.close_implied(flag::IMPLIED, known::NONE);
                    self.pop_until_any(flag::HEADING);
                }
            }
            known::BODY | known::HTML => {
                if self.in_scope(known::BODY, flag::SCOPE) {
                    self.mode = Mode::AfterBody;
                    if name == known::HTML {
                        self.end(name);
                    }
                }
            }
            known::FORM => self.end_form(),
            known::APPLET | known::MARQUEE | known::OBJECT => {
                if self.in_scope(name, flag::SCOPE) {
                    self.close_named(name);
                    self.clear_formatting();
                }
            }
            known::BR => {
                self.body_start(Tag { name, attributes: Attributes::default(), self_closing: false });
            }
            known::TEMPLATE => self.end_template(),
            _ => self.end_any_other(name),
        }
    }

    fn end_scoped(&mut self, name: Name, stops: u32) {
        if self.in_scope(name, stops) {
            self.close_named(name);
        }
    }

    fn end_form(&mut self) {
        if self.is_open(known::TEMPLATE) {
            return self.end_scoped(known::FORM, flag::SCOPE);
        }
        let form: NodeId = std::mem::replace(&mut self.form, NONE);
        if form != NONE && self.in_scope_where(flag::SCOPE, |open| open.node == form) {
            self.close_implied(flag::IMPLIED, known::NONE);
            self.close(form);
        }
    }

    /// Closes the nearest element of the name, if no special one stands in the way.
    pub(super) fn end_any_other(&mut self, name: Name) {
        let reached = self.open.iter().rposition(|open| open.is(name) || open.has(flag::SPECIAL));
        if let Some(index) = reached.filter(|&index| self.open[index].is(name)) {
            self.truncate(index);
        }
    }
}
