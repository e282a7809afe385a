//! What do one page's values find on the other pages, with us and with autoscraper? The pages of SWDE → F1 of both.
//!
//! `cargo bench --workspace --bench=by_example`: the same pages, the same examples, the same metric. autoscraper is run by
//! `benches/autoscraper_peer.py` in `target/py-tools`, where it is installed the first time. It takes minutes.

#[path = "support/data.rs"]
#[allow(dead_code, reason = "a benchmark uses a part of it")]
mod data;

use pagekin::extract::Record;
use pagekin::page::Document;
use pagekin::pages::RawPage;
use pagekin_eval::extract::score::{norm, shown};
use pagekin_eval::extract::truth::Site;
use pagekin_eval::extract::{ExtractOptions, ExtractReport, Mode, examples, measure, scored};
use pagekin_testkit::python::python_tool;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    let Some(sites) = data::sites() else { return Ok(()) };
    let options = ExtractOptions {
        mode: Mode::Example,
        domains: PathBuf::new(),
        learn_from: None,
        sites: Vec::new(),
        raw: false,
        left_out: None,
        unfitted: false,
    };
    let ours = measure(&data::swde(), &options)?;
    let peer = peer(&sites)?;
    println!("| vertical | pagekin | autoscraper |\n|---|---|---|");
    for (name, f1) in &ours.verticals {
        println!("| {name} | {f1:.3} | {:.3} |", peer.verticals[name]);
    }
    let line = |name: &str, of: &dyn Fn(&ExtractReport) -> f64| {
        println!("| {name} | {:.3} | {:.3} |", of(&ours), of(&peer));
    };
    line("**macro**", &|report| report.macro_f1);
    line("micro", &|report| report.micro.f1);
    Ok(())
}

fn peer(sites: &[Site]) -> Result<ExtractReport, Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (asked, answered) = (folder.join("by_example.sites"), folder.join("by_example.records"));
    let mut out = BufWriter::new(File::create(&asked)?);
    for site in sites {
        writeln!(out, "{}", question(site))?;
    }
    out.flush()?;
    let script = data::repository().join("benches/autoscraper_peer.py");
    let status = Command::new(python_tool("autoscraper")?).arg(script).arg(&asked).arg(&answered).status()?;
    if !status.success() {
        return Err("autoscraper failed".into());
    }
    Ok(scored(sites, &answers(&answered)?)?)
}

fn question(site: &Site) -> serde_json::Value {
    let pages = data::pages(site);
    let first = data::read(&pages[0]);
    let mut values: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for example in examples(site, &pages) {
        values.entry(example.name).or_default().extend(as_written(&first, &example.value));
    }
    let page = |page: &RawPage| serde_json::json!({"url": page.url, "html": String::from_utf8_lossy(&page.body)});
    serde_json::json!({"site": site.id, "examples": values, "pages": pages.iter().map(page).collect::<Vec<_>>()})
}

/// autoscraper compares texts as the page has them.
fn as_written(document: &Document, value: &str) -> Option<String> {
    let texts: Vec<&str> = pagekin::page::text::visible(document).map(|(_, text)| text.trim()).collect();
    let other_letters = || texts.iter().find(|text| norm(text) == norm(value));
    texts.iter().find(|text| shown(text) == value).or_else(other_letters).map(|text| (*text).to_owned())
}

fn answers(path: &Path) -> Result<BTreeMap<String, Vec<Record>>, Box<dyn Error>> {
    #[derive(Deserialize)]
    struct Line {
        site: String,
        url: pagekin::Url,
        attributes: BTreeMap<String, Vec<String>>,
    }
    let mut records: BTreeMap<String, Vec<Record>> = BTreeMap::new();
    for line in BufReader::new(File::open(path)?).lines() {
        let Line { site, url, attributes } = serde_json::from_str(&line?)?;
        let record =
            Record { url, class: site.clone(), attributes, children: BTreeMap::new(), evidence: BTreeMap::new() };
        records.entry(site).or_default().push(record);
    }
    Ok(records)
}
