//! `pagekin extract --wrapper` on a site whose template changes: noticed, said, learned again. A league of players and teams,
//! made up, archived in two versions of its template.

mod common;

use common::{pagekin, stderr, stdout};
use pagekin_testkit::bigsite;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Output;

const PLAYERS: usize = 30;
const TEAMS: usize = 24;
const NAMES: [&str; 8] = ["Ann", "Bea", "Cleo", "Dora", "Eve", "Fay", "Gil", "Hal"];
const TREES: [&str; 7] = ["Ash", "Birch", "Cedar", "Dogwood", "Elm", "Fir", "Gum"];
const CITIES: [&str; 5] = ["Arden", "Borough", "Camford", "Dunwich", "Eastwick"];

fn name(number: usize) -> String {
    format!("{} {} {}", NAMES[number % 8], TREES[number % 7], ["Senior", "Junior"][number / 28])
}

fn team(number: usize) -> String {
    format!("{} {}", CITIES[number % 5], ["Reds", "Blues", "Greens", "Blacks", "Whites"][number / 5])
}

fn height(number: usize) -> String {
    format!("{} cm", 160 + number)
}

/// Which template a kind of page has.
#[derive(Clone, Copy, PartialEq)]
enum Version {
    Table,
    List,
}

fn fields(version: Version, pairs: &[(&str, String)]) -> String {
    let row = |(label, value): &(&str, String)| match version {
        Version::Table => format!("<tr><td>{label}:</td><td>{value}</td></tr>"),
        Version::List => format!("<li>{label}: {value}</li>"),
    };
    let rows: String = pairs.iter().map(row).collect();
    match version {
        Version::Table => format!("<table class=facts>{rows}</table>"),
        Version::List => format!("<section class=profile><ul>{rows}</ul></section>"),
    }
}

fn page(title: &str, version: Version, body: &str) -> String {
    let menu = "<nav><a href=/players>Players</a><a href=/teams>Teams</a></nav>";
    let heading = match version {
        Version::Table => format!("<h1>{title}</h1>"),
        Version::List => format!("<header><h2 class=who>{title}</h2></header>"),
    };
    format!(
        "<!DOCTYPE html><title>{title} - League</title><body>{menu}<main>{heading}{body}</main><footer>Imprint</footer>"
    )
}

fn player(number: usize, version: Version) -> (String, String) {
    let own = team(number % TEAMS);
    let link = format!("<a class=club href=/team/{}>Go to the team</a>", number % TEAMS);
    let pairs = [("Height", height(number)), ("Weight", format!("{} kg", 55 + number * 2 % 37)), ("Team", own)];
    (format!("http://league.example/player/{number}"), page(&name(number), version, &(fields(version, &pairs) + &link)))
}

fn team_page(number: usize, version: Version) -> (String, String) {
    let pairs = [("City", CITIES[number % 5].to_owned()), ("Founded", (1890 + number * 3).to_string())];
    let squad = (0..3).map(|step| (number + step * TEAMS / 3) % PLAYERS);
    let squad: String =
        squad.map(|one| format!("<p class=squad><a href=/player/{one}>{}</a></p>", name(one))).collect();
    let body = fields(version, &pairs) + "<h3>Squad</h3>" + &squad;
    (format!("http://league.example/team/{number}"), page(&team(number), version, &body))
}

struct League {
    folder: tempfile::TempDir,
}

impl League {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn archive(&self, name: &str, pages: impl Iterator<Item = (String, String)>) -> PathBuf {
        let path = self.path(name);
        bigsite::write(&path, pages).expect("written");
        path
    }

    fn players(&self, version: Version) -> PathBuf {
        self.archive(if version == Version::Table { "p1.warc.gz" } else { "p2.warc.gz" }, all_players(version))
    }

    fn both(&self, name: &str, players: Version, teams: Version) -> PathBuf {
        self.archive(name, all_players(players).chain((0..TEAMS).map(move |number| team_page(number, teams))))
    }

    /// Runs with the wrapper of this test.
    fn extract(&self, archive: &Path, more: &[&str]) -> Output {
        let wrapper = self.path("w.json");
        let mut command = pagekin();
        command.arg("extract").arg("--archive").arg(archive).arg("--wrapper").arg(wrapper).args(more);
        let output = command.output().expect("it runs");
        assert!(output.status.success(), "{}", stderr(&output));
        output
    }
}

fn all_players(version: Version) -> impl Iterator<Item = (String, String)> {
    (0..PLAYERS).map(move |number| player(number, version))
}

/// Address → class and the attributes' values.
fn rows(output: &Output) -> BTreeMap<String, (String, BTreeMap<String, String>)> {
    let row = |line: &str| {
        let value: serde_json::Value = serde_json::from_str(line).expect("JSON");
        let attributes = value["attributes"].as_object().expect("attributes").iter();
        let all = |values: &serde_json::Value| {
            let values = values.as_array().expect("values").iter().filter_map(|value| value.as_str());
            values.collect::<Vec<_>>().join("; ")
        };
        let shown = attributes.map(|(name, values)| (name.clone(), all(values))).collect();
        let text = |key: &str| value[key].as_str().expect("a text").to_owned();
        (text("url"), (text("class"), shown))
    };
    stdout(output).lines().map(row).collect()
}

/// Every player has its name, height and team.
fn assert_players(output: &Output) {
    let rows = rows(output);
    for number in 0..PLAYERS {
        let (_, own) = &rows[&format!("http://league.example/player/{number}")];
        let values = ["title", "height", "team"].map(|key| own.get(key).cloned().unwrap_or_default());
        assert_eq!(values, [name(number), height(number), team(number % TEAMS)], "{own:?}");
    }
}

#[test]
fn one_class_is_learned_again_without_a_domain_file() {
    let league = League::new();
    let (old, new) = (league.players(Version::Table), league.players(Version::List));
    assert_players(&league.extract(&old, &[]));
    let again = league.extract(&old, &[]);
    assert!(!stderr(&again).contains("changed"), "{}", stderr(&again));
    let before = std::fs::read_to_string(league.path("w.json")).expect("a wrapper");
    let drifted = league.extract(&new, &[]);
    for part in [
        "`height` was on 100 % of the pages and is on 0 % where it was",
        "class-1: the template has changed",
        "found again",
    ] {
        assert!(stderr(&drifted).contains(part), "{}", stderr(&drifted));
    }
    assert_players(&drifted);
    assert_ne!(before, std::fs::read_to_string(league.path("w.json")).expect("a wrapper"));
    let settled = league.extract(&new, &[]);
    assert!(!stderr(&settled).contains("changed"), "{}", stderr(&settled));
    assert_eq!(stdout(&drifted), stdout(&settled));
}

#[test]
fn with_a_domain_file_the_domain_says_what_is_learned() {
    let league = League::new();
    let domain = league.path("d.toml");
    let text =
        "[roles.title]\ntitle = true\n[roles.height]\nsynonyms = ['height']\n[roles.team]\nsynonyms = ['team']\n";
    std::fs::write(&domain, text).expect("written");
    let more = ["--domain", domain.to_str().expect("UTF-8")];
    assert_players(&league.extract(&league.players(Version::Table), &more));
    let drifted = league.extract(&league.players(Version::List), &more);
    assert!(stderr(&drifted).contains("the template has changed"), "{}", stderr(&drifted));
    assert_players(&drifted);
}

#[test]
fn by_example_the_columns_are_found_again_by_their_labels() {
    let league = League::new();
    let (first, high, club) = (name(0), height(0), team(0));
    let examples = [format!("title={first}"), format!("height={high}"), format!("team={club}")];
    let more: Vec<&str> = examples.iter().flat_map(|example| ["--example", example]).collect();
    assert_players(&league.extract(&league.players(Version::Table), &more));
    let drifted = league.extract(&league.players(Version::List), &[]);
    assert!(stderr(&drifted).contains("the template has changed"), "{}", stderr(&drifted));
    assert_players(&drifted);
}

#[test]
fn of_several_classes_only_the_one_that_changed_is_learned_again() {
    let league = League::new();
    let old = league.both("old.warc.gz", Version::Table, Version::Table);
    let first = league.extract(&old, &[]);
    assert_players(&first);
    let teams =
        |output: &Output| -> Vec<_> { rows(output).into_iter().filter(|(url, _)| url.contains("/team/")).collect() };
    assert_eq!(teams(&first).len(), TEAMS);
    let class = |output: &Output| rows(output)["http://league.example/player/0"].0.clone();
    let drifted = league.extract(&league.both("new.warc.gz", Version::List, Version::Table), &[]);
    assert_players(&drifted);
    assert_eq!((teams(&drifted), class(&drifted)), (teams(&first), class(&first)));
    let said = stderr(&drifted);
    let changed: Vec<&str> = said.lines().filter(|line| line.contains("has changed")).collect();
    assert_eq!(changed.len(), 1, "{said}");
    assert!(changed[0].starts_with(&class(&first)), "{said}");
}

#[test]
fn several_classes_that_changed_are_each_learned_again_with_their_own_columns() {
    let league = League::new();
    let first = league.extract(&league.both("old.warc.gz", Version::Table, Version::Table), &[]);
    let drifted = league.extract(&league.both("new.warc.gz", Version::List, Version::List), &[]);
    assert_players(&drifted);
    let (before, after) = (rows(&first), rows(&drifted));
    for number in 0..TEAMS {
        let url = format!("http://league.example/team/{number}");
        let of = |rows: &BTreeMap<String, (String, BTreeMap<String, String>)>| {
            let (class, own) = &rows[&url];
            (class.clone(), own["title"].clone(), own["founded"].clone())
        };
        assert_eq!(of(&before), of(&after));
    }
}

const DRUGS: &str = "[roles.name]\ntitle = true\n[roles.price]\nsynonyms = ['price']\nvalue = '\\d'\n[roles.maker]\n\
    synonyms = ['maker']\n[roles.dose]\nsynonyms = ['dose']\n";

/// A page with one offer that links to a page that says more.
fn offer_and_detail(number: usize) -> [(String, String); 2] {
    let (drug, price) = (format!("Drug {number}"), format!("{}.50", number + 3));
    let offer = format!(
        "<title>Offer</title><body><div><h2><a href=/drug/{number}>{drug}</a></h2><p>Price</p><p>{price}</p><p>Maker</p><p>Bayer</p></div>"
    );
    let detail = format!(
        "<title>{drug}</title><body><div><h2>{drug}</h2><p>Price</p><p>{price}</p><p>Maker</p><p>Bayer</p><p>Dose</p>\
         <p>{number}00 mg</p></div>"
    );
    let address = |kind: &str| format!("http://drugs.example/{kind}/{number}");
    [(address("offer"), offer), (address("drug"), detail)]
}

#[test]
fn an_offer_and_the_page_it_links_to_are_one_record() {
    let league = League::new();
    let domain = league.path("d.toml");
    std::fs::write(&domain, DRUGS).expect("written");
    // All offers stand before, and many batches away from, what they offer.
    let pages: Vec<[(String, String); 2]> = (1..200).map(offer_and_detail).collect();
    let (offers, details): (Vec<_>, Vec<_>) = pages.into_iter().map(|[offer, detail]| (offer, detail)).unzip();
    let run = |name: &str, pages: Vec<(String, String)>| {
        let archive = league.archive(name, pages.into_iter());
        let mut command = pagekin();
        command
            .args(["extract", "--method", "de-sse", "--hd", "1", "--domain"])
            .arg(&domain)
            .arg("--archive")
            .arg(archive);
        rows(&command.output().expect("it runs"))
    };
    assert_eq!(run("offers.warc.gz", offers.clone()).len(), offers.len(), "an offer alone is a record");
    let together = run("all.warc.gz", offers.into_iter().chain(details).collect());
    assert_eq!(together.len(), 199);
    assert!(together.iter().all(|(url, (_, own))| url.contains("/drug/") && own.contains_key("dose")));
}
