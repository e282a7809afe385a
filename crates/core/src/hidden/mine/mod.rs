//! Which templates do the addresses of a site follow? List of addresses → templates with the ids known, without a request.
//!
//! ```text
//! markers, split ─► table (forms) ─► divide (leaves: route, id) ─► merge ─► templates
//! ```
//!
//! Linear in the addresses: each is read twice, and each column of a form is looked at once a level. Knows nothing of pages:
//! what only they can show (is the text needed? are two routes one page?) is found out later, by asking.

mod divide;
mod markers;
mod merge;
mod series;
mod split;
mod table;
mod words;

use super::Template;
pub use series::{FEWEST, is_day};
use table::Forms;
pub use words::off_limits;

/// What was found, and how many there were after each step.
pub struct Mined {
    /// Those with most ids first.
    pub templates: Vec<Template>,
    pub addresses: usize,
    pub forms: usize,
    pub leaves: usize,
}

/// The templates of one site with at least `fewest` ids.
pub fn mine(urls: &[&str], fewest: usize) -> Mined {
    let forms = Forms::of(urls);
    let leaves = divide::leaves(&forms, fewest);
    let (addresses, counted) = (urls.len(), leaves.len());
    let mut templates = merge::templates(&forms, leaves);
    templates.sort_by(|a, b| (b.known.len(), &a.template).cmp(&(a.known.len(), &b.template)));
    Mined { templates, addresses, forms: forms.forms.len(), leaves: counted }
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
}
