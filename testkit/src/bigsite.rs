//! What does a site of any size look like? A number of pages → an archive of a synthetic catalogue, always the same.
//!
//! Home → categories → paginated lists → items. Every page carries a menu of all categories, items link to related
//! items, so a page has about 60 links and 8 to 20 kB, as shops do. Written as WARC by hand, one gzip member a
//! record, so that the product's own writer is not what it is tested with.
//!
//! - [`BigSite`]: which page has which address and content. - [`write()`]: any pages as an archive.

use flate2::{Compression, write::GzEncoder};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const CATEGORIES: usize = 40;
const ITEMS_PER_LIST: usize = 20;
const RELATED: usize = 12;
const WORDS: [&str; 32] = [
    "steel", "river", "quiet", "lantern", "copper", "garden", "window", "harbour", "velvet", "signal", "maple",
    "granite", "feather", "compass", "meadow", "anchor", "crystal", "thunder", "cotton", "saddle", "orchard", "pepper",
    "timber", "violet", "whistle", "marble", "canyon", "bottle", "falcon", "ginger", "hammer", "island",
];

/// A catalogue with about this many pages.
pub struct BigSite {
    items: usize,
}

impl BigSite {
    /// At least 1 home, all categories and lists, and so many items that `pages` are reached.
    pub fn new(pages: usize) -> Self {
        let per_item = 1.0 + 1.0 / ITEMS_PER_LIST as f64;
        Self { items: (pages.saturating_sub(1 + CATEGORIES) as f64 / per_item) as usize }
    }

    pub fn items(&self) -> usize {
        self.items
    }

    /// The address of an item.
    pub fn item(&self, number: usize) -> String {
        format!("http://big.example/item/{}-{}-{number}", word(number, 1), word(number, 2))
    }

    /// Every page: address and HTML.
    pub fn pages(&self) -> impl Iterator<Item = (String, String)> + '_ {
        let home = ("http://big.example/".to_owned(), self.page("Home", &links((0..CATEGORIES).map(category)), 0));
        let categories = (0..CATEGORIES).map(|number| {
            let lists = (0..self.lists(number)).map(move |page| list(number, page));
            (category(number), self.page(&format!("Category {number}"), &links(lists), number))
        });
        let lists = (0..CATEGORIES).flat_map(move |number| (0..self.lists(number)).map(move |page| (number, page)));
        let lists = lists.map(|(number, page)| (list(number, page), self.list_page(number, page)));
        let items = (0..self.items).map(|number| (self.item(number), self.item_page(number)));
        std::iter::once(home).chain(categories).chain(lists).chain(items)
    }

    /// Writes the archive; gives the number of pages.
    pub fn write(&self, path: &Path) -> io::Result<usize> {
        write(path, self.pages())
    }

    /// Items of a category are those whose number leaves it as rest.
    fn in_category(&self, category: usize) -> usize {
        (self.items + CATEGORIES - 1 - category) / CATEGORIES
    }

    fn lists(&self, category: usize) -> usize {
        self.in_category(category).div_ceil(ITEMS_PER_LIST)
    }

    fn list_page(&self, category: usize, page: usize) -> String {
        let first = page * ITEMS_PER_LIST;
        let last = (first + ITEMS_PER_LIST).min(self.in_category(category));
        let items = (first..last).map(|place| self.item(place * CATEGORIES + category));
        let next = (page + 1 < self.lists(category)).then(|| list(category, page + 1));
        let body = links(items) + &next.map_or(String::new(), |next| format!("<a rel=next href=\"{next}\">next</a>"));
        self.page(&format!("Category {category}, page {page}"), &body, category * 1000 + page)
    }

    fn item_page(&self, number: usize) -> String {
        let related = (1..=RELATED).map(|step| self.item((number + step * step * 7919) % self.items));
        let mut body = String::from("<dl>");
        for field in 0..12 {
            let _ = write!(body, "<dt>{}</dt><dd>{}</dd>", word(field, 3), word(number, field + 4));
        }
        let _ = write!(body, "</dl><div class=price>{}.{:02}</div>", number % 900 + 10, number % 100);
        self.page(&format!("Item {number}"), &(body + &links(related)), number)
    }

    fn page(&self, title: &str, body: &str, seed: usize) -> String {
        let menu = links((0..CATEGORIES).map(category));
        let mut text = String::new();
        for paragraph in 0..6 + seed % 9 {
            text.push_str("<p class=\"text block\">");
            for place in 0..110 {
                let _ = write!(text, "{} ", word(seed.wrapping_mul(31) + paragraph, place));
            }
            text.push_str("</p>\n");
        }
        format!(
            "<!DOCTYPE html><html><head><meta charset=utf-8><title>{title}</title></head><body>\
             <nav>{menu}</nav><main><h1>{title}</h1>{body}{text}</main></body></html>\n"
        )
    }
}

/// An archive of these pages (address and HTML); gives their number.
pub fn write(path: &Path, pages: impl Iterator<Item = (String, String)>) -> io::Result<usize> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut count = 0;
    for (url, html) in pages {
        let mut member = GzEncoder::new(&mut out, Compression::fast());
        member.write_all(record(&url, &html).as_bytes())?;
        member.finish()?;
        count += 1;
    }
    out.flush()?;
    Ok(count)
}

fn category(number: usize) -> String {
    format!("http://big.example/category/{}-{number}", word(number, 0))
}

fn list(category: usize, page: usize) -> String {
    format!("http://big.example/category/{}-{category}/page/{page}", word(category, 0))
}

fn links(to: impl Iterator<Item = String>) -> String {
    let mut out = String::from("<ul class=\"list\">");
    for url in to {
        let name = url.rsplit('/').next().unwrap_or("");
        let _ = write!(out, "<li><a href=\"{url}\">{name}</a></li>");
    }
    out + "</ul>"
}

/// A word that looks chosen at random and is always the same.
fn word(seed: usize, place: usize) -> &'static str {
    let mixed = (seed as u64 ^ (place as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    WORDS[(mixed >> 59) as usize]
}

fn record(url: &str, html: &str) -> String {
    let http = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\r\n{html}",
        html.len()
    );
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2024-01-01T00:00:00Z\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n{http}\r\n\r\n",
        http.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_are_many_alike_and_linked() {
        let site = BigSite::new(1000);
        let pages: Vec<(String, String)> = site.pages().collect();
        assert!((950..=1050).contains(&pages.len()), "{}", pages.len());
        let urls: std::collections::HashSet<&str> = pages.iter().map(|(url, _)| url.as_str()).collect();
        assert_eq!(urls.len(), pages.len());
        for (url, html) in &pages {
            assert!((7_000..25_000).contains(&html.len()), "{url}: {}", html.len());
            for target in html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(urls.contains(target), "{url} links to {target}");
            }
        }
        let linked: std::collections::HashSet<&str> = pages
            .iter()
            .flat_map(|(_, html)| html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()))
            .collect();
        assert!(site.items() > 800 && (0..site.items()).all(|number| linked.contains(site.item(number).as_str())));
    }
}
