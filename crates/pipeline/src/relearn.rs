//! Do pages still look as the wrappers say, and if not, how are they read now? Wrappers, a sample of pages → the same wrappers,
//! or new ones for the classes that changed.
//!
//! - [`Tried`]: what came of it. - [`Relearning`]: the wrappers, and what is wanted of pages learned again.
//!
//! A class is suspected when slots that its pages used to fill stay empty, or when none of the pages fits it any more. Pages of
//! suspected classes and pages that fit no class are told apart anew, and each group is learned again as the class whose columns it
//! shows. Classes that are not suspected keep their wrappers.

use crate::groups::groups;
use crate::{Error, ExtractSettings};
use pagekin_core::extract::batch::{self, Fitted};
use pagekin_core::extract::drift::{self, Drift, LEAST_PAGES, Watch};
use pagekin_core::extract::{self, Applied, Record, Wanted, Wrapper};
use pagekin_core::page::Document;
use pagekin_core::pages::RawPage;

/// Pages of a group that are looked at to find out which class it was: macro F1 on SWDE is 0.987 from ten (docs/stages/extract.md).
const LOOKED_AT: usize = 12;

/// A group is of an old class when it shows this share of its columns. Set by hand.
const LEAST_SHOWN: f64 = 0.3;

/// Pages that fit no class say that something changed when they are this share of the sample: classes that were too small to
/// be learned are fewer. Set by hand.
const LOST: f64 = 0.2;

pub struct Tried {
    pub wrappers: Vec<Wrapper>,
    /// Empty when the wrappers still read the pages.
    pub drift: Vec<(String, Drift)>,
    /// Of the sample, as the wrappers given read it.
    pub records: Vec<Record>,
}

pub struct Relearning<'r> {
    settings: &'r ExtractSettings,
    applied: Vec<Applied>,
    /// Are the pages of several classes? If not, all are taken for the first one's.
    told_apart: bool,
}

impl<'r> Relearning<'r> {
    pub fn new(settings: &'r ExtractSettings, told_apart: bool) -> Result<Self, Error> {
        let applied = settings.wrappers.iter().cloned().map(Applied::new).collect::<Result<Vec<_>, _>>()?;
        let told_apart = told_apart || applied.len() > 1;
        Ok(Self { settings, applied, told_apart })
    }

    pub fn tried(&self, sample: &[RawPage]) -> Result<Tried, Error> {
        let fitted = batch::fitted(sample, &self.applied, self.settings.raw);
        let mut tried = Tried { wrappers: self.settings.wrappers.clone(), drift: Vec::new(), records: Vec::new() };
        let suspects = self.suspects(&fitted);
        let changed = |one: &Option<Fitted>| {
            one.as_ref().is_some_and(|one| !self.is_of_class(one) || suspects.contains(&one.wrapper))
        };
        let pages: Vec<RawPage> =
            sample.iter().zip(&fitted).filter(|(_, one)| changed(one)).map(|(page, _)| page.clone()).collect();
        if !suspects.is_empty() && pages.len() >= LEAST_PAGES {
            self.relearn(&pages, suspects, &mut tried)?;
        }
        tried.records = fitted.into_iter().flatten().filter(Fitted::is_of_class).map(|one| one.record).collect();
        Ok(tried)
    }

    /// The wrappers just learned, with what each finds on the sample: later samples are held against that.
    pub fn measured(self, sample: &[RawPage]) -> Vec<Wrapper> {
        let watches = self.watches(&batch::fitted(sample, &self.applied, self.settings.raw)).0;
        let measured = self.applied.into_iter().zip(watches).map(|(applied, (_, watch))| {
            let mut wrapper = applied.wrapper;
            watch.lower_fill(&mut wrapper);
            wrapper
        });
        measured.collect()
    }

    fn is_of_class(&self, fitted: &Fitted) -> bool {
        !self.told_apart || fitted.is_of_class()
    }

    /// Classes whose slots went missing, and those that no page is of any more; all, when many pages are of none.
    fn suspects(&self, fitted: &[Option<Fitted>]) -> Vec<usize> {
        let (watches, lost) = self.watches(fitted);
        let many = lost >= LEAST_PAGES && f64::from(lost as u32) >= fitted.len() as f64 * LOST;
        let drifted = |at: &usize| !watches[*at].1.drift(&self.applied[*at].wrapper).is_empty();
        let gone = |at: &usize| watches[*at].0 == 0 && many;
        let suspects: Vec<usize> = (0..watches.len()).filter(|at| drifted(at) || gone(at)).collect();
        if suspects.is_empty() && many { (0..watches.len()).collect() } else { suspects }
    }

    /// By class: its pages, and what they show. And how many pages are of none.
    fn watches(&self, fitted: &[Option<Fitted>]) -> (Vec<(usize, Watch)>, usize) {
        let mut watches = vec![(0, Watch::default()); self.applied.len()];
        let mut lost = 0;
        for one in fitted.iter().flatten() {
            if self.is_of_class(one) {
                watches[one.wrapper].0 += 1;
                watches[one.wrapper].1.see(&one.record);
            } else {
                lost += 1;
            }
        }
        (watches, lost)
    }

    fn relearn(&self, pages: &[RawPage], mut suspects: Vec<usize>, tried: &mut Tried) -> Result<(), Error> {
        let groups = if self.told_apart {
            groups(pages)
        } else {
            vec![batch::read_all(pages).into_iter().filter_map(Result::ok).collect()]
        };
        for mut documents in groups {
            documents.truncate(self.settings.learn_from);
            let Some(class) = self.class_of(&documents, &suspects)? else { continue };
            let drift = self.drift(class, &documents);
            if drift.is_empty() {
                continue;
            }
            suspects.retain(|other| *other != class);
            let name = self.applied[class].wrapper.class.clone();
            tried.drift.extend(drift.into_iter().map(|drift| (name.clone(), drift)));
            tried.wrappers[class] = self.learned(class, documents)?;
        }
        Ok(())
    }

    /// The suspected class whose columns the group shows most of.
    fn class_of(&self, documents: &[Document], suspects: &[usize]) -> Result<Option<usize>, Error> {
        let mut best: Option<(usize, f64)> = None;
        for &class in suspects {
            let old = &self.applied[class].wrapper;
            let few = documents.iter().take(LOOKED_AT).cloned().collect();
            let new = extract::learn(few, &Wanted::Domain(&drift::domain_of(old)), &old.class)?;
            let shown = old.filled(|name| new.slots.iter().any(|slot| slot.name == name));
            if shown >= LEAST_SHOWN && best.is_none_or(|(_, most)| shown > most) {
                best = Some((class, shown));
            }
        }
        // Pages that are said to be of one class are of it, whatever they show.
        let said = || (!self.told_apart).then(|| suspects.first().copied()).flatten();
        Ok(best.map(|(class, _)| class).or_else(said))
    }

    fn drift(&self, class: usize, documents: &[Document]) -> Vec<Drift> {
        let old = &self.applied[class];
        let mut watch = Watch::default();
        documents.iter().for_each(|document| watch.see_page(old, document));
        watch.drift(&old.wrapper)
    }

    /// By the domain or the examples where they are given; else the columns that it had.
    fn learned(&self, class: usize, documents: Vec<Document>) -> Result<Wrapper, Error> {
        let old = &self.applied[class].wrapper;
        if let Some(domain) = &self.settings.domain {
            return Ok(extract::learn(documents, &Wanted::Domain(domain), &old.class)?);
        }
        let domain = drift::domain_of(old);
        let by_example = old.slots.iter().any(|slot| slot.source == extract::Source::Example);
        let nothing =
            if by_example { None } else { Some(extract::learn(documents.clone(), &Wanted::Nothing, &old.class)?) };
        let by_name = extract::learn(documents, &Wanted::Domain(&domain), &old.class)?;
        Ok(drift::carried_over(old, by_name, nothing))
    }
}
