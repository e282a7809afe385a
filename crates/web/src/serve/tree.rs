//! Through which pages was a data set found? Its index pages as a tree, each with how many pages of the kind it shows.

use super::answer::{Problem, Screen, page};
use super::{App, Shared, data};
use askama::Template;
use axum::Router;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use pagekin::store::screen::{ClassLine, IndexLine};
use std::collections::{BTreeMap, BTreeSet};

/// Index pages that are shown.
pub const MOST: usize = 1000;

pub fn routes() -> Router<Shared> {
    Router::new().route("/data/{class}/tree", get(tree))
}

#[derive(Template)]
#[template(path = "serve/tree.html")]
struct Tree {
    class: ClassLine,
    lines: Vec<Line>,
}

/// An index page and how deep it stands.
struct Line {
    depth: usize,
    path: String,
    shows: i64,
    evidence: String,
}

pub async fn indexes(app: &App, class: i64) -> Result<Vec<IndexLine>, Problem> {
    Ok(app.store.index_list(class, MOST).await?)
}

async fn tree(State(app): State<Shared>, Path(id): Path<i64>) -> Result<Response, Screen> {
    let class = data::class(&app, id).await?;
    page(&Tree { class, lines: drawn(&indexes(&app, id).await?) })
}

/// Each page below its parent, in the order of addresses; what has no parent here stands at the top.
fn drawn(indexes: &[IndexLine]) -> Vec<Line> {
    let known: BTreeSet<&str> = indexes.iter().map(|index| index.url.as_str()).collect();
    let mut below: BTreeMap<Option<&str>, Vec<&IndexLine>> = BTreeMap::new();
    for index in indexes {
        let parent = index.parent.as_deref().filter(|parent| known.contains(parent) && *parent != index.url);
        below.entry(parent).or_default().push(index);
    }
    let (mut lines, mut seen) = (Vec::new(), BTreeSet::new());
    let mut waiting: Vec<(usize, &IndexLine)> =
        below.get(&None).into_iter().flatten().rev().map(|own| (0, *own)).collect();
    while let Some((depth, index)) = waiting.pop() {
        if !seen.insert(index.url.as_str()) {
            continue;
        }
        let (path, evidence) = (data::path(&index.url), index.evidence.clone());
        lines.push(Line { depth, path, shows: index.shows, evidence });
        let children = below.get(&Some(index.url.as_str())).into_iter().flatten().rev();
        waiting.extend(children.map(|child| (depth + 1, *child)));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_stand_below_their_parents_and_circles_end() {
        let index = |path: &str, parent: Option<&str>| IndexLine {
            url: format!("http://s{path}"),
            level: 0,
            parent: parent.map(|path| format!("http://s{path}")),
            evidence: String::new(),
            shows: 1,
        };
        let all = [
            index("/", None),
            index("/a", Some("/")),
            index("/a/1", Some("/a")),
            index("/b", Some("/")),
            index("/x", Some("/x")),
        ];
        let lines: Vec<(usize, String)> = drawn(&all).into_iter().map(|line| (line.depth, line.path)).collect();
        let expected = [(0, "/"), (1, "/a"), (2, "/a/1"), (1, "/b"), (0, "/x")];
        assert_eq!(lines, expected.map(|(depth, path)| (depth, path.to_owned())));
        assert_eq!(drawn(&[index("/p", Some("/q")), index("/q", Some("/p"))]).len(), 0, "nobody is at the top");
    }
}
