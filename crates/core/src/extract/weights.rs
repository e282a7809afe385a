//! What counts how much when places on pages are weighed? The numbers that [`roles`](super::roles), [`example`](super::example), [`title`](super::title) and
//! [`sheet`](super::sheet) mix their evidence with, in one place.
//!
//! All are set by hand on the development sites, none is fitted; what is fitted is in [`fitted`](super::fitted). What they give together is measured, and
//! must not fall, by
//!
//! ```text
//! pagekin eval extract swde                         weights of roles and of titles
//! pagekin eval extract swde --by example            weights of examples
//! pagekin eval extract swde --by nothing --raw      weights of sheets
//! pagekin eval tables gold
//! ```

/// A part that counts always, and a part that counts as far as something holds: `base + span × share`.
#[derive(Debug, Clone, Copy)]
pub struct Share {
    pub base: f64,
    pub span: f64,
}

impl Share {
    pub fn of(self, share: f64) -> f64 {
        self.base + self.span * share
    }
}

const fn share(base: f64, span: f64) -> Share {
    Share { base, span }
}

/// Of values that nobody gave and no label names: of structured data, of columns, of sheets.
pub const UNLABELLED: f64 = 0.8;

/// Texts that are nearly the same on all pages: so many different ones at most.
pub const CONSTANT: f64 = 1.5;

/// Of the places that a role may have.
pub mod role {
    use super::{Share, share};

    /// How much less the last synonym of a role says than the first.
    pub const LATER_SYNONYM: f64 = 0.15;
    /// How much a title loses whose words all of its texts have.
    pub const ADDED_WORDS: f64 = 0.7;
    /// What a label says, of a role that is a title and of others.
    pub const LABEL_OF_TITLE: f64 = 0.4;
    pub const LABEL: f64 = 0.9;
    /// What the type of its values says, what the names of its elements say, what looking like a title says.
    pub const TYPE: f64 = 0.6;
    pub const SCHEMA: f64 = 0.4;
    pub const TITLE: f64 = 0.9;
    /// What is left of a text that is a label itself.
    pub const IS_LABEL: f64 = 0.2;
    /// How much less a label behind a value says than one before it.
    pub const LABEL_BEHIND: f64 = 0.9;
    /// A name that only holds the word, or only says "title".
    pub const PART_OF_NAME: f64 = 0.6;
    /// A text that is the same on all pages, where a label stands before it.
    pub const SAME_EVERYWHERE: f64 = 0.25;
    /// How different its texts are: titles of pages differ, other values need not.
    pub const TITLES_DIFFER: Share = share(0.3, 0.7);
    pub const VALUES_DIFFER: Share = share(0.8, 0.2);
    /// How near it stands to the title of the page.
    pub const NEAR_TITLE: Share = share(0.65, 0.35);
    /// What tells a role for the record, where several do: a type and a name weigh less than a label and a title.
    pub const TOLD_BY_TYPE: f64 = 0.9;
    pub const TOLD_BY_SCHEMA: f64 = 0.6;
}

/// Of the places that a value given by the user may mean.
pub mod example {
    use super::{Share, share};

    /// What the sample shows several times, the others do too.
    pub const REPEATED: Share = share(0.7, 0.3);
    /// A text that is the same on all pages.
    pub const SAME_EVERYWHERE: f64 = 0.1;
    /// How different its texts are.
    pub const DIFFER: Share = share(0.9, 0.1);
    /// Texts behind the label of the example: where it has none, where it has one.
    pub const NO_LABEL: Share = share(0.3, 0.7);
    pub const SAME_LABEL: Share = share(0.25, 0.9);
    /// Texts that look like the example, and that stand in the same element.
    pub const ALIKE: Share = share(0.4, 0.6);
    pub const SAME_PATH: Share = share(0.6, 0.4);
    /// Of an example that is its page's title: places that hold the titles of the others.
    pub const TITLES: Share = share(0.2, 0.8);
}

/// Of texts that may be the title of their page.
pub mod title {
    /// What the page's own title says, what being shown again says, and how much a text made of a title and more loses.
    pub const IN_TITLE: f64 = 0.8;
    pub const AGAIN: f64 = 0.2;
    pub const COMPOSED: f64 = 0.35;
    /// By the heading that it stands in.
    pub const HEADINGS: [(&str, f64); 3] = [("h1", 0.6), ("h2", 0.4), ("h3", 0.2)];
}

/// Of fields that may be the title of a record.
pub mod sheet_title {
    /// What the page's title and its structured data say; how much a field with a label of its own loses.
    pub const AGREES: f64 = 0.6;
    pub const SAID: f64 = 0.4;
    pub const LABELLED: f64 = 0.8;
    /// By the heading that it stands in.
    pub const HEADINGS: [(&str, f64); 3] = [("h1", 1.0), ("h2", 0.45), ("h3", 0.3)];
}
