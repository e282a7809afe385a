//! What does a rule ask? The condition as a tree over the record E and rows S.
//!
//! - [`Formula`]: and, or, not, exists. - [`Atom`]: one comparison, or a missing attribute. - [`Term`]: what is compared.
//! - [`Place`]: `E.name` or `S.name`. - [`At`]: where it stands in the file.

#[derive(Debug, Clone, PartialEq)]
pub enum Formula {
    Atom(Atom),
    Not(Box<Formula>),
    And(Vec<Formula>),
    Or(Vec<Formula>),
    /// There is a row S for which it holds.
    Exists(Box<Formula>),
}

#[derive(Debug, Clone, PartialEq)]
pub enum Atom {
    Missing(Place),
    Compare { left: Term, relation: Relation, right: Term },
}

/// `≠` is the negation of `=`, and `!~` that of `~`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// As the column says: exactly, unless it says otherwise.
    Equal,
    /// By degree.
    Alike,
    Less,
    LessEqual,
    More,
    MoreEqual,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    Place(Place),
    /// `0.5 * S.price`
    Times(f64, Place),
    Text(String),
    Number(f64),
}

impl Term {
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Place(place) | Self::Times(_, place) => Some(place),
            Self::Text(_) | Self::Number(_) => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The record that was read from a page.
    Record,
    /// A row of the reference.
    Row,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    pub side: Side,
    pub name: String,
    pub at: At,
}

/// Line and column, from 1.
#[derive(Debug, Clone, Copy)]
pub struct At {
    pub line: usize,
    pub column: usize,
}

/// The same condition in two places of a file is the same condition.
impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Formula {
    /// Does it speak of a row that no `exists` around it binds?
    pub fn has_free_row(&self) -> bool {
        match self {
            Self::Atom(atom) => atom.places().iter().any(|place| place.side == Side::Row),
            Self::Not(inner) => inner.has_free_row(),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::has_free_row),
            Self::Exists(_) => false,
        }
    }

    /// All places, in the order of the text.
    pub fn places(&self) -> Vec<&Place> {
        match self {
            Self::Atom(atom) => atom.places(),
            Self::Not(inner) | Self::Exists(inner) => inner.places(),
            Self::And(parts) | Self::Or(parts) => parts.iter().flat_map(Self::places).collect(),
        }
    }
}

impl Atom {
    pub fn places(&self) -> Vec<&Place> {
        match self {
            Self::Missing(place) => vec![place],
            Self::Compare { left, right, .. } => [left, right].into_iter().filter_map(Term::place).collect(),
        }
    }
}

/// `authenticationCode`, `authentication_code` and `Authentication code` name the same attribute.
pub fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}
