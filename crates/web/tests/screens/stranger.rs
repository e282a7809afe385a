//! Does a client that nobody here wrote get along with the API? schemathesis reads the description and sends what it makes of it.

use super::support::Served;
use pagekin_testkit::python::python_tool;
use std::process::Command;

/// Cases of each operation: all kinds of values and of omissions come within these.
const CASES: &str = "15";

const CHECKS: &str = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance";

#[test]
fn a_strangers_client_finds_no_server_error_and_no_answer_that_is_not_described() {
    let python = match python_tool("schemathesis") {
        Ok(python) => python,
        Err(reason) => {
            eprintln!("SKIPPED: no schemathesis: {reason}");
            return;
        }
    };
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
    assert!(told.contains("Tested: 16"), "every operation: {told}");
}
