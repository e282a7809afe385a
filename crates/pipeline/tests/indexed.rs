//! Archives by index: records shuffled over forty files of a server that answers ranges, and is busy now and then → what the local archive gives.

use arrow_array::{ArrayRef, Int32Array, Int64Array, RecordBatch, StringArray};
use flate2::bufread::GzDecoder;
use flate2::{Compression, write::GzEncoder};
use pagekin::extract::Record;
use pagekin::page::address::ScopeKind;
use pagekin::{Archive, ExtractSettings, RunStats, Source, SourceSettings, Url, discover, discover_job, extract_job};
use pagekin_testkit::server::{Asked, Reply, Server};
use parquet::arrow::ArrowWriter;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const FILES: usize = 40;
const PAGES: usize = 90;

fn record(url: &str, html: &str, extra: &str) -> Vec<u8> {
    let http = format!("HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{html}");
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n{extra}Content-Type: application/http; msgtype=response\r\nContent-Length: {}\r\n\r\n",
        http.len()
    );
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(format!("{head}{http}\r\n\r\n").as_bytes()).unwrap();
    packed.finish().unwrap()
}

/// A site of drivers: its file, and the sample.
fn made_up(folder: &Path) -> (PathBuf, Url) {
    let links: String = (0..PAGES).map(|n| format!("<li><a href='/driver/{n}'>Driver {n}</a></li>")).collect();
    let mut bytes = record("http://races.example/", &format!("<title>Races</title><ul class=list>{links}</ul>"), "");
    for n in 0..PAGES {
        let html = format!(
            "<title>Driver {n}</title><h1>Driver {n}</h1><dl><dt>Team</dt><dd>Team {}</dd><dt>Points</dt><dd>{}</dd></dl><a href='/'>all</a>",
            n % 7,
            n * 3
        );
        let extra = if n == 5 { "WARC-Truncated: length\r\n" } else { "" };
        bytes.extend(record(&format!("http://races.example/driver/{n}"), &html, extra));
    }
    let path = folder.join("site.warc.gz");
    std::fs::write(&path, bytes).unwrap();
    (path, Url::parse("http://races.example/driver/2").unwrap())
}

struct Row {
    url: String,
    file: String,
    offset: i64,
    length: i32,
}

/// The records of an archive shuffled over many files; their rows in the order of the archive.
fn shuffled(archive: &Path, folder: &Path) -> Vec<Row> {
    let (bytes, opened) = (std::fs::read(archive).unwrap(), Archive::open(&[archive.to_owned()]).unwrap());
    let mut files: Vec<Vec<u8>> = vec![Vec::new(); FILES];
    let mut rows = Vec::new();
    for (nth, listed) in opened.listed().enumerate() {
        let rest = &bytes[listed.position as usize..];
        let mut member = GzDecoder::new(rest);
        member.read_to_end(&mut Vec::new()).unwrap();
        let member = &rest[..rest.len() - member.into_inner().len()];
        let at = nth * 17 % FILES;
        let (url, file) = (listed.url.to_owned(), format!("crawl/part-{at}.warc.gz"));
        rows.push(Row { url, file, offset: files[at].len() as i64, length: member.len() as i32 });
        files[at].extend(member);
    }
    std::fs::create_dir_all(folder.join("crawl")).unwrap();
    for (at, bytes) in files.iter().enumerate() {
        std::fs::write(folder.join(format!("crawl/part-{at}.warc.gz")), bytes).unwrap();
    }
    rows
}

fn index(folder: &Path, rows: &[Row]) -> PathBuf {
    let text =
        |of: fn(&Row) -> &str| -> ArrayRef { Arc::new(rows.iter().map(|row| Some(of(row))).collect::<StringArray>()) };
    let batch = RecordBatch::try_from_iter([
        ("url", text(|row| &row.url)),
        ("warc_filename", text(|row| &row.file)),
        ("warc_record_offset", Arc::new(rows.iter().map(|row| row.offset).collect::<Int64Array>()) as ArrayRef),
        ("warc_record_length", Arc::new(rows.iter().map(|row| row.length).collect::<Int32Array>()) as ArrayRef),
    ]);
    let batch = batch.unwrap();
    let path = folder.join("index.parquet");
    let mut writer = ArrowWriter::try_new(std::fs::File::create(&path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    path
}

/// Answers ranges of the files; one request in six finds it busy. Counts the bytes asked for.
fn serving(folder: &Path, asked: &Arc<AtomicU64>) -> Server {
    (0..FILES).fold(Server::new(), |server, at| {
        let (bytes, asked) = (std::fs::read(folder.join(format!("crawl/part-{at}.warc.gz"))).unwrap(), asked.clone());
        server.route(&format!("/data/crawl/part-{at}.warc.gz"), move |request: &Asked| {
            if request.nth % 6 == 1 {
                return Reply::status(503);
            }
            let (from, to) = request.header("range").strip_prefix("bytes=").unwrap().split_once('-').unwrap();
            let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
            asked.fetch_add((to + 1 - from) as u64, Ordering::Relaxed);
            Reply::status(206).body(bytes[from..=to].to_vec())
        })
    })
}

async fn extracted(settings: &SourceSettings) -> (Vec<Record>, RunStats) {
    let (source, mut records) = (Source::open(settings, &[]).unwrap(), Vec::new());
    let mut emit = |record| {
        records.push(record);
        Ok(())
    };
    let (_, stats) = extract_job(&source, &[], &ExtractSettings::default(), &mut emit).await.unwrap();
    (records, stats)
}

async fn discovered(settings: &SourceSettings, sample: &Url) -> (Vec<Url>, RunStats) {
    let samples = [sample.clone()];
    let source = Source::open(settings, &samples).unwrap();
    let (found, stats) = discover_job(&source, &samples, &discover::Settings::default()).await.unwrap();
    (found.entities.into_iter().map(|entity| entity.url).collect(), stats)
}

fn of(archive: &Path, base: Option<String>) -> SourceSettings {
    SourceSettings {
        archives: vec![archive.to_owned()],
        archive_base: base,
        scope: ScopeKind::Host,
        ..SourceSettings::default()
    }
}

async fn compared(archive: &Path, sample: &Url) -> RunStats {
    let folder = tempfile::tempdir().unwrap();
    let rows = shuffled(archive, folder.path());
    let (index, asked) = (index(folder.path(), &rows), Arc::new(AtomicU64::new(0)));
    let lengths: u64 = rows.iter().map(|row| row.length as u64).sum();
    let server = serving(folder.path(), &asked).start();
    let (local, far) = (of(archive, None), of(&index, Some(server.url("/data"))));

    let (records, stats) = extracted(&far).await;
    assert_eq!(records, extracted(&local).await.0);
    let bytes = asked.swap(0, Ordering::Relaxed);
    assert!(bytes as f64 <= 1.1 * lengths as f64, "{bytes} bytes asked for {lengths}");
    let coverage = stats.coverage.unwrap();
    assert_eq!((coverage.remote.bytes, coverage.remote.unreadable), (bytes, 0));
    assert!(coverage.remote.retries > 0, "the server was busy now and then");

    assert_eq!(discovered(&far, sample).await.0, discovered(&local, sample).await.0);
    assert!(asked.load(Ordering::Relaxed) as f64 <= 1.1 * lengths as f64);
    let on_disk = of(&index, None);
    assert_eq!(extracted(&on_disk).await.0, records, "files beside the index");
    stats
}

#[tokio::test(flavor = "multi_thread")]
async fn records_of_forty_files_give_what_the_archive_gives() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, sample) = made_up(folder.path());
    let stats = compared(&archive, &sample).await;
    assert_eq!((stats.found, stats.coverage.unwrap().remote.truncated), (PAGES, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_real_site_over_forty_files_gives_what_the_archive_gives() {
    let Some(site) = pagekin_testkit::data::find("sites/turecki") else { return };
    let truth = std::fs::read_to_string(site.join("truth.txt")).unwrap();
    let sample = truth.lines().find_map(|line| Url::parse(line.split_whitespace().next()?).ok()).unwrap();
    compared(&site.join("site.warc.gz"), &sample).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sample_of_a_site_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (archive, sample) = made_up(folder.path());
    let rows: Vec<Row> = shuffled(&archive, folder.path()).into_iter().filter(|row| !row.url.ends_with('7')).collect();
    let samples = [sample];
    let source = Source::open(&of(&index(folder.path(), &rows), None), &samples).unwrap();
    let all: Vec<Url> = (0..PAGES).map(|n| samples[0].join(&format!("/driver/{n}")).unwrap()).collect();
    let (done, stats) = extract_job(&source, &all, &ExtractSettings::default(), &mut |_| Ok(())).await.unwrap();
    let coverage = stats.coverage.unwrap();
    assert_eq!(done.records, PAGES - 9, "{coverage:?}");
    assert!(source.is_sample() && coverage.absent >= 9, "{coverage:?}");
    assert!(coverage.told().contains("a page that it lacks is not gone"), "{}", coverage.told());
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_indexes_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let row = |file: &str| Row { url: "http://s/1".to_owned(), file: file.to_owned(), offset: 0, length: 10 };
    let refused =
        |rows: &[Row]| Source::open(&of(&index(folder.path(), rows), None), &[]).err().map(|error| error.to_string());
    for name in ["/etc/passwd", "../secret", "http://169.254.169.254/x"] {
        assert!(refused(&[row(name)]).unwrap().contains("none of its rows"), "{name}");
    }
    std::fs::write(folder.path().join("short.warc.gz"), b"abc").unwrap();
    let source = Source::open(&of(&index(folder.path(), &[row("short.warc.gz")]), None), &[]).unwrap();
    let answers = pagekin::pages::Pages::get(&source, &[Url::parse("http://s/1").unwrap()]).await;
    assert!(matches!(&answers[..], [pagekin::pages::Answer::Skipped(_)]));
    let broken = folder.path().join("broken.parquet");
    std::fs::write(&broken, b"PAR1 nothing").unwrap();
    assert!(Source::open(&of(&broken, None), &[]).err().unwrap().to_string().contains("hint:"));
}
