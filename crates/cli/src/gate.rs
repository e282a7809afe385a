//! Have figures dropped? Figures, floors kept in the repository → what is said of them, and the exit code.

use crate::exit::Exit;
use crate::talk::Talk;
use anyhow::Result;
use pagekin_eval::FigureFloors;
use std::path::Path;

/// Before anything is measured.
pub fn read(path: Option<&Path>) -> Result<Option<FigureFloors>> {
    Ok(path.map(FigureFloors::read).transpose()?)
}

pub fn verdict(talk: &Talk, floors: Option<&FigureFloors>, measured: &str, figures: &[(&str, f64)]) -> Exit {
    let Some(floors) = floors else { return Exit::Done };
    let falls = floors.check(measured, figures);
    for fall in &falls {
        eprintln!("gate: {measured}: {fall}");
    }
    if falls.is_empty() {
        talk.say(format_args!("gate: no figure of `{measured}` fell below its floor"));
        return Exit::Done;
    }
    eprintln!("\nhint: the report lists what is missing; floors only go up");
    Exit::Findings
}
