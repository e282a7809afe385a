//! Which ids of a template exist? Template, pages → pages found, each verified.
//!
//! For every template: a few known pages and ids that cannot exist are asked for first, to learn how the site answers
//! ([`soft_404`](super::soft_404)) and whether the text beside an id matters (thesis 3.1.3); then ids in the order of
//! [`candidates`](super::candidates), as long as it pays: until no more than `price` questions for each page found and
//! `allowance` beside are asked, and as long as the ids tried do not say for sure that more would cost more. Where a site insists on the
//! right text, the short addresses of its pages (`rel=shortlink`) are asked instead, if they hold the id.
//!
//! - [`seek`]: a whole site. - [`TextBehaviour`]: what becomes of a wrong text.

use super::candidates::{Candidates, Place};
use super::probe::{Probe, Prober, without};
use super::soft_404::{Judge, Verdict};
use super::{Found, ID, Report, Settings, Sought, StageCount, Template, Undecided, join_templates, mine, short};
use crate::page::address::state_changing;
use crate::pages::Pages;
use crate::site::Stop;
use serde::{Deserialize, Serialize};
use url::Url;

/// Ids asked for at once: small, so that little is asked in vain once it no longer pays.
const BATCH: usize = 8;

/// Pages known and ids impossible to learn from. Three of each: two alike and one that may be odd.
const LESSONS: usize = 3;
const LESSONS_AGAIN: usize = 2;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TextBehaviour {
    /// There is none, or it is the same for all.
    None,
    /// The site redirects to the right text.
    Redirects,
    /// The page is shown whatever the text is.
    Ignores,
    /// Without the right text there is no page: no address can be made up.
    Insists,
}

/// Mines and seeks.
pub async fn seek<P: Pages>(pages: &P, urls: &[&str], settings: &Settings) -> Report {
    let mined = mine::mine(urls, settings.fewest);
    let count = |stage: &str, count| StageCount { stage: stage.to_owned(), count };
    let mut stages = vec![
        count("addresses", mined.addresses),
        count("forms", mined.forms),
        count("routes", mined.leaves),
        count("templates", mined.templates.len()),
    ];
    let mut asker = Prober::new(pages, urls, settings.limits);
    let mut templates = join_templates::join_templates(&mut asker, mined.templates, settings).await;
    let shown = !templates.is_empty();
    if !shown {
        templates.extend(short::template(&mut asker, urls, settings).await);
    }
    stages.push(count("joined", templates.len()));
    let mut report = Report { stages, refused: mined.refused, ..Report::default() };
    let mut found = 0;
    for template in templates {
        let like =
            |sought: &Sought| sought.missing.is_some() && join_templates::differ_in_a_part(&sought.template, &template);
        let lessons = if report.templates.iter().any(like) { LESSONS_AGAIN } else { LESSONS };
        let named = template.fill.clone();
        let mut seeker = Seeker {
            asker: &mut asker,
            settings,
            lessons,
            says: Vec::new(),
            existing: 0,
            named: shown.then_some(named),
            found_before: found,
            sought: Sought::of(template),
        };
        let stopped = seeker.run().await;
        found += seeker.sought.found.len();
        report.templates.push(seeker.sought);
        report.stopped = report.stopped.or(stopped);
    }
    // A page that others point to is one that discovery missed: it is found, but not hidden.
    for found in report.templates.iter_mut().flat_map(|sought| &mut sought.found) {
        found.unlinked = !asker.is_linked(&found.url);
    }
    report.requests = asker.requests;
    report
}

/// Addresses that a run would ask for, in their order, as far as that does not hang on answers.
pub fn plan(template: &Template, most: usize) -> Vec<Url> {
    let known = template.samples.iter().take(LESSONS).filter_map(|(_, url)| Url::parse(url).ok());
    let probes = impossible(template).into_iter().filter_map(|id| template.address(id));
    let mut candidates = Candidates::of(template);
    let mut tries = Vec::new();
    while let Some((place, id)) = candidates.next() {
        tries.extend(template.address(id));
        candidates.told(place, place == Place::Gap);
        if tries.len() >= most {
            break;
        }
    }
    known.chain(probes).chain(tries).collect()
}

struct Seeker<'a, 'p, P> {
    asker: &'a mut Prober<'p, P>,
    settings: &'a Settings,
    /// Fewer where a template like it was learned before.
    lessons: usize,
    /// What the pages found say, as hashes, with their ids.
    says: Vec<(u64, u64)>,
    /// Ids tried that exist.
    existing: usize,
    /// The form of the addresses that pages have, whichever is asked; none where they show no id.
    named: Option<String>,
    /// On the site, by templates before.
    found_before: usize,
    sought: Sought,
}

impl<P: Pages> Seeker<'_, '_, P> {
    async fn run(&mut self) -> Option<Stop> {
        if let Some(why) = refused(&self.sought.template) {
            self.sought.ended = why;
            return None;
        }
        if let Some(stop) = self.stop() {
            self.sought.ended = stop.to_string();
            return Some(stop);
        }
        match self.learn().await {
            Ok(judge) => self.generate(judge).await,
            Err(why) => self.sought.ended = why,
        }
        self.sought.found.sort_by_key(|found| found.id);
        self.stop()
    }

    fn stop(&self) -> Option<Stop> {
        if self.asker.interrupted {
            return Some(Stop::Interrupted);
        }
        self.settings.budget.filter(|&budget| self.asker.requests >= budget).map(|_| Stop::Budget)
    }

    /// Does one more batch keep to the price, or may it, as far as the ids tried can tell?
    fn pays(&self) -> bool {
        let found = self.found_before + self.sought.found.len();
        let allowed = self.settings.allowance as f64 + self.settings.price * found as f64;
        (self.asker.questions + BATCH) as f64 <= allowed
            || self.existing > 0 && at_most(self.existing, self.sought.tried) >= 1.0 / self.settings.price
    }

    async fn learn(&mut self) -> Result<Judge, String> {
        let template = &self.sought.template;
        let lessons = self.lessons;
        let samples: Vec<Url> =
            template.samples.iter().take(lessons).filter_map(|(_, url)| Url::parse(url).ok()).collect();
        let known = self.asker.ask(&samples).await;
        let probes: Vec<(u64, Url)> =
            impossible(template).into_iter().take(lessons).filter_map(|id| Some((id, template.address(id)?))).collect();
        let (ids, urls): (Vec<u64>, Vec<Url>) = probes.into_iter().unzip();
        let ids = ids.into_iter().map(|id| template.written(id)).collect::<Vec<_>>();
        let probes: Vec<(String, Probe)> = ids.into_iter().zip(self.asker.ask(&urls).await).collect();
        let again = self.asker.again(&samples[..samples.len().min(1)]).await;
        let twice = known.first().zip(again.first());
        let judge = Judge::learn(&known, &probes, twice).ok_or("no known page answered: nothing can be told")?;
        self.sought.missing = Some(judge.missing);
        let text = self.text(&known).await;
        self.sought.text = Some(text);
        if text != TextBehaviour::Insists {
            return Ok(judge);
        }
        let insists = "the site insists on the right text beside the id";
        let short = short_fill(&self.sought.template, &known).filter(|short| *short != self.sought.template.fill);
        let Some(short) = short else { return Err(insists.to_owned()) };
        self.sought.template.forms.push(short.clone());
        self.sought.template.fill = short;
        Box::pin(self.learn()).await
    }

    /// A known id with the text of another.
    async fn text(&mut self, known: &[Probe]) -> TextBehaviour {
        let template = &self.sought.template;
        let written = template.samples.iter().zip(known).filter(|(_, look)| look.page().is_some());
        let other = written.filter_map(|((id, url), look)| Some((template.address(*id)?, url, look)));
        let Some((mixed, _, right)) = other.into_iter().find(|(mixed, url, _)| mixed.as_str() != *url) else {
            return TextBehaviour::None;
        };
        let right = right.clone();
        let Some(look) = self.asker.ask(&[mixed]).await.pop() else { return TextBehaviour::Insists };
        if look.page().is_some() && look.moved && look.at == right.at {
            TextBehaviour::Redirects
        } else if same_page(&look, &right, known) {
            TextBehaviour::Ignores
        } else {
            TextBehaviour::Insists
        }
    }

    async fn generate(&mut self, mut judge: Judge) {
        let mut candidates = Candidates::of(&self.sought.template);
        loop {
            if let Some(stop) = self.stop() {
                self.sought.ended = stop.to_string();
                return;
            }
            if !self.pays() {
                self.sought.ended = "it no longer paid: too many requests for the pages found".to_owned();
                return;
            }
            let tries = self.tries(&mut candidates);
            if tries.is_empty() {
                self.sought.ended = "no more ids were likely to exist".to_owned();
                return;
            }
            let urls: Vec<Url> = tries.iter().map(|(_, _, url)| url.clone()).collect();
            let looks = self.asker.ask(&urls).await;
            for ((place, id, _), look) in tries.into_iter().zip(looks) {
                let exists = self.decide(&mut judge, place, id, &look);
                candidates.told(place, exists);
            }
        }
    }

    fn tries(&self, candidates: &mut Candidates) -> Vec<(Place, u64, Url)> {
        let template = &self.sought.template;
        let fits = |id: &u64| template.width.is_none_or(|width| template.written(*id).len() <= width);
        let tries = candidates.batch(BATCH).into_iter().filter(|(_, id)| fits(id));
        tries.filter_map(|(place, id)| Some((place, id, template.address(id)?))).collect()
    }

    fn decide(&mut self, judge: &mut Judge, place: Place, id: u64, look: &Probe) -> bool {
        self.sought.tried += 1;
        let written = self.sought.template.written(id);
        let own = |url: &Url| self.named.as_ref().map_or(*url == look.at, |named| is_own(named, &written, url));
        match judge.judge(&written, look, own) {
            Verdict::Exists { .. } if self.asker.is_known(&look.at) => {
                // Where ids had to be read from pages, one not read says nothing of how many are hidden.
                self.existing += usize::from(self.named.is_some());
                true
            }
            Verdict::Exists { confidence, because, says } => {
                self.existing += 1;
                let how = format!("{}; {because}", place.name());
                self.says.push((says, id));
                self.sought.found.push(Found { url: look.at.clone(), id, confidence, how, unlinked: true });
                true
            }
            Verdict::Empty(_) => false,
            Verdict::Twin(says) => {
                self.unsay(says);
                false
            }
            Verdict::CannotTell(why) => {
                self.sought.undecided.push(Undecided { url: look.asked.clone(), why });
                false
            }
        }
    }
}

impl<P> Seeker<'_, '_, P> {
    /// A page found before turned out to be one of many that say the same.
    fn unsay(&mut self, says: u64) {
        let ids: Vec<u64> = self.says.iter().filter(|(own, _)| *own == says).map(|(_, id)| *id).collect();
        self.sought.found.retain(|found| !ids.contains(&found.id));
    }
}

/// The share of ids that exist is at most this, with 95 % confidence (Wilson's interval).
fn at_most(existing: usize, tried: usize) -> f64 {
    const Z: f64 = 1.645;
    let (n, share) = (tried.max(1) as f64, existing as f64 / tried.max(1) as f64);
    let spread = (share * (1.0 - share) / n + Z * Z / (4.0 * n * n)).sqrt();
    (share + Z * Z / (2.0 * n) + Z * spread) / (1.0 + Z * Z / n)
}

/// The form of the short addresses that known pages name, if all name one that holds their id.
fn short_fill(template: &Template, known: &[Probe]) -> Option<String> {
    let pairs = template.samples.iter().zip(known).filter_map(|((id, _), look)| Some((*id, look.page()?)));
    let fills = pairs.map(|(id, page)| with_id_slot(page.short.as_ref()?.as_str(), &template.written(id)));
    let fills: Option<Vec<String>> = fills.collect();
    let fills = fills.filter(|fills| fills.len() > 1 && fills.iter().all(|fill| *fill == fills[0]))?;
    fills.into_iter().next()
}

/// The address with the id replaced by `{N}`, where the id stands as a number of its own behind the host.
fn with_id_slot(url: &str, id: &str) -> Option<String> {
    let path = url.find("://").map_or(0, |at| at + 3);
    let start = path + url[path..].find('/')?;
    let number = |text: &str| text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let mut places = url[start..].match_indices(id).map(|(at, _)| start + at);
    let at = places.find(|&at| number(&url[at..]) == id.len() && !url[..at].ends_with(|c: char| c.is_ascii_digit()))?;
    Some(format!("{}{ID}{}", &url[..at], &url[at + id.len()..]))
}

/// Templates that look like actions or private areas are not touched.
fn refused(template: &Template) -> Option<String> {
    let acts = template.address(template.known.first().copied().unwrap_or(1)).is_none_or(|url| state_changing(&url));
    acts.then(|| "it looks like an action: nothing was asked".to_owned())
}

/// Ids that cannot exist: far past the newest, of odd distances.
pub fn impossible(template: &Template) -> Vec<u64> {
    let newest = template.known.last().copied().unwrap_or(0);
    let span = newest.saturating_sub(template.known.first().copied().unwrap_or(0)).max(100_003);
    let ceiling = template.width.map_or(u64::MAX, |width| u64::from(template.base).saturating_pow(width as u32) - 1);
    let far = |n: u64| newest.saturating_add(span.saturating_mul(3 * n + 7)).saturating_add(n * 12_347);
    let room = ceiling.saturating_sub(newest);
    let within = |n: u64| if far(n) > ceiling { ceiling.saturating_sub(n * (room / 7)) } else { far(n) };
    let mut ids: Vec<u64> = (0..LESSONS as u64).map(within).filter(|id| *id > newest).collect();
    ids.dedup();
    ids
}

/// Does the address belong to the id? It names the id as a word of its own, and starts as the template does.
fn is_own(fill: &str, id: &str, url: &Url) -> bool {
    let bare = |text: &str| text.trim_start_matches('0').to_ascii_lowercase();
    let inside =
        |c: char| if id.bytes().all(|b| b.is_ascii_digit()) { c.is_ascii_digit() } else { c.is_ascii_alphanumeric() };
    let named = url.as_str().split(|c: char| !inside(c)).any(|word| !word.is_empty() && bare(word) == bare(id));
    let first = |path: &str| path.split('/').find(|part| !part.is_empty()).unwrap_or("").to_owned();
    let filled = Url::parse(&fill.replacen(ID, id, 1)).ok();
    let start = filled.map(|filled| first(filled.path())).unwrap_or_default();
    let begins = first(url.path());
    named && if start.contains(id) { begins.contains(id) } else { begins == start }
}

/// Does it say what `right` says, and not what others say? A small part may name the address it was asked by.
pub(super) fn same_page(look: &Probe, right: &Probe, known: &[Probe]) -> bool {
    let (Some(one), Some(other)) = (look.page(), right.page()) else { return false };
    if one.canonical.is_some() && one.canonical == other.canonical {
        return true;
    }
    let other_page = |look: &&Probe| look.at != right.at && look.page().is_some();
    let elsewhere = known
        .iter()
        .filter(other_page)
        .filter_map(Probe::page)
        .fold(Vec::new(), |all, content| super::probe::union(&all, &content.texts));
    let own = without(&other.texts, &elsewhere);
    let kept = super::probe::common(&own, &one.texts);
    !own.is_empty() && kept.len() * 2 >= own.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_tries_leave_much_possible_and_many_little() {
        assert!(at_most(0, 4) > 0.33 && at_most(0, 8) < 0.33);
        assert!(at_most(10, 40) > 0.33 && at_most(25, 100) < 0.34 && at_most(1, 1) > 0.99);
    }

    #[test]
    fn a_short_address_holds_the_id_as_a_number_of_its_own() {
        assert_eq!(with_id_slot("http://s.org/?p=12", "12").as_deref(), Some("http://s.org/?p={N}"));
        assert_eq!(with_id_slot("http://s12.org/?p=121", "12"), None);
        assert_eq!(with_id_slot("http://12.org/node/12", "12").as_deref(), Some("http://12.org/node/{N}"));
    }
}
