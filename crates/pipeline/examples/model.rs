//! The classes of pages of a site: `cargo run --package pagekin --example model -- URL [ARCHIVE]`

use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut site = pagekin::Site::open(arguments.next().ok_or("give the address of a page")?);
    if let Some(archive) = arguments.next() {
        site = site.archive(archive);
    }
    let model = site.model().await?;
    for class in &model.classes {
        println!("{} pages: {}", class.size, class.name);
    }
    Ok(())
}
