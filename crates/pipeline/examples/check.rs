//! Is what the records say true? `cargo run --package pagekin --example check -- RECORDS.jsonl REFERENCE RULES.toml`
//!
//! With the files of this repository: `examples/drugs/offers.jsonl examples/drugs/approved.csv examples/drugs/rules.toml`

use pagekin::check::{Judge, listed, rules};
use pagekin::{Stop, check_job, reference};
use std::error::Error;
use std::fs::File;
use std::io::BufReader;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [records, known, rules] = arguments.as_slice() else {
        return Err("give records, a reference and rules".into());
    };
    let rules = rules::parse(&std::fs::read_to_string(rules)?).map_err(|troubles| listed(&troubles))?;
    let judge = Judge::new(&rules, reference::open(known).await?).map_err(|troubles| listed(&troubles))?;
    let mut print = |findings: Vec<pagekin::check::Finding>| {
        findings.iter().for_each(|finding| println!("{}: {}", finding.conclusion, finding.because));
        Ok(())
    };
    let (done, _) = check_job(&mut BufReader::new(File::open(records)?), &judge, &Stop::default(), &mut print)?;
    println!("{} records, {} findings", done.records, done.findings);
    Ok(())
}
