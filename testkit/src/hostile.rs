//! Sites that want to do harm: to us, to strangers, or to whoever reads what we found.
//!
//! - [`dead_links`]: a list of links of which almost none leads anywhere. - [`leads_to`]: links that redirect to a stranger.
//! - [`robots_elsewhere`]: a robots.txt at a stranger's. - [`failing`]: links that all fail. - [`months`]: items without an end.
//! - [`heavy`]: pages that take long to think about. - [`fat`]: pages of megabytes. - [`guarded`]: a site with a password.
//! - [`long_base`]: short links that are long addresses. - [`acting`]: links that do something when asked.
//! - [`marked`]: the same, told by forms and `nofollow`. - [`unfollowed`]: pages that ask that their links are not followed.
//! - [`spreadsheet`]: records that a spreadsheet would run and a terminal obey.
//! - [`asked_pages`]: what a server was asked for, robots.txt apart.

use crate::server::{Reply, Server, Site};
use std::fmt::Write;

/// A page of the kind that is looked for, with links to the others of its kind.
fn item(number: usize, of: usize) -> String {
    let mut html = format!("<html><body><h1>Item {number}</h1><p>Price: {number}.00</p><ul>");
    for other in (1..=of).filter(|other| *other != number) {
        let _ = write!(html, "<li><a href=/items/{other}>Item {other}</a></li>");
    }
    html + "</ul><a href=/>Home</a></body></html>"
}

fn list(links: impl Iterator<Item = String>) -> String {
    let mut html = "<html><body><h1>All items</h1><ul>".to_owned();
    for link in links {
        let _ = write!(html, "<li><a href=\"{link}\">Item</a></li>");
    }
    html + "</ul></body></html>"
}

fn with_items(items: usize) -> Server {
    (1..=items).fold(Server::new(), |server, number| server.page(&format!("/items/{number}"), item(number, items)))
}

/// Some items, and a list of so many more that are all gone.
pub fn dead_links(items: usize, dead: usize) -> Site {
    let home = list((1..=items + dead).map(|number| format!("/items/{number}")));
    with_items(items).page("/", home).start()
}

/// Some items, and a list of so many more that all redirect to a stranger; robots.txt names a sitemap there too.
pub fn leads_to(stranger: &str, items: usize, redirects: usize) -> Site {
    let home = list((1..=items + redirects).map(|number| format!("/items/{number}")));
    let (to, robots) = (stranger.to_owned(), format!("Sitemap: {stranger}/sitemap.xml\n"));
    let elsewhere = move |asked: &crate::server::Asked| Reply::redirect(302, format!("{to}{}", asked.target));
    with_items(items).page("/", home).robots(robots).rest(elsewhere).start()
}

/// Some items, and a robots.txt that is a stranger's.
pub fn robots_elsewhere(stranger: &str, items: usize) -> Site {
    let (home, to) = (list((1..=items).map(|number| format!("/items/{number}"))), stranger.to_owned());
    with_items(items).page("/", home).route("/robots.txt", move |_| Reply::redirect(302, to.clone())).start()
}

/// One item that links to so many others; all of those, and everything else, fail.
pub fn failing(items: usize) -> Site {
    Server::new().robots("").page("/items/1", item(1, items)).rest(|_| Reply::status(500)).start()
}

/// Items that each link to the next one, without an end.
pub fn months() -> Site {
    Server::new()
        .robots("")
        .rest(|asked| {
            let number = asked.target.strip_prefix("/items/").and_then(|number| number.parse::<usize>().ok());
            let Some(number) = number else { return Reply::html(list((1..=9).map(|n| format!("/items/{n}")))) };
            let near = (number.saturating_sub(3).max(1)..number + 12).filter(|other| *other != number);
            let links: String = near.map(|n| format!("<li><a href=/items/{n}>Month {n}</a></li>")).collect();
            Reply::html(format!(
                "<html><body><h1>Month {number}</h1><p>Days: {}</p><ul>{links}</ul><a href=/>Home</a></body></html>",
                number % 31
            ))
        })
        .start()
}

/// Items that only who knows name and password gets to see; robots.txt too.
pub fn guarded(name: &str, word: &str, items: usize) -> Site {
    let (expected, home) = (basic(name, word), list((1..=items).map(|number| format!("/items/{number}"))));
    Server::new()
        .rest(move |asked| {
            let number = asked.target.strip_prefix("/items/").and_then(|number| number.parse().ok());
            match (asked.header("authorization") == expected, number) {
                (false, _) => Reply::status(401),
                (true, Some(number)) => Reply::html(item(number, items)),
                (true, None) if asked.target == "/" => Reply::html(home.clone()),
                (true, None) => Reply::status(404),
            }
        })
        .start()
}

/// The header of RFC 7617.
fn basic(name: &str, word: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = "Basic ".to_owned();
    for three in format!("{name}:{word}").as_bytes().chunks(3) {
        let bits = three.iter().fold(0u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
    out
}

/// Items of so many bytes each, almost all of them tags.
pub fn fat(items: usize, bytes: usize) -> Site {
    let page = move |number: usize| {
        let head = format!("<html><body><h1>Item {number}</h1><p>Price: {number}.00</p>");
        head + &"<i>x</i>".repeat(bytes / 8) + "</body></html>"
    };
    (1..=items)
        .fold(Server::new(), |server, number| {
            server.route(&format!("/items/{number}"), move |_| Reply::html(page(number)))
        })
        .start()
}

/// Items of 20 kB each, whose short links are addresses of 8 kB by a long `<base>`, other ones on every page.
pub fn long_base(items: usize) -> Site {
    let folder = "b".repeat(8000);
    let page = move |target: &str| {
        let name = target.rsplit('/').next().unwrap_or("").to_owned();
        let mut html = format!("<html><head><base href='/items/{folder}/'></head><body><h1>Item {name}</h1><ul>");
        for other in 0..items {
            let _ = write!(html, "<li><a href=../{other}>{other}</a><a href={name}-{other}>x</a></li>");
        }
        html + "</ul></body></html>"
    };
    Server::new().rest(move |asked| Reply::html(page(&asked.target))).start()
}

/// What is not to be asked.
pub const ACTS: [&str; 11] = [
    "/buy/3",
    "/items/3/like",
    "/cart?add=3",
    "/deleteItem?id=3",
    "/order/confirm/3",
    "/abmelden",
    "/log%6Fut",
    "/cart?remove_item=3",
    "/items?@action=export_csv",
    "/items/delete/2",
    "/?add-to-cart=3",
];

/// Items among links that do something; all of them answer like an item.
pub fn acting(items: usize) -> Site {
    let acts: String = ACTS.iter().map(|act| format!("<a href=\"{act}\">now</a> ")).collect();
    let home = list((1..=items).map(|number| format!("/items/{number}"))).replace("<ul>", &format!("{acts}<ul>"));
    Server::new()
        .page("/", home)
        .rest(move |asked| {
            let number = asked.target.strip_prefix("/items/").and_then(|number| number.parse().ok());
            Reply::html(item(number.unwrap_or(1), items).replace("<ul>", &format!("{acts}<ul>")))
        })
        .start()
}

/// Links that only their surroundings tell from pages: a form posts to the address, or the page says `nofollow`.
pub const MARKED: [&str; 3] = ["/items/like-this", "/reply-to/anna", "/x/7"];

/// Items among such links; all of them answer like an item.
pub fn marked(items: usize) -> Site {
    let marks = "<form method=post action=/items/like-this><button>Like</button></form><a href=/items/like-this>Like</a>\
        <a rel=nofollow href=/reply-to/anna>Reply</a>\
        <form method=post action=/x/7></form><a rel=nofollow href=/x/7>7</a>";
    let home = list((1..=items).map(|number| format!("/items/{number}"))).replace("<ul>", &format!("{marks}<ul>"));
    Server::new()
        .page("/", home)
        .rest(move |asked| {
            let number = asked.target.strip_prefix("/items/").and_then(|number| number.parse().ok());
            if number.is_none() && !MARKED.contains(&asked.target.as_str()) {
                return Reply::status(404);
            }
            // Links to the other items are marked too: they are needed.
            let page = item(number.unwrap_or(1), items).replace("<li><a href", "<li><a rel=nofollow href");
            Reply::html(page.replace("<ul>", &format!("{marks}<ul>")))
        })
        .start()
}

/// How a page asks that its links are not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    ByMeta,
    ByHeader,
    /// Another robot.
    Another,
}

/// Items whose pages ask that their links are not followed, and that they are not indexed.
pub fn unfollowed(items: usize, asks: Asks) -> Site {
    let meta = "<meta name=robots content='noindex, nofollow'>";
    let dressed = move |page: String| match asks {
        Asks::ByMeta => Reply::html(page.replace("<html>", &format!("<html><head>{meta}</head>"))),
        Asks::ByHeader => Reply::html(page).header("x-robots-tag", "noindex, nofollow"),
        Asks::Another => Reply::html(page).header("x-robots-tag", "otherbot: noindex, nofollow"),
    };
    Server::new()
        .rest(move |asked| match asked.target.strip_prefix("/items/").and_then(|number| number.parse().ok()) {
            Some(number) => dressed(item(number, items)),
            None if asked.target == "/" => dressed(list((1..=items).map(|number| format!("/items/{number}")))),
            None => Reply::status(404),
        })
        .start()
}

/// Items with labels like the columns that say where a record comes from, and values that do something where they are shown.
pub fn spreadsheet(items: usize) -> Site {
    let page = |number: usize| {
        format!(
            "<html><body><h1>Item {number}</h1><table><tr><th>Url<td>http://elsewhere.example/{number}<tr><th>Site<td>s{number}\
             <tr><th>Class<td>c{number}<tr><th>Record<td>r{number}<tr><th>Sum<td>=HYPERLINK(\"http://e.example/{number}\")\
             <tr><th>Note<td>a\u{9b}31m{number} \u{1b}[2J</table></body></html>"
        )
    };
    (1..=items).fold(Server::new(), |server, number| server.page(&format!("/items/{number}"), page(number))).start()
}

/// Everything but robots.txt.
pub fn asked_pages(site: &Site) -> Vec<String> {
    site.targets().into_iter().filter(|target| target != "/robots.txt").collect()
}

/// Items whose pages take long to think about: each a table of so many rows.
pub fn heavy(items: usize, rows: usize) -> Site {
    let home = list((1..=items).map(|number| format!("/items/{number}")));
    let page = |number: usize| {
        let mut html = format!("<html><body><h1>Item {number}</h1><a href=/>Home</a><table>");
        for row in 0..rows {
            let _ = write!(html, "<tr><th>Property {row}</th><td class=v{}>{}</td></tr>", row % 7, row * number);
        }
        html + "</table></body></html>"
    };
    (1..=items)
        .fold(Server::new().page("/", home), |server, number| server.page(&format!("/items/{number}"), page(number)))
        .start()
}
