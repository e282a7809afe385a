//! What was learned of a kind of pages, used on pages: HTML → record; a table of pages → a table of records.

use crate::error::raised;
use crate::table::{Table, mapped};
use pagekin::Url;
use pagekin::extract::{Applied, Wrapper as Learned, batch, wrapper};
use pagekin::frames;
use pagekin::page::robots;
use pagekin::pages::RawPage;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Reads pages of the kind that it was learned from.
#[pyclass(frozen)]
pub struct Wrapper {
    applied: Vec<Applied>,
}

impl Wrapper {
    pub fn new(learned: Vec<Learned>) -> PyResult<Self> {
        let applied = learned.into_iter().map(Applied::new).collect::<Result<_, _>>();
        Ok(Self { applied: applied.map_err(|error| raised(&error.to_string()))? })
    }
}

#[pymethods]
impl Wrapper {
    /// From the text of a wrapper file.
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        Self::new(wrapper::parse(text).map_err(|error| raised(&error.to_string()))?)
    }

    /// As text, for a file.
    fn text(&self) -> PyResult<String> {
        let wrappers: Vec<Learned> = self.applied.iter().map(|one| one.wrapper.clone()).collect();
        wrapper::text(&wrappers).map_err(|error| raised(&error.to_string()))
    }

    /// Name, type and labels of what it reads, by class.
    fn slots(&self) -> Vec<(String, String, String, Vec<String>)> {
        let of = |one: &Applied| {
            let class = one.wrapper.class.clone();
            let slots = one.wrapper.slots.iter();
            slots
                .map(move |slot| {
                    (
                        class.clone(),
                        slot.name.clone(),
                        slot.typed.clone().unwrap_or_else(|| "text".to_owned()),
                        slot.labels.clone(),
                    )
                })
                .collect::<Vec<_>>()
        };
        self.applied.iter().flat_map(of).collect()
    }

    /// The record of one page as JSON; none when the page is of another kind.
    fn record(
        &self,
        py: Python<'_>,
        html: &Bound<'_, PyBytes>,
        url: &str,
        content_type: Option<String>,
    ) -> PyResult<Option<String>> {
        let url = Url::parse(url)
            .map_err(|error| raised(&format!("`{url}` is no address: {error}\n\nhint: give it whole")))?;
        let body = html.as_bytes().to_vec();
        py.detach(|| {
            let robots = robots::of(std::iter::empty(), &body);
            let page = RawPage { url, redirects: Vec::new(), status: 200, content_type, body: body.into(), robots };
            match batch::records(&[page], &self.applied, false).pop() {
                Some(Ok(record)) => {
                    pagekin::export::json_line(&record).map(Some).map_err(|error| raised(&error.to_string()))
                }
                _ => Ok(None),
            }
        })
    }

    /// One row a page: `url`, `class`, `attributes`, `record`, `skipped`.
    #[pyo3(signature = (pages, one_core=false))]
    fn records(&self, py: Python<'_>, pages: &Bound<'_, PyAny>, one_core: bool) -> PyResult<Vec<Table>> {
        mapped(py, pages, one_core, |batch| frames::records(batch, &self.applied))
    }
}
