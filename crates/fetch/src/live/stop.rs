//! Has the user stopped the run? A flag that tasks can also wait for.

use std::sync::Arc;
use tokio::sync::watch;

/// Cheap to clone; all clones are one flag. Once set it stays set.
#[derive(Debug, Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Default for Stop {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(false)))
    }
}

impl Stop {
    /// Ask everything that holds this flag to come to an end.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    pub fn is_stopped(&self) -> bool {
        *self.0.borrow()
    }

    /// Returns when the flag is set, at once if it is already.
    pub async fn stopped(&self) {
        // An error would mean that the sender is gone, and `self` holds it.
        let _ = self.0.subscribe().wait_for(|stopped| *stopped).await;
    }
}
