//! GPP on drawn sites in memory: the championship of SSUP 2019 with the shortcut of its section 5.2.3, and where it fails by section 5.3.2.

use super::{Memory, SAMPLE, address, championship, entities, explained, links, path_of, run, settings, why};
use futures::executor::block_on;
use pagekin_core::discover::{Discovery, Error, Method, Settings, discover};
use pagekin_core::page::layout::{Bounds, Element, Layout};
use pagekin_core::page::{self, Document, Limits};
use pagekin_core::pages::RawPage;
use std::collections::HashMap;
use url::Url;

/// As a browser draws without a style sheet, roughly: blocks below each other, the others beside each other, items moved in.
pub fn layout(url: &Url, html: &str) -> Layout {
    let (redirects, content_type, robots) = (Vec::new(), None, Default::default());
    let body = html.to_owned().into();
    let raw = RawPage { url: url.clone(), redirects, status: 200, content_type, body, robots };
    let document = page::read(&raw, &Limits::default()).unwrap();
    let mut layout = Layout::default();
    let mut places = HashMap::new();
    // Where the next element within goes.
    let mut within: Vec<f32> = Vec::new();
    let mut y = 0.0;
    for node in document.descendants(Document::ROOT).filter(|&node| document.element(node).is_some()) {
        let name = document.name(node);
        let parent = document.parent(node).and_then(|parent| places.get(&parent).copied());
        let beside = ["a", "b", "em", "i", "td", "th"].contains(&name);
        let x = match (parent, beside) {
            (Some(parent), true) => {
                within[parent as usize] += 60.0;
                within[parent as usize] - 60.0
            }
            (Some(parent), false) => layout.elements[parent as usize].bounds.map_or(0.0, |bounds: Bounds| bounds.x),
            (None, _) => 0.0,
        };
        let x = if name == "li" { x + 40.0 } else { x };
        y += if beside { 0.0 } else { 20.0 };
        places.insert(node, layout.elements.len() as u32);
        within.push(x);
        let href = document.attribute(node, "href").map(Into::into);
        let bounds = Some(Bounds { x, y, width: 50.0, height: 18.0 });
        layout.elements.push(Element { parent, name: name.into(), href, bounds });
    }
    layout
}

fn grown(site: &Memory, rounds: usize) -> Discovery {
    run(site, &[SAMPLE], &Settings { rounds, ..settings(Method::Gpp) })
}

#[test]
fn parallel_paths_lead_through_all_years_to_all_drivers() {
    let discovery = grown(&championship(), 1);
    assert_eq!(entities(&discovery), super::DRIVERS, "{:#?}", discovery.steps);
    let indexes: Vec<(usize, &str)> =
        discovery.indexes.iter().map(|index| (index.level, path_of(&index.url))).collect();
    assert_eq!(indexes, [(0, ""), (1, "drivers"), (2, "drivers/2014"), (2, "drivers/2015"), (2, "drivers/2016")]);
    assert!(explained(&discovery, "2 in horizontal lists at html/body/div/a"), "{:#?}", discovery.steps);
    assert!(why(&discovery, "teams").is_some(), "its only link is no list");
    // The sample, seven pages on the way down to 2015, and two other years; of the drivers none but the sample.
    assert_eq!(discovery.downloads, 10, "{:#?}", discovery.steps);
}

/// The main page names the leaders of the championship.
fn with_leaders() -> Memory {
    let mut site = championship();
    let main = site.pages[""].clone();
    site.page(
        "",
        main + "<ol>"
            + &["drivers/2015/driver_01.htm", SAMPLE, "drivers/2014/driver_04.htm"]
                .map(|path| format!("<li><a href='/{path}'>x</a></li>"))
                .concat(),
    );
    site
}

#[test]
fn a_shortcut_on_the_main_page_is_the_first_path_and_another_round_finds_the_rest() {
    let first = grown(&with_leaders(), 1);
    assert_eq!(entities(&first), ["drivers/2014/driver_04.htm", "drivers/2015/driver_01.htm", SAMPLE]);
    assert_eq!(first.downloads, 2, "the sample and the main page");
    for rounds in [2, 3] {
        let discovery = grown(&with_leaders(), rounds);
        assert_eq!(entities(&discovery), super::DRIVERS, "{:#?}", discovery.steps);
    }
}

#[test]
fn pages_whose_index_pages_look_like_those_of_the_sample_are_taken_for_its_kind() {
    let mut site = championship();
    site.page("", links("nav", &["", "news/all/races/0.htm"]) + &links("div", &["drivers", "photos"]));
    site.page("photos", links("ul><li", &["photos/2014", "photos/2015"]));
    for year in ["photos/2014", "photos/2015"] {
        site.page(
            year,
            links("p", &["photos"]) + &links("div", &[&format!("{year}/a.jpg.htm"), &format!("{year}/b.jpg.htm")]),
        );
    }
    let discovery = grown(&site, 1);
    let photos = entities(&discovery).into_iter().filter(|path| path.starts_with("photos")).count();
    assert_eq!((discovery.entities.len(), photos), (9, 4), "{:#?}", discovery.steps);
}

#[test]
fn a_way_that_leads_over_a_single_link_is_none() {
    let mut site = championship();
    site.page("", links("nav", &["", "news/all/races/0.htm"]) + &links("div", &["drivers"]));
    let discovery = grown(&site, 3);
    assert_eq!(entities(&discovery), [SAMPLE]);
    assert!(explained(&discovery, "stand in no web list"), "{:#?}", discovery.steps);
}

#[test]
fn of_a_list_within_items_only_what_stands_in_the_place_of_the_sample_is_found() {
    let mut site = Memory { drawn: true, ..Memory::default() };
    let team = |drivers: [&str; 2]| {
        format!("<ul>{}</ul>", drivers.map(|path| format!("<li><a href='/{path}'>x</a></li>")).concat())
    };
    site.page("", team([SAMPLE, "a.htm"]) + &team(["b.htm", "c.htm"]));
    ["a.htm", SAMPLE, "b.htm", "c.htm"].iter().for_each(|driver| site.page(driver, links("p", &["", "x.htm"])));
    assert_eq!(entities(&grown(&site, 3)), ["b.htm", SAMPLE]);
}

#[test]
fn columns_of_a_table_are_kept_apart() {
    let mut site = Memory { drawn: true, ..Memory::default() };
    let row = |driver: &str, team: &str| {
        format!("<tr><td><a href='/{driver}'>x</a></td><td><a href='/{team}'>x</a></td></tr>")
    };
    site.page("", format!("<table>{}{}</table>", row(SAMPLE, "team_1.htm"), row("a.htm", "team_2.htm")));
    site.page(SAMPLE, "");
    assert_eq!(entities(&grown(&site, 1)), ["a.htm", SAMPLE]);
}

#[test]
fn without_a_browser_it_is_said_what_is_missing() {
    let site = Memory { drawn: false, ..championship() };
    let error = block_on(discover(&site, &[address(SAMPLE)], &settings(Method::Gpp))).unwrap_err();
    assert!(matches!(error, Error::NotDrawn(..)), "{error}");
    assert!(error.to_string().contains("could not be drawn") && error.to_string().contains("\n\nhint: "), "{error}");
}
