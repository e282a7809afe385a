//! How does `pagekin serve` bear a crowd? 200 clients (wrk) read pages all over a data set of 1,000,000 records while runs write to the database.
//!
//! ```sh
//! cargo xtask load
//! ```
//!
//! Prints what wrk measured, with the 95th percentile, the most memory the server had, and whether anything that was written meanwhile is
//! missing. `LOAD_DB=FILE` keeps the database for the next time.

use pagekin::store::{NewRun, RecordRow, Store};
use pagekin::{SourceSettings, Stop, Url};
use pagekin_web::demo;
use pagekin_web::serve::secrets::Secrets;
use pagekin_web::serve::{Settings, serve};
use serde_json::json;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tokio::net::TcpListener;

const RECORDS: usize = 1_000_000;
const CLIENTS: usize = 200;
const SECONDS: usize = 20;

/// Pages that are asked for, one after the other, all over the data set.
const SCRIPT: &str = r#"
local at = 0
request = function()
  at = (at * 7919 + 104729) % RECORDS
  local cursor = string.format('{"url":"http://load.example/thing/%07d","nth":0}', at)
  local after = cursor:gsub('[^%w]', function(c) return string.format('%%%02X', string.byte(c)) end)
  return wrk.format('GET', 'PATH' .. after, { ['Authorization'] = 'Bearer TOKEN' })
end
done = function(summary, latency, requests)
  io.write(string.format('p50 %.1f ms, p95 %.1f ms, p99 %.1f ms, %d requests, %.0f a second, %d errors\n', latency:percentile(50) / 1000,
    latency:percentile(95) / 1000, latency:percentile(99) / 1000, summary.requests, summary.requests / (summary.duration / 1e6),
    summary.errors.status + summary.errors.connect + summary.errors.read + summary.errors.write + summary.errors.timeout))
end
"#;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("pagekin-load-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let db = std::env::var_os("LOAD_DB").map_or_else(|| folder.join("load.db"), PathBuf::from);
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let done = runtime.block_on(measured(&folder, &db));
    std::fs::remove_dir_all(&folder)?;
    done
}

fn thing(n: usize) -> RecordRow {
    let texts = [("name", format!("Thing number {n}")), ("colour", ["red", "green", "blue"][n % 3].to_owned())];
    let mut attributes: BTreeMap<String, Vec<String>> =
        texts.into_iter().map(|(name, text)| (name.to_owned(), vec![text])).collect();
    let price = format!("{}.50", n * 7919 % 100_000);
    attributes.insert("price".to_owned(), vec![format!("{price} EUR")]);
    let place = |name: &str| json!({"path": format!("html/body/main/dl/dd.{name}"), "raw": name, "source": "place", "confidence": 0.9});
    let mut evidence = json!({"name": place("name"), "colour": place("colour"), "price": place("price")});
    evidence["price"]["type"] = json!({"kind": "money", "normal": format!("EUR {price}")});
    let url = Url::parse(&format!("http://load.example/thing/{n:07}")).expect("an address");
    RecordRow { url, nth: 0, attributes, evidence, confidence: 0.9 }
}

/// The data set that is read.
async fn filled(store: &Store) -> Outcome<i64> {
    if let Some(class) = store.class_list(None).await?.into_iter().find(|class| class.site == "load.example") {
        return Ok(class.id);
    }
    let sample = Url::parse("http://load.example/thing/0000000")?;
    let new = NewRun {
        site: "load.example".to_owned(),
        url: sample.clone(),
        samples: vec![sample.clone()],
        settings: json!({}),
        batch: None,
        private: false,
    };
    store.enqueue(&new).await?;
    let run = store.claim("load", Duration::from_secs(3600), None, 1).await?.remove(0);
    let class = store.new_class(run.site_id, "things", &[sample]).await?;
    store.set_class(&run, class.id).await?;
    for start in (0..RECORDS).step_by(10_000) {
        store.put_records(&run, class.id, &(start..start + 10_000).map(thing).collect::<Vec<_>>()).await?;
    }
    store.finish(&run, pagekin::store::State::Done, Some(&json!({"records": RECORDS})), None).await?;
    Ok(class.id)
}

async fn measured(folder: &Path, db: &Path) -> Outcome<()> {
    let store = Store::open(&db.to_string_lossy()).await?;
    let began = Instant::now();
    let class = filled(&store).await?;
    println!("{RECORDS} records in `{}` after {:.0} s", db.display(), began.elapsed().as_secs_f64());
    let site = TcpListener::bind("127.0.0.1:0").await?;
    let sample = format!("http://{}{}", site.local_addr()?, demo::Site::new().sample());
    tokio::spawn(demo::serve(site, std::future::pending()));
    let (listener, secrets, stop) = (TcpListener::bind("127.0.0.1:0").await?, Secrets::new()?, Stop::default());
    let (address, token) = (listener.local_addr()?, secrets.token().to_owned());
    let settings = Settings {
        store: store.clone(),
        pages: folder.join("pages"),
        secrets,
        privacy: Default::default(),
        source: SourceSettings { delay: Some(Duration::from_millis(20)), ..SourceSettings::default() },
        publish: None,
        stop: stop.clone(),
        at_once: 1,
        remote: None,
        local: Default::default(),
    };
    let server = tokio::spawn(serve(listener, settings));
    let base = format!("http://{address}");
    let result = tokio::task::spawn_blocking(move || crowd(&base, &token, class, &sample)).await?;
    stop.stop();
    server.await??;
    result.map_err(|error| error.to_string())?;
    let lost: i64 = RECORDS as i64 - store.count_records(class).await? as i64;
    let others: Vec<_> = store.class_list(None).await?.into_iter().filter(|own| own.id != class).collect();
    let written: Vec<String> = others.iter().map(|own| format!("{} records", own.records.unwrap_or(0))).collect();
    println!("records lost: {lost}; the run beside it wrote {} (of 168)", written.join(", "));
    Ok(())
}

/// What the clients see, and what the server needs.
fn crowd(base: &str, token: &str, class: i64, sample: &str) -> Result<(), String> {
    let curl = |path: &str, more: &[&str]| {
        let bearer = format!("Authorization: Bearer {token}");
        let mut command = Command::new("curl");
        command.args(["-s", "-w", "\n%{time_total}", "-H", &bearer]).args(more).arg(format!("{base}{path}"));
        let told = command.output().map_err(|error| format!("curl: {error}"))?;
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        let (body, seconds) =
            told.rsplit_once('\n').map(|(body, seconds)| (body.to_owned(), seconds.to_owned())).unwrap_or_default();
        Ok::<(String, String), String>((body, seconds))
    };
    for (name, path) in [
        ("first page", format!("/data/{class}")),
        ("first page again", format!("/data/{class}")),
        ("a word that one record has", format!("/data/{class}?q=number+777777")),
        ("a facet", format!("/data/{class}?f=name:Thing+number+777777")),
        ("by text, the first time", format!("/data/{class}?sort=name")),
        ("by text, then", format!("/data/{class}?sort=name")),
        ("by number, the first time", format!("/data/{class}?sort=price&number=1&desc=1")),
        ("by number, then", format!("/data/{class}?sort=price&number=1&desc=1")),
    ] {
        println!("{name}: {} s", curl(&path, &[])?.1);
    }
    let body = json!({"url": sample}).to_string();
    let queued = curl("/api/runs", &["-H", "Content-Type: application/json", "-d", &body])?.0;
    println!("a run beside it: {queued}");
    let script = std::env::temp_dir().join(format!("pagekin-load-{}.lua", std::process::id()));
    let text = SCRIPT.replace("RECORDS", &RECORDS.to_string()).replace("TOKEN", token);
    std::fs::write(&script, text.replace("PATH", &format!("/data/{class}?after=")))
        .map_err(|error| error.to_string())?;
    let wrk = Command::new("wrk")
        .args(["-t1", &format!("-c{CLIENTS}"), &format!("-d{SECONDS}s"), "--latency", "-s"])
        .arg(&script)
        .arg(base)
        .output()
        .map_err(|error| format!("wrk: {error}; hint: apt-get install wrk"))?;
    println!("{}{}", String::from_utf8_lossy(&wrk.stdout), String::from_utf8_lossy(&wrk.stderr));
    for _ in 0..600 {
        if curl("/api/runs?state=done&q=127.0.0.1", &[])?.0.contains("\"done\"") {
            break;
        }
        std::thread::sleep(Duration::from_millis(200));
    }
    let memory = pagekin::peak_memory();
    println!("most memory, with filling the database: {memory:?} bytes");
    std::fs::remove_file(&script).map_err(|error| error.to_string())
}
