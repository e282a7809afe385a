//! Are pages that need a browser rendered, and no others? One site as an application, plain and decorated, live and from its archive.

use pagekin::discover::Settings;
use pagekin::render::Mode;
use pagekin::{RenderSettings, Source, SourceSettings, Url, discover_job};
use pagekin_testkit::garden::{self, Form};
use pagekin_testkit::postgres::is_root;
use pagekin_testkit::server::Site;
use std::path::{Path, PathBuf};

fn has_browser() -> bool {
    let found =
        ["chromium-headless-shell", "chromium"].iter().any(|name| Path::new("/usr/lib/chromium").join(name).is_file());
    if !found {
        eprintln!("SKIPPED: no chromium; hint: apt-get install chromium");
    }
    found
}

fn settings(mode: Mode) -> SourceSettings {
    // In a container tests run as root, for whom the sandbox does not work.
    let render = RenderSettings { mode, program: None, no_sandbox: is_root() };
    SourceSettings { render, ..SourceSettings::default() }
}

/// Addresses found, and pages opened in the browser.
async fn discovered(site: &Site, settings: &SourceSettings) -> (Vec<String>, u64) {
    let sample = [Url::parse(&site.url("/plants/golden-sage")).unwrap()];
    let source = Source::open(settings, &sample).unwrap();
    let (found, stats) = discover_job(&source, &sample, &Settings::default()).await.unwrap();
    (found.entities.iter().map(|entity| entity.url.to_string()).collect(), stats.rendered)
}

#[tokio::test]
async fn an_application_is_found_whole_and_again_from_its_archive() {
    if !has_browser() {
        return;
    }
    let (site, folder) = (garden::start(Form::Application), tempfile::tempdir().unwrap());
    let archive: PathBuf = folder.path().join("garden.warc.gz");
    let live = SourceSettings { save_archive: Some(archive.clone()), ..settings(Mode::Auto) };
    let (found, rendered) = discovered(&site, &live).await;
    assert_eq!(found, garden::truth(&site), "{:?}", site.targets());
    assert!(rendered > 0 && site.count("/framework.js") == 1);
    let asked = site.targets().len();
    let stored = |mode| SourceSettings { archives: vec![archive.clone()], ..settings(mode) };
    assert_eq!(discovered(&site, &stored(Mode::Auto)).await, (found, 0));
    assert_eq!(discovered(&site, &stored(Mode::Never)).await.0.len(), 1, "both answers are kept");
    assert_eq!(site.targets().len(), asked, "the archive answers");
}

#[tokio::test]
async fn plain_sites_are_opened_for_the_first_comparison_only() {
    if !has_browser() {
        return;
    }
    for (form, most) in [(Form::Plain, 0), (Form::Decorated, 2)] {
        let site = garden::start(form);
        let (found, rendered) = discovered(&site, &settings(Mode::Auto)).await;
        assert_eq!(found, garden::truth(&site), "{form:?}");
        assert!(rendered <= most, "{form:?}: {rendered}");
    }
}

#[tokio::test]
async fn missing_links_are_looked_for_in_a_browser_though_sample_and_entry_need_none() {
    if !has_browser() {
        return;
    }
    let site = garden::start(Form::Listed);
    let (found, rendered) = discovered(&site, &settings(Mode::Auto)).await;
    assert_eq!(found, garden::truth(&site), "{:?}", site.targets());
    // Pages of the list alone, of which one is compared; some are asked twice.
    assert!((5..=12).contains(&rendered), "{rendered}");
    assert_eq!(discovered(&site, &settings(Mode::Never)).await.0.len(), 1);
}
