//! The whole job, kept in a database: `cargo run --package pagekin --example run -- URL DATABASE [ARCHIVE]`
//!
//! The same again goes on where it stopped, or asks only what may have changed.

use pagekin::run::{Local, RunSpec, Worker, plan};
use pagekin::store::Store;
use pagekin::{SourceSettings, Stop, discover};
use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (sample, database) = arguments.next().zip(arguments.next()).ok_or("give the address of a page, and a file")?;
    let source = SourceSettings { archives: arguments.map(PathBuf::from).collect(), ..SourceSettings::default() };
    let spec = RunSpec { hidden: true, ..RunSpec::of(&discover::Settings::default(), &source) };
    let store = Store::open(&database).await?;
    for planned in plan(&[sample.parse()?], false) {
        store.enqueue(&planned.new_run(&spec, None)?).await?;
    }
    let worker = Worker {
        store: store.clone(),
        pages: PathBuf::from(&database).with_extension("pages"),
        at_once: 1,
        lease: Duration::from_secs(30),
        stop: Stop::default(),
        publish: None,
        local: Local::of(&source),
    };
    for summary in worker.work(None, false, &|_, _| {}).await? {
        println!("{}: {}, {} pages, {} records", summary.site, summary.state, summary.pages, summary.records);
    }
    let query = "SELECT attribute, COUNT(*) FROM record_values GROUP BY attribute ORDER BY attribute";
    for row in store.query(query).await?.all().await? {
        println!("{}: {} values", row.text(0), row.int(1));
    }
    Ok(())
}
