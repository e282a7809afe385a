//! Who races, for whom, and what is written about it? Seed → the whole championship, before any HTML.
//!
//! - [`Driver`]: a person under the year of the first season, with the attributes of the paper's figure 1.
//! - [`Standing`]: whether links lead to a driver's page, or none does, or there is no such page.
//! - [`Team`]: a team in one season. [`Story`]: a piece of news, the noise of the site.
//!
//! Knows nothing of addresses and templates.

use super::draw::Draw;
use super::names;

/// Chosen by trial so that driver 02 of 2015 is linked and driver 37 of 2015 is hidden: the documentation names both.
const SEED: u64 = 2051;

/// Years with the number of driver ids given out. Most fit on one list page, 2015 and 2017 do not.
pub(super) const YEARS: [(u32, u32); 6] = [(2013, 24), (2014, 26), (2015, 44), (2016, 25), (2017, 58), (2018, 23)];
pub(super) const TEAMS_A_YEAR: u32 = 10;
const STORIES_A_YEAR: u32 = 10;
/// Of the ids of a year: these many per cent have a page that no link reaches.
const HIDDEN_PERCENT: u32 = 12;
/// And these many per cent were given out and withdrawn.
const MISSING_PERCENT: u32 = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    Linked,
    Hidden,
    Missing,
}

#[derive(Debug, Clone)]
pub(super) struct Driver {
    pub year: u32,
    pub id: u32,
    pub standing: Standing,
    pub name: String,
    /// Number of the team in the same year.
    pub team: u32,
    pub country: &'static str,
    pub podiums: u32,
    pub points: u32,
    pub entered: u32,
    pub championships: u32,
    pub best_finish: String,
    pub best_grid: Option<u32>,
    pub born: String,
    pub birthplace: Option<String>,
}

#[derive(Debug, Clone)]
pub(super) struct Team {
    pub year: u32,
    pub id: u32,
    pub name: String,
    pub base: String,
    pub chief: String,
    pub power_unit: Option<String>,
    pub first_entry: u32,
    pub pole_positions: u32,
}

#[derive(Debug, Clone)]
pub(super) struct Story {
    pub year: u32,
    pub id: u32,
    pub title: String,
    pub body: String,
    /// The team it is about, by number.
    pub team: u32,
}

pub(super) fn drivers() -> Vec<Driver> {
    YEARS.iter().flat_map(|&(year, ids)| year_of_drivers(year, ids)).collect()
}

fn year_of_drivers(year: u32, ids: u32) -> Vec<Driver> {
    let standings = standings(year, ids);
    (1..=ids).zip(standings).map(|(id, standing)| driver(year, id, standing)).collect()
}

/// Exact shares rather than a chance for each id, so that every year has some of each.
fn standings(year: u32, ids: u32) -> Vec<Standing> {
    let share = |percent: u32| ((ids * percent + 50) / 100).max(1) as usize;
    let mut standings = vec![Standing::Linked; ids as usize];
    let (hidden, missing) = (share(HIDDEN_PERCENT), share(MISSING_PERCENT));
    standings[..hidden].fill(Standing::Hidden);
    standings[hidden..hidden + missing].fill(Standing::Missing);
    Draw::new(SEED, &format!("standings {year}")).shuffle(&mut standings);
    standings
}

fn driver(year: u32, id: u32, standing: Standing) -> Driver {
    let draw = &mut Draw::new(SEED, &format!("driver {year} {id}"));
    let country = names::country(draw);
    let entered = draw.between(3, 260);
    let podiums = draw.between(0, entered / 3);
    let wins = draw.between(0, podiums / 2);
    Driver {
        year,
        id,
        standing,
        name: names::person(draw),
        team: draw.between(1, TEAMS_A_YEAR),
        country,
        podiums,
        points: podiums * 15 + draw.between(0, entered * 3),
        entered,
        championships: if wins > 20 { draw.between(0, wins / 12) } else { 0 },
        best_finish: best_finish(draw, podiums, wins),
        best_grid: draw.chance(80).then(|| draw.between(1, if wins > 0 { 3 } else { 20 })),
        born: format!("{:02}/{:02}/{}", draw.between(1, 28), draw.between(1, 12), year - draw.between(19, 33)),
        birthplace: draw.chance(85).then(|| format!("{}, {country}", names::town(draw))),
    }
}

/// `1 (x32)`: the best place, and how often it was reached.
fn best_finish(draw: &mut Draw, podiums: u32, wins: u32) -> String {
    match (wins, podiums) {
        (0, 0) => format!("{} (x{})", draw.between(4, 18), draw.between(1, 3)),
        (0, _) => format!("{} (x{podiums})", draw.between(2, 3)),
        _ => format!("1 (x{wins})"),
    }
}

pub(super) fn teams() -> Vec<Team> {
    YEARS.iter().flat_map(|&(year, _)| (1..=TEAMS_A_YEAR).map(move |id| team(year, id))).collect()
}

fn team(year: u32, id: u32) -> Team {
    let draw = &mut Draw::new(SEED, &format!("team {year} {id}"));
    Team {
        year,
        id,
        name: names::team(draw, id),
        base: format!("{}, {}", names::town(draw), names::country(draw)),
        chief: names::person(draw),
        power_unit: draw.chance(75).then(|| format!("{} V{}", names::town(draw), 2 * draw.between(3, 6))),
        first_entry: year - draw.between(1, 40),
        pole_positions: draw.between(0, 120),
    }
}

pub(super) fn stories() -> Vec<Story> {
    YEARS.iter().flat_map(|&(year, _)| (1..=STORIES_A_YEAR).map(move |id| story(year, id))).collect()
}

fn story(year: u32, id: u32) -> Story {
    let draw = &mut Draw::new(SEED, &format!("story {year} {id}"));
    let place = names::town(draw);
    let event = draw.pick(&[
        "Rain stops play",
        "New kerbs",
        "Record crowd",
        "Pit lane widened",
        "A long night",
        "Tyres < fuel",
    ]);
    let detail = draw.pick(&[
        "The stewards met twice and agreed once.",
        "Nobody was surprised, and everybody said so.",
        "The timing screens froze for a lap & came back.",
        "\"We will look at the data\", a spokesperson said.",
    ]);
    Story {
        year,
        id,
        title: format!("{event} in {place}"),
        body: format!("{detail} The next meeting in {place} is planned for {}.", year + 1),
        team: draw.between(1, TEAMS_A_YEAR),
    }
}
