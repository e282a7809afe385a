//! What does each tool do? Its name and arguments → JSON, or what is wrong with them.

use super::Server;
use super::marked::Page;
use anyhow::{Context, Result, anyhow, bail};
use pagekin::Url;
use pagekin::about::About;
use pagekin::discover;
use pagekin::proof::Subject;
use pagekin::report::shown_finding;
use pagekin::run::{Planned, RunSpec, plan};
use pagekin::store::Value as Cell;
use pagekin::store::dataset::{Choice, Found};
use pagekin::store::run_list::{RunFilter, RunLine};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::time::Duration;

/// Rows and runs of one answer.
const ROWS: usize = 100;
const RUNS: usize = 20;

/// Records that show what columns hold.
const LOOKED_AT: usize = 50;

/// Longer than this no agent waits.
const LIMIT: Duration = Duration::from_secs(20);

/// Rows before an offset are read again each time.
const FARTHEST: usize = 1_000_000;

const TABLES: [&str; 12] = [
    "current_records(site, class, url, nth, attributes, confidence, first_seen, changed_at, unlinked)",
    "record_values(site, class, url, record, attribute, nth, value)",
    "record_rows(class_id, url, nth, child, position, attribute, value)",
    "record_typed(class_id, url, nth, attribute, kind, normal, number, unit, day)",
    "changes(run_id, class_id, url, nth, change)",
    "runs(id, site_id, class_id, state, started_at, ended_at, stats, error)",
    "sites(id, name, url)",
    "classes(id, site_id, name, samples)",
    "entities(class_id, url, confidence, via, evidence, unlinked, gone_run)",
    "pages(site_id, url, status, hash, content_type, bytes, fetched_at, run_id)",
    "findings(class_id, url, nth, conclusion, rule, severity, lower, upper, first_seen, gone_at)",
    "skipped(run_id, url, reason, detail)",
];

/// None where there is no such tool.
pub async fn answer(server: &Server, tool: &str, arguments: Value) -> Option<Result<Value>> {
    Some(match tool {
        "plan_run" => plan_run(server, arguments),
        "start_run" => start_run(server, arguments).await,
        "run_status" => run_status(server, arguments).await,
        "describe" => describe(server, arguments).await,
        "query" => query(server, arguments).await,
        "evidence" => evidence(server, arguments).await,
        "findings" => findings(server, arguments).await,
        _ => return None,
    })
}

fn read<T: DeserializeOwned>(arguments: Value) -> Result<T> {
    serde_json::from_value(arguments).map_err(|error| anyhow!("the arguments are not what the tool takes: {error}"))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct How {
    samples: Vec<String>,
    name: Option<String>,
    #[serde(default)]
    hidden: bool,
    budget: Option<usize>,
    #[serde(default)]
    recheck: bool,
}

impl How {
    fn planned(&self, server: &Server) -> Result<(Vec<Planned>, RunSpec)> {
        let samples = self.samples.iter().map(|text| address(text, server.source.allow_private));
        let planned = plan(&samples.collect::<Result<Vec<_>>>()?, false);
        if planned.is_empty() {
            bail!("no sample page given; give the address of one page of the kind you want");
        }
        let settings = discover::Settings { budget: self.budget, ..discover::Settings::default() };
        let spec = RunSpec {
            name: self.name.clone(),
            hidden: self.hidden,
            recheck: self.recheck,
            privacy: server.privacy.clone(),
            ..RunSpec::of(&settings, &server.source)
        };
        Ok((planned, spec))
    }
}

/// An agent may have the address from a page: it leads to the public web, or nowhere.
fn address(text: &str, allow_private: bool) -> Result<Url> {
    let url = crate::files::parse_url(text.trim()).map_err(|why| anyhow!("`{text}` is no address: {why}"))?;
    if !allow_private && pagekin::is_private(&url) {
        bail!("`{url}` is at a private address, which only the user can allow: `pagekin mcp --allow-private`");
    }
    Ok(url)
}

fn plan_run(server: &Server, arguments: Value) -> Result<Value> {
    let (planned, spec) = read::<How>(arguments)?.planned(server)?;
    Ok(json!({
        "runs": planned, "method": spec.discover.method, "scope": spec.discover.scope, "budget": spec.discover.budget, "hidden_pages": spec.hidden,
        "least_pause_ms": spec.source.delay.map(|delay| delay.as_millis() as u64), "requests_at_once": spec.source.concurrency,
        "most_requests": spec.source.ceilings.requests, "robots_txt": "is kept to",
        "columns_never_stored": spec.privacy.without, "columns_hashed": spec.privacy.hash, "keep_pages": spec.privacy.keep_pages,
        "nothing_was_done": true,
    }))
}

async fn start_run(server: &Server, arguments: Value) -> Result<Value> {
    let (planned, spec) = read::<How>(arguments)?.planned(server)?;
    let mut started = Vec::new();
    for one in &planned {
        let run = server.store.enqueue(&one.new_run(&spec, Some(&server.batch))?).await?;
        started.push(json!({"run": run, "site": one.site, "samples": one.samples}));
    }
    Ok(json!({"started": started, "hint": "ask run_status with `run` until its state is done or failed"}))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Which {
    run: Option<i64>,
    #[serde(default)]
    offset: usize,
}

async fn run_status(server: &Server, arguments: Value) -> Result<Value> {
    let asked: Which = read(arguments)?;
    if let Some(id) = asked.run {
        let line = server.store.run_line(id).await?.with_context(|| format!("there is no run {id}"))?;
        let progress = server.store.progress(id).await?;
        return Ok(
            json!({"run": told(&line), "progress": progress, "archives": pagekin::run::archives(&server.pages, &line).len()}),
        );
    }
    let filter = RunFilter { limit: asked.offset + RUNS + 1, ..RunFilter::default() };
    let lines = server.store.run_list(&filter).await?;
    let mut page = Page::from(asked.offset);
    let some: Vec<&RunLine> = lines.iter().skip(asked.offset).take(RUNS).collect();
    let fit = some.iter().take_while(|line| page.add(&told(line))).count();
    Ok(page.answer("runs", lines.len() > asked.offset + fit, json!({})))
}

fn told(line: &RunLine) -> Value {
    json!({
        "id": line.id, "site": line.site, "class": line.class, "state": line.state, "stage": line.stage, "samples": line.samples,
        "queued_at": line.queued_at, "started_at": line.started_at, "ended_at": line.ended_at, "error": line.error, "result": line.stats,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sets {
    site: Option<String>,
    class: Option<String>,
    #[serde(default)]
    offset: usize,
}

async fn describe(server: &Server, arguments: Value) -> Result<Value> {
    let asked: Sets = read(arguments)?;
    let choice = Choice { site: asked.site, class: asked.class, ..Choice::default() };
    let facts = server.store.chosen_classes(&choice).await?;
    let about = About::of(&server.store, &choice).await?;
    let mut page = Page::from(asked.offset);
    let mut fit = 0;
    for (own, kind) in facts.iter().zip(&about.kinds).skip(asked.offset) {
        let columns = columns(server, own.id).await?;
        let told = kind.completeness.told();
        if !page.add(&json!({"class_id": own.id, "about": kind, "how_complete": told, "columns": columns})) {
            break;
        }
        fit += 1;
    }
    let rest = json!({"tables": TABLES, "database": if server.store.place().contains("://") { "PostgreSQL" } else { "SQLite" }});
    Ok(page.answer("data_sets", facts.len() > asked.offset + fit, rest))
}

/// Names of columns, with a value of each.
async fn columns(server: &Server, class: i64) -> Result<Value> {
    let view = pagekin::store::screen::View { class, limit: LOOKED_AT, ..Default::default() };
    let mut columns = serde_json::Map::new();
    for mut record in server.store.view(&view).await? {
        server.guard.show(&mut record.attributes, &mut record.evidence);
        for (name, values) in record.attributes {
            let kind = record.evidence[&name]["type"]["kind"].clone();
            let example = values.into_iter().find(|value| !value.is_empty());
            columns.entry(name).or_insert_with(|| json!({"example": example, "type": kind}));
        }
    }
    Ok(Value::Object(columns))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Sql {
    sql: String,
    #[serde(default)]
    offset: usize,
}

async fn query(server: &Server, arguments: Value) -> Result<Value> {
    let asked: Sql = read(arguments)?;
    if asked.offset > FARTHEST {
        bail!("`offset` is more than {FARTHEST}; ask for less, by a WHERE on the last row");
    }
    let sql = asked.sql.trim().trim_end_matches(';');
    let paged = format!("SELECT * FROM (\n{sql}\n) AS paged LIMIT {} OFFSET {}", ROWS + 1, asked.offset);
    let (columns, rows) = server.store.query_within(&paged, ROWS + 1, LIMIT).await?;
    let mut page = Page::from(asked.offset);
    let cell = |value: &Cell| match value.shown() {
        Value::String(text) => Value::String(server.guard.text(&text)),
        other => other,
    };
    let row = |row: &pagekin::store::Row| (0..columns.len()).map(|at| cell(row.get(at))).collect::<Vec<_>>();
    let fit = rows.iter().take(ROWS).take_while(|own| page.add(&row(own))).count();
    Ok(page.answer("rows", rows.len() > fit, json!({"columns": columns})))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Of {
    url: String,
    #[serde(default)]
    record: i64,
    class: Option<String>,
}

async fn evidence(server: &Server, arguments: Value) -> Result<Value> {
    let asked: Of = read(arguments)?;
    let choice = Choice { class: asked.class, ..Choice::default() };
    let subject = Subject { url: asked.url, nth: asked.record, choice, column: None };
    let mut found = pagekin::proof::found(&server.store, &subject).await?;
    server.guard.show(&mut found.attributes, &mut found.evidence);
    let Found { class_id, url, nth, .. } = &found;
    let kept = server.store.page_kept(*class_id, url).await?;
    let mut earlier = Vec::new();
    for mut own in server.store.earlier(*class_id, url, *nth).await? {
        server.guard.show(&mut own.attributes, &mut Value::Null);
        earlier.push(own);
    }
    let mut page = Page::from(0);
    for (name, values) in &found.attributes {
        page.add(&json!({"column": name, "values": values, "evidence": found.evidence[name]}));
    }
    let fetched = kept.map(|kept| {
        json!({"fetched_at": kept.fetched_at, "status": kept.status, "digest": kept.hash,
            "page_is_kept": std::path::Path::new(&kept.archive).is_file()})
    });
    let rest = json!({
        "site": found.site, "class": found.class, "url": url, "record": nth, "read_in_run": found.read_run, "gone": found.gone,
        "page": fetched, "earlier": earlier.into_iter().take(5).collect::<Vec<_>>(),
    });
    Ok(page.answer("values", false, rest))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Findings {
    site: Option<String>,
    #[serde(default)]
    offset: usize,
}

async fn findings(server: &Server, arguments: Value) -> Result<Value> {
    let asked: Findings = read(arguments)?;
    let all = server.store.findings(asked.site.as_deref()).await?;
    let now: Vec<_> = all.into_iter().filter(|row| row.gone.is_none()).collect();
    let mut page = Page::from(asked.offset);
    let mut fit = 0;
    for row in now.iter().skip(asked.offset).take(ROWS) {
        let mut finding = row.finding.clone();
        shown_finding(&mut finding, &server.guard);
        if !page.add(&json!({"finding": finding, "first_seen": row.first_seen, "last_seen": row.last_seen})) {
            break;
        }
        fit += 1;
    }
    Ok(page.answer("findings", now.len() > asked.offset + fit, json!({"in_all": now.len()})))
}
