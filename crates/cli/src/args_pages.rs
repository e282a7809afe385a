//! Where do pages come from, and how politely? Flags of all commands that read pages, and the section `[fetch]` of the config file, in one place.
//!
//! - [`FetchArgs`]: what both may say, and the settings it makes. - [`SourceArgs`]: the same, and what is kept of the pages.

use crate::args::{positive, variant_parser};
use crate::config::{duration, parse_duration};
use clap::Args;
use clap::builder::TypedValueParser;
use pagekin::render::Mode;
use pagekin::{Ceilings, RenderSettings, SourceSettings, Stop};
use serde::Deserialize;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use strum::VariantNames;

/// Where pages come from, and what is kept of them.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Pages")]
pub struct SourceArgs {
    #[command(flatten)]
    pub fetch: FetchArgs,
    /// Keep what was fetched: .warc, .warc.gz or .warc.zst
    #[arg(long, value_name = "FILE", conflicts_with = "archive")]
    pub save_archive: Option<PathBuf>,
    /// Go on with an interrupted run: what `--save-archive` has kept is not asked for again
    #[arg(long, requires = "save_archive")]
    pub resume: bool,
    /// What an earlier run kept: pages that have not changed are not sent again
    #[arg(long, value_name = "ARCHIVE", conflicts_with = "archive")]
    pub since: Option<PathBuf>,
}

/// Where pages come from: flags of commands, and the section `[fetch]` of the config file.
#[derive(Debug, Args, Default, Deserialize)]
#[command(next_help_heading = "Pages")]
#[serde(default, deny_unknown_fields)]
pub struct FetchArgs {
    /// Answer pages from this WARC file instead of the network; may be repeated. A `.parquet` file is an index of records in other files
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    pub archive: Vec<PathBuf>,
    /// Where the files are that an index names: a folder, or an address such as https://data.commoncrawl.org/ [default: its folder]
    #[arg(long, value_name = "PLACE", requires = "archive")]
    pub archive_base: Option<String>,
    /// Least time between requests to a host, such as 500ms, 2s or 0 [default: 1s, longer if the host is slow; 0 on this machine]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(deserialize_with = "duration")]
    pub delay: Option<Duration>,
    /// Requests under way at one host [default: 4]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub concurrency: Option<usize>,
    /// Longest time for one request [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(deserialize_with = "duration")]
    pub timeout: Option<Duration>,
    /// Largest page, in bytes [default: 16777216]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_bytes: Option<usize>,
    /// As whom to ask [default: pagekin and its version]
    #[arg(long, value_name = "NAME")]
    pub user_agent: Option<String>,
    /// Names may lead to private, loopback and link-local addresses
    #[arg(long)]
    pub allow_private: bool,
    /// Follow links of pages that ask that they are not followed (robots meta, X-Robots-Tag)
    #[arg(long)]
    pub ignore_nofollow: bool,
    /// Requests that the run may send to a site in all, of any kind [default: 500000]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_requests: Option<usize>,
    /// Longest time that the run may ask a site [default: 24h]
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    #[serde(deserialize_with = "duration")]
    pub max_time: Option<Duration>,
    /// Bytes that the run may load of a site in all [default: 34359738368]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_traffic: Option<usize>,
    /// Bytes that the run may write to disk for a site, before packing [default: 137438953472]
    #[arg(long, value_name = "N", value_parser = positive)]
    pub max_disk: Option<usize>,
    /// When a browser opens pages, so that their scripts run: for classes of pages that show more in it, never, or always [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = render_parser())]
    pub render: Option<Mode>,
    /// The browser: Chromium or a relative, the program itself and no wrapper [default: where systems keep it]
    #[arg(long, value_name = "FILE")]
    pub render_program: Option<PathBuf>,
    /// Start the browser without its sandbox: as root, or where the system forbids it
    #[arg(long)]
    pub render_no_sandbox: bool,
    /// Ask HOST at this address instead of where its name leads, as HOST:PORT:ADDRESS; may be repeated
    #[arg(long, value_name = "HOST:PORT:ADDRESS", value_parser = resolve)]
    #[serde(skip)]
    pub resolve: Vec<(String, SocketAddr)>,
}

impl FetchArgs {
    /// What is said here, else what is said there; lists and archives are those of here.
    pub fn or(&self, other: &Self) -> Self {
        Self {
            archive: self.archive.clone(),
            archive_base: self.archive_base.clone().or_else(|| other.archive_base.clone()),
            delay: self.delay.or(other.delay),
            concurrency: self.concurrency.or(other.concurrency),
            timeout: self.timeout.or(other.timeout),
            max_bytes: self.max_bytes.or(other.max_bytes),
            user_agent: self.user_agent.clone().or_else(|| other.user_agent.clone()),
            allow_private: self.allow_private || other.allow_private,
            ignore_nofollow: self.ignore_nofollow || other.ignore_nofollow,
            max_requests: self.max_requests.or(other.max_requests),
            max_time: self.max_time.or(other.max_time),
            max_traffic: self.max_traffic.or(other.max_traffic),
            max_disk: self.max_disk.or(other.max_disk),
            render: self.render.or(other.render),
            render_program: self.render_program.clone().or_else(|| other.render_program.clone()),
            render_no_sandbox: self.render_no_sandbox || other.render_no_sandbox,
            resolve: self.resolve.clone(),
        }
    }

    fn ceilings(&self) -> Ceilings {
        let built_in = Ceilings::default();
        let number = |said: Option<usize>, usual: u64| said.map_or(usual, |number| number as u64);
        Ceilings {
            requests: number(self.max_requests, built_in.requests),
            bytes: number(self.max_traffic, built_in.bytes),
            time: self.max_time.unwrap_or(built_in.time),
            disk: number(self.max_disk, built_in.disk),
        }
    }

    /// What is not said is built in.
    pub fn settings(self, seed: u64, stop: Stop) -> SourceSettings {
        let built_in = SourceSettings::default();
        SourceSettings {
            ceilings: self.ceilings(),
            archives: self.archive,
            archive_base: self.archive_base.filter(|base| !base.is_empty()),
            delay: self.delay.or(built_in.delay),
            concurrency: self.concurrency.unwrap_or(built_in.concurrency),
            timeout: self.timeout.unwrap_or(built_in.timeout),
            max_bytes: self.max_bytes.unwrap_or(built_in.max_bytes),
            user_agent: self.user_agent.unwrap_or(built_in.user_agent),
            allow_private: self.allow_private,
            ignore_nofollow: self.ignore_nofollow,
            render: RenderSettings {
                mode: self.render.unwrap_or(built_in.render.mode),
                program: self.render_program.or(built_in.render.program),
                no_sandbox: self.render_no_sandbox,
            },
            resolve: self.resolve,
            seed,
            stop,
            ..built_in
        }
    }
}

fn render_parser() -> impl TypedValueParser<Value = Mode> {
    variant_parser(Mode::VARIANTS)
}

/// As curl's: the address may carry a port of its own, else it is asked at PORT.
pub fn resolve(text: &str) -> Result<(String, SocketAddr), String> {
    let wrong = || "it is not HOST:PORT:ADDRESS\n\nhint: such as example.org:80:127.0.0.1".to_owned();
    let (host, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (port, address) = rest.split_once(':').ok_or_else(wrong)?;
    let port: u16 = port.parse().map_err(|_| wrong())?;
    let bare = address.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    let address = bare.map(|ip| SocketAddr::new(ip, port)).or_else(|_| address.parse()).map_err(|_| wrong())?;
    Ok((host.to_ascii_lowercase(), address))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolve_takes_addresses_with_and_without_port() {
        assert_eq!(resolve("A.org:80:127.0.0.1"), Ok(("a.org".to_owned(), "127.0.0.1:80".parse().unwrap())));
        assert_eq!(resolve("a.org:80:127.0.0.1:8123"), Ok(("a.org".to_owned(), "127.0.0.1:8123".parse().unwrap())));
        assert_eq!(resolve("a.org:443:[::1]"), Ok(("a.org".to_owned(), "[::1]:443".parse().unwrap())));
        assert!(resolve("a.org:127.0.0.1").is_err());
    }
}
