use pagekin::discover::{Settings, kin::params::Params};
use pagekin::{Archive, Source, Url, discover_job};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let archive = Archive::open(&[format!("/work/shared/data/sites/{}/site.warc.gz", args[1]).into()]).unwrap();
    let params: Params = serde_json::from_str(&std::fs::read_to_string(&args[3]).unwrap()).unwrap();
    let settings = Settings { params: std::sync::Arc::new(params), budget: Some(args.get(4).map_or(60, |b| b.parse().unwrap())), ..Settings::default() };
    let source = Source::of_archive(archive, Default::default());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let (found, _) = runtime.block_on(discover_job(&source, &[Url::parse(&args[2]).unwrap()], &settings)).unwrap();
    for step in &found.steps { println!("{} -> {}", step.title, step.lines.join(" ")); }
    println!("found {} of {} addresses, downloads {} skipped {} stopped {:?}", found.entities.len(), found.addresses, found.downloads, found.skipped.len(), found.stopped);
    for d in found.dropped.iter().step_by(found.dropped.len() / 40 + 1) { println!("dropped {} {}", d.url, d.why); }
    for d in found.entities.iter().step_by(found.entities.len() / 40 + 1) { println!("taken {} {:?} {}", d.url, d.confidence, d.evidence); }
}
