//! What does a person see of a data set, a page of it at a time? A view (filter, facets, order, place) → records.
//!
//! - [`ClassLine`]: a data set, as a list shows it. - [`View`]: which of its records, and in which order. - [`Cursor`]: behind which
//!   record a page begins. - [`SeenRecord`]: one record. - [`Facet`]: how often a value comes. - [`IndexLine`]: a page that
//!   shows others.
//!
//! Pages are found by the key of the last record of the page before, so that the millionth record takes as long as the first.
//! In another order than that of addresses an index on the values helps ([`order`](crate::order)); without it all records are looked at.

use crate::backend::Dialect;
use crate::order::{LEAST, first, of_class};
use crate::run_list::contains;
use crate::value::{Row, Value};
use crate::{Result, Store};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

pub use crate::order::Order;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ClassLine {
    pub id: i64,
    pub site: String,
    pub name: String,
    pub samples: Vec<String>,
    /// Records after its last run; none where no run ended yet.
    pub records: Option<i64>,
    pub last_run: Option<i64>,
    pub changed_at: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct View {
    pub class: i64,
    /// Every word of it is in the values of a record, in any case.
    pub text: Option<String>,
    /// Attributes with the values that one of theirs has to be.
    pub facets: BTreeMap<String, String>,
    pub order: Order,
    pub after: Option<Cursor>,
    pub limit: usize,
    /// Records come without their evidence, which is most of them.
    pub bare: bool,
}

/// The key of a record in an order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cursor {
    pub url: String,
    pub nth: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub number: Option<f64>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SeenRecord {
    pub url: String,
    pub nth: i64,
    pub attributes: BTreeMap<String, Vec<String>>,
    pub evidence: serde_json::Value,
    pub confidence: f64,
    pub gone: bool,
    #[serde(skip)]
    pub cursor: Option<Cursor>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Facet {
    pub value: String,
    pub records: i64,
}

/// An index page, and how many pages of the kind it shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IndexLine {
    pub url: String,
    /// 0 is the root.
    pub level: i64,
    pub parent: Option<String>,
    pub evidence: String,
    pub shows: i64,
}

/// What a record said before.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Earlier {
    pub from_run: i64,
    pub until_run: i64,
    pub until: Option<String>,
    pub attributes: BTreeMap<String, Vec<String>>,
}

const CLASSES: &str = "SELECT c.id, s.name, c.name, c.samples, r.stats, r.id, r.ended_at
    FROM classes c JOIN sites s ON s.id = c.site_id
    LEFT JOIN runs r ON r.id = (SELECT MAX(l.id) FROM runs l WHERE l.class_id = c.id AND l.state = 'done')
    WHERE CAST($1 AS BIGINT) IS NULL OR c.id = $1 ORDER BY s.name, c.name";

const COLUMNS: &str = "SELECT url, nth, attributes, evidence, confidence, CASE WHEN gone_run IS NULL THEN 0 ELSE 1 END";

const BARE: &str = "SELECT url, nth, attributes, NULL, confidence, CASE WHEN gone_run IS NULL THEN 0 ELSE 1 END";

/// What a query is made of, with the values that its text counts. The text is the database's own.
struct Query {
    dialect: Dialect,
    values: Vec<Value>,
}

impl Query {
    /// The place of a value in the text.
    fn put(&mut self, value: impl Into<Value>) -> String {
        self.values.push(value.into());
        let mark = if self.dialect == Dialect::Sqlite { '?' } else { '$' };
        format!("{mark}{}", self.values.len())
    }

    /// Records of the class that are there and fit the view, wherever the page begins.
    fn wanted(&mut self, view: &View) -> String {
        let mut sql = format!(" FROM records WHERE {}", of_class(view.class));
        let values = match self.dialect {
            Dialect::Sqlite => "lower(attributes)",
            Dialect::Postgres => "lower(CAST(attributes AS TEXT))",
        };
        for word in view.text.iter().flat_map(|text| text.split_whitespace()) {
            let pattern = self.put(contains(word));
            sql += &format!(" AND {values} LIKE {pattern} ESCAPE '!'");
        }
        for (attribute, value) in &view.facets {
            sql += &self.facet(attribute, value);
        }
        sql
    }

    fn facet(&mut self, attribute: &str, value: &str) -> String {
        let (name, given) = (self.put(attribute), self.put(value));
        match self.dialect {
            // Most records do not hold the text at all, which is quicker to see than which of their values is which.
            Dialect::Sqlite => {
                let text = self.put(serde_json::Value::from(value).to_string());
                format!(
                    " AND instr(attributes, {text}) > 0 AND EXISTS (SELECT 1 FROM json_each(attributes) a, json_each(a.value) v
                        WHERE a.key = {name} AND v.value = {given})"
                )
            }
            Dialect::Postgres => {
                format!(" AND jsonb_exists(attributes -> CAST({name} AS TEXT), CAST({given} AS TEXT))")
            }
        }
    }

    /// The address as an order that an index has.
    fn place(&self, url: &str) -> Vec<String> {
        match self.dialect {
            Dialect::Sqlite => vec![url.to_owned()],
            Dialect::Postgres => vec![format!("left({url}, 400)"), url.to_owned()],
        }
    }

    /// Where a cursor stands, in the order of [`Query::page`].
    fn place_of(&mut self, cursor: &Cursor, order: &Order) -> String {
        let key: Option<Value> = order.attribute.as_ref().map(|_| match order.number {
            true => cursor.number.unwrap_or(LEAST).into(),
            false => cursor.text.clone().unwrap_or_default().into(),
        });
        let mut keys: Vec<String> = key.map(|key| self.put(key)).into_iter().collect();
        let (url, nth) = (self.put(cursor.url.as_str()), self.put(cursor.nth));
        keys.extend(self.place(&format!("CAST({url} AS TEXT)")));
        keys.push(nth);
        keys.join(", ")
    }

    /// The key and the address go the same way, so that an index can be read from either end.
    fn page(&mut self, view: &View) -> String {
        let (key, wanted) = (view.order.key(self.dialect), self.wanted(view));
        let columns = if view.bare { BARE } else { COLUMNS };
        let mut sql = format!("{columns}, {} {wanted}", key.as_deref().unwrap_or("NULL"));
        let down = view.order.descending && key.is_some();
        let (compared, way) = if down { ("<", " DESC") } else { (">", "") };
        let place = self.place("url");
        let keys: Vec<String> = key.into_iter().chain(place).chain(["nth".to_owned()]).collect();
        if let Some(cursor) = &view.after {
            sql += &format!(" AND ({}) {compared} ({})", keys.join(", "), self.place_of(cursor, &view.order));
        }
        let by: Vec<String> = keys.iter().map(|key| format!("{key}{way}")).collect();
        format!("{sql} ORDER BY {} LIMIT {}", by.join(", "), self.put(view.limit))
    }
}

impl Store {
    /// All data sets, or one.
    pub async fn class_list(&self, class: Option<i64>) -> Result<Vec<ClassLine>> {
        let rows = self.fetch(CLASSES, vec![class.into()]).await?;
        rows.iter().map(class_line).collect()
    }

    /// Names of the attributes of a class, as far as its first records show them, sorted, and whether their values are numbers; `most`
    /// records are looked at.
    pub async fn class_attributes(&self, class: i64, most: usize) -> Result<BTreeMap<String, bool>> {
        let view = View { class, limit: most, ..View::default() };
        let mut names = BTreeMap::new();
        for record in self.view(&view).await? {
            for name in record.attributes.into_keys() {
                let kind = record.evidence[&name]["type"]["kind"].as_str();
                *names.entry(name).or_insert(false) |= matches!(kind, Some("number" | "money"));
            }
        }
        Ok(names)
    }

    fn asking(&self) -> Query {
        Query { dialect: self.dialect(), values: Vec::new() }
    }

    /// One page of a view.
    pub async fn view(&self, view: &View) -> Result<Vec<SeenRecord>> {
        let mut query = self.asking();
        let sql = query.page(view);
        let rows = self.fetch_as_is(sql, query.values).await?;
        rows.iter().map(|row| seen(row, Some(&view.order))).collect()
    }

    /// The values of an attribute that most records of a view have, the most frequent first; `most` records are looked at.
    pub async fn facet(&self, view: &View, attribute: &str, top: usize, most: usize) -> Result<Vec<Facet>> {
        let mut query = self.asking();
        let first = first(attribute, query.dialect);
        let wanted = query.wanted(view);
        let (most, top) = (query.put(most), query.put(top));
        let sql = format!(
            "SELECT v, COUNT(*) FROM (SELECT {first} AS v {wanted} LIMIT {most}) x WHERE v IS NOT NULL GROUP BY v
             ORDER BY 2 DESC, 1 LIMIT {top}"
        );
        let rows = self.fetch_as_is(sql, query.values).await?;
        Ok(rows.iter().map(|row| Facet { value: row.text(0), records: row.int(1) }).collect())
    }

    /// Records of a view, up to so many.
    pub async fn count_view(&self, view: &View, most: usize) -> Result<i64> {
        let mut query = self.asking();
        let wanted = query.wanted(view);
        let most = query.put(most);
        let sql = format!("SELECT COUNT(*) FROM (SELECT 1 {wanted} LIMIT {most}) x");
        Ok(self.fetch_as_is(sql, query.values).await?.first().map_or(0, |row| row.int(0)))
    }

    pub async fn seen_record(&self, class: i64, url: &str, nth: i64) -> Result<Option<SeenRecord>> {
        let sql = format!("{COLUMNS} FROM records WHERE class_id = $1 AND url = $2 AND nth = $3");
        let rows = self.fetch(&sql, vec![class.into(), url.into(), nth.into()]).await?;
        rows.first().map(|row| seen(row, None)).transpose()
    }

    /// By level and address.
    pub async fn index_list(&self, class: i64, most: usize) -> Result<Vec<IndexLine>> {
        let sql = "SELECT i.url, i.level, i.parent, i.evidence, COALESCE(v.n, 0) FROM indexes i
            LEFT JOIN (SELECT via, COUNT(*) AS n FROM entities WHERE class_id = $1 AND gone_run IS NULL GROUP BY via) v
                ON v.via = i.url
            WHERE i.class_id = $1 ORDER BY i.level, i.url LIMIT $2";
        let rows = self.fetch(sql, vec![class.into(), most.into()]).await?;
        let line = |row: &Row| IndexLine {
            url: row.text(0),
            level: row.int(1),
            parent: row.maybe_text(2),
            evidence: row.text(3),
            shows: row.int(4),
        };
        Ok(rows.iter().map(line).collect())
    }

    /// Bytes that the database takes.
    pub async fn size(&self) -> Result<i64> {
        let sql = match self.dialect() {
            Dialect::Sqlite => "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
            Dialect::Postgres => "SELECT pg_database_size(current_database())",
        };
        Ok(self.one(sql, vec![]).await?.rows.first().map_or(0, |row| row.int(0)))
    }

    /// What it said before, the latest first.
    pub async fn earlier(&self, class: i64, url: &str, nth: i64) -> Result<Vec<Earlier>> {
        let sql = "SELECT h.from_run, h.until_run, u.started_at, h.attributes FROM record_history h
            JOIN runs u ON u.id = h.until_run
            WHERE h.class_id = $1 AND h.url = $2 AND h.nth = $3 ORDER BY h.until_run DESC";
        let rows = self.fetch(sql, vec![class.into(), url.into(), nth.into()]).await?;
        let earlier = |row: &Row| {
            let attributes = row.parsed(3, "attributes")?;
            Ok(Earlier { from_run: row.int(0), until_run: row.int(1), until: row.maybe_text(2), attributes })
        };
        rows.iter().map(earlier).collect()
    }
}

fn class_line(row: &Row) -> Result<ClassLine> {
    let stats: serde_json::Value =
        if *row.get(4) == Value::Null { Default::default() } else { row.parsed(4, "stats")? };
    Ok(ClassLine {
        id: row.int(0),
        site: row.text(1),
        name: row.text(2),
        samples: row.parsed(3, "samples")?,
        records: stats["records"].as_i64(),
        last_run: row.maybe_int(5),
        changed_at: row.maybe_text(6),
    })
}

fn seen(row: &Row, order: Option<&Order>) -> Result<SeenRecord> {
    let (url, nth) = (row.text(0), row.int(1));
    let cursor = order.map(|order| Cursor {
        url: url.clone(),
        nth,
        text: order.attribute.as_ref().filter(|_| !order.number).map(|_| row.maybe_text(6).unwrap_or_default()),
        number: order.attribute.as_ref().filter(|_| order.number).map(|_| row.real(6)),
    });
    Ok(SeenRecord {
        url,
        nth,
        attributes: row.parsed(2, "attributes")?,
        evidence: if *row.get(3) == Value::Null { serde_json::Value::Null } else { row.parsed(3, "evidence")? },
        confidence: row.real(4),
        gone: row.int(5) != 0,
        cursor,
    })
}
