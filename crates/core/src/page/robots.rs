//! What does a page ask of robots? `X-Robots-Tag` headers and `<meta name=robots>` → [`Directives`].
//!
//! - [`Directives`]: what is asked. - [`of`]: header and body of an answer together. - [`in_header`], [`in_body`]: each alone.
//!
//! Only what is addressed to all robots, or to us by name, counts. A page's head is looked at, never its body: what visitors
//! wrote there is not the site's word. Knows nothing of robots.txt, and does not decide whether a wish is honoured.

use super::charset::prescan;
use memchr::memmem;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Directives {
    /// Links of the page should not be followed.
    pub nofollow: bool,
    /// The page should not be shown by search engines.
    pub noindex: bool,
}

/// The name that sites may address us by.
const OWN_NAME: &str = "pagekin";

/// Directives with a value of their own: what stands before their colon is no robot's name.
const WITH_VALUE: [&str; 4] = ["unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"];

impl Directives {
    fn and(self, other: Self) -> Self {
        Self { nofollow: self.nofollow || other.nofollow, noindex: self.noindex || other.noindex }
    }

    fn read(value: &str) -> Self {
        value.split([',', ' ', '\t', '\n', '\r']).fold(Self::default(), |all, token| {
            let is = |word: &str| token.eq_ignore_ascii_case(word);
            let none = is("none");
            all.and(Self { nofollow: none || is("nofollow"), noindex: none || is("noindex") })
        })
    }
}

/// All that an answer says.
pub fn of<'h>(headers: impl Iterator<Item = &'h str>, body: &[u8]) -> Directives {
    headers.map(in_header).fold(in_body(body), Directives::and)
}

/// One `X-Robots-Tag` header. A name before the first colon addresses all that follows to that robot.
pub fn in_header(value: &str) -> Directives {
    let Some((name, rest)) = value.split_once(':') else { return Directives::read(value) };
    let name = name.trim();
    let is_name = !name.contains(',') && !WITH_VALUE.iter().any(|known| name.eq_ignore_ascii_case(known));
    match is_name {
        true if name.eq_ignore_ascii_case(OWN_NAME) => Directives::read(rest),
        true => Directives::default(),
        false => Directives::read(value),
    }
}

/// The `<meta>` elements of a page's head.
pub fn in_body(body: &[u8]) -> Directives {
    let head = &body[..memmem::find(body, b"<body").or_else(|| memmem::find(body, b"<BODY")).unwrap_or(body.len())];
    let mut all = Directives::default();
    // Cheap, and false for most pages that ask nothing.
    if [&b"obots"[..], b"OBOTS", OWN_NAME.as_bytes()].iter().any(|word| memmem::find(head, word).is_some()) {
        prescan::each_meta(head, |attributes| all = all.and(of_meta(attributes)));
    }
    all
}

fn of_meta(attributes: &[prescan::Attribute]) -> Directives {
    let value = |wanted: &[u8]| attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_slice());
    let addressed = value(b"name").is_some_and(|name| [b"robots", OWN_NAME.as_bytes()].contains(&name.trim_ascii()));
    let content = value(b"content").filter(|_| addressed).unwrap_or_default();
    Directives::read(&String::from_utf8_lossy(content))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: Directives = Directives { nofollow: false, noindex: false };
    const NOFOLLOW: Directives = Directives { nofollow: true, noindex: false };
    const BOTH: Directives = Directives { nofollow: true, noindex: true };

    #[test]
    fn headers_are_for_all_or_for_one() {
        for (value, expected) in [
            ("nofollow", NOFOLLOW),
            ("NoIndex,NOFOLLOW", BOTH),
            ("none", BOTH),
            ("googlebot: nofollow", NOTHING),
            ("googlebot: noindex, nofollow", NOTHING),
            ("pagekin: nofollow", NOFOLLOW),
            ("unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", NOFOLLOW),
            ("nofollow, max-snippet: 20", NOFOLLOW),
            ("nofollowing", NOTHING),
            ("", NOTHING),
        ] {
            assert_eq!(in_header(value), expected, "{value}");
        }
    }

    #[test]
    fn the_head_of_a_page_says_it() {
        for (page, expected) in [
            ("<meta name=robots content=nofollow>", NOFOLLOW),
            ("<META NAME='ROBOTS' CONTENT='NOINDEX, NOFOLLOW'>", BOTH),
            ("<meta content=\"none\" name=\"robots\">", BOTH),
            ("<meta name=robots content=index><meta name=Pagekin content=nofollow>", NOFOLLOW),
            ("<meta name=googlebot content=nofollow>", NOTHING),
            ("<meta name=robots content='index, follow'>", NOTHING),
            ("<!-- <meta name=robots content=nofollow> --><p>robots", NOTHING),
            ("<script>'<meta name=robots content=nofollow>'</script>", NOTHING),
            ("<body><meta name=robots content=nofollow>", NOTHING),
            ("<p>robots, nofollow", NOTHING),
        ] {
            assert_eq!(in_body(page.as_bytes()), expected, "{page}");
        }
    }

    #[test]
    fn header_and_page_are_taken_together() {
        let said = of(["googlebot: none", "noindex"].into_iter(), b"<meta name=robots content=nofollow>");
        assert_eq!(said, BOTH);
        assert_eq!(of(std::iter::empty(), b""), NOTHING);
    }
}
