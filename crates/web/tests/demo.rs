//! Is the demo site what its truth says? Walks it by its links as a reader would.

use pagekin_web::demo::Site;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// The addresses a document of this site points to, in order.
fn links(body: &str) -> Vec<String> {
    body.split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .map(|link| link.replace("&amp;", "&"))
        .collect()
}

/// Every page links lead to from the home page, with its body.
fn walk(site: &Site) -> BTreeMap<String, String> {
    let mut seen = BTreeMap::new();
    let mut waiting = VecDeque::from(["/".to_owned()]);
    while let Some(path) = waiting.pop_front() {
        if seen.contains_key(&path) {
            continue;
        }
        let body = site.page(&path).unwrap_or_else(|| panic!("dead link to {path}")).body;
        waiting.extend(links(&body));
        seen.insert(path, body);
    }
    seen
}

fn set(paths: &[String]) -> BTreeSet<&String> {
    paths.iter().collect()
}

#[test]
fn two_sites_are_equal_page_by_page() {
    let (one, other) = (Site::new(), Site::new());
    let pages = walk(&one);
    assert_eq!(pages, walk(&other));
    assert!((300..600).contains(&pages.len()), "{} pages", pages.len());
}

#[test]
fn links_lead_to_the_linked_drivers_teams_and_news_and_to_no_other() {
    let site = Site::new();
    let (truth, pages) = (site.truth(), walk(&site));
    let reached = |part: &str| pages.keys().filter(|path| path.contains(part)).collect::<BTreeSet<_>>();
    assert_eq!(reached("/driver_"), set(&truth.drivers_linked));
    assert_eq!(reached("/team_"), set(&truth.teams));
    assert_eq!(reached("/story_"), set(&truth.news));
    for list in &truth.driver_lists {
        assert!(pages[list].contains("/driver_"), "{list} lists no driver");
    }
}

#[test]
fn hidden_drivers_answer_and_missing_ones_do_not() {
    let site = Site::new();
    let truth = site.truth();
    assert!(truth.drivers_hidden.contains(&"/drivers/2015/driver_37.htm".to_owned()));
    assert!(truth.drivers_hidden.iter().all(|path| site.page(path).is_some_and(|page| page.status == 200)));
    assert!(truth.drivers_missing.iter().all(|path| site.page(path).is_none()));
    let all = truth.drivers_linked.len() + truth.drivers_hidden.len() + truth.drivers_missing.len();
    let hidden_percent = 100.0 * truth.drivers_hidden.len() as f64 / all as f64;
    assert!((10.0..14.0).contains(&hidden_percent), "{hidden_percent} % hidden");
    assert!((3..20).contains(&truth.drivers_missing.len()));
}

#[test]
fn truth_is_sorted_and_its_kinds_are_disjoint() {
    let truth = Site::new().truth();
    let kinds = [
        &truth.drivers_linked,
        &truth.drivers_hidden,
        &truth.drivers_missing,
        &truth.driver_lists,
        &truth.teams,
        &truth.news,
    ];
    assert!(kinds.iter().all(|paths| !paths.is_empty() && paths.is_sorted()));
    let together: BTreeSet<&String> = kinds.iter().flat_map(|paths| paths.iter()).collect();
    assert_eq!(together.len(), kinds.iter().map(|paths| paths.len()).sum::<usize>());
}

#[test]
fn the_numbers_of_the_readme_are_right() {
    let truth = Site::new().truth();
    assert_eq!((truth.drivers_linked.len(), truth.drivers_hidden.len(), truth.driver_lists.len()), (168, 24, 9));
    assert_eq!((truth.teams.len(), truth.news.len()), (60, 60));
}

#[test]
fn the_sample_is_a_linked_driver() {
    let site = Site::new();
    assert_eq!(site.sample(), "/drivers/2015/driver_02.htm");
    assert!(site.truth().drivers_linked.contains(&site.sample()));
}

#[test]
fn a_driver_page_shows_its_attributes_and_some_lack_the_optional_ones() {
    let site = Site::new();
    let truth = site.truth();
    let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
    let drivers: Vec<&String> = truth.drivers_linked.iter().chain(&truth.drivers_hidden).collect();
    for path in &drivers {
        let body = site.page(path).unwrap().body;
        for (name, value) in site.attributes(path).unwrap() {
            let value = value.replace('&', "&amp;").replace('\'', "&#39;");
            assert!(
                body.contains(&format!("<th scope=\"row\">{name}</th>")) && body.contains(&value),
                "{path}: {name}"
            );
            *shown.entry(name).or_default() += 1;
        }
    }
    assert_eq!(shown.len(), 10);
    for optional in ["World Championships", "Highest grid position", "Place of birth"] {
        assert!((1..drivers.len()).contains(&shown[optional]), "{optional} on {} pages", shown[optional]);
    }
    assert_eq!(shown["Team"], drivers.len());
    assert_eq!(site.attributes("/teams/2015/team_01.htm"), None);
}

#[test]
fn some_list_pages_show_news_among_drivers_and_long_years_have_several_pages() {
    let site = Site::new();
    let body = site.page("/drivers/2015/").unwrap().body;
    assert_eq!(body.matches("<ul class=\"list\">").count(), 2);
    assert!(body.contains("/news/2015/story_01.htm") && body.contains("rel=\"next\" href=\"/drivers/2015/?page=2\""));
    assert!(!site.page("/drivers/2013/").unwrap().body.contains("story_"));
    assert!(site.page("/drivers/2017/?page=3").is_some());
    assert!(site.page("/drivers/2017/?page=4").is_none());
}

#[test]
fn state_changing_and_private_addresses_are_linked_as_bait() {
    let site = Site::new();
    let home = site.page("/").unwrap().body;
    assert!(home.contains("href=\"/account/logout\"") && home.contains("href=\"/private/\""));
    let robots = site.page("/robots.txt").unwrap();
    assert_eq!(
        (robots.content_type, robots.body.as_str()),
        ("text/plain; charset=utf-8", "User-agent: *\nDisallow: /private/\n")
    );
}
