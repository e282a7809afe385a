//! Of which parts does an address consist? Text of an address → layout (what is the same for all of a form) and cells.
//!
//! `http://s/shop/blue-carpet-2?b=x&a=7` → layout `http://s/␁/␁-␂?a=␂&b=␁`, cells `shop`, `blue-carpet`, `2`, `7`, `x`.
//! Parameters are sorted by name (thesis 3.1.1), session and tracking parameters are dropped, a trailing slash is not part
//! of the layout. Beyond the thesis a number may stand at either end of a path element or a value, or behind a short marker
//! (`-g60763-d93437-`, `-p-247.html`); which markers a site has is in [`Markers`].
//!
//! - [`Layout`]: the text between the cells, and what each cell is. - [`Split`]: one address, taken apart.
//!
//! Knows nothing of which cells are ids.

use super::markers::{Admitted, Markers, Run, runs};
use crate::page::address::names_visit;

/// Stand for a text and for a number in a layout; no address holds them.
pub const TEXT: char = '\u{1}';
pub const NUMBER: char = '\u{2}';

/// Longest number taken for one: 18 digits always fit into 64 bits.
pub const LONGEST_NUMBER: usize = 18;

/// Addresses with more cells than this are left out: far beyond any page's address, it bounds what a hostile one costs.
pub const MOST_CELLS: usize = 48;

/// One address taken apart. Reused from address to address.
#[derive(Debug, Default)]
pub struct Split<'u> {
    pub layout: String,
    pub cells: Vec<&'u str>,
    /// Is there a path element or parameter that is a number and nothing else? Then numbers inside names are part of them.
    whole: bool,
}

/// Scheme and host, path, query; none when it is no web address.
pub fn parts(url: &str) -> Option<(&str, &str, &str)> {
    let url = url.split('#').next().unwrap_or("");
    let after = url.find("://")? + 3;
    if !matches!(&url[..after - 3], "http" | "https" | "HTTP" | "HTTPS") {
        return None;
    }
    let (before, query) = url.split_once('?').unwrap_or((url, ""));
    let slash = before.get(after..)?.find('/').map_or(before.len(), |at| at + after);
    (slash > after).then(|| (&before[..slash], &before[slash..], query))
}

impl<'u> Split<'u> {
    /// Takes `url` apart; false when it is no web address or has too many parts.
    pub fn read(&mut self, url: &'u str, markers: &Markers) -> bool {
        self.layout.clear();
        self.cells.clear();
        let Some((origin, path, query)) = parts(url) else { return false };
        self.layout.extend(origin.chars().map(|c| c.to_ascii_lowercase()));
        self.whole = has_whole_number(path, query);
        let elements = path.split('/').filter(|element| !element.is_empty()).count();
        for (place, element) in path.split('/').filter(|element| !element.is_empty()).enumerate() {
            self.layout.push('/');
            self.value(element, markers.of(origin, elements, place));
        }
        self.query(query, markers.of(origin, elements, usize::MAX));
        self.cells.len() <= MOST_CELLS
    }

    /// What has no name (`?item-5`) is a value as a whole (the thesis' lost domain, 4.2).
    fn query(&mut self, query: &'u str, markers: Admitted) {
        let parts = query.split('&').filter(|part| !part.is_empty());
        let named = parts.map(|part| part.split_once('=').map_or(("", part), |(name, value)| (name, value)));
        let mut named: Vec<(&str, &str)> = named.filter(|(name, _)| !names_visit(name)).collect();
        named.sort_by_key(|(name, _)| *name);
        for (at, (name, value)) in named.into_iter().enumerate() {
            self.layout.push(if at == 0 { '?' } else { '&' });
            if !name.is_empty() {
                self.layout.push_str(name);
                self.layout.push('=');
            }
            self.value(value, markers);
        }
    }

    /// A path element or a value of a parameter.
    fn value(&mut self, text: &'u str, markers: Admitted) {
        let mut from = 0;
        let runs = if is_address(text) { Vec::new() } else { kept(text, markers, self.whole) };
        if runs.is_empty() {
            self.layout.push(TEXT);
            self.cells.push(text);
            return;
        }
        for run in runs {
            self.text(&text[from..run.marker]);
            self.layout.push_str(&text[run.marker..run.start]);
            self.layout.push(NUMBER);
            self.cells.push(&text[run.start..run.end]);
            from = run.end;
        }
        let rest = &text[from..];
        if from > 0 && is_ending(rest) {
            self.layout.push_str(rest);
        } else {
            self.text(rest);
        }
    }

    /// Text as a cell, the delimiters around it as part of the layout.
    fn text(&mut self, text: &'u str) {
        let inner = text.trim_matches(is_delimiter);
        if inner.is_empty() {
            self.layout.push_str(text);
            return;
        }
        let start = text.len() - text.trim_start_matches(is_delimiter).len();
        self.layout.push_str(&text[..start]);
        self.layout.push(TEXT);
        self.layout.push_str(&text[start + inner.len()..]);
        self.cells.push(inner);
    }
}

pub fn is_delimiter(c: char) -> bool {
    matches!(c, '-' | '_' | '.' | ':' | '=' | ',' | ';' | '~' | '+' | '!' | '(' | ')' | '*' | '@' | '$' | '|')
}

/// A value that is itself an address says where to go next; its numbers are not of this page.
fn is_address(text: &str) -> bool {
    let escaped = |at: usize| text.get(at..at + 3).is_some_and(|code| code.eq_ignore_ascii_case("%2f"));
    text.contains("://") || text.bytes().enumerate().any(|(at, byte)| byte == b'%' && escaped(at))
}

/// `.html`, `.aspx`: what the server runs or sends, the same for all pages of a form.
fn is_ending(text: &str) -> bool {
    text.len() <= 6 && text.strip_prefix('.').is_some_and(|word| word.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The ending of a value; empty when it has none.
fn ending(text: &str) -> &str {
    text.rfind('.').map(|dot| &text[dot..]).filter(|rest| is_ending(rest)).unwrap_or("")
}

/// The numbers of a value that may be ids: those behind a marker of the site, else the longest of those at an end. Others
/// are part of a name (`apollo-13`), and so are all when the address has a number that stands alone.
fn kept(text: &str, markers: Admitted, whole: bool) -> Vec<Run> {
    let mut runs = runs(text);
    let ends = |run: &Run| run.start == 0 || run.end == text.len() || is_ending(&text[run.end..]);
    let alone = |run: &Run| run.start == 0 && (run.end == text.len() || is_ending(&text[run.end..]));
    let marked = |run: &Run| markers.has(&text[run.marker..run.start]);
    let best = runs.iter().filter(|run| run.plain && ends(run)).max_by_key(|run| (run.len(), run.start));
    let best = best.filter(|run| !whole || alone(run)).map(|run| run.start);
    // `thread-4711-2-1.html`: parts of one address, not a name with numbers in it.
    let plain = |c: char| c.is_ascii_digit() || is_delimiter(c);
    let numbers = runs
        .first()
        .is_some_and(|run| text[run.start..].strip_suffix(ending(text)).is_some_and(|rest| rest.chars().all(plain)));
    if numbers && runs.len() >= 3 && !whole {
        runs.iter_mut().for_each(|run| run.marker = run.start);
        return runs;
    }
    let habit = !whole && runs.iter().any(marked);
    let kept = |run: &Run| if habit { marked(run) } else { Some(run.start) == best };
    runs.retain(|run| run.len() <= LONGEST_NUMBER && kept(run));
    for run in &mut runs {
        if !markers.has(&text[run.marker..run.start]) {
            run.marker = run.start;
        }
    }
    runs
}

/// Years and what follows them (months, days) do not count, nor do parameters that are not named like ids.
fn has_whole_number(path: &str, query: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let year = |text: &str| text.len() == 4 && (text.starts_with("19") || text.starts_with("20"));
    let mut dated = false;
    for element in path.split('/') {
        let stem = element.rfind('.').filter(|&dot| is_ending(&element[dot..])).map_or(element, |dot| &element[..dot]);
        if digits(stem) && !year(stem) && !(dated && stem.len() <= 2) {
            return true;
        }
        dated = dated && digits(stem) || year(stem);
    }
    let named = |name: &str| name.to_ascii_lowercase().ends_with("id");
    query.split('&').filter_map(|part| part.split_once('=')).any(|(name, value)| digits(value) && named(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        let mut split = Split::default();
        assert!(split.read(url, &Markers::default()), "{url}");
        let layout = split.layout.replace(TEXT, "T").replace(NUMBER, "N");
        format!("{layout} {}", split.cells.join(" "))
    }

    #[test]
    fn numbers_at_the_ends_of_elements_are_cells() {
        for (url, expected) in [
            ("HTTP://S.org/shop/blue-carpet-2/", "http://s.org/T/T-N shop blue-carpet 2"),
            ("http://s/m/1234-apollo_13", "http://s/T/N-T m 1234 apollo_13"),
            ("http://s/apollo-13-4711.html", "http://s/T-N.html apollo-13 4711"),
            ("http://s/f?topic=1&page=2#top", "http://s/T?page=N&topic=N f 2 1"),
            ("http://s/f?PHPSESSID=12&id=a%205", "http://s/T?id=T f a%205"),
            ("http://s/review-5.html", "http://s/T-N.html review 5"),
            ("http://s/key=77/", "http://s/T=N key 77"),
            ("http://s/book/77/apollo-13", "http://s/T/N/T book 77 apollo-13"),
            ("http://s/2015/04/apollo-13", "http://s/N/N/T-N 2015 04 apollo 13"),
            ("http://s/-/news!", "http://s/T/T - news!"),
            ("http://s/thread-4711-2-1.html", "http://s/T-N-N-N.html thread 4711 2 1"),
            ("http://s/show?item-5", "http://s/T?T-N show item 5"),
            ("http://s/mp3/x5y", "http://s/T/T mp3 x5y"),
            ("http://s/1234567890123456789", "http://s/T 1234567890123456789"),
        ] {
            assert_eq!(shown(url), expected);
        }
        assert!(!Split::default().read("mailto:a@b", &Markers::default()));
        assert!(!Split::default().read("http:///x", &Markers::default()));
    }
}
