//! Do findings keep their history, and are foreign tables read, on both databases alike?

use jiff::{Timestamp, ToSpan};
use pagekin_core::check::{Finding, Severity};
use pagekin_store::findings::{CheckedRecord, Part, Unchecked, unchecked};
use pagekin_store::foreign::{Table, cell};
use pagekin_store::{NewRun, RecordRow, Run, Store};
use pagekin_testkit::postgres::Postgres;
use std::collections::BTreeMap;
use std::time::Duration;
use url::Url;

const WAIT: Duration = Duration::from_secs(5);

async fn on_both(test: impl AsyncFn(Store, String)) {
    let folder = tempfile::tempdir().unwrap();
    let path = format!("sqlite:{}", folder.path().join("p.db").display());
    test(Store::open(&path).await.unwrap(), path).await;
    if let Some(postgres) = Postgres::or_skip() {
        test(Store::open(&postgres.url()).await.unwrap(), postgres.url()).await;
    }
}

fn url(path: &str) -> Url {
    Url::parse("http://site.org/").unwrap().join(path).unwrap()
}

fn row(path: &str, code: &str) -> RecordRow {
    let attributes = BTreeMap::from([("code".to_owned(), vec![code.to_owned()])]);
    RecordRow { url: url(path), nth: 0, attributes, evidence: serde_json::json!({}), confidence: 0.9 }
}

async fn run(store: &Store) -> Run {
    let new = NewRun {
        site: "site.org".to_owned(),
        url: url("/"),
        samples: vec![url("/1")],
        settings: serde_json::json!({}),
        batch: None,
        private: false,
    };
    store.enqueue(&new).await.unwrap();
    store.claim("me", Duration::from_secs(60), None, 1).await.unwrap().remove(0)
}

async fn waiting(store: &Store, against: &str) -> Vec<Unchecked> {
    let rows = store.unchecked_records(against, Part::All).await.unwrap().all().await.unwrap();
    rows.iter().map(|row| unchecked(row).unwrap()).collect()
}

/// Finds fault with every code that begins with an X.
fn judged(records: Vec<Unchecked>) -> Vec<CheckedRecord> {
    let finding = |record: &Unchecked| Finding {
        url: record.record.url.clone(),
        rule: "R1".to_owned(),
        conclusion: "Unapproved".to_owned(),
        severity: Severity::High,
        lower: Some(0.9),
        upper: None,
        because: "so \0 it is".to_owned(),
        evidence: Vec::new(),
        nearest: Vec::new(),
    };
    let judge = |record: Unchecked| {
        let wrong = record.record.attributes["code"][0].starts_with('X');
        CheckedRecord { findings: if wrong { vec![finding(&record)] } else { Vec::new() }, unchecked: record }
    };
    records.into_iter().map(judge).collect()
}

async fn check(store: &Store, against: &str, at: Timestamp) -> usize {
    let records = waiting(store, against).await;
    let count = records.len();
    store.put_checked(None, (against, at), &judged(records)).await.unwrap();
    store.settle_findings(None, at).await.unwrap();
    count
}

#[tokio::test]
async fn findings_have_a_history_and_only_what_changed_is_checked() {
    on_both(async |store, _| {
        let run = run(&store).await;
        let class = store.new_class(run.site_id, "offer", &run.samples).await.unwrap().id;
        store.put_records(&run, class, &[row("/1", "X1"), row("/2", "X2"), row("/3", "H3")]).await.unwrap();
        let day = |days: i64| Timestamp::from_second(1_790_000_000).unwrap() + (days * 24).hours();
        assert_eq!(check(&store, "a", day(0)).await, 3);
        assert_eq!(check(&store, "a", day(1)).await, 0, "nothing has changed");
        store.put_records(&run, class, &[row("/1", "H1")]).await.unwrap();
        assert_eq!(check(&store, "a", day(8)).await, 1, "one has");
        let rows = store.findings(None).await.unwrap();
        let days: Vec<(&str, bool)> = rows.iter().map(|row| (row.finding.url.path(), row.gone.is_some())).collect();
        assert_eq!(days, [("/1", true), ("/2", false)]);
        assert_ne!(rows[1].first_seen, rows[1].last_seen);
        assert_eq!((rows[1].finding.lower, rows[1].finding.upper), (Some(0.9), None));
        assert_eq!(check(&store, "b", day(9)).await, 3, "against other rules all are");
        assert_eq!(store.findings(Some("other.org")).await.unwrap().len(), 0);
        assert_eq!(store.sightings(None).await.unwrap().all().await.unwrap().len(), 3);
    })
    .await;
}

#[tokio::test]
async fn tables_of_other_databases_are_read() {
    on_both(async |store, place| {
        let run = run(&store).await;
        let class = store.new_class(run.site_id, "offer", &run.samples).await.unwrap().id;
        store.put_records(&run, class, &[row("/1", "X1")]).await.unwrap();
        let address =
            if place.contains('?') { format!("{place}&table=records") } else { format!("{place}?table=records") };
        let table = Table::parse(&address).unwrap().unwrap();
        let rows = table.rows(WAIT).await.unwrap();
        let at = rows.columns.iter().position(|name| name == "url").unwrap();
        let rows = rows.all().await.unwrap();
        assert_eq!(rows.iter().map(|row| cell(row, at)).collect::<Vec<_>>(), ["http://site.org/1"]);
        let missing = Table { table: "no\"such".to_owned(), ..table };
        assert!(missing.rows(WAIT).await.is_err());
    })
    .await;
}
