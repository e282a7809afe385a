//! What should a class be called? What its pages and addresses say → a short name, and where it comes from.
//!
//! In this order: a schema.org type most pages declare, a breadcrumb most pages share and others lack, the folder or parameter
//! that names the type in the address, words all titles share, else the role. The paper leaves "associating semantics" open.

use super::page_words::Words;
use super::pattern::{Folder, Pattern, Value};
use super::{NamedBy, Role};
use rustc_hash::{FxHashMap, FxHashSet};

/// The share of pages that must say the same.
const MOST: f64 = 0.6;

/// Types that say that it is a page, or what surrounds it, and not what it is about.
const GENERIC: [&str; 26] = [
    "WebPage",
    "WebSite",
    "WebPageElement",
    "BreadcrumbList",
    "ListItem",
    "ItemList",
    "CollectionPage",
    "ItemPage",
    "AboutPage",
    "ContactPage",
    "SearchAction",
    "ReadAction",
    "Organization",
    "ImageObject",
    "PostalAddress",
    "ContactPoint",
    "SiteNavigationElement",
    "WPHeader",
    "WPFooter",
    "WPSideBar",
    "Rating",
    "AggregateRating",
    "Offer",
    "EntryPoint",
    "Breadcrumb",
    "Thing",
];

/// What is known of one class.
pub struct Facts<'a> {
    pub words: &'a [Words],
    /// The most frequent first.
    pub patterns: &'a [Pattern],
    pub role: Role,
    /// The entry page is one of very few.
    pub home: bool,
    pub stubs: bool,
}

/// Names for all classes, no two alike.
pub fn names(classes: &[Facts]) -> Vec<(String, NamedBy)> {
    let everywhere = everywhere(classes);
    let mut taken: FxHashMap<String, usize> = FxHashMap::default();
    classes
        .iter()
        .map(|class| {
            let (name, by) = name(class, &everywhere);
            let name =
                if class.role == Role::Index && taken.contains_key(&name) { format!("{name} list") } else { name };
            let times = taken.entry(name.clone()).or_default();
            *times += 1;
            (if *times > 1 { format!("{name} {times}") } else { name }, by)
        })
        .collect()
}

fn name(class: &Facts, everywhere: &FxHashSet<String>) -> (String, NamedBy) {
    if class.home {
        return ("home".to_owned(), NamedBy::Role);
    }
    if class.stubs {
        return ("redirects".to_owned(), NamedBy::Role);
    }
    let types = class.words.iter().map(|words| words.types.iter().filter(|kind| !GENERIC.contains(&kind.as_str())));
    if let Some(kind) = shared(types) {
        return (kind, NamedBy::SchemaOrg);
    }
    let crumbs = class.words.iter().map(|words| words.crumbs.iter().rev().filter(|crumb| !everywhere.contains(*crumb)));
    if let Some(crumb) = shared(crumbs) {
        return (crumb, NamedBy::Breadcrumb);
    }
    if let Some(name) = class.patterns.first().and_then(of_pattern) {
        return (name, NamedBy::Address);
    }
    if let Some(name) = of_titles(class.words, everywhere) {
        return (name, NamedBy::Title);
    }
    (if class.role == Role::Index { "lists" } else { "pages" }.to_owned(), NamedBy::Role)
}

/// The first value that most of the lists hold.
fn shared<'a, I: Iterator<Item = &'a String>>(lists: impl Iterator<Item = I>) -> Option<String> {
    let mut counts: FxHashMap<&str, (usize, usize)> = FxHashMap::default();
    let mut pages = 0;
    for list in lists {
        pages += 1;
        let mut own = FxHashSet::default();
        for (place, value) in list.enumerate() {
            if own.insert(value.as_str()) {
                let known = counts.entry(value).or_insert((0, place));
                *known = (known.0 + 1, known.1.min(place));
            }
        }
    }
    let most = counts.into_iter().filter(|(_, (count, _))| *count as f64 >= MOST * pages as f64);
    most.min_by_key(|&(value, (_, place))| (place, value.to_owned())).map(|(value, _)| value.to_owned())
}

/// Breadcrumbs and title words that most classes have.
fn everywhere(classes: &[Facts]) -> FxHashSet<String> {
    let mut counts: FxHashMap<String, usize> = FxHashMap::default();
    for class in classes {
        let of_page = |words: &Words| words.crumbs.iter().cloned().chain(title_words(&words.title)).collect::<Vec<_>>();
        let own: FxHashSet<String> = class.words.iter().flat_map(of_page).collect();
        own.into_iter().for_each(|word| *counts.entry(word).or_default() += 1);
    }
    let most = counts.into_iter().filter(|(_, count)| classes.len() > 2 && *count * 2 > classes.len());
    most.map(|(word, _)| word).collect()
}

/// The last folder that has a name, a parameter's name-like value, or a script's name.
fn of_pattern(pattern: &Pattern) -> Option<String> {
    let named = |(_, value): &(String, Value)| match value {
        Value::Named(name) => Some(name.clone()),
        Value::Formed(_) | Value::Typed { .. } => None,
    };
    if let Some(name) = pattern.parameters.iter().find_map(named) {
        return Some(name);
    }
    if let (Value::Named(script), false) = (&pattern.last, pattern.parameters.is_empty()) {
        return Some(script.clone());
    }
    let folder = |folder: &Folder| match folder {
        Folder::Named(name) => Some(name.clone()),
        Folder::Any => None,
    };
    pattern.folders.iter().rev().find_map(folder)
}

fn title_words(title: &str) -> Vec<String> {
    let words = title.split(|character: char| !character.is_alphanumeric());
    words.filter(|word| word.chars().count() > 2).map(str::to_lowercase).collect()
}

/// Words all titles of the class share and other classes lack.
fn of_titles(words: &[Words], everywhere: &FxHashSet<String>) -> Option<String> {
    let mut titles = words.iter().map(|words| title_words(&words.title));
    let mut common = titles.next()?;
    if words.len() < 2 {
        return None;
    }
    for title in titles {
        common.retain(|word| title.contains(word));
    }
    common.retain(|word| !everywhere.contains(word));
    common.truncate(3);
    (!common.is_empty()).then(|| common.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(title: &str, crumbs: &[&str], types: &[&str]) -> Words {
        let owned = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Words { title: title.to_owned(), crumbs: owned(crumbs), types: owned(types), ..Words::default() }
    }

    fn facts<'a>(words: &'a [Words], patterns: &'a [Pattern], role: Role) -> Facts<'a> {
        Facts { words, patterns, role, home: false, stubs: false }
    }

    #[test]
    fn names_come_from_the_best_source_and_differ() {
        let typed = [words("a", &[], &["WebPage", "Recipe"]), words("b", &[], &["Recipe"])];
        let trail = [words("x", &["Home", "Drivers"], &[]), words("y", &["Home", "Drivers"], &[])];
        let titled = [words("Glossary of Foo - Site", &[], &[]), words("Glossary of Bar - Site", &[], &[])];
        let home = [words("Site", &["Home"], &[])];
        let (races, any) = (["/races/{any}/{name}".parse().unwrap()], ["/{name}".parse().unwrap()]);
        let classes = [
            facts(&typed, &any, Role::Entity),
            facts(&trail, &any, Role::Entity),
            facts(&[], &races, Role::Entity),
            facts(&[], &races, Role::Index),
            facts(&[], &races, Role::Other),
            facts(&titled, &any, Role::Entity),
            Facts { home: true, ..facts(&home, &any, Role::Other) },
            facts(&[], &any, Role::Index),
        ];
        let names = names(&classes);
        let shown: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(shown, ["Recipe", "Drivers", "races", "races list", "races 2", "glossary site", "home", "lists"]);
        assert_eq!(names[1].1, NamedBy::Breadcrumb);
    }
}
