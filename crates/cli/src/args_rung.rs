//! Which of the nested answers does the user want? `--narrower`, `--wider`, `--rung` → a rung of the ladder.

use clap::Args;
use pagekin::discover::Which;

#[derive(Debug, Args)]
pub struct RungArgs {
    /// Take the next narrower answer: only the sample's folder, only its list of names
    #[arg(long, conflicts_with_all = ["wider", "rung"])]
    pub narrower: bool,
    /// Take the next wider answer
    #[arg(long, conflicts_with = "rung")]
    pub wider: bool,
    /// Take this answer of those that `discover` shows; 0 is the widest
    #[arg(long, value_name = "N")]
    pub rung: Option<usize>,
}

impl RungArgs {
    pub fn which(&self) -> Which {
        match self.rung {
            Some(number) => Which::Number(number),
            None if self.narrower => Which::Narrower,
            None if self.wider => Which::Wider,
            None => Which::Default,
        }
    }
}
