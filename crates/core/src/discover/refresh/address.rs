//! What do addresses alone say? Two addresses → same outline, same list, same but for a number; many → which group is nearer.
//!
//! - [`Outline`]: what stays of an address when names of folders and values are left out.
//! - [`Nearer`]: whose folders and words does an address share, the known pages' or those of what stands beside them?

use std::collections::HashMap;
use url::Url;

/// How many folders, which ending, which parameters; with parameters the script's name too.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Outline {
    folders: usize,
    script: String,
    ending: String,
    parameters: Vec<String>,
}

impl Outline {
    pub fn of(url: &Url) -> Self {
        let (folders, last) = parts(url);
        let (name, ending) = split_ending(last);
        let mut parameters: Vec<String> = url.query_pairs().map(|(name, _)| name.into_owned()).collect();
        parameters.sort_unstable();
        let script = if parameters.is_empty() { String::new() } else { name.to_owned() };
        Self { folders: folders.len(), script, ending: ending.to_ascii_lowercase(), parameters }
    }
}

/// The folders of the path, and its last part.
fn parts(url: &Url) -> (Vec<&str>, &str) {
    let mut folders: Vec<&str> = url.path().split('/').filter(|part| !part.is_empty()).collect();
    let last = folders.pop().unwrap_or("");
    (folders, last)
}

/// Name and ending. A long or empty one is no ending, and neither is a number: `v1.2`.
fn split_ending(last: &str) -> (&str, &str) {
    let is_ending =
        |name: &str, ending: &str| !name.is_empty() && (1..=5).contains(&ending.len()) && !is_number(ending);
    last.rsplit_once('.').filter(|(name, ending)| is_ending(name, ending)).unwrap_or((last, ""))
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The address with every number written as `#`: pages 2 and 3 of a list, this year and the next.
pub fn without_numbers(url: &Url) -> String {
    let mut out = String::with_capacity(url.as_str().len());
    out.push_str(url.host_str().unwrap_or(""));
    let mut in_number = false;
    for c in url.path().chars().chain(url.query().map(|_| '?')).chain(url.query().unwrap_or("").chars()) {
        if !c.is_ascii_digit() {
            out.push(c);
        } else if !in_number {
            out.push('#');
        }
        in_number = c.is_ascii_digit();
    }
    out
}

/// The list an address is a page of: `/a/page/2/`, `/a?page=2`, `/a/2` and `/a-2.html` are pages of `/a`.
pub fn list_of(url: &Url) -> String {
    let (folders, last) = parts(url);
    let (name, _) = split_ending(last);
    let mut path: Vec<&str> = folders;
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let name = name.trim_end_matches(['-', '_']);
    if !is_filler(name) {
        path.push(name);
    }
    while path.last().is_some_and(|part| is_filler(part)) {
        path.pop();
    }
    let query =
        url.query_pairs().filter(|(_, value)| !is_number(value)).map(|(name, value)| format!("&{name}={value}"));
    format!("{}/{}{}", url.host_str().unwrap_or(""), path.join("/"), query.collect::<String>())
}

/// What stands before a page's number, or for the first page of a list.
fn is_filler(part: &str) -> bool {
    matches!(part, "" | "page" | "p" | "index")
}

/// Folders and words, and whether known pages and others have them.
#[derive(Debug, Default)]
pub struct Nearer(HashMap<(usize, String), [bool; 2]>);

impl Nearer {
    pub fn new<'u>(known: impl Iterator<Item = &'u Url>, others: impl Iterator<Item = &'u Url>) -> Self {
        let mut words: HashMap<(usize, String), [bool; 2]> = HashMap::new();
        known.flat_map(words_of).for_each(|word| words.entry(word).or_default()[0] = true);
        others.flat_map(words_of).for_each(|word| words.entry(word).or_default()[1] = true);
        Self(words)
    }

    /// Words that only one side has vote; without such a word the place decides, which is the known pages'.
    pub fn is_known(&self, url: &Url) -> bool {
        let votes = words_of(url).into_iter().filter_map(|word| self.0.get(&word));
        let side = |vote: &[bool; 2]| i32::from(vote[0]) - i32::from(vote[1]);
        votes.map(side).sum::<i32>() >= 0
    }
}

/// The folders by position; of the last part the whole, its first word (`driver` of `driver_07.htm`) and what it is
/// made of.
fn words_of(url: &Url) -> Vec<(usize, String)> {
    const WHOLE: usize = usize::MAX;
    const FIRST: usize = usize::MAX - 1;
    const FORM: usize = usize::MAX - 2;
    let (folders, last) = parts(url);
    let name = split_ending(last).0;
    let first = name.split(|c: char| !c.is_alphabetic()).next().unwrap_or("");
    let folders = folders.iter().enumerate().map(|(at, folder)| (at, (*folder).to_owned()));
    folders.chain([(WHOLE, last.to_owned()), (FIRST, first.to_owned()), (FORM, form(name).to_owned())]).collect()
}

fn form(name: &str) -> &'static str {
    match (name.contains(|c: char| c.is_ascii_digit()), name.contains(char::is_alphabetic)) {
        (true, false) => "number",
        (false, _) => "word",
        (true, true) => "code",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(path: &str) -> Url {
        Url::parse("http://s/").unwrap().join(path).unwrap()
    }

    #[test]
    fn outlines_forget_names_and_keep_form() {
        let outline = |path: &str| Outline::of(&url(path));
        assert_eq!(outline("/drivers/2015/driver_02.htm"), outline("/drivers/2016/x.HTM"));
        assert_eq!(outline("/show?b=1&a=2"), outline("/show?a=&b=x"));
        assert_eq!(outline("/v/1.2"), outline("/v/3"));
        for other in ["/driver_02.htm", "/drivers/2015/driver_02.html", "/drivers/2015/driver_02.htm?x=1"] {
            assert_ne!(outline("/drivers/2015/driver_02.htm"), outline(other), "{other}");
        }
        assert_ne!(outline("/show?a=1"), outline("/hide?a=1"));
    }

    #[test]
    fn numbers_are_left_out() {
        assert_eq!(without_numbers(&url("/d/2015/?page=2")), "s/d/#/?page=#");
        assert_eq!(without_numbers(&url("/d/2016/?page=13")), "s/d/#/?page=#");
        assert_ne!(without_numbers(&url("/d/2015")), without_numbers(&url("/t/2015")));
    }

    #[test]
    fn pages_of_a_list_have_its_address() {
        for page in ["/a/", "/a", "/a/page/2/", "/a/2", "/a/p/3", "/a?page=2", "/a-2.html", "/a.html", "/a/index.html"]
        {
            assert_eq!(list_of(&url(page)), "s/a", "{page}");
        }
        assert_eq!(list_of(&url("/a?sort=name&page=2")), "s/a&sort=name");
        assert_eq!(list_of(&url("/?page=2")), list_of(&url("/")));
        assert_ne!(list_of(&url("/b/2")), list_of(&url("/a/2")));
    }

    #[test]
    fn words_of_one_side_vote() {
        let known = [url("/drivers/2015/driver_01.htm"), url("/drivers/2016/driver_02.htm")];
        let others = [url("/news/2015/story_01.htm")];
        let nearer = Nearer::new(known.iter(), others.iter());
        assert!(nearer.is_known(&url("/drivers/2017/driver_03.htm")));
        assert!(!nearer.is_known(&url("/news/2017/story_02.htm")));
        assert!(!nearer.is_known(&url("/news/2016/story_02.htm")));
        let known = [url("/2005-March/000093.html"), url("/2005-April/000094.html")];
        let others = [url("/2005-March/author.html"), url("/2005-April/author.html")];
        let nearer = Nearer::new(known.iter(), others.iter());
        assert!(nearer.is_known(&url("/2005-May/000100.html")));
        assert!(!nearer.is_known(&url("/2005-May/author.html")));
        let alike = Nearer::new([url("/item/a"), url("/item/b")].iter(), [url("/item/about")].iter());
        assert!(alike.is_known(&url("/item/c")));
    }
}
