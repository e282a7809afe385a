//! Which rule is a token for? Tokens by insertion mode (13.2.6), and text in the modes that part it into white space and
//! the rest.
//!
//! More methods of [`Builder`]: those [`super::tokens`] calls.

use super::builder::{Builder, Mode, Place, Tag, is_space};
use crate::dom::{Document, NONE, Namespace, Span};
use crate::names::{Name, known};

impl Builder {
    pub fn start_tag(&mut self, tag: Tag) {
        self.flush();
        self.start(tag);
    }

    pub fn end_tag(&mut self, name: Name) {
        self.flush();
        self.end(name);
    }

    /// Text, not empty and without NUL.
    pub fn characters(&mut self, mut span: Span) {
        if std::mem::take(&mut self.skip_newline) && self.document.slice(span).starts_with('\n') {
            span.start += 1;
        }
        if span.is_empty() {
            return;
        }
        if self.is_foreign_text() {
            return self.foreign_text(span);
        }
        match self.mode {
            Mode::InBody | Mode::InCell | Mode::InCaption | Mode::InTemplate => self.body_text(span),
            Mode::Text => self.insert_text(span),
            Mode::InTable | Mode::InTableBody | Mode::InRow => self.table_text(span),
            _ => self.split(span),
        }
        if self.document.len() > self.limits.nodes {
            self.refused = Some(super::Refused::Nodes(self.limits.nodes));
        }
    }

    /// A NUL in the text.
    pub fn null(&mut self) {
        self.skip_newline = false;
        if self.is_foreign_text() {
            return self.foreign_null();
        }
        let mode = self.mode;
        match mode {
            Mode::Initial
            | Mode::BeforeHtml
            | Mode::BeforeHead
            | Mode::InHead
            | Mode::InHeadNoscript
            | Mode::AfterHead => {
                self.leave_head();
                self.null();
            }
            Mode::InColumnGroup if self.leave_column_group() => self.null(),
            Mode::AfterBody | Mode::AfterAfterBody => self.mode = Mode::InBody,
            _ => {}
        }
    }

    pub fn comment(&mut self) {
        self.flush();
        let place = match self.mode {
            _ if self.in_foreign_content() => self.place_in(self.current()),
            Mode::Initial | Mode::BeforeHtml | Mode::AfterAfterBody | Mode::AfterAfterFrameset => {
                Place { parent: Document::ROOT, before: NONE }
            }
            Mode::AfterBody => Place { parent: self.open[0].node, before: NONE },
            _ => self.place_in(self.current()),
        };
        self.insert_comment(place);
    }

    pub fn doctype(&mut self, quirks: bool) {
        self.flush();
        if self.mode == Mode::Initial {
            self.quirks = quirks;
            self.mode = Mode::BeforeHtml;
        }
    }

    /// Before any token that is not text.
    fn flush(&mut self) {
        self.skip_newline = false;
        if !self.pending.is_empty() {
            self.flush_table_text();
        }
    }

    pub(super) fn start(&mut self, tag: Tag) {
        if self.is_foreign_start(tag.name) {
            self.foreign_start(tag);
        } else {
            self.start_in(self.mode, tag);
        }
    }

    pub(super) fn end(&mut self, name: Name) {
        if self.in_foreign_content() {
            self.foreign_end(name);
        } else {
            self.end_in(self.mode, name);
        }
    }

    pub(super) fn start_in(&mut self, mode: Mode, tag: Tag) {
        match mode {
            Mode::Initial => self.initial_start(tag),
            Mode::BeforeHtml => self.before_html_start(tag),
            Mode::BeforeHead => self.before_head_start(tag),
            Mode::InHead => self.head_start(tag),
            Mode::InHeadNoscript => self.noscript_start(tag),
            Mode::AfterHead => self.after_head_start(tag),
            Mode::InBody | Mode::Text => self.body_start(tag),
            Mode::InTable => self.table_start(tag),
            Mode::InCaption => self.caption_start(tag),
            Mode::InColumnGroup => self.column_group_start(tag),
            Mode::InTableBody => self.table_body_start(tag),
            Mode::InRow => self.row_start(tag),
            Mode::InCell => self.cell_start(tag),
            Mode::InTemplate => self.template_start(tag),
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body_start(tag),
            Mode::InFrameset => self.frameset_start(tag),
            Mode::AfterFrameset | Mode::AfterAfterFrameset => self.after_frameset_start(tag),
        }
    }

    pub(super) fn end_in(&mut self, mode: Mode, name: Name) {
        match mode {
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => {
                if matches!(name, known::HEAD | known::BODY | known::HTML | known::BR) {
                    self.leave_before_head();
                    self.end(name);
                } else if mode == Mode::Initial {
                    self.quirks = true;
                    self.mode = Mode::BeforeHtml;
                }
            }
            Mode::InHead => self.head_end(name),
            Mode::InHeadNoscript => self.noscript_end(name),
            Mode::AfterHead => self.after_head_end(name),
            Mode::InBody => self.body_end(name),
            Mode::Text => self.text_end(),
            Mode::InTable => self.table_end(name),
            Mode::InCaption => self.caption_end(name),
            Mode::InColumnGroup => self.column_group_end(name),
            Mode::InTableBody => self.table_body_end(name),
            Mode::InRow => self.row_end(name),
            Mode::InCell => self.cell_end(name),
            Mode::InTemplate => {
                if name == known::TEMPLATE {
                    self.end_template();
                }
            }
            Mode::AfterBody | Mode::AfterAfterBody => self.after_body_end(name),
            Mode::InFrameset => self.frameset_end(name),
            Mode::AfterFrameset => {
                if name == known::HTML {
                    self.mode = Mode::AfterAfterFrameset;
                }
            }
            Mode::AfterAfterFrameset => {}
        }
    }

    /// Text in a mode that treats white space and the rest differently: run by run.
    fn split(&mut self, span: Span) {
        let mut rest = span;
        while !rest.is_empty() {
            let bytes = self.document.slice(rest).as_bytes();
            let space = is_space(bytes[0]);
            let length = bytes.iter().take_while(|&&byte| is_space(byte) == space).count() as u32;
            let run = Span { start: rest.start, end: rest.start + length };
            if space {
                self.space(run);
            } else if !self.make_way_for_text() {
                // Dropped where no text may stand.
            } else {
                // The mode has become one that takes all that is left.
                return self.characters(rest);
            }
            rest.start += length;
        }
    }

    fn space(&mut self, run: Span) {
        match self.mode {
            Mode::Initial | Mode::BeforeHtml | Mode::BeforeHead => {}
            Mode::AfterBody | Mode::AfterAfterBody | Mode::AfterAfterFrameset => self.body_text(run),
            _ => self.insert_text(run),
        }
    }

    /// Text that is not white space comes: true when the mode is now one for it.
    fn make_way_for_text(&mut self) -> bool {
        match self.mode {
            Mode::InFrameset | Mode::AfterFrameset | Mode::AfterAfterFrameset => false,
            Mode::AfterBody | Mode::AfterAfterBody => {
                self.mode = Mode::InBody;
                true
            }
            Mode::InColumnGroup => self.leave_column_group(),
            _ => {
                self.leave_head();
                true
            }
        }
    }

    /// Resets the insertion mode appropriately (13.2.4.1).
    pub(super) fn reset_mode(&mut self) {
        self.mode = self.mode_of_stack();
    }

    fn mode_of_stack(&self) -> Mode {
        for open in self.open.iter().rev().filter(|open| open.namespace == Namespace::Html) {
            return match open.name {
                known::TD | known::TH => Mode::InCell,
                known::TR => Mode::InRow,
                known::TBODY | known::THEAD | known::TFOOT => Mode::InTableBody,
                known::CAPTION => Mode::InCaption,
                known::COLGROUP => Mode::InColumnGroup,
                known::TABLE => Mode::InTable,
                known::TEMPLATE => self.templates.last().copied().unwrap_or(Mode::InTemplate),
                known::HEAD => Mode::InHead,
                known::BODY => Mode::InBody,
                known::FRAMESET => Mode::InFrameset,
                known::HTML if self.head == NONE => Mode::BeforeHead,
                known::HTML => Mode::AfterHead,
                _ => continue,
            };
        }
        Mode::InBody
    }
}
