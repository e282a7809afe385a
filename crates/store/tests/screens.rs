//! Do people see what is stored, page by page, on both databases alike? Views, facets, runs that are stopped and resumed, decisions, audit.

mod support;

use jiff::Timestamp;
use pagekin_core::check::{Finding, Severity};
use pagekin_store::findings::{CheckedRecord, Part, unchecked};
use pagekin_store::reviews::Key;
use pagekin_store::run_list::RunFilter;
use pagekin_store::screen::{Order, View};
use pagekin_store::{Absence, Error, NewRun, RecordRow, Run, State, Store};
use serde_json::json;
use std::collections::BTreeMap;
use std::time::Duration;
use support::{LEASE, on_both, url};
use url::Url;

async fn run(store: &Store) -> Run {
    let new = NewRun {
        site: "site.org".to_owned(),
        url: url("/"),
        samples: vec![url("/1")],
        settings: json!({}),
        batch: None,
        private: false,
    };
    store.enqueue(&new).await.unwrap();
    store.claim("me", LEASE, None, 1).await.unwrap().remove(0)
}

/// Thing `n`: its group is one of three, its size is written so that texts sort otherwise than numbers.
fn thing(n: usize) -> RecordRow {
    let attributes = BTreeMap::from([
        ("group:\"it's\"".to_owned(), vec![format!("g%{}", n % 3), "all".to_owned()]),
        ("size".to_owned(), vec![format!("{} kg", n * 7 % 50)]),
        ("rows.name".to_owned(), vec!["a".to_owned(), "b".to_owned()]),
    ]);
    let evidence = json!({"size": {"type": {"kind": "number", "normal": format!("{} kg", n * 7 % 50)}}});
    let path = if n == 7 { format!("/{}", "x".repeat(3000)) } else { format!("/{n:04}") };
    RecordRow { url: url(&path), nth: 0, attributes, evidence, confidence: 0.9 }
}

/// A class with fifty things.
async fn filled(store: &Store) -> (Run, i64) {
    let run = run(store).await;
    let class = store.new_class(run.site_id, "things", &run.samples).await.unwrap();
    store.set_class(&run, class.id).await.unwrap();
    store.put_records(&run, class.id, &(0..50).map(thing).collect::<Vec<_>>()).await.unwrap();
    (run, class.id)
}

/// All sizes of a view, a page of seven after the other.
async fn sizes(store: &Store, mut view: View) -> Vec<i64> {
    let mut all = Vec::new();
    loop {
        let page = store.view(&view).await.unwrap();
        let size = |values: &Vec<String>| values[0].trim_end_matches(" kg").parse::<i64>().unwrap();
        all.extend(page.iter().map(|record| size(&record.attributes["size"])));
        view.after = page.last().and_then(|record| record.cursor.clone());
        if page.len() < view.limit {
            return all;
        }
    }
}

#[tokio::test]
async fn a_view_is_seen_whole_in_every_order() {
    on_both(async |store| {
        let (_, class) = filled(&store).await;
        let view = |order: Order| View { class, limit: 7, order, ..View::default() };
        let by =
            |attribute: &str, number, descending| Order { attribute: Some(attribute.to_owned()), number, descending };
        let mut plain = sizes(&store, view(Order::default())).await;
        assert_eq!((plain.len(), plain[1]), (50, 7), "in the order of addresses");
        let up = sizes(&store, view(by("size", true, false))).await;
        assert!(up.is_sorted() && up.len() == 50, "{up:?}");
        let down = sizes(&store, view(by("size", true, true))).await;
        assert!(down.iter().rev().is_sorted() && down.len() == 50, "{down:?}");
        let text: Vec<String> =
            sizes(&store, view(by("size", false, false))).await.iter().map(|n| format!("{n} kg")).collect();
        assert!(text.is_sorted() && text.len() == 50, "{text:?}");
        for order in [by("group:\"it's\"", false, true), by("no such", false, false), by("no such", true, true)] {
            let mut all = sizes(&store, view(order)).await;
            all.sort_unstable();
            plain.sort_unstable();
            assert_eq!(all, plain);
        }
    })
    .await;
}

#[tokio::test]
async fn an_index_for_an_order_changes_nothing_but_the_time() {
    on_both(async |store| {
        let (run, class) = filled(&store).await;
        let orders: Vec<Order> =
            [("size", true, false), ("size", true, true), ("size", false, true), ("no \\ such", false, false)]
                .into_iter()
                .map(|(name, number, descending)| Order { attribute: Some(name.to_owned()), number, descending })
                .collect();
        let view = |order: &Order| View { class, limit: 7, order: order.clone(), bare: true, ..View::default() };
        for order in &orders {
            let before = sizes(&store, view(order)).await;
            store.index_order(class, order).await.unwrap();
            store.index_order(class, order).await.unwrap();
            assert_eq!(sizes(&store, view(order)).await, before, "{order:?}");
        }
        store.put_records(&run, class, &(50..60).map(thing).collect::<Vec<_>>()).await.unwrap();
        let more = sizes(&store, view(&orders[0])).await;
        assert!(more.is_sorted() && more.len() == 60, "records written later are in it: {more:?}");
    })
    .await;
}

#[tokio::test]
async fn a_query_of_the_user_reads_this_database_for_a_limited_time() {
    on_both(async |store| {
        let (_, class) = filled(&store).await;
        let within = Duration::from_secs(10);
        let sql = "SELECT url, nth FROM records ORDER BY url;";
        let (names, rows) = store.query_within(sql, 20, within).await.unwrap();
        assert_eq!((names, rows.len()), (vec!["url".to_owned(), "nth".to_owned()], 20));
        for sql in ["DELETE FROM records", "ATTACH 'other.db' AS other", "SELECT 1; DELETE FROM records", "nonsense"] {
            assert!(store.query_within(sql, 20, within).await.is_err(), "{sql}");
        }
        let endless = "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n) SELECT COUNT(*) FROM n";
        let error = store.query_within(endless, 20, Duration::from_millis(300)).await.unwrap_err();
        assert!(matches!(error, Error::TooLong { .. }), "{error}");
        assert_eq!(store.count_records(class).await.unwrap(), 50);
    })
    .await;
}

#[tokio::test]
async fn what_changed_since_a_run_is_told_against_what_held_then() {
    on_both(async |store| {
        let (first, class) = filled(&store).await;
        store.finish(&first, State::Done, Some(&json!({})), None).await.unwrap();
        for size in ["1 t", "2 t"] {
            let own = run(&store).await;
            let mut other = thing(3);
            other.attributes.insert("size".to_owned(), vec![size.to_owned()]);
            store.put_records(&own, class, &[other, thing(77)]).await.unwrap();
            store.put_absent(&own, class, &[thing(4).url], Absence::Unlinked).await.unwrap();
            store.finish(&own, State::Done, Some(&json!({})), None).await.unwrap();
        }
        let changes = store.changes_since(class, first.id, 10).await.unwrap();
        let told: Vec<(&str, &str)> = changes.iter().map(|own| (own.change.name(), own.url.path())).collect();
        assert_eq!(told, [("changed", "/0003"), ("unlinked", "/0004"), ("new", "/0077")]);
        assert_eq!(
            (&changes[0].before["size"][0], &changes[0].after["size"][0]),
            (&"21 kg".to_owned(), &"2 t".to_owned())
        );
        assert_eq!(store.changes_since(class, first.id, 1).await.unwrap().len(), 1);
        assert_eq!(store.changes_since(class, first.id + 2, 10).await.unwrap().len(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_view_is_filtered_by_words_and_facets() {
    on_both(async |store| {
        let (_, class) = filled(&store).await;
        let mut view = View { class, limit: 100, ..View::default() };
        let name = "group:\"it's\"";
        let facets = store.facet(&view, name, 2, 1000).await.unwrap();
        assert_eq!(
            facets.iter().map(|own| (own.value.as_str(), own.records)).collect::<Vec<_>>(),
            [("g%0", 17), ("g%1", 17)]
        );
        view.facets.insert(name.to_owned(), "g%1".to_owned());
        assert_eq!(store.view(&view).await.unwrap().len(), 17);
        view.facets.insert(name.to_owned(), "all".to_owned());
        assert_eq!(store.count_view(&view, 1000).await.unwrap(), 50, "any of the values");
        view.text = Some("G%1  KG".to_owned());
        assert_eq!(store.view(&view).await.unwrap().len(), 17, "words in any case, with signs that patterns have");
        view.text = Some("g_1".to_owned());
        assert_eq!(store.view(&view).await.unwrap().len(), 0);
        let named = [(name, false), ("rows.name", false), ("size", true)].map(|(name, own)| (name.to_owned(), own));
        assert_eq!(store.class_attributes(class, 500).await.unwrap(), BTreeMap::from(named));
        assert!(store.class_attributes(class + 1, 500).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn runs_are_listed_stopped_and_resumed() {
    on_both(async |store| {
        let (own, class) = filled(&store).await;
        let all = RunFilter { limit: 10, ..RunFilter::default() };
        let listed = store.run_list(&all).await.unwrap();
        assert_eq!(
            (listed[0].id, listed[0].state.name(), listed[0].class.as_deref()),
            (own.id, "running", Some("things"))
        );
        let progress = store.progress(own.id).await.unwrap();
        assert_eq!((progress.read, progress.pages), (50, 0));
        assert!(store.stop_run(own.id).await.unwrap() && !store.stop_run(own.id).await.unwrap());
        assert!(store.put_records(&own, class, &[thing(1)]).await.is_err(), "who worked on it cannot write any more");
        assert!(store.claim("you", LEASE, None, 1).await.unwrap().is_empty());
        let stopped = RunFilter { state: Some(State::Stopped), search: Some("SITE.o".to_owned()), ..all.clone() };
        assert_eq!(store.run_list(&stopped).await.unwrap().len(), 1);
        let failed = RunFilter { state: Some(State::Failed), ..all.clone() };
        assert_eq!(store.run_list(&failed).await.unwrap().len(), 0, "who stops a run has not failed");
        assert!(store.resume_run(own.id).await.unwrap() && !store.resume_run(own.id).await.unwrap());
        let again = store.claim("you", LEASE, None, 1).await.unwrap().remove(0);
        assert_eq!((again.id, again.attempt), (own.id, 2));
        store.finish(&again, State::Done, Some(&json!({"records": 50})), None).await.unwrap();
        assert!(!store.resume_run(own.id).await.unwrap() && !store.stop_run(own.id).await.unwrap());
        let classes = store.class_list(None).await.unwrap();
        assert_eq!((classes[0].records, classes[0].last_run), (Some(50), Some(own.id)));
        assert_eq!(store.run_list(&RunFilter { before: Some(own.id), ..all }).await.unwrap().len(), 0);
        assert!(store.run_line(own.id + 1).await.unwrap().is_none());
    })
    .await;
}

fn finding(url: &Url) -> Finding {
    Finding {
        url: url.clone(),
        rule: "R1".to_owned(),
        conclusion: "Wrong".to_owned(),
        severity: Severity::High,
        lower: Some(0.9),
        upper: Some(1.0),
        because: "so it is".to_owned(),
        evidence: Vec::new(),
        nearest: Vec::new(),
    }
}

#[tokio::test]
async fn decisions_are_kept_and_say_how_good_a_rule_is() {
    on_both(async |store| {
        let (_, class) = filled(&store).await;
        let rows = store.unchecked_records("a", Part::All).await.unwrap().all().await.unwrap();
        let checked: Vec<CheckedRecord> = rows
            .iter()
            .take(3)
            .map(|row| unchecked(row).unwrap())
            .map(|record| CheckedRecord { findings: vec![finding(&record.record.url)], unchecked: record })
            .collect();
        store.put_checked(None, ("a", Timestamp::now()), &checked).await.unwrap();
        let waiting = store.to_review(false, 10, 0).await.unwrap();
        assert_eq!(waiting.len(), 3);
        assert!(store.decide(&waiting[0].key, "confirmed", "yes").await.unwrap());
        assert!(store.decide(&waiting[1].key, "confirmed", "").await.unwrap());
        assert!(store.decide(&waiting[1].key, "rejected", "no, after all").await.unwrap());
        let unknown = Key { class, conclusion: "Other".to_owned(), ..waiting[0].key.clone() };
        assert!(!store.decide(&unknown, "confirmed", "").await.unwrap());
        assert_eq!(store.to_review(false, 10, 0).await.unwrap().len(), 1);
        let all = store.to_review(true, 10, 1).await.unwrap();
        assert_eq!((all.len(), all[0].comment.as_deref()), (2, Some("no, after all")));
        let rules = store.precision().await.unwrap();
        assert_eq!((rules[0].rule.as_str(), rules[0].confirmed, rules[0].rejected), ("R1", 1, 1));
        store.audit("127.0.0.1", "start run", "a").await.unwrap();
        store.audit("127.0.0.1", "stop run", "b").await.unwrap();
        let audit = store.audited(1).await.unwrap();
        assert_eq!((audit.len(), audit[0].action.as_str(), audit[0].subject.as_str()), (1, "stop run", "b"));
    })
    .await;
}
