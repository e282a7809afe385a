//! Parts of archives as tables of pages, and what needs nothing but the page: a file and a range, or rows of an index → pages; pages → links.

use crate::error::from_pagekin;
use crate::job::runtime;
use crate::table::{Table, batches, mapped};
use pagekin::frames::{self, PartFrames};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// The pages whose records begin in a range of a WARC file, batch by batch.
#[pyclass(frozen)]
pub struct Part {
    frames: Mutex<PartFrames>,
}

#[pymethods]
impl Part {
    #[new]
    fn new(py: Python<'_>, path: PathBuf, start: u64, end: u64) -> PyResult<Self> {
        let frames = py.detach(|| PartFrames::open(&path, start, end)).map_err(from_pagekin)?;
        Ok(Self { frames: Mutex::new(frames) })
    }

    /// The next pages; none at the end.
    fn next_batch(&self, py: Python<'_>) -> PyResult<Option<Table>> {
        let read = || self.frames.lock().unwrap_or_else(PoisonError::into_inner).next_batch();
        Ok(py.detach(read).map_err(from_pagekin)?.map(Table::new))
    }
}

/// The pages that rows of an index name, from the files below `base`.
#[pyfunction]
pub fn indexed_pages(py: Python<'_>, rows: &Bound<'_, PyAny>, base: &str) -> PyResult<Vec<Table>> {
    let (given, runtime) = (batches(rows)?, runtime()?);
    let read = || -> Result<Vec<_>, pagekin::Error> {
        let mut all = Vec::new();
        for batch in &given {
            all.extend(runtime.block_on(frames::indexed_pages(batch, base))?);
        }
        Ok(all)
    };
    Ok(py.detach(read).map_err(from_pagekin)?.into_iter().map(Table::new).collect())
}

/// One row a link of the pages: `url`, `target`, `path`, `text`.
#[pyfunction]
#[pyo3(signature = (pages, one_core=false))]
pub fn links(py: Python<'_>, pages: &Bound<'_, PyAny>, one_core: bool) -> PyResult<Vec<Table>> {
    mapped(py, pages, one_core, frames::links)
}
