//! `pagekin classify`: a model, pages → their classes. `discover --class` reads its samples here too.

use crate::config::Config;
use crate::exit::Exit;
use crate::model_args::ClassifyArgs;
use crate::output::Row;
use crate::talk::Talk;
use crate::{files, progress};
use anyhow::{Context, Result};
use pagekin::model::{Classified, SiteModel};
use pagekin::page::Limits;
use pagekin::{Error, Source, Stop, Url, modelled, site};
use std::collections::HashMap;
use std::path::Path;

pub async fn run(args: &ClassifyArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let target = args.output.target()?;
    let made = read(&args.model)?;
    let mut urls = args.pages.clone();
    let spelled = args.urls.as_deref().map(files::read_spelled).transpose()?.unwrap_or_default();
    urls.extend(spelled.iter().map(|(_, url)| url.clone()));
    let source = Source::open(&config.source(&args.source, 0, stop), &urls)?;
    let mut classes = match args.all {
        true => tokio::task::block_in_place(|| modelled::classify_all_job(&source, &made, Limits::default()))?,
        false => {
            let job = modelled::classify_job(&source, &made, &urls, Limits::default());
            progress::beside(&source, talk, job).await?
        }
    };
    let spelling: HashMap<&str, &str> = spelled.iter().map(|(text, url)| (url.as_str(), text.as_str())).collect();
    for page in &mut classes.pages {
        if let Some(&text) = spelling.get(page.url.as_str()).filter(|text| !names_a_user(text)) {
            page.url = text.to_owned();
        }
    }
    target.write(&classes.pages)?;
    args.output.keep(&classes.stats)?;
    let unknown = classes.pages.len() - classes.stats.found;
    talk.say(format_args!("{} pages, {unknown} of no class of the model", classes.pages.len()));
    for skipped in classes.skipped.iter().take(10) {
        talk.say(format_args!("not looked at: `{}`: {}", skipped.url, skipped.reason));
    }
    Ok(match classes.stats.stopped {
        Some(site::Stop::Interrupted) => Exit::Interrupted,
        _ if !classes.skipped.is_empty() => Exit::Findings,
        _ => Exit::Done,
    })
}

pub fn read(path: &Path) -> Result<SiteModel> {
    modelled::parse(&files::read(path)?).with_context(|| format!("cannot use the model `{}`", path.display()))
}

fn names_a_user(address: &str) -> bool {
    Url::parse(address).is_ok_and(|url| !url.username().is_empty() || url.password().is_some())
}

/// Pages of a class that were looked at, to find the others by.
pub fn samples(path: &Path, class: u32) -> Result<Vec<Url>> {
    let made = read(path)?;
    let class = made.class(class).map_err(Error::from)?;
    Ok(class.samples.iter().filter_map(|sample| Url::parse(sample).ok()).take(SAMPLES).collect())
}

/// Samples of a class given to discovery: enough to show what varies.
const SAMPLES: usize = 3;

impl Row for Classified {
    const HEADER: &'static [&'static str] = &["url", "class", "cost"];

    fn cells(&self) -> Vec<String> {
        let class = self.class.map_or(String::new(), |class| class.to_string());
        vec![self.url.clone(), class, self.cost.to_string()]
    }

    fn shown(&self) -> Vec<String> {
        let class = self.class.map_or("unknown".to_owned(), |class| class.to_string());
        vec![self.url.clone(), class, format!("{:.2}", self.cost)]
    }

    fn parquet(rows: &[Self]) -> Result<Vec<u8>, Error> {
        pagekin::export::parquet_of_classified(rows)
    }
}
