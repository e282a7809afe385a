//! The `pagekin` command: words in, data out.
//!
//! ```text
//! arguments, config file ─► settings ─► pipeline ─► rows on stdout, talk on stderr, exit code
//! ```
//!
//! One module a command ([`discover`] with [`refresh`], [`model`], [`classify`], [`hidden`], [`extract`], [`check`], [`report`], [`find_sites`],
//! [`eval`] with [`eval_completeness`], [`eval_model`] and [`eval_hidden`], `run` with its worker, query and export, [`watch`], [`proof`], [`serve`],
//! [`mcp`], [`demo`]); the rest is
//! shared: [`args`] and [`config`] (what the user chose), [`output`], [`tree`], [`map`] and
//! [`explain`] (how it is shown), [`progress`], [`interrupt`], [`failure`]. Knows nothing of how pages are found or fetched.

mod args;
mod args_browser;
mod args_hidden;
mod args_output;
mod args_pages;
mod args_rung;
mod check;
mod classify;
mod config;
mod demo;
mod demo_check;
mod discover;
mod eval;
mod eval_completeness;
mod eval_hidden;
mod eval_model;
mod exit;
mod explain;
mod extract;
mod failure;
mod files;
mod find_sites;
mod flags;
mod gate;
mod hidden;
mod interrupt;
mod local;
mod map;
#[cfg(feature = "mcp")]
mod mcp;
mod model;
mod model_args;
mod output;
mod progress;
mod proof;
mod refresh;
mod report;
mod rows;
mod run;
mod serve;
mod talk;
mod tree;
mod watch;

use args::{Cli, Command};
use clap::Parser;
use config::Config;
use exit::Exit;
use std::ffi::OsString;
use std::sync::atomic::Ordering;
use talk::Talk;

/// The whole command: arguments with the name of the program first → exit code.
pub fn command<T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> u8 {
    let exit = match Cli::try_parse_from(arguments) {
        Ok(cli) => run(cli).unwrap_or_else(|error| failure::report(&error)),
        Err(error) => failure::usage(&error),
    };
    exit as u8
}

/// Why this text cannot be used as a config file; none where it can.
pub fn wrong_with_config(text: &str) -> Option<String> {
    Config::parse(text).err()
}

fn run(cli: Cli) -> anyhow::Result<Exit> {
    let talk = Talk::new(cli.global.quiet, cli.global.verbose);
    output::CSV_RAW.store(cli.global.csv_raw, Ordering::Relaxed);
    output::CSV_BOM.store(cli.global.csv_bom, Ordering::Relaxed);
    let config = Config::read(cli.global.config.as_deref())?;
    config.give_passwords();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let stop = interrupt::listen(&runtime);
    match cli.command {
        Command::Discover(args) => match &args.refresh {
            Some(learned) => runtime.block_on(refresh::run(&args, learned, &config, &talk, stop)),
            None => runtime.block_on(discover::run(&args, &config, &talk, stop)),
        },
        Command::Hidden(args) => runtime.block_on(hidden::run(&args, &config, &talk, stop)),
        Command::Eval(args::Eval::Hidden(args)) => runtime.block_on(eval_hidden::run(&args, &config, &talk, stop)),
        Command::Eval(args::Eval::Discovery(args)) => eval::run(&args, &config, &talk, stop),
        Command::Eval(args::Eval::Fit(args)) => eval::fit(&args, &talk),
        Command::Eval(args::Eval::Model(args)) => eval_model::run(&args, &config, &talk, stop),
        Command::Eval(args::Eval::Completeness(args)) => eval_completeness::run(&args, &config, &talk, stop),
        Command::Model(args) => runtime.block_on(model::run(&args, &config, &talk, stop)),
        Command::Classify(args) => runtime.block_on(classify::run(&args, &config, &talk, stop)),
        Command::Extract(args) => runtime.block_on(extract::run(&args, &config, &talk, stop)),
        Command::Eval(args::Eval::Extract(args)) => extract::eval::run(&args, &talk),
        Command::Eval(args::Eval::Tables(args)) => extract::eval_tables::run(&args, &talk),
        Command::Eval(args::Eval::Run(args)) => extract::eval_tables::whole_runs(&args, &talk),
        Command::FindSites(args) => runtime.block_on(find_sites::run(&args, &config, &talk, stop)),
        Command::Report(args) => runtime.block_on(report::run(&args, &config, &talk)),
        Command::Check(args) => runtime.block_on(check::run(&args, &config.check, &talk, stop)),
        Command::Eval(args::Eval::Check(args)) => check::eval::run(&args, &talk),
        Command::Run(args) => runtime.block_on(run::run(&args, &config, &talk, stop)),
        Command::Worker(args) => runtime.block_on(run::worker(&args, &config, &talk, stop)),
        Command::Accept(args) => runtime.block_on(run::accept::run(&args, &talk)),
        Command::Query(args) => runtime.block_on(run::query::run(&args)),
        Command::Export(args) => runtime.block_on(run::export::run(&args, &config, &talk)),
        Command::Watch(command) => runtime.block_on(watch::run(command, &config, &talk, stop)),
        Command::Prove(args) => runtime.block_on(proof::prove(&args, &talk)),
        Command::Verify(args) => runtime.block_on(proof::check(&args, &talk)),
        #[cfg(feature = "mcp")]
        Command::Mcp(args) => runtime.block_on(mcp::run(&args, &config, &talk, stop)),
        Command::Serve(args) => runtime.block_on(serve::run(&args, &config, &talk, stop)),
        Command::Demo(args) => runtime.block_on(demo::run(&args, &config, &talk, stop)),
    }
}
