//! What does a record say about itself? The lines before its block → [`Head`].
//!
//! - [`Head`]: kind, address, date, length and all other fields.
//! - [`Kind`]: the record types that matter here.
//!
//! Tolerant as the tools in use need it: LF for CRLF, folded lines, names in any case, `<address>` in angle
//! brackets (wget writes them). Does not know the block.

use super::members::Place;
use jiff::Timestamp;
use url::Url;

/// The field that names the browser in a record of what it made of a page.
pub const ENGINE: &str = "Pagekin-Render-Engine";

/// The type of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// An answer of a server, with its HTTP head.
    Response,
    /// The thing itself, without an HTTP head.
    Resource,
    /// An answer whose body stands in an earlier record.
    Revisit,
    /// What our browser made of a page; conversions of others are [`Kind::Other`].
    Drawn,
    /// warcinfo, request, metadata, conversion, continuation and whatever comes later.
    Other,
}

/// What a record says about itself.
#[derive(Debug, Clone)]
pub struct Head {
    /// Where the record stands.
    pub place: Place,
    /// Its type.
    pub kind: Kind,
    /// Bytes of the block, as the record claims.
    pub length: u64,
    fields: Vec<(String, String)>,
}

impl Head {
    /// From the lines between the version line and the empty line; the reason when they are no record's.
    pub fn parse(place: Place, lines: &str) -> Result<Self, &'static str> {
        let fields = fields(lines);
        let mut head = Self { place, kind: Kind::Other, length: 0, fields };
        let length = head.field("content-length").ok_or("a record has no Content-Length")?;
        head.length = length.parse().map_err(|_| "a record's Content-Length is no number")?;
        head.kind = match head.field("warc-type").ok_or("a record has no WARC-Type")? {
            kind if kind.eq_ignore_ascii_case("response") => Kind::Response,
            kind if kind.eq_ignore_ascii_case("resource") => Kind::Resource,
            kind if kind.eq_ignore_ascii_case("revisit") => Kind::Revisit,
            kind if kind.eq_ignore_ascii_case("conversion") && head.field(ENGINE).is_some() => Kind::Drawn,
            _ => Kind::Other,
        };
        Ok(head)
    }

    /// The first field of this name, in any case.
    pub fn field(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// The address of the record when it is one of the web; `dns:`, `urn:` and others are none.
    pub fn url(&self) -> Option<Url> {
        web_address(self.field("warc-target-uri")?)
    }

    /// The earlier record that a revisit points to.
    pub fn refers_to(&self) -> Option<Url> {
        web_address(self.field("warc-refers-to-target-uri")?)
    }

    /// The date of the earlier record that a revisit points to.
    pub fn refers_to_date(&self) -> Option<Timestamp> {
        date(self.field("warc-refers-to-date")?)
    }

    /// When the record was made.
    pub fn date(&self) -> Option<Timestamp> {
        date(self.field("warc-date")?)
    }

    /// The record as bytes again, with this block.
    pub fn record(&self, block: &[u8]) -> Vec<u8> {
        let mut record = b"WARC/1.1\r\n".to_vec();
        let kept = self.fields.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-length"));
        for (name, value) in kept {
            record.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        record.extend_from_slice(format!("Content-Length: {}\r\n\r\n", block.len()).as_bytes());
        record.extend_from_slice(block);
        record.extend_from_slice(b"\r\n\r\n");
        record
    }

    /// Is this the first of several records among which a long block was divided?
    pub fn segmented(&self) -> bool {
        self.field("warc-segment-number").is_some()
    }
}

fn fields(lines: &str) -> Vec<(String, String)> {
    let mut fields: Vec<(String, String)> = Vec::new();
    for line in lines.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push(' ');
                value.push_str(line.trim());
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_owned(), value.trim().to_owned()));
        }
    }
    fields
}

fn web_address(text: &str) -> Option<Url> {
    let text = text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text);
    let mut url = Url::parse(text).ok()?;
    url.set_fragment(None);
    (matches!(url.scheme(), "http" | "https") && url.has_host()).then_some(url)
}

/// WARC 1.1 allows dates cut off after any part: `2020`, `2020-01-31`, `2020-01-31T10:00Z`.
fn date(text: &str) -> Option<Timestamp> {
    const FULL: &str = "0000-01-01T00:00:00Z";
    if let Ok(date) = text.parse() {
        return Some(date);
    }
    let short = text.strip_suffix('Z').unwrap_or(text);
    let rest = FULL.get(short.len()..).filter(|_| matches!(short.len(), 4 | 7 | 10 | 13 | 16))?;
    format!("{short}{rest}").parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &str) -> Result<Head, &'static str> {
        Head::parse(Place::default(), lines)
    }

    #[test]
    fn fields_in_the_spellings_tools_use() {
        let head = head(
            "warc-type: Response\nWARC-Target-URI: <http://Example.org/a#top>\nX-Long: one\n  two\n\
             content-length:  12 \nWARC-Date: 2020-01-31T10:00:00.5Z\n",
        )
        .unwrap();
        assert_eq!(head.kind, Kind::Response);
        assert_eq!(head.url().unwrap().as_str(), "http://example.org/a");
        assert_eq!(head.field("x-long"), Some("one two"));
        assert_eq!(head.length, 12);
        assert_eq!(head.date().unwrap().as_millisecond(), 1_580_464_800_500);
    }

    #[test]
    fn dates_cut_off_after_any_part() {
        for (text, full) in [
            ("2020", "2020-01-01T00:00:00Z"),
            ("2020-03", "2020-03-01T00:00:00Z"),
            ("2020-03-04", "2020-03-04T00:00:00Z"),
            ("2020-03-04T05:06Z", "2020-03-04T05:06:00Z"),
        ] {
            assert_eq!(date(text).unwrap().to_string(), full);
        }
        assert_eq!(date("yesterday"), None);
    }

    #[test]
    fn what_is_no_record() {
        assert!(head("WARC-Type: response\r\n").is_err());
        assert!(head("Content-Length: 5\r\n").is_err());
        assert!(head("WARC-Type: response\r\nContent-Length: -5\r\n").is_err());
        assert!(head("WARC-Type: response\r\nContent-Length: 99999999999999999999999\r\n").is_err());
    }
}
