//! What all pages of the sample's kind say: `cargo run --package pagekin --example records -- URL [ARCHIVE]`

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut site = pagekin::Site::open(arguments.next().ok_or("give the address of a page")?);
    if let Some(archive) = arguments.next() {
        site = site.archive(archive);
    }
    let data = site.records().await?;
    for record in &data.records {
        println!("{} {:?}", record.url, record.attributes);
    }
    Ok(())
}
