//! What does keeping cost? A run on an archive, and what of its processor time is the database's; a million records in
//! SQLite, and how long a look-up by address takes.
//!
//! `cargo bench --workspace --bench=store`; `PAGEKIN_RECORDS=100000` makes fewer records.

use pagekin::run::{Local, RunSpec, Worker, plan};
use pagekin::store::{NewRun, RecordRow, Run, Store};
use pagekin::{SourceSettings, Stop, Url, cpu_seconds, discover, peak_memory};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const LOOK_UPS: usize = 2000;

fn main() {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        share().await;
        look_ups().await;
    });
}

/// Of a run on an archive: discovery, hidden pages, extraction, everything stored.
async fn share() {
    let data = std::env::var_os("PAGEKIN_DATA").map_or_else(|| PathBuf::from("../../../shared/data"), PathBuf::from);
    let folder = data.join("sites/f1_pitlanestats");
    let Ok(about) = std::fs::read_to_string(folder.join("meta.json")) else {
        println!("SKIPPED: no real site in `{}`; hint: set PAGEKIN_DATA", folder.display());
        return;
    };
    let about: serde_json::Value = serde_json::from_str(&about).expect("JSON");
    let sample = sample(&about).expect("a sample in meta.json");
    let here = tempfile::tempdir().expect("a folder");
    let store = Store::open(&here.path().join("p.db").to_string_lossy()).await.expect("a database");
    let source = SourceSettings { archives: vec![folder.join("site.warc.gz")], ..SourceSettings::default() };
    let spec = RunSpec::of(&discover::Settings::default(), &source);
    let new = plan(&[sample], false)[0].new_run(&spec, None).expect("a run");
    store.enqueue(&new).await.expect("queued");
    let worker = Worker {
        store: store.clone(),
        pages: here.path().join("pages"),
        at_once: 1,
        lease: Duration::from_secs(30),
        publish: None,
        stop: Stop::default(),
        local: Local::of(&source),
    };
    let before = cpu_seconds().unwrap_or_default();
    let done = worker.work(None, false, &|_, _| {}).await.expect("a run");
    let (all, own) = (cpu_seconds().unwrap_or_default() - before, store.cpu_seconds().unwrap_or_default());
    let run = &done[0];
    println!("run on an archive: {} {} pages, {} records", run.state, run.pages, run.records);
    println!("  processor time {all:.2} s, of which the database {own:.2} s: {:.1} %", own / all * 100.0);
}

/// The first address in the file that looks like a sample.
fn sample(about: &serde_json::Value) -> Option<Url> {
    match about {
        serde_json::Value::Object(map) => {
            let named = map.iter().filter(|(name, _)| name.contains("sample"));
            named.map(|(_, value)| value).chain(map.values()).find_map(sample)
        }
        serde_json::Value::Array(all) => all.iter().find_map(sample),
        serde_json::Value::String(text) => Url::parse(text).ok().filter(|url| url.path().len() > 1),
        _ => None,
    }
}

async fn look_ups() {
    let count: usize = std::env::var("PAGEKIN_RECORDS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_000_000);
    let here = tempfile::tempdir().expect("a folder");
    let path = here.path().join("p.db");
    let store = Store::open(&path.to_string_lossy()).await.expect("a database");
    let run = claimed(&store).await;
    let class = store.new_class(run.site_id, "items", &run.samples).await.expect("a class");
    let began = Instant::now();
    for first in (0..count).step_by(10_000) {
        let records: Vec<RecordRow> = (first..(first + 10_000).min(count)).map(record).collect();
        store.put_records(&run, class.id, &records).await.expect("stored");
    }
    let seconds = began.elapsed().as_secs_f64();
    println!("{count} records in {seconds:.1} s ({:.0} a second), {} MB on disk", count as f64 / seconds, size(&path));
    let sql = "SELECT attributes FROM records WHERE url = $1";
    let mut times = Vec::new();
    for number in 0..LOOK_UPS {
        let wanted = number * 7_919 % count;
        let began = Instant::now();
        let found = store.one(sql, vec![(&address(wanted)).into()]).await.expect("found");
        times.push(began.elapsed());
        assert_eq!(found.rows.len(), 1);
    }
    times.sort();
    let at = |share: f64| times[(times.len() as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!("  look-up by address: median {:.3} ms, p95 {:.3} ms, p99 {:.3} ms", at(0.5), at(0.95), at(0.99));
    println!("  peak memory {} MB", peak_memory().unwrap_or_default() / 1_000_000);
}

async fn claimed(store: &Store) -> Run {
    let sample = address(1);
    let new = NewRun {
        site: "shop.example.org".to_owned(),
        url: sample.clone(),
        samples: vec![sample],
        settings: serde_json::json!({}),
        batch: None,
        private: false,
    };
    store.enqueue(&new).await.expect("queued");
    store.claim("bench", Duration::from_secs(3600), None, 1).await.expect("claimed").remove(0)
}

fn address(number: usize) -> Url {
    Url::parse(&format!("http://shop.example.org/category-{}/item/{number}", number % 97)).expect("an address")
}

fn record(number: usize) -> RecordRow {
    let value = |name: &str, text: String| (name.to_owned(), vec![text]);
    RecordRow {
        url: address(number),
        nth: 0,
        attributes: BTreeMap::from([
            value("name", format!("Thing number {number}")),
            value("price", format!("{}.99 EUR", number % 1000)),
            value("weight", format!("{} g", number % 531)),
            value("maker", format!("Maker {}", number % 4001)),
        ]),
        evidence: serde_json::json!({"name": {"path": "html/body/main/h1", "source": "title", "confidence": 0.9}}),
        confidence: 0.9,
    }
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |about| about.len() / 1_000_000)
}
