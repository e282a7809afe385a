//! The site model on small sites made in memory: types of one layout, traps without end, dead links, the published method.

use futures::executor::block_on;
use pagekin_core::model::{Class, Classifier, Method, Role, Settings, SiteModel, mdl, model};
use pagekin_core::page::Limits;
use pagekin_core::pages::{Answer, Pages, RawPage};
use std::sync::atomic::{AtomicUsize, Ordering};
use url::Url;

const HOST: &str = "http://website";

/// Answers by a function of the path; none is a 404.
struct Site<F> {
    page: F,
    asked: AtomicUsize,
}

impl<F: Fn(&str) -> Option<String> + Send + Sync> Pages for Site<F> {
    async fn get(&self, urls: &[Url]) -> Vec<Answer> {
        self.asked.fetch_add(urls.len(), Ordering::Relaxed);
        urls.iter().map(|url| Answer::Page(raw(url, (self.page)(url.path())))).collect()
    }
}

fn site<F: Fn(&str) -> Option<String> + Send + Sync>(page: F) -> Site<F> {
    Site { page, asked: AtomicUsize::new(0) }
}

fn raw(url: &Url, body: Option<String>) -> RawPage {
    RawPage {
        url: url.clone(),
        redirects: Vec::new(),
        status: if body.is_some() { 200 } else { 404 },
        content_type: Some("text/html; charset=utf-8".to_owned()),
        body: body.unwrap_or_default().into(),
        robots: Default::default(),
    }
}

fn links(paths: impl Iterator<Item = String>) -> String {
    paths.map(|path| format!("<li><a href=\"{path}\">{path}</a>")).collect()
}

fn framed(body: &str) -> String {
    format!("<nav><a href=/>home</a><a href=/drivers/>drivers</a><a href=/teams/>teams</a></nav><main>{body}</main>")
}

/// Forty drivers and forty teams of one layout that differ in the names of their attributes.
fn championship(path: &str) -> Option<String> {
    let number = path.rsplit('_').next().and_then(|number| number.parse::<usize>().ok()).filter(|number| *number < 40);
    let facts = |labels: [&str; 4]| {
        let rows: String =
            labels.iter().map(|label| format!("<tr><th>{label}<td>{number:?} {}", label.len())).collect();
        framed(&format!("<h1>No {number:?}</h1><table class=facts>{rows}</table>"))
    };
    match path {
        "/" => Some(framed("<p>Welcome")),
        "/drivers/" => {
            Some(framed(&format!("<ul class=list>{}</ul>", links((0..40).map(|n| format!("/drivers/driver_{n}"))))))
        }
        "/teams/" => {
            Some(framed(&format!("<ul class=list>{}</ul>", links((0..40).map(|n| format!("/teams/team_{n}"))))))
        }
        _ if path.starts_with("/drivers/driver_") => number.map(|_| facts(["Born", "Height", "Wins", "Helmet"])),
        _ if path.starts_with("/teams/team_") => number.map(|_| facts(["Founded", "Engine", "Chassis", "Base"])),
        _ => None,
    }
}

fn made<F: Fn(&str) -> Option<String> + Send + Sync>(site: &Site<F>, settings: &Settings) -> SiteModel {
    block_on(model(site, &Url::parse(HOST).unwrap(), settings)).expect("the entry page can be read")
}

fn class<'m>(model: &'m SiteModel, path: &str) -> &'m Class {
    let url = format!("{HOST}{path}");
    model.classes.iter().find(|class| class.pages.contains(&url)).unwrap_or_else(|| panic!("{path} has no class"))
}

#[test]
fn types_of_one_layout_are_told_apart_from_few_pages() {
    let site = site(championship);
    let model = made(&site, &Settings::default());
    let (drivers, teams) = (class(&model, "/drivers/driver_3"), class(&model, "/teams/team_3"));
    assert_ne!(drivers.id, teams.id);
    assert_eq!((drivers.size, teams.size, drivers.name.as_str(), teams.name.as_str()), (40, 40, "drivers", "teams"));
    assert_eq!((drivers.role, class(&model, "/drivers/").role), (Role::Entity, Role::Index));
    assert!(model.looked < 60, "{}", model.looked);
    assert_eq!(format!("{model:?}"), format!("{:?}", made(&site, &Settings::default())), "the same again");
}

#[test]
fn pages_are_classified_and_strange_ones_are_unknown() {
    let model = made(&site(championship), &Settings::default());
    let classifier = Classifier::new(&model, Limits::default());
    let of = |path: &str, body: String| {
        classifier.classify(&raw(&Url::parse(&format!("{HOST}{path}")).unwrap(), Some(body))).unwrap().class
    };
    let team = championship("/teams/team_7").unwrap();
    assert_eq!(of("/teams/team_77", team), Some(class(&model, "/teams/team_1").id));
    assert_eq!(of("/odd/x.php", "<form><input><select><option>a</select></form><video></video>".to_owned()), None);
}

#[test]
fn a_site_without_end_comes_to_one() {
    let endless = site(|path: &str| {
        let deeper = (0..50).map(|n| format!("{}/x{n}y{}", path.trim_end_matches('/'), path.len()));
        Some(framed(&links(deeper)))
    });
    let model = made(&endless, &Settings::default());
    assert!(model.looked <= 1000 && !model.classes.is_empty(), "{}", model.looked);
    let budget = made(&endless, &Settings { budget: Some(7), ..Settings::default() });
    assert_eq!(budget.looked, 7);
}

#[test]
fn dead_links_are_not_asked_for_again_and_again() {
    let dead = site(|path: &str| (path == "/").then(|| framed(&links((0..500).map(|n| format!("/gone/{n}.txt"))))));
    let model = made(&dead, &Settings::default());
    assert_eq!(model.looked, 1);
    assert!(dead.asked.load(Ordering::Relaxed) < 20, "{}", dead.asked.load(Ordering::Relaxed));
}

#[test]
fn an_entry_page_that_is_not_there_is_told() {
    let nothing = site(|_: &str| None);
    let error = block_on(model(&nothing, &Url::parse(HOST).unwrap(), &Settings::default())).unwrap_err().to_string();
    assert!(error.contains("`http://website/`") && error.contains("\n\nhint: "), "{error}");
}

#[test]
fn a_missing_entry_page_is_no_end_where_the_site_lists_its_pages() {
    let listed = "<urlset><url><loc>http://website/drivers/</loc></url></urlset>";
    let mapped = site(|path: &str| match path {
        "/" => None,
        "/sitemap.xml" => Some(listed.to_owned()),
        other => championship(other),
    });
    let model = made(&mapped, &Settings::default());
    assert!(class(&model, "/drivers/driver_7").size >= 40, "{:?}", class(&model, "/drivers/driver_7").size);
}

#[test]
fn an_entry_page_below_a_site_that_leads_nowhere_gives_way_to_the_root() {
    let blank = site(|path: &str| if path == "/welcome" { Some("<p>Welcome".to_owned()) } else { championship(path) });
    let start = Url::parse(HOST).unwrap().join("/welcome").unwrap();
    let model = block_on(model(&blank, &start, &Settings::default())).unwrap();
    assert!(model.classes.len() > 2, "{}", model.classes.len());
}

/// Golden of the paper's section 3.2, and the algorithm on the small site: by links alone both types are one class.
#[test]
fn the_published_method_knows_pages_by_their_links() {
    assert!((mdl::cost(3, 3, 2, 7) - 11.4).abs() < 1e-12);
    let settings = Settings { method: Method::Mdl2005, ..Settings::default() };
    let model = made(&site(championship), &settings);
    let index = class(&model, "/drivers/").id;
    let driver = model.classes.iter().find(|class| class.pages.iter().any(|page| page.contains("driver_"))).unwrap();
    assert_ne!(index, driver.id);
    assert!(driver.pages.iter().any(|page| page.contains("team_")), "{:?}", driver.pages);
    assert!(model.links.iter().any(|link| link.from == index && link.to == driver.id && link.count > 1));
}
