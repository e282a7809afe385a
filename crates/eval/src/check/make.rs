//! What would a list of approved products look like, and offers of them? A seed → rows, offers and the truth about each.
//!
//! - [`Made`]: all of it. - [`Product`]: a row. - [`Offer`]: a record, what is wrong with it, and the row it is of.
//!
//! Every name is put together from syllables. A third of the rows are of families: the same name in another strength or form, the
//! nearest decoys there are. Six in ten offers are genuine, with the noise of shops; the others are false in one of four ways.

use super::draw::Draw;
use pagekin::Url;
use pagekin::check::Reference;
use pagekin::extract::Record;
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

const SYLLABLES: [&str; 48] = [
    "ba", "bel", "bri", "ca", "cor", "cu", "da", "den", "do", "du", "el", "fa", "fen", "flo", "ga", "gle", "gri",
    "hal", "im", "ja", "ka", "kel", "la", "lin", "lo", "lux", "ma", "mel", "mo", "na", "nex", "no", "o", "pa", "pri",
    "qui", "ra", "ren", "sa", "sil", "so", "ta", "tri", "u", "va", "vel", "xi", "zo",
];
const ENDINGS: [&str; 12] = ["dol", "cin", "zol", "pril", "tan", "vir", "mab", "stat", "xen", "lax", "fen", "mide"];
const FORMS: [&str; 8] = ["forte", "retard", "junior", "plus", "acute", "night", "direct", "complex"];
const STRENGTHS: [&str; 8] = ["5 mg", "10 mg", "20 mg", "50 mg", "100 mg", "250 mg", "500 mg", "1 g"];
const FIRMS: [&str; 6] = ["Pharma", "Laboratories", "Remedies", "Biotech", "Healthcare", "Works"];

/// The columns, as the paper names the attributes.
pub const COLUMNS: [&str; 5] = ["authentication_code", "proprietary_name", "generic_name", "manufacturer", "package"];

#[derive(Debug, Clone)]
pub struct Product {
    pub code: String,
    pub name: String,
    pub generic: String,
    pub maker: String,
    pub package: String,
}

pub struct Offer {
    pub record: Record,
    /// What should be concluded.
    pub truth: Option<&'static str>,
    /// The row it is an offer of, from 1; none when there is none.
    pub row: Option<usize>,
    /// How it was made, for a list of failures.
    pub how: &'static str,
}

pub struct Made {
    pub products: Vec<Product>,
    pub offers: Vec<Offer>,
}

pub fn make(rows: usize, offers: usize, seed: u64) -> Made {
    let mut draw = Draw::new(seed);
    let makers: Vec<String> = (0..(rows / 12).clamp(20, 5_000)).map(|_| maker(&mut draw)).collect();
    let mut names = BTreeSet::new();
    let mut products: Vec<Product> = Vec::with_capacity(rows);
    while products.len() < rows {
        let product = product(&mut draw, &products, &makers);
        if names.insert(product.name.clone()) {
            products.push(product);
        }
    }
    let codes = products.iter().map(|product| product.code.as_str()).collect();
    let known = Known { products: &products, makers: &makers, names: &names, codes };
    let offers = (0..offers).map(|number| known.offer(&mut draw, number)).collect();
    Made { products, offers }
}

impl Made {
    pub fn reference(&self) -> Reference {
        let mut reference = Reference::new(COLUMNS.map(str::to_owned).to_vec());
        for Product { code, name, generic, maker, package } in &self.products {
            // Made-up names never fill 4 GB.
            let _ = reference.push([code, name, generic, maker, package].map(String::as_str));
        }
        reference
    }
}

fn word(draw: &mut Draw, syllables: usize) -> String {
    (0..syllables).map(|_| draw.pick(&SYLLABLES)).collect()
}

fn capital(word: &str) -> String {
    word.chars().take(1).flat_map(char::to_uppercase).chain(word.chars().skip(1)).collect()
}

fn brand(draw: &mut Draw) -> String {
    let syllables = 2 + draw.below(2);
    capital(&(word(draw, syllables) + draw.pick(&ENDINGS)))
}

fn maker(draw: &mut Draw) -> String {
    let syllables = 3 + draw.below(2);
    format!("{} {}", capital(&word(draw, syllables)), draw.pick(&FIRMS))
}

fn product(draw: &mut Draw, before: &[Product], makers: &[String]) -> Product {
    let number = before.len();
    let family = (draw.chance(33) && number > 0).then(|| &before[draw.below(number)]);
    let first = family.map_or_else(|| brand(draw), |other| other.name.split(' ').next().unwrap_or("").to_owned());
    let form = if draw.chance(40) { format!(" {}", draw.pick(&FORMS)) } else { String::new() };
    let generic_syllables = 4;
    Product {
        // Spread over all numbers, none twice.
        code: format!("H{:08}", (number as u64 * 61_803_399 + 271_828) % 100_000_000),
        name: format!("{first}{form} {}", draw.pick(&STRENGTHS)),
        generic: family
            .map_or_else(|| word(draw, generic_syllables) + draw.pick(&ENDINGS), |other| other.generic.clone()),
        maker: family.map_or_else(|| makers[draw.below(makers.len())].clone(), |other| other.maker.clone()),
        package: format!("{} tablets", 10 * (1 + draw.below(10))),
    }
}

struct Known<'k> {
    products: &'k [Product],
    makers: &'k [String],
    names: &'k BTreeSet<String>,
    codes: FxHashSet<&'k str>,
}

impl Known<'_> {
    fn offer(&self, draw: &mut Draw, number: usize) -> Offer {
        let at = draw.below(self.products.len());
        let mut offered = self.products[at].clone();
        let (mut truth, mut row, mut keep_code) = (None, Some(at + 1), false);
        let how = match draw.below(100) {
            0..60 => "genuine",
            60..70 => {
                offered.code = self.free_code(draw, &offered.code, 4);
                (truth, row, keep_code) = (Some("Unapproved"), None, true);
                "a code that does not exist"
            }
            70..76 => {
                offered.code = self.free_code(draw, &offered.code, 1);
                (truth, row, keep_code) = (Some("Unapproved"), None, true);
                "a code that is nearly right"
            }
            76..86 => {
                offered.name = self.free_name(draw);
                (offered.generic, offered.code) = (String::new(), String::new());
                (truth, row) = (Some("Unapproved"), None);
                "a product that does not exist, without a code"
            }
            _ => {
                offered.maker = self.other_maker(draw, &offered.maker);
                (truth, keep_code) = (Some("Counterfeit"), true);
                "another maker"
            }
        };
        let record = shown(draw, &offered, number, keep_code, how == "another maker");
        Offer { record, truth, row, how }
    }

    /// `changed` digits are drawn anew, until the list does not have the code.
    fn free_code(&self, draw: &mut Draw, code: &str, changed: usize) -> String {
        loop {
            let mut digits: Vec<u8> = code.bytes().collect();
            for _ in 0..changed {
                let at = 1 + draw.below(8);
                digits[at] = b'0' + (digits[at] - b'0' + 1 + draw.below(9) as u8) % 10;
            }
            let code = String::from_utf8_lossy(&digits).into_owned();
            if !self.codes.contains(code.as_str()) {
                return code;
            }
        }
    }

    fn free_name(&self, draw: &mut Draw) -> String {
        loop {
            let syllables = 4 + draw.below(2);
            let name = format!("{} {}", capital(&word(draw, syllables)), draw.pick(&STRENGTHS));
            if !self.names.contains(&name) {
                return name;
            }
        }
    }

    fn other_maker(&self, draw: &mut Draw, maker: &str) -> String {
        loop {
            let other = &self.makers[draw.below(self.makers.len())];
            if other != maker {
                return other.clone();
            }
        }
    }
}

/// As a shop shows it: with typos, words in another order, and fields left out.
fn shown(draw: &mut Draw, offered: &Product, number: usize, keep_code: bool, keep_maker: bool) -> Record {
    let mut attributes = BTreeMap::new();
    let mut put = |name: &str, value: String| {
        if !value.is_empty() {
            attributes.insert(name.to_owned(), vec![value]);
        }
    };
    put("proprietary_name", noisy(draw, &offered.name));
    if keep_code || draw.chance(75) {
        put("authentication_code", dressed(draw, &offered.code));
    }
    if keep_maker || draw.chance(80) {
        put("manufacturer", noisy(draw, &offered.maker));
    }
    if draw.chance(60) {
        put("generic_name", typo(draw, &offered.generic, 20));
    }
    put("package", offered.package.clone());
    let url = Url::parse(&format!("http://shop-{}.example/offer/{number}", number % 40));
    let url = url.unwrap_or_else(|_| unreachable!("a number makes no address wrong"));
    Record { url, class: "offer".to_owned(), attributes, children: BTreeMap::new(), evidence: BTreeMap::new() }
}

/// Codes are copied, so their digits are right, but each shop writes them in its own way.
fn dressed(draw: &mut Draw, code: &str) -> String {
    match draw.below(4) {
        _ if code.is_empty() => String::new(),
        0 => code.to_lowercase(),
        1 => format!("{} {}", &code[..1], &code[1..]),
        2 => format!("{}-{}", &code[..5], &code[5..]),
        _ => code.to_owned(),
    }
}

fn noisy(draw: &mut Draw, value: &str) -> String {
    let mut words: Vec<&str> = value.split(' ').collect();
    if draw.chance(25) {
        let turn = draw.below(words.len());
        words.rotate_left(turn);
    }
    let mut text = typo(draw, &words.join(" "), 30);
    if draw.chance(10) {
        text = typo(draw, &text, 100);
    }
    match draw.below(6) {
        0 => text.to_uppercase(),
        1 => text.replace(' ', ", "),
        _ => text,
    }
}

/// In `percent` of all cases, a letter is lost, doubled, changed, or two change places.
fn typo(draw: &mut Draw, value: &str, percent: usize) -> String {
    let mut chars: Vec<char> = value.chars().collect();
    let letters: Vec<usize> = (0..chars.len()).filter(|&at| chars[at].is_alphabetic()).collect();
    if letters.is_empty() || !draw.chance(percent) {
        return value.to_owned();
    }
    let at = letters[draw.below(letters.len())];
    match draw.below(4) {
        0 => drop(chars.remove(at)),
        1 => chars.insert(at, chars[at]),
        2 => chars[at] = char::from(b'a' + draw.below(26) as u8),
        _ if at + 1 < chars.len() && chars[at + 1].is_alphabetic() => chars.swap(at, at + 1),
        _ => {}
    }
    chars.into_iter().collect()
}
