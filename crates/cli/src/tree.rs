//! Which index pages lead to which pages? Discovery → JSON, Graphviz DOT, or one HTML page that needs nothing else.
//!
//! - [`TreeFile`]: where and how, by the ending of the file. Words of web pages are escaped in every form.

use crate::files;
use anyhow::{Result, bail};
use pagekin::Url;
use pagekin::discover::{Discovery, Entity, Index};
use pagekin_web::escaped;
use serde::Serialize;
use std::collections::{BTreeMap, HashSet};
use std::io::Write;
use std::path::{Path, PathBuf};

pub struct TreeFile {
    path: PathBuf,
    form: Form,
}

#[derive(Clone, Copy)]
enum Form {
    Json,
    Dot,
    Html,
}

impl TreeFile {
    pub fn of(path: &Path) -> Result<Self> {
        let form = match path.extension().and_then(|ending| ending.to_str()) {
            Some("json") => Form::Json,
            Some("dot") => Form::Dot,
            Some("html") => Form::Html,
            _ => bail!("cannot tell how to write `{}`\n\nhint: let it end in .json, .dot or .html", path.display()),
        };
        files::check_folder(path)?;
        Ok(Self { path: path.to_owned(), form })
    }

    pub fn write(&self, found: &Discovery) -> Result<()> {
        files::write(&self.path, |out| match self.form {
            Form::Json => json(out, found),
            Form::Dot => dot(out, found),
            Form::Html => html(out, found),
        })
    }
}

#[derive(Serialize)]
struct Tree<'d> {
    method: &'d str,
    samples: &'d [Url],
    indexes: &'d [Index],
    entities: &'d [Entity],
}

fn json(out: &mut dyn Write, found: &Discovery) -> Result<()> {
    let tree = Tree {
        method: found.method.name(),
        samples: &found.samples,
        indexes: &found.indexes,
        entities: &found.entities,
    };
    serde_json::to_writer_pretty(&mut *out, &tree)?;
    Ok(writeln!(out)?)
}

fn dot(out: &mut dyn Write, found: &Discovery) -> Result<()> {
    let quoted = |url: &Url| format!("\"{}\"", url.as_str().replace('\\', "\\\\").replace('"', "\\\""));
    writeln!(out, "digraph pagekin {{\n  rankdir=LR;\n  node [shape=box];")?;
    for index in &found.indexes {
        writeln!(out, "  {} [style=filled];", quoted(&index.url))?;
        if let Some(parent) = &index.parent {
            writeln!(out, "  {} -> {};", quoted(parent), quoted(&index.url))?;
        }
    }
    for entity in &found.entities {
        match &entity.via {
            Some(via) => writeln!(out, "  {} -> {};", quoted(via), quoted(&entity.url))?,
            None => writeln!(out, "  {};", quoted(&entity.url))?,
        }
    }
    Ok(writeln!(out, "}}")?)
}

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem;max-width:70rem}\
    ul{list-style:none;padding-left:1.2rem;border-left:1px solid #ccc}\
    summary{cursor:pointer}small{color:#666}a{color:#0645ad;text-decoration:none}";

fn html(out: &mut dyn Write, found: &Discovery) -> Result<()> {
    writeln!(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">")?;
    writeln!(
        out,
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    )?;
    writeln!(out, "<title>Pages found by pagekin</title><style>{STYLE}</style></head><body>")?;
    writeln!(out, "<h1>{} pages</h1>", found.entities.len())?;
    writeln!(
        out,
        "<p>Found by {} from {}</p>",
        found.method,
        found.samples.iter().map(link).collect::<Vec<_>>().join(", ")
    )?;
    let known: HashSet<&str> = found.indexes.iter().map(|index| index.url.as_str()).collect();
    let is_root = |parent: &Option<Url>| parent.as_ref().is_none_or(|parent| !known.contains(parent.as_str()));
    let mut branches = Branches::of(found);
    for root in found.indexes.iter().filter(|index| is_root(&index.parent)) {
        branches.write(out, root, 0)?;
    }
    writeln!(out, "<ul>")?;
    for entity in found.entities.iter().filter(|entity| is_root(&entity.via)) {
        leaf(out, entity)?;
    }
    Ok(writeln!(out, "</ul></body></html>")?)
}

/// What stands below each index page.
#[derive(Default)]
struct Branches<'d> {
    indexes: BTreeMap<&'d str, Vec<&'d Index>>,
    entities: BTreeMap<&'d str, Vec<&'d Entity>>,
}

/// Levels shown inside one another; a chain of list pages may be longer than a browser likes to nest.
const DEEPEST: usize = 400;

impl<'d> Branches<'d> {
    fn of(found: &'d Discovery) -> Self {
        let mut branches = Self::default();
        for index in &found.indexes {
            if let Some(parent) = &index.parent {
                branches.indexes.entry(parent.as_str()).or_default().push(index);
            }
        }
        for entity in &found.entities {
            if let Some(via) = &entity.via {
                branches.entities.entry(via.as_str()).or_default().push(entity);
            }
        }
        branches
    }

    /// What stands below a page is shown where the page is met first: it may be an index page of several levels.
    fn write(&mut self, out: &mut dyn Write, index: &Index, depth: usize) -> Result<()> {
        let entities = self.entities.remove(index.url.as_str()).unwrap_or_default();
        let below = self.indexes.remove(index.url.as_str()).unwrap_or_default();
        let open = if depth < 2 { " open" } else { "" };
        let (url, evidence) = (link(&index.url), escaped(&index.evidence));
        writeln!(out, "<details{open}><summary>{url} <small>{} pages. {evidence}</small></summary>", entities.len())?;
        writeln!(out, "<ul>")?;
        for index in below.into_iter().filter(|_| depth < DEEPEST) {
            writeln!(out, "<li>")?;
            self.write(out, index, depth + 1)?;
            writeln!(out, "</li>")?;
        }
        for entity in entities {
            leaf(out, entity)?;
        }
        Ok(writeln!(out, "</ul></details>")?)
    }
}

fn leaf(out: &mut dyn Write, entity: &Entity) -> Result<()> {
    let (url, evidence) = (link(&entity.url), escaped(&entity.evidence));
    Ok(writeln!(out, "<li>{url} <small>{:.2} {evidence}</small></li>", entity.confidence)?)
}

fn link(url: &Url) -> String {
    let url = escaped(url.as_str());
    format!("<a href=\"{url}\" rel=\"noreferrer\">{url}</a>")
}

#[cfg(test)]
mod tests {
    use super::*;
    use pagekin::discover::Method;

    fn found() -> Discovery {
        let url = |text: &str| Url::parse(text).unwrap();
        let index = |text: &str, level, parent: Option<&str>| Index {
            url: url(text),
            level,
            parent: parent.map(url),
            evidence: "<script>alert(1)</script>".to_owned(),
        };
        let entity = |text: &str, via: Option<&str>| Entity {
            url: url(text),
            confidence: 1.0,
            via: via.map(url),
            evidence: "\"alike\"".to_owned(),
        };
        Discovery {
            method: Method::Ssup2019,
            samples: vec![url("http://s/e/1")],
            entities: vec![entity("http://s/e/1", Some("http://s/l")), entity("http://s/e/2?a='&b=1", None)],
            indexes: vec![index("http://s/", 0, None), index("http://s/l", 1, Some("http://s/"))],
            dropped: Vec::new(),
            skipped: Vec::new(),
            steps: Vec::new(),
            downloads: 3,
            addresses: 4,
            ladder: Vec::new(),
            rung: 0,
            completeness: None,
            evidence: None,
            stopped: None,
        }
    }

    fn written(form: fn(&mut dyn Write, &Discovery) -> Result<()>) -> String {
        let mut out = Vec::new();
        form(&mut out, &found()).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn html_shows_every_page_and_runs_nothing() {
        let page = written(html);
        assert!(!page.contains("<script"));
        assert!(page.contains("&lt;script&gt;"));
        assert_eq!(page.matches("<li><a href=\"http://s/e/1\"").count(), 1);
        assert!(page.contains("http://s/e/2?a=%27&amp;b=1"));
        assert_eq!(page.matches("<details").count(), page.matches("</details>").count());
    }

    #[test]
    fn a_page_on_its_own_way_is_shown_and_not_gone_round() {
        let mut found = found();
        let mut again = found.indexes[0].clone();
        (again.level, again.parent) = (2, Some(found.indexes[1].url.clone()));
        found.indexes.push(again);
        let mut out = Vec::new();
        html(&mut out, &found).unwrap();
        assert_eq!(String::from_utf8(out).unwrap().matches("<details").count(), 3);
    }

    #[test]
    fn dot_has_an_edge_for_each_parent() {
        let graph = written(dot);
        assert!(graph.contains("\"http://s/\" -> \"http://s/l\";"));
        assert!(graph.contains("\"http://s/l\" -> \"http://s/e/1\";"));
    }

    #[test]
    fn json_can_be_read_again() {
        let tree: serde_json::Value = serde_json::from_str(&written(json)).unwrap();
        assert_eq!(tree["indexes"][1]["parent"], "http://s/");
        assert_eq!(tree["entities"][0]["via"], "http://s/l");
    }

    #[test]
    fn other_endings_are_refused() {
        assert!(TreeFile::of(Path::new("tree.png")).is_err());
    }
}
