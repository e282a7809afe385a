//! Pages of the sample's kind that no link reaches: `cargo run --package pagekin --example hidden -- URL [ARCHIVE]`

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut site = pagekin::Site::open(arguments.next().ok_or("give the address of a page")?);
    if let Some(archive) = arguments.next() {
        site = site.archive(archive);
    }
    let report = site.hidden().await?;
    for sought in &report.templates {
        println!("{}: {} pages found", sought.template.template, sought.found.len());
    }
    Ok(())
}
