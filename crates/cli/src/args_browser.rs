//! Which browser draws pages, and how is it started? `--render-program`, `--render-no-sandbox`, for the commands that may need one.

use clap::Args;
use std::path::PathBuf;

/// The browser that opens pages.
#[derive(Debug, Args, Default)]
pub struct BrowserArgs {
    /// The browser: Chromium or a relative, the program itself and no wrapper [default: where systems keep it]
    #[arg(long, value_name = "FILE")]
    pub render_program: Option<PathBuf>,
    /// Start the browser without its sandbox: as root, or where the system forbids it
    #[arg(long)]
    pub render_no_sandbox: bool,
}
