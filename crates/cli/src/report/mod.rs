//! `pagekin report`: findings → one page for the weekly meeting, or JSON, or a spreadsheet. [`args`]: what was typed.

pub mod args;

use crate::config::Config;
use crate::exit::Exit;
use crate::files;
use crate::output::bom;
use crate::run::args::DbArgs;
use crate::run::opened;
use crate::talk::Talk;
use anyhow::{Result, anyhow, bail};
use args::ReportArgs;
use pagekin::check::Finding;
use pagekin::privacy::Guard;
use pagekin::report::places::{GeoIp, locate};
use pagekin::report::{Dated, Material, Report, build, shown, to_csv, today};
use pagekin::run::Publish;
use pagekin::{findings, stored_findings};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

pub async fn run(args: &ReportArgs, config: &Config, talk: &Talk) -> Result<Exit> {
    let guard = config.privacy.ready()?;
    args.out.iter().try_for_each(|path| ending(path).map(drop))?;
    args.out.iter().try_for_each(|path| files::check_folder(path))?;
    let before = args.since.as_deref().map(read_report).transpose()?;
    let material = material(args).await?;
    let report = shown(build(material, before.as_ref()), &guard);
    for path in &args.out {
        write(path, &report)?;
        talk.say(format_args!("written to `{}`", path.display()));
    }
    let new = report.findings.iter().filter(|own| own.new).count();
    talk.say(format_args!(
        "{} findings on {} sites, {new} of them new, {} gone",
        report.findings.len(),
        report.sites.len(),
        report.gone.len()
    ));
    Ok(Exit::Done)
}

async fn material(args: &ReportArgs) -> Result<Material> {
    let today = args.date.clone().unwrap_or_else(today);
    let mut material = match &args.findings {
        Some(path) => of_files(path, args, &today)?,
        None => {
            let store = opened(&DbArgs { db: args.db.clone() }, false).await?;
            stored_findings::material(&store, &args.title, &today, args.site.as_deref()).await?
        }
    };
    let geoip = args.geoip.as_deref().map(GeoIp::open).transpose()?;
    if !args.offline {
        let hosts: BTreeSet<String> =
            material.findings.iter().filter_map(|own| own.finding.url.host_str().map(str::to_owned)).collect();
        material.places = locate(&hosts.into_iter().collect::<Vec<_>>(), geoip.as_ref()).await;
    }
    Ok(material)
}

fn of_files(path: &Path, args: &ReportArgs, today: &str) -> Result<Material> {
    let dated = |finding| Dated { finding, first_seen: today.to_owned(), last_seen: today.to_owned() };
    let findings = read_findings(path)?.into_iter().map(dated).collect();
    let records = args.records.as_deref().map(counted).transpose()?.unwrap_or_default();
    Ok(Material { title: args.title.clone(), today: today.to_owned(), findings, records, ..Material::default() })
}

fn lines(path: &Path) -> Result<impl Iterator<Item = std::io::Result<String>>> {
    let file = File::open(path).map_err(|error| {
        anyhow!("cannot read `{}`: {error}\n\nhint: check that it exists and may be read", path.display())
    })?;
    Ok(BufReader::new(file).lines())
}

fn read_findings(path: &Path) -> Result<Vec<Finding>> {
    let mut all = Vec::new();
    for (at, line) in lines(path)?.enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let finding = serde_json::from_str(&line).map_err(|error| {
            let at = at + 1;
            anyhow!("line {at} of `{}` is no finding: {error}\n\nhint: give a file that `pagekin check --out FILE.jsonl` wrote", path.display())
        })?;
        all.push(finding);
    }
    Ok(all)
}

/// Records of each host.
fn counted(path: &Path) -> Result<BTreeMap<String, usize>> {
    let mut hosts = BTreeMap::new();
    for line in lines(path)? {
        if let Ok(record) = findings::record(line?.as_bytes()) {
            *hosts.entry(record.url.host_str().unwrap_or("").to_owned()).or_default() += 1;
        }
    }
    Ok(hosts)
}

fn read_report(path: &Path) -> Result<Report> {
    serde_json::from_str(&files::read(path)?).map_err(|error| {
        anyhow!(
            "`{}` is no report: {error}\n\nhint: give a file that `pagekin report --out FILE.json` wrote",
            path.display()
        )
    })
}

/// How reports that runs ask for are written.
pub fn published(guard: Guard) -> Publish {
    Arc::new(move |path, report| write(path, &shown(report.clone(), &guard)).map_err(|error| error.to_string()))
}

pub fn ending(path: &Path) -> Result<&str> {
    match path.extension().and_then(|ending| ending.to_str()) {
        Some(known @ ("html" | "json" | "csv")) => Ok(known),
        _ => bail!("cannot tell how to write `{}`\n\nhint: let it end in .html, .json or .csv", path.display()),
    }
}

fn write(path: &Path, report: &Report) -> Result<()> {
    let bytes = match ending(path)? {
        "html" => pagekin_web::report::html(report)?.into_bytes(),
        "csv" => [bom().as_bytes(), &to_csv(report)?].concat(),
        _ => serde_json::to_vec_pretty(report)?,
    };
    files::write(path, |out| Ok(out.write_all(&bytes)?))
}
