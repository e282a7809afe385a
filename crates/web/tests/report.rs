//! Does the report open, fast and harmless? Rendered here, opened in a real browser where there is one.

use pagekin::Url;
use pagekin::check::{Compared, Finding, Near, Severity};
use pagekin::report::{Dated, Material, Report, build};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

fn finding(number: usize, hostile: &str) -> Finding {
    let conclusions = ["Unapproved", "Counterfeit", "Incomplete"];
    Finding {
        url: Url::parse(&format!("http://shop-{}.example/offer/{number}", number % 60)).unwrap(),
        rule: "R1".to_owned(),
        conclusion: conclusions[number % 3].to_owned(),
        severity: Severity::ALL[number % 4],
        lower: Some(0.9),
        upper: Some(0.9),
        because: format!(
            "The page says authenticationCode \"H{number:08}\". No row of the reference has it. {hostile}"
        ),
        evidence: vec![Compared {
            attribute: "authenticationCode".to_owned(),
            value: Some(format!("H{number:08}{hostile}")),
            known: None,
            degree: None,
            path: Some("html/body/div#offer/table/tbody/tr/td".to_owned()),
            label: Some(hostile.to_owned()),
        }],
        nearest: vec![Near {
            row: number + 1,
            degree: 0.8,
            values: vec![("name".to_owned(), "Zenadol forte".to_owned())],
        }],
    }
}

fn report(count: usize, hostile: &str) -> Report {
    let day = "2026-11-16".to_owned();
    let findings = (0..count).map(|number| Dated {
        finding: finding(number, hostile),
        first_seen: day.clone(),
        last_seen: day.clone(),
    });
    let records = (0..60).map(|host| (format!("shop-{host}.example"), 500)).collect();
    let material = Material {
        title: "Offers".to_owned(),
        today: day.clone(),
        findings: findings.collect(),
        records,
        ..Material::default()
    };
    build(material, None)
}

const HOSTILE: &str = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\"'>";

#[test]
fn what_pages_say_is_shown_and_not_obeyed() {
    let mut report = report(3, HOSTILE);
    report.title = HOSTILE.to_owned();
    report.findings[0].finding.url = Url::parse("javascript:alert(1)").unwrap();
    report.weeks[0].findings.insert(HOSTILE.to_owned(), 2);
    let page = pagekin_web::report::html(&report).unwrap();
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert!(!page.contains("href=\"javascript:"));
    assert!(page.contains("default-src &#x27;none&#x27;") || page.contains("default-src 'none'"));
}

/// What the page is in the browser when it has loaded, and how long that took.
fn opened(page: &Path) -> Option<(String, Duration)> {
    let program = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|name| {
        std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|folder| folder.join(name).is_file())
    });
    let Some(program) = program else {
        eprintln!("skipped: there is no chromium on the path");
        return None;
    };
    let began = Instant::now();
    let output = Command::new(program)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"])
        .arg(format!("--user-data-dir={}", page.with_extension("profile").display()))
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Some((String::from_utf8_lossy(&output.stdout).into_owned(), began.elapsed()))
}

#[test]
fn a_browser_opens_ten_thousand_findings_and_runs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("report.html");
    std::fs::write(&path, pagekin_web::report::html(&report(10_000, HOSTILE)).unwrap()).unwrap();
    let Some((dom, took)) = opened(&path) else { return };
    assert_eq!(dom.matches("<details class=\"f\"").count(), 10_000);
    assert!(dom.contains("<title>Offers, 2026-11-16</title>"), "a script of the page ran");
    // How fast it opens is a benchmark; a page that hangs is a fault.
    assert!(took < Duration::from_secs(120), "{took:?}");
}
