//! How does work go on beside the interpreter? Work → its result, with the interpreter released, and ended by Ctrl-C or by an exception of the callback.
//!
//! - [`Stop`]: ends work from another thread. - [`watched`]: runs work in a thread, and looks in between for signals and hands on what was done.

use crate::error::from_pagekin;
use pagekin::Stats;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::OnceLock;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;
use tokio::runtime::Runtime;

/// Between two looks: soon enough for a person at the keyboard.
const TICK: Duration = Duration::from_millis(50);

/// Ends work that is under way; set it from another thread.
#[pyclass(frozen)]
#[derive(Clone, Default)]
pub struct Stop(pub pagekin::Stop);

#[pymethods]
impl Stop {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// End what is under way.
    fn set(&self) {
        self.0.stop();
    }

    /// Was it set?
    fn is_set(&self) -> bool {
        self.0.is_stopped()
    }
}

/// One for all work of this process.
pub fn runtime() -> PyResult<&'static Runtime> {
    static RUNTIME: OnceLock<Result<Runtime, String>> = OnceLock::new();
    let made = || tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| error.to_string());
    RUNTIME.get_or_init(made).as_ref().map_err(|reason| PyRuntimeError::new_err(reason.clone()))
}

/// What the callback hears: counters, and the stage where there are several.
#[derive(Default)]
pub struct News {
    pub stage: Option<&'static str>,
    pub stats: Option<Stats>,
}

/// Runs work in a thread of its own. `progress` hears of it about twenty times a second; an exception in it ends the work and is raised.
pub fn watched<T: Send>(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    stop: &pagekin::Stop,
    news: impl Fn() -> News + Sync,
    work: impl FnOnce() -> Result<T, pagekin::Error> + Send,
) -> PyResult<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let working = scope.spawn(move || {
                let _ = sender.send(work()); // The receiver waits until the end.
            });
            let mut raised = None;
            let result = loop {
                match receiver.recv_timeout(TICK) {
                    Ok(result) => break Some(result),
                    Err(RecvTimeoutError::Disconnected) => break None,
                    Err(RecvTimeoutError::Timeout) if raised.is_none() => {
                        if let Err(error) = Python::attach(|py| tell(py, progress, &news())) {
                            stop.stop();
                            raised = Some(error);
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            };
            let ended = working.join();
            match (raised, result) {
                (Some(error), _) => Err(error),
                (None, Some(result)) => {
                    Python::attach(|py| tell(py, progress, &news()))?;
                    result.map_err(from_pagekin)
                }
                (None, None) => {
                    Err(PyRuntimeError::new_err(format!("the work ended by a fault of pagekin: {ended:?}")))
                }
            }
        })
    })
}

fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, news: &News) -> PyResult<()> {
    py.check_signals()?;
    let Some(progress) = progress else { return Ok(()) };
    let told = PyDict::new(py);
    told.set_item("stage", news.stage)?;
    let stats = news.stats.clone().unwrap_or_default();
    told.set_item("pages", stats.downloads)?;
    told.set_item("requests", stats.requests)?;
    told.set_item("bytes", stats.bytes)?;
    told.set_item("skipped", stats.skipped.values().sum::<u64>())?;
    progress.call1(py, (told,)).map(drop)
}
