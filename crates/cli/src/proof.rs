//! `pagekin prove` and `pagekin verify`: a record or a run → a small web archive that shows it; such a file → is it as it was written?

use crate::args_output::ShowArgs;
use crate::exit::Exit;
use crate::files;
use crate::output::Row;
use crate::run::args::{DbArgs, PagesArgs};
use crate::run::opened_to_read;
use crate::talk::Talk;
use anyhow::Result;
use clap::Args;
use pagekin::proof::verify::{Checked, verify};
use pagekin::proof::{Subject, package, prove_record, prove_run};
use pagekin::store::dataset::Choice;
use pagekin::{Error, Url, export};
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "\
The file opens in replay tools (WACZ 1.1.1). Its folder `proof` holds the record with the place of each value, the page with the
values framed, and the word of a time-stamp authority. `pagekin verify` checks all of it.

Examples:
  pagekin prove https://example.org/drivers/driver_02.htm
  pagekin prove https://example.org/drivers/driver_02.htm --column team --out driver.wacz
  pagekin prove https://example.org/drivers/driver_02.htm --timestamp https://tsa.example.org/ --out driver-folder
  pagekin prove --run 7 --out week47.wacz")]
pub struct ProveArgs {
    /// The address of the record, as `pagekin export` has it
    #[arg(value_name = "RECORD", required_unless_present = "run")]
    pub record: Option<String>,
    /// Prove what a run saw instead, also one in which nothing changed
    #[arg(long, value_name = "N", conflicts_with_all = ["record", "nth", "site", "class", "column"])]
    pub run: Option<i64>,
    /// Number of the record among those of its page, from 0
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub nth: i64,
    /// The record of this site
    #[arg(long, value_name = "NAME")]
    pub site: Option<String>,
    /// The record of this kind of pages
    #[arg(long, value_name = "NAME")]
    pub class: Option<String>,
    /// Frame the value of this column only
    #[arg(long, value_name = "NAME")]
    pub column: Option<String>,
    /// Have this time-stamp authority (RFC 3161) say that the archive is there now
    #[arg(long, value_name = "URL", value_parser = files::parse_service)]
    pub timestamp: Option<Url>,
    /// Where to write it: a file that ends in .wacz, or a folder [default: proof.wacz]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub kept: PagesArgs,
}

#[derive(Debug, Args)]
#[command(after_help = "\
A line of output: {\"part\", \"check\", \"ok\", \"detail\"}. Exit code 1: something is not as it was written.
Checked are the digests of every file and of every WARC record, time stamps with their signatures, and that the values of a
record stand on its page. Whether a time-stamp authority is to be trusted is yours to say:
  openssl ts -verify -data data.warc.gz -in data.warc.gz.tsr -CAfile authority.pem

Examples:
  pagekin verify proof.wacz
  pagekin verify drivers.pages/example.org/run-000007-001.warc.gz --format table")]
pub struct VerifyArgs {
    /// A `.wacz` file, a folder that `pagekin prove` wrote, or a WARC file
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    #[command(flatten)]
    pub show: ShowArgs,
}

/// What was written.
#[derive(Debug, Serialize)]
struct Written {
    file: PathBuf,
    pages: usize,
    /// Of the archives in it, with their names.
    archives: Vec<(String, String)>,
    timestamps: Vec<pagekin::proof::timestamp::Stamp>,
}

pub async fn prove(args: &ProveArgs, talk: &Talk) -> Result<Exit> {
    let out = args.out.clone().unwrap_or_else(|| PathBuf::from("proof.wacz"));
    files::check_folder(&out)?;
    let store = opened_to_read(&args.db).await?;
    let mut proof = match (args.run, &args.record) {
        (Some(run), _) => prove_run(&store, &args.kept.folder(&args.db), run).await?,
        (None, record) => {
            let choice = Choice { site: args.site.clone(), class: args.class.clone(), ..Choice::default() };
            let url = record.clone().unwrap_or_default();
            prove_record(&store, &Subject { url, nth: args.nth, choice, column: args.column.clone() }).await?
        }
    };
    let timestamps = match &args.timestamp {
        Some(authority) => proof.stamped(authority).await?,
        None => Vec::new(),
    };
    package::write(&proof.parts, &out)?;
    let written = Written { file: out, pages: proof.pages, archives: proof.digests(), timestamps };
    writeln!(std::io::stdout(), "{}", export::json_line(&written)?)?;
    talk.say(format_args!("written to `{0}`; `pagekin verify {0}` checks it", written.file.display()));
    Ok(Exit::Done)
}

pub async fn check(args: &VerifyArgs, talk: &Talk) -> Result<Exit> {
    let target = args.show.target()?;
    let checked = verify(&args.file).await?;
    target.write(&checked)?;
    let wrong = checked.iter().filter(|own| !own.ok).count();
    match wrong {
        0 => talk.say(format_args!("{} checks, nothing wrong", checked.len())),
        _ => talk.say(format_args!("{} checks, {wrong} of them say that it is not as it was written", checked.len())),
    }
    Ok(if wrong > 0 { Exit::Findings } else { Exit::Done })
}

impl Row for Checked {
    const HEADER: &'static [&'static str] = &["part", "check", "ok", "detail"];

    fn cells(&self) -> Vec<String> {
        vec![self.part.clone(), self.check.to_owned(), self.ok.to_string(), self.detail.clone()]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_words(Self::HEADER, &rows.iter().map(Row::cells).collect::<Vec<_>>())
    }
}
