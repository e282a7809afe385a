//! How alike are two pages, in numbers? `cargo run --package pagekin --example alike -- URL URL [ARCHIVE]`

use pagekin::features::profile::Profile;
use pagekin::features::url_terms;
use pagekin::page::{Limits, links, read};
use pagekin::pages::{Answer, Pages};
use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (one, other) = arguments.next().zip(arguments.next()).ok_or("give the addresses of two pages")?;
    let mut site = pagekin::Site::open(&one);
    if let Some(archive) = arguments.next() {
        site = site.archive(archive);
    }
    let mut profiles = Vec::new();
    for answer in site.source()?.get(&[one.parse()?, other.parse()?]).await {
        let page = match answer {
            Answer::Page(page) => page,
            Answer::Skipped(skipped) => return Err(format!("{}: {}", skipped.url, skipped.detail).into()),
        };
        let document = read(&page, &Limits::default())?;
        let count = links::links(&document, &page.url).len();
        println!("{}: {count} links, terms {:?}", page.url, url_terms(page.url.as_str()));
        profiles.push(Profile::of(&document, &page.url, count));
    }
    println!("share of tokens in common: {:.2}", profiles[0].jaccard(&profiles[1]));
    Ok(())
}
