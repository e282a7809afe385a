//! Which parts of the site's addresses are names of types, and which hold years, letters, categories? Shapes of all known
//! addresses → [`PathGeneralisation`], which gives each address its [`Pattern`] and place ([`Placed`]).
//!
//! A folder is folded where, behind the same folders, many names stand ([`MANY`]), or names that are only numbers or letters, or
//! where nearly each address has a name of its own, as titles are.
//! A parameter's value is a name while it takes few values. Learned in one pass a folder level; site holds the names behind
//! each folder up to [`MANY`], so a site of any size costs no more than its folders. Does not look at pages.

use super::pattern::{Folder, Pattern, TYPE_WORDS, Value};
use crate::page::shape::{Form, Shape, last_word, leading_words};
use rustc_hash::{FxHashMap, FxHashSet};
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// A folder with at least so many names holds categories, not types; as in discovery, where it was measured.
const MANY: usize = 20;

/// Names that are numbers, or of one or two letters, are years and letters from so many on; names of one address, titles.
const ORDERED: usize = 3;

/// Different values a parameter may take and still be a name, or one in ten addresses if that is more.
const FEW: usize = 5;

/// Folders looked at from the start of an address; deeper ones keep their names.
const DEPTH: usize = 10;

/// Words at the beginning or end of the last part name a type when so many addresses of the folder have them, and this share of those with words
/// there: as in discovery.
const TYPE_LEAST: u32 = 5;
const TYPE_SHARE: f64 = 0.1;

/// Places with folders or parameters remembered: what a hostile site can make this cost.
const PLACES: usize = 200_000;

#[derive(Debug, Clone, Default)]
pub struct PathGeneralisation {
    folded: FxHashSet<u64>,
    parameters: FxHashMap<u64, Values>,
    /// By ending of the address: the folded folders, and how many addresses each has.
    trees: FxHashMap<u64, FxHashMap<u64, usize>>,
    /// On how many addresses each first and last word of a last part stands, by what stands before it; under the empty word, on how many any.
    words: FxHashMap<(u64, Box<str>), u32>,
}

/// Where an address stands among those of its site.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placed {
    pub pattern: Pattern,
    /// The pattern whose pages it is compared with first: its own, or one for all small folders of a tree.
    pub pool: Pattern,
    /// The folders of addresses that end alike are so many that they are categories, however deep.
    pub in_tree: bool,
    /// A hash of the last part.
    pub last: u64,
}

#[derive(Debug, Clone, Default)]
struct Values {
    addresses: usize,
    /// Up to one more than would be few.
    values: FxHashSet<u64>,
}

#[derive(Default)]
struct Names {
    addresses: usize,
    names: FxHashSet<u64>,
    /// All of them are numbers or of one or two letters.
    unordered: bool,
}

impl PathGeneralisation {
    /// `shapes` is asked for all shapes several times, in any order.
    pub fn learn<I: Iterator<Item = Shape>>(shapes: impl Fn() -> I) -> Self {
        let mut generalisation = Self::default();
        for shape in shapes() {
            generalisation.count_parameters(&shape);
        }
        for level in 0..DEPTH {
            let mut below: FxHashMap<u64, Names> = FxHashMap::default();
            for shape in shapes().filter(|shape| shape.folders.len() > level) {
                let place = generalisation.place(&shape, level);
                if below.len() < PLACES || below.contains_key(&place) {
                    below.entry(place).or_default().add(&shape.folders[level]);
                }
            }
            if below.is_empty() {
                break;
            }
            generalisation
                .folded
                .extend(below.iter().filter(|(_, names)| names.are_categories()).map(|(&place, _)| place));
        }
        for shape in shapes() {
            generalisation.count_words(&shape);
        }
        for shape in shapes().filter(|shape| shape.parameters.is_empty()) {
            let folders = generalisation.place(&shape, shape.folders.len());
            let known = generalisation.trees.entry(ending(&shape)).or_default();
            if known.len() < PLACES || known.contains_key(&folders) {
                *known.entry(folders).or_default() += 1;
            }
        }
        generalisation
    }

    pub fn placed(&self, shape: &Shape) -> Placed {
        let (pattern, in_tree) = (self.pattern(shape), self.in_tree(shape));
        let pool = if in_tree && self.is_twig(shape) { pooled(&pattern) } else { pattern.clone() };
        Placed { pattern, pool, in_tree, last: shape_name(shape) }
    }

    /// The pattern of an address.
    pub fn pattern(&self, shape: &Shape) -> Pattern {
        let folder = |level: usize, name: &String| match self.is_folded(shape, level) {
            true => Folder::Any,
            false => Folder::Named(name.clone()),
        };
        let script = !shape.parameters.is_empty() && Form::of(&shape.last) == Form::Word;
        let value = |(name, value): &(String, String)| {
            let named = Form::of(value) == Form::Word && self.is_name(shape, name);
            (name.clone(), if named { Value::Named(value.clone()) } else { Value::of(value) })
        };
        Pattern {
            folders: shape.folders.iter().enumerate().map(|(level, name)| folder(level, name)).collect(),
            last: if script { Value::Named(shape.last.clone()) } else { self.typed(shape) },
            extension: shape.extension.clone(),
            parameters: shape.parameters.iter().map(value).collect(),
        }
    }

    /// Are the folders of addresses with this ending categories, however deep?
    fn in_tree(&self, shape: &Shape) -> bool {
        self.trees.get(&ending(shape)).is_some_and(|folders| folders.len() >= MANY)
    }

    /// A folder of a tree with few addresses: too few to be a type by itself.
    fn is_twig(&self, shape: &Shape) -> bool {
        let folders = self.place(shape, shape.folders.len());
        self.trees.get(&ending(shape)).and_then(|known| known.get(&folders)).is_none_or(|&addresses| addresses < MANY)
    }

    fn is_folded(&self, shape: &Shape, level: usize) -> bool {
        level < DEPTH && self.folded.contains(&self.place(shape, level))
    }

    /// What stands before the folder of this level, with the folded ones left out, and how the address ends.
    fn place(&self, shape: &Shape, level: usize) -> u64 {
        let mut place = xxh3_64_with_seed(&(shape.folders.len() as u64).to_le_bytes(), ending(shape));
        for name in &shape.folders[..level] {
            let folded = self.folded.contains(&place);
            place = xxh3_64_with_seed(if folded { b"" } else { name.as_bytes() }, place);
        }
        place
    }

    fn count_words(&mut self, shape: &Shape) {
        let folders = self.place(shape, shape.folders.len());
        let (leading, last) = (leading_words(&shape.last, TYPE_WORDS), last_word(&shape.last));
        let any = [(folders, !leading.is_empty()), (!folders, !last.is_empty())];
        let any = any.into_iter().filter(|any| any.1).map(|(place, _)| (place, String::new()));
        let last = (!last.is_empty()).then_some((!folders, last));
        for (place, word) in leading.iter().map(|words| (folders, words.clone())).chain(any).chain(last) {
            *self.words.entry((place, word.into())).or_default() += 1;
        }
        let mut least = 1;
        while self.words.len() > PLACES {
            self.words.retain(|_, times| *times > least);
            least *= 2;
        }
    }

    /// What the last part looks like, with the words that name a type.
    fn typed(&self, shape: &Shape) -> Value {
        if self.words.is_empty() {
            return Value::of(&shape.last);
        }
        let folders = self.place(shape, shape.folders.len());
        let times = |place: u64, word: &str| self.words.get(&(place, word.into())).copied().unwrap_or(0);
        let names_type = |place: u64, word: &str| {
            let (times, all) = (times(place, word), times(place, ""));
            times >= TYPE_LEAST && f64::from(times) >= TYPE_SHARE * f64::from(all)
        };
        let leading = leading_words(&shape.last, TYPE_WORDS);
        let first = leading.into_iter().rev().find(|words| names_type(folders, words)).unwrap_or_default();
        let last = Some(last_word(&shape.last)).filter(|word| !word.is_empty() && names_type(!folders, word));
        let (form, last) = (Form::of(&shape.last).symbol(), last.unwrap_or_default());
        if first.is_empty() && last.is_empty() { Value::Formed(form) } else { Value::Typed { first, form, last } }
    }

    fn count_parameters(&mut self, shape: &Shape) {
        for (name, value) in &shape.parameters {
            let place = parameter(shape, name);
            if self.parameters.len() >= PLACES && !self.parameters.contains_key(&place) {
                continue;
            }
            let values = self.parameters.entry(place).or_default();
            values.addresses += 1;
            if values.values.len() <= FEW.max(values.addresses / 10) {
                values.values.insert(xxh3_64_with_seed(value.as_bytes(), 0));
            }
        }
    }

    fn is_name(&self, shape: &Shape, name: &str) -> bool {
        let known = self.parameters.get(&parameter(shape, name));
        known.is_some_and(|values| values.values.len() <= FEW.max(values.addresses / 10))
    }
}

impl Names {
    fn add(&mut self, name: &str) {
        self.unordered |= name.len() > 2 && !name.bytes().any(|byte| byte.is_ascii_digit());
        self.addresses += 1;
        if self.names.len() < MANY {
            self.names.insert(xxh3_64_with_seed(name.as_bytes(), 0));
        }
    }

    fn are_categories(&self) -> bool {
        let names = self.names.len();
        names >= MANY || names >= ORDERED && (!self.unordered || names * 2 > self.addresses)
    }
}

/// The form of the last part and the extension; for a script also its name and its parameters'.
fn ending(shape: &Shape) -> u64 {
    let mut text = String::new();
    text.push(Form::of(&shape.last).symbol());
    if !shape.parameters.is_empty() && Form::of(&shape.last) == Form::Word {
        text.push_str(&shape.last);
    }
    text.push('.');
    text.push_str(&shape.extension);
    for (name, _) in &shape.parameters {
        text.push('&');
        text.push_str(name);
    }
    xxh3_64_with_seed(text.as_bytes(), 1)
}

fn pooled(pattern: &Pattern) -> Pattern {
    Pattern { folders: vec![Folder::Any], ..pattern.clone() }
}

fn shape_name(shape: &Shape) -> u64 {
    xxh3_64_with_seed(shape.last_part().as_bytes(), 3)
}

fn parameter(shape: &Shape, name: &str) -> u64 {
    let path = format!("{}/{}?{name}", shape.folders.join("/"), shape.last);
    xxh3_64_with_seed(path.as_bytes(), 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use url::Url;

    fn patterns(urls: &[String]) -> Vec<String> {
        let shapes: Vec<Shape> = urls.iter().map(|url| Shape::of(&Url::parse(url).unwrap())).collect();
        let generalisation = PathGeneralisation::learn(|| shapes.iter().cloned());
        shapes.iter().map(|shape| generalisation.pattern(shape).to_string()).collect()
    }

    #[test]
    fn years_and_many_names_are_folded_and_types_are_not() {
        let mut urls: Vec<String> = (1990..1995).map(|year| format!("http://s/races/{year}/monza")).collect();
        let of_kind = |kind: &str| ["alonso", "button", "coulthard"].map(|name| format!("http://s/{kind}/{name}"));
        urls.extend(["drivers", "teams", "circuits"].iter().flat_map(|kind| of_kind(kind)));
        urls.extend((0..25).map(|country| format!("http://s/of/country-{}/house/", "x".repeat(country + 1))));
        let patterns = patterns(&urls);
        assert_eq!(patterns[0], "/races/{any}/{name}");
        assert_eq!(patterns[5], "/drivers/{name}");
        assert_eq!(patterns[14], "/of/{any}/{name}");
    }

    #[test]
    fn small_folders_of_a_tree_are_one_pool() {
        let deep = |n: usize| (0..n % 5).map(|_| "sub/").collect::<String>();
        let name = |n: usize| char::from(b'a' + n as u8 % 26).to_string().repeat(3 + n / 26);
        let urls: Vec<String> = (0..60)
            .flat_map(|n| {
                [0, 1].map(|page| format!("http://s/api/{}{}/in/{}.html", deep(n), name(n % 9), name(n + page)))
            })
            .collect();
        let shapes: Vec<Shape> = urls.iter().map(|url| Shape::of(&Url::parse(url).unwrap())).collect();
        let generalisation = PathGeneralisation::learn(|| shapes.iter().cloned());
        let placed = generalisation.placed(&shapes[0]);
        assert!(placed.in_tree && placed.pool.to_string() == "/{any}/{name}.html", "{placed:?}");
        assert_ne!(placed.pattern, placed.pool);
    }

    #[test]
    fn few_values_of_a_parameter_are_names() {
        let mut urls: Vec<String> = (0..40).map(|id| format!("http://s/index?page=article&id={id}")).collect();
        urls.push("http://s/index?page=archive".to_owned());
        urls.extend((0..40).map(|place| format!("http://s/find?q=word{}", "x".repeat(place))));
        let patterns = patterns(&urls);
        assert_eq!(patterns[0], "/index?id={number}&page=article");
        assert_eq!(patterns[40], "/index?page=archive");
        assert_eq!(patterns[45], "/find?q={name}");
    }
}
