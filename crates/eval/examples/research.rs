use pagekin::discover::kin::params::Params;
use pagekin::discover::{Method, Settings};
use pagekin_eval::{Corpus, Options, fit, measure};
use std::path::Path;
use std::sync::Arc;
#[global_allocator]
static GLOBAL: mimalloc::MiMalloc = mimalloc::MiMalloc;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let samples: usize = args[1].parse().unwrap();
    let folds: usize = args[2].parse().unwrap();
    let only: Vec<String> = args.get(3).map(|s| s.split(',').map(str::to_owned).collect()).unwrap_or_default();
    let dir = Path::new("/work/shared/data/sites");
    let all = Corpus::read(dir, &[]).unwrap();
    let out = std::env::var("OUT").unwrap_or("/tmp/params".into());
    std::fs::create_dir_all(&out).unwrap();
    let refit = std::env::var("FIT").is_ok();
    let begin = std::time::Instant::now();
    if refit {
        let start = match std::env::var("START") { Ok(f) => serde_json::from_str(&std::fs::read_to_string(f).unwrap()).unwrap(), _ => Params::unfitted() };
        let shared = Arc::new(start.clone());
        let rows: Vec<Vec<fit::KindRows>> = all.sites.iter().map(|site| { let r = fit::collect_site(site, 3, &shared).unwrap(); eprintln!("{} {:?} {:.0}s", site.id, r.iter().map(|k| (k.content.len(), k.states.len())).collect::<Vec<_>>(), begin.elapsed().as_secs_f64()); r }).collect();
        for fold in 0..=folds {
            let kinds: Vec<&fit::KindRows> = rows.iter().enumerate().filter(|(at, _)| fold == folds || at % folds != fold).flat_map(|(_, k)| k).collect();
            let params = fit::fit(&kinds, &start);
            std::fs::write(format!("{out}/{fold}.json"), serde_json::to_string_pretty(&params).unwrap()).unwrap();
            eprintln!("fold {fold} {:.0}s", begin.elapsed().as_secs_f64());
            for (at, site) in all.sites.iter().enumerate().filter(|(at, _)| at % folds == fold) {
                for (k, r) in site.kinds.iter().zip(&rows[at]) { if let Some((a, r, l)) = fit::content_quality(r, &params) { eprintln!("Q {:22.22} {:12.12} auc {a:.3} right {r:.3} loss {l:.3}", site.id, k.name); } }
            }
        }
    }
    let mut rows = Vec::new();
    for fold in 0..folds {
        let ids: Vec<String> = all.sites.iter().enumerate().filter(|(at, s)| at % folds == fold && (only.is_empty() || only.contains(&s.id))).map(|(_, s)| s.id.clone()).collect();
        if ids.is_empty() { continue; }
        let params: Params = std::fs::read_to_string(format!("{out}/{fold}.json")).ok().and_then(|t| serde_json::from_str(&t).ok()).unwrap_or_else(Params::unfitted);
        let corpus = Corpus::read(dir, &ids).unwrap();
        let settings = Settings { params: Arc::new(params), budget: Some(std::env::var("BUDGET").map_or(500, |b| b.parse().unwrap())), ..Settings::default() };
        let options = Options { methods: vec![Method::Kin], samples: Some(samples), jobs: 2, settings, failures: std::env::var("FAIL").ok().map(|n| n.parse().unwrap()), stop: Default::default() };
        let report = measure(&corpus, &options, &|_| {}).unwrap();
        for f in &report.failures { println!("## {} {} {} missed {} wrong {}", f.site, f.kind, f.sample, f.missed_count, f.wrong_count); for x in &f.missed { println!("   missed {} : {}", x.url, x.reason); } for x in &f.wrong { println!("   wrong {} : {}", x.url, x.reason); } }
        rows.extend(report.rows);
    }
    rows.sort_by(|a, b| (&a.site, &a.kind).cmp(&(&b.site, &b.kind)));
    for r in &rows { println!("{:22.22} {:14.14} n={:5} F1 {:.3} P {:.3} R {:.3} spread {:.3} found {:7.1} dl {:6.1} a page {:.2} err {}", r.site, r.kind, r.truth, r.f1, r.precision, r.recall, r.f1_spread, r.found, r.downloads, r.downloads_per_page.unwrap_or(99.0), r.errors.len()); }
    let mean = |f: &dyn Fn(&pagekin_eval::report::Row) -> f64| rows.iter().map(f).sum::<f64>() / rows.len() as f64;
    let mut dl: Vec<f64> = rows.iter().map(|r| r.downloads_per_page.unwrap_or(99.0)).collect();
    dl.sort_by(f64::total_cmp);
    println!("ALL kinds {} F1 {:.3} P {:.3} R {:.3} spread {:.3} below half {:.3} median dl {:.2} mean downloads {:.0} seconds {:.0}", rows.len(), mean(&|r| r.f1), mean(&|r| r.precision), mean(&|r| r.recall), mean(&|r| r.f1_spread), mean(&|r| f64::from(u8::from(r.f1 < 0.5))), dl[dl.len() / 2], mean(&|r| r.downloads), begin.elapsed().as_secs_f64());
}
