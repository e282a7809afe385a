//! How is a failure told in Python? An error of ours → `pagekin.Error`, with the hint as an attribute.

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The message stands before the empty line, the hint behind it.
pub fn raised(text: &str) -> PyErr {
    let (message, hint) = match text.split_once("\n\nhint: ") {
        Some((message, hint)) => (message, Some(hint)),
        None => (text, None),
    };
    Python::attach(|py| match made(py, message, hint) {
        Ok(error) => error,
        Err(_) => PyRuntimeError::new_err(text.to_owned()),
    })
}

fn made(py: Python<'_>, message: &str, hint: Option<&str>) -> PyResult<PyErr> {
    let class = py.import("pagekin._errors")?.getattr("Error")?;
    Ok(PyErr::from_value(class.call1((message, hint))?))
}

pub fn from_pagekin(error: pagekin::Error) -> PyErr {
    raised(&error.to_string())
}
