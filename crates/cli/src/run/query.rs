//! `pagekin query`: SQL → rows, read-only.

use super::args::QueryArgs;
use super::opened_to_read;
use crate::exit::Exit;
use crate::rows::Rows;
use anyhow::Result;

pub async fn run(args: &QueryArgs) -> Result<Exit> {
    let target = args.show.target()?;
    let sql = if args.sql == "-" { std::io::read_to_string(std::io::stdin())? } else { args.sql.clone() };
    let mut found = opened_to_read(&args.db).await?.query(sql.trim().trim_end_matches(';')).await?;
    let mut rows = Rows::start(target, found.columns.clone())?;
    while let Some(some) = found.next().await? {
        some.iter().try_for_each(|row| rows.add(&row.0))?;
    }
    rows.finish()?;
    Ok(Exit::Done)
}
