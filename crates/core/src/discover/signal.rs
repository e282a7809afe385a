//! What does kin go by? One name a signal, so that each can be left out and its worth measured.

use super::Error;
use std::fmt;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Short constant texts: the names of attributes.
    Labels,
    /// Element paths and class tokens.
    Structure,
    /// Pages of a folder are compared with the known kin together, not only one by one.
    Sets,
    /// What was seen of addresses linked from the same place of a page.
    Places,
    /// What was seen of addresses on the same list.
    Lists,
    /// The answer steps down to the sample's branch where other branches differ from it.
    Ladder,
    /// `rel=next`, `rel=up`, page numbers, "next".
    Pagers,
    /// Addresses above and near the sample's.
    Ancestors,
    /// What pages reached alike have shown so far.
    Yields,
    /// Pages listed beside an odd sample stand in for it.
    StandIns,
    /// The counterparts of pages above a sample in branches nobody has looked into.
    Branches,
    /// robots.txt and sitemaps.
    Sitemaps,
    /// A survey of the pages above the sample and of the site's menu comes before conclusions, and a look at what the fullest lists
    /// link to beside the kind comes before the end.
    Survey,
    /// Addresses in the page's data: JSON-LD, embedded JSON, attributes of scripts.
    Data,
}

impl Signal {
    pub const ALL: [Signal; 14] = [
        Self::Labels,
        Self::Structure,
        Self::Sets,
        Self::Places,
        Self::Lists,
        Self::Ladder,
        Self::Pagers,
        Self::Ancestors,
        Self::Yields,
        Self::StandIns,
        Self::Branches,
        Self::Sitemaps,
        Self::Survey,
        Self::Data,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Labels => "labels",
            Self::Structure => "structure",
            Self::Sets => "sets",
            Self::Places => "places",
            Self::Lists => "lists",
            Self::Ladder => "ladder",
            Self::Pagers => "pagers",
            Self::Ancestors => "ancestors",
            Self::Yields => "yields",
            Self::StandIns => "stand-ins",
            Self::Branches => "branches",
            Self::Sitemaps => "sitemaps",
            Self::Survey => "survey",
            Self::Data => "data",
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Signal {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|signal| signal.name() == name).ok_or_else(|| Error::Signal(name.to_owned()))
    }
}
