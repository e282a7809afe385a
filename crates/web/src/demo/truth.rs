//! What is right? Site → the paths of every kind of page, and what the pages of drivers say.
//!
//! - [`Truth`]: paths by kind, sorted.

use super::Site;
use super::address::{Address, path};
use super::championship::{Driver, Standing, YEARS};
use super::views;

/// The paths of every kind of page, each list sorted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Truth {
    /// Driver pages that links lead to: what a discovery should return.
    pub drivers_linked: Vec<String>,
    /// Driver pages that answer though no link leads to them.
    pub drivers_hidden: Vec<String>,
    /// Driver ids between the others that have no page.
    pub drivers_missing: Vec<String>,
    /// Pages that list drivers, further pages of a list included.
    pub driver_lists: Vec<String>,
    pub teams: Vec<String>,
    pub news: Vec<String>,
}

impl Site {
    pub fn truth(&self) -> Truth {
        Truth {
            drivers_linked: self.driver_paths(Standing::Linked),
            drivers_hidden: self.driver_paths(Standing::Hidden),
            drivers_missing: self.driver_paths(Standing::Missing),
            driver_lists: self.driver_list_paths(),
            teams: self.teams.iter().map(|t| path(Address::Team { year: t.year, id: t.id })).collect(),
            news: self.stories.iter().map(|s| path(Address::Story { year: s.year, id: s.id })).collect(),
        }
    }

    /// Name and values as the page of a driver shows them; attributes the page leaves out are left out.
    pub fn attributes(&self, driver: &str) -> Option<Vec<(&'static str, String)>> {
        let Some(Address::Driver { year, id }) = super::address::parse(driver) else { return None };
        self.driver(year, id).map(|driver| driver.attributes(self))
    }

    fn driver_paths(&self, standing: Standing) -> Vec<String> {
        let of_standing = self.drivers.iter().filter(|driver| driver.standing == standing);
        of_standing.map(|d| path(Address::Driver { year: d.year, id: d.id })).collect()
    }

    fn driver_list_paths(&self) -> Vec<String> {
        let pages = |year| 1..=self.linked_drivers(year).count().div_ceil(views::PAGE_SIZE);
        let lists = YEARS.iter().flat_map(|&(year, _)| pages(year).map(move |page| Address::DriverList { year, page }));
        lists.map(path).collect()
    }
}

impl Driver {
    /// The attributes of the paper's figure 1, in its order.
    pub(super) fn attributes(&self, site: &Site) -> Vec<(&'static str, String)> {
        let team = site.team(self.year, self.team).map(|team| team.name.clone());
        let rows = [
            ("Team", team),
            ("Country", Some(self.country.to_owned())),
            ("Podiums", Some(self.podiums.to_string())),
            ("Points", Some(self.points.to_string())),
            ("Grands Prix entered", Some(self.entered.to_string())),
            ("World Championships", (self.championships > 0).then(|| self.championships.to_string())),
            ("Highest race finish", Some(self.best_finish.clone())),
            ("Highest grid position", self.best_grid.map(|place| place.to_string())),
            ("Date of birth", Some(self.born.clone())),
            ("Place of birth", self.birthplace.clone()),
        ];
        rows.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}
