//! What is looked for? A domain file (TOML) → [`Domain`]: roles with the words and the forms that give them away.
//!
//! - [`Domain`]: the roles of a trade, by name. - [`Role`]: synonyms of its label, patterns of its values, whether it is the title.
//! - [`Trouble`]: one thing wrong with a file; [`parse`] reports all of them at once.
//!
//! ```toml
//! [roles.price]
//! synonyms = ["price", "list price", "our price"]   # labels, as a page shows them
//! value = '\$\s?\d'                                  # what a value behind such a label must match
//! typed = '^\s*\$\s?\d[\d,]*\.\d\d$'                 # what gives a value away where no label stands
//! ```
//!
//! Patterns may look around (`(?!…)`), so they run on an engine that can; its steps are bounded, and a text on which
//! it gives up does not match. Follows section 3.2 and figure 4 of the DE-SSE paper; `typed`, `title`, `schema` and
//! `extra` are additions.

use super::fitted::{FittedRole, FittedRoles};
use super::leaves::label_of;
use fancy_regex::{Regex, RegexBuilder};
use std::fmt;
use std::sync::Arc;
use toml::{Table, Value};

/// Roles a file may have: each costs a count at every node of every page.
const MOST_ROLES: usize = 100;

/// Steps a pattern may go back on one text of [`READ`] bytes: a bound against hostile texts, set by hand.
const STEPS: usize = 20_000;

/// Bytes of a text that patterns look at: values are short, and hostile texts are not.
const READ: usize = 400;

#[derive(Debug, Clone, Default)]
pub struct Domain {
    /// Sorted by name.
    pub roles: Vec<Role>,
}

#[derive(Debug, Clone)]
pub struct Role {
    pub name: String,
    /// As [`label_of`] writes them.
    pub synonyms: Vec<String>,
    /// Names in schema.org, microformats and classes that mean the role.
    pub schema: Vec<String>,
    pub value: Option<Pattern>,
    pub typed: Option<Pattern>,
    /// Is it what the record is called?
    pub title: bool,
    /// Only there to raise the entropy of its region; no value is wanted.
    pub extra: bool,
    /// What its values look like on other sites, if that was fitted.
    pub fitted: Option<Arc<FittedRole>>,
}

#[derive(Debug, Clone)]
pub struct Pattern(Regex);

impl Pattern {
    pub fn new(source: &str) -> Result<Self, String> {
        RegexBuilder::new(source).backtrack_limit(STEPS).build().map(Self).map_err(|error| error.to_string())
    }

    pub fn source(&self) -> &str {
        self.0.as_str()
    }

    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(&text[..text.floor_char_boundary(READ)]).unwrap_or(false)
    }
}

/// One thing wrong with a domain file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// `roles.price.value`
    pub key: String,
    pub reason: String,
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.key, self.reason)
    }
}

impl Domain {
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.roles.iter().find(|role| role.name == name)
    }

    /// The same with what was fitted for its roles; none where nobody fitted them.
    pub fn with_fitted(mut self, fitted: &FittedRoles) -> Self {
        let wanted: Vec<&str> = self.wanted().map(|role| role.name.as_str()).collect();
        let trade = fitted.trade(&wanted);
        for role in self.roles.iter_mut().filter(|role| !role.extra) {
            let tables = trade.and_then(|trade| trade.get(&role.name));
            role.fitted = tables.map(|tables| fitted.role(tables, role.title));
        }
        self
    }

    /// The roles whose values are wanted.
    pub fn wanted(&self) -> impl Iterator<Item = &Role> {
        self.roles.iter().filter(|role| !role.extra)
    }
}

/// Reads a domain file; all that is wrong with it, if anything is.
pub fn parse(text: &str) -> Result<Domain, Vec<Trouble>> {
    let table: Table = match text.parse() {
        Ok(table) => table,
        Err(error) => return Err(vec![trouble("the file", &format!("is not TOML: {}", first_line(&error)))]),
    };
    let mut reader = Reader::default();
    let domain = reader.domain(&table);
    if !reader.troubles.is_empty() {
        return Err(reader.troubles);
    }
    Ok(match FittedRoles::shipped() {
        Some(fitted) => domain.with_fitted(fitted),
        None => domain,
    })
}

fn first_line(error: &impl fmt::Display) -> String {
    let text = error.to_string();
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn trouble(key: &str, reason: &str) -> Trouble {
    Trouble { key: key.to_owned(), reason: reason.to_owned() }
}

/// Collects what is wrong while reading.
#[derive(Default)]
struct Reader {
    troubles: Vec<Trouble>,
}

impl Reader {
    fn wrong(&mut self, key: &str, reason: &str) {
        self.troubles.push(trouble(key, reason));
    }

    fn domain(&mut self, table: &Table) -> Domain {
        for key in table.keys().filter(|key| !matches!(key.as_str(), "roles" | "name" | "description")) {
            self.wrong(key, "is no key of a domain file: `name`, `description` and `roles` are");
        }
        let roles = match table.get("roles") {
            Some(Value::Table(roles)) if !roles.is_empty() => roles,
            _ => {
                self.wrong("roles", "is missing: a file has a table `[roles.NAME]` for each role");
                return Domain::default();
            }
        };
        if roles.len() > MOST_ROLES {
            self.wrong("roles", &format!("are {}, more than {MOST_ROLES}", roles.len()));
            return Domain::default();
        }
        let mut roles: Vec<Role> = roles.iter().filter_map(|(name, value)| self.role(name, value)).collect();
        roles.sort_by(|a, b| a.name.cmp(&b.name));
        Domain { roles }
    }

    fn role(&mut self, name: &str, value: &Value) -> Option<Role> {
        let key = format!("roles.{name}");
        let Value::Table(table) = value else {
            self.wrong(&key, "is not a table");
            return None;
        };
        const KEYS: [&str; 7] = ["synonyms", "schema", "value", "typed", "title", "extra", "description"];
        for own in table.keys().filter(|own| !KEYS.contains(&own.as_str())) {
            self.wrong(&format!("{key}.{own}"), &format!("is no key of a role: {} are", KEYS.join(", ")));
        }
        let role = Role {
            name: name.to_owned(),
            synonyms: self.words(&key, table, "synonyms").iter().map(|word| label_of(word)).collect(),
            schema: self.words(&key, table, "schema").iter().map(|word| word.to_lowercase()).collect(),
            value: self.pattern(&key, table, "value"),
            typed: self.pattern(&key, table, "typed"),
            title: self.flag(&key, table, "title"),
            extra: self.flag(&key, table, "extra"),
            fitted: None,
        };
        let nothing = role.synonyms.is_empty() && role.typed.is_none() && !role.title && role.schema.is_empty();
        if nothing && !table.contains_key("synonyms") {
            self.wrong(&key, "says nothing: give `synonyms`, `typed`, `schema` or `title = true`");
        }
        Some(role)
    }

    fn words(&mut self, role: &str, table: &Table, name: &str) -> Vec<String> {
        let key = format!("{role}.{name}");
        match table.get(name) {
            None => Vec::new(),
            Some(Value::Array(list)) => list.iter().filter_map(|one| self.word(&key, one)).collect(),
            Some(_) => {
                self.wrong(&key, "is not a list of words");
                Vec::new()
            }
        }
    }

    fn word(&mut self, key: &str, value: &Value) -> Option<String> {
        match value.as_str() {
            Some(word) if !label_of(word).is_empty() => Some(word.to_owned()),
            Some(word) => {
                self.wrong(key, &format!("holds `{word}`, which has no letter or digit"));
                None
            }
            None => {
                self.wrong(key, &format!("holds `{value}`, which is no text"));
                None
            }
        }
    }

    fn pattern(&mut self, role: &str, table: &Table, name: &str) -> Option<Pattern> {
        let key = format!("{role}.{name}");
        let source = match table.get(name)? {
            Value::String(source) => source,
            _ => {
                self.wrong(&key, "is no text");
                return None;
            }
        };
        match Pattern::new(source) {
            Ok(pattern) => Some(pattern),
            Err(error) => {
                self.wrong(&key, &format!("is no regular expression: {}", first_line(&error)));
                None
            }
        }
    }

    fn flag(&mut self, role: &str, table: &Table, name: &str) -> bool {
        match table.get(name) {
            None => false,
            Some(Value::Boolean(flag)) => *flag,
            Some(_) => {
                self.wrong(&format!("{role}.{name}"), "is neither true nor false");
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read() {
        let domain =
            parse("[roles.price]\nsynonyms=['Price:', 'our price']\nvalue='^\\$\\d'\n[roles.name]\ntitle=true");
        let domain = domain.unwrap();
        assert_eq!(domain.roles.iter().map(|role| role.name.as_str()).collect::<Vec<_>>(), ["name", "price"]);
        let price = domain.role("price").unwrap();
        assert_eq!(price.synonyms, ["price", "our price"]);
        assert!(price.value.as_ref().unwrap().matches("$12") && !price.value.as_ref().unwrap().matches("12"));
    }

    #[test]
    fn all_that_is_wrong_is_told_at_once() {
        let text = "vertical='x'\n[roles.a]\nsynonym=['x']\nsynonyms='x'\nvalue='('\ntitle=1\n[roles.b]\n[roles.c]\nsynonyms=[':', 3]";
        let keys: Vec<String> = parse(text).unwrap_err().into_iter().map(|trouble| trouble.key).collect();
        for key in [
            "vertical",
            "roles.a.synonym",
            "roles.a.synonyms",
            "roles.a.value",
            "roles.a.title",
            "roles.b",
            "roles.c.synonyms",
        ] {
            assert!(keys.iter().any(|own| own == key), "{key} is not in {keys:?}");
        }
        assert_eq!(keys.len(), 8);
    }

    #[test]
    fn a_pattern_that_never_ends_does_not_match() {
        let evil = Pattern::new(r"^(?=(a+)+b)x?(a+)+$\1").unwrap();
        assert!(!evil.matches(&"a".repeat(10_000)));
    }
}
