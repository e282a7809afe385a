//! How is a failure told? Errors → `error:` what failed, an empty line, `hint:` what to try. Always exit code 2.

use crate::exit::Exit;
use crate::flags;
use crate::talk::{plain, tell};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::io;

/// A run that could not be done. A reader that closed our pipe is no failure: it has what it wanted.
pub fn report(error: &anyhow::Error) -> Exit {
    if error.chain().any(|cause| io_kind(cause) == Some(io::ErrorKind::BrokenPipe)) {
        return Exit::Done;
    }
    tell(format_args!("error: {}", plain(&told(error))));
    Exit::CouldNotRun
}

/// Writing JSON wraps the error of the pipe.
fn io_kind(cause: &(dyn std::error::Error + 'static)) -> Option<io::ErrorKind> {
    let plain = cause.downcast_ref::<io::Error>().map(io::Error::kind);
    plain.or_else(|| cause.downcast_ref::<serde_json::Error>()?.io_error_kind())
}

fn told(error: &anyhow::Error) -> String {
    let text = flags::named(&error.to_string());
    // An error of our own names its cause itself; of others the whole chain is worth reading.
    if text.contains("\n\nhint: ") { text } else { format!("{error:#}\n\nhint: run again with `-v` to see more") }
}

/// Arguments that cannot be understood; help and version asked for are no failures.
pub fn usage(error: &clap::Error) -> Exit {
    if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) {
        return match error.print() {
            Ok(()) => Exit::Done,
            Err(_) => Exit::CouldNotRun,
        };
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        eprint!("{error}");
        return Exit::CouldNotRun;
    }
    tell(format_args!("error: {}\n\nhint: {}", what(error), hint(error)));
    Exit::CouldNotRun
}

/// The first paragraph of clap's message, items in backticks as everywhere.
fn what(error: &clap::Error) -> String {
    let text = flags::named(&error.to_string());
    // A value's own parser says its hint after an empty line; clap's tips and usage stand there too.
    let first = text.trim_start_matches("error: ").split("\n\n").next().unwrap_or_default();
    // Which values there are is the hint's to say.
    let first = first.split("[possible values").next().unwrap_or_default().trim_end();
    let lines: Vec<&str> = first.lines().map(str::trim).collect();
    lines.join(" ").replace('\'', "`")
}

fn hint(error: &clap::Error) -> String {
    let own = error.to_string();
    if let Some(hint) = own.split("\n\n").find_map(|part| part.trim().strip_prefix("hint: ").map(str::to_owned)) {
        return hint.lines().next().unwrap_or_default().to_owned();
    }
    let listed = |kind| error.get(kind).map(words).filter(|words| !words.is_empty());
    if let Some(words) = listed(ContextKind::SuggestedArg)
        .or_else(|| listed(ContextKind::SuggestedValue))
        .or_else(|| listed(ContextKind::SuggestedSubcommand))
    {
        return format!("did you mean {words}?");
    }
    if let Some(words) = listed(ContextKind::ValidValue) {
        return format!("one of {words}");
    }
    if let Some(words) = listed(ContextKind::ValidSubcommand) {
        return format!("one of {words}");
    }
    format!("{} --help", called())
}

fn words(value: &ContextValue) -> String {
    match value {
        ContextValue::String(word) => format!("`{word}`"),
        ContextValue::Strings(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

/// The command as far as it was typed, for the help to look at.
fn called() -> String {
    let known = ["discover", "hidden", "eval", "discovery", "demo", "run", "worker", "query", "export", "watch"];
    let typed = std::env::args().skip(1).take_while(|word| known.contains(&word.as_str()));
    std::iter::once("pagekin".to_owned()).chain(typed).collect::<Vec<_>>().join(" ")
}
