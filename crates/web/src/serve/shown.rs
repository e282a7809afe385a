//! Which records does an address show, how, and which address shows others? Query of an address ↔ a view of a data set.
//!
//! - [`Asked`]: everything that stands in the query: `q` words, `f` facets (`column:value`), `sort`, `desc`, `number`, `col` columns, `as` names
//!   (`column:name`), `after` the place, `child` a table within the pages. Table, JSON and export read the same query, so they show the same.

use super::answer::Problem;
use pagekin::privacy::Guard;
use pagekin::store::screen::{Cursor, Order, View};
use pagekin::view::Shown;
use std::collections::BTreeMap;

/// Records on a screen, and the most that a program gets at a time.
pub const PAGE: usize = 50;
pub const MOST: usize = 1000;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Asked {
    pub text: String,
    pub facets: BTreeMap<String, String>,
    pub sort: Option<String>,
    pub descending: bool,
    pub number: bool,
    pub columns: Vec<String>,
    pub names: BTreeMap<String, String>,
    pub after: Option<Cursor>,
    pub limit: Option<usize>,
    /// A table within the pages, instead of the records.
    pub child: Option<String>,
}

/// As a browser sends it.
pub type Pairs = Vec<(String, String)>;

impl Asked {
    pub fn read(pairs: &Pairs) -> Result<Self, Problem> {
        let mut asked = Self::default();
        for (name, value) in pairs.iter().filter(|(_, value)| !value.is_empty()) {
            match name.as_str() {
                "q" => asked.text = value.clone(),
                "f" => drop(asked.facets.insert(part(value)?.0, part(value)?.1)),
                "sort" => asked.sort = Some(value.clone()),
                "desc" => asked.descending = value == "1",
                "number" => asked.number = value == "1",
                "col" => asked.columns.push(value.clone()),
                "as" => drop(asked.names.insert(part(value)?.0, part(value)?.1)),
                "after" => asked.after = Some(cursor(value)?),
                "child" => asked.child = Some(value.clone()),
                "limit" => asked.limit = Some(limit(value)?),
                _ => {}
            }
        }
        Ok(asked)
    }

    pub fn view(&self, class: i64) -> View {
        View {
            class,
            text: (!self.text.trim().is_empty()).then(|| self.text.clone()),
            facets: self.facets.clone(),
            order: Order { attribute: self.sort.clone(), number: self.number, descending: self.descending },
            after: self.after.clone(),
            limit: self.limit.unwrap_or(PAGE),
            bare: false,
        }
    }

    /// With the columns chosen, or all of these.
    pub fn shown(&self, class: i64, all: &[String]) -> Shown {
        let chosen = if self.columns.is_empty() { all } else { &self.columns };
        let named = |name: &String| (name.clone(), self.names.get(name).unwrap_or(name).clone());
        let view = View { after: None, ..self.view(class) };
        let columns = chosen.iter().map(named).collect();
        Shown { view, columns, children: Vec::new(), only: self.child.clone(), guard: Guard::default() }
    }

    fn pairs(&self) -> Pairs {
        let mut pairs: Vec<(&str, String)> = vec![("q", self.text.clone())];
        pairs.extend(self.facets.iter().map(|(name, value)| ("f", joined(name, value))));
        pairs.extend(self.sort.clone().map(|name| ("sort", name)));
        pairs.push(("desc", if self.descending { "1" } else { "" }.to_owned()));
        pairs.push(("number", if self.number { "1" } else { "" }.to_owned()));
        pairs.extend(self.columns.iter().map(|name| ("col", name.clone())));
        pairs.extend(self.names.iter().map(|(name, own)| ("as", joined(name, own))));
        pairs.extend(self.after.iter().filter_map(|after| Some(("after", serde_json::to_string(after).ok()?))));
        pairs.extend(self.child.clone().map(|child| ("child", child)));
        pairs.extend(self.limit.map(|limit| ("limit", limit.to_string())));
        let given = pairs.into_iter().filter(|(_, value)| !value.is_empty());
        given.map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// Behind the `?` of an address.
    pub fn query(&self) -> String {
        let mut out = pagekin::Url::parse("http://s/").ok();
        if let Some(url) = &mut out {
            url.query_pairs_mut().extend_pairs(self.pairs());
        }
        out.and_then(|url| url.query().map(str::to_owned)).unwrap_or_default()
    }

    /// The first page of the same.
    pub fn first(&self) -> Self {
        Self { after: None, ..self.clone() }
    }

    pub fn behind(&self, cursor: Option<Cursor>) -> Self {
        Self { after: cursor, ..self.clone() }
    }

    /// Sorted by this column, or the other way round if it is already.
    pub fn sorted(&self, column: &str, number: bool) -> Self {
        let same = self.sort.as_deref() == Some(column);
        Self { sort: Some(column.to_owned()), number, descending: same && !self.descending, ..self.first() }
    }

    pub fn with_facet(&self, column: &str, value: &str) -> Self {
        let mut asked = self.first();
        asked.facets.insert(column.to_owned(), value.to_owned());
        asked
    }

    pub fn without_facet(&self, column: &str) -> Self {
        let mut asked = self.first();
        asked.facets.remove(column);
        asked
    }

    /// All but what a form holds itself.
    pub fn hidden(&self, own: &[&str]) -> Pairs {
        self.first().pairs().into_iter().filter(|(name, _)| !own.contains(&name.as_str())).collect()
    }
}

/// A colon in the name of a column is written as `%3A`, so that the first one ends it.
fn joined(name: &str, value: &str) -> String {
    format!("{}:{value}", name.replace('%', "%25").replace(':', "%3A"))
}

fn part(text: &str) -> Result<(String, String), Problem> {
    let (name, value) = text.split_once(':').ok_or_else(|| Problem::wrong("`f` and `as` are `column:text`"))?;
    Ok((name.replace("%3A", ":").replace("%25", "%"), value.to_owned()))
}

fn cursor(text: &str) -> Result<Cursor, Problem> {
    serde_json::from_str(text).map_err(|_| Problem::wrong("`after` is not what the page before gave"))
}

fn limit(text: &str) -> Result<usize, Problem> {
    let number = text.parse().ok().filter(|number| (1..=MOST).contains(number));
    number.ok_or_else(|| Problem::wrong(format!("`limit` is a number from 1 to {MOST}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_is_in_its_address_and_comes_out_again() {
        let asked = Asked {
            text: "red & blue".to_owned(),
            facets: [("a:b%".to_owned(), "x:y".to_owned())].into(),
            sort: Some("price".to_owned()),
            descending: true,
            number: true,
            columns: vec!["price".to_owned(), "name".to_owned()],
            names: [("price".to_owned(), "Preis".to_owned())].into(),
            after: Some(Cursor { url: "http://s/?a=1&b".to_owned(), nth: 2, text: None, number: Some(1.5) }),
            limit: Some(7),
            child: Some("seasons".to_owned()),
        };
        let url = pagekin::Url::parse(&format!("http://s/?{}", asked.query())).unwrap();
        let pairs: Pairs = url.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect();
        assert_eq!(Asked::read(&pairs).unwrap(), asked);
        assert!(Asked::read(&vec![("f".to_owned(), "x".to_owned())]).is_err());
        assert!(Asked::read(&vec![("limit".to_owned(), "0".to_owned())]).is_err());
    }

    #[test]
    fn a_column_sorts_up_then_down() {
        let once = Asked::default().sorted("name", false);
        assert!(!once.descending && once.sorted("name", false).descending && !once.sorted("price", true).descending);
    }
}
