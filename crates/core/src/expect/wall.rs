//! Why has a page that had values none now? Its document → what stands in the way.
//!
//! - [`Wall`]: a login, a captcha, a notice. - [`wall`]: of a page that lost its values. On other pages a form to log in, or a captcha below a
//!   comment, means nothing, and they are not asked about.

use crate::page::dom::{Document, NodeId};
use crate::page::text;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wall {
    /// It asks for a password.
    Login,
    /// It asks for proof that a person asks.
    Captcha,
    /// It says little: an error, "no results", a pause for repairs.
    Notice,
}

/// What captchas are called in addresses of scripts and frames, in classes and ids.
const CAPTCHAS: [&str; 7] =
    ["captcha", "turnstile", "cf-challenge", "cf-chl", "px-block", "datadome", "challenge-platform"];

/// A notice has less text than this, in bytes, with the menus around it.
const NOTICE: usize = 1500;

impl Wall {
    pub fn name(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Captcha => "captcha",
            Self::Notice => "notice",
        }
    }

    /// After "so many pages …".
    pub fn told(self) -> &'static str {
        match self {
            Self::Login => "ask for a password instead of showing what they showed",
            Self::Captcha => "ask for proof that a person asks, instead of showing what they showed",
            Self::Notice => "show a notice instead of what they showed",
        }
    }
}

/// Of a page that lost its values; none where it says enough of other things.
pub fn wall(document: &Document) -> Option<Wall> {
    let mut nodes = document.descendants(Document::ROOT);
    if nodes.any(|node| is_captcha(document, node)) {
        return Some(Wall::Captcha);
    }
    let mut nodes = document.descendants(Document::ROOT);
    if nodes.any(|node| is_password(document, node)) {
        return Some(Wall::Login);
    }
    let text: usize = text::leaves(document).iter().map(|leaf| leaf.text.len()).sum();
    (text < NOTICE).then_some(Wall::Notice)
}

fn is_password(document: &Document, node: NodeId) -> bool {
    document.name(node) == "input"
        && document.attribute(node, "type").is_some_and(|kind| kind.eq_ignore_ascii_case("password"))
}

fn is_captcha(document: &Document, node: NodeId) -> bool {
    let named = |name| {
        let value = document.attribute(node, name).unwrap_or("").to_ascii_lowercase();
        CAPTCHAS.iter().any(|captcha| value.contains(captcha))
    };
    ["src", "class", "id", "action", "data-sitekey"].into_iter().any(named)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::{Limits, parser};

    #[test]
    fn what_stands_in_the_way_is_told_by_the_page() {
        let of = |html: &str| wall(&parser::parse(html, &Limits::default()).unwrap());
        assert_eq!(of("<form><input name=u><input type=password></form>"), Some(Wall::Login));
        assert_eq!(of("<div class=g-recaptcha></div><input type=password>"), Some(Wall::Captcha));
        assert_eq!(of("<script src=https://challenges.example/turnstile/v0/api.js></script>"), Some(Wall::Captcha));
        assert_eq!(of("<h1>Kein Ergebnis</h1>"), Some(Wall::Notice));
        assert_eq!(of(&format!("<p>{}", "words and more of them ".repeat(100))), None);
    }
}
