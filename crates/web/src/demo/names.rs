//! What are they called? A sequence of numbers → invented names of people, teams and towns.
//!
//! Names are put together from syllables that belong to no language, so that they name nobody.

use super::draw::Draw;

const FIRST_STARTS: [&str; 14] =
    ["Ab", "Bre", "Cor", "Dza", "Elv", "Fir", "Gho", "Iv", "Jor", "Kel", "Lun", "Mir", "Ost", "Tav"];
const FIRST_ENDS: [&str; 10] = ["ado", "eki", "ilo", "omar", "unda", "esh", "avi", "olen", "iza", "urro"];
const LAST_STARTS: [&str; 16] = [
    "Bran", "Cal", "Dor", "Esk", "Fen", "Grim", "Hol", "Jask", "Kvar", "Lom", "Mez", "Norr", "Pell", "Quar", "Sorv",
    "Vant",
];
const LAST_MIDDLES: [&str; 8] = ["a", "e", "i", "o", "u", "ela", "ori", "uni"];
const LAST_ENDS: [&str; 12] =
    ["bek", "dano", "fald", "gosh", "kett", "lund", "mire", "nax", "quist", "reth", "szor", "vane"];
const TOWN_STARTS: [&str; 10] = ["Ald", "Byr", "Cest", "Dun", "Ever", "Glim", "Harn", "Ost", "Tref", "Wyn"];
const TOWN_ENDS: [&str; 8] = ["aby", "ford", "ossa", "mouth", "iero", "stad", "ville", "wick"];
const TEAM_STARTS: [&str; 12] =
    ["Apex", "Bolt", "Comet", "Delta", "Ember", "Falcon", "Gale", "Helix", "Ion", "Juno", "Krait", "Lynx"];
const TEAM_ENDS: [&str; 4] = ["Racing", "Motorsport", "Grand Prix", "& Sons"];
const COUNTRIES: [&str; 12] = [
    "Argentina",
    "Australia",
    "Brazil",
    "Canada",
    "Côte d'Ivoire",
    "Finland",
    "Italy",
    "Japan",
    "Kenya",
    "Mexico",
    "Norway",
    "Spain",
];

pub(super) fn person(draw: &mut Draw) -> String {
    let first = format!("{}{}", draw.pick(&FIRST_STARTS), draw.pick(&FIRST_ENDS));
    let last = format!("{}{}{}", draw.pick(&LAST_STARTS), draw.pick(&LAST_MIDDLES), draw.pick(&LAST_ENDS));
    format!("{first} {last}")
}

pub(super) fn town(draw: &mut Draw) -> String {
    format!("{}{}", draw.pick(&TOWN_STARTS), draw.pick(&TOWN_ENDS))
}

/// `number` counts from 1; a team keeps the first half of its name over the years and changes the second.
pub(super) fn team(draw: &mut Draw, number: u32) -> String {
    let start = TEAM_STARTS[(number as usize - 1) % TEAM_STARTS.len()];
    format!("{start} {}", draw.pick(&TEAM_ENDS))
}

pub(super) fn country(draw: &mut Draw) -> &'static str {
    draw.pick(&COUNTRIES)
}
