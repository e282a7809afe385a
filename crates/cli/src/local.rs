//! What may runs use of this machine? Flags and the config file → [`Local`], and what others need who do the run.
//!
//! - [`LocalArgs`]: of those who do runs that others queued. - [`of_run`]: of who queues a run and does it. - [`told`]: what a queued run needs.

use crate::args::FetchArgs;
use crate::config::{Config, placed};
use crate::files::parse_service;
use crate::run::args::HowArgs;
use crate::talk::Talk;
use clap::Args;
use pagekin::run::local::{absolute, label, named_paths};
use pagekin::run::{Local, Planned, RunSpec};
use pagekin::{Stop, Url, keys};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;

/// What runs of the queue may use here.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "This machine")]
pub struct LocalArgs {
    /// An archive that runs name; may be repeated
    #[arg(long, value_name = "FILE")]
    pub archive: Vec<PathBuf>,
    /// Where the files are that an index names: a folder or an address [default: its folder]
    #[arg(long, value_name = "PLACE", requires = "archive")]
    pub archive_base: Option<String>,
    /// What runs check records against, by name or file; may be repeated
    #[arg(long, value_name = "FILE")]
    pub reference: Vec<String>,
    /// A report that runs name; may be repeated
    #[arg(long, value_name = "FILE")]
    pub report: Vec<PathBuf>,
    /// A time-stamp authority that runs name; may be repeated
    #[arg(long, value_name = "URL", value_parser = parse_service)]
    pub timestamp: Vec<Url>,
    /// The browser: Chromium or a relative, the program itself and no wrapper [default: where systems keep it]
    #[arg(long, value_name = "FILE")]
    pub render_program: Option<PathBuf>,
    /// Start the browser without its sandbox: as root, or where the system forbids it
    #[arg(long)]
    pub render_no_sandbox: bool,
    /// Ask HOST at this address instead of where its name leads, as HOST:PORT:ADDRESS; may be repeated
    #[arg(long, value_name = "HOST:PORT:ADDRESS", value_parser = crate::args_pages::resolve)]
    pub resolve: Vec<(String, SocketAddr)>,
}

impl LocalArgs {
    /// Over what the config file says.
    pub fn local(&self, config: &Config) -> Local {
        let said = FetchArgs {
            archive: self.archive.clone(),
            archive_base: self.archive_base.clone(),
            render_program: self.render_program.clone(),
            render_no_sandbox: self.render_no_sandbox,
            resolve: self.resolve.clone(),
            ..FetchArgs::default()
        };
        let mut local = config.local(&config.fetch(&said, 0, Stop::default()));
        local.references.extend(self.reference.iter().map(|place| (label(place), placed(place))));
        local.reports.extend(named_paths(&self.report));
        local.timestamps.extend(self.timestamp.iter().map(|url| (label(url.as_str()), url.clone())));
        local
    }
}

/// Of a run that is done by the command that queues it.
pub fn of_run(how: &HowArgs, config: &Config, fetch: &FetchArgs) -> Local {
    let mut local = config.local(&config.fetch(fetch, 0, Stop::default()));
    let typed = how.check.reference.iter().filter(|place| !config.references.contains_key(*place));
    local.references.extend(typed.map(|place| (label(place), placed(place))));
    local.reports.extend(named_paths(&how.check.report));
    local.timestamps.extend(how.kept.timestamp.iter().map(|url| (label(url.as_str()), url.clone())));
    local.key_file = local.key_file.as_deref().map(absolute);
    local
}

/// What whoever does the run needs, because the database does not hold it.
pub fn told(talk: &Talk, spec: &RunSpec, own: &Local, (planned, config): (&[Planned], &Config)) {
    let mut needs: Vec<String> = spec.archives.iter().map(|name| format!("`--archive` with `{name}`")).collect();
    if let Some(check) = &spec.check {
        needs.push(format!("`--reference` with `{}`, or its name under [references]", check.reference));
        needs.extend(check.reports.iter().map(|name| format!("`--report` with `{name}`, or its name under [reports]")));
    }
    needs.extend(spec.timestamp.iter().map(|name| format!("`--timestamp` with that of `{name}`")));
    needs.extend((!own.resolve.is_empty()).then(|| "`--resolve`".to_owned()));
    needs.extend(
        own.render_program.as_ref().map(|_| "`--render-program`, or `render_program` under [fetch]".to_owned()),
    );
    needs.extend(own.render_no_sandbox.then(|| "`--render-no-sandbox`".to_owned()));
    needs.extend((!spec.privacy.hash.is_empty()).then(|| "`key_file` under [privacy]".to_owned()));
    let guarded = planned.iter().flat_map(|one| &one.samples).filter(|sample| keys::of(sample).is_some());
    let hosts: BTreeSet<String> = guarded.map(place).filter(|host| !config.passwords.contains_key(host)).collect();
    needs.extend(hosts.iter().map(|host| format!("name and password of `{host}` under [passwords]")));
    if !needs.is_empty() {
        let needs = needs.join("\n  ");
        talk.say(format_args!("\nhint: the database does not hold it, so whoever does the run needs, in its config file or as flags:\n  {needs}"));
    }
}

/// As `[passwords]` names it.
fn place(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}
