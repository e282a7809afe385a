//! Which templates do the addresses of a site follow? List of addresses → templates with the ids known, without a request.
//!
//! ```text
//! markers, split ─► table (forms) ─► divide (leaves: route, id) ─► merge ─► templates
//! ```
//!
//! Linear in the addresses: each is read twice, and each column of a form is looked at once a level. Knows nothing of pages:
//! what only they can show (is the text needed? are two routes one page?) is found out later, by asking.

mod divide;
mod folders;
mod markers;
mod merge;
mod piece;
mod refuse;
mod series;
mod split;
mod table;
mod words;

use super::Template;
pub use refuse::{Refusal, Refused};
pub use series::{FEWEST, is_day};
use table::Forms;

/// What was found, and how many there were after each step.
pub struct Mined {
    /// Those with most ids first.
    pub templates: Vec<Template>,
    /// What was left alone, and why. Those with most ids first.
    pub refused: Vec<Refused>,
    pub addresses: usize,
    pub forms: usize,
    pub leaves: usize,
}

/// The templates of one site with at least `fewest` ids.
pub fn mine(urls: &[&str], fewest: usize) -> Mined {
    let forms = Forms::of(urls);
    let leaves = divide::leaves(&forms, fewest);
    let (addresses, counted) = (urls.len(), leaves.len());
    let (mut templates, mut refused) = merge::templates(&forms, leaves);
    templates.sort_by(|a, b| (b.known.len(), &a.template).cmp(&(a.known.len(), &b.template)));
    refused.sort_by(|a, b| (b.known, &a.template).cmp(&(a.known, &b.template)));
    Mined { templates, refused, addresses, forms: forms.forms.len(), leaves: counted }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn templates(urls: impl IntoIterator<Item = String>) -> Vec<String> {
        let urls: Vec<String> = urls.into_iter().collect();
        let list: Vec<&str> = urls.iter().map(String::as_str).collect();
        mine(&list, FEWEST).templates.into_iter().map(|template| template.template).collect()
    }

    #[test]
    fn dates_in_paths_are_no_ids() {
        let days =
            (2008..2016).flat_map(|year| (1..=12).flat_map(move |month| (1..=28).map(move |day| (year, month, day))));
        let days: Vec<(u32, u32, u32)> = days.step_by(3).collect();
        let paths = |form: fn(&(u32, u32, u32)) -> String| templates(days.iter().map(form));
        assert_eq!(paths(|(y, m, d)| format!("http://s.org/diary/{y}/{m}/{d}")), [""; 0]);
        assert_eq!(paths(|(y, m, d)| format!("http://s.org/{y}/{m:02}/{d:02}/a-title/")), [""; 0]);
        assert_eq!(paths(|(y, m, _)| format!("http://s.org/archive/{y}{m:02}")), [""; 0]);
        let posts = paths(|(y, m, d)| format!("http://s.org/{y}/{m:02}/{}/", y * 372 + m * 31 + d));
        assert!(!posts.is_empty(), "a number behind a date that is no day is an id");
    }

    #[test]
    fn orders_of_lists_are_no_ids() {
        let lists = ["red", "blue"]
            .into_iter()
            .flat_map(|c| (1..=30).map(move |n| format!("http://s.org/l?cat={c}&sortorder={n}")));
        assert_eq!(templates(lists), [""; 0]);
    }

    #[test]
    fn ids_counted_for_all_folders_together_are_one_template() {
        let folders = ["film", "sport", "world", "money", "books", "music"];
        let one =
            (0..240_u64).map(|n| format!("http://s.org/news/{}/{}-title", folders[n as usize % 6], 10_000 + n * 41));
        assert_eq!(templates(one), ["http://s.org/news/{T}/{N}-title"]);
        let each = folders
            .iter()
            .flat_map(|folder| (1..=40).map(move |n| format!("http://s.org/news/{folder}/{}-title", 3 * n)));
        assert_eq!(templates(each).len(), 6, "ids that begin anew in each folder are its own");
    }

    fn refused(urls: impl IntoIterator<Item = String>) -> Vec<(String, Refusal)> {
        let urls: Vec<String> = urls.into_iter().collect();
        let list: Vec<&str> = urls.iter().map(String::as_str).collect();
        let mined = mine(&list, FEWEST);
        assert!(mined.templates.is_empty(), "{:?}", mined.templates);
        mined.refused.into_iter().map(|refused| (refused.template, refused.reason)).collect()
    }

    #[test]
    fn dates_within_names_are_no_ids() {
        let days = (1..=60).map(|n| (2011 + n / 30, n % 12 + 1, n % 28 + 1)).collect::<Vec<_>>();
        let sprints = |form: fn(&(u32, u32, u32)) -> String| templates(days.iter().map(form));
        assert_eq!(sprints(|(y, m, d)| format!("http://s.org/milestone/sprint-{y}-{m:02}-{d:02}")), [""; 0]);
        assert_eq!(sprints(|(y, m, d)| format!("http://s.org/query?milestone=sprint-{y}-{m:02}-{d:02}")), [""; 0]);
    }

    #[test]
    fn numbers_of_names_are_no_ids() {
        let plain =
            (0..200).map(|n| format!("http://s.org/recipes/{}-pie", ["apple", "plum", "pear"][n % 3].repeat(n)));
        let counted = (1..=15).map(|n| format!("http://s.org/recipes/{n}-minute-bread-{}", "x".repeat(n)));
        let all: Vec<String> = plain.chain(counted).collect();
        assert_eq!(refused(all), [("http://s.org/recipes/{N}-{T}".to_owned(), Refusal::Name)]);
        let models = (0..60).map(|n| format!("http://s.org/cars-kia-{}/{}", 1999 + n % 13, ["rio", "soul"][n % 2]));
        let trims = (0..60).map(|n| format!("http://s.org/cars-kia-{}/rio", 320_000 + 7 * n));
        let urls: Vec<String> = models.chain(trims).collect();
        let list: Vec<&str> = urls.iter().map(String::as_str).collect();
        let mined = mine(&list, FEWEST).templates;
        assert!(mined.iter().all(|template| template.known.iter().all(|&id| id > 20_000)), "{mined:?}");
        assert!(!mined.is_empty());
    }

    #[test]
    fn folders_that_show_the_same_pages_are_one_template() {
        let names = ["blank", "brass", "steel", "double", "single", "round", "square"];
        let shop = |folder: &'static str, names: Vec<String>| {
            let numbers = (1..=20).map(move |n| format!("http://s.org/collections/{folder}/products/m-{n}"));
            numbers
                .chain(names.into_iter().map(move |name| format!("http://s.org/collections/{folder}/products/{name}")))
        };
        let of = |mark: &str| names.iter().map(|name| format!("{name}{mark}")).collect::<Vec<_>>();
        let same = shop("all", of("")).chain(shop("keys", of("")));
        assert_eq!(templates(same), ["http://s.org/collections/all/products/m-{N}"]);
        let others = shop("all", of("")).chain(shop("keys", of("-x")));
        assert_eq!(templates(others).len(), 2, "numbers meet by chance, and no name does");
        let views = ["overview", "tuition"].into_iter().flat_map(|view| {
            let numbers = (1..=20).map(move |n| format!("http://s.org/{view}/c-{n}"));
            numbers.chain(names.iter().map(move |name| format!("http://s.org/{view}/{name}")))
        });
        assert_eq!(templates(views).len(), 2, "views of one entity are pages of their own");
    }

    #[test]
    fn days_titles_and_other_forms_are_no_ids() {
        let days = (1..=28).map(|day| format!("http://s.org/attachments/201507{day:02}/{}/a.html", "x".repeat(day)));
        assert_eq!(refused(days)[0].1, Refusal::Counts("day".to_owned()));
        let titles = (2..=20).map(|n| format!("http://s.org/research/this-is-the-title-of-{n}/"));
        assert_eq!(refused(titles)[0].1, Refusal::Name);
        for form in ["action=diff", "format=csv"] {
            let forms = (1..=40).map(|n| format!("http://s.org/ticket?id={n}&{form}"));
            assert_eq!(refused(forms)[0].1, Refusal::NoPage(form.to_owned()));
        }
        let pages = (1..=40).map(|n| format!("http://s.org/ticket?id={n}&format=html"));
        assert_eq!(templates(pages).len(), 1);
    }

    #[test]
    fn the_number_of_a_visit_is_no_id() {
        let pages: Vec<String> =
            (0..30).map(|n| format!("page{}", "abcdefghijklmnopqrstuvwxyzäöüß".chars().nth(n).unwrap())).collect();
        let visits = pages.iter().flat_map(|page| {
            (0..100_u64).map(move |n| format!("http://s.org/{page}?id={}", 4_779_530_000_001 + n * n * 7919))
        });
        let refused = refused(visits);
        assert_eq!(refused.len(), 30);
        assert!(refused.iter().all(|(_, reason)| *reason == Refusal::Visit));
        let trail = (0..40_u64).map(|n| format!("http://s.org/b/ref=footer/{}", 304_713 + n * n * 31));
        assert_eq!(self::refused(trail), [("http://s.org/b/ref=footer/{N}".to_owned(), Refusal::Visit)]);
    }

    #[test]
    fn what_is_refused_comes_back_with_the_word() {
        let of = |path: &str| {
            (1..=40).map(|n| format!("http://s.org{}", path.replace("{N}", &n.to_string()))).collect::<Vec<_>>()
        };
        assert_eq!(refused(of("/cart/{N}"))[0].1, Refusal::Visitor("cart".to_owned()));
        assert_eq!(refused(of("/messages/new/{N}"))[0].1, Refusal::Acts("new".to_owned()));
        assert_eq!(refused(of("/uploads/{N}/photo.jpg"))[0].1, Refusal::NoPage(".jpg".to_owned()));
        for page in ["/post/{N}", "/track/{N}", "/question/{N}/title", "/writers/{N}"] {
            assert_eq!(templates(of(page)).len(), 1, "{page}");
        }
    }
}
