//! Where do the pages of a run come from, and where are they kept? A run → its source; what was fetched → rows.
//!
//! Every try of a run writes an archive of its own, so that one that was thought dead cannot spoil the next one's; what
//! earlier tries kept is not asked for again. On a refresh the answers of the run before are what requests are conditional on.
//!
//! - [`RunPages`]: the source, and what was written since it was last asked. - [`Keeper`]: writes pages and remembers where.

use super::local::absolute;
use crate::origin::Origin;
use crate::resume::Resumed;
use crate::source::SourceSettings;
use crate::{Error, Source};
use pagekin_fetch::{Archive, Drawn, Exchange, Known, Live, Ready, Recorder, Stop, Turns, WarcWriter};
use pagekin_store::{PageRow, RenderingRow, Run, Store};
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use url::Url;

pub struct RunPages {
    pub source: Source,
    keeper: Option<Arc<Keeper>>,
}

pub struct Keeper {
    writer: WarcWriter,
    archive: String,
    rows: Mutex<Vec<PageRow>>,
    drawn: Mutex<Vec<RenderingRow>>,
}

/// The pace of hosts, kept in the database for all workers. While the database does not answer, each worker keeps the pace by itself.
struct SharedPace(Store);

impl Turns for SharedPace {
    fn turn<'t>(&'t self, host: &'t str, gap: Duration) -> Ready<'t> {
        Box::pin(async move {
            match self.0.turn(host, gap).await {
                Ok(wait) => tokio::time::sleep(wait).await,
                Err(error) => {
                    tracing::warn!("the pace of `{host}` is kept by this process alone: {error}");
                }
            }
        })
    }
}

impl Recorder for Keeper {
    fn record(&self, exchange: &Exchange, revisit: bool) -> io::Result<()> {
        let written = self.writer.write(exchange, revisit)?;
        let row = row(exchange, &self.archive, written.position, written.digest);
        self.rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        Ok(())
    }

    fn record_drawn(&self, exchange: &Exchange, drawn: &Drawn) -> io::Result<()> {
        let written = self.writer.write_drawn(exchange, drawn)?;
        self.drawn.lock().unwrap_or_else(PoisonError::into_inner).push(RenderingRow {
            url: exchange.url.to_string(),
            engine: drawn.engine.clone(),
            reason: drawn.reason.clone(),
            rendered_at: drawn.at,
            hash: written.digest,
            bytes: drawn.html.len(),
            archive: self.archive.clone(),
            position: written.position,
        });
        Ok(())
    }
}

fn row(exchange: &Exchange, archive: &str, position: u64, hash: String) -> PageRow {
    PageRow {
        url: exchange.url.to_string(),
        status: exchange.status,
        hash,
        content_type: exchange.header("content-type").map(str::to_owned),
        bytes: exchange.body.len(),
        address: exchange.address.map(|address| address.to_string()),
        fetched_at: exchange.at,
        archive: archive.to_owned(),
        position,
    }
}

/// The folder of a site's archives.
fn folder(pages: &Path, site: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '-') { c } else { '_' };
    let name: String = site.chars().map(plain).collect();
    // `..` is a name of a host, too.
    pages.join(if name.starts_with('.') || name.is_empty() { format!("_{}", name.replace('.', "_")) } else { name })
}

fn file(pages: &Path, run: &Run, attempt: i64) -> PathBuf {
    folder(pages, &run.site).join(format!("run-{:06}-{attempt:03}.warc.gz", run.id))
}

/// The archives that the tries of a run left, the first one first.
pub fn archives(pages: &Path, site: &str, run: i64, attempts: i64) -> Vec<PathBuf> {
    let of = |attempt: i64| folder(pages, site).join(format!("run-{run:06}-{attempt:03}.warc.gz"));
    (1..=attempts).map(of).filter(|path| path.is_file()).collect()
}

impl RunPages {
    /// Does it keep what it fetches in archives of its own?
    pub fn keeps(&self) -> bool {
        self.keeper.is_some()
    }

    /// `known`: pages of which the answers before are asked for again on condition that they changed.
    pub async fn open(
        store: &Store,
        pages: &Path,
        run: &Run,
        settings: &SourceSettings,
        known: &[Url],
    ) -> Result<Self, Error> {
        if !settings.archives.is_empty() {
            return Ok(Self { source: Source::open(settings, &run.samples)?.observing(), keeper: None });
        }
        let pages = &absolute(pages);
        let own = file(pages, run, run.attempt);
        let place = folder(pages, &run.site);
        std::fs::create_dir_all(&place).map_err(|error| Error::Pages { path: place, source: error })?;
        let earlier: Vec<PathBuf> =
            (1..run.attempt).map(|attempt| file(pages, run, attempt)).filter(|path| path.is_file()).collect();
        let before = kept_before(store, pages, run, known).await?;
        let keeper = Arc::new(Keeper {
            writer: WarcWriter::create(&own).map_err(pagekin_fetch::Error::from)?,
            archive: own.to_string_lossy().into_owned(),
            rows: Mutex::default(),
            drawn: Mutex::default(),
        });
        let mut live = settings.live(&run.samples, None)?;
        live.recorder = Some(keeper.clone() as Arc<dyn Recorder>);
        live.turns = Some(Arc::new(SharedPace(store.clone())) as Arc<dyn Turns>);
        live.known = before.map(|archive| Arc::new(archive) as Arc<dyn Known>);
        let origin = if earlier.is_empty() {
            Origin::Live(Box::new(Live::new(live)?))
        } else {
            let kept = settings.opened(&earlier)?;
            recover(store, run, &kept).await?;
            Origin::Resumed(Box::new(Resumed::new(kept, Live::new(live)?, settings.stop.clone())))
        };
        let source = Source::around(origin, settings, &run.samples)?;
        Ok(Self { source, keeper: Some(keeper) })
    }

    /// Removes what the run kept of the site. Archives that somebody gave it are his.
    pub async fn dropped(&self, store: &Store, pages: &Path, run: &Run) -> Result<(), Error> {
        if self.keeper.is_none() {
            return Ok(());
        }
        store.drop_pages(run).await?;
        for archive in (1..=run.attempt).map(|attempt| file(pages, run, attempt)) {
            for path in [archive.clone(), archive.with_added_extension("cdxj")] {
                match std::fs::remove_file(&path) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => {
                        return Err(Error::Dropped { path, source: error });
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Stores where the pages written since the last time are.
    pub async fn flush(&self, store: &Store, run: &Run) -> Result<(), Error> {
        let rows = match &self.keeper {
            Some(keeper) => std::mem::take(&mut *keeper.rows.lock().unwrap_or_else(PoisonError::into_inner)),
            None => self.source.observed(),
        };
        store.put_pages(run, &rows).await?;
        let drawn = self
            .keeper
            .as_ref()
            .map(|keeper| std::mem::take(&mut *keeper.drawn.lock().unwrap_or_else(PoisonError::into_inner)));
        Ok(store.put_renderings(run, &drawn.unwrap_or_default()).await?)
    }
}

/// The answers that earlier runs got for these pages, as far as their archives are still there. Those in the folder for pages only: a
/// database names no other file.
async fn kept_before(store: &Store, pages: &Path, run: &Run, known: &[Url]) -> Result<Option<Archive>, Error> {
    let mut archives: Vec<PathBuf> =
        store.places(run.site_id, known).await?.into_iter().map(|(_, archive, _)| PathBuf::from(archive)).collect();
    archives.sort();
    archives.dedup();
    archives.retain(|path| is_within(pages, path) && path.is_file());
    if archives.is_empty() { Ok(None) } else { Ok(Some(Archive::open_with_index(&archives)?)) }
}

fn is_within(pages: &Path, path: &Path) -> bool {
    path.starts_with(absolute(pages)) && !path.components().any(|part| part == Component::ParentDir)
}

/// A killed run may have written pages whose rows it could not store any more.
async fn recover(store: &Store, run: &Run, kept: &Archive) -> Result<(), Error> {
    let urls: Vec<Url> = kept.listed().filter_map(|listed| Url::parse(listed.url).ok()).collect();
    let stored = store.places(run.site_id, &urls).await?;
    let stored: std::collections::HashSet<(String, u64)> =
        stored.into_iter().map(|(_, archive, position)| (archive, position)).collect();
    let missing = kept.listed().filter_map(|listed| {
        let archive = listed.path.to_string_lossy().into_owned();
        let missing = !stored.contains(&(archive.clone(), listed.position));
        let exchange = missing.then(|| kept.read(&listed)).flatten()?;
        Some(row(&exchange, &archive, listed.position, listed.digest.clone()))
    });
    Ok(store.put_pages(run, &missing.collect::<Vec<_>>()).await?)
}

/// A flag of its own for each run, set with the common one: what breaks one run must not stop the others.
pub fn own_stop(common: &Stop) -> (Stop, tokio::task::JoinHandle<()>) {
    let (own, common) = (Stop::default(), common.clone());
    let forwarded = own.clone();
    let task = tokio::spawn(async move {
        common.stopped().await;
        forwarded.stop();
    });
    (own, task)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_site_is_kept_outside_of_the_folder() {
        let of = |site: &str| folder(Path::new("/pages"), site).to_string_lossy().into_owned();
        assert_eq!(of("example.org:81"), "/pages/example.org_81");
        for site in ["..", ".", "...", "../..", "/etc", ""] {
            assert!(of(site).starts_with("/pages/") && !of(site).contains("/.."), "{site}: {}", of(site));
        }
    }
}
