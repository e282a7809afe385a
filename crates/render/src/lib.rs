//! What is on a page after its scripts ran? Address, and somebody who answers requests → the DOM as HTML, and boxes if wanted.
//!
//! ```text
//! Renderer ─► Browser: one process ─► Tab: one page ─► requests: each is paused, and answered by the Network given
//!              (process, wire)         (visit)          (nothing else reaches the network)
//! ```
//!
//! - [`Renderer`]: a browser, started when it is first needed, again when it broke and after so many pages.
//! - [`Network`]: who answers the requests of a page; [`Request`] and [`Response`] are what it takes and gives.
//! - [`Rendered`], [`Failure`]: what came of a page. - [`Settings`], [`Error`]: how, and why there is no browser.
//!
//! The browser is Chromium over its debugging pipe: no port is opened, and it ends when the pipe does, whatever ended us.
//! Knows nothing of robots.txt, pace or archives: those belong to the network given. Decides not which page is worth it.

mod browser;
mod error;
mod layout;
mod memory;
mod network;
mod process;
mod renderer;
mod requests;
mod scripts;
mod settings;
mod tab;
mod wire;

pub use error::{Error, Failure};
pub use network::{Network, Request, Response};
pub use renderer::Renderer;
pub use settings::Settings;
pub use tab::Rendered;
