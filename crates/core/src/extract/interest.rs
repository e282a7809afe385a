//! What on these pages would a person put into a table? Aligned pages, no domain → at most [`MOST`] slots, the most interesting first.
//!
//! Interesting is what most pages have, what differs from page to page, what has a label, what stands near the title and is short; the
//! title itself comes first. Texts that repeat a slot already chosen are left out.

use super::choose::{Choice, echo};
use super::class::{At, Candidate, Class};
use super::roles::Scored;
use super::slot::{run, run_before};
use super::title::Titles;
use rustc_hash::{FxHashMap, FxHashSet};

/// Slots of a class: a bound on what a person is given to read, set by hand.
pub const MOST: usize = 40;

/// A candidate is taken for a repetition when this share of its texts stand in a slot already chosen. Set by hand.
const REPEATED: f64 = 0.9;

/// The slots, in the order of interest; the first is the title, if there is one.
pub fn choose(class: &Class) -> Vec<Choice> {
    let titles = Titles::new(class);
    let title = best_title(class, &titles);
    let place: FxHashMap<u32, u32> =
        title.map_or_else(FxHashMap::default, |at| class.candidates[at].leaves.iter().copied().collect());
    let mut ranked: Vec<(usize, f64)> = (0..class.candidates.len())
        .filter(|at| !class.is_tabled(&class.candidates[*at]))
        .map(|at| (at, interest(class, &class.candidates[at], &place)))
        .filter(|(_, score)| *score > 0.0)
        .collect();
    ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let order = title.into_iter().map(|at| (at, 1.0)).chain(ranked);
    let mut taken = Taken::default();
    let mut choices = Vec::new();
    for (at, score) in order {
        if choices.len() >= MOST {
            break;
        }
        if taken.add(class, &class.candidates[at]) {
            choices.push(choice(class, at, score));
        }
    }
    choices
}

fn best_title(class: &Class, titles: &Titles) -> Option<usize> {
    let score = |candidate: &Candidate| {
        let heading = titles.heading(candidate);
        let share: f64 =
            candidate.leaves.iter().map(|at| titles.share(*at, heading)).sum::<f64>() / candidate.leaves.len() as f64;
        let varied = (class.variation(candidate) * 1.5).min(1.0);
        share * varied * class.support(candidate).sqrt() * (1.0 - 0.7 * titles.added(candidate))
            / candidate.repeats.sqrt()
    };
    let scores = class.candidates.iter().map(score).enumerate();
    let best = scores.max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0)))?;
    (best.1 > 0.2).then_some(best.0)
}

fn interest(class: &Class, candidate: &Candidate, title: &FxHashMap<u32, u32>) -> f64 {
    let n = candidate.leaves.len();
    let of_template =
        candidate.leaves.iter().filter(|at| class.template.anchors.contains(&class.leaf(**at).word)).count();
    let distinct = class.variation(candidate) * n as f64;
    if of_template * 2 > n || (distinct < 1.5 && n > 1) {
        return 0.0;
    }
    if inside_list(class, candidate) || says_title(class, candidate, title) {
        return 0.0;
    }
    let near = |at: &At| title.get(&at.0).map(|title| 1.0 / (1.0 + f64::from(title.abs_diff(at.1)) / 60.0));
    let near: Vec<f64> = candidate.leaves.iter().filter_map(near).collect();
    let nearness = if near.is_empty() { 0.5 } else { near.iter().sum::<f64>() / near.len() as f64 };
    let short = if is_prose(class, candidate) { 0.6 } else { 1.0 };
    let varied = 0.7 + 0.3 * (class.variation(candidate) * 3.0).min(1.0);
    let labelled = class.label_share(candidate);
    let label = 1.0 + 0.5 * labelled;
    let consistent = 0.3 + 0.7 * class.consistency(candidate);
    // Cells of a table of figures, unless each has a label.
    let alone = 1.0 / (1.0 + (0.1 - 0.08 * labelled) * (class.crowd(candidate) - 1.0));
    class.support(candidate).sqrt() * varied * label * consistent * alone * short * (0.35 + 0.65 * nearness)
        / candidate.repeats
}

/// Is it an item of a list, but not its first? A list is a run that is longer on one page than on another; its first item stands for
/// all of it. Where runs have one length, each item has a meaning of its own: the lines of an address.
fn inside_list(class: &Class, candidate: &Candidate) -> bool {
    let mut lengths: FxHashMap<usize, usize> = FxHashMap::default();
    let mut first = 0usize;
    for at in &candidate.leaves {
        let (page, template) = (&class.pages[at.0 as usize], &class.template);
        let (before, behind) = (run_before(page, at.1, template), run(page, at.1, template).len());
        *lengths.entry(before + behind).or_default() += 1;
        first += usize::from(before == 0);
    }
    let n = candidate.leaves.len() as f64;
    let one_length = lengths.values().max().is_none_or(|most| *most as f64 >= n * ONE_LENGTH);
    !one_length && (first as f64) < n * IS_FIRST
}

/// Runs are of one length when this share of them is, and an item is the first when it is so on this share of the pages. Set by hand.
const ONE_LENGTH: f64 = 0.8;
const IS_FIRST: f64 = 0.9;

/// Is it the title with the same words around it on all pages ("About Chris Amon")?
fn says_title(class: &Class, candidate: &Candidate, title: &FxHashMap<u32, u32>) -> bool {
    let around = |at: &At| {
        let (text, title) = (&class.leaf(*at).text, &class.leaf((at.0, *title.get(&at.0)?)).text);
        (text.len() > title.len()).then(|| text.split_once(&**title)).flatten()
    };
    let mut pairs = candidate.leaves.iter().map(around);
    let Some(Some(first)) = pairs.next() else { return false };
    pairs.all(|pair| pair == Some(first))
}

/// Texts of this length, on average, are prose. Set by hand.
const PROSE: usize = 200;

fn is_prose(class: &Class, candidate: &Candidate) -> bool {
    let all: usize = candidate.leaves.iter().map(|at| class.leaf(*at).text.len()).sum();
    all / candidate.leaves.len() >= PROSE
}

/// What the slots chosen so far show.
#[derive(Default)]
struct Taken {
    leaves: FxHashSet<At>,
    texts: FxHashSet<(u32, u64, u64)>,
}

impl Taken {
    /// False when it says nothing new.
    fn add(&mut self, class: &Class, candidate: &Candidate) -> bool {
        let n = candidate.leaves.len() as f64;
        let same = candidate.leaves.iter().filter(|at| self.leaves.contains(at)).count() as f64;
        let again = candidate.leaves.iter().filter(|at| self.texts.contains(&said(class, **at))).count() as f64;
        if same > n * 0.5 || again > n * REPEATED {
            return false;
        }
        self.leaves.extend(candidate.leaves.iter().copied());
        if is_prose(class, candidate) {
            // The paragraphs behind the first are further values of the same slot.
            for at in &candidate.leaves {
                let more = run(&class.pages[at.0 as usize], at.1, &class.template);
                self.leaves.extend(more.into_iter().map(|leaf| (at.0, leaf)));
            }
        }
        self.texts.extend(candidate.leaves.iter().map(|at| said(class, *at)));
        true
    }
}

/// Page and text; of a number its label too, because numbers are alike by chance.
fn said(class: &Class, at: At) -> (u32, u64, u64) {
    let leaf = class.leaf(at);
    let label = if leaf.text.contains(char::is_alphabetic) { 0 } else { class.label_word(at) };
    (at.0, leaf.word, label)
}

fn choice(class: &Class, at: usize, score: f64) -> Choice {
    let leaves = &class.candidates[at].leaves;
    let mut tiers = vec![class.voters(leaves)];
    let covered: FxHashMap<u32, u32> = leaves.iter().copied().collect();
    tiers.extend(echo(class, &covered).map(|echo| class.voters(&class.candidates[echo].leaves)));
    Choice { tiers, leaves: leaves.clone(), best: Scored { candidate: at, score: score.min(1.0), ..Scored::default() } }
}
