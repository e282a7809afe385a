//! One site in several forms, with truth: a single-page application, the same pages plain, the same with scripts that only decorate, and
//! the same with lists or values that only scripts fill in.
//!
//! - [`Form`]: which. - [`start`]: serves it on loopback. - [`start_changing`]: may take another form while it is served. - [`plants`], [`truth`]: what there is to find.
//!
//! The application is written with a known framework (`testkit/assets`), and its server sends the same empty shell for every address:
//! without a browser there is neither a link nor a word.

use crate::server::{Asked, Reply, Server, Site};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Application,
    Plain,
    Decorated,
    /// Pages of plants and all others are plain, and none is an empty shell; scripts fill the lists.
    Listed,
    /// Scripts fill in the values of plants.
    Filled,
}

pub struct Plant {
    pub slug: String,
    pub name: String,
    pub family: &'static str,
    pub height: usize,
    pub price: String,
    pub grower: usize,
}

const PLANTS: usize = 60;
const ON_PAGE: usize = 12;
const FAMILIES: [&str; 5] = ["Asteraceae", "Fabaceae", "Lamiaceae", "Rosaceae", "Solanaceae"];
const FIRST: [&str; 10] = ["Amber", "Blue", "Creeping", "Dwarf", "Early", "Golden", "Hardy", "Late", "Purple", "White"];
const SECOND: [&str; 6] = ["Aster", "Bean", "Sage", "Rose", "Tomato", "Clover"];
const GROWERS: [(&str, &str); 8] = [
    ("Ahlers & Daughters", "Leer"),
    ("Brook Nursery", "Hay"),
    ("Cardoso", "Braga"),
    ("Dupont Frères", "Tours"),
    ("Eriksen", "Odense"),
    ("Fiori", "Pistoia"),
    ("Gruber", "Graz"),
    ("Hoekstra", "Sneek"),
];

pub fn plants() -> Vec<Plant> {
    let plant = |number: usize| {
        let name = format!("{} {}", FIRST[number % 10], SECOND[number / 10]);
        Plant {
            slug: name.to_lowercase().replace(' ', "-"),
            name,
            family: FAMILIES[number % FAMILIES.len()],
            height: 10 + number * 7 % 190,
            price: format!("{}.{:02}", 2 + number % 9, number * 13 % 100),
            grower: number % GROWERS.len(),
        }
    };
    (0..PLANTS).map(plant).collect()
}

/// Addresses of all plants, sorted.
pub fn truth(site: &Site) -> Vec<String> {
    let mut all: Vec<String> = plants().iter().map(|plant| site.url(&format!("/plants/{}", plant.slug))).collect();
    all.sort();
    all
}

pub fn start(form: Form) -> Site {
    start_changing(Arc::new(Mutex::new(form)))
}

pub fn start_changing(form: Arc<Mutex<Form>>) -> Site {
    let script = |text: &'static str| {
        let reply = Reply::status(200).header("content-type", "text/javascript").body(text);
        move |_: &Asked| reply.clone()
    };
    Server::new()
        .route("/framework.js", script(include_str!("../assets/htm-preact-3.1.1.js")))
        .route("/garden.js", script(include_str!("../assets/garden.js")))
        .route("/decorate.js", script(DECORATION))
        .route("/list.js", script(LIST))
        .route("/fill.js", script(FILL))
        .rest(move |asked| answer(*form.lock().unwrap_or_else(PoisonError::into_inner), asked))
        .start()
}

/// A clock, a button, a greeting, an attribute: nothing that anybody looks for.
const DECORATION: &str = "
  document.documentElement.classList.add('scripted');
  const clock = document.body.appendChild(document.createElement('time'));
  clock.textContent = new Date().toISOString();
  setInterval(() => { clock.textContent = new Date().toISOString(); }, 100);
  const up = document.body.appendChild(document.createElement('a'));
  up.href = '#top'; up.textContent = 'Back to the top';
  for (const row of document.querySelectorAll('li')) row.dataset.seen = 'yes';
";

/// What the plain list shows.
const LIST: &str = "
  const page = new URLSearchParams(location.search).get('page') || 1;
  fetch('/api/plants?page=' + page).then((answer) => answer.json()).then((data) => {
    const item = (plant) => `<li><a href=\"/plants/${plant.slug}\">${plant.name}</a></li>`;
    const link = (_, at) => `<a href=\"/plants?page=${at + 1}\">${at + 1}</a>`;
    document.getElementById('list').innerHTML = `<ul class=\"plants\">${data.plants.map(item).join('')}</ul>
      <p class=\"pages\">${Array.from({length: data.pages}, link).join('')}</p>`;
  });
";

/// The values of the plain page.
const FILL: &str = "
  fetch('/api' + location.pathname).then((answer) => answer.json()).then((plant) => {
    const cells = document.querySelectorAll('article td');
    cells[0].textContent = plant.family; cells[1].textContent = `${plant.height} cm`; cells[2].textContent = `${plant.price} EUR`;
    cells[3].innerHTML = `<a href=\"/growers/${plant.grower}\"></a>`; cells[3].firstChild.textContent = plant.growerName;
  });
";

/// A plant without its values.
fn unfilled(slug: &str) -> Option<String> {
    let name = plants().into_iter().find(|plant| plant.slug == slug)?.name;
    let rows =
        ["Family", "Height", "Price", "Grower"].map(|label| format!("<tr><th>{label}</th><td></td></tr>")).concat();
    Some(format!("<article><h1>{name}</h1><table><tbody>{rows}</tbody></table></article>"))
}

/// A page that has something to read without its list.
fn unlisted() -> String {
    let words =
        "Every plant that we grow stands here, with its family, how tall it gets, what it costs and who grew it. ";
    format!("<h1>Plants</h1><p>{}</p><div id=\"list\"></div>", words.repeat(4))
}

fn answer(form: Form, asked: &Asked) -> Reply {
    let (path, query) = asked.target.split_once('?').unwrap_or((&asked.target, ""));
    let number = query.strip_prefix("page=").and_then(|page| page.parse().ok()).unwrap_or(1);
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
    if let ["api", rest @ ..] = &parts[..] {
        return data(rest, number).map_or_else(|| Reply::status(404), json_reply);
    }
    let Some(content) = content(&parts, number) else { return Reply::html("<h1>Not found").with_status(404) };
    match form {
        Form::Application => Reply::html(
            "<!doctype html><title>Garden</title><div id=app></div><noscript>This site needs scripts.</noscript>\
             <script src=/framework.js></script><script src=/garden.js></script>",
        ),
        Form::Plain => Reply::html(framed(&content)),
        Form::Listed if parts == ["plants"] => Reply::html(framed(&unlisted()) + "<script src=/list.js></script>"),
        Form::Filled if parts.len() == 2 && parts[0] == "plants" => {
            Reply::html(framed(&unfilled(parts[1]).unwrap_or_default()) + "<script src=/fill.js></script>")
        }
        Form::Listed | Form::Filled => Reply::html(framed(&content)),
        Form::Decorated => Reply::html(framed(&content) + "<script src=/decorate.js></script>"),
    }
}

fn json_reply(value: Value) -> Reply {
    Reply::status(200).header("content-type", "application/json").body(value.to_string())
}

fn data(parts: &[&str], page: usize) -> Option<Value> {
    let all = plants();
    let grower = |id: usize| json!({"id": id, "name": GROWERS[id].0, "town": GROWERS[id].1});
    Some(match parts {
        ["plants"] => {
            let shown = all.iter().skip((page - 1) * ON_PAGE).take(ON_PAGE);
            let shown: Vec<Value> = shown.map(|plant| json!({"slug": plant.slug, "name": plant.name})).collect();
            json!({"plants": shown, "pages": PLANTS / ON_PAGE})
        }
        ["plants", slug] => {
            let Plant { name, family, height, price, grower, .. } =
                all.into_iter().find(|plant| plant.slug == **slug)?;
            let grower_name = GROWERS[grower].0;
            json!({"name": name, "family": family, "height": height, "price": price, "grower": grower, "growerName": grower_name})
        }
        ["growers"] => (0..GROWERS.len()).map(grower).collect(),
        ["growers", id] => grower(id.parse().ok().filter(|id| *id < GROWERS.len())?),
        _ => return None,
    })
}

/// What the application shows under this address.
fn content(parts: &[&str], page: usize) -> Option<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), |text| text.replace('&', "&amp;"));
    let list = |all: &Value, link: fn(&Value) -> String| -> String {
        let items = all.as_array().into_iter().flatten();
        items.map(|one| format!("<li><a href=\"{}\">{}</a></li>", link(one), text(&one["name"]))).collect()
    };
    Some(match parts {
        [] => "<h1>The garden</h1><p>Plants and those who grow them.</p>".to_owned(),
        ["about"] => {
            "<h1>About</h1><p>We have sold seeds for a long time, and answer letters on Mondays.</p>".to_owned()
        }
        ["plants"] => {
            let data = data(parts, page)?;
            let plants = list(&data["plants"], |plant| format!("/plants/{}", plant["slug"].as_str().unwrap_or("")));
            let pages = (1..=PLANTS / ON_PAGE).map(|page| format!("<a href=\"/plants?page={page}\">{page}</a>"));
            format!(
                "<h1>Plants</h1><ul class=\"plants\">{plants}</ul><p class=\"pages\">{}</p>",
                pages.collect::<String>()
            )
        }
        ["plants", _] => {
            let plant = data(parts, page)?;
            let value = |name: &str| text(&plant[name]);
            format!(
                "<article><h1>{}</h1><table><tbody><tr><th>Family</th><td>{}</td></tr><tr><th>Height</th><td>{} cm</td></tr>\
                 <tr><th>Price</th><td>{} EUR</td></tr><tr><th>Grower</th><td><a href=\"/growers/{}\">{}</a></td></tr>\
                 </tbody></table></article>",
                value("name"),
                value("family"),
                value("height"),
                value("price"),
                value("grower"),
                value("growerName")
            )
        }
        ["growers"] => {
            format!(
                "<h1>Growers</h1><ol>{}</ol>",
                list(&data(parts, page)?, |grower| format!("/growers/{}", grower["id"]))
            )
        }
        ["growers", _] => {
            let grower = data(parts, page)?;
            let (name, town) = (text(&grower["name"]), text(&grower["town"]));
            format!("<section><h2>{name}</h2><p>Grows seeds in {town}.</p></section>")
        }
        _ => return None,
    })
}

fn framed(content: &str) -> String {
    format!(
        "<!doctype html><title>Garden</title><div id=\"app\"><header><nav><a href=\"/\">Garden</a><a href=\"/plants\">Plants</a>\
         <a href=\"/growers\">Growers</a><a href=\"/about\">About</a></nav></header><main>{content}</main>\
         <footer><p>Seeds since 1911</p></footer></div>"
    )
}
