//! Where does everything stand? Classes in columns by how many clicks they are away from the entry, arrows between them.
//!
//! - [`Picture`]: circles and arrows with their places. Each class has a cell of its own, with its name below its circle and inside the cell: so
//!   names cannot overlap.
//!
//! Within a column a class stands near those that lead to it.

use super::decoded;
use pagekin::model::{Class, Role, SiteModel};
use std::collections::{BTreeMap, VecDeque};

/// A cell, and the rows of a column before the next one begins.
const WIDE: f64 = 230.0;
const HIGH: f64 = 96.0;
const ROWS: usize = 7;

/// Letters of a name that fit into a cell, and the width of the widest of them on average.
const LETTERS: usize = 28;
const LETTER: f64 = 7.6;

/// Arrows drawn, those of many links first.
const ARROWS: usize = 150;

pub struct Picture {
    pub width: f64,
    pub height: f64,
    pub circles: Vec<Circle>,
    pub arrows: Vec<Arrow>,
}

pub struct Circle {
    pub id: u32,
    pub x: f64,
    pub y: f64,
    pub radius: f64,
    pub role: &'static str,
    /// As much of the name as fits.
    pub label: String,
    pub name: String,
    pub size: usize,
}

pub struct Arrow {
    /// Of an SVG path.
    pub path: String,
    pub width: String,
    pub menu: bool,
    pub from: u32,
    pub to: u32,
    pub count: usize,
}

impl Circle {
    pub fn label_y(&self) -> f64 {
        self.y + self.radius + 15.0
    }

    /// Left, top, right and bottom of the name.
    pub fn label_box(&self) -> (f64, f64, f64, f64) {
        let half = self.label.chars().count() as f64 * LETTER / 2.0;
        (self.x - half, self.label_y() - 12.0, self.x + half, self.label_y() + 4.0)
    }
}

/// For each pair of classes all links together, and whether all are menus.
fn pairs(model: &SiteModel) -> BTreeMap<(u32, u32), (usize, bool)> {
    let mut pairs: BTreeMap<(u32, u32), (usize, bool)> = BTreeMap::new();
    for link in &model.links {
        let pair = pairs.entry((link.from, link.to)).or_insert((0, true));
        *pair = (pair.0 + link.count, pair.1 && link.menu);
    }
    pairs
}

pub fn picture(model: &SiteModel, drawn: usize) -> Picture {
    let classes = &model.classes[..drawn];
    let known = |id: u32| classes.iter().any(|class| class.id == id);
    let pairs: BTreeMap<(u32, u32), (usize, bool)> =
        pairs(model).into_iter().filter(|((from, to), _)| known(*from) && known(*to)).collect();
    let columns = columns(classes, &clicks(model, classes, &pairs), &pairs);
    let mut circles = Vec::new();
    for (at, column) in columns.iter().enumerate() {
        for (row, class) in column.iter().enumerate() {
            // Every other column stands half a cell lower, so that arrows do not run through circles.
            let y = HIGH * (row as f64 + 0.5) + if at % 2 == 1 { HIGH / 3.0 } else { 0.0 };
            circles.push(circle(class, WIDE * (at as f64 + 0.5), y));
        }
    }
    let arrows = arrows(&pairs, &circles);
    let rows = columns.iter().map(Vec::len).max().unwrap_or(1);
    Picture { width: WIDE * columns.len().max(1) as f64, height: HIGH * (rows as f64 + 0.5), circles, arrows }
}

fn circle(class: &Class, x: f64, y: f64) -> Circle {
    let name = decoded(&class.name);
    let label = match name.chars().count() > LETTERS {
        true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
        false => name.clone(),
    };
    let radius = (7.0 + 2.0 * (class.size as f64).ln_1p()).min(22.0);
    Circle { id: class.id, x, y: y - 10.0, radius, role: class.role.name(), label, name, size: class.size }
}

/// How many clicks each class is away from the entry, by links that are no menus; of those that none leads to, one more than all.
fn clicks(model: &SiteModel, classes: &[Class], pairs: &BTreeMap<(u32, u32), (usize, bool)>) -> BTreeMap<u32, usize> {
    let entry = classes.iter().find(|class| class.pages.contains(&model.site) || class.samples.contains(&model.site));
    let mut clicks: BTreeMap<u32, usize> = BTreeMap::new();
    let mut waiting: VecDeque<(u32, usize)> = entry
        .or(classes.iter().find(|class| class.role == Role::Index))
        .map(|class| (class.id, 0))
        .into_iter()
        .collect();
    while let Some((id, depth)) = waiting.pop_front() {
        if clicks.contains_key(&id) {
            continue;
        }
        clicks.insert(id, depth);
        waiting.extend(pairs.keys().filter(|(from, _)| *from == id).map(|(_, to)| (*to, depth + 1)));
    }
    let last = clicks.values().max().map_or(0, |depth| depth + 1);
    for class in classes {
        clicks.entry(class.id).or_insert(last);
    }
    clicks
}

/// Classes of one depth, those led to by a class further up first; a long column goes on in the next.
fn columns<'c>(
    classes: &'c [Class],
    clicks: &BTreeMap<u32, usize>,
    pairs: &BTreeMap<(u32, u32), (usize, bool)>,
) -> Vec<Vec<&'c Class>> {
    let mut columns: Vec<Vec<&Class>> = Vec::new();
    let mut heights: BTreeMap<u32, f64> = BTreeMap::new();
    for depth in 0..=clicks.values().copied().max().unwrap_or(0) {
        let mut own: Vec<(f64, &Class)> = Vec::new();
        for class in classes.iter().filter(|class| clicks[&class.id] == depth) {
            let above: Vec<f64> = pairs
                .keys()
                .filter(|(_, to)| *to == class.id)
                .filter_map(|(from, _)| heights.get(from).copied())
                .collect();
            let middle = above.iter().sum::<f64>() / above.len().max(1) as f64;
            own.push((middle, class));
        }
        own.sort_by(|(one, first), (other, second)| one.total_cmp(other).then(first.id.cmp(&second.id)));
        for part in own.chunks(ROWS) {
            heights.extend(part.iter().enumerate().map(|(row, (_, class))| (class.id, row as f64)));
            columns.push(part.iter().map(|(_, class)| *class).collect());
        }
    }
    columns
}

fn arrows(pairs: &BTreeMap<(u32, u32), (usize, bool)>, circles: &[Circle]) -> Vec<Arrow> {
    let places: BTreeMap<u32, &Circle> = circles.iter().map(|circle| (circle.id, circle)).collect();
    let mut chosen: Vec<_> = pairs.iter().filter(|((from, to), _)| from != to).collect();
    chosen.sort_by_key(|(pair, (count, menu))| (*menu, std::cmp::Reverse(*count), **pair));
    let arrow = |((from, to), (count, menu)): (&(u32, u32), &(usize, bool))| {
        let (one, other) = (places.get(from)?, places.get(to)?);
        let width = format!("{:.1}", (0.6 + (*count as f64).ln_1p() / 3.0).min(4.0));
        Some(Arrow { path: curve(one, other), width, menu: *menu, from: *from, to: *to, count: *count })
    };
    chosen.into_iter().take(ARROWS).filter_map(arrow).collect()
}

/// From the edge of one circle to the edge of the other, bent to the left of its way so that both directions are seen.
fn curve(one: &Circle, other: &Circle) -> String {
    let (dx, dy) = (other.x - one.x, other.y - one.y);
    let length = dx.hypot(dy).max(1.0);
    let (ux, uy) = (dx / length, dy / length);
    let (x1, y1) = (one.x + ux * one.radius, one.y + uy * one.radius);
    let (x2, y2) = (other.x - ux * (other.radius + 5.0), other.y - uy * (other.radius + 5.0));
    let bend = (length * 0.12).min(40.0);
    let (cx, cy) = ((x1 + x2) / 2.0 + uy * bend, (y1 + y2) / 2.0 - ux * bend);
    format!("M{x1:.1} {y1:.1}Q{cx:.1} {cy:.1} {x2:.1} {y2:.1}")
}
