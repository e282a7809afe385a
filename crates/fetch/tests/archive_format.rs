//! Is what is written what is read, by us and by others, and does damage stay where it is?

use bytes::Bytes;
use jiff::Timestamp;
use pagekin_fetch::warc::head::Kind;
use pagekin_fetch::warc::http;
use pagekin_fetch::warc::read::{Damage, Reader};
use pagekin_fetch::warc::write::Form;
use pagekin_fetch::{Archive, Exchange, Known, Recorder, WarcWriter};
use pagekin_testkit::python::{python_tool, run, workspace};
use proptest::prelude::*;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use url::Url;

const NAMES: [&str; 3] = ["a.warc", "a.warc.gz", "a.warc.zst"];

fn exchange(path: &str, status: u16, body: &[u8]) -> Exchange {
    Exchange {
        url: Url::parse("http://s.example/").unwrap().join(path).unwrap(),
        status,
        headers: vec![("Content-Type".to_owned(), "text/html".to_owned()), ("X-E".to_owned(), "é".to_owned())],
        body: Bytes::copy_from_slice(body),
        at: Timestamp::from_microsecond(1_700_000_000_123_456 + i64::from(status)).unwrap(),
        address: Some("192.0.2.1".parse().unwrap()),
    }
}

/// A page whose payload no other has.
fn numbered(number: usize) -> Exchange {
    let body = format!("<html><title>{number}</title>{}", "filler ".repeat(200 + number % 7));
    let mut exchange = exchange(&format!("page/{number}"), 200, body.as_bytes());
    exchange.headers.truncate(1);
    exchange
}

fn written(path: &Path, exchanges: &[Exchange]) {
    let writer = WarcWriter::create(path).unwrap();
    exchanges.iter().for_each(|exchange| writer.record(exchange, false).unwrap());
}

/// Every response in a file, and the damage met.
fn walk(bytes: Vec<u8>) -> (Vec<Exchange>, Damage) {
    let mut reader = Reader::new(Arc::new(bytes)).unwrap();
    let mut found = Vec::new();
    while let Some(head) = reader.next_head().unwrap() {
        if head.kind != Kind::Response {
            continue;
        }
        let block = reader.block(1 << 20);
        if let Ok(block) = block
            && reader.finish().unwrap()
        {
            found.extend(http::exchange(&head, block));
        }
    }
    (found, reader.damage().clone())
}

fn file_of(name: &str, exchanges: &[Exchange]) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    written(&folder.path().join(name), exchanges);
    fs::read(folder.path().join(name)).unwrap()
}

fn any_exchange() -> impl Strategy<Value = Exchange> {
    let header = ("[A-Za-z][A-Za-z0-9-]{0,12}", "[ -~é]{0,30}");
    let headers = prop::collection::vec(header, 0..5);
    (0..30_u32, 200..600_u16, headers, prop::collection::vec(any::<u8>(), 0..3000), 0..4_000_000_000_000_000_i64)
        .prop_map(|(path, status, headers, body, at)| Exchange {
            url: Url::parse(&format!("http://s.example/{path}?q=ä")).unwrap(),
            status,
            headers: headers.into_iter().map(|(name, value)| (format!("X{name}"), value.trim().to_owned())).collect(),
            body: body.into(),
            at: Timestamp::from_microsecond(at).unwrap(),
            address: (path % 2 == 0).then(|| "2001:db8::1".parse().unwrap()),
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read(exchanges in prop::collection::vec(any_exchange(), 1..12)) {
        let mut distinct: Vec<Exchange> = Vec::new();
        for exchange in exchanges {
            if distinct.iter().all(|known| known.body != exchange.body) {
                distinct.push(exchange);
            }
        }
        for name in NAMES {
            let (read, damage) = walk(file_of(name, &distinct));
            prop_assert_eq!(&read, &distinct);
            prop_assert!(!damage.any());
        }
    }

    #[test]
    fn corruption_never_panics_never_loops_and_spares_the_rest(
        form in 0..3_usize, places in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>()
    ) {
        let exchanges: Vec<Exchange> = (0..20).map(numbered).collect();
        let mut bytes = file_of(NAMES[form], &exchanges);
        for (place, value) in &places {
            let at = place.index(bytes.len());
            bytes[at] ^= value | 1;
        }
        let (read, _) = walk(bytes.clone());
        // One record a changed byte is lost at most, and one after it where its start was hit.
        prop_assert!(read.len() + 2 * places.len() >= 20, "{} left after {} changes", read.len(), places.len());
        bytes.truncate(cut.index(bytes.len()));
        walk(bytes);
    }
}

#[test]
fn a_cut_file_keeps_every_whole_record() {
    let exchanges: Vec<Exchange> = (0..12).map(numbered).collect();
    for name in NAMES {
        let bytes = file_of(name, &exchanges);
        let mut last = 0;
        for cut in (0..bytes.len()).step_by(37).chain([bytes.len()]) {
            let (read, damage) = walk(bytes[..cut].to_vec());
            assert!(read.len() >= last && read == exchanges[..read.len()], "{name} cut at {cut}");
            assert_eq!(damage.places, 0, "{name} cut at {cut}: {damage:?}");
            last = read.len();
        }
        assert_eq!(last, 12, "{name}");
    }
}

/// Puts a plain archive together from (claimed length, block).
fn lying(records: &[(u64, &str)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (number, (length, body)) in records.iter().enumerate() {
        bytes.extend(one_lying(number, *length, body));
    }
    bytes
}

fn one_lying(number: usize, length: u64, body: &str) -> Vec<u8> {
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://s.example/{number}\r\n\
         WARC-Date: 2020-01-01T00:00:00Z\r\nContent-Type: application/http\r\nContent-Length: {length}\r\n\r\n\
         HTTP/1.1 200 OK\r\n\r\n{body}\r\n\r\n"
    )
    .into_bytes()
}

const HEAD: u64 = 19;

#[test]
fn a_lie_about_a_length_costs_one_record() {
    let long = "x".repeat(300);
    for lie in [0, 5, HEAD + 10, HEAD + 299, HEAD + 500, HEAD + 700, 1 << 20, 1 << 40, u64::MAX] {
        let records = [(HEAD + 300, long.as_str()), (lie, &long), (HEAD + 300, &long), (HEAD + 300, &long)];
        let (read, damage) = walk(lying(&records));
        let paths: Vec<&str> = read.iter().map(|exchange| exchange.url.path()).collect();
        assert_eq!(paths, ["/0", "/2", "/3"], "plain, {lie}");
        assert_eq!(damage.places, 1, "plain, {lie}");
        for form in [Form::Gzip, Form::Zstd] {
            let pack = |number: usize| form.pack(one_lying(number, records[number].0, records[number].1)).unwrap();
            let (read, damage) = walk((0..4).flat_map(pack).collect());
            let paths: Vec<&str> = read.iter().map(|exchange| exchange.url.path()).collect();
            assert_eq!(paths, ["/0", "/2", "/3"], "{form:?}, {lie}");
            assert_eq!(damage.places, 1, "{form:?}, {lie}");
        }
    }
}

#[test]
fn garbage_at_the_start_between_and_at_the_end_is_stepped_over() {
    let exchanges: Vec<Exchange> = (0..3).map(numbered).collect();
    let more = file_of("a.warc.gz", &exchanges);
    for name in NAMES {
        let bytes = file_of(name, &exchanges);
        let (read, damage) = walk([&b"\x07garbage\n"[..], &bytes].concat());
        assert_eq!((read.len(), damage.places), (3, 1), "{name} at the start");
        let (read, damage) = walk([&bytes[..], b"\x07garbage\n", &bytes].concat());
        assert_eq!((read.len(), damage.places), (6, 1), "{name} between");
        let (read, damage) = walk([&bytes[..], b"\x07garbage\n"].concat());
        assert_eq!((read.len(), damage.places), (3, 1), "{name} at the end");
    }
    let (read, damage) = walk([&more[..], &[0; 5000], &more].concat());
    assert_eq!((read.len(), damage.any()), (6, false), "zeros are padding");
}

#[test]
fn bombs_and_endless_heads_end() {
    let endless = [&b"WARC/1.0\r\n"[..], &b"X-Field: y\r\n".repeat(100_000)].concat();
    let (read, damage) = walk([&endless[..], b"\r\n\r\n", &file_of("a.warc", &[numbered(1)])].concat());
    assert_eq!((read.len(), damage.places > 0), (1, true));
    // A claimed length is never reserved: this would be 16 EiB.
    let (read, _) = walk(lying(&[(u64::MAX, "x")]));
    assert!(read.is_empty());
    // 8 GiB of zeros in 250 kB.
    let zeros = zstd::bulk::compress(&vec![0; 1 << 20], 1).unwrap();
    let head = zstd::bulk::compress(&one_lying(0, 1 << 50, ""), 1).unwrap();
    let (read, damage) = walk([head, zeros.repeat(8 << 10)].concat());
    assert!(read.is_empty() && damage.reason.contains("unpacked"), "{damage:?}");
    // Half a million places where a gzip member could start and none does.
    let gzip = file_of("a.warc.gz", &[numbered(1)]);
    let (read, damage) = walk([&gzip[..], b"garbage", &b"\x1f\x8b\x08".repeat(500_000)].concat());
    assert_eq!((read.len(), damage.places), (1, 1));
}

#[test]
fn the_same_payload_is_written_once_and_read_everywhere() {
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        let body: Vec<u8> =
            (0..60_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_be_bytes()).collect();
        let (first, second) = (exchange("first", 200, &body), exchange("second", 203, &body));
        let mut unchanged = exchange("first", 200, &body);
        unchanged.at = "2030-01-01T00:00:00Z".parse().unwrap();
        written(&path, &[first.clone(), second.clone(), exchange("e1", 301, b""), exchange("e2", 301, b"")]);
        WarcWriter::append(&path).unwrap().record(&unchanged, true).unwrap();
        assert!(fs::metadata(&path).unwrap().len() < 300_000, "{name}: the body stands there more than once");
        let archive = Archive::open(&[path]).unwrap();
        assert_eq!(archive.exchange(&second.url).unwrap().body, second.body, "{name}");
        assert_eq!(archive.exchange(&second.url).unwrap().status, 203, "{name}");
        assert_eq!(archive.exchange(&first.url).unwrap(), unchanged, "{name}");
    }
}

#[test]
fn appending_removes_a_record_cut_off_and_goes_on() {
    let exchanges: Vec<Exchange> = (0..6).map(numbered).collect();
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        written(&path, &exchanges[..4]);
        let whole = fs::read(&path).unwrap();
        for lost in [0, 1, 3, 4, 5, 50, 150] {
            fs::write(&path, &whole[..whole.len() - lost]).unwrap();
            let writer = WarcWriter::append(&path).unwrap();
            exchanges[4..].iter().for_each(|exchange| writer.record(exchange, false).unwrap());
            let (read, damage) = walk(fs::read(&path).unwrap());
            let kept = if lost == 0 { 4 } else { 3 };
            let expected: Vec<Exchange> = exchanges[..kept].iter().chain(&exchanges[4..]).cloned().collect();
            assert_eq!(read, expected, "{name} without its last {lost} bytes");
            assert!(!damage.any(), "{name} without its last {lost} bytes: {damage:?}");
        }
    }
}

#[test]
fn other_files_are_not_written_over() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    fs::write(path("letter.warc.gz"), "dear reader").unwrap();
    let message = |result: Result<WarcWriter, pagekin_fetch::warc::Error>| result.err().expect("refused").to_string();
    assert!(message(WarcWriter::create(&path("letter.warc.gz"))).contains("there already"));
    assert!(message(WarcWriter::append(&path("letter.warc.gz"))).contains("no WARC file"));
    assert_eq!(fs::read_to_string(path("letter.warc.gz")).unwrap(), "dear reader");
    assert!(message(WarcWriter::create(&path("archive.zip"))).contains("`.warc.gz`"));
    assert!(message(WarcWriter::create(&path("no/such/a.warc"))).contains("folder"));
    written(&path("b.warc"), &[numbered(1)]);
    let whole: Vec<u8> = Form::Gzip.pack(fs::read(path("b.warc")).unwrap()).unwrap();
    fs::write(path("cut.warc.gz"), &whole[..whole.len() - 20]).unwrap();
    assert!(message(WarcWriter::append(&path("cut.warc.gz"))).contains("cut off"));
    assert_eq!(fs::read(path("cut.warc.gz")).unwrap().len(), whole.len() - 20);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    symlink("/dev/full", folder.path().join("full.warc")).unwrap();
    let message = WarcWriter::append(&folder.path().join("full.warc")).err().expect("refused").to_string();
    assert!(message.contains("No space left") && message.contains("hint: "), "{message}");
}

#[test]
fn the_same_exchanges_give_the_same_records() {
    let exchanges: Vec<Exchange> = (0..3).map(numbered).collect();
    let records = || {
        let bytes = file_of("a.warc", &exchanges);
        let second = memchr::memmem::find(&bytes[1..], b"WARC/1.1").unwrap();
        bytes[1 + second..].to_vec()
    };
    assert_eq!(records(), records());
}

/// Python with this package, or `None` with a loud word.
fn python(package: &str) -> Option<PathBuf> {
    python_tool(package).map_err(|reason| eprintln!("SKIPPED: no `{package}` to compare with: {reason}")).ok()
}

#[test]
fn warcio_finds_nothing_wrong_and_fastwarc_reads_the_same() {
    let (Some(warcio), Some(fastwarc), Some(_)) = (python("warcio"), python("fastwarc"), python("zstandard")) else {
        return;
    };
    let mut exchanges: Vec<Exchange> = (0..10).map(numbered).collect();
    exchanges.push(exchange("moved", 301, b""));
    exchanges.push(exchange("bytes", 500, &[0, 255, 13, 10, 13, 10, 87]));
    exchanges[3].headers.push(("Transfer-Encoding".to_owned(), "chunked".to_owned()));
    exchanges[4].headers.push(("Content-Length".to_owned(), "7".to_owned()));
    let again = Exchange { url: exchanges[0].url.join("again").unwrap(), ..exchanges[0].clone() };
    for name in NAMES {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        written(&path, &exchanges);
        WarcWriter::append(&path).unwrap().record(&again, false).unwrap();
        if !name.ends_with("zst") {
            run(Command::new(&warcio).args(["-m", "warcio.cli", "check", "-v"]).arg(&path)).unwrap();
        }
        let script = workspace().join("crates/fetch/tests/archive_tools.py");
        let listing = run(Command::new(&fastwarc).arg(script).arg("list").arg(&path)).unwrap();
        let seen: Vec<serde_json::Value> = listing.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!((&seen[0]["kind"], seen.len()), (&"warcinfo".into(), exchanges.len() + 2), "{name}");
        for (exchange, seen) in exchanges.iter().zip(&seen[1..]) {
            assert_eq!((&seen["kind"], &seen["url"]), (&"response".into(), &exchange.url.as_str().into()), "{name}");
            assert_eq!(seen["sha1"], sha1_hex(&exchange.body), "{name}");
        }
        assert_eq!(seen[seen.len() - 1]["kind"], "revisit", "{name}");
    }
}

fn sha1_hex(bytes: &[u8]) -> String {
    use sha1::Digest;
    data_encoding::HEXLOWER.encode(&sha1::Sha1::digest(bytes))
}
