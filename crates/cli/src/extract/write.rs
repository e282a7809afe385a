//! How are records written? Records → JSON lines as they come; table, CSV, JSON, Parquet or the schema at the end.
//!
//! - [`Writer`]: where and how, decided before the run. - [`Started`]: takes records.

use super::children;
use crate::files;
use crate::output::{Format, Lines, Target, bom, json_line, json_pretty, quoted};
use crate::talk::plain;
use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};
use pagekin::Error;
use pagekin::export::column;
use pagekin::extract::{Record, Wrapper};
use pagekin::privacy::Guard;
use std::collections::BTreeSet;
use std::io::{Write, stdout};

/// Columns and cells that fit on a screen.
const SHOWN_COLUMNS: usize = 8;
const SHOWN_CELL: usize = 60;

pub struct Writer {
    pub target: Target,
    /// The columns instead of the records.
    pub schema: bool,
    /// What of people is not written.
    pub guard: Guard,
}

/// Takes records; those that cannot be written one by one are kept.
pub struct Started {
    writer: Writer,
    lines: Option<Lines>,
    kept: Vec<Record>,
}

impl Writer {
    pub fn start(self) -> Result<Started> {
        let lines = match &self.target {
            _ if self.schema => None,
            Target::Stdout(Format::Jsonl) => Some(Lines::stdout()),
            Target::File(path, Format::Jsonl) => Some(Lines::file(path)?),
            _ => None,
        };
        Ok(Started { writer: self, lines, kept: Vec::new() })
    }
}

impl Started {
    pub fn record(&mut self, record: Record) -> Result<(), Error> {
        let record = self.writer.guard.record(record);
        match &mut self.lines {
            Some(lines) => {
                let line = json_line(&record).map_err(|error| Error::Write(error.into()))?;
                writeln!(lines, "{line}").map_err(Error::Write)
            }
            None => {
                self.kept.push(record);
                Ok(())
            }
        }
    }

    pub fn finish(self, wrappers: &[Wrapper]) -> Result<()> {
        if let Some(lines) = self.lines {
            return lines.finish();
        }
        let rows = &self.kept;
        let schema = self.writer.schema;
        let text = |out: &mut dyn Write, format: Format| {
            if schema {
                schema_in(out, wrappers, rows, format)
            } else {
                records_in(out, &columns(wrappers, rows), rows, format)
            }
        };
        match &self.writer.target {
            Target::Stdout(format) => text(&mut stdout().lock(), *format),
            Target::File(path, format) => {
                files::write(path, |out| text(out, *format))?;
                if *format == Format::Csv && !schema { children::write_csv(path, rows) } else { Ok(()) }
            }
            Target::Parquet(path) => {
                let bytes = pagekin::export::parquet_of_records(rows)?;
                files::write(path, |out| Ok(out.write_all(&bytes)?))?;
                children::write_parquet(path, rows)
            }
        }
    }
}

/// The names of all attributes: in the order of the slots, others behind.
fn columns(wrappers: &[Wrapper], records: &[Record]) -> Vec<String> {
    let held: BTreeSet<&String> = records.iter().flat_map(|record| record.attributes.keys()).collect();
    let slots = wrappers.iter().flat_map(|wrapper| wrapper.slots.iter().map(|slot| &slot.name));
    let mut names: Vec<String> = Vec::new();
    for name in slots.filter(|name| held.contains(name)).chain(held.iter().copied()) {
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    names
}

fn cell(record: &Record, name: &String) -> String {
    record.attributes.get(name).map_or_else(String::new, |values| values.join("; "))
}

fn records_in(out: &mut dyn Write, names: &[String], records: &[Record], format: Format) -> Result<()> {
    match format {
        Format::Table => writeln!(out, "{}", table(names, records))?,
        Format::Json => {
            writeln!(out, "{}", json_pretty(&records)?)?;
        }
        Format::Jsonl => {
            for record in records {
                writeln!(out, "{}", json_line(record)?)?;
            }
        }
        Format::Csv => {
            let own = ["_url", "_class"].map(str::to_owned).into_iter();
            let header: Vec<String> = own.chain(names.iter().map(|name| quoted(&column(name)))).collect();
            write!(out, "{}{}\r\n", bom(), header.join(","))?;
            for record in records {
                let cells = names.iter().map(|name| quoted(&cell(record, name)));
                let row: Vec<String> =
                    [quoted(record.url.as_str()), quoted(&record.class)].into_iter().chain(cells).collect();
                write!(out, "{}\r\n", row.join(","))?;
            }
        }
    }
    Ok(())
}

/// As much as a screen takes: the first columns, the beginnings of long texts.
fn table(names: &[String], records: &[Record]) -> Table {
    let names = &names[..names.len().min(SHOWN_COLUMNS)];
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(std::iter::once("page").chain(names.iter().map(|name| name.as_str())));
    for record in records {
        let short = |text: String| {
            if text.len() > SHOWN_CELL { format!("{}…", &text[..text.floor_char_boundary(SHOWN_CELL)]) } else { text }
        };
        let page = record.url.path().to_owned();
        table.add_row(
            std::iter::once(page).chain(names.iter().map(|name| cell(record, name))).map(|text| plain(&short(text))),
        );
    }
    table
}

/// The columns of each class: name, type, share of the pages seen that have it, labels.
fn schema_in(out: &mut dyn Write, wrappers: &[Wrapper], records: &[Record], format: Format) -> Result<()> {
    let mut rows = Vec::new();
    for wrapper in wrappers {
        let own: Vec<&Record> = records.iter().filter(|record| record.class == wrapper.class).collect();
        for slot in &wrapper.slots {
            let filled = own.iter().filter(|record| record.attributes.contains_key(&slot.name)).count();
            let fill =
                if own.is_empty() { slot.fill } else { (filled as f64 / own.len() as f64 * 100.0).round() / 100.0 };
            rows.push(serde_json::json!({"class": wrapper.class, "name": slot.name, "type": slot.typed.as_deref().unwrap_or("text"),
                "fill": fill, "many": slot.many, "labels": slot.labels, "source": slot.source}));
        }
    }
    match format {
        Format::Table => {
            let mut table = Table::new();
            table.load_style(presets::UTF8_FULL_CONDENSED).set_header(["class", "name", "type", "fill", "source"]);
            for row in &rows {
                let of = |key: &str| plain(&row[key].as_str().map_or_else(|| row[key].to_string(), str::to_owned));
                table.add_row(["class", "name", "type", "fill", "source"].map(of));
            }
            writeln!(out, "{table}")?;
        }
        Format::Json => writeln!(out, "{}", json_pretty(&rows)?)?,
        Format::Csv => {
            write!(out, "{}class,name,type,fill,source\r\n", bom())?;
            for row in &rows {
                let of = |key: &str| quoted(&row[key].as_str().map_or_else(|| row[key].to_string(), str::to_owned));
                write!(out, "{}\r\n", ["class", "name", "type", "fill", "source"].map(of).join(","))?;
            }
        }
        Format::Jsonl => rows.iter().try_for_each(|row| anyhow::Ok(writeln!(out, "{}", json_line(row)?)?))?,
    }
    Ok(())
}
