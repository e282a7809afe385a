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
