//! What do the words of an address say? Names of parameters and path elements → what their number cannot be.
//!
//! - [`not_an_id`]: parameters that count pages, sort, filter or choose a language. - [`off_limits`]: addresses that act, or
//!   belong to one visitor, or lead away. - [`chooses_page`]: parameters that choose what kind of page is shown.
//!
//! Lists of words, because the web has conventions; each is a convention of many sites, none a site's own.

/// Names of parameters (and of path elements before a number) whose number is no id.
const NOT_IDS: [&str; 70] = [
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
    "mon",
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
];

/// Beginnings of such names: `sortOrder`, `sort_by`.
const BEGINS: [&str; 2] = ["sort", "orderby"];

/// Ends of such names: `selectedIndex`, `currentPage`.
const ENDS: [&str; 5] = ["index", "page", "offset", "start", "count"];

/// Words that say that a page acts, needs an account, or belongs to one visitor.
const OFF_LIMITS: [&str; 91] = [
    "login",
    "logon",
    "signin",
    "signup",
    "signout",
    "logout",
    "register",
    "registration",
    "account",
    "accounts",
    "myaccount",
    "password",
    "cart",
    "basket",
    "checkout",
    "wishlist",
    "addtocart",
    "addtobasket",
    "addtowishlist",
    "additem",
    "add",
    "edit",
    "delete",
    "remove",
    "update",
    "post",
    "upload",
    "submit",
    "flag",
    "rate",
    "rateup",
    "ratedown",
    "vote",
    "apply",
    "subscribe",
    "unsubscribe",
    "email",
    "emailfriend",
    "emailafriend",
    "mailto",
    "tellafriend",
    "share",
    "send",
    "contact",
    "ask",
    "feedback",
    "newsletter",
    "redirect",
    "redir",
    "rdr",
    "goto",
    "click",
    "jump",
    "out",
    "track",
    "tracking",
    "log",
    "form",
    "write",
    "reply",
    "compose",
    "admin",
    "secure",
    "private",
    "owner",
    "claim",
    "print",
    "download",
    "save",
    "bookmark",
    "follow",
    "invite",
    "compare",
    "count",
    "corrections",
    "correction",
    "commerce",
    "url",
    "submission",
    "question",
    "results",
    "go",
    "rss",
    "feed",
    "atom",
    "api",
    "ajax",
    "newreply",
    "newthread",
    "quote",
    "sendmessage",
];

/// Beginnings of joined words (`AddToCart`, `postVideo`, `write_review`) with the same meaning.
const STARTS: [&str; 13] = [
    "addto",
    "additem",
    "emaila",
    "writer",
    "postv",
    "postp",
    "editr",
    "affiliate",
    "addcomm",
    "postcomm",
    "printth",
    "printer",
    "sendm",
];

/// And ends: `bannerclick`, `shopbasket`.
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

/// Endings of what is no page.
const NO_PAGES: [&str; 18] = [
    ".jpg", ".jpeg", ".png", ".gif", ".webp", ".svg", ".ico", ".css", ".js", ".pdf", ".zip", ".gz", ".mp3", ".mp4",
    ".xml", ".rss", ".json", ".swf",
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

pub fn chooses_page(name: &str) -> bool {
    listed(&CHOOSERS, &folded(name))
}

/// Hosts that serve parts of pages.
pub fn serves_no_pages(host: &str) -> bool {
    words(host.split('.').next().unwrap_or("")).any(|word| {
        ["cdn", "img", "image", "images", "media", "static", "assets"].contains(&word.as_str())
            || listed(&OFF_LIMITS, &word)
    })
}

/// Is any of the words of this path or name one that says "leave it"?
pub fn off_limits(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    if NO_PAGES.iter().any(|ending| lower.ends_with(ending)) {
        return true;
    }
    words(text).any(|word| {
        listed(&OFF_LIMITS, &word)
            || STARTS.iter().any(|start| word.starts_with(start))
            || CLOSES.iter().any(|end| word.ends_with(end))
    })
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

    #[test]
    fn words_say_what_to_leave() {
        for text in ["/servlet/ShopBasketPL", "/u/add_photo", "/Account/SignIn.aspx", "/x/photo.jpg", "/basket/additem"]
        {
            assert!(off_limits(text), "{text}");
        }
        for text in ["/addresses/", "/posters/", "/item", "/Restaurant_Review", "/outdoor"] {
            assert!(!off_limits(text), "{text}");
        }
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
