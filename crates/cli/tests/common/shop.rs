//! A shop on the test server whose owner changes it: products, lists, looks, answers.

use pagekin_testkit::server::{Asked, Reply, Server, Site};
use std::sync::{Arc, Mutex};

#[derive(Clone)]
pub struct Product {
    pub id: usize,
    pub name: String,
    pub price: String,
    pub weight: String,
    pub maker: String,
    pub added: String,
    pub about: String,
}

/// What it shows today.
#[derive(Clone)]
pub struct Shelf {
    pub products: Vec<Product>,
    pub per_page: usize,
    /// Heading of the list, then labels: price, weight, maker, added, about.
    pub words: [&'static str; 6],
    pub header: String,
    pub footer: String,
    /// Behind the facts of each product.
    pub extra: fn(&Product) -> String,
    /// The table of facts, by its labels and the product.
    pub facts: fn(&[&'static str; 6], &Product) -> String,
    /// Instead of the page: path, how often it was asked for, the page itself.
    pub answer: fn(&str, usize, String) -> Reply,
}

pub struct Shop {
    pub site: Site,
    shelf: Arc<Mutex<Shelf>>,
}

const MAKERS: [&str; 7] = ["Aldon Works", "Brem & Sons", "Coltane", "Dorrit Forge", "Elmwick", "Farrow Hall", "Gantry"];
const THINGS: [&str; 8] = ["kettle", "lantern", "stool", "ladder", "basket", "clock", "bellows", "grindstone"];
const WORDS: [&str; 6] = ["Products", "Price", "Weight", "Maker", "Added", "About"];

fn product(id: usize) -> Product {
    let (thing, maker) = (THINGS[id % THINGS.len()], MAKERS[id * 3 % MAKERS.len()]);
    Product {
        id,
        name: format!("The {maker} {thing} No {id}"),
        price: format!("{}.{:02} EUR", 12 + id * 37 % 190, id * 13 % 100),
        weight: format!("{} g", 150 + id * 71 % 2400),
        maker: maker.to_owned(),
        added: format!("2026-{:02}-{:02}", 1 + id % 9, 1 + id * 5 % 27),
        about: format!("A {thing} that {maker} made {} years ago, kept in room {}.", 3 + id * 7 % 80, id * 11 % 97),
    }
}

fn facts(words: &[&'static str; 6], product: &Product) -> String {
    let Product { price, weight, maker, added, about, .. } = product;
    let rows: String = words[1..]
        .iter()
        .zip([price, weight, maker, added, about])
        .map(|(label, value)| format!("<tr><th>{label}</th><td>{value}</td></tr>\n"))
        .collect();
    format!("<table class=\"facts\">\n{rows}</table>")
}

impl Shelf {
    pub fn new(products: usize) -> Self {
        Self {
            products: (1..=products).map(product).collect(),
            per_page: 12,
            words: WORDS,
            header: "<p class=\"claim\">Old things, well kept.</p>".to_owned(),
            footer: "<p>Open on weekdays.</p>".to_owned(),
            extra: |_| String::new(),
            facts,
            answer: |_, _, page| Reply::html(page),
        }
    }

    /// More of the same.
    pub fn add(&mut self, more: usize) {
        let next = self.products.iter().map(|one| one.id).max().unwrap_or(0) + 1;
        self.products.extend((next..next + more).map(product));
    }

    fn framed(&self, title: &str, content: &str) -> String {
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title} | The Shop</title></head>\n<body>\n\
             <header><h3><a href=\"/\">The Shop</a></h3><nav><a href=\"/products/\">Products</a> <a href=\"/about\">About us</a></nav>{}</header>\n\
             <main>{content}</main>\n<footer>{}</footer>\n</body></html>\n",
            self.header, self.footer
        )
    }

    pub fn page(&self, path: &str) -> Option<String> {
        if path == "/" {
            return Some(self.framed("Home", "<h1>Welcome</h1><p>See our <a href=\"/products/\">products</a>.</p>"));
        }
        if path == "/about" {
            return Some(self.framed("About us", "<h1>About us</h1><p>A family has kept this shop since 1921.</p>"));
        }
        if let Some(id) = path.strip_prefix("/product/") {
            let product = self.products.iter().find(|one| id == format!("{}.html", one.id))?;
            let content =
                format!("<h1>{}</h1>\n{}{}", product.name, (self.facts)(&self.words, product), (self.extra)(product));
            return Some(self.framed(&product.name, &content));
        }
        let page = match path {
            "/products/" => 1,
            _ => path.strip_prefix("/products/?page=")?.parse::<usize>().ok()?,
        };
        self.list(page)
    }

    fn list(&self, page: usize) -> Option<String> {
        let pages = self.products.len().div_ceil(self.per_page).max(1);
        if page == 0 || page > pages {
            return None;
        }
        let shown = self.products.iter().skip((page - 1) * self.per_page).take(self.per_page);
        let rows: String =
            shown.map(|one| format!("<li><a href=\"/product/{}.html\">{}</a></li>\n", one.id, one.name)).collect();
        let others: String = (1..=pages)
            .map(|other| {
                if other == page {
                    format!("<b>{other}</b> ")
                } else {
                    format!("<a href=\"/products/?page={other}\">{other}</a> ")
                }
            })
            .collect();
        let total = format!("<p class=\"total\">{} {}</p>", self.products.len(), self.words[0].to_lowercase());
        let content =
            format!("<h1>{}</h1>{total}<ul class=\"list\">\n{rows}</ul><p class=\"pager\">{others}</p>", self.words[0]);
        Some(self.framed(self.words[0], &content))
    }

    fn answered(&self, asked: &Asked) -> Reply {
        let Some(page) = self.page(&asked.target) else { return Reply::html("<h1>Not found</h1>").with_status(404) };
        (self.answer)(&asked.target, asked.nth, page)
    }
}

impl Shop {
    pub fn start(shelf: Shelf) -> Self {
        let shelf = Arc::new(Mutex::new(shelf));
        let shown = shelf.clone();
        let site = Server::new().rest(move |asked| shown.lock().unwrap().answered(asked)).start();
        Self { site, shelf }
    }

    pub fn set(&self, shelf: Shelf) {
        *self.shelf.lock().unwrap() = shelf;
    }

    pub fn sample(&self) -> String {
        self.site.url("/product/7.html")
    }
}
