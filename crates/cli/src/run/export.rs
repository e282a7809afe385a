//! `pagekin export`: the records of a database → JSON lines, CSV, Parquet, xlsx, JSON or a table, and a description of the files.

use super::args::ExportArgs;
use super::child_files::ChildFiles;
use super::opened_to_read;
use crate::config::Config;
use crate::exit::Exit;
use crate::files::{self, Part, check_folder};
use crate::output::{Format, Target, bom, json_line, json_pretty, quoted};
use crate::talk::{Talk, plain};
use anyhow::{Result, bail};
use comfy_table::{ContentArrangement, Table, presets};
use pagekin::about::About;
use pagekin::data_package::{self, Fields, Resource};
use pagekin::dataset::{Dataset, Exported, ParquetFile, Wanted};
use pagekin::export::column;
use pagekin::typed::ColumnTypes;
use pagekin::xlsx::Spreadsheet;
use std::collections::BTreeMap;
use std::io::{BufWriter, Write, stdout};
use std::path::{Path, PathBuf};

/// Rows of a table on a screen, and at the end of the tour; the rest is counted.
const SHOWN: usize = 50;
pub const TOUR: usize = 10;

pub async fn run(args: &ExportArgs, config: &Config, talk: &Talk) -> Result<Exit> {
    let out = Out::of(args)?;
    let guard = config.privacy.and_without(&args.without).ready()?;
    let (site, class) = (args.site.clone(), args.class.clone());
    let wanted = Wanted { site, class, absent: args.absent, times: args.times, guard };
    let store = opened_to_read(&args.db).await?;
    let data = Dataset::open(&store, &wanted).await?;
    known(&args.without, &data)?;
    let about = About::of(&store, &wanted.choice()).await?;
    let (written, files) = match out {
        Out::Spreadsheet(path) => spreadsheet(data, &path, &about, args.times).await?,
        Out::Target(Target::Stdout(Format::Table)) => (shown(data, &mut stdout(), SHOWN, talk).await?, Vec::new()),
        Out::Target(Target::Stdout(format)) => {
            let fields = &mut Fields::default();
            (text(data, &mut BufWriter::new(stdout()), None, (format, args.times), fields).await?, Vec::new())
        }
        Out::Target(Target::File(path, format)) => file(data, &path, (format, args.times)).await?,
        Out::Target(Target::Parquet(path)) => {
            let types = Dataset::open(&store, &wanted).await?.types().await?;
            parquet(data, &path, &types, args.times).await?
        }
    };
    if let (true, Some(first)) = (args.data_package, files.first()) {
        let (path, package) = (data_package::beside(&first.path), data_package::describe(&files, &about)?);
        files::write(&path, |out| Ok(writeln!(out, "{}", json_pretty(&package)?)?))?;
    }
    talk.say(format_args!("{written} records"));
    if written == 0 {
        talk.say("\nhint: `pagekin query \"SELECT s.name, c.name FROM classes c JOIN sites s ON s.id = c.site_id\"` lists what there is");
    }
    Ok(Exit::Done)
}

/// Where records go.
enum Out {
    Spreadsheet(PathBuf),
    Target(Target),
}

impl Out {
    fn of(args: &ExportArgs) -> Result<Self> {
        match args.show.out.as_deref().filter(|path| is_spreadsheet(path)) {
            Some(path) => check_folder(path).map(|()| Self::Spreadsheet(path.to_owned())),
            None => args.show.target().map(Self::Target),
        }
    }
}

/// A column that is named wrongly would be written.
fn known(without: &[String], data: &Dataset) -> Result<()> {
    let is =
        |name: &String, column: &String| column == name || column.split_once('.').is_some_and(|(own, _)| own == name);
    let Some(name) = without.iter().find(|name| !data.left_out.iter().any(|column| is(name, column))) else {
        return Ok(());
    };
    let tables =
        data.children.iter().flat_map(|(table, columns)| columns.iter().map(move |own| format!("{table}.{own}")));
    let all: Vec<String> = data.attributes.iter().cloned().chain(tables).collect();
    let nearest = all.iter().max_by(|a, b| strsim::jaro_winkler(name, a).total_cmp(&strsim::jaro_winkler(name, b)));
    let hint =
        nearest.map_or_else(|| "the data set has no columns".to_owned(), |near| format!("did you mean `{near}`?"));
    bail!("there is no column `{name}` to leave out\n\nhint: {hint}")
}

fn is_spreadsheet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("xlsx"))
}

/// How many records were written, and the files that hold them.
type Written = (usize, Vec<Resource>);

async fn spreadsheet(mut data: Dataset, path: &Path, about: &About, times: bool) -> Result<Written> {
    let mut sheets = Spreadsheet::start(&data.attributes, &data.children, times)?;
    let mut written = 0;
    while let Some(records) = data.next().await? {
        written += records.len();
        sheets.write(&records)?;
    }
    let mut part = Part::create(path)?;
    sheets.finish(about, &mut part)?;
    part.finish()?;
    Ok((written, vec![records_in(path, Vec::new())]))
}

fn records_in(path: &Path, fields: Vec<serde_json::Value>) -> Resource {
    Resource { path: path.to_owned(), rows: "records".to_owned(), fields }
}

fn children_in(path: &Path, children: &BTreeMap<String, Vec<String>>, text_only: bool) -> Vec<Resource> {
    let resource = |(path, table): (PathBuf, &String)| {
        let fields = data_package::of_children(&children[table], text_only);
        Resource { path, rows: table.clone(), fields }
    };
    ChildFiles::names(path, children).into_iter().map(resource).collect()
}

async fn file(data: Dataset, path: &Path, how: (Format, bool)) -> Result<Written> {
    let mut part = Part::create(path)?;
    let csv = how.0 == Format::Csv;
    let mut children = csv.then(|| ChildFiles::start(path, &data.children, false)).transpose()?;
    let (names, tables, mut fields) = (data.attributes.clone(), data.children.clone(), Fields::default());
    let written = text(data, &mut part, children.as_mut(), how, &mut fields).await?;
    part.finish()?;
    children.map_or(Ok(()), ChildFiles::finish)?;
    let mut files = vec![records_in(path, if csv { fields.of_csv(&names, how.1) } else { Vec::new() })];
    files.extend(csv.then(|| children_in(path, &tables, false)).into_iter().flatten());
    Ok((written, files))
}

async fn text(
    mut data: Dataset,
    out: &mut (dyn Write + Send),
    mut children: Option<&mut ChildFiles>,
    (format, times): (Format, bool),
    fields: &mut Fields,
) -> Result<usize> {
    let names = data.attributes.clone();
    let mut written = 0;
    if format == Format::Csv {
        let header =
            Exported::header(times).into_iter().map(quoted).chain(names.iter().map(|name| quoted(&column(name))));
        write!(out, "{}{}\r\n", bom(), header.collect::<Vec<_>>().join(","))?;
    }
    while let Some(records) = data.next().await? {
        if let Some(children) = &mut children {
            children.write(&records)?;
        }
        fields.see(&records, &names);
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

async fn parquet(mut data: Dataset, path: &Path, types: &ColumnTypes, times: bool) -> Result<Written> {
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
    let mut files = vec![records_in(path, data_package::of_parquet(&data.attributes, types, times))];
    files.extend(children_in(path, &data.children, true));
    Ok((written, files))
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
