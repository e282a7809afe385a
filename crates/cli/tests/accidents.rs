//! Would I notice if it went wrong next week? A shop that is run again after 20 accidents and after 20 harmless changes: every accident is told
//! and held back, no change is.

mod common;

use common::shop::{Product, Shelf, Shop};
use common::{pagekin, stderr, stdout};
use pagekin_testkit::server::Reply;
use serde_json::Value;
use std::path::Path;
use tempfile::TempDir;

const PRODUCTS: usize = 60;

/// A database as it was after two runs of the shop, copied for each change.
struct Known {
    shop: Shop,
    folder: TempDir,
}

/// What a run of the changed shop came to.
struct After {
    code: i32,
    summary: Value,
    stderr: String,
    /// Addresses and values of the records that are current.
    records: String,
}

impl After {
    fn missed(&self) -> Vec<String> {
        let missed = self.summary["missed"].as_array().cloned().unwrap_or_default();
        missed.iter().map(|one| one["expectation"].as_str().unwrap_or_default().to_owned()).collect()
    }
}

impl Known {
    fn new() -> Self {
        let (shop, folder) = (Shop::start(yesterday()), tempfile::tempdir().unwrap());
        let known = Self { shop, folder };
        assert_eq!(known.run("known", &[]).code, 0);
        known.shop.set(Shelf::new(PRODUCTS));
        let second = known.run("known", &["--recheck"]);
        assert_eq!((second.code, second.summary["records"].as_u64()), (0, Some(PRODUCTS as u64)), "{}", second.stderr);
        known
    }

    fn db(&self, name: &str) -> String {
        self.folder.path().join(format!("{name}.db")).to_string_lossy().into_owned()
    }

    fn run(&self, name: &str, arguments: &[&str]) -> After {
        let (db, pages) = (self.db(name), self.folder.path().join(format!("{name}.pages")));
        let mut command = pagekin();
        command.args(["run", &self.shop.sample(), "--db", &db, "--format", "json", "--timeout", "3s", "--pages"]);
        let output = command.arg(&pages).args(arguments).output().unwrap();
        let summary: Value = serde_json::from_str(&stdout(&output)).unwrap_or_default();
        let summary = summary.get(0).cloned().unwrap_or(summary);
        After { code: output.status.code().unwrap(), summary, stderr: stderr(&output), records: self.records(&db) }
    }

    fn records(&self, db: &str) -> String {
        let sql = "SELECT url, attributes FROM current_records ORDER BY url";
        stdout(&pagekin().args(["query", sql, "--db", db, "--format", "jsonl"]).output().unwrap())
    }

    /// The shop as it is after the change, run again from what was known.
    fn after(&self, name: &str, change: fn(&mut Shelf), arguments: &[&str]) -> After {
        let copy = self.db(name);
        for part in ["", "-wal"].map(|ending| (self.db("known") + ending, copy.clone() + ending)) {
            if Path::new(&part.0).exists() {
                std::fs::copy(&part.0, &part.1).unwrap();
            }
        }
        let mut shelf = Shelf::new(PRODUCTS);
        change(&mut shelf);
        self.shop.set(shelf);
        self.run(name, arguments)
    }
}

/// What the shop showed before it showed what it shows now: other prices and dates.
fn yesterday() -> Shelf {
    let mut shelf = Shelf::new(PRODUCTS);
    for one in &mut shelf.products {
        one.price = format!("{}.50 EUR", 10 + one.id);
        one.added = format!("2025-{:02}-{:02}", 1 + one.id % 9, 1 + one.id % 27);
    }
    shelf
}

fn is_product(path: &str) -> bool {
    path.starts_with("/product/")
}

/// Is it the page of every fourth product?
fn fourth(path: &str) -> bool {
    let digits: String = path.chars().filter(char::is_ascii_digit).collect();
    digits.parse::<usize>().unwrap_or(1).is_multiple_of(4)
}

fn notice(title: &str, text: &str) -> Reply {
    Reply::html(format!("<html><head><title>{title}</title></head><body><h1>{title}</h1><p>{text}</p></body></html>"))
}

const LOGIN: &str = "<form action=\"/in\"><label>Name <input name=u></label><label>Password <input type=password name=p></label></form>";

type Change = (&'static str, fn(&mut Shelf));

/// In which form each is told is not asked: what a login wall is called is tested beside the code.
const ACCIDENTS: [Change; 20] = [
    ("half of the lists gone", |shelf| {
        shelf.answer = |path, _, page| match path {
            "/products/?page=3" | "/products/?page=4" | "/products/?page=5" => {
                Reply::html("<h1>Not found</h1>").with_status(404)
            }
            _ => Reply::html(page),
        };
    }),
    ("lists fail", |shelf| {
        shelf.answer = |path, _, page| if path.contains("page=") { Reply::status(500) } else { Reply::html(page) };
    }),
    ("column moved", |shelf| {
        for one in &mut shelf.products {
            std::mem::swap(&mut one.price, &mut one.maker);
        }
    }),
    ("login wall", |shelf| {
        shelf.answer = |path, _, page| {
            if is_product(path) { Reply::html(format!("<h1>Please log in</h1>{LOGIN}")) } else { Reply::html(page) }
        };
    }),
    ("captcha", |shelf| {
        shelf.answer = |path, _, page| {
            if is_product(path) {
                notice("One moment", "Are you a person? <span class=\"g-recaptcha\" data-sitekey=x></span>")
            } else {
                Reply::html(page)
            }
        };
    }),
    ("soft 404", |shelf| {
        shelf.answer = |path, _, page| {
            if is_product(path) { notice("Sorry", "This product could not be found.") } else { Reply::html(page) }
        };
    }),
    ("emptied site", |shelf| shelf.products.clear()),
    ("template change", |shelf| {
        shelf.facts = |_, one| {
            format!(
                "<div class=x1><p>{}</p><p>{} / {}</p></div><section><em>{}</em></section>",
                one.about, one.weight, one.added, one.maker
            )
        };
    }),
    ("wrong language", |shelf| {
        shelf.words = ["Produkte", "Preis", "Gewicht", "Hersteller", "Seit", "Beschreibung"];
        for one in &mut shelf.products {
            one.name = format!("Das Stück Nummer {}", one.id);
            one.about = format!("Ein altes Stück aus dem Raum {}.", one.id);
            one.maker = format!("Werkstatt {}", one.id % 7);
            one.price = one.price.replace('.', ",");
        }
    }),
    ("stale copy", |shelf| *shelf = yesterday()),
    ("rate limit", |shelf| {
        shelf.answer = |path, _, page| {
            if is_product(path) {
                notice("Too many requests", "Slow down, please.").with_status(403)
            } else {
                Reply::html(page)
            }
        };
    }),
    ("truncated pages", |shelf| {
        shelf.answer = |path, _, page| {
            if is_product(path) {
                Reply::html(page.split("<table").next().unwrap_or_default().to_owned())
            } else {
                Reply::html(page)
            }
        };
    }),
    ("server errors", |shelf| {
        shelf.answer =
            |path, _, page| if is_product(path) && !fourth(path) { Reply::status(500) } else { Reply::html(page) };
    }),
    ("closed for repairs", |shelf| shelf.answer = |_, _, _| notice("Back soon", "We are closed for repairs.")),
    ("column emptied", |shelf| shelf.products.iter_mut().for_each(|one| one.price = String::new())),
    ("values of another type", |shelf| shelf.products.iter_mut().for_each(|one| one.price = "on request".to_owned())),
    ("values out of range", |shelf| {
        shelf.products.iter_mut().for_each(|one| one.price = one.price.replacen('.', "", 1));
    }),
    ("one page for all", |shelf| {
        let first = shelf.products[0].clone();
        shelf.products.iter_mut().for_each(|one| *one = Product { id: one.id, ..first.clone() });
    }),
    ("sent home", |shelf| {
        shelf.answer = |path, _, page| if is_product(path) { Reply::redirect(302, "/") } else { Reply::html(page) };
    }),
    ("further pages of lists are empty", |shelf| {
        shelf.answer = |path, _, page| match path.contains("page=") {
            true => Reply::html(page.lines().filter(|line| !line.starts_with("<li>")).collect::<Vec<_>>().join("\n")),
            false => Reply::html(page),
        };
    }),
];

const CHANGES: [Change; 20] = [
    ("nothing", |_| {}),
    ("new products", |shelf| shelf.add(9)),
    ("one product new", |shelf| shelf.add(1)),
    ("reordered lists", |shelf| shelf.products.reverse()),
    ("shuffled lists", |shelf| shelf.products.sort_by_key(|one| one.id * 37 % 61)),
    ("new banner", |shelf| {
        shelf.header = "<div class=\"banner\"><b>Spring sale: 20 % off until Sunday</b></div>".to_owned()
    }),
    ("changed prices", |shelf| {
        shelf.products.iter_mut().for_each(|one| one.price = format!("{}.99 EUR", 14 + one.id * 41 % 180))
    }),
    ("prices a tenth up", |shelf| {
        shelf.products.iter_mut().for_each(|one| one.price = format!("{}.00 EUR", (12 + one.id * 37 % 190) * 11 / 10))
    }),
    ("three products sold", |shelf| drop(shelf.products.drain(20..23))),
    ("the last page of the list is no longer needed", |shelf| drop(shelf.products.drain(48..60))),
    ("newer dates", |shelf| {
        shelf.products.iter_mut().for_each(|one| one.added = format!("2026-10-{:02}", 1 + one.id % 27))
    }),
    ("a form to log in at the top", |shelf| shelf.header += LOGIN),
    ("a captcha below the letter to the shop", |shelf| shelf.footer += "<form><div class=\"h-captcha\"></div></form>"),
    ("longer lists", |shelf| shelf.per_page = 15),
    ("another footer", |shelf| shelf.footer = "<p>Closed on Mondays. <a href=\"/about\">About us</a></p>".to_owned()),
    ("advertisements", |shelf| {
        shelf.extra = |_| "<aside class=\"ad\"><p>Buy hats at the hatter's!</p></aside>".to_owned()
    }),
    ("reviews below products", |shelf| {
        shelf.extra = |one| {
            format!("<section class=\"reviews\"><h2>Reviews</h2><p>Reader {} liked it.</p></section>", one.id * 7)
        };
    }),
    ("names corrected", |shelf| {
        shelf.products.iter_mut().filter(|one| one.id % 6 == 0).for_each(|one| one.name = one.name.replace("The ", ""))
    }),
    ("texts rewritten", |shelf| {
        shelf.products.iter_mut().for_each(|one| one.about = format!("Now cleaned. {}", one.about))
    }),
    ("one product out of order", |shelf| {
        shelf.answer = |path, _, page| if path == "/product/9.html" { Reply::status(500) } else { Reply::html(page) };
    }),
];

#[test]
fn accidents_are_told_and_the_data_before_stays_current() {
    let known = Known::new();
    let before = known.records(&known.db("known"));
    let mut untold = Vec::new();
    for (at, (name, change)) in ACCIDENTS.iter().enumerate() {
        // What fails is tried four times, so not with all pages.
        let fails = ["server errors", "lists fail"].contains(name);
        let how = if fails { &[][..] } else { &["--recheck"] };
        let after = known.after(&format!("accident{at}"), *change, how);
        eprintln!("{name}: exit {}, {:?}, {:?}", after.code, after.missed(), after.summary["error"]);
        if after.code != 1 {
            untold.push(format!("{name}: exit {}, {}", after.code, after.stderr));
        }
        assert_eq!(after.records, before, "after `{name}` other data is current");
    }
    assert!(untold.is_empty(), "not told: {untold:#?}");
}

#[test]
fn harmless_changes_do_not_alarm() {
    let known = Known::new();
    let mut alarms = Vec::new();
    for (at, (name, change)) in CHANGES.iter().enumerate() {
        for how in [&["--recheck"][..], &[]] {
            let after = known.after(&format!("change{at}-{}", how.len()), *change, how);
            eprintln!("{name} {how:?}: exit {}, {:?}, {:?}", after.code, after.missed(), after.summary["error"]);
            if after.code != 0 {
                alarms.push(format!("{name} {how:?}: {:?}\n{}", after.missed(), after.stderr));
            }
        }
    }
    assert!(alarms.is_empty(), "alarms: {alarms:#?}");
}

#[test]
fn a_refresh_without_recheck_notices_a_wall_and_what_is_accepted_is_current() {
    let known = Known::new();
    let wall: fn(&mut Shelf) = ACCIDENTS[3].1;
    let walled = known.after("walled", wall, &[]);
    assert_eq!((walled.code, walled.summary["state"].as_str()), (1, Some("quarantined")), "{}", walled.stderr);
    assert!(walled.missed().contains(&"login".to_owned()), "{:?}", walled.missed());
    assert!(walled.stderr.contains("ask for a password"), "{}", walled.stderr);

    let half: fn(&mut Shelf) = |shelf| shelf.products.truncate(PRODUCTS / 2);
    let fewer = known.after("half", half, &[]);
    assert_eq!((fewer.code, fewer.missed()), (1, vec!["drop".to_owned()]), "{}", fewer.stderr);
    let (db, run) = (known.db("half"), fewer.summary["run"].to_string());
    let accepted = pagekin().args(["accept", &run, "--db", &db]).output().unwrap();
    assert_eq!(accepted.status.code(), Some(0), "{}", stderr(&accepted));
    assert_eq!(known.records(&db).lines().count(), PRODUCTS / 2);
    let again = pagekin().args(["accept", &run, "--db", &db]).output().unwrap();
    assert!(stderr(&again).contains("it was accepted before"), "{}", stderr(&again));
    let calm = known.run("half", &["--recheck"]);
    assert_eq!((calm.code, calm.missed()), (0, Vec::new()), "{}", calm.stderr);
    let absent = pagekin().args(["export", "--absent", "--format", "jsonl", "--db", &db]).output().unwrap();
    let missing = stdout(&absent).lines().filter(|line| line.contains("\"absence\":\"missing\"")).count();
    assert_eq!(missing, PRODUCTS / 2, "{}", stdout(&absent));
}

#[test]
fn what_the_config_expects_is_held_against_every_run() {
    let known = Known::new();
    let config = known.folder.path().join("expect.toml");
    std::fs::write(&config, "[expect]\nrecords = 100\n[expect.columns.price]\ntype = \"money\"\nmost = 100\n").unwrap();
    let after = known.after("expected", |_| {}, &["--recheck", "--config", &config.to_string_lossy()]);
    assert_eq!((after.code, after.missed()), (1, vec!["records".to_owned(), "range".to_owned()]), "{}", after.stderr);
    std::fs::write(&config, "[expect]\nlearned = false\n").unwrap();
    let half: fn(&mut Shelf) = |shelf| shelf.products.truncate(PRODUCTS / 2);
    let alone = known.after("alone", half, &["--config", &config.to_string_lossy()]);
    assert_eq!((alone.code, alone.summary["missing"].as_u64()), (0, Some(PRODUCTS as u64 / 2)), "{}", alone.stderr);
    assert!(alone.stderr.contains("30 missing"), "{}", alone.stderr);
}

#[test]
fn a_page_that_no_list_shows_any_more_is_asked_before_it_is_called_missing() {
    let known = Known::new();
    let unlisted: fn(&mut Shelf) = |shelf| {
        shelf.answer = |path, _, page| match path.starts_with("/products/") {
            true => Reply::html(
                page.lines().filter(|line| !line.contains("/product/11.html\"")).collect::<Vec<_>>().join("\n"),
            ),
            false => Reply::html(page),
        };
    };
    let after = known.after("unlisted", unlisted, &[]);
    let count = |name: &str| after.summary[name].as_u64();
    assert_eq!((count("missing"), count("no_longer_linked")), (Some(0), Some(1)), "{}", after.stderr);
    assert!(after.stderr.contains("1 no longer linked"), "{}", after.stderr);
    let sql = "SELECT change FROM changes WHERE run_id = 3";
    let changes =
        stdout(&pagekin().args(["query", sql, "--db", &known.db("unlisted"), "--format", "csv"]).output().unwrap());
    assert_eq!(changes, "change\r\nunlinked\r\n");
}
