//! What does a leaf show, and is it to be left alone? Leaf → piece with what is compared, or refused with the reason.
//!
//! - [`Piece`]: a leaf as it is shown and compared. - [`visits_apart`]: which numbers are those of visits. - [`plain_names`]: how many
//!   names of each folder have no number.
//!
//! Words are in [`super::words`]; here is what the place of a number and its neighbours say.

use super::divide::Leaf;
use super::refuse::{Refusal, Refused};
use super::split::{NUMBER, TEXT};
use super::table::{Forms, Kind, Sym};
use super::words;
use crate::hidden::{ANY, ID, TEXT_PART};
use crate::page::file_names::file_ending;
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64;

/// Routes under which a number stands before it is taken for a visit's. A page whose views have addresses of their own
/// (`pricing.aspx?id=5`, `safety.aspx?id=5`) has a dozen.
const ROUTES_OF_A_VISIT: usize = 24;

/// Numbers so far apart that different things do not share them by chance.
const APART: u64 = 20;

/// A number that stands behind dozens of different routes (`/music/116`, `/privacy/116`, `/basket/116`) is not that of a page of any of
/// them: the site writes a visit's number into all its links.
pub fn visits_apart(pieces: Vec<Piece>) -> Vec<Result<Piece, Refused>> {
    let mut routes: FxHashMap<u64, FxHashSet<&str>> = FxHashMap::default();
    for piece in pieces.iter().filter(|piece| piece.is_sparse()) {
        for &id in &piece.ids {
            routes.entry(id).or_default().insert(piece.before_id());
        }
    }
    let many = |id: &u64| routes.get(id).is_some_and(|routes| routes.len() >= ROUTES_OF_A_VISIT);
    let visits: Vec<bool> =
        pieces.iter().map(|piece| piece.ids.iter().filter(|id| many(id)).count() * 2 > piece.ids.len()).collect();
    let marked = pieces.into_iter().zip(visits);
    marked.map(|(piece, visit)| if visit { Err(piece.refused(Refusal::Visit)) } else { Ok(piece) }).collect()
}

/// A leaf with what is compared.
pub struct Piece {
    pub leaf: Leaf,
    pub origin: String,
    /// What stays when everything that may be absent is taken away.
    pub core: String,
    /// As it is shown.
    pub shown: String,
    pub ids: FxHashSet<u64>,
}

impl Piece {
    /// Refused when its words, or its place, say that it is to be left alone.
    pub fn of(forms: &Forms, plain: &FxHashMap<u64, usize>, leaf: Leaf) -> Result<Self, Refused> {
        let form = &forms.forms[leaf.form];
        let shown = shown(forms, &leaf);
        let origin = origin(&form.layout).to_owned();
        let ids = leaf.rows.iter().map(|&row| forms.number(form.cell(row, leaf.id), leaf.base)).collect();
        let piece = Self { core: core(&shown), origin, shown, ids, leaf };
        match piece.refusal(forms, plain) {
            Some(reason) => Err(piece.refused(reason)),
            None => Ok(piece),
        }
    }

    fn refusal(&self, forms: &Forms, plain: &FxHashMap<u64, usize>) -> Option<Refusal> {
        let (path, query) =
            self.shown[self.origin.len()..].split_once('?').unwrap_or((&self.shown[self.origin.len()..], ""));
        let values: Vec<String> =
            query.split('&').filter_map(|part| part.split_once('=')).map(|(_, value)| fixed(value)).collect();
        let host = host(&self.origin);
        words::off_limits(&fixed(path), values.iter().map(String::as_str))
            .or_else(|| words::serves_no_pages(host).then(|| Refusal::Host(host.to_owned())))
            .or_else(|| named_before(&self.shown).filter(|name| words::counts_in_path(name)).map(Refusal::Counts))
            .or_else(|| is_behind_a_trail(path).then_some(Refusal::Visit))
            .or_else(|| self.is_part_of_a_name(forms, plain).then_some(Refusal::Name))
            .or_else(|| ends_a_title(path).then_some(Refusal::Name))
            .or_else(|| query.split('&').find_map(words::other_form).map(Refusal::NoPage))
            .or_else(|| self.is_a_day_of_many(path).then(|| Refusal::Counts("day".to_owned())))
            .or_else(|| path.contains(&format!("/new/{ID}")).then(|| Refusal::Acts("new".to_owned())))
            .or_else(|| self.files(forms))
    }

    /// Are most of its addresses those of pictures and papers?
    fn files(&self, forms: &Forms) -> Option<Refusal> {
        let form = &forms.forms[self.leaf.form];
        let path = |row: u32| forms.list[form.urls[row as usize] as usize].split(['?', '#']).next().unwrap_or("");
        let endings: Vec<&str> = self.leaf.rows.iter().filter_map(|&row| file_ending(path(row))).collect();
        (endings.len() * 2 > self.leaf.rows.len()).then(|| Refusal::NoPage(format!(".{}", endings[0])))
    }

    fn refused(&self, reason: Refusal) -> Refused {
        Refused { template: self.shown.clone(), known: self.ids.len(), reason }
    }

    /// What stands before the id, without the host.
    fn before_id(&self) -> &str {
        let text = &self.shown[self.origin.len()..];
        text.find(ID).map_or(text, |at| &text[..at])
    }

    /// Are the ids so far apart that others would not meet them by chance?
    fn is_sparse(&self) -> bool {
        let (first, last) = (self.ids.iter().min(), self.ids.iter().max());
        first.zip(last).is_some_and(|(first, last)| last - first > APART * self.ids.len() as u64)
    }

    /// `/attachments/20150701/{T}/`: the day says when, the text says which page is meant.
    fn is_a_day_of_many(&self, path: &str) -> bool {
        self.leaf.dates && path.contains(TEXT_PART)
    }

    /// `/recipes/3-day-cake` among thousands of `/recipes/apple-pie`: a small number in a name, in a folder where most names have none.
    fn is_part_of_a_name(&self, forms: &Forms, plain: &FxHashMap<u64, usize>) -> bool {
        let form = &forms.forms[self.leaf.form];
        let path = form.layout.split('?').next().unwrap_or("");
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let small = self.ids.iter().all(|&id| id <= LARGEST_IN_A_NAME);
        if !small || self.leaf.id < cells_of(folder) || !(name.contains(NUMBER) && name.contains(TEXT)) {
            return false;
        }
        let without = plain.get(&folder_key(folder, form.row(self.leaf.rows[0]))).copied().unwrap_or(0);
        without >= NAMES_WITHOUT * self.leaf.rows.len()
    }
}

/// How many names without a number each folder has.
pub fn plain_names(forms: &Forms) -> FxHashMap<u64, usize> {
    let mut plain: FxHashMap<u64, usize> = FxHashMap::default();
    for form in &forms.forms {
        let Some((folder, name)) = form.layout.rsplit_once('/') else { continue };
        if name.chars().eq([TEXT]) {
            for row in 0..form.rows() {
                *plain.entry(folder_key(folder, form.row(row))).or_default() += 1;
            }
        }
    }
    plain
}

fn cells_of(layout: &str) -> usize {
    layout.chars().filter(|&c| c == TEXT || c == NUMBER).count()
}

/// The folder of an address, with what stands in its cells.
fn folder_key(folder: &str, row: &[Sym]) -> u64 {
    let cells = row[..cells_of(folder)].iter().flat_map(|cell| cell.to_le_bytes());
    xxh3_64(&folder.bytes().chain([0]).chain(cells).collect::<Vec<u8>>())
}

/// Numbers in names are counts and years.
const LARGEST_IN_A_NAME: u64 = 2100;

/// So many names of the folder without a number, for each with one.
const NAMES_WITHOUT: usize = 5;

/// Does the id stand behind a path element that says where the visitor came from?
fn is_behind_a_trail(path: &str) -> bool {
    let before = path.find(ID).map_or("", |at| &path[..at]);
    before.rsplit_once('/').is_some_and(|(before, _)| before.split('/').any(names_a_trail))
}

/// Words of a title, all the same in all addresses, before the number: `the-title-of-a-project-10`. What is written so are names that
/// were taken already.
const WORDS_OF_A_TITLE: usize = 5;

fn ends_a_title(path: &str) -> bool {
    let before = path.find(ID).map_or("", |at| &path[..at]);
    let own = before.rsplit('/').next().unwrap_or("");
    !own.contains('{') && own.split(['-', '_']).filter(|word| !word.is_empty()).count() >= WORDS_OF_A_TITLE
}

fn names_a_trail(element: &str) -> bool {
    element.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("ref="))
}

fn origin(layout: &str) -> &str {
    let after = layout.find("://").map_or(0, |at| at + 3);
    &layout[..layout[after..].find('/').map_or(layout.len(), |at| at + after)]
}

pub fn host(origin: &str) -> &str {
    origin.split("://").nth(1).unwrap_or(origin)
}

/// What is the same for all pages of a template.
fn fixed(text: &str) -> String {
    text.replace(ID, "/").replace(TEXT_PART, "/").replace(ANY, "/")
}

/// The word before the id in the path: of the same element (`page-5`), else the element before (`/page/5`).
fn named_before(shown: &str) -> Option<String> {
    let path = shown.split('?').next()?;
    let before = &path[..path.find(ID)?];
    let own = before.rsplit('/').next()?;
    if !own.is_empty() {
        return own.split(|c: char| !c.is_ascii_alphabetic()).rfind(|word| !word.is_empty()).map(str::to_owned);
    }
    before.trim_end_matches('/').rsplit('/').next().map(str::to_owned)
}

/// The layout as a template: `{N}` for the id, `{T}` and `{*}` for what differs between rows. A number that is the same in all rows is text.
fn shown(forms: &Forms, leaf: &Leaf) -> String {
    let form = &forms.forms[leaf.form];
    let first = form.row(leaf.rows[0]);
    let same = |column: usize| leaf.rows.iter().all(|&row| form.cell(row, column) == first[column]);
    let mut text = String::with_capacity(form.layout.len() + 16);
    let mut column = 0;
    for c in form.layout.chars() {
        if c != TEXT && c != NUMBER {
            text.push(c);
            continue;
        }
        if column == leaf.id {
            text.push_str(ID);
        } else if same(column) {
            text.push_str(forms.text(first[column]));
        } else if form.columns[column].kind == Kind::Text && form.columns[column].parameter.is_none() {
            text.push_str(TEXT_PART);
        } else {
            text.push_str(ANY);
        }
        column += 1;
    }
    text
}

fn core(shown: &str) -> String {
    let (path, query) = shown.split_once('?').unwrap_or((shown, ""));
    let mut elements: Vec<&str> = Vec::new();
    let mut after = false;
    for element in path.split('/') {
        if after && is_trail(element) || names_a_trail(element) {
            break;
        }
        let open = element == TEXT_PART || element == ANY || element.trim_start_matches(TEXT_PART).starts_with('.');
        if open && (after || elements.last() == Some(&TEXT_PART)) {
            continue;
        }
        after |= element.contains(ID);
        elements.push(if open { TEXT_PART } else { element });
    }
    let path = elements.join("/").replace(&format!("{TEXT_PART}-"), "").replace(&format!("-{TEXT_PART}"), "");
    let kept =
        |part: &&str| part.contains(ID) || part.split_once('=').is_some_and(|(name, _)| words::chooses_page(name));
    let query: Vec<&str> = query.split('&').filter(kept).collect();
    format!("{path}?{}", query.join("&"))
}

/// A path element that says where the visitor came from; what follows belongs to it.
fn is_trail(element: &str) -> bool {
    let lower = element.to_ascii_lowercase();
    names_a_trail(element) || lower.contains("trk") || lower.contains("tracking")
}
