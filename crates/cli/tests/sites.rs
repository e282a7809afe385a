//! Is a stored site the same as a served one? Real sites, from the archive and from a real server with its answers.

mod common;

use common::{pagekin, sites, stderr, stdout};
use pagekin_testkit::replay;

/// Sites whose pages have http addresses, so that a plain server can stand in for them.
const SITES: [(&str, &str, &str); 2] = [
    ("everypolitician", "everypolitician.org", "http://everypolitician.org/haiti/"),
    ("jargon_file", "www.catb.org", "http://www.catb.org/jargon/html/M/mouso.html"),
];

#[test]
fn archive_and_server_give_the_same_bytes() {
    let Some(sites) = sites() else { return };
    for (id, host, sample) in SITES {
        let archive = sites.join(id).join("site.warc.gz");
        let server = replay::server(&archive).unwrap().start();
        let resolve = format!("{host}:80:{}", server.address());
        for method in ["ssup-2014", "ssup-2019", "indesit"] {
            let run = |source: &[&str]| {
                let output = pagekin().args(["discover", "--method", method, sample]).args(source).output().unwrap();
                assert_eq!(output.status.code(), Some(0), "{id}, {method}: {}", stderr(&output));
                stdout(&output)
            };
            let stored = run(&["--archive", &archive.to_string_lossy()]);
            assert!(!stored.is_empty());
            assert!(run(&["--resolve", &resolve]) == stored, "{id}, {method}: the server gave another result");
        }
        assert!(server.log().len() > 100, "the server was asked");
    }
}
