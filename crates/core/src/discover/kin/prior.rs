//! What does an address say before any page like it was looked at? How it relates to the sample's, as numbers that a fitted model weighs.

use super::nodes::{END, FOLDER, FORM, NodeId, NodeKind, WORD};
use super::state::{Known, SiteState, UrlId};
use crate::pages::Pages;

pub const PRIORS: usize = 27;

/// In the order of [`SiteState::prior`].
pub const PRIOR_NAMES: [&str; PRIORS] = [
    "bias",
    "same_folder",
    "same_outline",
    "same_form",
    "same_file_kind",
    "common_folders",
    "shared_place",
    "shared_list",
    "menu",
    "above_others",
    "numbered",
    "more_parameters",
    "folder_page",
    "depth_apart",
    "same_word",
    "above_sample",
    "other_folder",
    "among_few",
    "among_few_on_top",
    "folder_tells",
    "form_tells",
    "word_tells",
    "end_tells",
    "cell_tells",
    "other_cell",
    "any_word_tells",
    "any_end_tells",
];

impl<P: Pages> SiteState<'_, P> {
    /// Relative to one sample; `sample_above` tells whether the sample itself has addresses below it.
    pub fn prior(&self, id: UrlId, sample: UrlId) -> [f64; PRIORS] {
        let (one, own) = (&self.urls[id as usize], &self.urls[sample as usize]);
        let yes = |what: bool| f64::from(u8::from(what));
        let common = one.shape.folders.iter().zip(&own.shape.folders).take_while(|(a, b)| a == b).count() as f64;
        let deepest = one.shape.folders.len().max(own.shape.folders.len()) as f64;
        let shares = |kind: NodeKind| {
            let of_kind = |node: &&NodeId| self.nodes.kind(**node) == kind;
            one.linked.iter().filter(of_kind).any(|node| own.linked.contains(node))
        };
        let often = |known: &Known| known.seen_on as f64 / (self.looked.len() as f64).max(4.0);
        let parting = self.parting(&one.shape, &own.shape);
        // A folder among few is more often named after a type, one among many after a category.
        let few = if parting.is_some() { self.few(&one.shape, &own.shape) } else { 0.0 };
        let on_top = parting.is_some_and(|(_, depth)| depth <= self.site_folders);
        // Where all addresses of a site stand in one folder, the folder says nothing.
        let tells = |at: usize| match one.nodes[at] == own.nodes[at] && (at <= FORM || own.nodes[at] != own.nodes[FORM])
        {
            true => self.nodes.specificity(own.nodes[at]),
            false => 0.0,
        };
        // A word that addresses share in whatever folder: `trait.` of `iter/trait.Iterator.html`.
        let tells_anywhere = |kind: NodeKind| {
            let of_kind = own.nodes.iter().find(|&&node| self.nodes.kind(node) == kind);
            of_kind.filter(|node| one.nodes.contains(node)).map_or(0.0, |&node| self.nodes.specificity(node))
        };
        let cells = (self.cell(id), self.cell(sample));
        let above = |id: UrlId| f64::from(self.below(id)).ln_1p().min(3.0);
        [
            1.0,
            yes(one.nodes[0] == own.nodes[0]),
            yes(self.outline(id) == self.outline(sample)),
            yes(one.nodes[1] == own.nodes[1]),
            yes(one.shape.extension == own.shape.extension
                && one.shape.parameters.is_empty() == own.shape.parameters.is_empty()),
            if deepest == 0.0 { 1.0 } else { common / deepest },
            yes(shares(NodeKind::Place)),
            yes(shares(NodeKind::List)),
            (often(one) - often(own)).max(0.0),
            (above(id) - above(sample)).max(0.0),
            yes(one.numbered && !own.numbered),
            yes(one.shape.parameters.len() > own.shape.parameters.len()),
            yes(one.shape.last.is_empty() && !own.shape.last.is_empty()),
            (one.shape.folders.len() as f64 - own.shape.folders.len() as f64).abs().min(4.0),
            yes(one.nodes[2] == own.nodes[2]),
            yes(super::frontier::steps_above(&one.shape, &own.shape).is_some()),
            yes(parting.is_some()),
            few,
            few * yes(on_top),
            tells(FOLDER),
            tells(FORM),
            tells(WORD),
            tells(END),
            if cells.0 == cells.1 { self.nodes.specificity(cells.0) } else { 0.0 },
            yes(cells.0 != cells.1 && one.nodes[FORM] == own.nodes[FORM]),
            tells_anywhere(NodeKind::AnyWord),
            tells_anywhere(NodeKind::AnyEnd),
        ]
    }
}
