//! Does a client that nobody here wrote get along with the API? schemathesis reads the description and sends what it makes of it.

use super::support::Served;
use pagekin_testkit::python::python_tool;
use std::path::PathBuf;
use std::process::Command;

/// Cases of each operation: all kinds of values and of omissions come within these.
const CASES: &str = "15";

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

#[test]
fn a_strangers_client_finds_no_server_error_and_no_answer_that_is_not_described() {
    let Some(python) = tool("schemathesis") else { return };
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    let run = served.run(&served.sample);
    served.wait_for(run, "done");
    let output = Command::new(python.with_file_name("schemathesis"))
        .args(["run", &served.url("/api/openapi.json"), "-H", &format!("Authorization: Bearer {}", served.token)])
        .args(["--max-examples", CASES, "--phases", "examples,coverage,fuzzing", "--checks", CHECKS])
        .args(["--seed", "1", "--no-color"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("Tested: 23"), "every operation: {told}");
}

/// A client made of the description alone, by a program from elsewhere.
const CLIENT: &str = r#"
import sys, time
from pagekin_client import AuthenticatedClient
from pagekin_client.api.default import get_records, get_run, post_run
from pagekin_client.models import NewRun
base, token, sample = sys.argv[1:]
client = AuthenticatedClient(base_url=base, token=token)
run = post_run.sync(client=client, body=NewRun(url=sample, name="drivers")).run
for _ in range(600):
    line = get_run.sync(run, client=client).run
    if line["state"] == "done":
        break
    assert line["state"] in ("queued", "running"), line
    time.sleep(0.1)
seen, after = 0, None
while True:
    page = get_records.sync(line["class_id"], client=client, limit=50, **({"after": after} if after else {}))
    seen += len(page.records)
    after = page.next_
    if not after:
        break
print("records", seen)
"#;

fn tool(name: &str) -> Option<PathBuf> {
    python_tool(name).map_err(|reason| eprintln!("SKIPPED: no {name}: {reason}")).ok()
}

#[test]
fn a_client_generated_from_the_description_does_a_run() {
    let Some(python) = tool("openapi_python_client") else { return };
    let folder = tempfile::tempdir().unwrap();
    let served = Served::start(folder.path());
    std::fs::write(folder.path().join("openapi.json"), served.get("/api/openapi.json").body).unwrap();
    std::fs::write(folder.path().join("config.yml"), "package_name_override: pagekin_client\npost_hooks: []\n")
        .unwrap();
    let made = Command::new(python.with_file_name("openapi-python-client"))
        .args([
            "generate",
            "--path",
            "openapi.json",
            "--config",
            "config.yml",
            "--meta",
            "none",
            "--output-path",
            "pagekin_client",
        ])
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let ran = Command::new(python)
        .args(["-c", CLIENT, &served.url(""), &served.token, &served.sample])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let told = String::from_utf8_lossy(&ran.stdout);
    assert!(told.contains("records 168"), "{told}{}", String::from_utf8_lossy(&ran.stderr));
}
