//! The classes of pages of a site, used on pages: a table of pages → their classes.

use crate::error::from_pagekin;
use crate::table::{Table, mapped};
use pagekin::model::Classifier;
use pagekin::{frames, modelled};
use pyo3::prelude::*;

/// Says of which class of a site a page is.
#[pyclass(frozen)]
pub struct Model {
    classifier: Classifier,
}

#[pymethods]
impl Model {
    /// From the text of a model file.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        let model = modelled::parse(text).map_err(from_pagekin)?;
        Ok(Self { classifier: Classifier::new(&model, Default::default()) })
    }

    /// One row a page: `url`, `class` (none: unknown), `cost`, `skipped`.
    #[pyo3(signature = (pages, one_core=false))]
    fn classes(&self, py: Python<'_>, pages: &Bound<'_, PyAny>, one_core: bool) -> PyResult<Vec<Table>> {
        mapped(py, pages, one_core, |batch| frames::classes(batch, &self.classifier))
    }
}
