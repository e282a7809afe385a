//! How is what was found written? Entities → table, JSON lines, JSON or CSV, on stdout or in a file.
//!
//! - [`Format`]: how. - [`Target`]: where, decided before the run so that a wrong ending does not cost one.

use crate::args::OutputArgs;
use crate::files;
use crate::talk::plain;
use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table, presets};
use pagekin::discover::Entity;
use std::io::{IsTerminal, Write, stdout};
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    Table,
    Jsonl,
    Json,
    Csv,
}

pub enum Target {
    Stdout(Format),
    File(PathBuf, Format),
    /// Columns, which only a file can hold.
    Parquet(PathBuf),
}

impl Target {
    /// The ending of the file decides; on stdout a terminal gets a table and a pipe JSON lines.
    pub fn of(args: &OutputArgs) -> Result<Self> {
        if let Some(path) = &args.out {
            files::check_folder(path)?;
            return by_ending(path);
        }
        let usual = if stdout().is_terminal() { Format::Table } else { Format::Jsonl };
        Ok(Self::Stdout(args.format.unwrap_or(usual)))
    }

    pub fn file(&self) -> Option<&Path> {
        match self {
            Self::Stdout(_) => None,
            Self::File(path, _) | Self::Parquet(path) => Some(path),
        }
    }

    pub fn write(&self, entities: &[Entity]) -> Result<()> {
        match self {
            Self::File(path, format) => files::write(path, |out| rows(out, entities, *format)),
            Self::Parquet(path) => {
                let bytes = pagekin::export::parquet(entities)?;
                files::write(path, |out| Ok(out.write_all(&bytes)?))
            }
            Self::Stdout(format) => {
                let mut out = std::io::BufWriter::new(stdout().lock());
                rows(&mut out, entities, *format)?;
                Ok(out.flush()?)
            }
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

fn rows(out: &mut dyn Write, entities: &[Entity], format: Format) -> Result<()> {
    match format {
        Format::Table => writeln!(out, "{}", table(entities))?,
        Format::Json => {
            serde_json::to_writer_pretty(&mut *out, entities)?;
            writeln!(out)?;
        }
        Format::Jsonl => {
            for entity in entities {
                serde_json::to_writer(&mut *out, entity)?;
                writeln!(out)?;
            }
        }
        Format::Csv => csv(out, entities)?,
    }
    Ok(())
}

pub fn table(entities: &[Entity]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["url", "confidence", "via", "evidence"]);
    for entity in entities {
        let via = entity.via.as_ref().map_or("", |via| via.as_str());
        table.add_row([
            entity.url.to_string(),
            format!("{:.2}", entity.confidence),
            via.to_owned(),
            plain(&entity.evidence),
        ]);
    }
    table
}

/// RFC 4180, with a header.
fn csv(out: &mut dyn Write, entities: &[Entity]) -> Result<()> {
    write!(out, "url,confidence,via,evidence\r\n")?;
    for entity in entities {
        let via = entity.via.as_ref().map_or("", |via| via.as_str());
        let confidence = entity.confidence.to_string();
        let cells = [entity.url.as_str(), &confidence, via, &entity.evidence].map(quoted);
        write!(out, "{}\r\n", cells.join(","))?;
    }
    Ok(())
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::Url;

    fn written(format: Format) -> String {
        let entity = Entity {
            url: Url::parse("http://s/a,b").unwrap(),
            confidence: 0.5,
            via: None,
            evidence: "says \"x\"\u{1b}".to_owned(),
        };
        let mut out = Vec::new();
        rows(&mut out, &[entity], format).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_of_jsonl_is_as_documented() {
        let line =
            "{\"url\":\"http://s/a,b\",\"confidence\":0.5,\"via\":null,\"evidence\":\"says \\\"x\\\"\\u001b\"}\n";
        assert_eq!(written(Format::Jsonl), line);
    }

    #[test]
    fn csv_quotes_what_would_end_a_cell() {
        assert_eq!(
            written(Format::Csv),
            "url,confidence,via,evidence\r\n\"http://s/a,b\",0.5,,\"says \"\"x\"\"\u{1b}\"\r\n"
        );
    }

    #[test]
    fn a_table_obeys_no_escape_sequence() {
        assert!(!written(Format::Table).contains('\u{1b}'));
    }

    #[test]
    fn endings_decide() {
        assert!(matches!(by_ending(Path::new("x.csv")), Ok(Target::File(_, Format::Csv))));
        assert!(matches!(by_ending(Path::new("x.parquet")), Ok(Target::Parquet(_))));
        assert!(by_ending(Path::new("x.xls")).err().unwrap().to_string().contains("`x.xls`"));
    }
}
