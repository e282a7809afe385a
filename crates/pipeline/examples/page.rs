//! What is on a page? Its title, and each link with its words and its link-path: `cargo run --package pagekin --example page -- URL [ARCHIVE]`

use pagekin::page::paths::PathFinder;
use pagekin::page::{Limits, Notation, PathTable, links, read, text};
use pagekin::pages::{Answer, Pages};
use std::error::Error;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("give the address of a page")?;
    let mut site = pagekin::Site::open(&address);
    if let Some(archive) = arguments.next() {
        site = site.archive(archive);
    }
    for answer in site.source()?.get(&[address.parse()?]).await {
        let page = match answer {
            Answer::Page(page) => page,
            Answer::Skipped(skipped) => return Err(format!("{}: {}", skipped.reason, skipped.detail).into()),
        };
        let document = read(&page, &Limits::default())?;
        println!("{} {}", page.status, text::title(&document));
        let (mut table, mut paths) = (PathTable::default(), PathFinder::new(&document, Notation::TagClass));
        for link in links::links(&document, &page.url) {
            let path = paths.path(&mut table, link.node);
            println!("{}\t{}\t{}", link.url, link.text, table.show(path));
        }
    }
    Ok(())
}
