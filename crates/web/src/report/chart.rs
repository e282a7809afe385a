//! How does the trend look? Weeks → SVG drawn here: bars of findings by kind, lines of sites and records.
//!
//! - [`found`]: findings a week, stacked by conclusion. - [`growth`]: sites and records a week.
//!
//! No script: hovering shows titles, and the figures stand in a table below.

use crate::escaped;
use pagekin::report::Week;
use std::collections::BTreeSet;

/// Told apart by people who see no red or no green too (Okabe and Ito's palette, 2008).
const COLOURS: [&str; 8] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8a6d3b", "#666666"];

/// On a phone a chart is some 340 pixels wide: labels of 15 units are 11 pixels there.
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 200.0;
/// Room for `100k`.
const LEFT: f64 = 50.0;
const RIGHT: f64 = 50.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 30.0;
/// Of a label with a month and a day, and a little space.
const LABEL: f64 = 64.0;

pub fn found(weeks: &[Week]) -> String {
    let names: Vec<&String> =
        weeks.iter().flat_map(|week| week.findings.keys()).collect::<BTreeSet<_>>().into_iter().collect();
    let most = weeks.iter().map(|week| week.findings.values().sum::<usize>()).max().unwrap_or(0);
    let frame = Frame { weeks: weeks.len(), most };
    let mut body = frame.grid("end", LEFT - 6.0);
    let width = (frame.step() * 0.7).min(48.0);
    for (at, week) in weeks.iter().enumerate() {
        let mut below = 0;
        for (colour, name) in names.iter().enumerate() {
            let Some(&count) = week.findings.get(*name).filter(|count| **count > 0) else { continue };
            let (top, bottom) = (frame.y(below + count), frame.y(below));
            body += &format!(
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{:.1}\" fill=\"{}\"><title>{}: {count} {}</title></rect>",
                frame.x(at) - width / 2.0,
                bottom - top,
                COLOURS[colour % COLOURS.len()],
                escaped(&week.week),
                escaped(name)
            );
            below += count;
        }
    }
    let legend = names.iter().enumerate().map(|(at, name)| (name.as_str(), COLOURS[at % COLOURS.len()]));
    framed("Findings a week", &(body + &frame.labels(weeks)), legend)
}

pub fn growth(weeks: &[Week]) -> String {
    let series = |of: fn(&Week) -> usize| weeks.iter().map(of).collect::<Vec<_>>();
    let (records, sites) = (series(|week| week.records), series(|week| week.sites));
    let frame = |values: &[usize]| Frame { weeks: weeks.len(), most: values.iter().copied().max().unwrap_or(0) };
    let (by_records, by_sites) = (frame(&records), frame(&sites));
    let mut body = by_records.grid("end", LEFT - 6.0) + &by_sites.scale("start", WIDTH - RIGHT + 6.0);
    // Rings around dots: where both stand at the same height, both are seen.
    body += &by_sites.line(weeks, &sites, "sites", Dots { colour: COLOURS[1], radius: 5.5, filled: false });
    body += &by_records.line(weeks, &records, "records", Dots { colour: COLOURS[0], radius: 3.5, filled: true });
    let legend = [("records (left)", COLOURS[0]), ("sites (right)", COLOURS[1])];
    framed("Sites and records a week", &(body + &by_records.labels(weeks)), legend.into_iter())
}

struct Dots {
    colour: &'static str,
    radius: f64,
    filled: bool,
}

struct Frame {
    weeks: usize,
    most: usize,
}

impl Frame {
    fn step(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / self.weeks.max(1) as f64
    }

    fn x(&self, at: usize) -> f64 {
        LEFT + self.step() * (at as f64 + 0.5)
    }

    fn y(&self, value: usize) -> f64 {
        TOP + (HEIGHT - TOP - BOTTOM) * (1.0 - value as f64 / self.top() as f64)
    }

    /// The next round number.
    fn top(&self) -> usize {
        let most = self.most.max(1);
        let unit = 10usize.pow(most.ilog10());
        [1, 2, 3, 4, 5, 6, 8, 10].into_iter().map(|times| times * unit).find(|top| *top >= most).unwrap_or(most)
    }

    fn marks(&self) -> Vec<usize> {
        let top = self.top();
        let mut marks = vec![0, top / 2, top];
        marks.dedup();
        marks
    }

    fn grid(&self, anchor: &str, x: f64) -> String {
        let lines = self.marks().into_iter().map(|mark| {
            let y = self.y(mark);
            format!("<line x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\" class=\"grid\"/>", WIDTH - RIGHT)
        });
        lines.collect::<String>() + &self.scale(anchor, x)
    }

    fn scale(&self, anchor: &str, x: f64) -> String {
        let marks = self.marks().into_iter();
        marks
            .map(|mark| {
                format!(
                    "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                    self.y(mark) + 5.0,
                    short(mark)
                )
            })
            .collect()
    }

    fn line(&self, weeks: &[Week], values: &[usize], name: &str, dots: Dots) -> String {
        let Dots { colour, radius, filled } = dots;
        let fill = if filled { colour } else { "none" };
        let points: Vec<String> =
            values.iter().enumerate().map(|(at, &value)| format!("{:.1},{:.1}", self.x(at), self.y(value))).collect();
        let dots = values.iter().enumerate().map(|(at, &value)| {
            format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{colour}\" stroke-width=\"2\"><title>{}: {value} {name}</title></circle>",
                self.x(at),
                self.y(value),
                escaped(&weeks[at].week)
            )
        });
        let line =
            format!("<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>", points.join(" "));
        line + &dots.collect::<String>()
    }

    /// As many days as have room.
    fn labels(&self, weeks: &[Week]) -> String {
        let every = (self.weeks as f64 * LABEL / (WIDTH - LEFT - RIGHT)).ceil().max(1.0) as usize;
        let shown = weeks.iter().enumerate().rev().step_by(every);
        let label = |(at, week): (usize, &Week)| {
            let (x, y) = (self.x(at), HEIGHT - 8.0);
            // Month and day; the title of a bar and the table have the year.
            let day = week.week.get(5..).unwrap_or(&week.week);
            format!("<text x=\"{x:.1}\" y=\"{y}\" text-anchor=\"middle\">{}</text>", escaped(day))
        };
        shown.map(label).collect()
    }
}

/// `12k` for 12000, where nothing is lost by it.
fn short(number: usize) -> String {
    match number {
        0 => "0".to_owned(),
        _ if number.is_multiple_of(1_000_000) => format!("{}M", number / 1_000_000),
        _ if number.is_multiple_of(1_000) => format!("{}k", number / 1_000),
        _ => number.to_string(),
    }
}

fn framed<'l>(name: &str, body: &str, legend: impl Iterator<Item = (&'l str, &'l str)>) -> String {
    let keys: String = legend
        .map(|(text, colour)| format!("<span><i style=\"background:{colour}\"></i>{}</span>", escaped(text)))
        .collect();
    format!(
        "<figure><figcaption>{name}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{name}\">{body}</svg><p class=\"legend\">{keys}</p></figure>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped_and_bars_are_stacked() {
        let week = |day: &str, counts: &[(&str, usize)]| Week {
            week: day.to_owned(),
            sites: 3,
            records: 12,
            findings: counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
        };
        let weeks = [week("2026-11-09", &[("<b>", 2), ("x", 1)]), week("2026-11-16", &[])];
        let svg = found(&weeks);
        assert_eq!(svg.matches("<rect").count(), 2);
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"), "{svg}");
        assert_eq!(growth(&weeks).matches("<circle").count(), 4);
        assert!(found(&[]).contains("<svg"));
    }

    #[test]
    fn labels_have_room() {
        let shown: Vec<String> = [0, 7, 500, 1_000, 1_500, 30_000, 4_000_000].map(short).to_vec();
        assert_eq!(shown, ["0", "7", "500", "1k", "1500", "30k", "4M"]);
    }

    #[test]
    fn scales_end_on_round_numbers() {
        for (most, top) in [(0, 1), (1, 1), (7, 8), (10, 10), (11, 20), (99, 100), (1_234, 2_000)] {
            assert_eq!(Frame { weeks: 1, most }.top(), top);
        }
    }
}
