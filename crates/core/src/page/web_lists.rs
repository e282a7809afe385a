//! Which lists does a drawn page show? [`Layout`] → [`WebList`]s: elements that stand in line and are built alike, with their links.
//!
//! As HyLiEn does, by what is said of it (SSUP 2019, references 10 and 32): what stands in line is a candidate, the DOM confirms it, and what
//! became an item is not looked into again, so that lists within items are not found.
//! - [`web_lists`]: all of a page, outer ones first. - [`WebList`]: its items' links. - [`Alignment`]: how the items stand.

use super::layout::{Bounds, Layout};
use rapidfuzz::distance::levenshtein;
use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::fmt;
use std::hash::{Hash, Hasher};

/// Elements of an item at most. More is a part of the page, such as a column or an article. Set by hand.
const ITEM: usize = 50;

/// Likeness from which on two elements are built alike. Set by hand: a row without its picture is still a row.
pub const ALIKE: f64 = 0.6;

/// Pixels by which edges in line may differ: rounding, and borders. Set by hand.
const TOLERANCE: f32 = 2.0;

/// Kinds of siblings that a sibling of another build is compared with, the last ones: a page may have many that are alike to none.
const KINDS: usize = 16;

/// How the items of a list stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Alignment {
    /// Left edges in line.
    Vertical,
    /// Upper edges in line.
    Horizontal,
    /// Rows and columns.
    Tiled,
}

impl Alignment {
    /// May it be the same list with more or fewer items? A last row may be the only one.
    pub fn fits(self, other: Self) -> bool {
        self == other || self == Self::Tiled || other == Self::Tiled
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Vertical => "vertical",
            Self::Horizontal => "horizontal",
            Self::Tiled => "tiled",
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebList {
    pub alignment: Alignment,
    /// Names of the elements from the root to an item, joined by `/`.
    pub path: Box<str>,
    pub items: usize,
    /// The build of its first item.
    pub shape: Shape,
    /// In document order.
    pub links: Vec<ListLink>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListLink {
    /// As written.
    pub href: Box<str>,
    /// From the item to the link: names of elements, each with its number among siblings of that name; empty when the item is the link.
    pub step: Box<str>,
}

/// Names of the elements of an item in document order, as numbers that are the same on all pages.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Shape(Box<[u64]>);

impl Shape {
    /// Edit distance over the longer one, from 1: 1 is the same. 0 for elements of another name.
    pub fn likeness(&self, other: &Self) -> f64 {
        if self.0.first() != other.0.first() {
            return 0.0;
        }
        levenshtein::normalized_similarity(self.0.iter().copied(), other.0.iter().copied())
    }
}

/// The lists that have links.
pub fn web_lists(layout: &Layout) -> Vec<WebList> {
    let tree = Tree::of(layout);
    let mut lists = Vec::new();
    let mut open: VecDeque<usize> = tree.children_of(None).collect();
    while let Some(element) = open.pop_front() {
        let children: Vec<usize> = tree.children_of(Some(element)).collect();
        let mut listed = vec![false; children.len()];
        for group in tree.groups(&children) {
            group.iter().for_each(|&at| listed[at] = true);
            let items: Vec<usize> = group.iter().map(|&at| children[at]).collect();
            lists.push(tree.list(&items));
        }
        open.extend(children.iter().zip(listed).filter(|(_, listed)| !listed).map(|(&child, _)| child));
    }
    lists.retain(|list| !list.links.is_empty());
    lists
}

/// The address that relative ones start from, as written.
pub fn base(layout: &Layout) -> Option<&str> {
    layout.elements.iter().filter(|element| &*element.name == "base").find_map(|element| element.href.as_deref())
}

/// What is read off a layout before lists are looked for. A subtree is a range: elements stand in document order.
struct Tree<'l> {
    layout: &'l Layout,
    parents: Vec<Option<usize>>,
    /// Elements of the subtree.
    sizes: Vec<usize>,
    /// Where it is drawn: its own box, or, when that has no area, that of what it holds.
    boxes: Vec<Option<Bounds>>,
    /// Which of its parent's children of its name it is, from 0.
    numbers: Vec<u32>,
    names: Vec<u64>,
}

impl<'l> Tree<'l> {
    fn of(layout: &'l Layout) -> Self {
        let elements = &layout.elements;
        let parents: Vec<Option<usize>> = elements
            .iter()
            .enumerate()
            .map(|(at, element)| element.parent.map(|parent| parent as usize).filter(|&parent| parent < at))
            .collect();
        let names: Vec<u64> = elements.iter().map(|element| hash(&element.name)).collect();
        let (mut sizes, mut boxes) = (vec![1; elements.len()], vec![None; elements.len()]);
        for at in (0..elements.len()).rev() {
            boxes[at] = drawn(elements[at].bounds, boxes[at]);
            if let Some(parent) = parents[at] {
                sizes[parent] += sizes[at];
                boxes[parent] = union(boxes[parent], boxes[at]);
            }
        }
        let mut counts: FxHashMap<(Option<usize>, u64), u32> = FxHashMap::default();
        let number = |at: usize| {
            let count = counts.entry((parents[at], names[at])).or_default();
            *count += 1;
            *count - 1
        };
        let numbers = (0..elements.len()).map(number).collect();
        Self { layout, parents, sizes, boxes, numbers, names }
    }

    /// Drawn children, in document order; those of the document where there is no element.
    fn children_of(&self, element: Option<usize>) -> impl Iterator<Item = usize> {
        let (mut at, end) =
            element.map_or((0, self.sizes.len()), |element| (element + 1, element + self.sizes[element]));
        let next = move || {
            let child = (at < end).then_some(at)?;
            at += self.sizes[child];
            Some(child)
        };
        std::iter::from_fn(next).filter(move |&child| self.boxes[child].is_some())
    }

    fn shape(&self, element: usize) -> Shape {
        Shape(self.names[element..element + self.sizes[element]].into())
    }

    /// Places among the siblings that are built alike and stand in line, two and more together.
    fn groups(&self, siblings: &[usize]) -> Vec<Vec<usize>> {
        let mut kinds: Vec<(Shape, Vec<usize>)> = Vec::new();
        let mut known: FxHashMap<Shape, usize> = FxHashMap::default();
        for (at, &sibling) in siblings.iter().enumerate().filter(|(_, sibling)| self.sizes[**sibling] <= ITEM) {
            let shape = self.shape(sibling);
            let kind = known.get(&shape).copied().or_else(|| {
                let last = kinds.len().saturating_sub(KINDS);
                kinds[last..].iter().position(|(first, _)| first.likeness(&shape) >= ALIKE).map(|kind| last + kind)
            });
            let kind = kind.unwrap_or(kinds.len());
            if kind == kinds.len() {
                kinds.push((shape.clone(), Vec::new()));
            }
            known.insert(shape, kind);
            kinds[kind].1.push(at);
        }
        kinds.into_iter().flat_map(|(_, members)| self.in_line(siblings, &members)).collect()
    }

    /// Members that share an edge with another member, directly or through others.
    fn in_line(&self, siblings: &[usize], members: &[usize]) -> Vec<Vec<usize>> {
        let edges = |edge: fn(&Bounds) -> f32| -> Vec<f32> {
            members.iter().map(|&at| self.boxes[siblings[at]].as_ref().map_or(0.0, edge)).collect()
        };
        let (left, columns) = lines(&edges(|bounds| bounds.x));
        let (top, rows) = lines(&edges(|bounds| bounds.y));
        let mut sets = Sets::new(columns + rows);
        left.iter().zip(&top).for_each(|(&left, &top)| sets.join(left, columns + top));
        let mut groups: FxHashMap<usize, usize> = FxHashMap::default();
        let mut found: Vec<Vec<usize>> = Vec::new();
        for (&member, &left) in members.iter().zip(&left) {
            let group = *groups.entry(sets.first(left)).or_insert(found.len());
            if group == found.len() {
                found.push(Vec::new());
            }
            found[group].push(member);
        }
        found.retain(|group| group.len() >= 2);
        found
    }

    fn list(&self, items: &[usize]) -> WebList {
        let edges = |edge: fn(&Bounds) -> f32| {
            lines(&items.iter().map(|&item| self.boxes[item].as_ref().map_or(0.0, edge)).collect::<Vec<_>>()).1
        };
        let alignment = match (edges(|bounds| bounds.x), edges(|bounds| bounds.y)) {
            (1, _) => Alignment::Vertical,
            (_, 1) => Alignment::Horizontal,
            _ => Alignment::Tiled,
        };
        let links = items.iter().flat_map(|&item| self.links(item)).collect();
        WebList { alignment, path: self.path(items[0]), items: items.len(), shape: self.shape(items[0]), links }
    }

    fn links(&self, item: usize) -> impl Iterator<Item = ListLink> {
        let drawn = (item..item + self.sizes[item]).filter(|&at| self.boxes[at].is_some());
        drawn.filter(|&at| &*self.layout.elements[at].name == "a").filter_map(move |at| {
            let href = self.layout.elements[at].href.clone()?;
            Some(ListLink { href, step: self.step(item, at) })
        })
    }

    fn step(&self, item: usize, link: usize) -> Box<str> {
        let mut steps = Vec::new();
        let mut at = link;
        while at != item {
            steps.push(format!("{}:{}", self.layout.elements[at].name, self.numbers[at]));
            let Some(parent) = self.parents[at] else { break };
            at = parent;
        }
        steps.reverse();
        steps.join("/").into()
    }

    fn path(&self, element: usize) -> Box<str> {
        let mut names = Vec::new();
        let mut at = Some(element);
        while let Some(here) = at {
            names.push(&*self.layout.elements[here].name);
            at = self.parents[here];
        }
        names.reverse();
        names.join("/").into()
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = FxHasher::default();
    name.hash(&mut hasher);
    hasher.finish()
}

/// `inside`: the box of what it holds.
fn drawn(own: Option<Bounds>, inside: Option<Bounds>) -> Option<Bounds> {
    own.filter(|own| own.width > 0.0 && own.height > 0.0).or(inside).or(own)
}

fn union(a: Option<Bounds>, b: Option<Bounds>) -> Option<Bounds> {
    let (Some(one), Some(other)) = (a, b) else { return a.or(b) };
    let (x, y) = (one.x.min(other.x), one.y.min(other.y));
    let right = (one.x + one.width).max(other.x + other.width);
    let bottom = (one.y + one.height).max(other.y + other.height);
    Some(Bounds { x, y, width: right - x, height: bottom - y })
}

/// For each edge the number of the line it is in, and how many lines there are.
fn lines(edges: &[f32]) -> (Vec<usize>, usize) {
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by(|&a, &b| edges[a].total_cmp(&edges[b]));
    let (mut lines, mut count) = (vec![0; edges.len()], 0);
    let mut last = f32::NEG_INFINITY;
    for at in order {
        if edges[at] - last > TOLERANCE {
            count += 1;
        }
        last = edges[at];
        lines[at] = count.max(1) - 1;
    }
    (lines, count)
}

/// Numbers that were joined have one first number.
struct Sets(Vec<usize>);

impl Sets {
    fn new(count: usize) -> Self {
        Self((0..count).collect())
    }

    fn first(&mut self, number: usize) -> usize {
        let mut first = number;
        while self.0[first] != first {
            self.0[first] = self.0[self.0[first]];
            first = self.0[first];
        }
        first
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.0[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::layout::Element;

    /// Each with its depth, its name or `name href`, and left and upper edge; none is drawn without them.
    type Drawn<'a> = (usize, &'a str, Option<(f32, f32)>);

    fn layout(elements: &[Drawn]) -> Layout {
        let mut open: Vec<u32> = Vec::new();
        let mut layout = Layout::default();
        for (at, (depth, name, place)) in elements.iter().enumerate() {
            open.truncate(*depth);
            let (name, href) = name.split_once(' ').map_or((*name, None), |(name, href)| (name, Some(href.into())));
            let bounds = place.map(|(x, y)| Bounds { x, y, width: 50.0, height: 10.0 });
            layout.elements.push(Element { parent: open.last().copied(), name: name.into(), href, bounds });
            open.push(at as u32);
        }
        layout
    }

    fn found(layout: &Layout) -> Vec<(Alignment, String, Vec<String>)> {
        let lists = web_lists(layout).into_iter();
        lists
            .map(|list| {
                (list.alignment, list.path.to_string(), list.links.iter().map(|link| link.href.to_string()).collect())
            })
            .collect()
    }

    fn one(alignment: Alignment, path: &str, links: &[&str]) -> (Alignment, String, Vec<String>) {
        (alignment, path.to_owned(), links.iter().map(|&link| link.to_owned()).collect())
    }

    #[test]
    fn what_stands_in_line_and_is_built_alike_is_a_list() {
        let page = layout(&[
            (0, "html", Some((0.0, 0.0))),
            (1, "body", Some((0.0, 0.0))),
            (2, "nav", Some((0.0, 0.0))),
            (3, "a /", Some((0.0, 0.0))),
            (3, "a /news", Some((60.0, 1.0))),
            (2, "h1", Some((0.0, 20.0))),
            (2, "ul", Some((0.0, 40.0))),
            (3, "li", Some((8.0, 40.0))),
            (4, "a /1", Some((8.0, 40.0))),
            (3, "li", Some((8.0, 60.0))),
            (4, "a /2", Some((8.0, 60.0))),
            (3, "li", None),
            (4, "a /hidden", None),
            (3, "p", Some((8.0, 80.0))),
            (4, "b", Some((8.0, 80.0))),
            (5, "a /alone", Some((8.0, 80.0))),
        ]);
        let nav = one(Alignment::Horizontal, "html/body/nav/a", &["/", "/news"]);
        assert_eq!(found(&page), [nav, one(Alignment::Vertical, "html/body/ul/li", &["/1", "/2"])]);
    }

    #[test]
    fn what_is_alike_and_not_in_line_is_none() {
        let page = layout(&[
            (0, "body", Some((0.0, 0.0))),
            (1, "a /1", Some((10.0, 10.0))),
            (1, "a /2", Some((30.0, 25.0))),
            (1, "a /3", Some((50.0, 40.0))),
        ]);
        assert_eq!(found(&page), []);
    }

    #[test]
    fn rows_and_columns_are_one_list_and_floats_have_the_place_of_what_they_hold() {
        let mut elements = vec![(0, "body", Some((0.0, 0.0)))];
        for (href, x, y) in [("a /1", 0.0, 0.0), ("a /2", 60.0, 0.0), ("a /3", 0.0, 20.0), ("a /4", 60.0, 20.0)] {
            elements.extend([(1, "div", None), (2, href, Some((x, y)))]);
        }
        let links = ["/1", "/2", "/3", "/4"];
        assert_eq!(found(&layout(&elements)), [one(Alignment::Tiled, "body/div", &links)]);
    }

    #[test]
    fn links_of_an_item_are_told_apart_by_their_way_from_it() {
        let mut elements = vec![(0, "table", Some((0.0, 0.0)))];
        for (driver, team, y) in [("a /d1", "a /t1", 0.0), ("a /d2", "a /t1", 20.0)] {
            elements.push((1, "tr", Some((0.0, y))));
            for (link, x) in [(driver, 0.0), (team, 60.0)] {
                elements.extend([(2, "td", Some((x, y))), (3, link, Some((x, y)))]);
            }
        }
        let lists = web_lists(&layout(&elements));
        let steps: Vec<&str> = lists[0].links.iter().map(|link| &*link.step).collect();
        assert_eq!((lists.len(), lists[0].items), (1, 2));
        assert_eq!(steps, ["td:0/a:0", "td:1/a:0", "td:0/a:0", "td:1/a:0"]);
    }

    #[test]
    fn a_list_within_an_item_is_not_found() {
        let mut elements = vec![(0, "body", Some((0.0, 0.0)))];
        for (first, second, y) in [("a /1", "a /2", 0.0), ("a /3", "a /4", 40.0)] {
            elements.push((1, "ul", Some((0.0, y))));
            for (link, down) in [(first, 0.0), (second, 20.0)] {
                elements.extend([(2, "li", Some((0.0, y + down))), (3, link, Some((0.0, y + down)))]);
            }
        }
        let lists = web_lists(&layout(&elements));
        assert_eq!((lists.len(), &*lists[0].path, &*lists[0].links[1].step), (1, "body/ul", "li:1/a:0"));
    }

    #[test]
    fn parts_of_a_page_are_no_items() {
        let mut elements = vec![(0, "body", Some((0.0, 0.0)))];
        let links: Vec<String> = (0..60).map(|number| format!("a /{number}")).collect();
        for (column, links) in links.chunks(30).enumerate() {
            elements.push((1, "ul", Some((column as f32 * 60.0, 0.0))));
            for (row, link) in links.iter().enumerate() {
                let place = Some((column as f32 * 60.0, row as f32 * 20.0));
                elements.extend([(2, "li", place), (3, link.as_str(), place)]);
            }
        }
        let lists = web_lists(&layout(&elements));
        assert_eq!(lists.iter().map(|list| list.items).collect::<Vec<_>>(), [30, 30]);
    }

    #[test]
    fn likeness_is_that_of_names_in_order() {
        let shape = |names: &[&str]| Shape(names.iter().map(|name| hash(name)).collect());
        let row = shape(&["li", "a", "img", "p", "span"]);
        assert!((row.likeness(&shape(&["li", "a", "p", "span"])) - 0.8).abs() < 1e-9);
        assert!(row.likeness(&shape(&["p"])) < ALIKE);
    }
}
