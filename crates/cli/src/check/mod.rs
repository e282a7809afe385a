//! `pagekin check`: records, rules and what is known → findings. [`args`]: what was typed. [`eval`]: how good it is.

pub mod args;
pub mod eval;

use crate::config::CheckConfig;
use crate::exit::Exit;
use crate::files;
use crate::output::Row;
use crate::run::args::DbArgs;
use crate::run::opened;
use crate::talk::Talk;
use anyhow::{Result, anyhow};
use args::CheckArgs;
use pagekin::check::{Finding, Judge, Rules, Trouble, listed, rules};
use pagekin::store::findings::Part;
use pagekin::stored_findings::{against, check_stored};
use pagekin::{CheckStats, Checked, Error, Stop, check_job, export, reference};
use std::fs::File;
use std::io::{BufRead, BufReader, stdin};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

pub async fn run(args: &CheckArgs, config: &CheckConfig, talk: &Talk, stop: Stop) -> Result<Exit> {
    let target = args.output.target()?;
    let path = args.rules.as_ref().or(config.rules.as_ref()).ok_or_else(|| missing("rules"))?;
    let given = args.reference.as_ref().or(config.reference.as_ref()).ok_or_else(|| missing("reference"))?;
    let rules = read_rules(path)?;
    let known = reference::open(given).await?;
    let rows = known.rows();
    let against = args.db.is_some().then(|| files::read(path).map(|text| against(&text, &known))).transpose()?;
    let judge = Arc::new(Judge::new(&rules, known).map_err(|troubles| wrong(path, &troubles))?);
    if args.explain {
        judge.explained().iter().for_each(|line| talk.say(line));
        return Ok(Exit::Done);
    }
    let (findings, done, stats) = match (&args.records, against) {
        (Some(records), _) => of_file(records, &judge, &stop)?,
        (None, against) => of_database(args, &judge, &against.unwrap_or_default(), &stop).await?,
    };
    target.write(&findings)?;
    args.output.keep(&stats)?;
    sum_up(talk, &findings, &done, &stats, rows);
    Ok(match (done.interrupted, findings.is_empty()) {
        (true, _) => Exit::Interrupted,
        (false, true) => Exit::Done,
        (false, false) => Exit::Findings,
    })
}

fn missing(name: &str) -> anyhow::Error {
    anyhow!("no {name} given\n\nhint: give `--{name} FILE`, or set `{name}` under [check] in the config file")
}

type Outcome = (Vec<Finding>, Checked, CheckStats);

fn of_file(records: &Path, judge: &Judge, stop: &Stop) -> Result<Outcome> {
    let mut findings: Vec<Finding> = Vec::new();
    let mut emit = |found: Vec<Finding>| {
        findings.extend(found);
        Ok(())
    };
    let (done, stats) = check_job(&mut *lines(records)?, judge, stop, &mut emit)?;
    if done.records == 0 && done.bad_lines > 0 {
        return Err(anyhow!(
            "no line of `{}` is a record\n\nhint: give a file that `pagekin extract --out FILE.jsonl` wrote",
            records.display()
        ));
    }
    Ok((findings, done, stats))
}

/// What is new or changed is checked; all that holds now is what is shown.
async fn of_database(args: &CheckArgs, judge: &Arc<Judge>, against: &str, stop: &Stop) -> Result<Outcome> {
    let (start, site) = (Instant::now(), args.site.as_deref());
    let store = opened(&DbArgs { db: args.db.clone() }, false).await?;
    let (done, _) = check_stored(&store, judge, against, site.map_or(Part::All, Part::Site), (None, stop)).await?;
    let held = store.findings(site).await?.into_iter().filter(|row| row.gone.is_none());
    let findings: Vec<Finding> = held.map(|row| row.finding).collect();
    let stats = CheckStats::of(&done, findings.len(), start.elapsed().as_secs_f64());
    Ok((findings, done, stats))
}

/// All that is wrong with the file is told at once.
pub fn read_rules(path: &Path) -> Result<Rules> {
    rules::parse(&files::read(path)?).map_err(|troubles| wrong(path, &troubles))
}

fn wrong(path: &Path, troubles: &[Trouble]) -> anyhow::Error {
    let (path, list) = (path.display(), listed(troubles));
    anyhow!("cannot use the rules in `{path}`:\n{list}\n\nhint: docs/stages/check.md says what a rules file may hold")
}

fn lines(path: &Path) -> Result<Box<dyn BufRead>> {
    if path.as_os_str() == "-" {
        return Ok(Box::new(BufReader::new(stdin())));
    }
    let file = File::open(path).map_err(|error| {
        anyhow!("cannot read `{}`: {error}\n\nhint: check that it exists and may be read", path.display())
    })?;
    Ok(Box::new(BufReader::new(file)))
}

fn sum_up(talk: &Talk, findings: &[Finding], done: &Checked, stats: &CheckStats, rows: usize) {
    for (line, reason) in &done.bad {
        talk.say(format_args!("line {line} is no record: {reason}"));
    }
    if done.bad_lines > done.bad.len() {
        talk.say(format_args!("... and {} more lines that are none", done.bad_lines - done.bad.len()));
    }
    talk.say(format_args!(
        "{} findings; {} records checked against {rows} rows, {:.1} s",
        findings.len(),
        done.records,
        stats.seconds
    ));
    if rows == 0 {
        talk.say("\nhint: the reference has no rows, so nothing is in it: check that it is the right one");
    }
    if done.records > 0 && !done.absent.is_empty() {
        talk.say(format_args!(
            "\nhint: no record has {}; where a rule writes a name otherwise than the records, it says nothing",
            done.absent.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ));
    }
    if done.contradictions > 0 {
        talk.say(format_args!(
            "\nhint: in {} of them rules contradict each other; give such rules a range of confidence, as [0.85, 1]",
            done.contradictions
        ));
    }
}

impl Row for Finding {
    const HEADER: &'static [&'static str] = &["url", "rule", "conclusion", "severity", "lower", "upper", "because"];

    fn cells(&self) -> Vec<String> {
        let bound = |bound: Option<f64>| bound.map(|bound| bound.to_string()).unwrap_or_default();
        vec![
            self.url.to_string(),
            self.rule.clone(),
            self.conclusion.clone(),
            self.severity.name().to_owned(),
            bound(self.lower),
            bound(self.upper),
            self.because.clone(),
        ]
    }

    fn shown(&self) -> Vec<String> {
        let mut cells = self.cells();
        let bound = |bound: Option<f64>| bound.map_or_else(|| "?".to_owned(), |bound| format!("{bound:.2}"));
        (cells[4], cells[5]) = (bound(self.lower), bound(self.upper));
        cells
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        export::parquet_of_findings(rows)
    }
}
