//! How does a spreadsheet get the data set? Rows of typed cells → the bytes of an xlsx file, a sheet for each table.
//!
//! - [`Cell`]: what stands in one place. - [`Workbook`]: sheets, written row by row; the last one says what it is ([`About`]).
//! - [`Spreadsheet`]: records and the tables within their pages.
//!
//! Text is written as text and marked so: nothing of a page is ever a formula, not even after somebody edits the cell. Numbers
//! keep their unit in the format of the cell. Rows go to temporary files, not to memory. The same rows give the same bytes.

use crate::Error;
use crate::about::About;
use crate::dataset::Exported;
use crate::export::column;
use crate::typed::{days, parts};
use pagekin_core::extract::value::{self, Typed};
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Url, Worksheet, XlsxError};
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// Limits of the format: rows of a sheet, links of a sheet, letters of a cell, of a link, and of the name of a sheet.
const ROWS: u32 = 1_048_576;
const LINKS: u32 = 65_530;
const LETTERS: usize = 32_000;
const LONGEST_LINK: usize = 2_000;
const NAME: usize = 31;

/// Digits that a number of a spreadsheet keeps.
const DIGITS: usize = 15;

/// Units that get a format of their own; a page may write any number of them.
const UNITS: usize = 200;

/// Days from the first day that spreadsheets count rightly, and from 1899-12-30, to 1970-01-01.
const FIRST_DAY: i32 = -25_508;
const TO_1970: i32 = 25_569;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    /// A text.
    Text(String),
    /// With its unit or currency; empty: none.
    Number(f64, String),
    /// Since 1970-01-01.
    Day(i32),
    /// True or false.
    Boolean(bool),
    /// An address of the web.
    Link(String),
}

impl Cell {
    /// `text` is what the page says, `typed` what it is.
    pub fn of(text: String, typed: Option<&Typed>) -> Self {
        let number = |number: &str, unit: &str| {
            let kept = number.parse().ok().filter(|n: &f64| n.is_finite() && !is_id(number));
            kept.map(|n| Self::Number(n, unit.to_owned()))
        };
        let own = match typed {
            Some(Typed::Number(normal)) => number(parts(normal).0, parts(normal).1),
            Some(Typed::Money(normal)) => number(parts(normal).1, parts(normal).0),
            Some(Typed::Date(normal)) => days(normal).filter(|day| *day >= FIRST_DAY).map(Self::Day),
            Some(Typed::Boolean(normal)) => Some(Self::Boolean(normal == "true")),
            _ => None,
        };
        own.unwrap_or(Self::Text(text))
    }

    /// Of a text that nothing else is known of.
    pub fn of_text(text: String) -> Self {
        match value::typed(&text) {
            Some(Typed::Url(_)) => Self::link(&text),
            typed => Self::of(text, typed.as_ref()),
        }
    }

    /// An address to click.
    pub fn link(url: &str) -> Self {
        let web = url.starts_with("http://") || url.starts_with("https://");
        if web && url.len() <= LONGEST_LINK { Self::Link(url.to_owned()) } else { Self::Text(url.to_owned()) }
    }
}

/// Digits that mean something as they are written: a number would lose the first or the last of them.
fn is_id(number: &str) -> bool {
    let leading = number.starts_with('0') && number.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
    leading || number.bytes().filter(u8::is_ascii_digit).count() > DIGITS
}

struct Sheet {
    name: String,
    header: Vec<String>,
    own: Worksheet,
    /// The next row, and links so far.
    row: u32,
    links: u32,
    /// Sheets that are full.
    full: Vec<Worksheet>,
}

/// A spreadsheet being written.
pub struct Workbook {
    book: rust_xlsxwriter::Workbook,
    sheets: Vec<Sheet>,
    names: BTreeSet<String>,
    text: Format,
    bold: Format,
    day: Format,
    units: BTreeMap<String, Format>,
}

fn wrong(error: XlsxError) -> Error {
    Error::Spreadsheet(error.to_string())
}

impl Workbook {
    /// `tables`: names and headers.
    pub fn start(tables: &[(String, Vec<String>)]) -> Result<Self, Error> {
        let mut book = rust_xlsxwriter::Workbook::new();
        // Whenever it is made: the same rows, the same bytes.
        let made = ExcelDateTime::from_ymd(2000, 1, 1).map_err(wrong)?;
        book.set_properties(&DocProperties::new().set_creation_datetime(&made));
        let mut workbook = Self {
            book,
            sheets: Vec::new(),
            names: BTreeSet::new(),
            text: Format::new().set_quote_prefix(),
            bold: Format::new().set_bold().set_quote_prefix(),
            day: Format::new().set_num_format("yyyy-mm-dd"),
            units: BTreeMap::new(),
        };
        for (name, header) in tables {
            let own = workbook.sheet(name, header)?;
            let (name, header, full) = (name.clone(), header.clone(), Vec::new());
            workbook.sheets.push(Sheet { name, header, own, row: 1, links: 0, full });
        }
        Ok(workbook)
    }

    fn sheet(&mut self, name: &str, header: &[String]) -> Result<Worksheet, Error> {
        let name = self.free_name(name);
        let mut sheet = self.book.new_worksheet_with_constant_memory().map_err(wrong)?;
        sheet.set_name(name).map_err(wrong)?;
        sheet.set_freeze_panes(1, 0).map_err(wrong)?;
        for (at, name) in header.iter().enumerate() {
            sheet.write_string_with_format(0, place(at)?, plain(name), &self.bold).map_err(wrong)?;
        }
        Ok(sheet)
    }

    /// What a sheet may be called, and no other is.
    fn free_name(&mut self, wanted: &str) -> String {
        let allowed = |c: char| if c.is_control() || "[]:*?/\\'".contains(c) { '-' } else { c };
        let name: String = wanted.chars().map(allowed).take(NAME).collect();
        let name = if name.trim().is_empty() { "table".to_owned() } else { name };
        let numbered = (2..).map(|n| format!("{} {n}", name.chars().take(NAME - 8).collect::<String>()));
        let mut free = std::iter::once(name.clone()).chain(numbered);
        let taken = |own: &String| self.names.contains(&own.to_lowercase());
        let own = free.find(|own| !taken(own)).unwrap_or(name);
        self.names.insert(own.to_lowercase());
        own
    }

    /// A row of a table, by its number.
    pub fn write(&mut self, table: usize, cells: Vec<Cell>) -> Result<(), Error> {
        if self.sheets[table].row == ROWS {
            let (name, header) = (self.sheets[table].name.clone(), self.sheets[table].header.clone());
            let next = self.sheet(&name, &header)?;
            let sheet = &mut self.sheets[table];
            sheet.full.push(std::mem::replace(&mut sheet.own, next));
            (sheet.row, sheet.links) = (1, 0);
        }
        for (at, cell) in cells.into_iter().enumerate() {
            self.cell(table, place(at)?, cell).map_err(wrong)?;
        }
        self.sheets[table].row += 1;
        Ok(())
    }

    fn cell(&mut self, table: usize, at: u16, cell: Cell) -> Result<(), XlsxError> {
        let unit = match &cell {
            Cell::Number(_, unit) => self.unit(unit),
            _ => None,
        };
        let sheet = &mut self.sheets[table];
        let (row, own) = (sheet.row, &mut sheet.own);
        match cell {
            Cell::Text(text) if text.is_empty() => return Ok(()),
            Cell::Text(text) => own.write_string_with_format(row, at, plain(&text), &self.text)?,
            Cell::Number(number, unit_text) => match unit {
                Some(format) => own.write_number_with_format(row, at, number, &format)?,
                None if unit_text.is_empty() => own.write_number(row, at, number)?,
                None => own.write_string_with_format(row, at, format!("{number} {}", plain(&unit_text)), &self.text)?,
            },
            Cell::Day(day) => own.write_number_with_format(row, at, f64::from(day + TO_1970), &self.day)?,
            Cell::Boolean(yes) => own.write_boolean(row, at, yes)?,
            Cell::Link(url) if sheet.links < LINKS => {
                sheet.links += 1;
                own.write_url_with_text(row, at, Url::new(&url), &url)?
            }
            Cell::Link(url) => own.write_string_with_format(row, at, url, &self.text)?,
        };
        Ok(())
    }

    /// Numbers with this unit; none when there is none, or it is not to be had as a format.
    fn unit(&mut self, unit: &str) -> Option<Format> {
        let fit =
            !unit.is_empty() && unit.chars().count() <= 20 && !unit.contains(|c: char| c == '"' || c.is_control());
        if !fit || self.units.len() >= UNITS && !self.units.contains_key(unit) {
            return None;
        }
        let made = || Format::new().set_num_format(format!("General \"{unit}\""));
        Some(self.units.entry(unit.to_owned()).or_insert_with(made).clone())
    }

    /// The last sheet says what the others are.
    fn about(&mut self, about: &About) -> Result<(), Error> {
        let mut own = self.sheet("about", &["about this file".to_owned(), String::new()])?;
        own.set_column_width(0, 20).map_err(wrong)?;
        own.set_column_width(1, 80).map_err(wrong)?;
        let (name, header, table) = (String::new(), Vec::new(), self.sheets.len());
        self.sheets.push(Sheet { name, header, own, row: 1, links: 0, full: Vec::new() });
        for (name, text) in about.lines() {
            self.write(table, vec![Cell::Text(name), Cell::link(&text)])?;
        }
        Ok(())
    }

    /// Writes the file.
    pub fn finish(mut self, about: &About, out: impl Write + Send) -> Result<(), Error> {
        self.about(about)?;
        for sheet in self.sheets.drain(..) {
            sheet.full.into_iter().chain([sheet.own]).for_each(|own| self.book.push_worksheet(own));
        }
        self.book.save_to_writer(out).map_err(wrong)
    }
}

fn place(at: usize) -> Result<u16, Error> {
    u16::try_from(at).map_err(|_| Error::Spreadsheet(format!("{at} columns are more than a sheet has")))
}

/// As much as a cell holds; what would move a cursor is shown as a replacement.
fn plain(text: &str) -> String {
    let shown = |c: char| if c.is_control() && !matches!(c, '\n' | '\t') { '\u{fffd}' } else { c };
    let mut cut: String = text.chars().take(LETTERS).map(shown).collect();
    if text.chars().nth(LETTERS).is_some() {
        cut.push('…');
    }
    cut
}

/// The records of a database, and a sheet for each table within their pages.
pub struct Spreadsheet {
    book: Workbook,
    attributes: Vec<String>,
    children: Vec<(String, Vec<String>)>,
    times: bool,
}

impl Spreadsheet {
    /// A sheet of records, and one for each table within pages.
    pub fn start(attributes: &[String], children: &BTreeMap<String, Vec<String>>, times: bool) -> Result<Self, Error> {
        let own = Exported::header(times).into_iter().map(str::to_owned);
        let header = own.chain(attributes.iter().map(|name| column(name))).collect();
        let mut tables = vec![("records".to_owned(), header)];
        for (table, columns) in children {
            let own = ["_url", "_record", "_position"].map(str::to_owned).into_iter();
            tables.push((table.clone(), own.chain(columns.iter().map(|name| column(name))).collect()));
        }
        let children = children.iter().map(|(table, columns)| (table.clone(), columns.clone())).collect();
        Ok(Self { book: Workbook::start(&tables)?, attributes: attributes.to_vec(), children, times })
    }

    /// Adds records.
    pub fn write(&mut self, records: &[Exported]) -> Result<(), Error> {
        for record in records {
            let row = self.row(record);
            self.book.write(0, row)?;
            for (at, (table, columns)) in self.children.iter().enumerate() {
                for (position, values) in record.children.get(table).into_iter().flatten().enumerate() {
                    let own = [Cell::link(&record.url), count(record.record), count(position as i64 + 1)];
                    let text = |name: &String| Cell::of_text(values.get(name).cloned().unwrap_or_default());
                    self.book.write(at + 1, own.into_iter().chain(columns.iter().map(text)).collect())?;
                }
            }
        }
        Ok(())
    }

    fn row(&self, record: &Exported) -> Vec<Cell> {
        let mut row = vec![
            Cell::Text(record.site.clone()),
            Cell::Text(record.class.clone()),
            Cell::link(&record.url),
            count(record.record),
            Cell::Number(record.confidence, String::new()),
            Cell::Boolean(record.unlinked),
        ];
        let dates = [&record.first_seen, &record.changed_at].into_iter().filter(|_| self.times);
        row.extend(dates.map(|date| Cell::Text(date.clone().unwrap_or_default())));
        row.extend(self.attributes.iter().map(|name| {
            let one = record.attributes.get(name).is_some_and(|values| values.len() == 1);
            let typed = record.typed(name).filter(|_| one);
            Cell::of(record.cell(name).unwrap_or_default(), typed.as_ref())
        }));
        row
    }

    /// Writes the file.
    pub fn finish(self, about: &About, out: impl Write + Send) -> Result<(), Error> {
        self.book.finish(about, out)
    }
}

fn count(number: i64) -> Cell {
    Cell::Number(number as f64, String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_of_the_type_that_the_value_is() {
        let of = |text: &str, typed: Option<Typed>| Cell::of(text.to_owned(), typed.as_ref());
        assert_eq!(of("289 lbs", Some(Typed::Number("289 lbs".to_owned()))), Cell::Number(289.0, "lbs".to_owned()));
        assert_eq!(of("$5", Some(Typed::Money("USD 5".to_owned()))), Cell::Number(5.0, "USD".to_owned()));
        assert_eq!(of("1 Jan 1970", Some(Typed::Date("1970-01-01".to_owned()))), Cell::Day(0));
        assert_eq!(of("1 Jan 1492", Some(Typed::Date("1492-01-01".to_owned()))), Cell::Text("1 Jan 1492".to_owned()));
        assert_eq!(of("yes", Some(Typed::Boolean("true".to_owned()))), Cell::Boolean(true));
        assert_eq!(of("=1+1", None), Cell::Text("=1+1".to_owned()));
        assert_eq!(of("0049", Some(Typed::Number("0049".to_owned()))), Cell::Text("0049".to_owned()));
        assert_eq!(Cell::of_text("8".to_owned()), Cell::Number(8.0, String::new()));
        assert_eq!(Cell::of_text("4006381333931007".to_owned()), Cell::Text("4006381333931007".to_owned()));
        assert_eq!(Cell::of_text("http://s.org/".to_owned()), Cell::Link("http://s.org/".to_owned()));
        assert_eq!(Cell::link("javascript:alert(1)"), Cell::Text("javascript:alert(1)".to_owned()));
    }

    #[test]
    fn the_same_rows_give_the_same_bytes() {
        let file = || {
            let tables = [("a/b".to_owned(), vec!["=x".to_owned(), "y".to_owned()]), ("A/B".to_owned(), Vec::new())];
            let mut book = Workbook::start(&tables).unwrap();
            let cells = [Cell::Text("=HYPERLINK(1)".to_owned()), Cell::Number(2.5, "kg".to_owned())];
            book.write(0, cells.to_vec()).unwrap();
            book.write(0, vec![Cell::Text("x".repeat(40_000)), Cell::Link("http://s.org/".to_owned())]).unwrap();
            let mut bytes = Vec::new();
            book.finish(&About::default(), &mut bytes).unwrap();
            bytes
        };
        assert!(file().starts_with(b"PK") && file() == file());
    }
}
