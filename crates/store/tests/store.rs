//! Does everything stored come back, on both databases alike? The same tests on a SQLite file and on a real PostgreSQL.

mod support;

use jiff::Timestamp;
use pagekin_core::pages::{Reason, Skipped};
use pagekin_store::watches::NewWatch;
use pagekin_store::{EntityRow, Error, NewRun, PageRow, RecordRow, Run, State, Store, TemplateRow, Value};
use pagekin_testkit::postgres::Postgres;
use std::collections::BTreeMap;
use std::time::Duration;
use support::{LEASE, on_both, url};
use url::Url;

fn new_run(sample: &str) -> NewRun {
    let sample = Url::parse(sample).unwrap();
    NewRun {
        site: sample.host_str().unwrap().to_owned(),
        url: sample.join("/").unwrap(),
        samples: vec![sample],
        settings: serde_json::json!({"seed": 0}),
        batch: None,
        private: false,
    }
}

async fn claimed(store: &Store, sample: &str) -> Run {
    let id = store.enqueue(&new_run(sample)).await.unwrap();
    let runs = store.claim("me", LEASE, None, 10).await.unwrap();
    runs.into_iter().find(|run| run.id == id).expect("it is free")
}

fn record(path: &str, name: &str) -> RecordRow {
    RecordRow {
        url: url(path),
        nth: 0,
        attributes: BTreeMap::from([
            ("name".to_owned(), vec![name.to_owned()]),
            ("team".to_owned(), vec!["A".to_owned()]),
        ]),
        evidence: serde_json::json!({"name": {"path": "html/body/h1"}}),
        confidence: 0.9,
    }
}

#[tokio::test]
async fn runs_are_taken_once_and_taken_over_when_their_lease_ends() {
    on_both(async |store| {
        let id = store.enqueue(&new_run("http://a.org/1")).await.unwrap();
        assert_eq!(store.enqueue(&new_run("http://a.org/1")).await.unwrap(), id, "the same is not queued twice");
        let second = store.enqueue(&new_run("http://a.org/2")).await.unwrap();
        store.enqueue(&new_run("http://b.org/1")).await.unwrap();

        let taken = store.claim("one", LEASE, None, 10).await.unwrap();
        assert_eq!(taken.iter().map(|run| run.site.as_str()).collect::<Vec<_>>(), ["a.org", "b.org"], "one a site");
        assert_eq!((taken[0].id, taken[0].attempt), (id, 1));
        assert_eq!(store.claim("two", LEASE, None, 10).await.unwrap(), []);

        // As if it had run out; a short one could do so while this machine is busy.
        assert_eq!(store.release("one").await.unwrap(), 2);
        let over = store.claim("two", LEASE, None, 1).await.unwrap();
        assert_eq!((over[0].id, over[0].attempt), (id, 2));
        let late = store.renew(&taken[0], LEASE).await;
        assert!(matches!(late, Err(Error::TakenOver { run }) if run == id), "{late:?}");
        assert!(store.finish(&taken[0], State::Done, None, None).await.is_err());

        store.reached(&over[0], "discovered").await.unwrap();
        store.finish(&over[0], State::Failed, None, Some("no")).await.unwrap();
        let next = store.claim("two", LEASE, None, 1).await.unwrap();
        assert_eq!(next[0].id, second, "what was never begun goes before what somebody did not end");
        assert_eq!(store.claim("two", LEASE, None, 9).await.unwrap()[0].id, taken[1].id);
        assert_eq!(store.enqueue(&new_run("http://a.org/1")).await.unwrap(), id, "a failed run is tried again");
        assert_eq!(store.owners().await.unwrap(), ["two"]);
        assert_eq!(store.release("two").await.unwrap(), 2);
        let again = store.claim("three", LEASE, None, 10).await.unwrap();
        assert!(again.iter().all(|run| run.id != id), "its site is busy");
        for run in &again {
            store.finish(run, State::Done, Some(&serde_json::json!({"found": 1})), None).await.unwrap();
        }
        let again = store.claim("three", LEASE, None, 10).await.unwrap();
        assert_eq!((again[0].id, again[0].stage.as_str()), (id, "discovered"), "it goes on where it was");
    })
    .await;
}

#[tokio::test]
async fn a_batch_is_left_to_those_who_queued_it() {
    on_both(async |store| {
        let of = |sample: &str, batch: &str| NewRun { batch: Some(batch.to_owned()), ..new_run(sample) };
        store.enqueue(&of("http://a.org/1", "x")).await.unwrap();
        store.enqueue(&of("http://b.org/1", "y")).await.unwrap();
        let own = store.claim("me", LEASE, Some("y"), 10).await.unwrap();
        assert_eq!(own.len(), 1);
        assert_eq!(own[0].site, "b.org");
        assert_eq!(store.unfinished(Some("y")).await.unwrap(), (0, 1, 0));
        assert_eq!(store.unfinished(None).await.unwrap(), (1, 1, 0));
        assert_eq!(store.take_up("z").await.unwrap(), 2);
        assert_eq!(store.claim("me", LEASE, Some("z"), 10).await.unwrap()[0].site, "a.org");
    })
    .await;
}

#[tokio::test]
async fn records_keep_what_they_were() {
    on_both(async |store| {
        let first = claimed(&store, "http://site.org/1").await;
        let class = store.new_class(first.site_id, "drivers", &first.samples).await.unwrap();
        store.put_records(&first, class.id, &[record("/1", "Ann"), record("/2", "Bob")]).await.unwrap();
        store.put_records(&first, class.id, &[record("/1", "Ann")]).await.unwrap();
        assert_eq!(store.read_by(&first, class.id).await.unwrap(), ["http://site.org/1", "http://site.org/2"]);
        assert_eq!(store.count_changes(class.id, first.id).await.unwrap(), (2, 0, 0));
        store.finish(&first, State::Done, None, None).await.unwrap();

        let second = claimed(&store, "http://site.org/1").await;
        assert_ne!(second.id, first.id);
        for _ in 0..2 {
            // As after a crash in the middle: nothing is counted twice.
            store.put_records(&second, class.id, &[record("/1", "Anna"), record("/3", "Cy")]).await.unwrap();
            store.put_gone(&second, class.id, &[url("/2")]).await.unwrap();
        }
        assert_eq!(store.count_changes(class.id, second.id).await.unwrap(), (1, 1, 1));
        let changes = store.changes(class.id, second.id, 100).await.unwrap();
        let told: Vec<(&str, &str)> = changes.iter().map(|one| (one.url.path(), one.change.name())).collect();
        assert_eq!(told, [("/1", "changed"), ("/2", "gone"), ("/3", "new")]);
        let only_name = |name: &str| BTreeMap::from([("name".to_owned(), vec![name.to_owned()])]);
        assert_eq!((changes[0].before.clone(), changes[0].after.clone()), (only_name("Ann"), only_name("Anna")));
        assert_eq!(store.count_records(class.id).await.unwrap(), 2);

        let rows = store.query("SELECT url, attribute, value FROM record_values ORDER BY 1, 2, 3").await.unwrap();
        assert_eq!(rows.columns, ["url", "attribute", "value"]);
        let rows = rows.all().await.unwrap();
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[0].0, ["http://site.org/1", "name", "Anna"].map(Value::from));
        let sum = store.query("SELECT SUM(nth) AS s, AVG(confidence) FROM records").await.unwrap().all().await.unwrap();
        assert_eq!(sum[0].int(0), 0);
        assert!((sum[0].real(1) - 0.9).abs() < 1e-9);
    })
    .await;
}

#[tokio::test]
async fn everything_a_run_finds_comes_back() {
    on_both(async |store| {
        let run = claimed(&store, "http://site.org/1").await;
        let class = store.new_class(run.site_id, "drivers", &run.samples).await.unwrap();
        assert_eq!(store.new_class(run.site_id, "drivers", &run.samples).await.unwrap(), class);
        let other = store.new_class(run.site_id, "drivers", &[url("/other")]).await.unwrap();
        assert_eq!(other.name, "drivers-2");

        // Longer than an index of PostgreSQL takes, and with a NUL, which it cannot keep.
        let long = format!("/{}", "x".repeat(8000));
        let entity = |path: &str, unlinked| EntityRow {
            url: url(path),
            confidence: 0.75,
            via: Some(url("/list")),
            evidence: "says\0so".to_owned(),
            unlinked,
        };
        store.put_entities(&run, class.id, &[entity(&long, false), entity("/2", true)]).await.unwrap();
        store.put_entities(&run, class.id, &[entity("/2", true)]).await.unwrap();
        let back = store.entities(class.id).await.unwrap();
        assert_eq!(back.len(), 2);
        assert_eq!(back[0], EntityRow { evidence: "says\u{fffd}so".to_owned(), ..entity("/2", true) });
        assert_eq!(store.class_of(run.site_id, &[url("/2")]).await.unwrap(), Some(class.clone()));
        assert_eq!(store.class_of(run.site_id, &[url("/unknown")]).await.unwrap(), None);

        let page = |path: &str, position| PageRow {
            url: url(path).to_string(),
            status: 200,
            hash: "sha1:A".to_owned(),
            content_type: None,
            bytes: 7,
            address: Some("127.0.0.1".to_owned()),
            fetched_at: Timestamp::now(),
            archive: "a.warc.gz".to_owned(),
            position,
        };
        store.put_pages(&run, &[page("/1", 5), page(&long, 6), page("/1", 9)]).await.unwrap();
        let places = store.places(run.site_id, &[url("/1"), url("/never")]).await.unwrap();
        assert_eq!(places, [(url("/1"), "a.warc.gz".to_owned(), 9)]);

        let template = TemplateRow {
            template: "http://site.org/{N}".to_owned(),
            known: 3,
            tried: 9,
            found: 1,
            ended: "done".to_owned(),
        };
        store.put_templates(&run, class.id, &[template.clone(), template]).await.unwrap();
        store.put_skipped(&run, &[Skipped::new(&url("/x"), Reason::Robots, "by the rule")]).await.unwrap();
        assert_eq!(store.wrapper(class.id).await.unwrap(), None);
        store.put_wrapper(&run, class.id, "[]", Some(&serde_json::json!([1]))).await.unwrap();
        assert_eq!(store.wrapper(class.id).await.unwrap(), Some(("[]".to_owned(), run.id)));
        store.set_learned(&run, class.id, "{}").await.unwrap();
        assert_eq!(store.class(class.id).await.unwrap().unwrap().learned.as_deref(), Some("{}"));
        let rows = store.query("SELECT reason FROM skipped").await.unwrap().all().await.unwrap();
        assert_eq!(rows[0].text(0), "robots");
    })
    .await;
}

#[tokio::test]
async fn turns_are_apart_and_locks_are_held() {
    on_both(async |store| {
        // So long that a busy machine changes nothing; nobody waits for it.
        let gap = Duration::from_secs(400);
        assert_eq!(store.turn("h", gap).await.unwrap(), Duration::ZERO);
        let (second, third) = (store.turn("h", gap).await.unwrap(), store.turn("h", gap).await.unwrap());
        assert!(second > gap / 2 && second <= gap, "{second:?}");
        assert!(third > gap + gap / 2 && third <= gap * 2, "{third:?}");
        assert_eq!(store.turn("other", gap).await.unwrap(), Duration::ZERO);

        assert_eq!(store.lock("watch", "one", LEASE).await.unwrap(), None);
        assert_eq!(store.lock("watch", "one", LEASE).await.unwrap(), None, "it may keep it");
        assert_eq!(store.lock("watch", "two", LEASE).await.unwrap(), Some("one".to_owned()));
        assert_eq!(store.lock("watch", "one", Duration::from_millis(1)).await.unwrap(), None, "for a moment");
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert_eq!(store.lock("watch", "two", LEASE).await.unwrap(), None);
        store.unlock("watch", "two").await.unwrap();
        assert_eq!(store.lock("watch", "one", LEASE).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn watches_come_due() {
    on_both(async |store| {
        let new = NewWatch {
            site: "site.org".to_owned(),
            url: url("/"),
            samples: vec![url("/1")],
            settings: serde_json::json!({}),
            private: false,
            every: Duration::from_secs(3600),
            webhook: Some("http://127.0.0.1/hook".to_owned()),
            command: None,
        };
        let id = store.watch(&new).await.unwrap();
        assert_eq!(store.watch(&NewWatch { every: Duration::from_secs(60), ..new.clone() }).await.unwrap(), id);
        let due = store.watches(true).await.unwrap();
        assert_eq!((due.len(), due[0].every), (1, Duration::from_secs(60)));
        let run = claimed(&store, "http://site.org/1").await;
        store.watched(id, run.id).await.unwrap();
        assert!(store.watches(true).await.unwrap().is_empty());
        assert_eq!(store.watches(false).await.unwrap()[0].last_run, Some(run.id));
        assert!(store.unwatch(id).await.unwrap());
        assert!(!store.unwatch(id).await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn queries_only_read() {
    on_both(async |store| {
        claimed(&store, "http://site.org/1").await;
        for wrong in ["DELETE FROM runs", "UPDATE runs SET state = 'done'", "DROP TABLE runs"] {
            let refused = match store.query(wrong).await {
                Err(error) => error,
                Ok(rows) => rows.all().await.expect_err("it changes something"),
            };
            assert!(matches!(refused, Error::ReadOnly), "{wrong}: {refused:?}");
        }
        assert!(matches!(store.query("SELECT nothing FROM nowhere").await, Err(Error::Query(_))));
        assert!(store.query("SELECT 1; DELETE FROM runs").await.is_err() || store.owners().await.unwrap().len() == 1);
        assert_eq!(store.query("SELECT COUNT(*) FROM runs").await.unwrap().all().await.unwrap()[0].int(0), 1);
    })
    .await;
}

#[tokio::test]
async fn an_opened_database_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.db");
    for _ in 0..2 {
        let store = Store::open(&format!("sqlite:{}", path.display())).await.unwrap();
        store.enqueue(&new_run("http://a.org/1")).await.unwrap();
    }
    std::fs::write(folder.path().join("no.db"), "this is no database, but it is long enough to look like one").unwrap();
    for (wrong, said) in [("no.db", "not a database"), ("", "folder"), ("x/y.db", "make its folder")] {
        let error = Store::open(&folder.path().join(wrong).to_string_lossy()).await.err().unwrap().to_string();
        assert!(error.contains(said) && error.contains("\n\nhint: "), "{error}");
    }
    let error = Store::open("postgres://user:secret@127.0.0.1:1/x").await.err().unwrap().to_string();
    assert!(error.contains("127.0.0.1:1") && !error.contains("secret"), "{error}");
}

#[tokio::test]
async fn a_postgres_that_restarts_is_waited_for() {
    let Some(mut postgres) = Postgres::or_skip() else { return };
    let store = Store::open(&postgres.url()).await.unwrap();
    store.enqueue(&new_run("http://a.org/1")).await.unwrap();
    postgres.stop();
    let waiting = tokio::spawn(async move { store.enqueue(&new_run("http://b.org/1")).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert!(!waiting.is_finished());
    postgres.launch().unwrap();
    assert_eq!(waiting.await.unwrap().unwrap(), 2);
    let impatient = Store::with_patience(&postgres.url(), Duration::from_millis(100)).await.unwrap();
    postgres.stop();
    assert!(impatient.enqueue(&new_run("http://c.org/1")).await.is_err());
}
