//! What does Python see of pagekin? The module `pagekin._native`, which the package `pagekin` wraps in plain Python.
//!
//! - [`session`]: one site and its stages. - [`run`]: the whole job, kept in a database. - [`wrapper`], [`model`]: what was learned, used on pages.
//! - [`records`]: records as tables. - [`check`]: are they true? - [`archive`]: parts of archives. - [`table`]: Arrow, in and out.
//! - [`job`]: work with the interpreter released, stopped by Ctrl-C or an exception of the callback. - [`options`]: what was asked for. - [`error`].
//!
//! Prints nothing, and knows neither pandas nor polars: tables are handed over as Arrow streams.

mod archive;
mod check;
mod error;
mod job;
mod model;
mod options;
mod records;
mod run;
mod session;
mod table;
mod wrapper;

use pyo3::prelude::*;

/// Parsing makes millions of small allocations on all cores, where the system allocator waits for itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The command `pagekin`: arguments with the name of the program first → exit code.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| pagekin_cli::command(arguments))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<archive::Part>()?;
    module.add_class::<job::Stop>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<records::Records>()?;
    module.add_class::<session::Session>()?;
    module.add_class::<table::Table>()?;
    module.add_class::<wrapper::Wrapper>()?;
    module.add_function(wrap_pyfunction!(archive::indexed_pages, module)?)?;
    module.add_function(wrap_pyfunction!(archive::links, module)?)?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(command, module)?)?;
    module.add_function(wrap_pyfunction!(run::run, module)?)
}
