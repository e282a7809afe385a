//! The whole job in a browser: a database, a folder for pages → web pages and an API, until told to stop.
//!
//! ```text
//! request ─► guard (host, origin, session, CSRF token) ─► a screen, or its twin under /api ─► store, pipeline
//!                                              worker: takes runs from the queue, tells what it does (progress)
//! ```
//!
//! - [`Settings`]: what is served. - [`App`]: what all requests share. - [`serve`]: answers until `stop` is ready.
//! - [`guard`]: who may ask. - [`secrets`]: what tells them apart. - [`remote`], [`login`]: other machines. - [`api`], [`api_site`]: JSON, described by OpenAPI.
//! - [`api_page`]: to try it.
//! - [`home`], [`runs`], [`data`], [`record`], [`tree`], [`begin`], [`changes`], [`watches`], [`health`], [`review`], [`site_map`], [`sql`]: the screens. - [`progress`]: what runs are doing.
//! - [`shown`]: a view of a data set in an address. - [`answer`]: how things go wrong.
//! - [`assets`]: style, scripts.
//!
//! No SQL and no HTTP client: everything is asked of `pagekin`. Nothing on a page comes from anywhere else.

mod answer;
mod api;
mod api_page;
mod api_site;
mod assets;
mod begin;
mod changes;
mod data;
mod guard;
mod health;
mod home;
mod login;
mod progress;
mod record;
pub mod remote;
mod review;
mod runs;
pub mod secrets;
mod shown;
mod site_map;
mod sql;
mod tree;
mod watches;

use crate::Error;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware;
use pagekin::privacy::Privacy;
use pagekin::run::{Local, Publish, Worker};
use pagekin::store::Store;
use pagekin::{SourceSettings, Stop};
use progress::Watching;
use remote::{Peer, Remote, TlsListener};
use secrets::Secrets;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::net::TcpListener;

/// What a form may hold: an address, a comment.
const LARGEST_BODY: usize = 64 * 1024;

/// After so long without a sign of life others take a run over.
const LEASE: Duration = Duration::from_secs(30);

/// Before a worker whose database failed tries again.
const PAUSE: Duration = Duration::from_secs(5);

pub struct Settings {
    pub store: Store,
    /// Where archives and logs of runs are written.
    pub pages: PathBuf,
    pub secrets: Secrets,
    /// How sites are asked.
    pub source: SourceSettings,
    /// Writes the reports that runs ask for.
    pub publish: Option<Publish>,
    pub stop: Stop,
    /// Sites at the same time.
    pub at_once: usize,
    /// How other machines reach it; none: they do not.
    pub remote: Option<Remote>,
    /// What runs may use of this machine, and whom watches may tell.
    pub local: Local,
    /// What of people is not kept, and what exports do not show.
    pub privacy: Privacy,
}

/// What all requests share.
pub struct App {
    pub store: Store,
    pub pages: PathBuf,
    pub secrets: Secrets,
    pub source: SourceSettings,
    pub watching: Watching,
    pub previews: Mutex<begin::Previews>,
    pub columns: data::KnownColumns,
    /// Names and ports that may stand in `Host`.
    pub hosts: Vec<String>,
    pub stop: Stop,
    pub maps: site_map::Maps,
    /// Of a server that other machines reach.
    pub password: Option<String>,
    pub behind_proxy: bool,
    pub logins: login::Logins,
    pub privacy: Privacy,
    pub local: Local,
}

pub type Shared = Arc<App>;

/// Answers until `settings.stop` is set.
pub async fn serve(listener: TcpListener, mut settings: Settings) -> Result<(), Error> {
    let address = listener.local_addr().map_err(|cause| Error::Serve { address: "?".to_owned(), cause })?;
    let (stop, publish, at_once) = (settings.stop.clone(), settings.publish.take(), settings.at_once);
    let remote = settings.remote.take();
    let app = Arc::new(app(settings, remote.as_ref(), address.port()));
    let (here, own, own_publish) = (tokio::runtime::Handle::current(), app.clone(), publish.clone());
    let worker = tokio::task::spawn_blocking(move || here.block_on(work(own, own_publish, at_once)));
    let watching = tokio::spawn(watches::run_due(app.clone(), at_once, publish));
    let make = router(app).into_make_service_with_connect_info::<Peer>();
    let served = tokio::select! {
        served = async {
            match remote.and_then(|remote| remote.tls) {
                Some(files) => axum::serve(TlsListener::start(listener, &files)?, make).await,
                None => axum::serve(listener, make).await,
            }
            .map_err(|cause| Error::Serve { address: address.to_string(), cause })
        } => served,
        () = stop.stopped() => Ok(()),
    };
    // Runs under way are put back into the queue before the process ends.
    stop.stop();
    let _ = worker.await;
    let _ = watching.await;
    served
}

fn app(settings: Settings, remote: Option<&Remote>, port: u16) -> App {
    let names = ["127.0.0.1", "localhost", "[::1]"].iter().map(|name| format!("{name}:{port}"));
    let hosts = match remote {
        // Browsers leave out the port that the scheme has anyway, and a proxy may have another one.
        Some(remote) => remote
            .names
            .iter()
            .flat_map(|name| [name.clone(), format!("{name}:443"), format!("{name}:{port}")])
            .collect(),
        None => names.collect(),
    };
    let key_file = settings.privacy.key_file.clone();
    App {
        watching: Watching::new(settings.pages.join("logs")),
        store: settings.store,
        pages: settings.pages,
        secrets: settings.secrets,
        source: settings.source,
        previews: Mutex::default(),
        columns: data::KnownColumns::default(),
        hosts,
        stop: settings.stop,
        maps: site_map::Maps::default(),
        password: remote.map(|remote| remote.password.clone()),
        behind_proxy: remote.is_some_and(|remote| remote.tls.is_none()),
        logins: login::Logins::default(),
        privacy: settings.privacy,
        local: Local { key_file: settings.local.key_file.or(key_file), ..settings.local },
    }
}

fn router(app: Shared) -> Router {
    let guarded = Router::new()
        .merge(home::routes())
        .merge(runs::routes())
        .merge(data::routes())
        .merge(record::routes())
        .merge(tree::routes())
        .merge(begin::routes())
        .merge(changes::routes())
        .merge(review::routes())
        .merge(site_map::routes())
        .merge(health::routes())
        .merge(watches::routes())
        .merge(sql::routes())
        .merge(api::routes())
        .fallback(answer::nothing_here)
        .layer(DefaultBodyLimit::max(LARGEST_BODY))
        .layer(middleware::from_fn_with_state(app.clone(), guard::session));
    Router::new()
        .merge(assets::routes())
        .merge(login::routes())
        .merge(guarded)
        .layer(middleware::from_fn_with_state(app.clone(), guard::place))
        .layer(middleware::map_response(guard::headers))
        .with_state(app)
}

/// Works off the queue as long as the server lives.
async fn work(app: Shared, publish: Option<Publish>, at_once: usize) {
    let (store, pages) = (app.store.clone(), app.pages.clone());
    let (stop, local) = (app.stop.clone(), app.local.clone());
    let worker = Worker { store, pages, at_once, lease: LEASE, stop, publish, local };
    while !app.stop.is_stopped() {
        let hear = |run: &pagekin::store::Run, event| app.watching.hear(run, event);
        if let Err(error) = worker.work(None, true, &hear).await {
            tracing::error!("the queue is not worked off: {error}");
            tokio::time::sleep(PAUSE).await;
        }
    }
}
