//! What does the process that works bring along? Programs, files, addresses to post to: a run names them, and only this process knows them.
//!
//! - [`Local`]: from the flags and the config file of the process. - [`label`]: what a thing is called in the database.
//!
//! Whoever can write to the database chooses among what stands here, and can add nothing: no program is started, no file opened or written,
//! and nobody told, that the process was not given. A run that needs something else fails before anything is asked for.

use super::spec::RunSpec;
use crate::privacy::Privacy;
use crate::{Error, SourceSettings};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use url::Url;

/// What this process may use for the runs it works on.
#[derive(Debug, Clone, Default)]
pub struct Local {
    /// The browser; none looks where systems keep it.
    pub render_program: Option<PathBuf>,
    /// Start the browser without its sandbox.
    pub render_no_sandbox: bool,
    /// Hosts asked at an address of the user's.
    pub resolve: Vec<(String, SocketAddr)>,
    /// Archives by their names.
    pub archives: BTreeMap<String, PathBuf>,
    /// Where the files are that an index among the archives names.
    pub archive_base: Option<String>,
    /// What records are held against, by name.
    pub references: BTreeMap<String, String>,
    /// Reports that are written, by name.
    pub reports: BTreeMap<String, PathBuf>,
    /// Time-stamp authorities, by name.
    pub timestamps: BTreeMap<String, Url>,
    /// Who is told of changes, by name.
    pub webhooks: BTreeMap<String, Url>,
    /// Commands of the shell that get changes, by name.
    pub commands: BTreeMap<String, String>,
    /// The file that holds the key of hashed columns.
    pub key_file: Option<PathBuf>,
}

impl Local {
    /// What these settings name.
    pub fn of(source: &SourceSettings) -> Self {
        Self {
            render_program: source.render.program.clone(),
            render_no_sandbox: source.render.no_sandbox,
            resolve: source.resolve.clone(),
            archives: named_paths(&source.archives).collect(),
            archive_base: source.archive_base.clone(),
            ..Self::default()
        }
    }

    /// The settings of a run, with what is this process's own.
    pub(super) fn source(&self, spec: &RunSpec, queued: SourceSettings) -> Result<SourceSettings, Error> {
        let mut source = queued;
        source.archives = spec.archives.iter().map(|name| self.archive(name)).collect::<Result<_, _>>()?;
        source.archive_base.clone_from(&self.archive_base);
        source.resolve.clone_from(&self.resolve);
        source.render.program.clone_from(&self.render_program);
        source.render.no_sandbox = self.render_no_sandbox;
        Ok(source)
    }

    fn archive(&self, name: &str) -> Result<PathBuf, Error> {
        known(&self.archives, name, "archive", "give whoever works on it the archive too")
    }

    pub(super) fn reference(&self, name: &str) -> Result<String, Error> {
        known(
            &self.references,
            name,
            "reference",
            "name it under [references] of the config file of whoever works on it",
        )
    }

    pub(super) fn report(&self, name: &str) -> Result<PathBuf, Error> {
        known(&self.reports, name, "report", "name it under [reports] of the config file of whoever works on it")
    }

    pub(super) fn timestamp(&self, name: &str) -> Result<Url, Error> {
        let hint = "name it under [timestamps] of the config file of whoever works on it";
        known(&self.timestamps, name, "time-stamp authority", hint)
    }

    /// With the key of this process.
    pub(super) fn privacy(&self, said: &Privacy) -> Privacy {
        Privacy { key_file: self.key_file.clone(), ..said.clone() }
    }
}

fn known<T: Clone>(all: &BTreeMap<String, T>, name: &str, what: &'static str, hint: &'static str) -> Result<T, Error> {
    all.get(name).cloned().ok_or_else(|| Error::NotGiven { what, name: name.to_owned(), hint })
}

/// What a file, a database or a service is called where its place must not stand: no folder, no password, nothing behind the host.
/// The label of a label is itself.
pub fn label(place: &str) -> String {
    if let Some(url) = Url::parse(place).ok().filter(Url::has_host) {
        let host = url.host_str().unwrap_or_default();
        let table = url.query_pairs().find(|(name, _)| name == "table").map(|(_, table)| table.into_owned());
        return table.map_or_else(|| host.to_owned(), |table| format!("{host}.{table}"));
    }
    let path = place.strip_prefix("sqlite:").unwrap_or(place);
    path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// Labels of several, each another one: a second `a.html` is `a.html#2`.
pub fn labels<'p>(places: impl Iterator<Item = &'p str>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let numbered = |place: &str| {
        let label = label(place);
        let count = counts.entry(label.clone()).or_default();
        *count += 1;
        if *count == 1 { label } else { format!("{label}#{count}") }
    };
    places.map(numbered).collect()
}

/// Names of files, as [`labels`] makes them.
pub fn path_labels(paths: &[PathBuf]) -> Vec<String> {
    let texts: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).collect();
    labels(texts.iter().map(String::as_str))
}

/// Files by name, with their whole paths.
pub fn named_paths(paths: &[PathBuf]) -> impl Iterator<Item = (String, PathBuf)> {
    let whole: Vec<PathBuf> = paths.iter().map(|path| absolute(path)).collect();
    path_labels(paths).into_iter().zip(whole)
}

/// Whoever uses it may stand in another folder by then.
pub fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_tell_no_place_and_no_password() {
        for (place, expected) in [
            ("/srv/secret/known.csv", "known.csv"),
            ("known.csv", "known.csv"),
            ("sqlite:/srv/k.db?drivers", "k.db?drivers"),
            ("postgres://ann:geheim@db.example/known?table=drivers", "db.example.drivers"),
            ("https://ann:geheim@tsa.example/token/abc", "tsa.example"),
            ("C:\\data\\week.html", "week.html"),
        ] {
            assert_eq!(label(place), expected);
            assert_eq!(label(expected), expected, "once and for all");
        }
        assert_eq!(labels(["a/x.html", "b/x.html", "y.html"].into_iter()), ["x.html", "x.html#2", "y.html"]);
    }

    #[test]
    fn what_was_not_given_is_said() {
        let error = Local::default().reference("known.csv").unwrap_err().to_string();
        assert!(
            error.contains("`known.csv`") && error.contains("was not given") && error.contains("hint: "),
            "{error}"
        );
    }
}
