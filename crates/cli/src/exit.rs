//! How did it end, for scripts? The documented exit codes.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    Done = 0,
    /// Done, with findings or failed checks.
    Findings = 1,
    CouldNotRun = 2,
    /// What was found so far was written.
    Interrupted = 130,
}
