//! `pagekin serve`: the whole job in a browser on this machine.

use crate::args::FetchArgs;
use crate::config::Config;
use crate::exit::Exit;
use crate::report::published;
use crate::run::args::{DbArgs, PagesArgs};
use crate::run::opened;
use crate::talk::Talk;
use anyhow::{Context, Result};
use clap::Args;
use pagekin::Stop;
use pagekin_web::serve::secrets::Secrets;
use pagekin_web::serve::{Settings, serve};
use std::process::{Command, Stdio};
use tokio::net::TcpListener;

#[derive(Debug, Args)]
#[command(after_help = "\
Only this machine can reach it. The address that is printed holds a token; whoever opens it is logged in.
Programs send the token as `Authorization: Bearer`; /api/openapi.json says what they can ask.

Examples:
  pagekin serve
  pagekin serve --db drivers.db --port 0 --open")]
pub struct ServeArgs {
    /// Port to serve on; 0 takes a free one
    #[arg(long, value_name = "N", default_value_t = 8000)]
    pub port: u16,
    /// Open the address in the browser
    #[arg(long)]
    pub open: bool,
    /// Sites that are worked on at the same time
    #[arg(long, value_name = "N", value_parser = crate::args::positive, default_value = "2")]
    pub sites: usize,
    #[command(flatten)]
    pub db: DbArgs,
    #[command(flatten)]
    pub kept: PagesArgs,
    #[command(flatten)]
    pub fetch: FetchArgs,
}

pub async fn run(args: &ServeArgs, config: &Config, talk: &Talk, stop: Stop) -> Result<Exit> {
    let store = opened(&args.db, true).await?;
    let listener = TcpListener::bind(("127.0.0.1", args.port)).await.with_context(|| {
        format!("cannot serve on port {}\n\nhint: is it taken? `--port 0` takes a free one", args.port)
    })?;
    let address = listener.local_addr().context("the port has no address\n\nhint: try again")?;
    let secrets = Secrets::new().context("the system gives no random numbers\n\nhint: try again")?;
    let url = format!("http://{address}/?token={}", secrets.token());
    talk.say(format_args!("serving `{}` until Ctrl-C:\n\n  {url}\n", store.place()));
    if args.open {
        open(&url, talk);
    }
    let settings = Settings {
        store,
        pages: args.kept.folder(&args.db),
        secrets,
        source: config.fetch(&args.fetch, 0, stop.clone()),
        publish: Some(published()),
        stop,
        at_once: args.sites,
    };
    serve(listener, settings).await?;
    Ok(Exit::Done)
}

fn open(url: &str, talk: &Talk) {
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let started =
        Command::new(program).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    if let Err(error) = started {
        talk.say(format_args!("hint: `{program}` cannot open it ({error}); copy the address into a browser"));
    }
}
