//! Is the table made with nothing given one that a person would keep? Small made-up pages → records; each test is one habit of real sites.

use pagekin_core::extract::{Applied, Record, Wanted, learn};
use pagekin_core::page::Document;
use pagekin_core::page::parser::{Limits, parse};
use url::Url;

const NAMES: [&str; 8] =
    ["Old trams", "Blue tea", "Good soil", "Wet stones", "Long roads", "Thin ice", "Red kites", "Warm bread"];

fn document(text: &str) -> Document {
    parse(text, &Limits::default()).expect("a page")
}

/// The page of each name, with what `body` says of it, as a wrapper of all reads it.
fn records(names: &[&str], body: impl Fn(usize) -> String) -> Vec<Record> {
    let page = |at: usize| {
        let name = names[at];
        document(&format!("<title>{name} - Site</title><body><h1>{name}</h1>{}<p>Imprint</p>", body(at)))
    };
    let pages = || (0..names.len()).map(page).collect::<Vec<_>>();
    let applied = Applied::new(learn(pages(), &Wanted::Nothing, "pages").expect("learned")).expect("usable");
    let url = Url::parse("http://site/page").expect("an address");
    pages().iter().map(|page| applied.record(&url, page, false)).collect()
}

fn columns(record: &Record) -> Vec<String> {
    record.flat().into_keys().collect()
}

fn word(at: usize) -> String {
    ["amber", "birch", "cedar", "dune", "ember", "fern", "grove", "heath", "iris", "jade", "kelp", "lark"][at % 12]
        .to_owned()
}

#[test]
fn rows_that_classes_number_and_alternate_are_one_list() {
    let body = |at: usize| {
        let count = 1 + at % 4;
        let row = |n: usize| {
            let ends = [("first", 0), ("last", count - 1)].map(|(end, place)| if place == n { end } else { "" });
            format!(
                "<div class='item row-{} {} {}'>{}</div>",
                n + 1,
                ["even", "odd"][n % 2],
                ends.join(" "),
                word(at * 3 + n)
            )
        };
        format!("<h2>Tags</h2><div class=tags>{}</div>", (0..count).map(row).collect::<String>())
    };
    let records = records(&NAMES, body);
    assert_eq!(columns(&records[3]), ["tags", "title"], "{:?}", records[3].attributes);
    assert_eq!(records[3].attributes["tags"].len(), 4);
}

#[test]
fn links_that_the_head_calls_next_are_no_data() {
    let body = |at: usize| {
        let near = |step: usize| (at + step) % 8;
        format!(
            "<link rel=next href=p{0}><link rel=prev href=p{1}><p>Next: <a href=p{0}>{2}</a></p><p>Before: <a href=p{1}>{3}</a></p>\
             <p>Author: <b>{4}</b></p>",
            near(1),
            near(7),
            NAMES[near(1)],
            NAMES[near(7)],
            word(at)
        )
    };
    assert_eq!(columns(&records(&NAMES, body)[2]), ["author", "title"]);
}

#[test]
fn wide_colons_end_labels_and_times_of_day_hold_none() {
    let body =
        |at: usize| format!("<div class=kind>KIND：{} wool</div><div class=when>1{}:3{at} pm</div>", word(at), at % 3);
    let record = &records(&NAMES, body)[4];
    assert_eq!(record.attributes["kind"], ["ember wool"]);
    assert!(record.attributes.values().any(|values| *values == ["11:34 pm"]), "{:?}", record.attributes);
}

#[test]
fn what_two_frames_show_alike_is_one_column() {
    let body = |at: usize| {
        let inner = format!("<div class=post><div class=date><div class=day>{}</div></div></div>", 3 + at * 3);
        if at.is_multiple_of(2) { format!("<section>{inner}</section>") } else { inner }
    };
    for (at, record) in records(&NAMES, body).iter().enumerate() {
        let day = (3 + at * 3).to_string();
        assert!(record.attributes.values().any(|values| *values == [day.as_str()]), "{:?}", record.attributes);
        assert_eq!(columns(record).len(), 2, "{:?}", record.attributes);
    }
}

#[test]
fn a_text_of_the_template_in_the_language_of_the_page_is_no_data() {
    let names: Vec<String> = (0..24).map(|at| format!("{} {}", NAMES[at % 8], word(at / 8))).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let page = |at: usize| {
        let (language, powered) = [("en", "Powered by us"), ("es", "Funciona bien"), ("pt", "Feito aqui")][at % 3];
        document(&format!(
            "<html lang={language}><title>{name}</title><body><h1>{name}</h1><div class=power>{powered}</div><div class=who>{}</div>",
            word(at),
            name = names[at]
        ))
    };
    let wrapper = learn((0..24).map(page).collect(), &Wanted::Nothing, "pages").expect("learned");
    let slots: Vec<&str> = wrapper.slots.iter().map(|slot| slot.name.as_str()).collect();
    assert_eq!(slots, ["title", "who"]);
}

#[test]
fn what_stands_in_the_items_of_a_list_of_other_pages_is_theirs() {
    let body = |at: usize| {
        let price = |of: usize| format!("<i class=cost>${}.50</i>", 3 + of % 8 * 2);
        let other =
            |n: usize| format!("<div class=tile><b class=what>{}</b>{}</div>", NAMES[(at + n) % 8], price(at + n));
        format!("<p class=own>{}</p><div class=more>{}</div>", price(at), (1..4).map(other).collect::<String>())
    };
    let record = &records(&NAMES, body)[1];
    assert_eq!(columns(record).len(), 2, "{record:?}");
    assert!(record.attributes.values().any(|values| *values == ["$5.50"]), "{:?}", record.attributes);
}

#[test]
fn sections_are_columns_and_no_table() {
    let section = |heading: &str, at: usize, count: usize| {
        let line =
            |n: usize| format!("<p>{} of {} stands in the {heading} at {at}.</p>", word(at + n), word(at * 2 + n));
        format!("<div class=part><h2>{heading}</h2>{}</div>", (0..count).map(line).collect::<String>())
    };
    let body = |at: usize| section("Use", at, 2 + at % 3) + &section("Notes", at, 1 + at % 4);
    let record = &records(&NAMES, body)[3];
    assert!(record.children.is_empty(), "{record:?}");
    assert_eq!((record.attributes["use"].len(), record.attributes["notes"].len()), (1, 1), "{:?}", record.attributes);
}

#[test]
fn a_part_that_some_pages_lack_is_told_from_the_others() {
    let body = |at: usize| {
        let sort =
            if at % 4 == 1 { String::new() } else { format!("<i class=sort>{}.</i>", ["n", "v", "adj"][at % 3]) };
        format!("<div class=head><b>{}</b>: {sort}</div>", word(at))
    };
    let records = records(&NAMES, body);
    assert!(records[3].attributes.values().any(|values| *values == ["n."]), "{:?}", records[3].attributes);
    assert!(
        records.iter().enumerate().all(|(at, record)| record.attributes.values().any(|values| *values == [word(at)]))
    );
}
