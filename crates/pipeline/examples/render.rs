//! What do the scripts of a page add? Links before and after they ran in a browser: `cargo run --package pagekin --example render -- URL`

use pagekin::page::{Limits, links, read};
use pagekin::pages::{Answer, Pages};
use pagekin::render::Mode;
use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).ok_or("give the address of a page")?;
    for mode in [Mode::Never, Mode::Always] {
        let site = pagekin::Site::open(&address).source_settings(|settings| settings.render.mode = mode);
        for answer in site.source()?.get(&[address.parse()?]).await {
            match answer {
                Answer::Page(page) => {
                    let count = links::links(&read(&page, &Limits::default())?, &page.url).len();
                    println!("{mode:?}: {} bytes, {count} links", page.body.len());
                }
                Answer::Skipped(skipped) => println!("{mode:?}: {}: {}", skipped.reason, skipped.detail),
            }
        }
    }
    Ok(())
}
