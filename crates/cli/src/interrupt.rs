//! Has the user pressed Ctrl-C? The first one asks the run to end with what it has, the second one ends the process.

use crate::exit::Exit;
use pagekin::Stop;
use tokio::runtime::Runtime;

/// The flag a run looks at, set by the first Ctrl-C.
pub fn listen(runtime: &Runtime) -> Stop {
    let stop = Stop::default();
    let flag = stop.clone();
    runtime.spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            crate::talk::tell("stopping; press Ctrl-C again to end at once");
            flag.stop();
        }
        if tokio::signal::ctrl_c().await.is_ok() {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
    stop
}
