//! What is in force? Command line over config file over built-in values → settings.
//!
//! - [`Config`]: the file, every key optional. `pagekin.example.toml` lists them all with the built-in values. What is a flag too is stated
//!   with the flag: `[fetch]` and `[discover]` are [`FetchArgs`] and [`MethodArgs`].
//!
//! Does not check what only a run can tell, such as whether an archive can be read.

use crate::args::{FetchArgs, MethodArgs, SourceArgs};
use crate::args_browser::BrowserArgs;
use anyhow::{Result, anyhow};
use pagekin::discover::{Method, Settings};
use pagekin::expect::Expectations;
use pagekin::extract;
use pagekin::privacy::Privacy;
use pagekin::run::local::{absolute, label, named_paths};
use pagekin::run::{HiddenSettings, Local};
use pagekin::store::is_postgres;
use pagekin::{RenderSettings, SourceSettings, Stop, Url, keys};
use serde::{Deserialize, Deserializer};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    pub fetch: FetchArgs,
    pub discover: MethodArgs,
    pub hidden: HiddenSettings,
    pub extract: ExtractConfig,
    pub check: CheckConfig,
    /// What the data sets of `run` are expected to be.
    pub expect: Expectations,
    pub run: RunConfig,
    pub privacy: Privacy,
    /// What columns are called, by the name they would have.
    pub columns: BTreeMap<String, String>,
    /// Commands of the shell that watches may hand changes to, by name. Only this file says what is run: a database that
    /// others write to names one of them. So it is with all that follow.
    pub commands: BTreeMap<String, String>,
    /// Addresses that are told of changes, by name.
    pub webhooks: BTreeMap<String, Url>,
    /// What records are held against, by name.
    pub references: BTreeMap<String, String>,
    /// Files that reports are written to, by name.
    pub reports: BTreeMap<String, PathBuf>,
    /// Time-stamp authorities, by name.
    pub timestamps: BTreeMap<String, Url>,
    /// `name:password` for a host, or for a host with its port.
    pub passwords: BTreeMap<String, String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExtractConfig {
    pub method: Option<extract::Method>,
    pub learn_from: Option<usize>,
    pub raw: Option<bool>,
}

/// What records are held against.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CheckConfig {
    pub rules: Option<PathBuf>,
    pub reference: Option<String>,
    pub report: Vec<PathBuf>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunConfig {
    pub hidden: Option<bool>,
    pub recheck: Option<bool>,
    pub sites: Option<usize>,
}

impl Config {
    /// Without a file nothing is set.
    pub fn read(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path else { return Ok(Self::default()) };
        let text = std::fs::read_to_string(path).map_err(|error| {
            anyhow!("cannot read `{}`: {error}\n\nhint: check that it exists and may be read", path.display())
        })?;
        Self::parse(&text).map_err(|reason| {
            anyhow!("cannot use `{}`: {reason}\n\nhint: pagekin.example.toml lists every key", path.display())
        })
    }

    pub fn parse(text: &str) -> Result<Self, String> {
        let config: Self = toml::from_str(text).map_err(|error| with_nearest(error.to_string().trim_end()))?;
        config.check().map(|()| config)
    }

    /// What clap checks on the command line.
    fn check(&self) -> Result<(), String> {
        let numbers = [
            ("fetch.concurrency", self.fetch.concurrency),
            ("fetch.max_bytes", self.fetch.max_bytes),
            ("fetch.max_requests", self.fetch.max_requests),
            ("fetch.max_traffic", self.fetch.max_traffic),
            ("fetch.max_disk", self.fetch.max_disk),
            ("discover.budget", self.discover.budget),
            ("discover.height", self.discover.height),
            ("discover.rounds", self.discover.rounds),
            ("hidden.fewest", self.hidden.fewest),
            ("hidden.budget", self.hidden.budget),
            ("hidden.price", self.hidden.price),
            ("hidden.allowance", self.hidden.allowance),
            ("extract.learn_from", self.extract.learn_from),
            ("run.sites", self.run.sites),
        ];
        if let Some((key, _)) = numbers.iter().find(|(_, value)| *value == Some(0)) {
            return Err(format!("`{key}` is 0"));
        }
        let shares = [
            ("discover.threshold", self.discover.threshold),
            ("discover.until", self.discover.until),
            ("expect.drop", self.expect.drop),
        ];
        match shares.iter().find(|(_, share)| share.is_some_and(|share| !(0.0..=1.0).contains(&share))) {
            Some((key, _)) => Err(format!("`{key}` is not between 0 and 1")),
            None => Ok(()),
        }
    }

    pub fn settings(&self, args: &MethodArgs, method: Option<Method>) -> Settings {
        let (file, built_in) = (&self.discover, Settings::default());
        Settings {
            method: method.or(file.method).unwrap_or(built_in.method),
            scope: args.scope.or(file.scope).unwrap_or(built_in.scope),
            budget: args.budget.or(file.budget).or(built_in.budget),
            until: args.until.or(file.until).or(built_in.until),
            height: args.height.or(file.height).unwrap_or(built_in.height),
            threshold: args.threshold.or(file.threshold).unwrap_or(built_in.threshold),
            notation: args.notation.or(file.notation).unwrap_or(built_in.notation),
            rounds: args.rounds.or(file.rounds).unwrap_or(built_in.rounds),
            seed: args.seed.or(file.seed).unwrap_or(built_in.seed),
            without: args.without.clone(),
            ..built_in
        }
    }

    /// Names of columns: those of the file, and those typed.
    pub fn columns(&self, typed: &[(String, String)]) -> BTreeMap<String, String> {
        self.columns.clone().into_iter().chain(typed.iter().cloned()).collect()
    }

    pub fn source(&self, args: &SourceArgs, seed: u64, stop: Stop) -> SourceSettings {
        SourceSettings {
            save_archive: args.save_archive.clone(),
            resume: args.resume,
            since: args.since.clone(),
            ..self.fetch(&args.fetch, seed, stop)
        }
    }

    pub fn fetch(&self, args: &FetchArgs, seed: u64, stop: Stop) -> SourceSettings {
        args.or(&self.fetch).settings(seed, stop)
    }

    /// What runs may use of this machine, whoever queued them.
    pub fn local(&self, source: &SourceSettings) -> Local {
        let mut local = Local {
            references: self.references.iter().map(|(name, place)| (label(name), placed(place))).collect(),
            reports: self.reports.iter().map(|(name, path)| (label(name), absolute(path))).collect(),
            timestamps: self.timestamps.iter().map(|(name, url)| (label(name), url.clone())).collect(),
            webhooks: self.webhooks.clone(),
            commands: self.commands.clone(),
            key_file: self.privacy.key_file.as_deref().map(absolute),
            ..Local::of(source)
        };
        local.references.extend(self.check.reference.iter().map(|place| (label(place), placed(place))));
        local.reports.extend(named_paths(&self.check.report));
        local
    }

    /// From now on they are sent with requests to their hosts.
    pub fn give_passwords(&self) {
        for (place, key) in &self.passwords {
            let (name, word) = key.split_once(':').unwrap_or((key.as_str(), ""));
            keys::give(place, name, word);
        }
    }

    /// The browser of commands that read no other pages than those of evaluations.
    pub fn render(&self, args: &BrowserArgs) -> RenderSettings {
        let said = FetchArgs {
            render_program: args.render_program.clone(),
            render_no_sandbox: args.render_no_sandbox,
            ..FetchArgs::default()
        };
        self.fetch(&said, 0, Stop::default()).render
    }
}

/// Where a reference is, also for whoever stands in another folder.
pub fn placed(reference: &str) -> String {
    if is_postgres(reference) {
        return reference.to_owned();
    }
    let (kind, path) = match reference.strip_prefix("sqlite:") {
        Some(path) => ("sqlite:", path),
        None => ("", reference),
    };
    format!("{kind}{}", absolute(Path::new(path)).display())
}

/// To the message that a key is unknown, the key that was probably meant.
fn with_nearest(message: &str) -> String {
    let Some((_, told)) = message.split_once("unknown field ") else { return message.to_owned() };
    let mut names = told.split('`').skip(1).step_by(2);
    let Some(wrong) = names.next() else { return message.to_owned() };
    let nearest = names.max_by(|a, b| strsim::jaro_winkler(wrong, a).total_cmp(&strsim::jaro_winkler(wrong, b)));
    nearest.map_or_else(|| message.to_owned(), |nearest| format!("{message}\ndid you mean `{nearest}`?"))
}

/// `500ms`, `2s`, `1.5m`.
pub fn parse_duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time\n\nhint: a number with a unit, such as 500ms, 2s, 1m, 12h or 7d");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" if text == "0" => 0.0,
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        "d" => 86_400.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// A time as the config file writes it.
pub fn duration<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    // The hint is the command line's; a file's error has its own.
    let first = |message: String| message.lines().next().unwrap_or_default().to_owned();
    parse_duration(&text).map(Some).map_err(|message| serde::de::Error::custom(first(message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = include_str!("../../../pagekin.example.toml");

    /// The example with the keys that have no value by default filled in.
    fn all_keys() -> String {
        let set = ["budget", "until", "render_program", "rules", "reference", "report", "records", "drop", "key_file"];
        let example =
            set.iter().fold(EXAMPLE.to_owned(), |text, key| text.replace(&format!("# {key} = "), &format!("{key} = ")));
        example.replace("# delay = ", "delay = ").replace("# user_agent = ", "user_agent = ")
    }

    #[test]
    fn the_example_holds_every_key_with_its_built_in_value() {
        let config = Config::parse(EXAMPLE).unwrap();
        let settings = config.settings(&MethodArgs::default(), None);
        assert_eq!(format!("{settings:?}"), format!("{:?}", Settings::default()));
        let stop = Stop::default();
        assert_eq!(format!("{:?}", config.hidden.settings()), format!("{:?}", HiddenSettings::default().settings()));
        let source = config.source(&SourceArgs::default(), 0, stop.clone());
        assert_eq!(format!("{source:?}"), format!("{:?}", SourceSettings { stop, ..SourceSettings::default() }));
        let shown = format!("{:?}", Config::parse(&all_keys()).unwrap());
        assert!(!shown.contains("None"), "a key is not in the example: {shown}");
    }

    #[test]
    fn the_command_line_wins_over_the_file() {
        let config = Config::parse("[discover]\nheight = 3\nmethod = \"indesit\"\n[fetch]\ndelay = \"2s\"").unwrap();
        let args = MethodArgs { height: Some(7), ..MethodArgs::default() };
        let settings = config.settings(&args, None);
        assert_eq!((settings.height, settings.method), (7, Method::Indesit));
        assert_eq!(config.settings(&args, Some(Method::Ssup2014)).method, Method::Ssup2014);
        let source = config.source(&SourceArgs::default(), 0, Stop::default());
        assert_eq!(source.delay, Some(Duration::from_secs(2)));
    }

    #[test]
    fn wrong_keys_and_values_are_named() {
        for (text, named) in [
            ("[discover]\nheigth = 3", "did you mean `height`?"),
            ("[hiden]\nfewest = 3", "did you mean `hidden`?"),
            ("[extract]\nlearn-from = 30", "did you mean `learn_from`?"),
            ("[hidden]\nfewest = 0", "hidden.fewest"),
            ("[run]\nsites = 0", "run.sites"),
            ("[privacy]\nmask_contact = true", "did you mean `mask_contacts`?"),
            ("[check]\nrule = \"r.toml\"", "did you mean `rules`?"),
            ("[discover]\nheight = 0", "discover.height"),
            ("[discover]\nthreshold = 2.0", "discover.threshold"),
            ("[discover]\nmethod = \"magic\"", "magic"),
            ("[fetch]\ndelay = \"soon\"", "soon"),
        ] {
            let error = Config::parse(text).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
    }

    #[test]
    fn a_broken_file_is_refused_and_nothing_else() {
        let seeds = [EXAMPLE.as_bytes().to_vec(), all_keys().into_bytes()];
        pagekin_testkit::mutate::hold(&seeds, Duration::from_secs(2), |bytes| {
            let refused = Config::parse(&String::from_utf8_lossy(bytes)).err();
            assert_ne!(refused.as_deref(), Some(""), "what is refused has a reason");
        });
    }

    #[test]
    fn times_have_units() {
        assert_eq!(parse_duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(parse_duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(parse_duration("0"), Ok(Duration::ZERO));
        for wrong in ["5", "s", "-1s", "1w", "infs", "1e400s"] {
            assert!(parse_duration(wrong).is_err(), "{wrong}");
        }
    }
}
