//! How do tables within pages leave the database? Records, the file they go to → one file more for each table, written as records come.
//!
//! `drivers.csv` has `drivers.seasons.csv` beside it: the page, the number of its record, the number of the row, and the columns of the table.

use crate::extract::children::beside;
use crate::files::Part;
use crate::output::{bom, quoted};
use anyhow::Result;
use pagekin::dataset::Exported;
use pagekin::export::WordsFile;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

pub struct ChildFiles {
    files: Vec<(String, Vec<String>, Open)>,
}

enum Open {
    Csv(Part),
    Parquet(Box<WordsFile<Part>>),
}

const OWN: [&str; 3] = ["_url", "_record", "_position"];

impl ChildFiles {
    /// The files, with the table that each holds.
    pub fn names<'c>(path: &Path, children: &'c BTreeMap<String, Vec<String>>) -> Vec<(PathBuf, &'c String)> {
        children.keys().map(|table| (beside(path, table), table)).collect()
    }

    pub fn start(path: &Path, children: &BTreeMap<String, Vec<String>>, parquet: bool) -> Result<Self> {
        let mut files = Vec::new();
        for (table, columns) in children {
            let part = Part::create(&beside(path, table))?;
            let header: Vec<String> =
                OWN.iter().map(|name| (*name).to_owned()).chain(columns.iter().cloned()).collect();
            let open =
                if parquet { Open::Parquet(Box::new(WordsFile::start(part, &header)?)) } else { Open::Csv(part) };
            files.push((table.clone(), columns.clone(), open));
            if let Some((_, _, Open::Csv(part))) = files.last_mut() {
                write!(part, "{}", bom())?;
                line(part, &header)?;
            }
        }
        Ok(Self { files })
    }

    pub fn write(&mut self, records: &[Exported]) -> Result<()> {
        for (table, columns, open) in &mut self.files {
            let rows: Vec<Vec<String>> = records.iter().flat_map(|record| rows(record, table, columns)).collect();
            match open {
                Open::Csv(part) => rows.iter().try_for_each(|row| line(part, row))?,
                Open::Parquet(file) => file.write(&rows)?,
            }
        }
        Ok(())
    }

    pub fn finish(self) -> Result<()> {
        for (_, _, open) in self.files {
            match open {
                Open::Csv(part) => part.finish()?,
                Open::Parquet(file) => file.finish()?.finish()?,
            }
        }
        Ok(())
    }
}

fn rows(record: &Exported, table: &str, columns: &[String]) -> Vec<Vec<String>> {
    let rows = record.children.get(table).into_iter().flatten().enumerate();
    let cells = |(at, row): (usize, &BTreeMap<String, String>)| {
        let own = [record.url.clone(), record.record.to_string(), (at + 1).to_string()];
        own.into_iter().chain(columns.iter().map(|column| row.get(column).cloned().unwrap_or_default())).collect()
    };
    rows.map(cells).collect()
}

fn line(part: &mut Part, cells: &[String]) -> Result<()> {
    let cells: Vec<String> = cells.iter().map(|cell| quoted(cell)).collect();
    Ok(write!(part, "{}\r\n", cells.join(","))?)
}
