//! The program `pagekin`. The command is in the library beside it, which the Python package calls, too.

use std::process::ExitCode;

/// Parsing makes millions of small allocations on all cores, where the system allocator waits for itself.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    ExitCode::from(pagekin_cli::command(std::env::args_os()))
}
