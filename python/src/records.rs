//! Records of pages: as a table, as tables within pages, as lines of JSON; and from a table of others.

use crate::error::{from_pagekin, raised};
use crate::table::{Table, batches, cell};
use crate::wrapper::Wrapper;
use pagekin::Url;
use pagekin::export::{json_line, table_of_records, tables_of_children};
use pagekin::extract::{Record, Wrapper as Learned};
use pyo3::prelude::*;
use std::collections::BTreeMap;

/// What pages say, one record a page.
#[pyclass(frozen)]
pub struct Records {
    pub records: Vec<Record>,
    wrappers: Vec<Learned>,
}

impl Records {
    pub fn new(records: Vec<Record>, wrappers: Vec<Learned>) -> Self {
        Self { records, wrappers }
    }
}

#[pymethods]
impl Records {
    /// Rows of another table: a column `_url` or `url`, and a column for each attribute.
    #[staticmethod]
    fn from_table(table: &Bound<'_, PyAny>) -> PyResult<Self> {
        let mut records = Vec::new();
        for batch in batches(table)? {
            let column =
                batch.schema().column_with_name("_url").or(batch.schema().column_with_name("url")).map(|(at, _)| at);
            let none = || raised("the table has no column `_url`\n\nhint: name the column of the addresses `_url`");
            let at = column.ok_or_else(none)?;
            for row in 0..batch.num_rows() {
                records.push(record(&batch, at, row)?);
            }
        }
        Ok(Self::new(records, Vec::new()))
    }

    fn __len__(&self) -> usize {
        self.records.len()
    }

    /// A column for each attribute, of the type that all its values have.
    fn table(&self, py: Python<'_>) -> PyResult<Table> {
        py.detach(|| table_of_records(&self.records)).map(Table::new).map_err(from_pagekin)
    }

    /// Tables within the pages, by name.
    fn children(&self, py: Python<'_>) -> PyResult<BTreeMap<String, Table>> {
        let tables = py.detach(|| tables_of_children(&self.records)).map_err(from_pagekin)?;
        Ok(tables.into_iter().map(|(name, table)| (name, Table::new(table))).collect())
    }

    /// A record as the line of JSON that the command writes.
    fn line(&self, at: usize) -> PyResult<String> {
        let none = || pyo3::exceptions::PyIndexError::new_err("there is no such record");
        json_line(self.records.get(at).ok_or_else(none)?).map_err(|error| raised(&error.to_string()))
    }

    /// What read the pages.
    fn wrapper(&self) -> PyResult<Wrapper> {
        Wrapper::new(self.wrappers.clone())
    }
}

fn record(batch: &arrow_array::RecordBatch, address: usize, row: usize) -> PyResult<Record> {
    let text = cell(batch.column(address).as_ref(), row).unwrap_or_default();
    let wrong = |error| {
        raised(&format!("`{text}` is no address: {error}\n\nhint: the column `_url` holds the address of the page"))
    };
    let url = Url::parse(&text).map_err(wrong)?;
    let schema = batch.schema();
    let own = |name: &str| matches!(name, "_url" | "_class" | "_site" | "_record" | "_confidence" | "_unlinked");
    let columns = schema.fields().iter().enumerate().filter(|(at, field)| *at != address && !own(field.name()));
    let filled =
        columns.filter_map(|(at, field)| Some((field.name().clone(), vec![cell(batch.column(at).as_ref(), row)?])));
    Ok(Record {
        url,
        class: String::new(),
        attributes: filled.collect(),
        children: BTreeMap::new(),
        evidence: BTreeMap::new(),
    })
}
