//! The model as it is handed over: classes of visited pages, their link-paths written out, and the links among them (section 2).

use super::encoding::Class;
use crate::model::class_links::ClassLinks;
use crate::model::estimate::{Completeness, chao, coverage};
use crate::model::naming::{Facts, names};
use crate::model::{self, Role, Settings, Signature, SiteModel, VERSION};
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};
use rustc_hash::FxHashMap;
use url::Url;

/// Samples of a class.
const SAMPLES: usize = 5;

pub fn output<P: Pages>(
    site: &Site<'_, P>,
    start: &Url,
    classes: &[Class],
    settled: bool,
    stopped: Option<Stop>,
    settings: &Settings,
) -> SiteModel {
    let mut sorted: Vec<&Class> = classes.iter().collect();
    sorted.sort_by_key(|class| std::cmp::Reverse(class.pages.len()));
    let class_links = class_links(site, &sorted);
    let sizes: Vec<usize> = sorted.iter().map(|class| class.pages.len()).collect();
    let roles = class_links.roles(&sizes, &vec![0.0; sizes.len()]);
    let facts: Vec<Facts> =
        roles.iter().map(|&role| Facts { words: &[], patterns: &[], role, home: false, stubs: false }).collect();
    let named = names(&facts);
    let visited: usize = sizes.iter().sum();
    let classes = sorted.iter().zip(roles).zip(named).enumerate();
    let classes = classes.map(|(at, ((class, role), (name, named_by)))| model::Class {
        named_by,
        ..handed_over(site, at, class, role, name, visited)
    });
    SiteModel {
        version: VERSION,
        site: start.to_string(),
        method: model::Method::Mdl2005,
        notation: settings.notation,
        looked: site.downloads(),
        addresses: site.url_count(),
        unassigned: site.url_count().saturating_sub(visited),
        completeness: Completeness {
            settled,
            classes: chao(&sizes),
            coverage: coverage(&sizes),
            assigned: visited as f64 / site.url_count().max(1) as f64,
            stable: 0,
        },
        stopped,
        classes: classes.collect(),
        links: class_links.links(|path| site.show_path(path)),
    }
}

fn handed_over<P: Pages>(
    site: &Site<'_, P>,
    at: usize,
    class: &Class,
    role: Role,
    name: String,
    visited: usize,
) -> model::Class {
    let mut pages: Vec<String> = class.pages.iter().map(|page| site.url(page.id).to_string()).collect();
    pages.sort_unstable();
    let mut schema: Vec<String> = class.schema.iter().map(|&path| site.show_path(path)).collect();
    schema.sort_unstable();
    model::Class {
        id: at as u32 + 1,
        name,
        named_by: model::NamedBy::Role,
        role,
        size: pages.len(),
        estimate: None,
        share: pages.len() as f64 / visited.max(1) as f64,
        looked: pages.len(),
        patterns: Vec::new(),
        samples: pages.iter().take(SAMPLES).cloned().collect(),
        schema,
        pages,
        signature: Signature::default(),
    }
}

fn class_links<P: Pages>(site: &Site<'_, P>, classes: &[&Class]) -> ClassLinks {
    let of = |(at, class): (usize, &&Class)| {
        let number = at as u32 + 1;
        class.pages.iter().map(move |page| (page.id, number)).collect::<Vec<_>>()
    };
    let class_of: FxHashMap<UrlId, u32> = classes.iter().enumerate().flat_map(of).collect();
    let mut class_links = ClassLinks::default();
    for class in classes {
        for page in &class.pages {
            for link in site.links(page.id) {
                if let Some(&to) = class_of.get(&link.target) {
                    class_links.add(page.id, class_of[&page.id], link.path, to, u64::from(link.target));
                }
            }
        }
    }
    class_links
}
