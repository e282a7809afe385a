//! Which addresses name a file that is no page? The one list of endings, for all who would otherwise ask for it or take it for a page.
//!
//! Path of an address → its ending, in lower case. `File:Photo.jpg` is a page about a picture.

/// Pictures, films, sound, fonts, programs, archives, papers: never asked for.
#[rustfmt::skip]
const BINARY: [&str; 63] = [
    "png", "jpg", "jpeg", "jpe", "gif", "svg", "svgz", "webp", "avif", "heic", "ico", "bmp", "tif", "tiff", "psd", "eps",
    "mp3", "mp4", "m4a", "m4v", "webm", "ogg", "ogv", "oga", "wav", "flac", "mov", "avi", "mkv", "wmv", "mpg", "mpeg",
    "woff", "woff2", "ttf", "otf", "eot", "css", "js", "mjs", "wasm", "swf", "exe", "msi", "dmg", "apk", "iso",
    "zip", "gz", "tgz", "tar", "bz2", "xz", "rar", "7z", "pdf", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "epub",
];

/// Data, feeds and sources: no pages, though somebody may want to read them.
#[rustfmt::skip]
const DATA: [&str; 22] = [
    "json", "jsonld", "xml", "rss", "atom", "csv", "ics", "webmanifest", "map", "bin", "cjs", "ts", "tsx", "jsx", "scss", "less",
    "m3u8", "mpd", "vtt", "srt", "jar", "deb",
];

fn ending(path: &str) -> Option<&str> {
    let (stem, ending) = path.rsplit('/').next()?.rsplit_once('.')?;
    (!stem.is_empty() && !stem.contains(':') && !stem.contains("%3A")).then_some(ending)
}

fn listed(list: &'static [&'static str], ending: &str) -> Option<&'static str> {
    list.iter().copied().find(|known| ending.eq_ignore_ascii_case(known))
}

/// The ending of a file that no reader of pages can use.
pub fn binary_ending(path: &str) -> Option<&'static str> {
    ending(path).and_then(|ending| listed(&BINARY, ending))
}

/// The ending of anything that is no page.
pub fn file_ending(path: &str) -> Option<&'static str> {
    ending(path).and_then(|ending| listed(&BINARY, ending).or_else(|| listed(&DATA, ending)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_no_ending_of_a_file() {
        assert_eq!((binary_ending("/a/Photo.JPG"), file_ending("/a/Photo.JPG")), (Some("jpg"), Some("jpg")));
        assert_eq!((binary_ending("/feed.rss"), file_ending("/feed.rss")), (None, Some("rss")));
        for page in ["/File:Photo.jpg", "/File%3APhoto.jpg", "/news.html", "/v1.2/about", "/.css", "/i.ii.10"] {
            assert_eq!(file_ending(page), None, "{page}");
        }
    }
}
