//! Proofs: written, checked by us and by tools of others, changed and caught.

use crate::common::{stderr, stdout};
use crate::support::{Authority, PEOPLE, Place, Staff, email, python, python_says};
use serde_json::Value;
use std::path::Path;

fn checks(text: &str) -> Vec<(String, String, bool, String)> {
    let text_of = |own: &Value, name: &str| own[name].as_str().unwrap().to_owned();
    let line = |line: &str| {
        let own: Value = serde_json::from_str(line).unwrap();
        (text_of(&own, "part"), text_of(&own, "check"), own["ok"].as_bool().unwrap(), text_of(&own, "detail"))
    };
    text.lines().map(line).collect()
}

#[test]
fn a_record_is_proved_and_every_change_is_caught() {
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample()]);
    let third = staff.site.url("/people/3");
    let written: Value = serde_json::from_str(&place.done(&["prove", &third, "--out", "third.wacz"])).unwrap();
    assert_eq!(written["file"], "third.wacz");
    let fine = checks(&place.done(&["verify", "third.wacz"]));
    assert!(fine.iter().all(|(_, _, ok, _)| *ok), "{fine:?}");
    assert!(
        fine.iter().any(|(_, check, _, told)| check == "values" && told.ends_with("values stand on the page")),
        "{fine:?}"
    );
    place.done(&["prove", &third, "--out", "again.wacz"]);
    assert_eq!(
        std::fs::read(place.at("third.wacz")).unwrap(),
        std::fs::read(place.at("again.wacz")).unwrap(),
        "the same bytes"
    );

    place.done(&["prove", &third, "--out", "folder", "--column", "team"]);
    let record: Value = serde_json::from_slice(&std::fs::read(place.at("folder/proof/record.json")).unwrap()).unwrap();
    assert_eq!(record["attributes"]["email"][0], email(3));
    assert!(record["page"]["payload_digest"].as_str().unwrap().starts_with("sha1:"), "{record}");
    let marked = std::fs::read_to_string(place.at("folder/proof/marked.html")).unwrap();
    assert_eq!(marked.matches("data-mark=\"").count(), 1, "{marked}");
    assert!(marked.contains("data-mark=\"team\"") && marked.contains(">Team Red<"), "{marked}");

    place.done(&["verify", "folder"]);
    for (file, from, to) in [
        ("proof/record.json", "Person 33", "Person 34"),
        ("pages/pages.jsonl", "Pages", "pages"),
        ("datapackage.json", "wacz_version", "wacz_versiom"),
    ] {
        let path = place.at(&format!("folder/{file}"));
        let before = std::fs::read_to_string(&path).unwrap();
        assert!(before.contains(from) || file.starts_with("pages"), "{file}: {before}");
        std::fs::write(&path, if before.contains(from) { before.replace(from, to) } else { format!("{before} ") })
            .unwrap();
        let caught = place.tried(&["verify", "folder"]);
        assert_eq!(caught.status.code(), Some(1), "{file}: {}{}", stdout(&caught), stderr(&caught));
        assert!(
            checks(&stdout(&caught)).iter().any(|(part, _, ok, _)| part == file && !ok),
            "{file}: {}",
            stdout(&caught)
        );
        std::fs::write(&path, before).unwrap();
    }
    std::fs::write(place.at("folder/proof/more.txt"), "x").unwrap();
    assert_eq!(place.tried(&["verify", "folder"]).status.code(), Some(1));
    let refused = place.tried(&["prove", &third, "--out", "folder"]);
    assert!(stderr(&refused).contains("is there already"), "{}", stderr(&refused));
}

/// What `wacz`, `warcio` and Python's `zipfile` say of the same file.
const OTHERS: &str = "
import io, json, sys, zipfile
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker
from wacz.main import main
assert main(['validate', '-f', sys.argv[1]]) == 0
book = zipfile.ZipFile(sys.argv[1])
assert all(entry.compress_type == 0 for entry in book.infolist())
index = [line.split(' ', 2) for line in book.read('indexes/index.cdx').decode().splitlines()]
seen = []
for key, at, told in index:
    told = json.loads(told)
    data = book.read('archive/' + told['filename'])[int(told['offset']):int(told['offset']) + int(told['length'])]
    record = next(iter(ArchiveIterator(io.BytesIO(data))))
    body = record.content_stream().read().decode()
    seen.append([key, record.rec_headers.get_header('WARC-Target-URI'), record.http_headers.get_statuscode(), told['status'], sys.argv[2] in body])
print(json.dumps(seen))
";

#[test]
fn tools_of_others_read_it() {
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample()]);
    let third = staff.site.url("/people/3");
    place.done(&["prove", &third, "--out", "third.wacz"]);
    let (Some(_), Some(python)) = (python("warcio"), python("wacz")) else { return };
    let said = python_says(&python, OTHERS, &[&place.at("third.wacz"), &email(3)]);
    let seen: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let port = third.split(':').nth(2).unwrap().split('/').next().unwrap();
    assert_eq!(seen, serde_json::json!([[format!("127.0.0.1:{port})/people/3"), third, "200", "200", true]]), "{said}");
}

#[test]
fn a_run_in_which_nothing_changed_leaves_a_proof_with_a_time() {
    let Some(authority) = Authority::start(&["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]) else { return };
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample()]);
    let second = place.done(&["run", &staff.sample(), "--recheck", "--timestamp", &authority.url]);
    let second: Value = serde_json::from_str(second.lines().next().unwrap()).unwrap();
    assert_eq!((&second["new"], &second["changed"], &second["gone"]), (&0.into(), &0.into(), &0.into()));
    let folder = std::fs::read_dir(place.at("p.pages")).unwrap().next().unwrap().unwrap().path();
    let archive = folder.join("run-000002-001.warc.gz");
    let said: Value =
        serde_json::from_slice(&std::fs::read(folder.join("run-000002-001.proof.json")).unwrap()).unwrap();
    assert_eq!((&said["nothing_changed"], &said["records"]), (&true.into(), &PEOPLE.into()), "{said}");
    let (archive, token) = (archive.to_string_lossy().into_owned(), format!("{}.tsr", archive.display()));
    assert!(authority.verifies(&token, &archive), "openssl does not know its own token");
    let fine = checks(&place.done(&["verify", &archive]));
    assert!(
        fine.iter().any(|(_, check, ok, told)| check == "timestamp" && *ok && told.contains("Stamp One, Test Stamps")),
        "{fine:?}"
    );
    assert!(fine.iter().any(|(_, _, ok, told)| *ok && told.ends_with("nothing had changed")), "{fine:?}");

    place.done(&["prove", "--run", "2", "--out", "week.wacz"]);
    let fine = checks(&place.done(&["verify", "week.wacz"]));
    assert!(fine.iter().all(|(_, _, ok, _)| *ok), "{fine:?}");
    assert!(
        fine.iter().any(|(part, check, _, _)| part == "proof/run-000002-001.warc.gz.tsr" && check == "timestamp"),
        "{fine:?}"
    );
    assert!(
        fine.iter().any(|(part, _, _, told)| part == "proof/run.json" && told.ends_with("nothing had changed")),
        "{fine:?}"
    );

    let mut bytes = std::fs::read(&archive).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&archive, bytes).unwrap();
    let caught = place.tried(&["verify", &archive]);
    assert_eq!(caught.status.code(), Some(1));
    let wrong: Vec<String> = checks(&stdout(&caught)).into_iter().filter(|own| !own.2).map(|own| own.1).collect();
    assert!(["records", "timestamp", "digest"].iter().all(|check| wrong.iter().any(|own| own == check)), "{wrong:?}");
}

#[test]
fn time_stamps_of_several_kinds_of_keys_are_checked() {
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample()]);
    for (at, kind) in [
        ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"],
        ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-384"],
    ]
    .iter()
    .enumerate()
    {
        let Some(authority) = Authority::start(kind) else { return };
        let out = format!("p{at}");
        let told: Value = serde_json::from_str(&place.done(&[
            "prove",
            &staff.sample(),
            "--timestamp",
            &authority.url,
            "--out",
            &out,
        ]))
        .unwrap();
        let digest = told["archives"][0][1].as_str().unwrap();
        assert_eq!(told["timestamps"][0]["digest"], digest, "{told}");
        let of = |name: &str| place.at(&format!("{out}/{name}"));
        assert!(authority.verifies(&of("proof/data.warc.gz.tsr"), &of("archive/data.warc.gz")));
        assert!(checks(&place.done(&["verify", &out])).iter().any(|own| own.1 == "timestamp" && own.2));
        // A byte of the signature: the last of the token.
        let token = of("proof/data.warc.gz.tsr");
        let mut bytes = std::fs::read(&token).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        std::fs::write(&token, bytes).unwrap();
        let caught = place.tried(&["verify", &out]);
        assert!(checks(&stdout(&caught)).iter().any(|own| own.1 == "timestamp" && !own.2), "{}", stdout(&caught));
    }
}

#[test]
fn who_is_no_authority_is_told() {
    let (staff, place) = (Staff::start(), Place::new());
    place.done(&["run", &staff.sample()]);
    let refused =
        place.tried(&["prove", &staff.sample(), "--timestamp", &staff.site.url("/people/2"), "--out", "x.wacz"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("hint:") && !Path::new(&place.at("x.wacz")).exists(), "{}", stderr(&refused));
}

#[test]
fn what_cannot_be_verified_is_told() {
    let place = Place::new();
    std::fs::write(place.at("x.wacz"), "no zip").unwrap();
    std::fs::write(place.at("x.txt"), "no archive").unwrap();
    for name in ["x.wacz", "absent.wacz", "absent"] {
        let refused = place.tried(&["verify", name]);
        assert_eq!(refused.status.code(), Some(2), "{name}");
        assert!(stderr(&refused).contains(name) && stderr(&refused).contains("hint:"), "{}", stderr(&refused));
    }
    assert_eq!(place.tried(&["verify", "x.txt"]).status.code(), Some(1));
}
