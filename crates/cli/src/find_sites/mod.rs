//! `pagekin find-sites`: queries → sites whose pages are data-intensive. [`args`]: what was typed.

pub mod args;

use crate::args::MethodArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::extract::read_domain;
use crate::files;
use crate::output::Row;
use crate::run::args::DbArgs;
use crate::run::opened;
use crate::talk::Talk;
use anyhow::{Result, bail};
use args::FindSitesArgs;
use pagekin::find_sites::{Engine, FoundSite, Search, find_sites};
use pagekin::run::{RunSpec, plan};
use pagekin::watch::new_watch;
use pagekin::{Error, Source, Stop, Url, export};

pub async fn run(args: &FindSitesArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let target = args.show.target()?;
    let queries = queries(args)?;
    let engine = Engine::parse(&files::read(&args.engine)?, &|name| std::env::var(name).ok())?;
    let domain = read_domain(&args.domain)?;
    let source = Source::open(&config.source(&args.source, 0, stop.clone()), &[])?;
    let search = Search { engine: &engine, queries: &queries, domain: &domain };
    let (sites, looked_at) = find_sites(&search, &source).await?;
    target.write(&sites)?;
    if args.db.is_some() {
        watch(args, config, &sites).await?;
        talk.say(format_args!("{} sites are watched; `pagekin watch run` runs them", sites.len()));
    }
    talk.say(format_args!("{} of {looked_at} sites have data-intensive pages", sites.len()));
    Ok(if stop.is_stopped() { Exit::Interrupted } else { Exit::Done })
}

/// The page that was data-intensive is the sample, and the domain file says what is read.
async fn watch(args: &FindSitesArgs, config: &Config, sites: &[FoundSite]) -> Result<()> {
    let settings = config.settings(&MethodArgs::default(), None);
    let source = config.source(&args.source, 0, Stop::default());
    let spec = RunSpec { domain: Some(files::read(&args.domain)?), ..RunSpec::of(&settings, &source) };
    let samples: Vec<Url> = sites.iter().map(|site| site.url.clone()).collect();
    let store = opened(&DbArgs { db: args.db.clone() }, true).await?;
    for planned in plan(&samples, false) {
        store.watch(&new_watch(&planned, &spec, args.every, None, None)?).await?;
    }
    Ok(())
}

fn queries(args: &FindSitesArgs) -> Result<Vec<String>> {
    let text = files::read(&args.queries)?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let queries: Vec<String> = lines.map(str::to_owned).collect();
    if queries.is_empty() {
        bail!("`{}` holds no query\n\nhint: one query a line", args.queries.display());
    }
    Ok(queries)
}

impl Row for FoundSite {
    const HEADER: &'static [&'static str] = &["host", "url", "query", "attributes"];

    fn cells(&self) -> Vec<String> {
        vec![self.host.clone(), self.url.to_string(), self.query.clone(), self.attributes.join("; ")]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        let cells: Vec<Vec<String>> = rows.iter().map(Row::cells).collect();
        export::parquet_of_words(Self::HEADER, &cells)
    }
}
