//! How is what was found written? Rows → table, JSON lines, JSON or CSV, on stdout or in a file.
//!
//! - [`Format`]: how. - [`Target`]: where, decided before the run so that a wrong ending does not cost one.
//! - [`Row`]: what can be written: pages of a kind, and what became of them.

use crate::files;
use crate::talk::plain;
use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table, presets};
use pagekin::Error;
use pagekin::change::Change;
use pagekin::discover::Entity;
use pagekin::export::harmless;
pub use pagekin::export::{json_line, json_pretty};
use serde::Serialize;
use std::io::{BufWriter, IsTerminal, Stdout, Write, stdout};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Jsonl,
    Json,
    Csv,
}

pub trait Row: Serialize + Sized {
    /// The names of the cells.
    const HEADER: &'static [&'static str];
    /// As CSV has them.
    fn cells(&self) -> Vec<String>;
    /// As a person reads them.
    fn shown(&self) -> Vec<String> {
        self.cells()
    }
    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error>;
}

impl Row for Entity {
    const HEADER: &'static [&'static str] = &["url", "confidence", "via", "evidence"];

    fn cells(&self) -> Vec<String> {
        let via = self.via.as_ref().map_or("", |via| via.as_str()).to_owned();
        vec![self.url.to_string(), self.confidence.to_string(), via, self.evidence.clone()]
    }

    fn shown(&self) -> Vec<String> {
        let mut cells = self.cells();
        cells[1] = format!("{:.2}", self.confidence);
        cells
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        pagekin::export::parquet(rows)
    }
}

impl Row for Change {
    const HEADER: &'static [&'static str] = &["url", "change", "via"];

    fn cells(&self) -> Vec<String> {
        let via = self.via.as_ref().map_or("", |via| via.as_str()).to_owned();
        vec![self.url.to_string(), self.change.name().to_owned(), via]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        pagekin::export::parquet_of_changes(rows)
    }
}

pub enum Target {
    Stdout(Format),
    File(PathBuf, Format),
    /// Columns, which only a file can hold.
    Parquet(PathBuf),
}

impl Target {
    /// The ending of the file decides; on stdout a terminal gets a table and a pipe JSON lines.
    pub fn to(out: Option<&Path>, format: Option<Format>) -> Result<Self> {
        if let Some(path) = out {
            files::check_folder(path)?;
            return by_ending(path);
        }
        let usual = if stdout().is_terminal() { Format::Table } else { Format::Jsonl };
        Ok(Self::Stdout(format.unwrap_or(usual)))
    }

    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Stdout(_) => None,
            Self::File(path, _) | Self::Parquet(path) => Some(path),
        }
    }

    pub fn format(&self) -> Option<Format> {
        match self {
            Self::Stdout(format) | Self::File(_, format) => Some(*format),
            Self::Parquet(_) => None,
        }
    }

    pub fn write<R: Row>(&self, rows: &[R]) -> Result<()> {
        match self {
            Self::File(path, format) => files::write(path, |out| written(out, rows, *format)),
            Self::Parquet(path) => {
                let bytes = R::parquet(rows)?;
                files::write(path, |out| Ok(out.write_all(&bytes)?))
            }
            Self::Stdout(format) => {
                let mut out = BufWriter::new(stdout().lock());
                written(&mut out, rows, *format)?;
                Ok(out.flush()?)
            }
        }
    }
}

/// Lines written as they come, on stdout or to a file.
pub enum Lines {
    Stdout(BufWriter<Stdout>),
    File(files::Part),
}

impl Lines {
    pub fn stdout() -> Self {
        Self::Stdout(BufWriter::new(stdout()))
    }

    pub fn file(path: &Path) -> Result<Self> {
        files::Part::create(path).map(Self::File)
    }

    pub fn finish(self) -> Result<()> {
        match self {
            Self::Stdout(mut out) => Ok(out.flush()?),
            Self::File(part) => part.finish(),
        }
    }
}

impl Write for Lines {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Stdout(out) => out.write(bytes),
            Self::File(part) => part.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Stdout(out) => out.flush(),
            Self::File(part) => part.flush(),
        }
    }
}

fn by_ending(path: &Path) -> Result<Target> {
    let file = |format| Ok(Target::File(path.to_owned(), format));
    match path.extension().and_then(|ending| ending.to_str()) {
        Some("jsonl") => file(Format::Jsonl),
        Some("json") => file(Format::Json),
        Some("csv") => file(Format::Csv),
        Some("parquet") => Ok(Target::Parquet(path.to_owned())),
        _ => bail!(
            "cannot tell how to write `{}`\n\nhint: let it end in .jsonl, .csv, .json or .parquet",
            path.display()
        ),
    }
}

fn written<R: Row>(out: &mut dyn Write, rows: &[R], format: Format) -> Result<()> {
    match format {
        Format::Table => writeln!(out, "{}", table(rows))?,
        Format::Json => {
            writeln!(out, "{}", json_pretty(&rows)?)?;
        }
        Format::Jsonl => {
            for row in rows {
                writeln!(out, "{}", json_line(row)?)?;
            }
        }
        Format::Csv => csv(out, rows)?,
    }
    Ok(())
}

pub fn table<R: Row>(rows: &[R]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(R::HEADER);
    for row in rows {
        table.add_row(row.shown().iter().map(|cell| plain(cell)));
    }
    table
}

/// RFC 4180, with a header.
fn csv<R: Row>(out: &mut dyn Write, rows: &[R]) -> Result<()> {
    write!(out, "{}{}\r\n", bom(), R::HEADER.join(","))?;
    for row in rows {
        let cells: Vec<String> = row.cells().iter().map(|cell| quoted(cell)).collect();
        write!(out, "{}\r\n", cells.join(","))?;
    }
    Ok(())
}

/// Set by `--csv-raw`, before anything is written: cells are as they are, for programs that run nothing.
pub static CSV_RAW: AtomicBool = AtomicBool::new(false);

/// Set by `--csv-bom`, before anything is written.
pub static CSV_BOM: AtomicBool = AtomicBool::new(false);

/// What a file of CSV begins with: nothing, or what Excel knows UTF-8 by.
pub fn bom() -> &'static str {
    if CSV_BOM.load(Ordering::Relaxed) { "\u{feff}" } else { "" }
}

/// A cell of CSV, harmless to a spreadsheet and a terminal.
pub fn quoted(cell: &str) -> String {
    let cell = if CSV_RAW.load(Ordering::Relaxed) { cell.to_owned() } else { harmless(cell) };
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::Url;

    fn text(format: Format) -> String {
        let entity = Entity {
            url: Url::parse("http://s/a,b").unwrap(),
            confidence: 0.5,
            via: None,
            evidence: "says \"x\"\u{1b}".to_owned(),
        };
        let mut out = Vec::new();
        written(&mut out, &[entity], format).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_of_jsonl_is_as_documented() {
        let line =
            "{\"url\":\"http://s/a,b\",\"confidence\":0.5,\"via\":null,\"evidence\":\"says \\\"x\\\"\\u001b\"}\n";
        assert_eq!(text(Format::Jsonl), line);
    }

    #[test]
    fn csv_quotes_what_would_end_a_cell() {
        assert_eq!(
            text(Format::Csv),
            "url,confidence,via,evidence\r\n\"http://s/a,b\",0.5,,\"says \"\"x\"\"\u{fffd}\"\r\n"
        );
    }

    #[test]
    fn a_line_of_json_obeys_none_either() {
        assert_eq!(json_line(&"a\u{9b}2J\u{1b}é").unwrap(), r#""a\u009b2J\u001bé""#);
    }

    #[test]
    fn a_table_obeys_no_escape_sequence() {
        assert!(!text(Format::Table).contains('\u{1b}'));
    }

    #[test]
    fn endings_decide() {
        assert!(matches!(by_ending(Path::new("x.csv")), Ok(Target::File(_, Format::Csv))));
        assert!(matches!(by_ending(Path::new("x.parquet")), Ok(Target::Parquet(_))));
        assert!(by_ending(Path::new("x.xls")).err().unwrap().to_string().contains("`x.xls`"));
    }
}
