//! Which tests passed without testing? The report of cargo-nextest → a line for each test that said `SKIPPED:`.
//!
//! Tests skip when what they compare with is absent, and pass. Their word is lost among the passing ones, so it is
//! taken from the JUnit report that `.config/nextest.toml` asks for. Knows of JUnit no more than that a test case
//! is opened before its output comes.

use std::fs;
use std::path::{Path, PathBuf};

const MARK: &str = "SKIPPED:";

/// Where cargo-nextest writes its report.
pub fn report(target: &Path) -> PathBuf {
    target.join("nextest/default/junit.xml")
}

/// What the tests of the last run said; nothing when there is no report.
pub fn read(report: &Path) -> Vec<String> {
    fs::read_to_string(report).map_or_else(|_| Vec::new(), |xml| lines(&xml))
}

/// `name of the test: what it said`, each once, in the order of the report.
fn lines(xml: &str) -> Vec<String> {
    let (mut test, mut found) = (String::new(), Vec::new());
    for line in xml.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("<testcase name=\"") {
            test = plain(rest.split('"').next().unwrap_or(""));
        }
        let Some((before, said)) = line.split_once(MARK) else { continue };
        // Behind the tag that opens the output, or on a line of its own.
        if before.is_empty() || before.ends_with('>') {
            found.push(format!("{test}: {}", plain(said.split('<').next().unwrap_or(said)).trim()));
        }
    }
    found.dedup();
    found
}

fn plain(escaped: &str) -> String {
    let names = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#xA;", " "), ("&amp;", "&")];
    names.iter().fold(escaped.to_owned(), |text, (name, means)| text.replace(name, means))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = r#"<testsuites>
  <testsuite name="fetch::archive" tests="3">
    <testcase name="wget_is_read" classname="fetch::archive" time="0.1">
      <system-err>SKIPPED: no wget: &lt;not found&gt;</system-err>
    </testcase>
    <testcase name="quiet" classname="fetch::archive">
      <system-err>said that nothing was SKIPPED: all ran</system-err>
    </testcase>
    <testcase name="warcio_agrees" classname="fetch::archive">
      <system-out>running 1 test
SKIPPED: no `warcio`
SKIPPED: no `warcio`
</system-out>
    </testcase>
"#;

    #[test]
    fn each_skipped_test_is_named_with_its_reason() {
        assert_eq!(lines(REPORT), ["wget_is_read: no wget: <not found>", "warcio_agrees: no `warcio`"]);
    }

    #[test]
    fn without_a_report_nothing_is_known() {
        assert_eq!(read(Path::new("/nonexistent/junit.xml")), [""; 0]);
    }
}
