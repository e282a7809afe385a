//! How does a program know what stands in exported files? Files with their columns, and what they are → `datapackage.json` beside them
//! (Data Package 2.0).
//!
//! - [`Resource`]: one file. - [`Fields`]: the columns of records, with the types their texts have. - [`describe`]: the description.
//!
//! Columns of CSV are of a type only where every cell of them is written so; columns of Parquet are of their own.

use crate::Error;
use crate::about::About;
use crate::dataset::Exported;
use crate::digest::Sha256;
use crate::export::column;
use crate::typed::{ColumnType, ColumnTypes};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// What the file beside exports is called.
pub const NAME: &str = "datapackage.json";

/// A file of the package.
pub struct Resource {
    /// Where it is.
    pub path: PathBuf,
    /// What its rows are: `records`, or the table within pages.
    pub rows: String,
    /// Names and types of its columns; none where a row is no list of cells.
    pub fields: Vec<Value>,
}

/// The texts of columns seen so far: are all of them numbers, as programs write them?
#[derive(Debug, Clone, Default)]
pub struct Fields {
    numbers: BTreeMap<String, bool>,
}

impl Fields {
    /// Takes records in, to tell types by.
    pub fn see(&mut self, records: &[Exported], attributes: &[String]) {
        for record in records {
            for name in attributes {
                if let Some(cell) = record.cell(name) {
                    let plain = is_plain_number(&cell);
                    self.numbers.entry(name.clone()).and_modify(|all| *all &= plain).or_insert(plain);
                }
            }
        }
    }

    /// Of records in CSV.
    pub fn of_csv(&self, attributes: &[String], times: bool) -> Vec<Value> {
        let number = |name: &String| self.numbers.get(name).copied().unwrap_or(false);
        let kind = |name: &String| if number(name) { "number" } else { "string" };
        let own = attributes.iter().map(|name| json!({"name": column(name), "type": kind(name)}));
        own_fields(times).into_iter().chain(own).collect()
    }
}

/// Of records in Parquet.
pub fn of_parquet(attributes: &[String], types: &ColumnTypes, times: bool) -> Vec<Value> {
    let field = |name: &String| match types.of(name) {
        ColumnType::Text => json!({"name": column(name), "type": "string"}),
        ColumnType::Number(unit) if unit.is_empty() => json!({"name": column(name), "type": "number"}),
        ColumnType::Number(unit) => json!({"name": column(name), "type": "number", "unit": unit}),
        ColumnType::Money(currency) => json!({"name": column(name), "type": "number", "currency": currency}),
        ColumnType::Date => json!({"name": column(name), "type": "date"}),
        ColumnType::Boolean => json!({"name": column(name), "type": "boolean"}),
    };
    own_fields(times).into_iter().chain(attributes.iter().map(field)).collect()
}

/// Of the rows of a table within pages.
pub fn of_children(columns: &[String], text_only: bool) -> Vec<Value> {
    let number = if text_only { "string" } else { "integer" };
    let own = [
        json!({"name": "_url", "type": "string", "format": "uri"}),
        json!({"name": "_record", "type": number}),
        json!({"name": "_position", "type": number}),
    ];
    own.into_iter().chain(columns.iter().map(|name| json!({"name": name, "type": "string"}))).collect()
}

fn own_fields(times: bool) -> Vec<Value> {
    let kind = |name: &str| match name {
        "_url" => json!({"name": name, "type": "string", "format": "uri"}),
        "_record" => json!({"name": name, "type": "integer"}),
        "_confidence" => json!({"name": name, "type": "number"}),
        "_unlinked" => json!({"name": name, "type": "boolean"}),
        "_first_seen" | "_changed_at" => json!({"name": name, "type": "datetime", "format": "any"}),
        _ => json!({"name": name, "type": "string"}),
    };
    Exported::header(times).into_iter().map(kind).collect()
}

/// An id with zeros before it is no number.
fn is_plain_number(text: &str) -> bool {
    let digits = text.trim_start_matches('-');
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') && digits.len() <= 17;
    let id = digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.");
    plain && !id && digits.parse::<f64>().is_ok()
}

/// The files must be written already: their sizes and digests are told.
pub fn describe(resources: &[Resource], about: &About) -> Result<Value, Error> {
    let mut names = BTreeSet::new();
    let told: Vec<Value> = resources.iter().map(|own| resource(own, &mut names)).collect::<Result<_, _>>()?;
    let sites: BTreeMap<&str, &str> = about.kinds.iter().map(|kind| (kind.url.as_str(), kind.site.as_str())).collect();
    let sources: Vec<Value> = sites.into_iter().map(|(url, site)| json!({"title": site, "path": url})).collect();
    let titles: Vec<String> = about.kinds.iter().map(|kind| format!("{} of {}", kind.class, kind.site)).collect();
    let told_by = |kind: &crate::about::Kind| format!("{} of {}: {}.", kind.class, kind.site, kind.completeness.told());
    let description: Vec<String> = about.kinds.iter().map(told_by).collect();
    let mut package = json!({
        "$schema": "https://datapackage.org/profiles/2.0/datapackage.json",
        "name": slug(&titles.join("-")),
        "title": titles.join(", "),
        "description": description.join(" "),
        "resources": told,
        "pagekin": about,
    });
    if !sources.is_empty() {
        package["sources"] = sources.into();
    }
    if let Some(last) = about.kinds.iter().filter_map(|kind| kind.ended_at.as_ref()).max() {
        package["created"] = json!(last);
    }
    Ok(package)
}

fn resource(own: &Resource, names: &mut BTreeSet<String>) -> Result<Value, Error> {
    let (digest, bytes) = Sha256::of_file(&own.path).map_err(Error::Write)?;
    let format = own.path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let wanted = slug(&own.rows);
    let numbered = (2..).map(|n| format!("{wanted}-{n}"));
    let name = std::iter::once(wanted.clone()).chain(numbered).find(|name| names.insert(name.clone()));
    let mut told = Map::new();
    told.insert("name".to_owned(), json!(name));
    told.insert("path".to_owned(), json!(own.path.file_name().unwrap_or_default().to_string_lossy()));
    told.insert("format".to_owned(), json!(format));
    told.insert("mediatype".to_owned(), json!(media_type(&format)));
    told.insert("bytes".to_owned(), json!(bytes));
    told.insert("hash".to_owned(), json!(format!("sha256:{digest}")));
    if matches!(format.as_str(), "csv" | "jsonl" | "json") {
        told.insert("encoding".to_owned(), json!("utf-8"));
    }
    if !own.fields.is_empty() {
        told.insert("type".to_owned(), json!("table"));
        told.insert("schema".to_owned(), json!({"fields": own.fields}));
    }
    Ok(Value::Object(told))
}

fn media_type(format: &str) -> &'static str {
    match format {
        "csv" => "text/csv",
        "json" => "application/json",
        "jsonl" => "application/jsonl",
        "parquet" => "application/vnd.apache.parquet",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => "application/octet-stream",
    }
}

/// Names of packages and resources are words of a web address.
fn slug(text: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '.' | '_') { c.to_ascii_lowercase() } else { '-' };
    let own: String = text.chars().map(kept).take(80).collect();
    let own = own.trim_matches('-').to_owned();
    if own.is_empty() { "records".to_owned() } else { own }
}

/// Beside this file.
pub fn beside(path: &Path) -> PathBuf {
    path.with_file_name(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_that_programs_write() {
        for (text, plain) in [
            ("12", true),
            ("-1.5", true),
            ("0.5", true),
            ("0049", false),
            ("1,5", false),
            ("12 kg", false),
            ("1e5", false),
            ("", false),
        ] {
            assert_eq!(is_plain_number(text), plain, "{text}");
        }
    }

    #[test]
    fn files_are_told_with_digest_and_columns() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("drivers.csv");
        std::fs::write(&path, "abc").unwrap();
        let fields = Fields::default().of_csv(&["team".to_owned()], false);
        let all = [Resource { path: path.clone(), rows: "Ré cords".to_owned(), fields }];
        let told = describe(&all, &About::default()).unwrap();
        let own = &told["resources"][0];
        assert_eq!((own["name"].as_str(), own["bytes"].as_u64()), (Some("r--cords"), Some(3)));
        let abc = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(own["hash"], abc);
        assert_eq!(own["schema"]["fields"][6], json!({"name": "team", "type": "string"}));
    }
}
