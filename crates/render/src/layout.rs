//! Where does everything stand? A snapshot of the browser → [`Layout`]: elements with their boxes.

use pagekin_core::page::layout::{Bounds, Element, Layout};
use serde_json::{Value, json};

/// What the browser is asked for.
pub fn ask() -> Value {
    json!({"computedStyles": []})
}

/// Elements of the page's own document, without those in frames. What is malformed is left out.
pub fn read(snapshot: &Value) -> Layout {
    let document = &snapshot["documents"][0];
    let (nodes, strings) = (&document["nodes"], &snapshot["strings"]);
    let string = |at: &Value| at.as_u64().and_then(|at| strings[at as usize].as_str()).unwrap_or("");
    let empty = Vec::new();
    let kinds = nodes["nodeType"].as_array().unwrap_or(&empty);
    let mut placed: Vec<Option<u32>> = vec![None; kinds.len()];
    let mut layout = Layout::default();
    for (node, kind) in kinds.iter().enumerate() {
        // 1: an element.
        if kind.as_u64() != Some(1) {
            continue;
        }
        let parent = nodes["parentIndex"][node].as_u64().and_then(|parent| *placed.get(parent as usize)?);
        let attributes = nodes["attributes"][node].as_array().unwrap_or(&empty);
        let href =
            attributes.chunks_exact(2).find(|pair| string(&pair[0]) == "href").map(|pair| string(&pair[1]).into());
        placed[node] = Some(layout.elements.len() as u32);
        let name = string(&nodes["nodeName"][node]).to_ascii_lowercase().into();
        layout.elements.push(Element { parent, name, href, bounds: None });
    }
    let boxes = document["layout"]["nodeIndex"].as_array().unwrap_or(&empty);
    for (at, node) in boxes.iter().enumerate() {
        let element = node.as_u64().and_then(|node| *placed.get(node as usize)?);
        if let Some(element) = element {
            layout.elements[element as usize].bounds = bounds(&document["layout"]["bounds"][at]);
        }
    }
    layout
}

fn bounds(numbers: &Value) -> Option<Bounds> {
    let number = |at: usize| numbers[at].as_f64().map(|number| number as f32);
    Some(Bounds { x: number(0)?, y: number(1)?, width: number(2)?, height: number(3)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_keep_their_parents_and_get_their_boxes() {
        let snapshot = json!({
            "strings": ["HTML", "A", "href", "/x", "#text"],
            "documents": [{
                "nodes": {
                    "parentIndex": [-1, 0, 1, 2], "nodeType": [9, 1, 1, 3], "nodeName": [0, 0, 1, 4],
                    "attributes": [[], [], [2, 3], []]
                },
                "layout": {"nodeIndex": [1, 2, 3], "bounds": [[0, 0, 100, 50], [8, 9.5, 20, 10], [8, 9, 20, 10]]}
            }]
        });
        let layout = read(&snapshot);
        assert_eq!(layout.elements.len(), 2);
        let link = &layout.elements[1];
        assert_eq!((link.parent, &*link.name, link.href.as_deref()), (Some(0), "a", Some("/x")));
        assert_eq!(link.bounds, Some(Bounds { x: 8.0, y: 9.5, width: 20.0, height: 10.0 }));
        assert_eq!(read(&json!({"documents": []})), Layout::default());
    }
}
