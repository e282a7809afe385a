//! How many attributes has the tag with the most of them? A linear look over the markup before the real
//! parser sees it, because the real one compares each attribute with all before it on the same tag.
//!
//! Follows the standard's tokeniser as far as tags, quoted values, comments and raw text need it.

use memchr::{memchr, memmem};

/// Elements whose content holds no tags but their own end tag.
const RAW: [&str; 6] = ["script", "style", "textarea", "title", "xmp", "iframe"];

pub fn max_attributes(html: &str) -> usize {
    let bytes = html.as_bytes();
    let (mut at, mut most) = (0, 0);
    while let Some(open) = memchr(b'<', &bytes[at..]).map(|offset| at + offset) {
        let rest = &bytes[open + 1..];
        if rest.starts_with(b"!--") {
            at = memmem::find(&bytes[open..], b"-->").map_or(bytes.len(), |end| open + end + 3);
        } else if rest.first().is_some_and(u8::is_ascii_alphabetic) {
            let (attributes, end) = tag(bytes, open + 1);
            most = most.max(attributes);
            at = after_raw_text(bytes, open + 1, end);
        } else {
            at = open + 1;
        }
    }
    most
}

/// Counts the attributes of the tag whose name starts at `at`; gives the count and the place after its `>`.
fn tag(bytes: &[u8], mut at: usize) -> (usize, usize) {
    let mut count = 0;
    let mut in_name = true;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return (count, at + 1),
            b'=' if in_name || count > 0 => {
                at += 1 + bytes[at + 1..].iter().take_while(|b| b.is_ascii_whitespace()).count();
                at = value(bytes, at);
                in_name = false;
                continue;
            }
            b'/' => in_name = false,
            byte if byte.is_ascii_whitespace() => in_name = false,
            _ if !in_name => {
                count += 1;
                in_name = true;
            }
            _ => {}
        }
        at += 1;
    }
    (count, bytes.len())
}

fn value(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(&quote @ (b'"' | b'\'')) => memchr(quote, &bytes[at + 1..]).map_or(bytes.len(), |end| at + end + 2),
        _ => at + bytes[at.min(bytes.len())..].iter().take_while(|b| !b.is_ascii_whitespace() && **b != b'>').count(),
    }
}

fn after_raw_text(bytes: &[u8], name: usize, end: usize) -> usize {
    let length = bytes[name..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
    let name = bytes[name..name + length].to_ascii_lowercase();
    if !RAW.iter().any(|raw| raw.as_bytes() == name) {
        return end;
    }
    let mut at = end;
    while let Some(close) = memmem::find(&bytes[at..], b"</").map(|offset| at + offset) {
        let candidate = &bytes[close + 2..];
        if candidate.len() >= length && candidate[..length].eq_ignore_ascii_case(&name) {
            return close;
        }
        at = close + 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::max_attributes;

    #[test]
    fn counts_attributes_of_tags_only() {
        assert_eq!(max_attributes("<p><a href=x class='a b c' id=\"q > r\" hidden>t</a>"), 4);
        assert_eq!(max_attributes("<!-- <a b c d e f g> --><i x>"), 1);
        assert_eq!(max_attributes("<script>if (a <b c d e f g) x()</script><i x y>"), 2);
        assert_eq!(max_attributes("a < b c d"), 0);
        assert_eq!(max_attributes("<a b c"), 2);
        assert_eq!(max_attributes(&format!("<a {}>", "x ".repeat(9000))), 9000);
    }
}
