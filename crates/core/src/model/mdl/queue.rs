//! Which link collection goes next? (section 3.3) - [`Queue`]: by priority. - [`Order`]: which heuristic. - [`Collection`]: a path's
//! targets on one page.

use crate::model::Error;
use crate::site::UrlId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::str::FromStr;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Long collections first: support for classes.
    #[default]
    Densest,
    /// Short ones first: new regions.
    Sparsest,
}

impl FromStr for Order {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        match name {
            "densest" => Ok(Self::Densest),
            "sparsest" => Ok(Self::Sparsest),
            other => Err(Error::Order(other.to_owned())),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Collection {
    pub targets: Vec<UrlId>,
}

/// Singleton classes first, then by density in parts of a million, then as they came.
type Entry = (bool, i64, Reverse<usize>, Collection);

pub struct Queue {
    order: Order,
    heap: BinaryHeap<Entry>,
    pushed: usize,
}

impl Queue {
    pub fn new(order: Order) -> Self {
        Self { order, heap: BinaryHeap::new(), pushed: 0 }
    }

    /// `single`: it stands on a page of a class of one; `outgoing`: links of its class.
    pub fn push(&mut self, collection: Collection, single: bool, outgoing: usize) {
        let density = (collection.targets.len() as i64 * 1_000_000) / outgoing.max(1) as i64;
        let priority = if self.order == Order::Densest { density } else { -density };
        self.heap.push((single, priority, Reverse(self.pushed), collection));
        self.pushed += 1;
    }

    pub fn pop(&mut self) -> Option<Collection> {
        self.heap.pop().map(|(_, _, _, collection)| collection)
    }

    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order_of(order: Order) -> Vec<usize> {
        let mut queue = Queue::new(order);
        for (length, single) in [(3, false), (9, false), (1, true), (5, false)] {
            queue.push(Collection { targets: vec![0; length] }, single, 20);
        }
        std::iter::from_fn(|| queue.pop()).map(|collection| collection.targets.len()).collect()
    }

    #[test]
    fn singletons_first_then_by_density() {
        assert_eq!(order_of(Order::Densest), [1, 9, 5, 3]);
        assert_eq!(order_of(Order::Sparsest), [1, 3, 5, 9]);
    }
}
