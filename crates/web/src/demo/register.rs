//! What does the federation know? Site → the register of drivers, and the three pages that contradict it.
//!
//! - [`Site::register`]: rows of a reference list. - [`Site::planted`]: the false entries, with what is wrong with each.
//!
//! One driver is not registered at all, one page claims podiums that were never won, one names a team the driver does not
//! race for. Two of the pages are linked, one is hidden.

use super::Site;
use super::address::{Address, path};
use super::championship::{Driver, Standing};

/// The names of the columns.
pub const COLUMNS: [&str; 6] = ["name", "born", "country", "team", "podiums", "entered"];

/// What is wrong with a page.
pub const NOT_REGISTERED: &str = "NotRegistered";
pub const INFLATED: &str = "Inflated";
pub const WRONG_TEAM: &str = "WrongTeam";

impl Site {
    /// One row a driver, in the order of [`COLUMNS`].
    pub fn register(&self) -> Vec<[String; 6]> {
        let planted = self.planted_drivers();
        let wrong = |driver: &Driver| planted.iter().find(|(own, _)| own.is(driver)).map(|(_, wrong)| *wrong);
        let there = self.drivers.iter().filter(|driver| driver.standing != Standing::Missing);
        there.filter_map(|driver| self.row(driver, wrong(driver))).collect()
    }

    /// Paths of the false entries, with what should be concluded.
    pub fn planted(&self) -> Vec<(String, &'static str)> {
        let address = |driver: &Driver| path(Address::Driver { year: driver.year, id: driver.id });
        self.planted_drivers().into_iter().map(|(driver, wrong)| (address(driver), wrong)).collect()
    }

    fn planted_drivers(&self) -> Vec<(&Driver, &'static str)> {
        let first = |year: u32, standing: Standing, real: fn(&Driver) -> bool| {
            self.drivers.iter().find(|own| own.year == year && own.standing == standing && real(own))
        };
        let chosen = [
            (first(2014, Standing::Linked, |_| true), NOT_REGISTERED),
            (first(2016, Standing::Linked, |driver| driver.podiums > 0), INFLATED),
            (first(2015, Standing::Hidden, |_| true), WRONG_TEAM),
        ];
        chosen.into_iter().filter_map(|(driver, wrong)| Some((driver?, wrong))).collect()
    }

    /// What the federation has of a driver; nothing of one who is not registered.
    fn row(&self, driver: &Driver, wrong: Option<&str>) -> Option<[String; 6]> {
        if wrong == Some(NOT_REGISTERED) {
            return None;
        }
        let team = if wrong == Some(WRONG_TEAM) { driver.team % 10 + 1 } else { driver.team };
        let team = self.team(driver.year, team).map(|team| team.name.clone()).unwrap_or_default();
        let podiums = if wrong == Some(INFLATED) { driver.podiums / 2 } else { driver.podiums };
        let entered = driver.entered.to_string();
        Some([driver.name.clone(), driver.born.clone(), driver.country.to_owned(), team, podiums.to_string(), entered])
    }
}

impl Driver {
    fn is(&self, other: &Self) -> bool {
        (self.year, self.id) == (other.year, other.id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pages_contradict_the_register() {
        let site = Site::new();
        let truth = site.truth();
        let planted = site.planted();
        assert_eq!(planted.iter().map(|(_, wrong)| *wrong).collect::<Vec<_>>(), [NOT_REGISTERED, INFLATED, WRONG_TEAM]);
        assert!(truth.drivers_linked.contains(&planted[0].0) && truth.drivers_hidden.contains(&planted[2].0));
        let all = truth.drivers_linked.len() + truth.drivers_hidden.len();
        assert_eq!(site.register().len(), all - 1);
        assert!(site.register().iter().flatten().all(|cell| !cell.contains([',', '"', '\n'])), "plain CSV holds them");
    }
}
