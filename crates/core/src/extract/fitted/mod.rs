//! What do the values of a role look like on other sites? Candidate, fitted tables → log odds that it is the role.
//!
//! - [`FittedRoles`]: the file `roles.json`: tables by trade and role, and the weights of all signals. - [`FittedRole`]: what one role
//!   of a domain file uses. - [`Table`]: log odds of one view of the values. - [`Prepared`]: tables by hash, for look-up.
//! - [`views`]: the views: words, shape, length, label, place and so on. - [`weigh`]: signals → one score.
//!
//! `pagekin eval extract --fit` writes the file from sites with truth. A role that nobody fitted has no tables: it is told by labels, patterns
//! and the page alone, as in [`roles`](super::roles). Knows nothing of sites.

pub mod views;
pub mod weigh;

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};
use views::VIEWS;
use weigh::{Weigher, Weights};

/// The file that the program ships with.
static SHIPPED: LazyLock<Option<FittedRoles>> = LazyLock::new(|| serde_json::from_str(include_str!("roles.json")).ok());

/// A trade stands for a domain file that wants so many of its roles, and has this share of the file's. Set by hand.
const COMMON_ROLES: usize = 2;
const COMMON_SHARE: f64 = 0.6;

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct FittedRoles {
    /// For roles that are what the record is called.
    pub title: Weights,
    /// For the others.
    pub other: Weights,
    /// By trade, role and view.
    pub trades: BTreeMap<String, BTreeMap<String, Tables>>,
}

/// Log odds of the views of one role, by name of the view.
pub type Tables = BTreeMap<String, Table>;

/// Log odds of a role against everything else on its pages.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub known: BTreeMap<String, f64>,
    /// Of whatever is not in the table.
    pub other: f64,
}

/// What one role of a domain file uses.
#[derive(Debug, Clone)]
pub struct FittedRole {
    pub tables: Prepared,
    pub weigher: Weigher,
}

/// Tables by the hash of their keys, in the order of [`VIEWS`].
#[derive(Debug, Clone, Default)]
pub struct Prepared {
    views: Vec<views::Odds>,
}

impl Prepared {
    pub fn new(tables: &Tables) -> Self {
        let of = |view: &&str| tables.get(*view).map_or_else(views::Odds::default, views::Odds::new);
        Self { views: VIEWS.iter().map(of).collect() }
    }
}

impl FittedRoles {
    pub fn shipped() -> Option<&'static Self> {
        SHIPPED.as_ref()
    }

    /// The trade that has most of these roles.
    pub fn trade<'f>(&'f self, wanted: &[&str]) -> Option<&'f BTreeMap<String, Tables>> {
        let common = |roles: &BTreeMap<String, Tables>| wanted.iter().filter(|name| roles.contains_key(**name)).count();
        let best = self.trades.values().rev().max_by_key(|roles| common(roles))?;
        let known = common(best);
        (known >= COMMON_ROLES && known as f64 >= wanted.len() as f64 * COMMON_SHARE).then_some(best)
    }

    /// What is known of a role of a trade.
    pub fn role(&self, tables: &Tables, title: bool) -> Arc<FittedRole> {
        let weigher = Weigher::new(if title { &self.title } else { &self.other });
        Arc::new(FittedRole { tables: Prepared::new(tables), weigher })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::domain::parse;

    #[test]
    fn the_file_that_is_shipped_can_be_read() {
        let shipped = FittedRoles::shipped().expect("the file is of another form: fit it again");
        assert!(!shipped.trades.is_empty());
    }

    #[test]
    fn a_trade_is_known_by_its_roles() {
        let shipped = FittedRoles::shipped().unwrap();
        assert!(shipped.trade(&["engine", "fuel_economy", "model", "price"]).is_some());
        assert!(shipped.trade(&["colour", "price", "size"]).is_none(), "one role in common is no trade");
    }

    #[test]
    fn roles_that_nobody_fitted_have_no_tables() {
        let file = |roles: [&str; 2]| roles.map(|role| format!("[roles.{role}]\nsynonyms=['{role}']\n")).concat();
        let fitted = |text: String| parse(&text).unwrap().roles.iter().filter(|role| role.fitted.is_some()).count();
        assert_eq!((fitted(file(["isbn_13", "publisher"])), fitted(file(["colour", "size"]))), (2, 0));
    }
}
