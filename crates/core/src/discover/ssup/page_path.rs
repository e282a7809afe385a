//! How does one get from the top to the sample? A sample → the index pages above it, root first, each with the link-path
//! down (SSUP 2019 section 4.2; SSUP 2014 algorithm 4, lines 4 to 12).
//!
//! - [`climb`]: the search, index page by index page. - [`PagePath`]: the answer.
//!
//! It ends after `height` index pages, when the next one is in the path already, or when no page qualifies.

use super::index::{Candidate, Reach, Search, top_index};
use super::ledger::{Ledger, counted};
use crate::page::PathId;
use crate::pages::Pages;
use crate::site::{Site, Stop, UrlId};

#[derive(Debug)]
pub struct PagePath {
    /// From the root to the sample.
    pub pages: Vec<UrlId>,
    /// `down[i]` is the link-path on `pages[i]` that leads to `pages[i + 1]`.
    pub down: Vec<PathId>,
    /// Why each index page was chosen.
    pub scores: Vec<f64>,
}

/// The path as far as it was found, and what stopped the run.
pub async fn climb<P: Pages>(
    site: &mut Site<'_, P>,
    ledger: &mut Ledger,
    sample: UrlId,
    height: usize,
    reach: Reach,
) -> (PagePath, Option<Stop>) {
    let mut up = PagePath { pages: vec![sample], down: Vec::new(), scores: Vec::new() };
    let mut lines = Vec::new();
    let mut stopped = None;
    while stopped.is_none() && up.down.len() < height {
        let page = up.pages[up.pages.len() - 1];
        match top_index(site, page, reach).await {
            Ok(search) => {
                lines.extend(explain(site, page, &search, reach));
                if !up.add(search.ranked.first(), site, &mut lines) {
                    break;
                }
            }
            Err(stop) => {
                lines.push(format!("`{}`: {stop} before its index page was found", site.url(page)));
                stopped = Some(stop);
            }
        }
    }
    up.pages.reverse();
    up.down.reverse();
    up.scores.reverse();
    let names: Vec<String> = up.pages.iter().map(|&page| site.url(page).to_string()).collect();
    lines.push(format!("page path: {}", names.join(" -> ")));
    ledger.step(format!("the way up from `{}`", site.url(sample)), lines);
    (up, stopped)
}

impl PagePath {
    /// Whether the path goes on; bottom first while it grows.
    fn add<P: Pages>(&mut self, index: Option<&Candidate>, site: &Site<P>, lines: &mut Vec<String>) -> bool {
        match index {
            None => lines.push("  no index page: the path ends here".to_owned()),
            Some(index) if self.pages.contains(&index.page) => {
                lines.push(format!("  `{}` is in the path already: the path ends here", site.url(index.page)));
            }
            Some(index) => {
                self.pages.push(index.page);
                self.down.push(index.path);
                self.scores.push(index.score);
                return true;
            }
        }
        false
    }
}

fn explain<P: Pages>(site: &Site<P>, page: UrlId, search: &Search, reach: Reach) -> Vec<String> {
    let (hops, siblings) = match reach {
        Reach::OneHop => ("one hop", String::new()),
        Reach::TwoHops => ("two hops", format!(", {} dropped as siblings", search.siblings)),
    };
    let Search { reached, pointing, .. } = search;
    let mut lines =
        vec![format!("`{}`: {reached} pages within {hops}, {pointing} point to it{siblings}", site.url(page))];
    for (place, candidate) in search.ranked.iter().enumerate() {
        let rank = if place == 0 { "best" } else { "next" };
        let Candidate { page, path, score, size } = *candidate;
        let (url, path, pages) = (site.url(page), site.show_path(path), counted(size, "page"));
        lines.push(format!("  {rank}: `{url}`, index_score {score:.2} over {pages} through {path}"));
    }
    lines
}
