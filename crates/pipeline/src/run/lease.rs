//! Who says that a run is still worked on? A thread of its own, however busy the work is.
//!
//! - [`Lease`]: held as long as it lives. When it cannot be renewed any more, the run is stopped: it is somebody else's.
//!
//! It has a runtime and a connection of its own: where the threads of the work, or its connections, are all taken, a sign of life
//! would come too late.

use crate::Error;
use pagekin_fetch::Stop;
use pagekin_store::{Run, Store};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

pub struct Lease {
    lost: Arc<Mutex<Option<Error>>>,
    /// Its end ends the thread.
    _held: mpsc::Sender<()>,
}

impl Lease {
    /// `stop`: set when the lease is lost.
    pub fn hold(store: &Store, run: &Run, lease: Duration, stop: &Stop) -> Result<Self, Error> {
        let (held, released) = mpsc::channel();
        let lost = Arc::new(Mutex::new(None));
        let (own, store, run, stop) = (lost.clone(), store.clone(), run.clone(), stop.clone());
        let thread = std::thread::Builder::new().name("lease".to_owned()).spawn(move || {
            if let Err(error) = renewing(&store, &run, lease, &released) {
                *own.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                stop.stop();
            }
        });
        thread.map(|_| Self { lost, _held: held }).map_err(Error::Thread)
    }

    /// Why it was lost, if it was.
    pub fn lost(&self) -> Option<Error> {
        self.lost.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Until it is released.
fn renewing(store: &Store, run: &Run, lease: Duration, released: &mpsc::Receiver<()>) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::Thread)?;
    let store = runtime.block_on(async { store.apart() })?;
    while released.recv_timeout(lease / 3) == Err(RecvTimeoutError::Timeout) {
        runtime.block_on(store.renew(run, lease))?;
    }
    Ok(())
}
