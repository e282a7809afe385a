//! Does an archive answer as the site did? Files made by other tools in this test run (wget, warcio, zstandard),
//! files in the form of tools that cannot be run here (Heritrix, browsertrix), and real sites where they are at hand.

use pagekin_core::pages::{Answer, Pages, RawPage, Reason, Skipped};
use pagekin_fetch::{Archive, Known};
use pagekin_testkit::python::{python_tool, run, workspace};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use url::Url;

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn open(paths: &[&Path]) -> Archive {
    Archive::open(&paths.iter().map(|path| path.to_path_buf()).collect::<Vec<_>>()).unwrap()
}

fn answer(archive: &Archive, address: &str) -> Answer {
    block_on(archive.get(&[url(address)])).remove(0)
}

fn page(archive: &Archive, address: &str) -> RawPage {
    match answer(archive, address) {
        Answer::Page(page) => page,
        Answer::Skipped(skipped) => panic!("{address}: {skipped:?}"),
    }
}

fn skipped(archive: &Archive, address: &str) -> Skipped {
    match answer(archive, address) {
        Answer::Skipped(skipped) => skipped,
        Answer::Page(page) => panic!("{address}: {page:?}"),
    }
}

fn text(page: &RawPage) -> &str {
    std::str::from_utf8(&page.body).unwrap()
}

fn title(page: &RawPage) -> &str {
    text(page).split("<title>").nth(1).and_then(|rest| rest.split("</title>").next()).unwrap_or("")
}

/// Python with what the script needs, or `None` with a loud word.
fn tools() -> Option<PathBuf> {
    let found: Result<Vec<PathBuf>, String> =
        ["warcio", "fastwarc", "zstandard"].into_iter().map(python_tool).collect();
    match found {
        Ok(mut pythons) => pythons.pop(),
        Err(reason) => {
            eprintln!("SKIPPED: no Python tools to compare with: {reason}");
            None
        }
    }
}

fn script() -> PathBuf {
    workspace().join("crates/fetch/tests/archive_tools.py")
}

/// The folder with one small site in every form.
fn made() -> Option<&'static Path> {
    static MADE: OnceLock<Option<tempfile::TempDir>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let python = tools()?;
        let folder = tempfile::tempdir().unwrap();
        run(Command::new(python).arg(script()).arg("make").arg(folder.path())).unwrap();
        Some(folder)
    });
    made.as_ref().map(|folder| folder.path())
}

const FORMS: [&str; 8] = [
    "records.warc.gz",
    "plain.warc",
    "whole.warc.gz",
    "blocks.warc.gz",
    "whole.warc.zst",
    "records.warc.zst",
    "dictionary-raw.warc.zst",
    "dictionary-packed.warc.zst",
];

#[test]
fn every_form_gives_the_same_answers() {
    let Some(folder) = made() else { return };
    for form in FORMS {
        let archive = open(&[&folder.join(form)]);
        assert!(archive.damage().is_empty(), "{form}: {:?}", archive.damage());
        assert_eq!(archive.len(), 613, "{form}");
        check_small_site(&archive, form);
    }
}

fn check_small_site(archive: &Archive, form: &str) {
    for (path, status, name) in [
        ("/", 200, "home"),
        ("/coded", 200, "coded"),
        ("/coded/?utm_source=x", 200, "coded"),
        ("/stale", 200, "stale"),
        ("/gone", 404, "gone"),
        ("/resource", 200, "resource"),
        ("/twice", 200, "newer"),
        ("/with-head", 203, "home"),
        ("/without-head", 200, "home"),
        ("/deep", 200, "home"),
        ("/filler/0", 200, "filler 0"),
        ("/filler/599", 200, "filler 599"),
    ] {
        let page = page(archive, &format!("http://site.example{path}"));
        assert_eq!((page.status, title(&page)), (status, name), "{form} {path}");
        assert!(text(&page).contains("</html>"), "{form} {path}");
    }
    let moved = page(archive, "http://site.example/moved");
    assert_eq!(moved.url.as_str(), "http://site.example/coded", "{form}");
    assert_eq!(moved.redirects, [url("http://site.example/moved")], "{form}");
    assert_eq!(skipped(archive, "http://site.example/picture").reason, Reason::NotHtml, "{form}");
    assert_eq!(skipped(archive, "http://site.example/nowhere").reason, Reason::NotArchived, "{form}");
}

#[test]
fn a_batch_is_answered_in_order_and_pages_stream_in_file_order() {
    let Some(folder) = made() else { return };
    let archive = open(&[&folder.join("records.warc.gz")]);
    let asked: Vec<Url> = (0..600).rev().map(|number| url(&format!("http://site.example/filler/{number}"))).collect();
    let answers = block_on(archive.get(&asked));
    for (url, answer) in asked.iter().zip(&answers) {
        assert!(matches!(answer, Answer::Page(page) if page.url == *url), "{url}");
    }
    let streamed: Vec<Url> = archive
        .pages()
        .map(|answer| match answer {
            Answer::Page(page) => page.url,
            Answer::Skipped(skipped) => panic!("{skipped:?}"),
        })
        .collect();
    assert_eq!(streamed, archive.urls().collect::<Vec<_>>());
    assert_eq!(streamed.len(), 5 + 2 + 600 + 1, "home, coded, stale, resource, twice; revisits; fillers; deep");
    assert_eq!(streamed[0].as_str(), "http://site.example/");
    assert_eq!(streamed.last().unwrap().as_str(), "http://site.example/deep");
}

#[test]
fn several_archives_are_one_site_and_revisits_reach_across() {
    let Some(folder) = made() else { return };
    let (first, second) = (folder.join("across-1.warc"), folder.join("across-2.warc"));
    let plain = std::fs::read(folder.join("plain.warc")).unwrap();
    let cut = memchr::memmem::find(&plain, b"WARC/1.1\r\nWARC-Type: revisit").or_else(|| {
        let at = memchr::memmem::find(&plain, b"WARC-Type: revisit").unwrap();
        memchr::memmem::rfind(&plain[..at], b"WARC/1.1\r\n")
    });
    let (before, after) = plain.split_at(cut.unwrap());
    std::fs::write(&first, before).unwrap();
    std::fs::write(&second, after).unwrap();
    check_small_site(&open(&[&first, &second]), "across");
    check_small_site(&open(&[&second, &first]), "across, other order");
    let alone = skipped(&open(&[&second]), "http://site.example/deep");
    assert_eq!(alone.reason, Reason::NotArchived);
    assert!(alone.detail.contains("revisit"), "{alone:?}");
}

#[test]
fn an_index_kept_beside_gives_the_same_and_is_made_again_when_stale() {
    let Some(folder) = made() else { return };
    let own = tempfile::tempdir().unwrap();
    for form in ["records.warc.gz", "plain.warc", "blocks.warc.gz", "dictionary-raw.warc.zst"] {
        let path = own.path().join(form);
        std::fs::copy(folder.join(form), &path).unwrap();
        let paths = [path.clone()];
        let beside = own.path().join(format!("{form}.cdxj"));
        check_small_site(&Archive::open_with_index(&paths).unwrap(), form);
        let written = std::fs::read_to_string(&beside).unwrap();
        assert!(written.lines().skip(1).all(|line| line.starts_with("example,site)/")), "{form}");
        assert!(written.lines().skip(1).is_sorted(), "{form}");
        // What is read is the index and not the file: a line less is a page less.
        let shorter: Vec<&str> = written.lines().filter(|line| !line.contains("/filler/7\"")).collect();
        std::fs::write(&beside, shorter.join("\n") + "\n").unwrap();
        let loaded = Archive::open_with_index(&paths).unwrap();
        check_small_site(&loaded, form);
        assert_eq!(skipped(&loaded, "http://site.example/filler/7").reason, Reason::NotArchived);
        // Another state of the file: the index is made again.
        std::fs::OpenOptions::new().append(true).open(&path).unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
        let again = Archive::open_with_index(&paths).unwrap();
        assert_eq!(title(&page(&again, "http://site.example/filler/7")), "filler 7", "{form}");
    }
}

#[test]
fn an_index_of_another_tool_is_left_alone() {
    let Some(folder) = made() else { return };
    let own = tempfile::tempdir().unwrap();
    let path = own.path().join("records.warc.gz");
    let beside = own.path().join("records.warc.gz.cdxj");
    std::fs::copy(folder.join("records.warc.gz"), &path).unwrap();
    std::fs::write(&beside, "org,example)/ 2020 {}\n").unwrap();
    check_small_site(&Archive::open_with_index(std::slice::from_ref(&path)).unwrap(), "foreign");
    assert_eq!(std::fs::read_to_string(&beside).unwrap(), "org,example)/ 2020 {}\n");
}

/// A web server of Python's, for wget to visit; ends with the value.
struct Server(Child, String);

impl Server {
    fn start(folder: &Path) -> Option<Self> {
        let mut command = Command::new("python3");
        command.args(["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory"]).arg(folder);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take()?).read_line(&mut line).ok()?;
        let port = line.split("port ").nth(1)?.split(' ').next()?.to_owned();
        Some(Self(child, format!("http://127.0.0.1:{port}")))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn wget(into: &Path, arguments: &[&str]) -> bool {
    let mut command = Command::new("wget");
    command.args(["--quiet", "--no-proxy", "--delete-after", "--no-directories"]).args(arguments).current_dir(into);
    match command.status() {
        Ok(_) => true, // It says 8 where a page answered with an error, as one here does.
        Err(reason) => {
            eprintln!("SKIPPED: no wget: {reason}");
            false
        }
    }
}

#[test]
fn what_wget_saved_is_answered_as_the_site_did() {
    let site = tempfile::tempdir().unwrap();
    std::fs::create_dir(site.path().join("folder")).unwrap();
    let links = "<a href=one.html>1</a> <a href=folder>f</a> <a href=missing.html>m</a>";
    std::fs::write(site.path().join("index.html"), format!("<html><title>index</title>{links}")).unwrap();
    std::fs::write(site.path().join("one.html"), "<html><title>one</title>").unwrap();
    std::fs::write(site.path().join("folder/index.html"), "<html><title>folder</title>").unwrap();
    let Some(server) = Server::start(site.path()) else {
        eprintln!("SKIPPED: no Python to serve pages");
        return;
    };
    let into = tempfile::tempdir().unwrap();
    let root = format!("{}/", server.1);
    if !wget(into.path(), &["--recursive", "--warc-file=first", "--warc-cdx", &root]) {
        return;
    }
    wget(into.path(), &["--recursive", "--warc-file=plain", "--no-warc-compression", &root]);
    for name in ["first.warc.gz", "plain.warc"] {
        let archive = open(&[&into.path().join(name)]);
        for (path, status, name) in [
            ("/", 200, "index"),
            ("/one.html", 200, "one"),
            ("/folder", 200, "folder"),
            ("/missing.html", 404, "Error response"),
        ] {
            let page = page(&archive, &format!("{}{path}", server.1));
            assert_eq!((page.status, title(&page)), (status, name), "{path}");
        }
        assert_eq!(page(&archive, &format!("{}/folder", server.1)).redirects.len(), 1);
        assert!(archive.exchange(&url(&root)).unwrap().header("last-modified").is_some());
        assert_eq!(archive.exchange(&url(&root)).unwrap().address.unwrap().to_string(), "127.0.0.1");
    }
    wget(into.path(), &["--recursive", "--warc-file=second", "--warc-cdx", "--warc-dedup=first.cdx", &root]);
    let (first, second) = (into.path().join("first.warc.gz"), into.path().join("second.warc.gz"));
    assert_eq!(title(&page(&open(&[&first, &second]), &format!("{}/one.html", server.1))), "one");
    assert!(skipped(&open(&[&second]), &format!("{}/one.html", server.1)).detail.contains("revisit"));
}

fn fixture(name: &str) -> Archive {
    open(&[&workspace().join("fixtures/warc").join(name)])
}

#[test]
fn records_as_heritrix_writes_them() {
    let archive = fixture("heritrix.warc");
    assert!(archive.damage().is_empty());
    for path in ["/", "/index.html", "/old"] {
        let page = page(&archive, &format!("http://heritrix.example{path}"));
        assert_eq!((page.status, title(&page)), (200, "Home"), "{path}");
        assert!(text(&page).ends_with("<p>chunks kept</p>\n"), "{path}");
    }
    assert_eq!(archive.urls().count(), 2);
}

#[test]
fn records_as_browsertrix_writes_them() {
    let archive = fixture("browsertrix.warc");
    assert!(archive.damage().is_empty());
    for path in ["/", "/again"] {
        let page = page(&archive, &format!("https://browsertrix.example{path}"));
        assert_eq!((page.status, title(&page)), (200, "Shown"), "{path}");
    }
    assert_eq!(text(&page(&archive, "https://browsertrix.example/api")), "{\"already\": \"decoded\"}");
    assert_eq!(archive.urls().count(), 2);
}

#[test]
fn records_with_line_feeds_folded_lines_and_missing_ends() {
    let archive = fixture("odd.warc");
    assert!(archive.damage().is_empty(), "{:?}", archive.damage());
    for (path, content) in [("lf", "line feeds only"), ("unended", "no line ends after"), ("resource", "a resource")] {
        assert_eq!(text(&page(&archive, &format!("http://odd.example/{path}"))), format!("<html>{content}</html>"));
    }
}

#[test]
fn what_is_no_archive_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        folder.path().join(name)
    };
    for (path, advice) in [
        (write("a.wacz", b"PK\x03\x04...."), "unzip"),
        (write("b.warc.gz", b"<html>"), "no record"),
        (folder.path().to_owned(), "folder"),
        (folder.path().join("absent.warc"), "exists"),
    ] {
        let message = Archive::open(&[path]).err().expect("refused").to_string();
        assert!(message.contains(advice) && message.contains("\n\nhint: "), "{message}");
    }
    assert!(open(&[&write("empty.warc", b"")]).is_empty());
}

/// Records by kind and address, as fastwarc sees them.
fn by_fastwarc(python: &Path, path: &Path) -> BTreeMap<String, usize> {
    let listing = run(Command::new(python).arg(script()).arg("list").arg(path)).unwrap();
    let mut urls = BTreeMap::new();
    for line in listing.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["kind"] == "response" {
            *urls.entry(line["url"].as_str().unwrap().to_owned()).or_insert(0) += 1;
        }
    }
    urls
}

#[test]
fn real_sites_have_the_records_that_fastwarc_counts() {
    for site in ["everypolitician", "maillist_xfce_goodies"] {
        let Some(path) = pagekin_testkit::data::find(&format!("sites/{site}/site.warc.gz")) else { return };
        let Some(python) = tools() else { return };
        let expected = by_fastwarc(&python, &path);
        let archive = open(&[&path]);
        assert!(archive.damage().is_empty(), "{site}");
        assert_eq!(archive.len(), expected.values().sum::<usize>(), "{site}");
        let asked: Vec<Url> = expected.keys().map(|text| url(text)).collect();
        let answers = block_on(archive.get(&asked));
        assert!(answers.iter().all(|answer| matches!(answer, Answer::Page(_))), "{site}");
        assert!(archive.pages().all(|answer| matches!(answer, Answer::Page(page) if page.is_success())), "{site}");
    }
}
