//! What do the words of an address say? Names of parameters and path elements → what their number cannot be.
//!
//! - [`not_an_id`]: parameters that count pages, sort, filter or choose a language. - [`off_limits`]: addresses that act, or
//!   belong to one visitor, or lead away. - [`chooses_page`]: parameters that choose what kind of page is shown.
//!
//! Lists of words, because the web has conventions; each is a convention of many sites, none a site's own. What a word refuses comes back with
//! the word ([`Refusal`]).

use super::refuse::Refusal;
use crate::page::file_names::file_ending;

/// Names of parameters (and of path elements before a number) whose number is no id.
const NOT_IDS: [&str; 82] = [
    "page",
    "pg",
    "pagenum",
    "pageno",
    "pagenumber",
    "pageindex",
    "paged",
    "currentpage",
    "curpage",
    "cpage",
    "start",
    "startat",
    "startrow",
    "startindex",
    "offset",
    "from",
    "skip",
    "first",
    "limit",
    "perpage",
    "per_page",
    "pagesize",
    "size",
    "count",
    "num",
    "rows",
    "max",
    "min",
    "total",
    "sort",
    "sortby",
    "order",
    "orderby",
    "dir",
    "lang",
    "language",
    "locale",
    "hl",
    "year",
    "month",
    "day",
    "date",
    "yr",
    "mo",
    "mon",
    "wk",
    "wknd",
    "week",
    "hour",
    "time",
    "timestamp",
    "ts",
    "width",
    "height",
    "w",
    "h",
    "zoom",
    "lat",
    "lng",
    "lon",
    "radius",
    "price",
    "pricemin",
    "pricemax",
    "minprice",
    "maxprice",
    "zip",
    "zipcode",
    "postcode",
    "rand",
    "random",
    "version",
    "pos",
    "q",
    "query",
    "search",
    "searchterm",
    "keyword",
    "keywords",
    "oldid",
    "diff",
    "revision",
];

/// Beginnings of such names: `sortOrder`, `sort_by`.
const BEGINS: [&str; 2] = ["sort", "orderby"];

/// Ends of such names: `selectedIndex`, `currentPage`.
const ENDS: [&str; 5] = ["index", "page", "offset", "start", "count"];

/// Words that say that a page belongs to one visitor.
#[rustfmt::skip]
const VISITOR: &[&str] = &[
    "login", "logon", "sitelogin", "signin", "signup", "signout", "logout", "register", "registration", "account", "accounts",
    "myaccount", "password", "cart", "basket", "bookbag", "checkout", "wishlist", "admin", "secure", "private", "owner",
];

/// Words that say that asking does something, or opens a form that does.
#[rustfmt::skip]
const ACTS: &[&str] = &[
    "add", "edit", "delete", "remove", "update", "upload", "submit", "submission", "flag", "rateup", "ratedown", "vote", "apply",
    "subscribe", "unsubscribe", "email", "emailform", "mailto", "share", "send", "contact", "feedback", "newsletter", "write", "reply",
    "newreply", "newthread", "request", "compose", "claim", "save", "bookmark", "follow", "invite", "compare", "sidebyside", "correction", "corrections",
    "commerce",
];

/// Words of what is no page of the site: it leads away, or is a part or another form of a page.
#[rustfmt::skip]
const NO_PAGE: &[&str] = &[
    "redirect", "redir", "rdr", "goto", "click", "jump", "out", "go", "url", "tracking", "affiliate", "affiliates", "print", "download",
    "count", "results", "rss", "feed", "atom", "api", "ajax",
];

/// Names of things as often as of actions: `/post/5`, `/track/5` and `/question/5` are pages, `post.php?id=5` and `?do=post` act.
const THING_OR_ACT: &[&str] = &["post", "track", "question", "quote", "rate", "log", "form", "ask"];

/// What a parameter names that leads from one page to the one beside it.
const NEIGHBOURS: &[&str] = &["next", "prev", "previous"];

/// What begins the name of an action: `postVideo`, `write_review`, `emailafriend`.
const VERBS: &[&str] =
    &["add", "post", "edit", "write", "email", "mail", "send", "tell", "print", "printer", "create", "report", "rate"];

/// What ends it.
#[rustfmt::skip]
const OBJECTS: &[&str] = &[
    "to", "tocart", "tobasket", "tobag", "towishlist", "tolist", "tofavorites", "tofavourites", "tofriend", "tocompare", "item", "review",
    "reviews", "comment", "comments", "photo", "photos", "picture", "image", "video", "message", "mail", "friend", "afriend", "this",
    "thispage", "page", "friendly", "answer", "reply", "listing",
];

/// Ends of joined words: `bannerclick`, `shopbasket`.
const CLOSES: [&str; 3] = ["click", "basket", "redirect"];

/// Parameters by whose text a site with one script chooses what it shows.
const CHOOSERS: [&str; 27] = [
    "act",
    "action",
    "app",
    "cat",
    "cmd",
    "content",
    "controller",
    "do",
    "fx",
    "func",
    "mod",
    "mode",
    "module",
    "op",
    "option",
    "page",
    "pagina",
    "pg",
    "section",
    "show",
    "task",
    "view",
    "route",
    "main_page",
    "dispatch",
    "target",
    "com",
];

pub fn not_an_id(name: &str) -> bool {
    let name = folded(name);
    listed(&NOT_IDS, &name)
        || BEGINS.iter().any(|begin| name.starts_with(begin))
        || ENDS.iter().any(|end| name.ends_with(end))
}

/// The path's names are fewer: `/size/5` may be anything, `/page/5` and `page-5` count.
pub fn counts_in_path(word: &str) -> bool {
    let word = folded(word);
    ["page", "pages", "pg", "offset", "start", "year", "month", "day", "date", "week", "lang"].contains(&&*word)
        || ENDS.iter().any(|end| word.ends_with(end))
}

/// Is this parameter one that shows a page in another form: its changes, its source, its data (`action=diff`, `format=csv`)?
pub fn other_form(parameter: &str) -> Option<String> {
    let (name, value) = parameter.split_once('=')?;
    let (name, value) = (folded(name), folded(value));
    let page = ["", "html", "htm"].contains(&&*value) || value.contains(['{', '}']);
    let data = ["format", "output", "outputformat"].contains(&&*name) && !page;
    (data || chooses_page(&name) && ["diff", "history", "source", "raw", "info"].contains(&&*value))
        .then(|| parameter.to_owned())
}

pub fn chooses_page(name: &str) -> bool {
    listed(&CHOOSERS, &folded(name))
}

/// Hosts that serve parts of pages, or no pages of the site.
pub fn serves_no_pages(host: &str) -> bool {
    words(host.split('.').next().unwrap_or("")).any(|word| {
        let parts = ["cdn", "img", "image", "images", "media", "static", "assets"].contains(&word.as_str());
        parts || [VISITOR, ACTS, NO_PAGE, THING_OR_ACT].iter().any(|list| list.contains(&word.as_str()))
    })
}

/// Does a word of this path, or of these values of parameters, say "leave it"?
pub fn off_limits<'t>(path: &'t str, values: impl Iterator<Item = &'t str> + Clone) -> Option<Refusal> {
    if let Some(ending) = file_ending(path) {
        return Some(Refusal::NoPage(format!(".{ending}")));
    }
    if let Some(word) = values.clone().find(|value| NEIGHBOURS.contains(&value.to_ascii_lowercase().as_str())) {
        return Some(Refusal::NoPage(word.to_owned()));
    }
    let elements = path.split('/').map(|element| (element, true)).chain(values.map(|value| (value, false)));
    elements.into_iter().find_map(|(element, in_path)| refused(element, in_path))
}

fn refused(element: &str, in_path: bool) -> Option<Refusal> {
    if in_path && THING_OR_ACT.contains(&element.to_ascii_lowercase().as_str()) {
        return None;
    }
    let all: Vec<String> = words(element).collect();
    let told = |list: &[&str]| all.iter().find(|word| list.contains(&word.as_str())).cloned();
    let closes = || all.iter().find(|word| CLOSES.iter().any(|end| word.ends_with(end))).cloned();
    let parts: Vec<String> = element.split(|c: char| !c.is_ascii_alphabetic()).flat_map(camel).collect();
    let joined = parts.get(..2).map(|two| two.concat());
    let visitor = || joined.clone().filter(|joined| VISITOR.contains(&joined.as_str()));
    let done = || all.iter().find(|word| is_verb_and_object(word)).cloned();
    let pair = || {
        let two = parts.get(..2)?;
        (VERBS.contains(&two[0].as_str()) && OBJECTS.contains(&two[1].as_str())).then(|| two.join(" "))
    };
    told(VISITOR)
        .or_else(visitor)
        .map(Refusal::Visitor)
        .or_else(|| told(ACTS).or_else(|| told(THING_OR_ACT)).or_else(pair).or_else(done).map(Refusal::Acts))
        .or_else(|| told(NO_PAGE).or_else(closes).map(Refusal::NoPage))
}

/// `addtocart`, `emailafriend`, `postphoto`: written as one word.
fn is_verb_and_object(word: &str) -> bool {
    VERBS.iter().any(|verb| word.strip_prefix(verb).is_some_and(|object| OBJECTS.contains(&object)))
}

/// The words of a text: letters between other characters, a capital after a small letter begins a new one; and each
/// stretch of letters as a whole.
pub fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    let stretches = text.split(|c: char| !c.is_ascii_alphabetic()).filter(|stretch| !stretch.is_empty());
    stretches.flat_map(|stretch| camel(stretch).into_iter().chain([stretch.to_ascii_lowercase()]))
}

fn camel(stretch: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut small = false;
    for c in stretch.chars() {
        if found.is_empty() || small && c.is_ascii_uppercase() {
            found.push(String::new());
        }
        small = c.is_ascii_lowercase();
        if let Some(last) = found.last_mut() {
            last.push(c.to_ascii_lowercase());
        }
    }
    found
}

fn folded(name: &str) -> String {
    name.trim_matches(|c: char| !c.is_ascii_alphanumeric()).to_ascii_lowercase()
}

fn listed(list: &[&str], word: &str) -> bool {
    list.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn off(path: &str) -> Option<Refusal> {
        off_limits(path, std::iter::empty())
    }

    #[test]
    fn words_say_what_to_leave() {
        for text in [
            "/servlet/ShopBasketPL",
            "/u/add_photo",
            "/Account/SignIn.aspx",
            "/gp/sign-in.html",
            "/x/photo.jpg",
            "/basket/additem",
            "/postVideo.aspx",
            "/EmailAFriend/",
            "/review/create-review",
            "/printthis.asp",
            "/post.php",
        ] {
            assert!(off(text).is_some(), "{text}");
        }
        let pages = ["/addresses/", "/posters/", "/item", "/Restaurant_Review", "/outdoor", "/writers/", "/printers/"];
        for text in pages.into_iter().chain(["/post/", "/track/", "/question//x", "/editorial/", "/postcards"]) {
            assert_eq!(off(text), None, "{text}");
        }
        assert!(off_limits("/x", ["post"].into_iter()).is_some(), "what a parameter names is done");
    }

    #[test]
    fn names_of_parameters_say_what_is_no_id() {
        assert!(
            not_an_id("Page")
                && not_an_id("_start")
                && not_an_id("sortOrder")
                && !not_an_id("order_id")
                && counts_in_path("page-")
                && !counts_in_path("p")
                && !not_an_id("topic")
        );
    }
}
