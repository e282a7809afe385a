//! Does a visitor stop by itself, with the right pages, where the addresses of a site never end?
//!
//! Nothing → a real site on loopback: some dozens of pages of one kind, others, and addresses without end.
//!
//! - [`Trap`]: the site being served, one page of the kind, the truth.
//! - [`calendar`]: a month leads to the next. - [`facets`]: a filter leads to a narrower one. - [`sessions`]: every
//!   link is new at every visit.
//!
//! Knows nothing of who visits. A page is made from its number alone, so a trap is the same at each start.

use crate::server::{Reply, Server, Site};
use std::fmt::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A site with an endless space of addresses.
pub struct Trap {
    site: Site,
    /// Path of each page of the kind.
    truth: Vec<String>,
}

impl Trap {
    /// The addresses of all pages of the kind.
    pub fn truth(&self) -> Vec<String> {
        self.truth.iter().map(|path| self.site.url(path)).collect()
    }

    /// One page of the kind, from the middle: where lists have pages, not on the first.
    pub fn sample(&self) -> String {
        self.site.url(&self.truth[self.truth.len() * 5 / 8])
    }

    /// Paths and queries asked so far, in order.
    pub fn targets(&self) -> Vec<String> {
        self.site.targets()
    }
}

const FIRST: [&str; 11] = ["Iron", "Pine", "Oak", "Elm", "Ash", "Fern", "Moss", "Rook", "Wren", "Hawk", "Lark"];
const SECOND: [&str; 12] =
    ["Bay", "Dale", "Down", "Edge", "Ford", "Gap", "Hill", "Isle", "Lane", "Moor", "Ness", "Wood"];

/// The name of a thing; different for the first 132 numbers, because 11 and 12 have no common divisor.
fn name(number: usize) -> String {
    format!("{} {}", FIRST[number % FIRST.len()], SECOND[number % SECOND.len()])
}

/// The name as it stands in an address.
fn slug(number: usize) -> String {
    name(number).to_lowercase().replace(' ', "-")
}

/// Some sentences that differ from number to number.
fn prose(number: usize) -> String {
    let mut text = String::from("<p>");
    for sentence in 0..2 + number % 4 {
        let (a, b) = (name(number * 7 + sentence * 31 + 5), name(number * 11 + sentence * 17 + 3));
        let _ = write!(text, "From {a} it is {} minutes to {b}. ", 5 + (number * 13 + sentence * 29) % 80);
    }
    text + "</p>"
}

/// A list of links to (address, text).
fn links(targets: impl IntoIterator<Item = (String, String)>, class: &str) -> String {
    let rows = targets.into_iter().map(|(href, text)| format!("<li><a href=\"{href}\">{text}</a></li>\n"));
    format!("<ul class=\"{class}\">\n{}</ul>\n", rows.collect::<String>())
}

/// A table of (attribute, value).
fn attributes(rows: &[(&str, String)]) -> String {
    let rows = rows.iter().map(|(name, value)| format!("<tr><th>{name}</th><td>{value}</td></tr>\n"));
    format!("<table class=\"facts\">\n{}</table>\n", rows.collect::<String>())
}

/// A whole page: the site's menu above, the main part, the footer.
fn page(title: &str, menu: &[(String, String)], main: &str) -> String {
    let menu = links(menu.iter().cloned(), "menu");
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><title>{title}</title></head>\n<body>\n<nav>{menu}</nav>\n\
         <main>\n<h1>{title}</h1>\n{main}</main>\n<footer><p>All rights reserved. <a href=\"/contact.html\">Contact</a>\
         </p></footer>\n</body></html>\n"
    )
}

/// A menu: home, these entries, two pages about the site.
fn menu(entries: impl IntoIterator<Item = (String, String)>) -> Vec<(String, String)> {
    let entry = |href: &str, text: &str| (href.to_owned(), text.to_owned());
    let mut menu = vec![entry("/", "Home")];
    menu.extend(entries);
    menu.extend([entry("/about.html", "About us"), entry("/contact.html", "Contact")]);
    menu
}

/// What every site here has beside its own pages.
fn common(server: Server, title: &str, menu: &[(String, String)]) -> Server {
    let story = |number: usize| page(&format!("News {number}"), menu, &prose(number + 500));
    let stories = (1..=12).map(|number| (format!("/news/{number}.html"), format!("News {number}")));
    let home = format!("<p>Welcome.</p>{}", links(stories, "news"));
    let server = (1..=12).fold(server, |server, number| server.page(&format!("/news/{number}.html"), story(number)));
    server
        .page("/", page(title, menu, &home))
        .page("/about.html", page("About us", menu, &prose(400)))
        .page("/contact.html", page("Contact", menu, "<p>Write to us.</p>"))
}

const REGIONS: [&str; 6] = ["north", "south", "east", "west", "coast", "hills"];
const WALKS: usize = 60;

/// 60 walks in six regions, and a calendar in the menu: each month leads to the months and years beside it, through
/// all years of up to four digits. These are 119,988 pages, as good as endless for somebody who asks politely.
pub fn calendar() -> Trap {
    let regions = REGIONS.iter().map(|region| (format!("/regions/{region}/"), format!("The {region}")));
    let menu = menu(regions.chain([(month_path(2031, 7), "Calendar".to_owned())]));
    let mut server = common(Server::new(), "Walks", &menu);
    for number in 0..WALKS {
        server = server.page(&walk_path(number), walk(number, &menu));
    }
    for (at, region) in REGIONS.iter().enumerate() {
        let walks = (at..WALKS).step_by(REGIONS.len()).map(|number| (walk_path(number), name(number)));
        server = server.page(&format!("/regions/{region}/"), page(region, &menu, &links(walks, "walks")));
    }
    let menu = Arc::new(menu);
    for (year, month) in (1..=9999).flat_map(|year| (1..=12).map(move |month| (year, month))) {
        let menu = menu.clone();
        server = server.route(&month_path(year, month), move |_| Reply::html(month_page(year, month, &menu)));
    }
    Trap { site: server.start(), truth: (0..WALKS).map(walk_path).collect() }
}

fn walk_path(number: usize) -> String {
    format!("/walks/{}/", slug(number))
}

fn walk(number: usize, menu: &[(String, String)]) -> String {
    let facts = attributes(&[
        ("Length", format!("{} km", 3 + number * 7 % 23)),
        ("Climb", format!("{} m", 40 + number * 37 % 900)),
        ("Start", name(number * 3 + 1)),
        ("Surface", ["gravel", "grass", "rock", "sand"][number % 4].to_owned()),
    ]);
    let near = [number + 6, number + 12].map(|near| near % WALKS).map(|near| (walk_path(near), name(near)));
    page(&name(number), menu, &format!("{facts}{}<h2>Near it</h2>{}", prose(number), links(near, "near")))
}

fn month_path(year: usize, month: usize) -> String {
    format!("/calendar/{year:04}/{month:02}/")
}

fn month_page(year: usize, month: usize, menu: &[(String, String)]) -> String {
    let beside = |months: isize| {
        // The first month has itself before it, as the last has itself after it.
        let at = (year * 12 + month - 1).saturating_add_signed(months).clamp(12, 9999 * 12 + 11);
        month_path(at / 12, at % 12 + 1)
    };
    let ways = [("Previous month", -1), ("Next month", 1), ("Previous year", -12), ("Next year", 12)];
    let ways = ways.map(|(text, months)| (beside(months), text.to_owned()));
    let days = (1..=28).map(|day| format!("<tr><td>{day}</td><td>{}</td></tr>\n", name(year * 336 + month * 28 + day)));
    let main = format!("{}<table class=\"month\">\n{}</table>\n", links(ways, "months"), days.collect::<String>());
    page(&format!("Calendar {year:04}-{month:02}"), menu, &main)
}

const AISLES: [&str; 6] = ["boots", "coats", "gloves", "hats", "shirts", "tents"];
const PRODUCTS: usize = 120;
const PER_PAGE: usize = 6;
const COLOURS: [&str; 10] = ["red", "blue", "green", "black", "white", "grey", "brown", "yellow", "orange", "purple"];
const SIZES: [&str; 8] = ["xxs", "xs", "s", "m", "l", "xl", "xxl", "xxxl"];
const SORTS: [&str; 4] = ["price", "name", "newest", "rating"];

/// 120 products in six aisles, six on a page, and filters that can be put together: any colours, any sizes, an order,
/// a page. That is 2¹⁰ × 2⁸ × 4 = 1,048,576 lists in each aisle, and every list links to the next narrower ones.
pub fn facets() -> Trap {
    let menu = menu(AISLES.iter().map(|aisle| (format!("/shop/{aisle}"), aisle.to_string())));
    let mut server = common(Server::new(), "Outdoor shop", &menu);
    for number in 0..PRODUCTS {
        server = server.page(&product_path(number), product(number, &menu));
    }
    let menu = Arc::new(menu);
    for (at, aisle) in AISLES.iter().enumerate() {
        let menu = menu.clone();
        let path = format!("/shop/{aisle}");
        server = server.route(&path.clone(), move |asked| {
            Reply::html(page(aisle, &menu, &aisle_list(at, &path, &Filter::of(&asked.target))))
        });
    }
    Trap { site: server.start(), truth: (0..PRODUCTS).map(product_path).collect() }
}

fn product_path(number: usize) -> String {
    format!("/product/{}-{}", slug(number), 1000 + number * 7)
}

fn colour_and_size(number: usize) -> (&'static str, &'static str) {
    (COLOURS[number * 3 % COLOURS.len()], SIZES[(number / 6) % SIZES.len()])
}

fn product(number: usize, menu: &[(String, String)]) -> String {
    let (colour, size) = colour_and_size(number);
    let facts = attributes(&[
        ("Price", format!("{}.{:02} €", 9 + number * 17 % 140, number * 37 % 100)),
        ("Colour", colour.to_owned()),
        ("Size", size.to_owned()),
        ("Weight", format!("{} g", 80 + number * 53 % 1900)),
    ]);
    let aisle = AISLES[number % AISLES.len()];
    let also = [6, 18, 42].map(|step| (number + step) % PRODUCTS).map(|also| (product_path(also), name(also)));
    let main = format!(
        "<p class=\"crumbs\"><a href=\"/shop/{aisle}\">{aisle}</a></p>\n{facts}{}<form method=\"post\" \
         action=\"/basket/add/{number}\"><button>Add to basket</button></form>\n<h2>Others bought</h2>{}",
        prose(number),
        links(also, "also")
    );
    page(&name(number), menu, &main)
}

/// Which products of an aisle, in which order, which page of them.
#[derive(Clone)]
struct Filter {
    /// Colours and sizes, in the order of the shop, so that two ways to a filter give one address.
    kept: Vec<(&'static str, &'static str)>,
    sort: Option<&'static str>,
    page: usize,
}

impl Filter {
    /// All (parameter, value) a filter can keep.
    fn choices() -> impl Iterator<Item = (&'static str, &'static str)> {
        COLOURS.iter().map(|&colour| ("colour", colour)).chain(SIZES.iter().map(|&size| ("size", size)))
    }

    fn of(target: &str) -> Self {
        let query = target.split_once('?').map_or("", |(_, query)| query);
        let given: Vec<(&str, &str)> = query.split('&').filter_map(|part| part.split_once('=')).collect();
        let value = |name: &str| given.iter().find(|(known, _)| *known == name).map(|(_, value)| *value);
        Self {
            kept: Self::choices().filter(|choice| given.contains(choice)).collect(),
            sort: SORTS.into_iter().find(|sort| value("sort") == Some(sort)),
            page: value("page").and_then(|page| page.parse().ok()).unwrap_or(1).max(1),
        }
    }

    fn with(&self, choice: (&'static str, &'static str)) -> Self {
        let kept = Self::choices().filter(|known| *known == choice || self.kept.contains(known)).collect();
        Self { kept, page: 1, ..self.clone() }
    }

    fn address(&self, path: &str) -> String {
        let mut parts: Vec<String> = self.kept.iter().map(|(name, value)| format!("{name}={value}")).collect();
        parts.extend(self.sort.map(|sort| format!("sort={sort}")));
        parts.extend((self.page > 1).then(|| format!("page={}", self.page)));
        if parts.is_empty() { path.to_owned() } else { format!("{path}?{}", parts.join("&amp;")) }
    }

    /// A product stays when its colour is among those asked for, or none is; its size likewise.
    fn keeps(&self, number: usize) -> bool {
        let fits = |name: &str, own: &str| {
            let mut asked = self.kept.iter().filter(|(known, _)| *known == name).peekable();
            asked.peek().is_none() || asked.any(|(_, value)| *value == own)
        };
        let (colour, size) = colour_and_size(number);
        fits("colour", colour) && fits("size", size)
    }

    fn products(&self, aisle: usize) -> Vec<usize> {
        let mut kept: Vec<usize> = (aisle..PRODUCTS).step_by(AISLES.len()).collect();
        kept.retain(|&number| self.keeps(number));
        // Any order will do, as long as each is its own; 127 is a prime.
        let order = SORTS.iter().position(|&sort| self.sort == Some(sort)).map_or(1, |at| 7 + 2 * at);
        kept.sort_by_key(|number| number * order % 127);
        kept
    }
}

fn aisle_list(aisle: usize, path: &str, filter: &Filter) -> String {
    let products = filter.products(aisle);
    let shown = products.iter().skip((filter.page - 1) * PER_PAGE).take(PER_PAGE);
    let shown = shown.map(|&number| (product_path(number), name(number)));
    let narrower = Filter::choices().filter(|choice| !filter.kept.contains(choice));
    let narrower = narrower.map(|choice| (filter.with(choice).address(path), choice.1.to_owned()));
    let sorted =
        SORTS.map(|sort| (Filter { sort: Some(sort), page: 1, ..filter.clone() }.address(path), sort.to_owned()));
    let pages = (1..=products.len().div_ceil(PER_PAGE)).filter(|&page| page != filter.page);
    let pages = pages.map(|page| (Filter { page, ..filter.clone() }.address(path), page.to_string()));
    format!(
        "<aside>{}{}</aside>\n<p>{} products</p>\n{}{}",
        links(narrower, "filters"),
        links(sorted, "sorts"),
        products.len(),
        links(shown, "products"),
        links(pages, "pages")
    )
}

const TEAMS: [&str; 5] = ["archive", "garden", "kitchen", "library", "workshop"];
const MEMBERS: usize = 80;

/// Visits after which the session ids begin again: ten times what a test allows, so a visitor never sees one twice.
const VISITS: usize = 1500;

/// 80 members in five teams; every link on every page carries the id of this very visit, as `;jsessionid=` in the
/// path, as `?sid=` or as `?PHPSESSID=`, so that no address is ever seen twice.
pub fn sessions() -> Trap {
    let menu = menu(TEAMS.iter().map(|team| (format!("/teams/{team}.html"), format!("The {team}"))));
    let mut pages: Vec<_> = (0..MEMBERS).map(|number| (member_path(number), member(number, &menu))).collect();
    for (at, team) in TEAMS.iter().enumerate() {
        let members = (at..MEMBERS).step_by(TEAMS.len()).map(|number| (member_path(number), name(number)));
        pages.push((format!("/teams/{team}.html"), page(&format!("The {team}"), &menu, &links(members, "members"))));
    }
    for (path, text) in [("/", "The club"), ("/about.html", "About us"), ("/contact.html", "Contact")] {
        pages.push((path.to_owned(), page(text, &menu, &prose(path.len() + 600))));
    }
    let visits = Arc::new(AtomicUsize::new(0));
    let add = |server, (path, html): (String, String)| in_sessions(server, &path, html, &visits);
    let server = pages.into_iter().fold(Server::new(), add);
    Trap { site: server.start(), truth: (0..MEMBERS).map(member_path).collect() }
}

fn member_path(number: usize) -> String {
    format!("/members/{}.html", slug(number))
}

fn member(number: usize, menu: &[(String, String)]) -> String {
    let facts = attributes(&[
        ("Member since", (1970 + number * 7 % 50).to_string()),
        ("Room", format!("{}{}", ["A", "B", "C"][number % 3], 100 + number * 13 % 80)),
        ("Team", TEAMS[number % TEAMS.len()].to_owned()),
        ("Telephone", format!("555 {:04}", number * 7919 % 10000)),
    ]);
    page(&name(number), menu, &format!("{facts}{}", prose(number)))
}

/// Routes to the page, plain and under every session's path; the server finds a path with any query by itself.
fn in_sessions(server: Server, path: &str, html: String, visits: &Arc<AtomicUsize>) -> Server {
    let html: Arc<str> = html.into();
    let sessions = (0..VISITS).map(|visit| format!("{path};jsessionid={}", session_id(visit)));
    std::iter::once(path.to_owned()).chain(sessions).fold(server, |server, path| {
        let (html, visits) = (html.clone(), visits.clone());
        server.route(&path, move |_| Reply::html(with_session(&html, visits.fetch_add(1, Ordering::Relaxed) % VISITS)))
    })
}

/// 32 digits and letters that look drawn by lot; different for each visit, because the factor is odd.
fn session_id(visit: usize) -> String {
    let drawn = (visit as u128 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    format!("{drawn:032X}")
}

/// Every link of the page with this visit's id, in the three spellings by turns.
fn with_session(html: &str, visit: usize) -> String {
    let id = session_id(visit);
    let mut parts = html.split("href=\"");
    let mut out = parts.next().unwrap_or("").to_owned();
    for (turn, part) in parts.enumerate() {
        let (path, rest) = part.split_once('"').unwrap_or((part, ""));
        let spelling = [";jsessionid=", "?sid=", "?PHPSESSID="][(turn + visit) % 3];
        let _ = write!(out, "href=\"{path}{spelling}{id}\"{rest}");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn pages_of_the_kind_have_addresses_of_their_own() {
        for trap in [calendar(), facets(), sessions()] {
            let truth = trap.truth();
            assert!(truth.contains(&trap.sample()));
            assert_eq!(truth.iter().collect::<HashSet<_>>().len(), truth.len());
        }
    }

    #[test]
    fn a_month_leads_to_the_next() {
        assert!(month_page(2031, 12, &[]).contains("/calendar/2032/01/"));
        assert!(month_page(2031, 1, &[]).contains("/calendar/2030/12/"));
        assert!(month_page(9999, 12, &[]).contains("/calendar/9999/12/"));
    }

    #[test]
    fn a_filter_leads_to_narrower_ones_and_filters() {
        let filter = Filter::of("/shop/hats?size=m&colour=red&page=2");
        let list = aisle_list(3, "/shop/hats", &filter);
        assert!(list.contains("/shop/hats?colour=red&amp;colour=blue&amp;size=m\""), "{list}");
        assert!(list.contains("/shop/hats?colour=red&amp;size=m&amp;sort=price\""), "{list}");
        let of_colour = |colour| Filter::of("/shop/hats").with(("colour", colour)).products(3).len();
        assert_eq!(COLOURS.map(of_colour).iter().sum::<usize>(), PRODUCTS / AISLES.len());
    }

    #[test]
    fn no_link_is_seen_twice() {
        let html = "<a href=\"/a\">a</a><a href=\"/b\">b</a><a href=\"/c\">c</a>";
        assert_eq!((0..VISITS).map(session_id).collect::<HashSet<_>>().len(), VISITS);
        let first = with_session(html, 0);
        assert!(first.contains("/a;jsessionid=") && first.contains("/b?sid=") && first.contains("/c?PHPSESSID="));
        assert_ne!(first, with_session(html, 3));
    }
}
