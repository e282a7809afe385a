//! `pagekin accept`: makes the data of a run current that was held back, because it was not as expected.

use super::args::DbArgs;
use super::opened;
use crate::exit::Exit;
use crate::talk::Talk;
use anyhow::Result;
use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
A run that misses what is expected of it ends with exit code 1; the data before it stays current. After this command the
run's own data is current.

Examples:
  pagekin accept 7
  pagekin accept 7 --db postgres://pagekin@db.example.org/pagekin
  pagekin query \"SELECT id, ended_at FROM runs WHERE quarantine = 'held'\"")]
pub struct AcceptArgs {
    /// Number of the run
    #[arg(value_name = "RUN")]
    pub run: i64,
    #[command(flatten)]
    pub db: DbArgs,
}

pub async fn run(args: &AcceptArgs, talk: &Talk) -> Result<Exit> {
    opened(&args.db, false).await?.accept(args.run).await?;
    talk.say(format_args!("run {} is current", args.run));
    Ok(Exit::Done)
}
