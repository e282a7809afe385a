//! How much faster is a page read with a learned wrapper than learned from? Thread CPU time, one thread, parsing included.
//!
//! `cargo bench --workspace --bench=extract`: the pages of SWDE, for each thing that can be given. *Learning* is what
//! `pagekin extract` does without a wrapper: the pages are read and learned from, then read again and applied to.
//! *Applying* is what it does with `--wrapper`. *Parsing* is the part of both that no wrapper can save.

#[path = "support/data.rs"]
mod data;

use data::{read, thread_time};
use pagekin::extract::{self, Applied, Wanted, Wrapper};
use pagekin::page::Document;
use pagekin::pages::RawPage;
use pagekin_eval::extract::truth::Site;
use pagekin_eval::extract::{domains, examples};
use std::ops::AddAssign;

/// As in the binary.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The best of these counts.
const ROUNDS: usize = 3;

/// Seconds of CPU.
#[derive(Clone, Copy)]
struct Taken {
    parsing: f64,
    learning: f64,
    applying: f64,
}

impl AddAssign for Taken {
    fn add_assign(&mut self, other: Self) {
        self.parsing += other.parsing;
        self.learning += other.learning;
        self.applying += other.applying;
    }
}

fn main() {
    let Some(sites) = data::sites() else { return };
    let domains = domains(&sites, &data::repository().join("domains")).expect("domain files");
    println!("| given | parsing | learning | applying | ratio | pages/s applying |\n|---|---|---|---|---|---|");
    for given in ["domain files", "an example", "nothing"] {
        let mut all = Taken { parsing: 0.0, learning: 0.0, applying: 0.0 };
        let mut count = 0;
        for site in &sites {
            let pages = data::pages(site);
            let shown = examples(site, &pages);
            let wanted = match given {
                "domain files" => Wanted::Domain(&domains[site.vertical()]),
                "an example" => Wanted::Examples(&shown, 1),
                _ => Wanted::Nothing,
            };
            all += best(site, &pages, &wanted);
            count += pages.len();
        }
        let each = |seconds: f64| format!("{:.3} ms", seconds * 1000.0 / count as f64);
        let (ratio, speed) = (all.learning / all.applying, count as f64 / all.applying);
        let Taken { parsing, learning, applying } = all;
        println!("| {given} | {} | {} | {} | {ratio:.1} | {speed:.0} |", each(parsing), each(learning), each(applying));
    }
}

fn best(site: &Site, pages: &[RawPage], wanted: &Wanted) -> Taken {
    let mut best = Taken { parsing: f64::MAX, learning: f64::MAX, applying: f64::MAX };
    for _ in 0..ROUNDS {
        let (parsing, _) = timed(|| pages.iter().map(|page| read(page).len()).sum::<usize>());
        let (learning, wrapper) = timed(|| {
            let wrapper = learned(site, pages, wanted);
            apply(&Applied::new(wrapper.clone()).expect("a wrapper just learned"), pages);
            wrapper
        });
        let applied = Applied::new(wrapper).expect("a wrapper just learned");
        let (applying, _) = timed(|| apply(&applied, pages));
        best.parsing = best.parsing.min(parsing);
        best.learning = best.learning.min(learning);
        best.applying = best.applying.min(applying);
    }
    best
}

fn learned(site: &Site, pages: &[RawPage], wanted: &Wanted) -> Wrapper {
    let documents: Vec<Document> = pages.iter().map(read).collect();
    extract::learn(documents, wanted, &site.id).expect("the site can be learned")
}

fn apply(applied: &Applied, pages: &[RawPage]) -> usize {
    pages.iter().map(|page| applied.record(&page.url, &read(page), false).attributes.len()).sum()
}

fn timed<T>(work: impl FnOnce() -> T) -> (f64, T) {
    let start = thread_time();
    let done = work();
    ((thread_time() - start).as_secs_f64(), done)
}
