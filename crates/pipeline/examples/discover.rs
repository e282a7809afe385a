//! All pages of the sample's kind: `cargo run --package pagekin --example discover -- URL [ARCHIVE]`

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut site = pagekin::Site::open(arguments.next().ok_or("give the address of a page")?);
    if let Some(archive) = arguments.next() {
        site = site.archive(archive);
    }
    let found = site.discover().await?;
    for page in &found.entities {
        println!("{:.2} {}", page.confidence, page.url);
    }
    Ok(())
}
