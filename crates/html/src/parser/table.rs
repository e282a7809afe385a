//! Tables: rows, cells, captions, columns, and what does not belong there (13.2.6.4.9 to .15).
//!
//! More methods of [`Builder`]; each is the standard's paragraph of that name.

use super::builder::{Builder, Mode, Tag};
use crate::dom::{NONE, Span};
use crate::names::{Name, flag, known};

impl Builder {
    // Text.

    pub(super) fn table_text(&mut self, span: Span) {
        if self.current().has(flag::FOSTER) {
            self.pending.push(span);
        } else {
            self.fostered(|builder| builder.body_text(span));
        }
    }

    /// White space stays in the table; text stands before it.
    pub(super) fn flush_table_text(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        let all_space = pending.iter().all(|&span| self.is_space(span));
        for &span in &pending {
            if all_space {
                self.insert_text(span);
            } else {
                self.fostered(|builder| builder.body_text(span));
            }
        }
        self.pending = pending;
        self.pending.clear();
    }

    /// By the rules of the body, with what is inserted standing before the table.
    fn fostered(&mut self, act: impl FnOnce(&mut Self)) {
        self.foster = true;
        act(self);
        self.foster = false;
    }

    // In the table itself.

    pub(super) fn table_start(&mut self, tag: Tag) {
        match tag.name {
            known::CAPTION => {
                self.clear_to(flag::TABLE);
                self.push_marker();
                self.insert(tag);
                self.mode = Mode::InCaption;
            }
            known::COLGROUP => self.insert_section(tag, Mode::InColumnGroup),
            known::TBODY | known::TFOOT | known::THEAD => self.insert_section(tag, Mode::InTableBody),
            known::COL => {
                self.clear_to(flag::TABLE);
                self.insert_implied(known::COLGROUP);
                self.mode = Mode::InColumnGroup;
                self.start(tag);
            }
            known::TD | known::TH | known::TR => {
                self.clear_to(flag::TABLE);
                self.insert_implied(known::TBODY);
                self.mode = Mode::InTableBody;
                self.start(tag);
            }
            known::TABLE => {
                if self.in_scope(known::TABLE, flag::TABLE) {
                    self.leave_table();
                    self.start(tag);
                }
            }
            known::STYLE | known::SCRIPT | known::TEMPLATE => self.head_start(tag),
            known::INPUT if self.is_hidden(tag) => {
                self.insert_void(tag);
            }
            known::FORM => {
                if self.form == NONE && !self.is_open(known::TEMPLATE) {
                    self.form = self.insert_void(tag);
                }
            }
            _ => self.fostered(|builder| builder.body_start(tag)),
        }
    }

    fn insert_section(&mut self, tag: Tag, mode: Mode) {
        self.clear_to(flag::TABLE);
        self.insert(tag);
        self.mode = mode;
    }

    fn leave_table(&mut self) {
        self.pop_until(known::TABLE);
        self.reset_mode();
    }

    pub(super) fn table_end(&mut self, name: Name) {
        match name {
            known::TABLE => {
                if self.in_scope(known::TABLE, flag::TABLE) {
                    self.leave_table();
                }
            }
            known::BODY
            | known::CAPTION
            | known::COL
            | known::COLGROUP
            | known::HTML
            | known::TBODY
            | known::TD
            | known::TFOOT
            | known::TH
            | known::THEAD
            | known::TR => {}
            known::TEMPLATE => self.end_template(),
            _ => self.fostered(|builder| builder.body_end(name)),
        }
    }

    // Caption and columns.

    pub(super) fn caption_start(&mut self, tag: Tag) {
        match tag.name {
            known::CAPTION
            | known::COL
            | known::COLGROUP
            | known::TBODY
            | known::TD
            | known::TFOOT
            | known::TH
            | known::THEAD
            | known::TR => {
                if self.leave_caption() {
                    self.start(tag);
                }
            }
            _ => self.body_start(tag),
        }
    }

    pub(super) fn caption_end(&mut self, name: Name) {
        match name {
            known::CAPTION => {
                self.leave_caption();
            }
            known::TABLE => {
                if self.leave_caption() {
                    self.end(name);
                }
            }
            known::BODY
            | known::COL
            | known::COLGROUP
            | known::HTML
            | known::TBODY
            | known::TD
            | known::TFOOT
            | known::TH
            | known::THEAD
            | known::TR => {}
            _ => self.body_end(name),
        }
    }

    fn leave_caption(&mut self) -> bool {
        if !self.in_scope(known::CAPTION, flag::TABLE) {
            return false;
        }
        self.close_implied(flag::IMPLIED, known::NONE);
        self.pop_until(known::CAPTION);
        self.clear_formatting();
        self.mode = Mode::InTable;
        true
    }

    pub(super) fn column_group_start(&mut self, tag: Tag) {
        match tag.name {
            known::HTML => self.body_start(tag),
            known::COL => {
                self.insert_void(tag);
            }
            known::TEMPLATE => self.head_start(tag),
            _ => {
                if self.leave_column_group() {
                    self.start(tag);
                }
            }
        }
    }

    pub(super) fn column_group_end(&mut self, name: Name) {
        match name {
            known::COLGROUP => {
                self.leave_column_group();
            }
            known::COL => {}
            known::TEMPLATE => self.end_template(),
            _ => {
                if self.leave_column_group() {
                    self.end(name);
                }
            }
        }
    }

    pub(super) fn leave_column_group(&mut self) -> bool {
        let here = self.current_is(known::COLGROUP);
        if here {
            self.pop();
            self.mode = Mode::InTable;
        }
        here
    }

    // Body and row.

    pub(super) fn table_body_start(&mut self, tag: Tag) {
        match tag.name {
            known::TR => {
                self.clear_to(flag::BODY_CONTEXT);
                self.insert(tag);
                self.mode = Mode::InRow;
            }
            known::TH | known::TD => {
                self.clear_to(flag::BODY_CONTEXT);
                self.insert_implied(known::TR);
                self.mode = Mode::InRow;
                self.start(tag);
            }
            known::CAPTION | known::COL | known::COLGROUP | known::TBODY | known::TFOOT | known::THEAD => {
                if self.leave_table_body() {
                    self.start(tag);
                }
            }
            _ => self.table_start(tag),
        }
    }

    pub(super) fn table_body_end(&mut self, name: Name) {
        match name {
            known::TBODY | known::TFOOT | known::THEAD => {
                if self.in_scope(name, flag::TABLE) {
                    self.clear_to(flag::BODY_CONTEXT);
                    self.pop();
                    self.mode = Mode::InTable;
                }
            }
            known::TABLE => {
                if self.leave_table_body() {
                    self.end(name);
                }
            }
            known::BODY
            | known::CAPTION
            | known::COL
            | known::COLGROUP
            | known::HTML
            | known::TD
            | known::TH
            | known::TR => {}
            _ => self.table_end(name),
        }
    }

    fn leave_table_body(&mut self) -> bool {
        let sections = [known::TBODY, known::THEAD, known::TFOOT];
        if !sections.into_iter().any(|name| self.in_scope(name, flag::TABLE)) {
            return false;
        }
        self.clear_to(flag::BODY_CONTEXT);
        self.pop();
        self.mode = Mode::InTable;
        true
    }

    pub(super) fn row_start(&mut self, tag: Tag) {
        match tag.name {
            known::TH | known::TD => {
                self.clear_to(flag::ROW_CONTEXT);
                self.insert(tag);
                self.mode = Mode::InCell;
                self.push_marker();
            }
            known::CAPTION | known::COL | known::COLGROUP | known::TBODY | known::TFOOT | known::THEAD | known::TR => {
                if self.leave_row() {
                    self.start(tag);
                }
            }
            _ => self.table_start(tag),
        }
    }

    pub(super) fn row_end(&mut self, name: Name) {
        match name {
            known::TR => {
                self.leave_row();
            }
            known::TABLE => {
                if self.leave_row() {
                    self.end(name);
                }
            }
            known::TBODY | known::TFOOT | known::THEAD => {
                if self.in_scope(name, flag::TABLE) && self.leave_row() {
                    self.end(name);
                }
            }
            known::BODY | known::CAPTION | known::COL | known::COLGROUP | known::HTML | known::TD | known::TH => {}
            _ => self.table_end(name),
        }
    }

    fn leave_row(&mut self) -> bool {
        if !self.in_scope(known::TR, flag::TABLE) {
            return false;
        }
        self.clear_to(flag::ROW_CONTEXT);
        self.pop();
        self.mode = Mode::InTableBody;
        true
    }

    // Cell.

    pub(super) fn cell_start(&mut self, tag: Tag) {
        match tag.name {
            known::CAPTION
            | known::COL
            | known::COLGROUP
            | known::TBODY
            | known::TD
            | known::TFOOT
            | known::TH
            | known::THEAD
            | known::TR => {
                if self.in_scope_where(flag::TABLE, |open| open.has(flag::CELL)) {
                    self.leave_cell();
                    self.start(tag);
                }
            }
            _ => self.body_start(tag),
        }
    }

    pub(super) fn cell_end(&mut self, name: Name) {
        match name {
            known::TD | known::TH => {
                if self.in_scope(name, flag::TABLE) {
                    self.close_implied(flag::IMPLIED, known::NONE);
                    self.pop_until(name);
                    self.clear_formatting();
                    self.mode = Mode::InRow;
                }
            }
            known::BODY | known::CAPTION | known::COL | known::COLGROUP | known::HTML => {}
            known::TABLE | known::TBODY | known::TFOOT | known::THEAD | known::TR => {
                if self.in_scope(name, flag::TABLE) {
                    self.leave_cell();
                    self.end(name);
                }
            }
            _ => self.body_end(name),
        }
    }

    fn leave_cell(&mut self) {
        self.close_implied(flag::IMPLIED, known::NONE);
        self.pop_until_any(flag::CELL);
        self.clear_formatting();
        self.mode = Mode::InRow;
    }
}
