//! Can what a site holds, or a run that kills whoever works on it, harm the others? On both databases alike.

mod support;

use jiff::Timestamp;
use pagekin_core::pages::{Reason, Skipped};
use pagekin_store::kept::{IndexRow, TemplateRow};
use pagekin_store::{Absence, EntityRow, Error, NewRun, PageRow, RecordRow, Run, State, Store};
use pagekin_testkit::postgres::Postgres;
use std::collections::BTreeMap;
use std::time::Duration;
use support::{LEASE, on_both, url};
use url::Url;

async fn queued(store: &Store, sample: &str) -> i64 {
    let sample = Url::parse(sample).unwrap();
    let (site, url) = (sample.host_str().unwrap().to_owned(), sample.join("/").unwrap());
    let settings = serde_json::json!({});
    store.enqueue(&NewRun { site, url, samples: vec![sample], settings, batch: None, private: false }).await.unwrap()
}

async fn claimed(store: &Store, sample: &str) -> Run {
    queued(store, sample).await;
    store.claim("me", LEASE, None, 1).await.unwrap().remove(0)
}

fn record(path: &str, confidence: f64) -> RecordRow {
    let attributes = BTreeMap::from([("name".to_owned(), vec!["Ann".to_owned()])]);
    RecordRow { url: url(path), nth: 0, attributes, evidence: serde_json::json!({}), confidence }
}

async fn one(store: &Store, sql: &str) -> String {
    let rows = store.query(sql).await.unwrap().all().await.unwrap();
    rows.first().map_or_else(String::new, |row| row.get(0).shown().to_string())
}

#[tokio::test]
async fn values_are_made_to_fit_their_columns() {
    on_both(async |store| {
        let run = claimed(&store, "http://site.org/1").await;
        let page = PageRow {
            url: url("/1").to_string(),
            status: 200,
            hash: "h".to_owned(),
            content_type: None,
            bytes: 1,
            address: None,
            fetched_at: "-005000-01-01T00:00:00Z".parse::<Timestamp>().unwrap(),
            archive: "a.warc.gz".to_owned(),
            position: 0,
        };
        store.put_pages(&run, &[page]).await.unwrap();
        assert!(one(&store, "SELECT fetched_at FROM pages").await.contains("0001-01-01T00:00:00"));
        // Hardly to be packed: what an index holds is counted after packing.
        let name: String =
            (0..9000u32).map(|n| char::from(b'a' + (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 26)).collect();
        let class = store.new_class(run.site_id, &name, &run.samples).await.unwrap();
        assert!(class.name.len() <= 200 && name.starts_with(&class.name[..100]), "{}", class.name);
        let other = store.new_class(run.site_id, &(name + "x"), &[url("/2")]).await.unwrap();
        assert_ne!(class.name, other.name);
    })
    .await;
}

#[tokio::test]
async fn a_row_that_the_database_does_not_take_is_skipped_with_its_reason() {
    on_both(async |store| {
        let run = claimed(&store, "http://site.org/1").await;
        let class = store.new_class(run.site_id, "drivers", &run.samples).await.unwrap();
        // To SQLite what is no number is nothing, and to PostgreSQL a number.
        let rows = [record("/1", 0.9), record("/2", f64::NAN), record("/3", 0.9)];
        if store.place().starts_with("postgres") {
            store.put_records(&run, class.id, &[record("/1", 0.9), record("/3", 0.9)]).await.unwrap();
            store.put_records(&run, class.id + 1, &rows[1..2]).await.unwrap();
        } else {
            store.put_records(&run, class.id, &rows).await.unwrap();
        }
        assert_eq!(one(&store, "SELECT COUNT(*) FROM records").await, "2");
        assert_eq!(one(&store, "SELECT url || ' ' || reason FROM skipped").await, "\"http://site.org/2 not-stored\"");
    })
    .await;
}

#[tokio::test]
async fn a_run_that_nobody_survives_is_given_up_after_three_tries() {
    on_both(async |store| {
        let poisoned = queued(&store, "http://poison.org/1").await;
        for attempt in 1..=3 {
            let own = format!("worker {attempt}");
            assert_eq!(store.claim(&own, LEASE, None, 9).await.unwrap()[0].id, poisoned);
            assert_eq!(store.claim(&own, LEASE, None, 9).await.unwrap(), [], "nobody takes over from himself");
            store.release(&own).await.unwrap();
            assert_eq!(store.claim(&own, LEASE, None, 9).await.unwrap(), [], "nor when he was slow");
        }
        let honest = queued(&store, "http://honest.org/1").await;
        let next = store.claim("worker 4", LEASE, None, 9).await.unwrap();
        assert_eq!(next.iter().map(|run| run.id).collect::<Vec<_>>(), [honest]);
        let error = one(&store, "SELECT error FROM runs WHERE state = 'failed'").await;
        assert!(error.contains("begun 3 times") && error.contains("worker 3") && error.contains("hint: "), "{error}");
        assert_eq!(queued(&store, "http://poison.org/1").await, poisoned, "whoever asks for it again gets it");
        assert_eq!(store.claim("worker 5", LEASE, None, 9).await.unwrap()[0].attempt, 4);
    })
    .await;
}

#[tokio::test]
async fn a_run_that_gets_further_is_not_given_up() {
    on_both(async |store| {
        queued(&store, "http://large.org/1").await;
        for (attempt, stage) in ["discovering", "discovered", "sought", "sought", "sought"].iter().enumerate() {
            let taken = store.claim(&format!("worker {attempt}"), LEASE, None, 9).await.unwrap();
            store.reached(&taken[0], stage).await.unwrap();
            store.release(&format!("worker {attempt}")).await.unwrap();
        }
        assert_eq!(store.claim("last", LEASE, None, 9).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_a_worker_writes_after_it_lost_its_run_is_refused() {
    on_both(async |store| {
        let old = claimed(&store, "http://site.org/1").await;
        let class = store.new_class(old.site_id, "drivers", &old.samples).await.unwrap();
        store.release("me").await.unwrap();
        let new = store.claim("another", LEASE, None, 1).await.unwrap().remove(0);
        assert_eq!((new.id, new.attempt), (old.id, 2));
        let entity = EntityRow { url: url("/1"), confidence: 1.0, via: None, evidence: String::new(), unlinked: false };
        let page = PageRow {
            url: url("/1").to_string(),
            status: 200,
            hash: "h".to_owned(),
            content_type: None,
            bytes: 1,
            address: None,
            fetched_at: Timestamp::now(),
            archive: "a.warc.gz".to_owned(),
            position: 0,
        };
        let index = IndexRow { url: url("/"), level: 0, parent: None, evidence: String::new() };
        let template = TemplateRow { template: "/{N}".to_owned(), known: 3, tried: 0, found: 0, ended: String::new() };
        let skipped = Skipped::new(&url("/2"), Reason::Network, "");
        let refused = [
            store.put_checked(Some(&old), ("a", Timestamp::now()), &[]).await,
            store.settle_findings(Some(&old), Timestamp::now()).await,
            store.class_of_run(&old, "drivers").await.map(drop),
            store.put_pages(&old, &[page]).await,
            store.put_indexes(&old, class.id, &[index]).await,
            store.put_templates(&old, class.id, &[template]).await,
            store.put_skipped(&old, &[skipped]).await,
            store.hold(&old, class.id, &serde_json::json!({})).await,
            store.drop_pages(&old).await,
            store.put_records(&old, class.id, &[record("/1", 0.9)]).await,
            store.put_entities(&old, class.id, &[entity]).await,
            store.put_absent(&old, class.id, &[url("/1")], Absence::Missing).await,
            store.put_wrapper(&old, class.id, "[]", None).await,
            store.set_learned(&old, class.id, "{}").await,
            store.reached(&old, "done").await,
            store.finish(&old, State::Done, None, None).await,
        ];
        assert!(refused.iter().all(|done| matches!(done, Err(Error::TakenOver { .. }))), "{refused:?}");
        assert_eq!(one(&store, "SELECT COUNT(*) FROM records").await, "0");
        store.put_records(&new, class.id, &[record("/1", 0.9)]).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_site_with_many_runs_does_not_keep_the_others_waiting() {
    on_both(async |store| {
        for number in 1..=5 {
            queued(&store, &format!("http://busy.org/{number}")).await;
        }
        let quiet = queued(&store, "http://quiet.org/1").await;
        let first = store.claim("me", LEASE, None, 1).await.unwrap().remove(0);
        assert_eq!(first.site, "busy.org");
        store.finish(&first, State::Done, None, None).await.unwrap();
        assert_eq!(store.claim("me", LEASE, None, 1).await.unwrap()[0].id, quiet);
    })
    .await;
}

#[tokio::test]
async fn that_a_site_may_be_private_is_kept_with_it() {
    on_both(async |store| {
        let new = |path: &str, private| NewRun {
            site: "intranet".to_owned(),
            url: Url::parse("http://intranet/").unwrap(),
            samples: vec![Url::parse(&format!("http://intranet/{path}")).unwrap()],
            settings: serde_json::json!({}),
            batch: None,
            private,
        };
        for (path, private, expected) in [("1", false, false), ("2", true, true), ("3", false, true)] {
            store.enqueue(&new(path, private)).await.unwrap();
            let run = store.claim("me", LEASE, None, 1).await.unwrap().remove(0);
            assert_eq!(run.private, expected, "{path}");
            store.finish(&run, State::Done, None, None).await.unwrap();
        }
    })
    .await;
}

#[tokio::test]
async fn the_way_to_postgres_is_encrypted_and_its_certificate_looked_at() {
    let Some(mut postgres) = Postgres::or_skip() else { return };
    let plain = postgres.url();
    assert!(Store::open(&format!("{plain}?sslmode=require")).await.is_err(), "the server offers none");
    let authority = match postgres.encrypt() {
        Ok(authority) => authority.display().to_string(),
        Err(why) => return eprintln!("SKIPPED: no certificate can be made: {why}"),
    };
    let encrypted = "SELECT CAST(ssl AS TEXT) FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
    let is_encrypted = async |store: Store| store.one(encrypted, Vec::new()).await.unwrap().rows[0].text(0);
    for (mode, expected) in [("disable", "false"), ("prefer", "true"), ("require", "true")] {
        let store = Store::open(&format!("{plain}?sslmode={mode}")).await.unwrap();
        assert_eq!(is_encrypted(store).await, expected, "{mode}");
    }
    let named = plain.replace("127.0.0.1", "localhost");
    let whole = |place: &str, more: &str| format!("{place}?sslmode=verify-full{more}");
    let known = format!("&sslrootcert={authority}");
    let store = Store::open(&whole(&named, &known)).await.unwrap();
    assert_eq!(is_encrypted(store).await, "true");
    for wrong in [whole(&named, ""), whole(&plain, &known), whole(&named, "&sslrootcert=/no/such.pem")] {
        assert!(matches!(Store::open(&wrong).await, Err(Error::Open { .. })), "{wrong}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_who_begin_together_both_get_the_new_file() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..12 {
        let path = folder.path().join(format!("{number}.db")).to_string_lossy().into_owned();
        let opened = (0..4).map(|_| {
            let path = path.clone();
            tokio::spawn(async move { Store::open(&path).await.map(drop).map_err(|error| error.to_string()) })
        });
        for one in opened.collect::<Vec<_>>() {
            assert_eq!(one.await.unwrap(), Ok(()));
        }
    }
}

#[tokio::test]
async fn a_password_is_not_shown_however_the_scheme_is_written() {
    assert!(pagekin_store::is_postgres("Postgres://u:secret@h/d") && pagekin_store::is_postgres("POSTGRESQL://h/d"));
    let error = Store::open("Postgres://ann:secret@127.0.0.1:1/d").await.err().unwrap().to_string();
    assert!(!error.contains("secret") && error.contains("127.0.0.1"), "{error}");
}

/// What a query of a superuser may do it may do however the query is started: by a role that it takes off again, too.
#[tokio::test]
async fn a_superuser_of_postgres_asks_nothing() {
    let Some(postgres) = Postgres::or_skip() else { return };
    let store = Store::open(&postgres.superuser_url()).await.unwrap();
    let lifted = "SELECT set_config('role', 'none', true), \
        query_to_xml('SELECT pg_read_file(''PG_VERSION'')', true, false, '')";
    for sql in [lifted, "SELECT 1", "COPY sites TO PROGRAM 'true'"] {
        let refused = match store.query(sql).await {
            Err(error) => error.to_string(),
            Ok(rows) => format!("answered: {:?}", rows.all().await),
        };
        assert!(refused.contains("superuser") && refused.contains("pg_read_all_data"), "{sql}: {refused}");
        let refused = store.query_within(sql, 1, Duration::from_secs(9)).await;
        assert!(refused.is_err_and(|error| error.to_string().contains("superuser")), "{sql}");
    }
    assert!(store.watches(false).await.is_ok(), "what is no query of the user's is answered");
}

/// The hint of the refusal works; and a role that can become a superuser is none that only reads.
#[tokio::test]
async fn a_role_that_only_reads_is_answered() {
    let Some(postgres) = Postgres::or_skip() else { return };
    let store = Store::open(&postgres.superuser_url()).await.unwrap();
    drop(store);
    let roles = "CREATE ROLE reader LOGIN PASSWORD 'x' IN ROLE pg_read_all_data;\n\
        CREATE ROLE climber LOGIN PASSWORD 'x' NOINHERIT IN ROLE pagekin;\n\
        CREATE ROLE runner LOGIN PASSWORD 'x' IN ROLE pg_read_all_data, pg_execute_server_program;\n";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), roles).unwrap();
    postgres.load(&postgres.superuser_url(), file.path());
    let url = |role: &str| postgres.superuser_url().replace("pagekin@", &format!("{role}:x@"));
    let reader = Store::open_to_read(&url("reader")).await.unwrap();
    assert_eq!(one(&reader, "SELECT COUNT(*) FROM sites").await, "0");
    for sql in ["SELECT pg_read_file('PG_VERSION')", "DELETE FROM sites", "COPY sites TO PROGRAM 'true'"] {
        let refused = match reader.query(sql).await {
            Err(_) => true,
            Ok(rows) => rows.all().await.is_err(),
        };
        assert!(refused, "{sql}");
    }
    for role in ["climber", "runner"] {
        let refused = Store::open_to_read(&url(role)).await.unwrap().query("SELECT 1").await.err();
        assert!(refused.is_some_and(|error| error.to_string().contains("hint: ")), "{role}");
    }
}
