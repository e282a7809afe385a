//! `pagekin export`: the records of a database → JSON lines, CSV, Parquet, xlsx, JSON or a table.

use super::args::ExportArgs;
use super::child_files::ChildFiles;
use super::opened_to_read;
use crate::exit::Exit;
use crate::files::{Part, check_folder};
use crate::output::{Format, Target, json_line, quoted};
use crate::talk::{Talk, plain};
use anyhow::Result;
use comfy_table::{ContentArrangement, Table, presets};
use pagekin::dataset::{Dataset, Exported, ParquetFile, Wanted};
use pagekin::export::column;
use pagekin::typed::ColumnTypes;
use pagekin::xlsx::Spreadsheet;
use std::io::{BufWriter, Write, stdout};
use std::path::Path;

/// Rows of a table on a screen, and at the end of the tour; the rest is counted.
const SHOWN: usize = 50;
pub const TOUR: usize = 10;

pub async fn run(args: &ExportArgs, talk: &Talk) -> Result<Exit> {
    let sheet = args.show.out.as_deref().filter(|path| is_spreadsheet(path));
    let target = match sheet {
        Some(path) => check_folder(path).map(|()| None)?,
        None => Some(args.show.target()?),
    };
    let wanted = Wanted { site: args.site.clone(), class: args.class.clone(), absent: args.absent, times: args.times };
    let store = opened_to_read(&args.db).await?;
    let data = Dataset::open(&store, &wanted).await?;
    let written = match (target, sheet) {
        (_, Some(path)) => spreadsheet(data, path, args.times).await?,
        (Some(Target::Stdout(Format::Table)) | None, _) => shown(data, &mut stdout(), SHOWN, talk).await?,
        (Some(Target::Stdout(format)), _) => {
            text(data, &mut BufWriter::new(stdout()), None, (format, args.times)).await?
        }
        (Some(Target::File(path, format)), _) => file(data, &path, (format, args.times)).await?,
        (Some(Target::Parquet(path)), _) => {
            let types = Dataset::open(&store, &wanted).await?.types().await?;
            parquet(data, &path, &types, args.times).await?
        }
    };
    talk.say(format_args!("{written} records"));
    if written == 0 {
        talk.say("\nhint: `pagekin query \"SELECT s.name, c.name FROM classes c JOIN sites s ON s.id = c.site_id\"` lists what there is");
    }
    Ok(Exit::Done)
}

fn is_spreadsheet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xlsx"))
}

async fn spreadsheet(mut data: Dataset, path: &Path, times: bool) -> Result<usize> {
    let mut sheets = Spreadsheet::start(&data.attributes, &data.children, times)?;
    let mut written = 0;
    while let Some(records) = data.next().await? {
        written += records.len();
        sheets.write(&records)?;
    }
    let mut part = Part::create(path)?;
    sheets.finish(&mut part)?;
    part.finish()?;
    Ok(written)
}

async fn file(data: Dataset, path: &Path, how: (Format, bool)) -> Result<usize> {
    let mut part = Part::create(path)?;
    let csv = how.0 == Format::Csv;
    let mut children = csv.then(|| ChildFiles::start(path, &data.children, false)).transpose()?;
    let written = text(data, &mut part, children.as_mut(), how).await?;
    part.finish()?;
    children.map_or(Ok(()), ChildFiles::finish)?;
    Ok(written)
}

async fn text(
    mut data: Dataset,
    out: &mut (dyn Write + Send),
    mut children: Option<&mut ChildFiles>,
    (format, times): (Format, bool),
) -> Result<usize> {
    let names = data.attributes.clone();
    let mut written = 0;
    if format == Format::Csv {
        let header =
            Exported::header(times).into_iter().map(quoted).chain(names.iter().map(|name| quoted(&column(name))));
        write!(out, "{}\r\n", header.collect::<Vec<_>>().join(","))?;
    }
    while let Some(records) = data.next().await? {
        if let Some(children) = &mut children {
            children.write(&records)?;
        }
        for record in &records {
            match format {
                Format::Csv => {
                    let cells: Vec<String> = record.cells(&names, times).iter().map(|cell| quoted(cell)).collect();
                    write!(out, "{}\r\n", cells.join(","))?;
                }
                Format::Json => {
                    write!(out, "{}{}", if written == 0 { "[\n" } else { ",\n" }, json_line(record)?)?;
                }
                Format::Jsonl | Format::Table => writeln!(out, "{}", json_line(record)?)?,
            }
            written += 1;
        }
    }
    if format == Format::Json {
        writeln!(out, "{}", if written == 0 { "[]" } else { "\n]" })?;
    }
    out.flush()?;
    Ok(written)
}

async fn parquet(mut data: Dataset, path: &Path, types: &ColumnTypes, times: bool) -> Result<usize> {
    let mut file = ParquetFile::start(Part::create(path)?, &data.attributes, types, times)?;
    let mut children = ChildFiles::start(path, &data.children, true)?;
    let mut written = 0;
    while let Some(records) = data.next().await? {
        written += records.len();
        file.write(&records)?;
        children.write(&records)?;
    }
    file.finish()?.finish()?;
    children.finish()?;
    Ok(written)
}

/// What fits on a screen; also the end of the tour.
pub async fn shown(mut data: Dataset, out: &mut (dyn Write + Send), most: usize, talk: &Talk) -> Result<usize> {
    let names = data.attributes.clone();
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(std::iter::once("page").chain(names.iter().map(String::as_str)).map(plain));
    let mut written = 0;
    while let Some(records) = data.next().await? {
        for record in records.iter().take(most.saturating_sub(written)) {
            let values = names.iter().map(|name| record.cell(name).unwrap_or_default());
            table.add_row(std::iter::once(path_of(&record.url)).chain(values).map(|cell| plain(&cell)));
        }
        written += records.len();
    }
    writeln!(out, "{table}")?;
    if written > most {
        talk.say(format_args!("... and {} more", written - most));
    }
    Ok(written)
}

/// The address without its site, which is the same in all rows.
fn path_of(url: &str) -> String {
    let after = url.find("://").map_or(0, |at| at + 3);
    url[after..].find('/').map_or_else(|| url.to_owned(), |at| url[after + at..].to_owned())
}
