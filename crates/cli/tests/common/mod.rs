//! What the tests of several commands share: the binary, the demo site on loopback (plain, and as [`championship`] with a
//! log), the real sites.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod championship;
pub mod shop;

use assert_cmd::Command;
use std::path::PathBuf;
use std::process::Output;
use std::thread::JoinHandle;
use tokio::sync::oneshot;

/// The command, without the surroundings of who runs the tests.
pub fn pagekin() -> Command {
    let mut command = Command::cargo_bin("pagekin").expect("the binary");
    command.env_remove("RUST_LOG").env("NO_COLOR", "1").env("COLUMNS", "100");
    command
}

pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("UTF-8 on stdout")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("UTF-8 on stderr")
}

/// Exit code, stdout and stderr of a command, as a user sees them.
pub fn seen(arguments: &[&str]) -> String {
    let output = pagekin().args(arguments).output().expect("it runs");
    let code = output.status.code().expect("an exit code");
    format!("exit code: {code}\n----- stdout -----\n{}----- stderr -----\n{}", stdout(&output), stderr(&output))
}

/// The demo site, served until dropped.
pub struct DemoSite {
    pub root: String,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl DemoSite {
    pub fn start() -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let (ready, address) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
                ready.send(listener.local_addr().expect("an address")).expect("the starter waits");
                tokio::select! {
                    served = pagekin_web::demo::serve(listener, std::future::pending()) => served.expect("served"),
                    _ = stopped => {}
                }
            });
            runtime.shutdown_background();
        });
        let address = address.recv().expect("the server starts");
        Self { root: format!("http://{address}"), stop: Some(stop), thread: Some(thread) }
    }

    pub fn sample(&self) -> String {
        format!("{}{}", self.root, pagekin_web::demo::Site::new().sample())
    }
}

impl Drop for DemoSite {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The real sites; says so where they are absent.
pub fn sites() -> Option<PathBuf> {
    pagekin_testkit::data::find("sites")
}
