//! Is a database of every schema that was ever given out brought up to date, with nothing lost? Dumps in `fixtures/store`, of a
//! shop with four things.

use pagekin_store::Store;
use pagekin_testkit::postgres::Postgres;
use pagekin_testkit::python::workspace;
use std::path::PathBuf;

fn dumps(kind: &str) -> Vec<PathBuf> {
    let all = std::fs::read_dir(workspace().join("fixtures/store")).unwrap().flatten().map(|file| file.path());
    let mut own: Vec<PathBuf> = all.filter(|path| path.to_string_lossy().ends_with(&format!(".{kind}.sql"))).collect();
    own.sort();
    assert!(!own.is_empty());
    own
}

async fn holds_what_it_held(store: &Store) {
    let count = async |sql: &str| store.query(sql).await.unwrap().all().await.unwrap()[0].int(0);
    assert_eq!(count("SELECT COUNT(*) FROM current_records").await, 4);
    assert_eq!(count("SELECT COUNT(*) FROM record_values WHERE attribute = 'price' AND value = '702 EUR'").await, 1);
    assert_eq!(count("SELECT COUNT(*) FROM entities").await, 4);
    assert_eq!(count("SELECT COUNT(*) FROM runs WHERE state = 'done'").await, 1);
    let sample = "http://127.0.0.1:8124/item/2".parse().unwrap();
    let class = store.class_of(1, &[sample]).await.unwrap().expect("the class is known");
    assert!(class.learned.is_some() && store.wrapper(class.id).await.unwrap().is_some());
}

#[tokio::test]
async fn sqlite_databases_of_every_schema_are_brought_up_to_date() {
    for dump in dumps("sqlite") {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("old.db");
        let text = std::fs::read_to_string(&dump).unwrap();
        rusqlite::Connection::open(&path)
            .unwrap()
            .execute_batch(&format!("PRAGMA foreign_keys = OFF;\n{text}"))
            .unwrap();
        holds_what_it_held(&Store::open(&path.to_string_lossy()).await.unwrap()).await;
    }
}

#[tokio::test]
async fn postgres_databases_of_every_schema_are_brought_up_to_date() {
    let Some(postgres) = Postgres::or_skip() else { return };
    for (number, dump) in dumps("postgres").iter().enumerate() {
        let url = postgres.database(&format!("old{number}"));
        postgres.load(&url, dump);
        holds_what_it_held(&Store::open(&url).await.unwrap()).await;
    }
}
