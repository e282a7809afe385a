//! Does a page send its reader on? `<meta http-equiv=refresh content="0; url=x">` → the address, as written.
//!
//! - [`at_once`]: by the bytes of a page, as a redirect. - [`target`]: by the value of `content`, after any time.

use super::charset::prescan;
use memchr::memmem;

/// Where a page sends its reader before it is read. What stands in `<noscript>` is for others.
pub fn at_once(body: &[u8]) -> Option<String> {
    let end = [&b"<body"[..], b"<BODY", b"<noscript", b"<NOSCRIPT"];
    let end = end.iter().filter_map(|tag| memmem::find(body, tag)).min().unwrap_or(body.len());
    let head = &body[..end];
    // Cheap, and false for most pages.
    if [&b"efresh"[..], b"EFRESH"].iter().all(|word| memmem::find(head, word).is_none()) {
        return None;
    }
    let mut found = None;
    prescan::each_meta(head, |attributes| {
        let value =
            |wanted: &[u8]| attributes.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_slice());
        if found.is_none()
            && value(b"http-equiv").is_some_and(|kind| kind.trim_ascii().eq_ignore_ascii_case(b"refresh"))
        {
            found = value(b"content").map(|content| String::from_utf8_lossy(content).into_owned());
        }
    });
    let content = found?;
    let (time, _) = content.split_once([';', ','])?;
    let now = time.trim().parse::<f64>().is_ok_and(|seconds| seconds == 0.0);
    target(&content).filter(|_| now).map(str::to_owned)
}

/// The address in `5; url='x'`.
pub fn target(content: &str) -> Option<&str> {
    let (_, rest) = content.split_once([';', ','])?;
    let rest = rest.trim_start();
    let url = rest.get(..3).filter(|word| word.eq_ignore_ascii_case("url")).map_or(rest, |_| &rest[3..]);
    let url = url.trim_start().trim_start_matches('=').trim();
    Some(url.trim_matches(['\'', '"'])).filter(|url| !url.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_sends_on_at_once_or_not() {
        let at_once = |head: &str| at_once(format!("<html><head>{head}</head><body>x").as_bytes());
        assert_eq!(at_once("<meta http-equiv=refresh content='0; url=/a'>").as_deref(), Some("/a"));
        assert_eq!(at_once("<META HTTP-EQUIV=\"REFRESH\" CONTENT=\"0;URL='b.html'\">").as_deref(), Some("b.html"));
        assert_eq!(at_once("<meta http-equiv=refresh content='0;c.html'>").as_deref(), Some("c.html"));
        assert_eq!(at_once("<meta http-equiv=refresh content='5; url=/a'>"), None);
        assert_eq!(at_once("<meta http-equiv=refresh content='300'>"), None);
        assert_eq!(at_once("<noscript><meta http-equiv=refresh content='0; url=/nojs'></noscript>"), None);
        assert_eq!(at_once("<meta name=x content='refresh; url=/a'>"), None);
    }
}
