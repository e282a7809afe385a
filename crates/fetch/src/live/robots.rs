//! May this address be asked, by the site's robots.txt (RFC 9309)? Bytes of the file → rules for us.
//!
//! - [`Rules`]: what a host allows us, and how often.
//! - [`product_token`]: our name in the file.
//!
//! The `robotxt` crate reads the file and sorts the rules. Two things are done here, because it does them otherwise:
//! a `%2A` or `%24` in a rule stands for the character itself (2.2.3), and a name with a version
//! (`User-agent: pagekin/1.0`) means its product. Does not fetch anything.

use robotxt::Robots;
use std::borrow::Cow;
use std::time::Duration;
use url::{Position, Url};

/// What the RFC says must be read (2.5); `robotxt` reads no more.
pub const SIZE: usize = robotxt::BYTE_LIMIT + 1;

/// Letters of an address times rules that are compared: a file of 30,000 rules would take a second for each long address.
const MOST_COMPARED: usize = 20_000_000;

#[derive(Debug, Clone)]
pub struct Rules(Robots);

impl Rules {
    pub fn parse(file: &[u8], token: &str) -> Self {
        Self(Robots::parse(&without_versions(&file[..file.len().min(SIZE)]), token))
    }

    pub fn allow_all() -> Self {
        Self(Robots::allow_all())
    }

    /// The rule that forbids this address.
    pub fn forbidding(&self, url: &Url) -> Option<&str> {
        let path = &url[Position::BeforePath..Position::AfterQuery];
        if path == "/robots.txt" {
            return None;
        }
        if self.0.rules().len().saturating_mul(path.len()) > MOST_COMPARED {
            return Some("too many rules to hold so long an address against");
        }
        let escaped = escape_specials(path);
        let rule = self.0.rules().iter().find(|rule| rule.is_match(path) || rule.is_match(&escaped))?;
        (!rule.is_allow()).then(|| rule.pattern())
    }

    pub fn crawl_delay(&self) -> Option<Duration> {
        self.0.crawl_delay()
    }
}

/// The product token of a user agent: its leading letters, `-` and `_` (2.2.1).
pub fn product_token(user_agent: &str) -> &str {
    let end = user_agent.find(|c: char| !is_token(c)).unwrap_or(user_agent.len());
    &user_agent[..end]
}

fn is_token(c: char) -> bool {
    c.is_ascii_alphabetic() || c == '-' || c == '_'
}

/// The spelling of a path in which a rule names `*` and `$` themselves.
fn escape_specials(path: &str) -> Cow<'_, str> {
    if !path.contains(['*', '$']) {
        return Cow::Borrowed(path);
    }
    Cow::Owned(path.replace('*', "%2A").replace('$', "%24"))
}

/// Cuts the values of `User-agent` lines at the slash before a version.
fn without_versions(file: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(file.len());
    for line in file.split_inclusive(|byte| matches!(byte, b'\n' | b'\r')) {
        let slash = line.iter().position(|&byte| byte == b'/').filter(|_| names_agent(line));
        match slash {
            Some(slash) => {
                out.extend_from_slice(&line[..slash]);
                out.push(b'\n');
            }
            None => out.extend_from_slice(line),
        }
    }
    out
}

fn names_agent(line: &[u8]) -> bool {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line).trim_ascii_start();
    line.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(b"user"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(file: &str, path: &str) -> bool {
        let url = Url::parse(&format!("http://s{path}")).unwrap();
        Rules::parse(file.as_bytes(), "pagekin").forbidding(&url).is_none()
    }

    #[test]
    fn the_longest_match_wins_and_allow_wins_a_tie() {
        let file = "User-agent: *\nDisallow: /shop/\nAllow: /shop/public/\nDisallow: /tie\nAllow: /tie\n";
        assert!(!allowed(file, "/shop/secret"));
        assert!(allowed(file, "/shop/public/1"));
        assert!(allowed(file, "/tie"));
        assert!(allowed(file, "/elsewhere"));
        // The RFC's own example (5.2).
        let file = "User-Agent: pagekin\nAllow: /example/page/\nDisallow: /example/page/disallowed.gif\n";
        assert!(!allowed(file, "/example/page/disallowed.gif"));
        assert!(allowed(file, "/example/page/other.gif"));
    }

    #[test]
    fn wildcards_and_ends() {
        let file = "User-agent: *\nDisallow: /*.php$\nDisallow: /a*z\nDisallow: /*?sort=\n";
        assert!(!allowed(file, "/x/index.php"));
        assert!(allowed(file, "/x/index.php?id=1"));
        assert!(!allowed(file, "/a/b/z/more"));
        assert!(allowed(file, "/a/b"));
        assert!(!allowed(file, "/list?sort=up"));
        assert!(allowed(file, "/list?page=2"));
    }

    #[test]
    fn special_characters_are_named_by_their_escapes() {
        let file = "User-agent: *\nDisallow: /file-with-a-%2A.html\nDisallow: /foo-%24\n";
        assert!(!allowed(file, "/file-with-a-*.html"));
        assert!(!allowed(file, "/foo-$"));
        assert!(allowed(file, "/file-with-a-b.html"));
        assert!(!allowed("User-agent: *\nDisallow: /a$b", "/a$b"));
    }

    #[test]
    fn octets_are_compared_in_one_spelling() {
        // The RFC's table in 2.2.2.
        let file =
            "User-agent: *\nDisallow: /foo/bar?baz=https://foo.bar\nDisallow: /x/\u{30C4}\nDisallow: /y/%62%61%7A\n";
        assert!(!allowed(file, "/foo/bar?baz=https://foo.bar"));
        assert!(!allowed(file, "/x/%E3%83%84"));
        assert!(!allowed(file, "/y/baz"));
    }

    #[test]
    fn groups_are_chosen_by_name_in_any_case_and_merged() {
        let file = "User-agent: other\nUser-agent: PageKin\nDisallow: /a\n\nUser-agent: *\nDisallow: /\n\nuser-agent: pagekin\nDisallow: /b\n";
        assert!(!allowed(file, "/a"));
        assert!(!allowed(file, "/b"));
        assert!(allowed(file, "/c"), "the group for all others is not ours");
        assert!(!allowed("User-agent: other\nAllow: /\n\nUser-agent: *\nDisallow: /\n", "/c"));
        assert!(allowed("User-agent: pagekinder\nDisallow: /\n", "/c"), "another product");
        assert!(!allowed("User-agent: pagekin/2.0 (x)\nDisallow: /\n", "/c"));
        assert!(allowed("User-agent: *\nDisallow: /\n\nUser-agent: pagekin/2.0\r\nDisallow:\n", "/c"));
    }

    #[test]
    fn rules_outside_groups_empty_rules_and_noise_forbid_nothing() {
        assert!(allowed("Disallow: /\n", "/"));
        assert!(allowed("User-agent: *\nDisallow:\n", "/"));
        assert!(allowed("", "/"));
        assert!(allowed("<!doctype html><title>Not found</title><p>disallow: /", "/"));
        assert!(allowed("User-agent: *\nDisallow: / # all\n", "/robots.txt"), "the file itself is always allowed");
        assert!(!allowed(
            "User-agent: *\nCrawl-delay: 1\nDisallow: /x # why\nSitemap: http://s/m.xml\nDisallow: /y",
            "/y"
        ));
    }

    #[test]
    fn a_byte_order_mark_and_any_line_end_are_read() {
        assert!(!allowed("\u{feff}User-agent: *\r\nDisallow: /a\r\n", "/a"));
        assert!(!allowed("\u{feff}User-agent: pagekin/1\rDisallow: /a\r", "/a"));
    }

    #[test]
    fn what_lies_beyond_the_size_is_ignored() {
        let padding = "# padding line of some length\n".repeat(SIZE / 30);
        let file = format!("User-agent: *\nDisallow: /early\n{padding}Disallow: /late\n{padding}");
        assert!(file.len() > SIZE);
        assert!(!allowed(&file, "/early"));
        assert!(allowed(&format!("User-agent: *\n{padding}{padding}Disallow: /late\n"), "/late"));
        let within = format!("User-agent: *\n{}Disallow: /late\n", "# x\n".repeat(120_000));
        assert!(within.len() > 450 * 1024 && within.len() < 500 * 1024);
        assert!(!allowed(&within, "/late"));
    }

    #[test]
    fn a_long_address_is_not_held_against_endless_rules() {
        let rules: String = (0..30_000).map(|number| format!("Disallow: /{number}*x\n")).collect();
        let file = format!("User-agent: *\n{rules}");
        assert!(allowed(&file, "/a"));
        assert!(!allowed(&file, &format!("/{}", "a".repeat(8000))));
    }

    #[test]
    fn the_delay_is_exposed() {
        let file = "Sitemap: http://s/1.xml\nUser-agent: pagekin\nCrawl-delay: 2.5\n";
        let rules = Rules::parse(file.as_bytes(), "pagekin");
        assert_eq!(rules.crawl_delay(), Some(Duration::from_millis(2500)));
        assert_eq!(Rules::parse(b"User-agent: *\nCrawl-delay: -1", "pagekin").crawl_delay(), None);
    }

    #[test]
    fn our_name_is_the_first_word_of_the_user_agent() {
        assert_eq!(product_token("pagekin/0.1.0 (+https://example.org)"), "pagekin");
        assert_eq!(product_token("My-Bot_x 2"), "My-Bot_x");
        assert_eq!(product_token("7z"), "");
    }
}
