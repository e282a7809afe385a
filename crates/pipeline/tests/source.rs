//! Does a source count and stop alike, live, stored or both? A real server, recorded, and the archive of it.

use pagekin::discover::{Method, Settings};
use pagekin::pages::{Answer, Pages, Reason};
use pagekin::{Source, SourceSettings, Stop, Url, discover_job};
use pagekin_testkit::server::{Reply, Server, Site};
use std::path::Path;

fn site() -> Site {
    let list = "<ul><li><a href=/item/1.html>1</a></li><li><a href=/old>2</a></li><li><a href=/gone>3</a></li></ul>";
    let item = "<p><a href=/list.html>list</a></p>";
    Server::new()
        .page("/list.html", list)
        .page("/item/1.html", item)
        .page("/item/2.html", item)
        .route("/old", |_| Reply::redirect(301, "/item/2.html"))
        .start()
}

fn urls(site: &Site) -> Vec<Url> {
    ["/list.html", "/item/1.html", "/old", "/gone"].map(|path| Url::parse(&site.url(path)).unwrap()).to_vec()
}

fn shown(answers: &[Answer]) -> Vec<String> {
    let show = |answer: &Answer| match answer {
        Answer::Page(page) => format!("{} {} {:?} {}", page.status, page.url, page.redirects, page.body.len()),
        Answer::Skipped(skipped) => format!("{} {}", skipped.url, skipped.reason),
    };
    answers.iter().map(show).collect()
}

async fn recorded(site: &Site, archive: &Path) -> Source {
    let settings = SourceSettings { save_archive: Some(archive.to_owned()), ..SourceSettings::default() };
    Source::open(&settings, &urls(site)).unwrap()
}

#[tokio::test]
async fn stored_answers_are_those_of_the_live_site() {
    let (site, folder) = (site(), tempfile::tempdir().unwrap());
    let archive = folder.path().join("site.warc.gz");
    let live = recorded(&site, &archive).await;
    let first = shown(&live.get(&urls(&site)).await);
    assert!(first[2].contains("/item/2.html") && first[3].starts_with("404"), "{first:?}");
    assert!(live.take_failure().is_none());

    let settings = SourceSettings { archives: vec![archive], ..SourceSettings::default() };
    let stored = Source::open(&settings, &[]).unwrap();
    assert_eq!(shown(&stored.get(&urls(&site)).await), first);
    // Live, robots.txt was asked too.
    assert_eq!((live.stats().requests, stored.stats().requests), (6, 5));
    assert!(stored.stats().bytes > 0);
}

#[tokio::test]
async fn a_stopped_archive_answers_no_more() {
    let (site, folder) = (site(), tempfile::tempdir().unwrap());
    let archive = folder.path().join("site.warc");
    recorded(&site, &archive).await.get(&urls(&site)).await;
    let stop = Stop::default();
    let settings = SourceSettings { archives: vec![archive], stop: stop.clone(), ..SourceSettings::default() };
    let stored = Source::open(&settings, &[]).unwrap();
    stop.stop();
    let answers = stored.get(&urls(&site)).await;
    assert!(answers.iter().all(|answer| matches!(answer, Answer::Skipped(s) if s.reason == Reason::Interrupted)));
}

#[tokio::test]
async fn large_pages_are_refused_live_and_stored() {
    let (site, folder) = (site(), tempfile::tempdir().unwrap());
    let archive = folder.path().join("site.warc.gz");
    recorded(&site, &archive).await.get(&urls(&site)).await;
    let small = SourceSettings { max_bytes: 40, ..SourceSettings::default() };
    let stored = SourceSettings { archives: vec![archive], ..small.clone() };
    for settings in [small, stored] {
        let source = Source::open(&settings, &urls(&site)).unwrap();
        let answers = shown(&source.get(&urls(&site)[..2]).await);
        assert!(answers[0].ends_with("too large") && answers[1].starts_with("200"), "{answers:?}");
    }
}

#[tokio::test]
async fn a_job_says_what_it_took() {
    let (site, folder) = (site(), tempfile::tempdir().unwrap());
    let source = recorded(&site, &folder.path().join("site.warc.gz")).await;
    let settings = Settings { method: Method::Ssup2019, ..Settings::default() };
    let (found, stats) = discover_job(&source, &urls(&site)[1..2], &settings).await.unwrap();
    assert_eq!((stats.downloads, stats.found), (found.downloads, found.entities.len()));
    assert!(stats.requests >= stats.downloads as u64 && stats.bytes > 0 && stats.seconds > 0.0);
    assert_eq!(stats.stopped, None);
}

fn resuming(archive: &Path) -> SourceSettings {
    SourceSettings { save_archive: Some(archive.to_owned()), resume: true, ..SourceSettings::default() }
}

#[tokio::test]
async fn what_was_kept_is_not_asked_for_again() {
    let (site, folder) = (site(), tempfile::tempdir().unwrap());
    let archive = folder.path().join("site.warc.gz");
    let whole = shown(&recorded(&site, &folder.path().join("whole.warc.gz")).await.get(&urls(&site)).await);
    // The list, and the redirect with its target.
    recorded(&site, &archive).await.get(&[urls(&site)[0].clone(), urls(&site)[2].clone()]).await;
    let log = site.log().len();
    let source = Source::open(&resuming(&archive), &urls(&site)).unwrap();
    assert_eq!(shown(&source.get(&urls(&site)).await), whole);
    let mut asked = site.targets().split_off(log);
    asked.sort_unstable();
    assert_eq!(asked, ["/gone", "/item/1.html", "/robots.txt"]);
    assert_eq!((source.resumed(), source.stats().requests), (2, 3));
    drop(source);

    // What was missing was appended: nothing is asked for a third time, not even the page that is not there.
    let log = site.log().len();
    let source = Source::open(&resuming(&archive), &urls(&site)).unwrap();
    assert_eq!(shown(&source.get(&urls(&site)).await), whole);
    assert_eq!((site.log().len(), source.stats().requests), (log, 0));
}

#[tokio::test]
async fn a_trouble_that_passed_is_no_answer_to_go_on_with() {
    // As often as a run tries.
    let in_trouble = |nth: usize, status: u16| match nth {
        0..4 => Reply::status(status).header("retry-after", "0"),
        _ => Reply::html("<p>better now"),
    };
    let site = Server::new()
        .route("/busy", move |asked| in_trouble(asked.nth, 503))
        .route("/moved", |_| Reply::redirect(302, "/later"))
        .route("/later", move |asked| in_trouble(asked.nth, 500))
        .start();
    let urls = ["/busy", "/moved"].map(|path| Url::parse(&site.url(path)).unwrap());
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("site.warc");
    let first = Source::open(&resuming(&archive), &urls).unwrap();
    assert!(shown(&first.get(&urls).await).iter().all(|answer| answer.starts_with("50")));
    drop(first);
    let again = Source::open(&resuming(&archive), &urls).unwrap();
    assert!(shown(&again.get(&urls).await).iter().all(|answer| answer.starts_with("200")));
    drop(again);
    // The good answers are the ones that stay.
    let log = site.log().len();
    let stored = Source::open(&resuming(&archive), &urls).unwrap();
    assert!(shown(&stored.get(&urls).await).iter().all(|answer| answer.starts_with("200")));
    assert_eq!((site.log().len(), stored.resumed()), (log, 2));
}

#[tokio::test]
async fn a_stopped_run_does_not_go_on() {
    let (site, folder) = (site(), tempfile::tempdir().unwrap());
    let archive = folder.path().join("site.warc.gz");
    recorded(&site, &archive).await.get(&urls(&site)).await;
    let stop = Stop::default();
    let source = Source::open(&SourceSettings { stop: stop.clone(), ..resuming(&archive) }, &urls(&site)).unwrap();
    stop.stop();
    let answers = source.get(&urls(&site)).await;
    assert!(answers.iter().all(|answer| matches!(answer, Answer::Skipped(s) if s.reason == Reason::Interrupted)));
}

#[test]
fn there_must_be_something_to_go_on_with() {
    let nothing = SourceSettings { resume: true, ..SourceSettings::default() };
    let error = Source::open(&nothing, &[]).err().unwrap().to_string();
    assert!(error.contains("no archive to go on with\n\nhint: "), "{error}");
}

/// Whichever way an address with a password comes in: it is sent, and stands in nothing that comes out.
#[tokio::test]
async fn a_password_in_an_address_is_sent_and_comes_out_nowhere() {
    let hosted = pagekin_testkit::hostile::guarded("ann", "geheim77", 6);
    let sample = hosted.url("/items/1").replace("http://", "http://ann:geheim77@");
    let site = pagekin::Site::open(&sample);
    let (found, records) = (site.discover().await.unwrap(), site.records().await.unwrap());
    assert_eq!((found.entities.len(), records.records.len()), (6, 6));
    let typed = [url::Url::parse(&sample).unwrap()];
    let given = pagekin::Site::open(&sample).records_of(&typed).await.unwrap();
    assert_eq!(given.records.len(), 1);
    let planned = pagekin::run::plan(&typed, false);
    let source = pagekin::Source::open(&Default::default(), &typed).unwrap();
    let direct = pagekin::discover_job(&source, &typed, &Default::default()).await.unwrap().0;
    let extracted = pagekin::model_job(&source, &typed[0], &Default::default()).await.unwrap().0;
    for shown in [
        format!("{found:?}"),
        format!("{:?}", records.records),
        format!("{:?}", given.records),
        format!("{planned:?}"),
        format!("{direct:?}"),
        pagekin::modelled::text(&extracted).unwrap(),
    ] {
        assert!(!shown.contains("geheim77"), "{shown}");
    }
    assert!(hosted.log().iter().all(|visit| visit.headers.contains_key("authorization")));
}
