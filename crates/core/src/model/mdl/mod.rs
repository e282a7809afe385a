//! The published method, literally: Crescenzi, Merialdo, Missier, "Clustering Web pages based on their structure" (Data & Knowledge
//! Engineering 54, 2005), algorithm ComputeModel (figure 5).
//!
//! - [`model`]: fetches at most `n` pages of a link collection, groups them (`candidates`, section 3.1), takes each group into the
//!   class where the description stays shortest ([`encoding`], section 3.2), queues their link collections ([`queue`], section 3.3).
//! - [`cost`]: how a page is classified (section 4.1).
//!
//! Where the paper is silent: the pages of a collection are taken evenly over it; a collection is asked once, and not at all when
//! all its pages were visited. Pages of a menu open regions and don't vote. Its known weaknesses are kept: it is the yardstick.

mod candidates;
pub mod encoding;
mod output;
mod queue;

pub use encoding::cost;
pub use queue::Order;

use super::{Error, Settings, SiteModel};
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use candidates::{candidates, is_menu};
use encoding::{Class, Page};
use queue::{Collection, Queue};
use rustc_hash::{FxHashMap, FxHashSet};
use url::Url;

struct Run<'p, P> {
    site: Site<'p, P>,
    settings: &'p Settings,
    queue: Queue,
    model: Vec<Class>,
    visited: FxHashSet<UrlId>,
}

pub async fn model<P: Pages>(pages: &P, start: &Url, settings: &Settings) -> Result<SiteModel, Error> {
    let mut site = Site::new(pages, settings.site(start));
    let entry = site.id(start);
    let looked = site.look(&[entry]).await;
    if site.seen(entry).is_none() {
        let why = site.skip_reason(entry).map_or("no answer".to_owned(), |skipped| skipped.reason.to_string());
        return Err(Error::Start(start.clone(), why));
    }
    let queue = Queue::new(settings.order);
    let mut run = Run { site, settings, queue, model: Vec::new(), visited: FxHashSet::default() };
    run.take(vec![entry]);
    let stopped = match looked {
        Ok(()) => run.explore().await.err(),
        Err(stop) => Some(stop),
    };
    Ok(output::output(&run.site, start, &run.model, run.queue.is_empty(), stopped, settings))
}

impl<P: Pages> Run<'_, P> {
    async fn explore(&mut self) -> Result<(), Stop> {
        while let Some(collection) = self.queue.pop() {
            let chosen = self.spread(&collection);
            let looked = self.site.look(&chosen).await;
            self.take(chosen);
            looked?;
        }
        Ok(())
    }

    /// At most `n` pages, evenly over the collection.
    fn spread(&self, collection: &Collection) -> Vec<UrlId> {
        let targets: Vec<UrlId> = collection.targets.iter().map(|&target| self.site.resolve(target)).collect();
        let wanted = self.settings.n.min(targets.len());
        (0..wanted).map(|place| targets[place * targets.len() / wanted]).collect()
    }

    /// Lines 7 to 23 for pages that were fetched; those visited before are in the model already.
    fn take(&mut self, fetched: Vec<UrlId>) {
        let mut pages = Vec::new();
        for id in fetched.into_iter().map(|id| self.site.resolve(id)) {
            if self.site.seen(id).is_some() && self.visited.insert(id) {
                pages.push(self.page(id));
            }
        }
        let groups = candidates(pages.clone(), self.settings.dt);
        let votes = !is_menu(&groups);
        let mut class_of: FxHashMap<UrlId, usize> = FxHashMap::default();
        for group in groups.into_iter().filter(|_| votes) {
            let ids: Vec<UrlId> = group.pages.iter().map(|page| page.id).collect();
            let class = encoding::update(&mut self.model, group);
            class_of.extend(ids.into_iter().map(|id| (id, class)));
        }
        for page in &pages {
            self.enqueue(page.id, class_of.get(&page.id).map(|&class| &self.model[class]).cloned().as_ref());
        }
    }

    fn page(&self, id: UrlId) -> Page {
        let seen = self.site.seen(id).expect("only pages that were seen are taken in");
        Page { id, schema: seen.schema.clone(), urls: seen.links.len() }
    }

    /// A page that a menu leads to has no class (`None`): its collections go before those of any class.
    fn enqueue(&mut self, id: UrlId, class: Option<&Class>) {
        let mut collections: FxHashMap<u32, Vec<UrlId>> = FxHashMap::default();
        let mut order = Vec::new();
        for link in self.site.links(id) {
            let targets = collections.entry(link.path).or_default();
            if targets.is_empty() {
                order.push(link.path);
            }
            targets.push(link.target);
        }
        let (single, outgoing) = class.map_or((true, 0), |class| (class.pages.len() == 1, class.urls));
        let outgoing = outgoing.max(order.iter().map(|path| collections[path].len()).sum());
        for path in order {
            let targets = collections.remove(&path).unwrap_or_default();
            if targets.iter().any(|target| !self.visited.contains(target)) {
                self.queue.push(Collection { targets }, single, outgoing);
            }
        }
    }
}
