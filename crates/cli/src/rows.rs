//! How are rows of unknown columns written? Rows as they come → JSON lines or CSV at once; table, JSON or Parquet at the end.
//!
//! - [`Rows`]: where and how, decided before the first row.

use crate::files;
use crate::output::{Format, Lines, Target, bom, json_line, json_pretty, quoted};
use crate::talk::plain;
use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};
use pagekin::store::Value;
use serde_json::{Map, Value as Json};
use std::io::{Write, stdout};

pub struct Rows {
    columns: Vec<String>,
    target: Target,
    lines: Option<Lines>,
    kept: Vec<Vec<Json>>,
}

impl Rows {
    pub fn start(target: Target, columns: Vec<String>) -> Result<Self> {
        let mut rows = Self { columns, target, lines: None, kept: Vec::new() };
        match &rows.target {
            Target::Stdout(Format::Jsonl | Format::Csv) => rows.lines = Some(Lines::stdout()),
            Target::File(path, Format::Jsonl | Format::Csv) => rows.lines = Some(Lines::file(path)?),
            _ => {}
        }
        if let (Some(out), Some(Format::Csv)) = (&mut rows.lines, rows.target.format()) {
            let header: Vec<String> = rows.columns.iter().map(|name| quoted(name)).collect();
            write!(out, "{}{}\r\n", bom(), header.join(","))?;
        }
        Ok(rows)
    }

    pub fn add(&mut self, row: &[Value]) -> Result<()> {
        let values: Vec<Json> = row.iter().map(Value::shown).collect();
        let Some(out) = &mut self.lines else {
            self.kept.push(values);
            return Ok(());
        };
        if self.target.format() == Some(Format::Csv) {
            let cells: Vec<String> = values.iter().map(|value| quoted(&cell(value))).collect();
            write!(out, "{}\r\n", cells.join(","))?;
        } else {
            writeln!(out, "{}", json_line(&object(&self.columns, values))?)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<()> {
        if let Some(lines) = self.lines.take() {
            return lines.finish();
        }
        match &self.target {
            Target::Stdout(Format::Table) => writeln!(stdout().lock(), "{}", self.table())?,
            Target::Stdout(_) => writeln!(stdout().lock(), "{}", json_pretty(&self.objects())?)?,
            Target::File(path, _) => files::write_json(path, &self.objects())?,
            Target::Parquet(path) => {
                let rows: Vec<Vec<String>> = self.kept.iter().map(|row| row.iter().map(cell).collect()).collect();
                let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
                let bytes = pagekin::export::parquet_of_words(&names, &rows)?;
                files::write(path, |out| Ok(out.write_all(&bytes)?))?;
            }
        }
        Ok(())
    }

    fn objects(&self) -> Vec<Json> {
        self.kept.iter().map(|row| object(&self.columns, row.clone())).collect()
    }

    fn table(&self) -> Table {
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header(self.columns.iter().map(|name| plain(name)));
        for row in &self.kept {
            table.add_row(row.iter().map(|value| plain(&cell(value))));
        }
        table
    }
}

fn object(columns: &[String], values: Vec<Json>) -> Json {
    Json::Object(columns.iter().cloned().zip(values).collect::<Map<String, Json>>())
}

fn cell(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => other.to_string(),
    }
}
