//! Files for people: a spreadsheet that says what it is, CSV that Excel reads, a description that programs read.

use crate::common::{DemoSite, stderr};
use crate::support::{Place, python, python_says};
use serde_json::Value;

const SHEETS: &str = "
import json, sys, openpyxl
book = openpyxl.load_workbook(sys.argv[1])
told = {'sheets': book.sheetnames, 'about': [[cell.value for cell in row] for row in book['about'].iter_rows()]}
for name in book.sheetnames[:-1]:
    sheet = book[name]
    header = [cell.value for cell in sheet[1]]
    told[name] = {'rows': sheet.max_row - 1, 'types': {h: sorted({sheet.cell(r, i + 1).data_type for r in range(2, sheet.max_row + 1)}) for i, h in enumerate(header)},
                  'links': sum(1 for r in range(2, sheet.max_row + 1) if sheet.cell(r, header.index('_url') + 1).hyperlink)}
print(json.dumps(told))
";

#[test]
fn a_spreadsheet_has_links_and_says_what_it_is() {
    let (site, place) = (DemoSite::start(), Place::new());
    place.done(&["run", &site.sample()]);
    place.done(&["export", "--out", "drivers.xlsx"]);
    let Some(python) = python("openpyxl") else { return };
    let told: Value = serde_json::from_str(&python_says(&python, SHEETS, &[&place.at("drivers.xlsx")])).unwrap();
    let sheets: Vec<&str> = told["sheets"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(sheets, ["records", "about"]);
    let records = &told["records"];
    assert_eq!((&records["rows"], &records["links"]), (&168.into(), &168.into()), "{told}");
    let about: Vec<(&str, &str)> = told["about"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row[0].as_str().unwrap_or_default(), row[1].as_str().unwrap_or_default()))
        .collect();
    let line = |name: &str| about.iter().find(|(own, _)| *own == name).map(|(_, text)| *text).unwrap_or_default();
    assert!(line("kind of pages").starts_with("drivers of 127.0.0.1:"), "{about:?}");
    assert_eq!(line("shown by"), site.sample());
    assert!(line("last run ended").starts_with("20"), "{about:?}");
    assert!(line("how complete").starts_with("168 of the 168 known pages were read"), "{about:?}");
}

const DESCRIBED: &str = "
import sys
from frictionless import validate
report = validate(sys.argv[1])
print(report.valid, report.flatten(['name', 'type', 'note']))
";

#[test]
fn a_data_package_describes_every_file_beside_it() {
    let (site, place) = (DemoSite::start(), Place::new());
    place.done(&["run", &site.sample()]);
    place.done(&["export", "--out", "drivers.csv", "--csv-bom", "--data-package", "--times"]);
    let described: Value = serde_json::from_slice(&std::fs::read(place.at("datapackage.json")).unwrap()).unwrap();
    let files: Vec<&str> =
        described["resources"].as_array().unwrap().iter().filter_map(|own| own["path"].as_str()).collect();
    assert_eq!(files, ["drivers.csv"]);
    for file in &files {
        let bytes = std::fs::read(place.at(file)).unwrap();
        assert!(bytes.starts_with("\u{feff}".as_bytes()), "{file} has no mark");
        assert_eq!(bytes.windows(3).filter(|own| own == b"\xef\xbb\xbf").count(), 1, "{file}");
    }
    assert!(described["description"].as_str().unwrap().contains("168 of the 168 known pages were read"), "{described}");
    let Some(python) = python("frictionless") else { return };
    let said = python_says(&python, DESCRIBED, &[&place.at("datapackage.json")]);
    assert_eq!(said.trim(), "True []", "{described:#}");
    std::fs::write(place.at("drivers.csv"), "changed").unwrap();
    let said = python_says(&python, DESCRIBED, &[&place.at("datapackage.json")]);
    assert!(said.starts_with("False"), "{said}");
}

#[test]
fn other_files_are_described_too_and_stdout_is_not() {
    let (site, place) = (DemoSite::start(), Place::new());
    place.done(&["run", &site.sample()]);
    let described = |name: &str| -> Value {
        place.done(&["export", "--out", name, "--data-package"]);
        serde_json::from_slice(&std::fs::read(place.at("datapackage.json")).unwrap()).unwrap()
    };
    let parquet = described("drivers.parquet");
    let fields = parquet["resources"][0]["schema"]["fields"].as_array().unwrap();
    assert!(fields.iter().any(|field| field["type"] == "number" && field["name"] != "_confidence"), "{fields:?}");
    assert_eq!(described("drivers.xlsx")["resources"][0]["format"], "xlsx");
    assert_eq!(described("drivers.jsonl")["resources"][0]["mediatype"], "application/jsonl");
    let refused = place.tried(&["export", "--data-package"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(stderr(&refused).contains("--out"), "{}", stderr(&refused));
}
