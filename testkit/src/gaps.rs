//! The site of the thesis' listings: a shop and a forum with gaps in their ids, and the nine ways such sites answer.
//!
//! Shop items 1 to 6 and topics 1 to 3 exist; the listings know items 1, 2, 4, 6 and topics 1 and 3. Every page has a line
//! that is another one at each load.
//!
//! - [`Text`]: what becomes of a wrong text beside the id. - [`Missing`]: what a missing id gets.

use crate::server::{Asked, Reply, Server};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Text {
    /// Redirects to the right one.
    Redirects,
    /// Not found without the right one.
    Insists,
    Ignores,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Status,
    /// To an error page of status 200.
    Redirect,
    /// Status 200, and nothing on the page.
    Empty,
}

pub const TEXTS: [Text; 3] = [Text::Redirects, Text::Insists, Text::Ignores];
pub const MISSING: [Missing; 3] = [Missing::Status, Missing::Redirect, Missing::Empty];

/// Category and name of the items, from 1 on.
const ITEMS: [(&str, &str); 6] = [
    ("cheap-items", "yellow-keychain"),
    ("cheap-items", "blue-carpet"),
    ("cheap-items", "quiet-lamp"),
    ("cheap-items", "glowing-onions"),
    ("expensive-items", "hidden-chair"),
    ("expensive-items", "fancy-car"),
];

const TOPICS: u64 = 3;
const PAGES: u64 = 2;

/// The site, to be started.
pub fn gaps(text: Text, missing: Missing) -> Server {
    Server::new().rest(move |asked| answer(asked, text, missing))
}

fn answer(asked: &Asked, text: Text, missing: Missing) -> Reply {
    let load = asked.nth;
    let found = match asked.target.split_once('?') {
        Some(("/forum", query)) => topic(query, load),
        _ if asked.target == "/error" => Some(page("Something went wrong", "", load)),
        _ => item(&asked.target, text, load),
    };
    found.unwrap_or_else(|| match missing {
        Missing::Status => Reply::html("<h1>Not found</h1>").with_status(404),
        Missing::Redirect => Reply::redirect(302, "/error"),
        Missing::Empty => page("", "", load),
    })
}

fn item(target: &str, text: Text, load: usize) -> Option<Reply> {
    let (category, rest) = target.strip_prefix("/shop/")?.split_once('/')?;
    let (name, id) = rest.rsplit_once('-')?;
    let id: usize = id.parse().ok()?;
    let (right_category, right_name) = *ITEMS.get(id.checked_sub(1)?)?;
    if (category, name) != (right_category, right_name) {
        match text {
            Text::Redirects => return Some(Reply::redirect(301, format!("/shop/{right_category}/{right_name}-{id}"))),
            Text::Insists => return None,
            Text::Ignores => {}
        }
    }
    let rows = format!("<dl><dt>Name<dd>{right_name}<dt>Kind<dd>{right_category}<dt>Price<dd>{} euro</dl>", id * 7);
    Some(page(right_name, &rows, load))
}

fn topic(query: &str, load: usize) -> Option<Reply> {
    let number = |name: &str| {
        let mut parts = query.split('&').filter_map(|part| part.split_once('='));
        parts.find(|(own, _)| *own == name)?.1.parse::<u64>().ok()
    };
    let (topic, nth) = (number("topic")?, number("page").unwrap_or(1));
    let there = (1..=TOPICS).contains(&topic) && (1..=PAGES).contains(&nth);
    let posts =
        format!("<ol><li>Post {nth} of topic {topic}, first<li>Answer {nth} to topic {topic}</ol><p>Author {topic}");
    there.then(|| page(&format!("Topic {topic}"), &posts, load))
}

fn page(title: &str, content: &str, load: usize) -> Reply {
    Reply::html(format!(
        "<title>{title}</title><nav><a href=/>Home</a></nav><main><h1>{title}</h1>{content}</main><footer><p>Visit {load}"
    ))
}
