//! Which pages of a mixed lot are of one class? Pages → their documents, class by class, as the site's model tells them apart.

use pagekin_core::extract::batch;
use pagekin_core::model::BatchModel;
use pagekin_core::model::view::View;
use pagekin_core::page::{Document, Limits};
use pagekin_core::pages::RawPage;
use std::cmp::Reverse;

/// A class of less than this share of the pages (and of one page) is left out: errors, the front page.
const LEAST_SHARE: f64 = 0.03;

/// The largest class first.
pub fn groups(pages: &[RawPage]) -> Vec<Vec<Document>> {
    let mut whole = BatchModel::new(|| pages.iter().map(|page| page.url.clone()));
    let mut read = Vec::new();
    for (page, document) in pages.iter().zip(batch::read_all(pages)) {
        if let (Ok(view), Ok(document)) = (View::read(page, None, &Limits::default()), document) {
            read.push((whole.add(view), document));
        }
    }
    let (class_of, all) = (whole.classes(), read.len());
    let mut classes: Vec<Vec<Document>> = Vec::new();
    for (group, document) in read {
        let class = class_of[group as usize] as usize;
        classes.resize_with(classes.len().max(class), Vec::new);
        classes[class - 1].push(document);
    }
    classes.sort_by_key(|documents| Reverse(documents.len()));
    let large = |documents: &Vec<Document>| documents.len() > 1 && documents.len() as f64 >= all as f64 * LEAST_SHARE;
    let kept = classes.iter().take_while(|documents| large(documents)).count().max(1);
    classes.truncate(kept);
    classes
}
