//! Are values found where a person would find them? Small made-up pages → wrappers, records, drift.

use pagekin_core::extract::drift::Watch;
use pagekin_core::extract::{Applied, Example, Wanted, Wrapper, domain, learn, wrapper};
use pagekin_core::page::Document;
use pagekin_core::page::parser::{Limits, parse};
use url::Url;

const PLAYERS: [(&str, &str, &str, bool); 6] = [
    ("Ann Ash", "190 cm", "Reds", true),
    ("Bea Birch", "181 cm", "Blues", false),
    ("Cleo Cedar", "177 cm", "Greens", true),
    ("Dora Dogwood", "185 cm", "Reds", false),
    ("Eve Elm", "192 cm", "Blacks", true),
    ("Fay Fir", "174 cm", "Whites", true),
];

/// An optional block stands before the values.
fn page((name, height, team, injured): (&str, &str, &str, bool)) -> String {
    let note = if injured { "<tr><td>Injury:</td><td>knee</td></tr>" } else { "" };
    format!(
        "<title>{name} - Players</title><body><ul><li>Home<li>Players</ul><h1 id='p-{}'>{name}</h1><table>{note}\
         <tr><td>Height:</td><td>{height}</td></tr><tr><td>Team:</td><td><b>{team}</b></td></tr></table><p>Imprint</p>",
        name.len()
    )
}

fn document(text: &str) -> Document {
    parse(text, &Limits::default()).expect("a page")
}

fn documents() -> Vec<Document> {
    PLAYERS.iter().map(|player| document(&page(*player))).collect()
}

fn url() -> Url {
    Url::parse("http://site/player").expect("an address")
}

/// The first value of an attribute on a page that was not learned from.
fn read(wrapper: &Wrapper, name: &str) -> Option<String> {
    let unseen = document(&page(("Gil Gum", "201 cm", "Yellows", false)));
    let record = Applied::new(wrapper.clone()).expect("usable").record(&url(), &unseen, false);
    record.attributes.get(name).and_then(|values| values.first().cloned())
}

#[test]
fn roles_of_a_domain_are_found_on_unseen_pages() {
    let text = "[roles.name]\ntitle=true\n[roles.height]\nsynonyms=['height']\n[roles.club]\nsynonyms=['team']";
    let domain = domain::parse(text).expect("a domain");
    let wrapper = learn(documents(), &Wanted::Domain(&domain), "players").expect("learned");
    let values = ["name", "height", "club"].map(|name| read(&wrapper, name));
    assert_eq!(values, ["Gil Gum", "201 cm", "Yellows"].map(|value| Some(value.to_owned())));
}

#[test]
fn an_example_is_enough() {
    let example = |name: &str, value: &str| Example { name: name.to_owned(), value: value.to_owned() };
    let examples = [example("who", "Ann Ash"), example("club", "Reds")];
    let wrapper = learn(documents(), &Wanted::Examples(&examples, 1), "players").expect("learned");
    assert_eq!((read(&wrapper, "who"), read(&wrapper, "club")), (Some("Gil Gum".into()), Some("Yellows".into())));
    let absent = [example("who", "Nobody")];
    assert!(learn(documents(), &Wanted::Examples(&absent, 1), "players").is_err());
}

#[test]
fn with_nothing_labels_are_names() {
    let wrapper = learn(documents(), &Wanted::Nothing, "players").expect("learned");
    let values = ["title", "height", "team"].map(|name| read(&wrapper, name));
    assert_eq!(values, ["Gil Gum", "201 cm", "Yellows"].map(|value| Some(value.to_owned())));
}

#[test]
fn a_wrapper_is_a_file_and_the_same_every_time() {
    let learned = || vec![learn(documents(), &Wanted::Nothing, "players").expect("learned")];
    let text = wrapper::text(&learned()).expect("a file");
    assert_eq!(text, wrapper::text(&learned()).expect("a file"));
    assert_eq!(wrapper::parse(&text).expect("read again"), learned());
    assert!(wrapper::parse(&text.replace("\"version\": 1", "\"version\": 9")).is_err());
}

#[test]
fn a_changed_template_is_noticed() {
    let wrapper = learn(documents(), &Wanted::Nothing, "players").expect("learned");
    let applied = Applied::new(wrapper.clone()).expect("usable");
    let watched = |change: &dyn Fn(String) -> String| {
        let mut watch = Watch::default();
        for player in PLAYERS.iter().chain(&PLAYERS) {
            watch.see(&applied.record(&url(), &document(&change(page(*player))), false));
        }
        watch.drift(&wrapper).into_iter().map(|drift| drift.slot).collect::<Vec<_>>()
    };
    assert_eq!(watched(&|page| page), [""; 0]);
    let renamed = |page: String| page.replace("<td>", "<dd>").replace("Height:", "Stature").replace("table", "dl");
    assert!(watched(&renamed).contains(&"height".to_owned()));
    // Labels behind their values: they are read as such.
    let swapped = |page: String| {
        let (head, rest) = page.split_once("<table>").expect("a table");
        let (rows, tail) = rest.split_once("</table>").expect("its end");
        let turn = |row: &str| row.split_once("</td>").map_or(String::new(), |(a, b)| format!("{b}{a}</td>"));
        let rows: String =
            rows.split("</tr>").map(|row| format!("<tr>{}</tr>", turn(&row.replace("<tr>", "")))).collect();
        format!("{head}<table>{rows}</table>{tail}")
    };
    assert!(!watched(&swapped).contains(&"height".to_owned()));
}

#[test]
fn hostile_pages_break_nothing() {
    let pages =
        ["".to_owned(), "<b>".repeat(900), "<p>x: ".repeat(30_000), "\u{0}<td>:</td>".repeat(500), "a".repeat(1 << 20)];
    let mut all = documents();
    all.extend(pages.iter().map(|page| document(page)));
    let wrapper = learn(all, &Wanted::Nothing, "players").expect("learned");
    let applied = Applied::new(wrapper).expect("usable");
    pages.iter().for_each(|page| drop(applied.record(&url(), &document(page), true)));
    assert!(learn(Vec::new(), &Wanted::Nothing, "none").is_err());
}

/// A page of figures over their labels, and a table of seasons.
fn racer(name: &str, starts: u32, wins: u32, seasons: &[(u32, &str)]) -> Document {
    let rows: String = seasons.iter().map(|(year, team)| format!("<tr><td>{year}</td><td>{team}</td></tr>")).collect();
    let figure = |value: u32, label: &str| format!("<div><div class=big>{value}</div><div>{label}</div></div>");
    document(&format!(
        "<title>{name}</title><body><h1>{name}</h1><section>{}{}</section><table><thead><tr><th>Year</th><th>Team</th>\
         </tr></thead><tbody>{rows}</tbody></table><p>Imprint</p>",
        figure(starts, "Starts"),
        figure(wins, "Wins")
    ))
}

fn racers() -> Vec<Document> {
    let racer = |(at, name): (usize, &&str)| {
        let seasons: Vec<(u32, &str)> = (0..2 + at as u32 % 3).map(|n| (1990 + n, ["Reds", "Blues"][at % 2])).collect();
        racer(name, 10 + 7 * at as u32, at as u32, &seasons)
    };
    ["Ann Ash", "Bea Birch", "Cleo Cedar", "Dora Dogwood", "Eve Elm", "Fay Fir"].iter().enumerate().map(racer).collect()
}

#[test]
fn labels_behind_their_values_name_them() {
    let wrapper = learn(racers(), &Wanted::Nothing, "racers").expect("learned");
    let unseen = racer("Gil Gum", 99, 12, &[(1990, "Reds"), (1991, "Greens")]);
    let record = Applied::new(wrapper).expect("usable").record(&url(), &unseen, false);
    let value = |name: &str| record.attributes.get(name).cloned().unwrap_or_default();
    assert_eq!((value("starts"), value("wins")), (vec!["99".to_owned()], vec!["12".to_owned()]), "{record:?}");
    assert_eq!(record.evidence["starts"].label.as_deref(), Some("Starts"));
}

#[test]
fn a_table_of_data_gives_its_columns_row_by_row() {
    let wrapper = learn(racers(), &Wanted::Nothing, "racers").expect("learned");
    let again = wrapper::parse(&wrapper::text(&[wrapper]).expect("written")).expect("read").remove(0);
    let unseen = racer("Gil Gum", 99, 12, &[(1990, "Reds"), (1991, ""), (1992, "Reds")]);
    let record = Applied::new(again).expect("usable").record(&url(), &unseen, false);
    assert_eq!(record.flat()["table.year"], ["1990", "1991", "1992"]);
    assert_eq!(record.flat()["table.team"], ["Reds", "", "Reds"]);
    assert_eq!(record.children["table"][1].len(), 1, "an empty cell is none");
}

/// Rows of which some pages lack one, and a list that is longer on one page than on another.
fn driver(name: &str, starts: u32, grid: Option<u32>, born: &str, mates: &[&str]) -> Document {
    let row = |label: &str, value: &str| format!("<tr><td>{label}</td><td>{value}</td></tr>");
    let grid = grid.map_or(String::new(), |grid| row("Grid", &grid.to_string()));
    let mates: String = mates.iter().map(|mate| format!("<li><a href=x>{mate}</a></li>")).collect();
    document(&format!(
        "<title>{name}</title><body><h1>{name}</h1><table>{}{grid}{}</table><h2>Mates</h2><ul>{mates}</ul><p>Imprint</p>",
        row("Starts", &starts.to_string()),
        row("Born", born)
    ))
}

fn drivers() -> Vec<Document> {
    let names = ["Ann Ash", "Bea Birch", "Cleo Cedar", "Dora Dogwood", "Eve Elm", "Fay Fir", "Gil Gum", "Hal Holly"];
    let driver = |at: usize| {
        let grid = (at % 4 != 3).then_some(at as u32 + 1);
        let mates: Vec<&str> = (1..=1 + at % 4).map(|n| names[(at + n) % names.len()]).collect();
        driver(names[at], 20 + 3 * at as u32, grid, &format!("{}.7.19{}", at + 1, 70 + at), &mates)
    };
    (0..names.len()).map(driver).collect()
}

#[test]
fn a_missing_row_is_not_filled_by_the_next_one() {
    let wrapper = learn(drivers(), &Wanted::Nothing, "drivers").expect("learned");
    let applied = Applied::new(wrapper).expect("usable");
    for page in drivers().into_iter().chain([driver("Ida Ivy", 7, None, "9.9.1999", &["Ann Ash"])]) {
        let record = applied.record(&url(), &page, false);
        let born = record.attributes.get("born").expect("every driver was born");
        assert!(record.attributes.get("grid").is_none_or(|grid| grid != born), "{record:?}");
    }
}

#[test]
fn a_list_is_one_column() {
    let wrapper = learn(drivers(), &Wanted::Nothing, "drivers").expect("learned");
    let record = Applied::new(wrapper).expect("usable").record(&url(), &drivers()[3], false);
    assert_eq!(record.attributes["mates"], ["Eve Elm", "Fay Fir", "Gil Gum", "Hal Holly"]);
    let repeats =
        record.attributes.iter().filter(|(name, values)| *name != "mates" && values.contains(&"Fay Fir".into()));
    assert_eq!(repeats.count(), 0, "{:?}", record.attributes);
}

/// A table whose second header stands over two columns, and in which a cell reaches down two rows.
fn group(name: &str, first: usize) -> Document {
    let row = |n: usize| {
        let domain = if n.is_multiple_of(2) { "<td rowspan=2>Mobile</td>" } else { "" };
        format!("<tr>{domain}<td>T{n}</td><td>.00{n}</td><td>Trick {n}</td></tr>")
    };
    let rows: String = (first..first + 4).map(row).collect();
    document(&format!(
        "<title>{name}</title><body><h1>{name}</h1><table><thead><tr><th>Domain</th><th colspan=2>ID</th><th>Name</th></tr></thead>\
         <tbody>{rows}</tbody></table><p>Imprint</p>"
    ))
}

#[test]
fn cells_stand_under_their_headers() {
    let groups = ["Ash", "Birch", "Cedar", "Dogwood", "Elm"].iter().enumerate().map(|(at, name)| group(name, 2 * at));
    let wrapper = learn(groups.collect(), &Wanted::Nothing, "groups").expect("learned");
    let record = Applied::new(wrapper).expect("usable").record(&url(), &group("Fir", 4), false);
    let columns = record.flat();
    assert_eq!(columns["table.domain"], ["Mobile", "Mobile", "Mobile", "Mobile"]);
    assert_eq!(columns["table.id"], ["T4 .004", "T5 .005", "T6 .006", "T7 .007"]);
    assert_eq!(columns["table.name"], ["Trick 4", "Trick 5", "Trick 6", "Trick 7"]);
}

/// Rows that come again, more of them on one page than on another.
fn thread(name: &str, posts: &[&str]) -> Document {
    let posts: String = posts.iter().map(|who| format!("<div><i>Written by</i><b>{who}</b><hr></div>")).collect();
    document(&format!("<title>{name}</title><body><h1>{name}</h1>{posts}<p>Imprint</p>"))
}

#[test]
fn what_is_behind_a_label_that_comes_again_is_given_once() {
    let who = ["Ann", "Bea", "Cleo", "Dora", "Eve", "Fay", "Gil", "Hal"];
    let about =
        ["Old trams", "Blue tea", "Good soil", "Wet stones", "Long roads", "Thin ice", "Red kites", "Warm bread"];
    let posts = |at: usize| [who[at], who[(at + 3) % 8], who[(at + 5) % 8]];
    let threads = (0..8).map(|at| thread(about[at], &posts(at)[..1 + at % 3]));
    let wrapper = learn(threads.collect(), &Wanted::Nothing, "threads").expect("learned");
    assert_eq!(wrapper.slots.iter().filter(|slot| slot.labels == ["written by"]).count(), 1, "rows are one column");
    let record = Applied::new(wrapper).expect("usable").record(&url(), &thread("Fine sand", &["Ida"]), false);
    let given = record.attributes.iter().filter(|(_, values)| **values == ["Ida"]);
    assert_eq!(given.map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["written_by"], "{:?}", record.attributes);
}

/// Figures over their labels, of which one is nearly always 0.
fn figures(name: &str, titles: u32, wins: u32, starts: u32) -> Document {
    let figure = |value: u32, label: &str| format!("<div><b>{value}</b><span>{label}</span></div>");
    let all = [figure(titles, "Titles"), figure(wins, "Wins"), figure(starts, "Starts")].concat();
    document(&format!("<title>{name}</title><body><h1>{name}</h1><section>{all}</section><p>Imprint</p>"))
}

#[test]
fn a_number_that_most_pages_share_is_a_value() {
    let names = ["Ann Ash", "Bea Birch", "Cleo Cedar", "Dora Dogwood", "Eve Elm", "Fay Fir", "Gil Gum", "Hal Holly"];
    let pages = names.iter().enumerate().map(|(at, name)| figures(name, 0, u32::from(at == 3), 11 + at as u32));
    let wrapper = learn(pages.collect(), &Wanted::Nothing, "drivers").expect("learned");
    let record = Applied::new(wrapper).expect("usable").record(&url(), &figures("Ida Ivy", 1, 2, 99), false);
    let value = |name: &str| record.attributes.get(name).map(|values| values.join(" "));
    assert_eq!((value("wins").as_deref(), value("starts").as_deref()), (Some("2"), Some("99")), "{record:?}");
}

/// The author stands in a line of his own, and in the margin; what others call the book stands before.
fn book(title: &str, tag: &str, author: &str) -> Document {
    document(&format!(
        "<title>{title}</title><body><ul><li><a href=t>{tag}</a></li></ul><h1>{title}</h1><p class=by><a href=a>{author}</a></p>\
         <aside><h2>More</h2><em>{author}</em></aside><p>Imprint</p>"
    ))
}

#[test]
fn an_example_means_the_spelling_given() {
    let books = [
        ("Old trams", "ann ash", "Ann Ash"),
        ("Blue tea", "mystery", "Bea Birch"),
        ("Good soil", "garden", "Cleo Cedar"),
        ("Wet stones", "poems", "Dora Dogwood"),
        ("Long roads", "travel", "Eve Elm"),
    ];
    let pages = || books.iter().map(|(title, tag, author)| book(title, tag, author)).collect::<Vec<_>>();
    for (value, expected) in [("Ann Ash", "Fay Fir"), ("ann ash", "thriller")] {
        let examples = [Example { name: "who".to_owned(), value: value.to_owned() }];
        let wrapper = learn(pages(), &Wanted::Examples(&examples, 1), "books").expect("learned");
        let unseen = book("Thin ice", "thriller", "Fay Fir");
        let record = Applied::new(wrapper).expect("usable").record(&url(), &unseen, false);
        assert_eq!(record.attributes["who"], [expected], "{value}");
    }
}

/// A post of a topic: who, when, and a text of an author's own making.
fn post(who: &str, when: &str, text: &str) -> String {
    format!("<div class=post><b class=who>{who}</b><div class=when>{when}</div><div class=message>{text}</div></div>")
}

/// Words that no two pages share.
fn words(at: usize, n: usize, count: usize) -> Vec<String> {
    (0..count).map(|word| format!("w{}x", at * 100 + n * 10 + word)).collect()
}

fn topic(at: usize, posts: usize) -> Document {
    let one = |n: usize| {
        let w = words(at, n, 4);
        let text = match (at + n) % 4 {
            0 => format!("{} <em>{}</em> that <a href=x>{}</a> {}.", w[0], w[1], w[2], w[3]),
            1 => format!("<p>{}.</p><p>{} <b>{}</b>, see {}<sub>2</sub>.</p>", w[0], w[1], w[2], w[3]),
            2 => format!("{}<br>{}", w[0], w[1]),
            _ => format!("<ul><li>{}</li><li>{}</li></ul>", w[0], w[1]),
        };
        post(&format!("User {}", at * 5 + n * 3), &format!("{}.5.20{}", 1 + (at * 7 + n) % 28, 10 + at), &text)
    };
    let posts: String = (0..posts).map(one).collect();
    let name =
        ["Old trams", "Blue tea", "Good soil", "Wet stones", "Long roads", "Thin ice", "Red kites", "Warm bread"]
            [at % 8];
    document(&format!(
        "<title>Forum :: {name}</title><body><nav><a href=/>Home</a><a href=/b>Board {at}</a></nav><h1>{name}</h1><span>New!</span>\
         <main>{posts}</main><form><label>Search</label><select><option>{at}</option></select></form><p>Imprint</p>"
    ))
}

#[test]
fn what_repeats_within_a_page_is_a_table_of_whole_texts() {
    let wrapper = learn((0..8).map(|at| topic(at, 2 + at % 3)).collect(), &Wanted::Nothing, "topics").expect("learned");
    let record = Applied::new(wrapper).expect("usable").record(&url(), &topic(1, 4), false);
    let (name, rows) = record.children.first_key_value().expect("a table");
    let column = |name: &str| rows.iter().map(|row| row.get(name).map_or("", String::as_str)).collect::<Vec<_>>();
    let texts = ["w100x.\nw101x w102x, see w103x 2.", "w110x w111x", "w120x\nw121x", "w130x w131x that w132x w133x."];
    assert_eq!(column("message"), texts, "{name}: {record:?}");
    assert_eq!(column("who"), ["User 5", "User 8", "User 11", "User 14"]);
    assert_eq!(column("when"), ["8.5.2011", "9.5.2011", "10.5.2011", "11.5.2011"]);
    assert_eq!(record.attributes.keys().collect::<Vec<_>>(), ["title"], "menus, badges and forms are no data");
    assert_eq!(record.attributes["title"], ["Blue tea"]);
}
