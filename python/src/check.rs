//! Are records true? Records, reference and rules → findings.

use crate::error::{from_pagekin, raised};
use crate::job::runtime;
use crate::records::Records;
use crate::table::{Table, batches, cell};
use pagekin::check::{Judge, Reference, listed, rules};
use pagekin::{export, reference};
use pyo3::prelude::*;

/// One row a finding. `reference`: a table, or the name of a file or of a table of a database. `rules`: the text of a rules file.
#[pyfunction]
pub fn check(py: Python<'_>, records: &Records, reference: &Bound<'_, PyAny>, rules: &str) -> PyResult<Table> {
    let wrong = |troubles: Vec<_>| {
        raised(&format!(
            "cannot use the rules:\n{}\n\nhint: docs/stages/check.md says what they may hold",
            listed(&troubles)
        ))
    };
    let parsed = rules::parse(rules).map_err(wrong)?;
    let known = known(py, reference)?;
    let judge = Judge::new(&parsed, known).map_err(wrong)?;
    let findings = py.detach(|| judge.judge_all(&records.records));
    export::table_of_findings(&findings).map(Table::new).map_err(from_pagekin)
}

fn known(py: Python<'_>, given: &Bound<'_, PyAny>) -> PyResult<Reference> {
    if let Ok(name) = given.extract::<String>() {
        let runtime = runtime()?;
        return py.detach(|| runtime.block_on(reference::open(&name))).map_err(from_pagekin);
    }
    let given = batches(given)?;
    let columns = given.first().map(|batch| batch.schema().fields().iter().map(|field| field.name().clone()).collect());
    let mut known = Reference::new(columns.unwrap_or_default());
    for batch in &given {
        for row in 0..batch.num_rows() {
            let cells: Vec<String> =
                batch.columns().iter().map(|column| cell(column.as_ref(), row).unwrap_or_default()).collect();
            if !known.push(cells.iter().map(String::as_str)) {
                return Err(raised(
                    "the reference is too large: a column holds more than 4 GB\n\nhint: leave out columns that no rule names",
                ));
            }
        }
    }
    Ok(known)
}
