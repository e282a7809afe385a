//! Do workers share a queue without harm? Four of them on 40 sites, two killed on the way, one PostgreSQL. How many of them does a database hold?

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::postgres::Postgres;
use pagekin_testkit::server::{Server, Site, Visit};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SITES: u8 = 40;
const ITEMS: usize = 12;
const DELAY: Duration = Duration::from_millis(150);

/// Between the start of a request here and its arrival there lies a busy machine.
const TOLERANCE: Duration = Duration::from_millis(60);

/// A shop of its own address: the pace is that of a host.
fn shop(number: u8) -> Site {
    let items: String = (1..=ITEMS).map(|id| format!("<li><a href=\"/item/{id}\">Thing {id}</a></li>")).collect();
    let index = format!(
        "<html><body><h1>Shop {number}</h1><p><a href=\"/about\">About us</a> \
                         <a href=\"/terms\">Terms</a></p><ul class=items>{items}</ul></body></html>"
    );
    let text =
        |title: &str| format!("<html><body><h1>{title}</h1><div><p>We sell things.<p>And more.</div></body></html>");
    let page = |id: usize| {
        let price = usize::from(number) * 100 + id;
        format!(
            "<html><body><p><a href=\"/\">Shop {number}</a></p><h1>Thing {id}</h1><table><tr><th>Price<td>{price} EUR\
             <tr><th>Weight<td>{} g<tr><th>Colour<td>{}</table></body></html>",
            id * 7 + usize::from(number),
            ["red", "green", "blue"][id % 3]
        )
    };
    let server = Server::new().page("/", index).page("/about", text("About us")).page("/terms", text("Terms"));
    let server = server.on(IpAddr::from([127, 0, 1, number]));
    (1..=ITEMS).fold(server, |server, id| server.page(&format!("/item/{id}"), page(id))).start()
}

fn worker(db: &str, pages: &str) -> Child {
    let mut command = Command::new(pagekin().get_program());
    command.args(["worker", "--until-empty", "--lease", "3s", "--db", db, "--pages", pages]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn query(db: &str, sql: &str) -> Vec<String> {
    let output = pagekin().args(["query", sql, "--db", db]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stdout(&output).lines().map(str::to_owned).collect()
}

#[test]
fn four_workers_of_which_two_are_killed_do_every_site_once() {
    let Some(postgres) = Postgres::or_skip() else { return };
    let (folder, db) = (tempfile::tempdir().unwrap(), postgres.url());
    let pages = folder.path().join("pages").to_string_lossy().into_owned();
    let shops: Vec<Site> = (1..=SITES).map(shop).collect();
    let samples: Vec<String> = shops.iter().map(|shop| shop.url("/item/5")).collect();
    let list = folder.path().join("samples.txt");
    std::fs::write(&list, samples.join("\n")).unwrap();
    let queued = pagekin()
        .args(["run", "--queue", "--delay", "150ms", "--db", &db, "--urls", &list.to_string_lossy()])
        .output()
        .unwrap();
    assert_eq!(queued.status.code(), Some(0), "{}", stderr(&queued));

    let mut workers: Vec<Child> = (0..4).map(|_| worker(&db, &pages)).collect();
    for pause in [1500, 1200] {
        std::thread::sleep(Duration::from_millis(pause));
        let mut killed = workers.remove(0);
        assert!(killed.try_wait().unwrap().is_none(), "it ended before it could be killed");
        killed.kill().unwrap();
        killed.wait().unwrap();
    }
    let taken_over = query(&db, "SELECT id FROM runs WHERE attempt > 0 AND state = 'running'");
    assert!(!taken_over.is_empty());
    workers.iter_mut().for_each(|worker| assert!(worker.wait().unwrap().success()));

    let states = query(&db, "SELECT state, COUNT(*) AS n FROM runs GROUP BY state");
    assert_eq!(states, [format!("{{\"n\":{SITES},\"state\":\"done\"}}")]);
    let records = query(&db, "SELECT site, COUNT(*) AS n FROM current_records GROUP BY site ORDER BY site");
    assert_eq!(records.len(), usize::from(SITES), "{records:?}");
    assert!(records.iter().all(|line| line.contains(&format!("\"n\":{ITEMS},"))), "{records:?}");
    let tries = query(&db, "SELECT attempt FROM runs WHERE attempt > 1");
    assert!(!tries.is_empty(), "what the killed ones had begun was taken over");
    for shop in &shops {
        keeps_its_pace(&shop.log());
        asked_once(shop);
    }
}

fn keeps_its_pace(log: &[Visit]) {
    for pair in log.windows(2) {
        let gap = pair[1].at - pair[0].at;
        assert!(gap + TOLERANCE >= DELAY, "{gap:?} between `{}` and `{}`", pair[0].target, pair[1].target);
    }
}

/// What was under way when a worker was killed was not stored and may be asked again, robots.txt by each who comes.
fn asked_once(shop: &Site) {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    shop.targets().into_iter().for_each(|target| *counts.entry(target).or_default() += 1);
    counts.remove("/robots.txt");
    let twice = counts.values().filter(|count| **count > 1).count();
    assert!(twice <= 4 && counts.values().all(|count| *count <= 2), "{counts:?}");
}

/// A worker has so many sites under way unless told otherwise.
const AT_ONCE: usize = 4;

/// Workers with four sites each, all at the pace of a polite reader, until the database holds them no more.
#[test]
#[ignore = "measures: `cargo xtask workers`"]
fn how_many_workers_a_database_holds() {
    let shops: Vec<Site> = (1..=200).map(shop).collect();
    eprintln!(
        "| workers | sites | s | requests/s | most connections (of 100) | processor s of the database for 1,000 requests | runs |"
    );
    eprintln!("|---|---|---|---|---|---|---|");
    for workers in [1, 4, 8, 12, 16, 24] {
        measured(workers, &shops[..workers * AT_ONCE]);
    }
}

fn measured(workers: usize, shops: &[Site]) {
    let Some(postgres) = Postgres::or_skip() else { return };
    let (folder, db) = (tempfile::tempdir().unwrap(), postgres.url());
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let samples: Vec<String> = shops.iter().map(|shop| shop.url("/item/5")).collect();
    std::fs::write(at("samples.txt"), samples.join("\n")).unwrap();
    let list = at("samples.txt");
    let queued = pagekin().args(["run", "--queue", "--delay", "1s", "--db", &db, "--urls", &list]).output().unwrap();
    assert!(queued.status.success(), "{}", stderr(&queued));
    let asked = || shops.iter().map(|shop| shop.log().len()).sum::<usize>();
    let (before, processor, began) = (asked(), postgres.processor_seconds(), Instant::now());
    let mut running: Vec<Child> = (0..workers).map(|_| worker(&db, &at("pages"))).collect();
    let mut most = 0;
    while running.iter_mut().any(|worker| worker.try_wait().unwrap().is_none()) {
        most = most.max(postgres.connections());
        std::thread::sleep(Duration::from_millis(100));
    }
    let (seconds, requests) = (began.elapsed().as_secs_f64(), asked() - before);
    let states = query(&db, "SELECT state, COUNT(*) AS n FROM runs GROUP BY state ORDER BY state").join(" ");
    eprintln!(
        "| {workers} | {} | {seconds:.1} | {:.0} | {most} | {:.2} | {states} |",
        shops.len(),
        requests as f64 / seconds,
        (postgres.processor_seconds() - processor) * 1000.0 / requests as f64
    );
    let records = query(&db, "SELECT COUNT(*) AS n FROM current_records").join(" ");
    assert!(records.contains(&format!("\"n\":{}", shops.len() * ITEMS)), "{records}");
}
