//! What does the federation know? Site → the register of drivers, which is true, and the three pages that say something else.
//!
//! - [`Site::register`]: rows of a reference list. - [`Site::planted`]: the false pages, with what is wrong with each.
//! - [`as_shown`]: drivers as they are → as the pages show them.
//!
//! One page is of a driver whom the federation never registered, one claims twice the podiums that were won, one names a team the driver
//! does not race for. Two of the pages are linked, one is hidden.

use super::Site;
use super::address::{Address, path};
use super::championship::{Driver, Standing, TEAMS_A_YEAR};

/// The names of the columns.
pub const COLUMNS: [&str; 6] = ["name", "born", "country", "team", "podiums", "entered"];

/// What is wrong with a page.
pub const NOT_REGISTERED: &str = "NotRegistered";
pub const INFLATED: &str = "Inflated";
pub const WRONG_TEAM: &str = "WrongTeam";

impl Site {
    /// One row a driver, in the order of [`COLUMNS`].
    pub fn register(&self) -> Vec<[String; 6]> {
        let planted = planted(&self.registered);
        let stranger = |at: &usize| planted.contains(&(*at, NOT_REGISTERED));
        let there = |at: &usize| self.registered[*at].standing != Standing::Missing && !stranger(at);
        (0..self.registered.len()).filter(there).map(|at| self.row(&self.registered[at])).collect()
    }

    /// Paths of the false pages, with what should be concluded.
    pub fn planted(&self) -> Vec<(String, &'static str)> {
        let address = |driver: &Driver| path(Address::Driver { year: driver.year, id: driver.id });
        planted(&self.registered).into_iter().map(|(at, wrong)| (address(&self.registered[at]), wrong)).collect()
    }

    fn row(&self, driver: &Driver) -> [String; 6] {
        let team = self.team(driver.year, driver.team).map(|team| team.name.clone()).unwrap_or_default();
        let (podiums, entered) = (driver.podiums.to_string(), driver.entered.to_string());
        [driver.name.clone(), driver.born.clone(), driver.country.to_owned(), team, podiums, entered]
    }
}

/// What the pages say of the drivers.
pub(super) fn as_shown(drivers: &[Driver]) -> Vec<Driver> {
    let mut shown = drivers.to_vec();
    for (at, wrong) in planted(drivers) {
        match wrong {
            INFLATED => shown[at].podiums *= 2,
            WRONG_TEAM => shown[at].team = shown[at].team % TEAMS_A_YEAR + 1,
            // Nothing on the page of a stranger tells that the federation does not know him.
            _ => {}
        }
    }
    shown
}

/// By place in the list.
fn planted(drivers: &[Driver]) -> Vec<(usize, &'static str)> {
    let first = |year: u32, standing: Standing, real: fn(&Driver) -> bool| {
        drivers.iter().position(|own| own.year == year && own.standing == standing && real(own))
    };
    let chosen = [
        (first(2014, Standing::Linked, |_| true), NOT_REGISTERED),
        (first(2016, Standing::Linked, |driver| driver.podiums > 0), INFLATED),
        (first(2015, Standing::Hidden, |_| true), WRONG_TEAM),
    ];
    chosen.into_iter().filter_map(|(at, wrong)| Some((at?, wrong))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_pages_say_what_is_not_true() {
        let site = Site::new();
        let truth = site.truth();
        let planted = site.planted();
        assert_eq!(planted.iter().map(|(_, wrong)| *wrong).collect::<Vec<_>>(), [NOT_REGISTERED, INFLATED, WRONG_TEAM]);
        assert!(truth.drivers_linked.contains(&planted[0].0) && truth.drivers_hidden.contains(&planted[2].0));
        let all = truth.drivers_linked.len() + truth.drivers_hidden.len();
        assert_eq!(site.register().len(), all - 1);
        // The register is what is true; of the pages, exactly two say of a registered driver what is not.
        let register = site.register();
        let says = |path: &String| {
            let shown = site.attributes(path).unwrap();
            let of = |name: &str| shown.iter().find(|(own, _)| *own == name).map(|(_, value)| value.clone()).unwrap();
            [of("Date of birth"), of("Country"), of("Team"), of("Podiums"), of("Grands Prix entered")]
        };
        let pages = truth.drivers_linked.iter().chain(&truth.drivers_hidden);
        let untrue: Vec<&String> = pages.filter(|path| !register.iter().any(|row| row[1..] == says(path))).collect();
        let mut expected: Vec<&String> = planted.iter().map(|(path, _)| path).collect();
        expected.sort_by_key(|path| (truth.drivers_hidden.contains(path), path.as_str()));
        assert_eq!(untrue, expected);
        assert!(site.register().iter().flatten().all(|cell| !cell.contains([',', '"', '\n'])), "plain CSV holds them");
    }
}
