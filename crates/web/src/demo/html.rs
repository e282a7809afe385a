//! How does a page look, whatever it says? Title, trail and content → a whole HTML document.
//!
//! - [`Frame`]: what differs from page to page around the content.
//! - [`escaped`]: the only way text gets into a document.
//!
//! Knows nothing of drivers. Every page has the same header, menu, breadcrumbs and footer, as template-made
//! sites do; the list of a page is built by [`list`] whatever it lists, so that its place does not tell.

use crate::escaped;

/// What differs around the content.
pub(super) struct Frame<'a> {
    pub title: &'a str,
    /// Address and name of the pages above this one.
    pub trail: &'a [(String, String)],
    /// Extra elements for the head, already HTML.
    pub head: String,
    /// The `class` of `main`.
    pub kind: &'a str,
}

const MENU: [(&str, &str); 5] =
    [("/", "Home"), ("/drivers/", "Drivers"), ("/teams/", "Teams"), ("/news/", "News"), ("/calendar.htm", "Calendar")];

pub(super) fn link(address: &str, text: &str) -> String {
    format!("<a href=\"{}\">{}</a>", escaped(address), escaped(text))
}

/// A list of links in the place where every page has its list.
pub(super) fn list<'a>(heading: &str, links: impl IntoIterator<Item = (String, &'a str)>) -> String {
    let rows: String = links.into_iter().map(|(to, text)| format!("    <li>{}</li>\n", link(&to, text))).collect();
    format!("<div class=\"panel\">\n  <h2>{}</h2>\n  <ul class=\"list\">\n{rows}  </ul>\n</div>\n", escaped(heading))
}

/// Name and value in a table; a value is HTML already, because it may be a link.
pub(super) fn facts(rows: &[(&str, String)]) -> String {
    let rows: String = rows
        .iter()
        .map(|(name, value)| format!("  <tr><th scope=\"row\">{}</th><td>{value}</td></tr>\n", escaped(name)))
        .collect();
    format!("<table class=\"facts\">\n{rows}</table>\n")
}

pub(super) fn document(frame: &Frame<'_>, content: &str) -> String {
    let title = escaped(frame.title);
    let menu: String = MENU.iter().map(|(to, text)| format!("<li>{}</li>", link(to, text))).collect();
    let trail: String = frame.trail.iter().map(|(to, text)| format!("{} &rsaquo; ", link(to, text))).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title} | Racing Championship</title>\n\
         {head}</head>\n<body>\n<div class=\"site\">\n\
         <header class=\"top\"><h3><a href=\"/\">Racing Championship</a></h3>\n\
         <nav class=\"menu\"><ul>{menu}</ul></nav>\n\
         <form class=\"account\"><a href=\"/account/logout\">Log out</a></form></header>\n\
         <p class=\"trail\">{trail}<b>{title}</b></p>\n\
         <main class=\"{kind}\">\n{content}</main>\n\
         <footer><p><a href=\"/about.htm\">About this site</a> <a href=\"/private/\">Team area</a></p></footer>\n\
         </div>\n</body>\n</html>\n",
        head = frame.head,
        kind = frame.kind,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_leaves_no_markup() {
        assert_eq!(escaped("<a b=\"c\" d='e'>&"), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
        assert_eq!(escaped("Côte"), "Côte");
    }

    #[test]
    fn list_and_link_escape_both_halves() {
        assert_eq!(link("/?a=1&b=2", "a < b"), "<a href=\"/?a=1&amp;b=2\">a &lt; b</a>");
        assert!(list("R & D", [("/x".to_owned(), "<x>")]).contains("<h2>R &amp; D</h2>"));
    }
}
