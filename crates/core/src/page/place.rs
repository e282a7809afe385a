//! Where on a page does a link stand? The last steps of its path with class tokens, repeated steps folded, so that a list has
//! one place however deep its items are nested, and wherever the list itself stands.

use crate::page::{Document, NodeId};

/// Steps kept from the end of the path: a list, its item and what is around the anchor. Tried: 3 to 8 and the whole
/// path; below 4 menus and lists fall together, above 6 nested lists fall apart.
const STEPS: usize = 5;

/// The longest class list kept of a step.
const CLASSES: usize = 3;

pub fn place(document: &Document, anchor: NodeId) -> String {
    let mut steps: Vec<String> = Vec::new();
    let mut at = Some(anchor);
    while let Some(node) = at {
        let name = document.name(node);
        if matches!(name, "body" | "html") {
            break;
        }
        if !name.is_empty() {
            steps.push(step(document, node, name));
            fold(&mut steps);
        }
        if steps.len() > STEPS {
            break;
        }
        at = document.parent(node);
    }
    steps.truncate(STEPS);
    steps.reverse();
    steps.join(">")
}

fn step(document: &Document, node: NodeId, name: &str) -> String {
    let mut step = name.to_owned();
    let classes = document.attribute(node, "class").unwrap_or("").split_ascii_whitespace();
    for class in classes.filter(|class| !class.bytes().any(|b| b.is_ascii_digit())).take(CLASSES) {
        step.push('.');
        step.push_str(class);
    }
    step
}

/// Drops the newest steps when they repeat the ones before: `ul li ul li` is `ul li`.
fn fold(steps: &mut Vec<String>) {
    for length in 1..=3 {
        let n = steps.len();
        if n >= 2 * length && steps[n - length..] == steps[n - 2 * length..n - length] {
            steps.truncate(n - length);
            return;
        }
    }
}
