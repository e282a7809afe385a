//! What tests of the store share: the same test on a SQLite file and on a real PostgreSQL.

use pagekin_store::Store;
use pagekin_testkit::postgres::Postgres;
use std::time::Duration;
use url::Url;

pub const LEASE: Duration = Duration::from_secs(60);

/// Runs a test on both, one after the other.
pub async fn on_both(test: impl AsyncFn(Store)) {
    let folder = tempfile::tempdir().unwrap();
    test(Store::open(&folder.path().join("p.db").to_string_lossy()).await.unwrap()).await;
    if let Some(postgres) = Postgres::or_skip() {
        test(Store::open(&postgres.url()).await.unwrap()).await;
    }
}

pub fn url(text: &str) -> Url {
    Url::parse("http://site.org/").unwrap().join(text).unwrap()
}
