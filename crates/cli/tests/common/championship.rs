//! The demo site on the test server: with an access log, ETags, pages that change, and answers that fail to come.

use pagekin_testkit::server::{Reply, Server, Site};
use pagekin_web::demo;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

pub struct Championship {
    pub site: Site,
    pages: Arc<Mutex<BTreeMap<String, String>>>,
    patience: Arc<Mutex<Patience>>,
}

/// Answers still given before the site falls silent, and requests that wait since.
struct Patience {
    left: usize,
    waiting: usize,
}

impl Championship {
    pub fn start() -> Self {
        let pages = Arc::new(Mutex::new(walk()));
        let patience = Arc::new(Mutex::new(Patience { left: usize::MAX, waiting: 0 }));
        // Pages that come later are on pages two and three of lists, and in years, that are not there yet.
        let mut targets: Vec<String> = pages.lock().unwrap().keys().cloned().collect();
        targets.extend(["/drivers/2015/?page=3", "/drivers/2019/"].map(str::to_owned));
        let server = targets.into_iter().fold(Server::new(), |server, target| {
            let (pages, patience, of) = (pages.clone(), patience.clone(), target.clone());
            server.route(&target, move |asked| {
                let body = pages.lock().unwrap().get(&of).cloned();
                let delay = if patience.lock().unwrap().take() { Duration::ZERO } else { Duration::from_secs(600) };
                body.map_or_else(|| Reply::status(404), |body| tagged(&body, asked.header("if-none-match")))
                    .after(delay)
            })
        });
        Self { site: server.robots("User-agent: *\nDisallow: /private/\n").start(), pages, patience }
    }

    /// Answers so many more requests, and then none until told otherwise.
    pub fn silent_after(&self, answers: usize) {
        *self.patience.lock().unwrap() = Patience { left: answers, waiting: 0 };
    }

    /// Waits until somebody waits for an answer that does not come.
    pub fn wait_for_silence(&self) {
        let start = Instant::now();
        while self.patience.lock().unwrap().waiting == 0 {
            assert!(start.elapsed() < Duration::from_secs(120), "so many answers were not asked for");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn sample(&self) -> String {
        self.site.url(&demo::Site::new().sample())
    }

    pub fn page(&self, target: &str) -> String {
        self.pages.lock().unwrap()[target].clone()
    }

    pub fn set(&self, target: &str, body: String) {
        self.pages.lock().unwrap().insert(target.to_owned(), body);
    }

    /// What was asked since the log had this length; robots.txt is no page.
    pub fn asked_since(&self, length: usize) -> Vec<String> {
        self.site.targets().split_off(length).into_iter().filter(|target| target != "/robots.txt").collect()
    }
}

impl Patience {
    fn take(&mut self) -> bool {
        let some = self.left > 0;
        self.left = self.left.saturating_sub(1);
        self.waiting += usize::from(!some);
        some
    }
}

fn tagged(body: &str, known: &str) -> Reply {
    let tag = format!("\"{:x}-{}\"", body.bytes().fold(7u64, |sum, b| sum.wrapping_mul(31) + u64::from(b)), body.len());
    let reply = if known == tag { Reply::status(304) } else { Reply::html(body.to_owned()) };
    reply.header("etag", tag)
}

/// Every page links lead to from the home page.
fn walk() -> BTreeMap<String, String> {
    let (site, mut seen, mut waiting) = (demo::Site::new(), BTreeMap::new(), VecDeque::from(["/".to_owned()]));
    while let Some(path) = waiting.pop_front() {
        if let Entry::Vacant(unseen) = seen.entry(path) {
            let body = site.page(unseen.key()).expect("no dead links").body;
            let links = body.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next());
            waiting.extend(links.map(|link| link.replace("&amp;", "&")));
            unseen.insert(body);
        }
    }
    seen
}
