//! What does each page say? Site and item → HTML content in the common frame.
//!
//! One function for each kind of page. Knows nothing of HTTP.

use super::Site;
use super::address::{Address, path};
use super::championship::{Driver, Story, Team, YEARS};
use super::html::{Frame, document, facts, link, list};
use crate::escaped;

/// Rows on a page of a list: 2015 and 2017 need a second page, 2017 a third.
pub(super) const PAGE_SIZE: usize = 22;

/// Years whose first list page shows news right under the drivers, in a list of the same make.
const YEARS_WITH_NEWS: [u32; 3] = [2014, 2015, 2018];

pub(super) fn robots() -> String {
    "User-agent: *\nDisallow: /private/\n".to_owned()
}

pub(super) fn not_found() -> String {
    plain("Not found", "There is no such page. Try the menu.")
}

pub(super) fn about() -> String {
    plain("About this site", "A fictitious championship. Every name on these pages is put together from syllables.")
}

pub(super) fn logged_out() -> String {
    plain("Logged out", "You are logged out.")
}

pub(super) fn private() -> String {
    plain("Team area", "Robots are asked to stay outside.")
}

fn plain(title: &str, text: &str) -> String {
    framed(title, "text", &[], &format!("<p>{}</p>\n", escaped(text)))
}

pub(super) fn calendar() -> String {
    let rows = (1..=18).map(|round| format!("  <tr><td>Round {round}</td><td>Week {}</td></tr>\n", 9 + 2 * round));
    framed("Calendar", "text", &[], &format!("<table class=\"rounds\">\n{}</table>\n", rows.collect::<String>()))
}

pub(super) fn home(site: &Site) -> String {
    let sections = [(Address::DriverYears, "All drivers"), (Address::TeamYears, "All teams")];
    let sections = list("The championship", sections.map(|(address, text)| (path(address), text)));
    let content = sections + &story_list("Latest news", site.stories.iter().rev().take(5));
    document(&Frame { title: "Home", trail: &[], head: String::new(), kind: "index" }, &content)
}

pub(super) fn driver_years() -> String {
    years("Drivers", "Drivers by first season", |year| Address::DriverList { year, page: 1 })
}

pub(super) fn team_years() -> String {
    years("Teams", "Teams by season", |year| Address::TeamList { year })
}

fn years(title: &str, heading: &str, address: impl Fn(u32) -> Address) -> String {
    let names: Vec<(String, String)> =
        YEARS.iter().map(|&(year, _)| (path(address(year)), format!("Season {year}"))).collect();
    framed(title, "index", &[], &list(heading, names.iter().map(|(to, text)| (to.clone(), text.as_str()))))
}

pub(super) fn driver_list(site: &Site, year: u32, page: usize) -> Option<String> {
    let drivers: Vec<&Driver> = site.linked_drivers(year).collect();
    let rows = drivers.chunks(PAGE_SIZE).nth(page - 1)?;
    let address = |page| path(Address::DriverList { year, page });
    let mut content = list(&format!("Drivers of {year}"), rows.iter().map(|d| (driver_path(d), d.name.as_str())));
    if page == 1 && YEARS_WITH_NEWS.contains(&year) {
        content += &story_list("From the paddock", site.stories.iter().filter(|story| story.year == year).take(4));
    }
    let pager = Pager { page, pages: drivers.len().div_ceil(PAGE_SIZE), address: &address };
    content += &pager.links();
    let trail = [above(Address::DriverYears, "Drivers")];
    let title = format!("Season {year}");
    Some(document(&Frame { title: &title, trail: &with_home(&trail), head: pager.head(), kind: "index" }, &content))
}

pub(super) fn news_list(site: &Site, page: usize) -> Option<String> {
    let newest: Vec<&Story> = site.stories.iter().rev().collect();
    let rows = newest.chunks(PAGE_SIZE).nth(page - 1)?;
    let address = |page| path(Address::NewsList { page });
    let pager = Pager { page, pages: newest.len().div_ceil(PAGE_SIZE), address: &address };
    let content = story_list("News", rows.iter().copied()) + &pager.links();
    Some(document(&Frame { title: "News", trail: &with_home(&[]), head: pager.head(), kind: "index" }, &content))
}

pub(super) fn team_list(site: &Site, year: u32) -> Option<String> {
    let mut teams = site.teams.iter().filter(|team| team.year == year).peekable();
    teams.peek()?;
    let content = list(&format!("Teams of {year}"), teams.map(|team| (team_path(team), team.name.as_str())));
    Some(framed(&format!("Season {year}"), "index", &[above(Address::TeamYears, "Teams")], &content))
}

pub(super) fn driver(site: &Site, driver: &Driver) -> String {
    let year = driver.year;
    let mut rows: Vec<(&str, String)> =
        driver.attributes(site).into_iter().map(|(name, value)| (name, escaped(&value))).collect();
    if let Some(team) = site.team(year, driver.team) {
        rows[0].1 = link(&team_path(team), &team.name);
    }
    let mates = site.linked_drivers(year).filter(|mate| mate.team == driver.team && mate.id != driver.id);
    let mates: String = mates.map(|mate| format!("<li>{}</li>", link(&driver_path(mate), &mate.name))).collect();
    let season = link(&path(Address::DriverList { year, page: 1 }), &format!("All of season {year}"));
    let content = format!(
        "<article class=\"driver\">\n<h1>{}</h1>\n{}</article>\n<aside class=\"mates\"><h4>In the same team</h4><ul>{mates}<li>{season}</li></ul></aside>\n",
        escaped(&driver.name),
        facts(&rows),
    );
    let trail = [above(Address::DriverYears, "Drivers"), season_above(Address::DriverList { year, page: 1 }, year)];
    framed(&driver.name, "entity", &trail, &content)
}

pub(super) fn team(site: &Site, team: &Team) -> String {
    let rows = [
        ("Base", Some(team.base.clone())),
        ("Team chief", Some(team.chief.clone())),
        ("Power unit", team.power_unit.clone()),
        ("First team entry", Some(team.first_entry.to_string())),
        ("Pole positions", Some(team.pole_positions.to_string())),
    ];
    let rows: Vec<(&str, String)> =
        rows.into_iter().filter_map(|(name, value)| Some((name, escaped(&value?)))).collect();
    let squad = site.linked_drivers(team.year).filter(|driver| driver.team == team.id);
    let squad: String = squad.map(|driver| format!("<dd>{}</dd>", link(&driver_path(driver), &driver.name))).collect();
    let content = format!(
        "<article class=\"team\">\n<h1>{}</h1>\n{}<dl class=\"squad\"><dt>New drivers</dt>{squad}</dl>\n</article>\n",
        escaped(&team.name),
        facts(&rows),
    );
    let trail = [above(Address::TeamYears, "Teams"), season_above(Address::TeamList { year: team.year }, team.year)];
    framed(&team.name, "entity", &trail, &content)
}

pub(super) fn story(site: &Site, story: &Story) -> String {
    let about = site.team(story.year, story.team).map(|team| link(&team_path(team), &team.name)).unwrap_or_default();
    let more = site.stories.iter().filter(|other| other.year == story.year && other.id != story.id).take(3);
    let content = format!(
        "<section class=\"story\">\n<h1>{}</h1>\n<p>{}</p>\n<p>More on {about}.</p>\n</section>\n{}",
        escaped(&story.title),
        escaped(&story.body),
        story_list("More news", more),
    );
    framed(&story.title, "text", &[above(Address::NewsList { page: 1 }, "News")], &content)
}

/// The further pages of a list.
struct Pager<'a> {
    page: usize,
    pages: usize,
    address: &'a dyn Fn(usize) -> String,
}

impl Pager<'_> {
    fn links(&self) -> String {
        if self.pages < 2 {
            return String::new();
        }
        let others = (1..=self.pages).map(|page| match page == self.page {
            true => format!("<b>{page}</b> "),
            false => link(&(self.address)(page), &page.to_string()) + " ",
        });
        format!("<p class=\"pager\">{}</p>\n", others.collect::<String>())
    }

    fn head(&self) -> String {
        let element = |rel, page| format!("<link rel=\"{rel}\" href=\"{}\">\n", escaped(&(self.address)(page)));
        let previous = (self.page > 1).then(|| element("prev", self.page - 1));
        let next = (self.page < self.pages).then(|| element("next", self.page + 1));
        previous.unwrap_or_default() + &next.unwrap_or_default()
    }
}

fn framed(title: &str, kind: &str, trail: &[(String, String)], content: &str) -> String {
    document(&Frame { title, trail: &with_home(trail), head: String::new(), kind }, content)
}

fn with_home(trail: &[(String, String)]) -> Vec<(String, String)> {
    [&[above(Address::Home, "Home")], trail].concat()
}

fn above(address: Address, text: &str) -> (String, String) {
    (path(address), text.to_owned())
}

fn season_above(address: Address, year: u32) -> (String, String) {
    above(address, &format!("Season {year}"))
}

fn story_list<'a>(heading: &str, stories: impl Iterator<Item = &'a Story>) -> String {
    let row = |story: &'a Story| (path(Address::Story { year: story.year, id: story.id }), story.title.as_str());
    list(heading, stories.map(row))
}

fn driver_path(driver: &Driver) -> String {
    path(Address::Driver { year: driver.year, id: driver.id })
}

fn team_path(team: &Team) -> String {
    path(Address::Team { year: team.year, id: team.id })
}
