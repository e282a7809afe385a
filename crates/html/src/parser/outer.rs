//! What stands in templates, in framesets and behind the body, and the end of the source (13.2.6.4.18 and following).
//!
//! More methods of [`Builder`]; each is the standard's paragraph of that name.

use super::builder::{Builder, Mode, Tag};
use crate::names::{Name, known};

impl Builder {
    pub(super) fn template_start(&mut self, tag: Tag) {
        let mode = match tag.name {
            known::BASE
            | known::BASEFONT
            | known::BGSOUND
            | known::LINK
            | known::META
            | known::NOFRAMES
            | known::SCRIPT
            | known::STYLE
            | known::TEMPLATE
            | known::TITLE => return self.head_start(tag),
            known::CAPTION | known::COLGROUP | known::TBODY | known::TFOOT | known::THEAD => Mode::InTable,
            known::COL => Mode::InColumnGroup,
            known::TR => Mode::InTableBody,
            known::TD | known::TH => Mode::InRow,
            _ => Mode::InBody,
        };
        self.templates.pop();
        self.templates.push(mode);
        self.mode = mode;
        self.start(tag);
    }

    pub(super) fn after_body_start(&mut self, tag: Tag) {
        if tag.name == known::HTML {
            return self.body_start(tag);
        }
        self.mode = Mode::InBody;
        self.start(tag);
    }

    pub(super) fn after_body_end(&mut self, name: Name) {
        if name == known::HTML && self.mode == Mode::AfterBody {
            self.mode = Mode::AfterAfterBody;
            return;
        }
        self.mode = Mode::InBody;
        self.end(name);
    }

    pub(super) fn frameset_start(&mut self, tag: Tag) {
        match tag.name {
            known::HTML => self.body_start(tag),
            known::FRAMESET => {
                self.insert(tag);
            }
            known::FRAME => {
                self.insert_void(tag);
            }
            known::NOFRAMES => self.head_start(tag),
            _ => {}
        }
    }

    pub(super) fn frameset_end(&mut self, name: Name) {
        if name == known::FRAMESET && self.open.len() > 1 {
            self.pop();
            if !self.current_is(known::FRAMESET) {
                self.mode = Mode::AfterFrameset;
            }
        }
    }

    pub(super) fn after_frameset_start(&mut self, tag: Tag) {
        match tag.name {
            known::HTML => self.body_start(tag),
            known::NOFRAMES => self.head_start(tag),
            _ => {}
        }
    }

    pub fn end_of_file(&mut self) {
        self.skip_newline = false;
        if !self.pending.is_empty() {
            self.flush_table_text();
        }
        loop {
            match self.mode {
                Mode::Initial
                | Mode::BeforeHtml
                | Mode::BeforeHead
                | Mode::InHead
                | Mode::InHeadNoscript
                | Mode::AfterHead => self.leave_head(),
                Mode::Text => {
                    self.pop();
                    self.mode = self.original;
                }
                // Whatever is open, an open template is left first: it may have ended a head or a body too early.
                _ if self.is_open(known::TEMPLATE) && !self.templates.is_empty() => self.leave_template(),
                _ => break,
            }
        }
    }
}
