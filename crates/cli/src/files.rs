//! Which files does the user mean? Names → addresses read from them, results written to them.
//!
//! A result is written beside its name and then moved there, so that a file with the name is always whole.

use crate::output::json_line;
use anyhow::{Result, anyhow, bail};
use pagekin::Url;
use serde::Serialize;
use std::fs::{self, File};
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

/// One address a line, or a line of what another command gave (`{"url":...}`); empty lines and those that start with `#` are left out.
/// `-` is stdin. None at all is a mistake.
pub fn read_urls(path: &Path) -> Result<Vec<Url>> {
    Ok(read_spelled(path)?.into_iter().map(|(_, url)| url).collect())
}

/// The same, each with its spelling in the file: what a table is joined by.
pub fn read_spelled(path: &Path) -> Result<Vec<(String, Url)>> {
    let text = if path.as_os_str() == "-" {
        let mut text = String::new();
        std::io::stdin()
            .read_to_string(&mut text)
            .map_err(|error| anyhow!("cannot read addresses from stdin: {error}\n\nhint: they must be UTF-8 text"))?;
        text
    } else {
        read(path)?
    };
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line.trim()));
    let addresses = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let read = |(at, line)| address(line).map_err(|error| in_line(path, at, line, &error));
    let urls = addresses.map(read).collect::<Result<Vec<_>>>()?;
    if urls.is_empty() {
        bail!(
            "there is no address in `{}`\n\nhint: one address a line, or the output of `pagekin discover`",
            path.display()
        );
    }
    Ok(urls)
}

fn address(line: &str) -> Result<(String, Url), String> {
    #[derive(serde::Deserialize)]
    struct Row {
        url: String,
    }
    if !line.starts_with('{') {
        return parse_url(line).map(|url| (line.to_owned(), url));
    }
    let row: Row = serde_json::from_str(line).map_err(|error| error.to_string())?;
    parse_url(&row.url).map(|url| (row.url, url))
}

pub fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| {
        anyhow!("cannot read `{}`: {error}\n\nhint: check that it exists and may be read", path.display())
    })
}

fn in_line(path: &Path, at: usize, line: &str, error: &str) -> anyhow::Error {
    anyhow!("line {at} of `{}` holds `{line}`, which is no address: {error}", path.display())
}

/// A whole http or https address of a page. A password in it goes to the fetcher, and nowhere else.
pub fn parse_url(text: &str) -> Result<Url, String> {
    parse_service(text).map(pagekin::keys::take)
}

/// The address of a service of the user's, as it is.
pub fn parse_service(text: &str) -> Result<Url, String> {
    // `example.org:8080/x` parses, with `example.org` for a scheme.
    if !text.contains("://") {
        return Err(format!("it has no scheme\n\nhint: did you mean `https://{text}`?"));
    }
    let url = Url::parse(text).map_err(|error| format!("{error}\n\nhint: copy the whole address from a browser"))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(format!("`{}` is not a scheme of pages\n\nhint: give an http or https address", url.scheme()));
    }
    Ok(url)
}

/// The folder must be there before a long run starts.
pub fn check_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        bail!(
            "cannot write `{}`: there is no folder `{}`\n\nhint: mkdir -p {}",
            path.display(),
            folder.display(),
            folder.display()
        );
    }
    Ok(())
}

/// A file under way: it gets its name when it is whole.
pub struct Part {
    path: PathBuf,
    out: BufWriter<File>,
}

impl Part {
    pub fn create(path: &Path) -> Result<Self> {
        let out = File::create(part_of(path)).map_err(|error| cannot_write(path, &error))?;
        Ok(Self { path: path.to_owned(), out: BufWriter::new(out) })
    }

    pub fn finish(mut self) -> Result<()> {
        let whole = self.out.flush().and_then(|()| fs::rename(part_of(&self.path), &self.path));
        whole.map_err(|error| cannot_write(&self.path, &error))
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

fn part_of(path: &Path) -> PathBuf {
    PathBuf::from(format!("{}.part", path.display()))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> anyhow::Error {
    anyhow!("cannot write `{}`: {error}\n\nhint: check the folder and the free disk space", path.display())
}

/// Writes a whole file, or leaves what was there.
pub fn write(path: &Path, content: impl FnOnce(&mut dyn Write) -> Result<()>) -> Result<()> {
    let mut part = Part::create(path)?;
    content(&mut part)?;
    part.finish()
}

/// One JSON object in one line.
pub fn write_json(path: &Path, value: &impl Serialize) -> Result<()> {
    let text = json_line(value)?;
    write(path, |out| Ok(writeln!(out, "{text}")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_need_a_scheme() {
        assert!(parse_url("https://example.org/a").is_ok());
        for (text, hint) in [
            ("example.org/a", "https://example.org/a"),
            ("example.org:8080/a", "https://example.org:8080/a"),
            ("ftp://example.org/", "http or https"),
            ("http://", "browser"),
        ] {
            assert!(parse_url(text).unwrap_err().contains(hint), "{text}");
        }
    }

    #[test]
    fn addresses_are_lines_or_rows_and_at_least_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("urls");
        let read = |text: &str| {
            fs::write(&path, text).unwrap();
            read_urls(&path).map(|urls| urls.iter().map(Url::to_string).collect::<Vec<_>>())
        };
        let mixed = "# samples\nhttp://a/1\n\n{\"url\":\"http://a/2\",\"confidence\":0.9}\n";
        assert_eq!(read(mixed).unwrap(), ["http://a/1", "http://a/2"]);
        for (text, said) in
            [("# none\n", "no address in"), ("{\"page\":1}\n", "line 1"), ("{\"url\":\"x\"}", "no scheme")]
        {
            assert!(read(text).unwrap_err().to_string().contains(said), "{text}");
        }
    }

    #[test]
    fn a_file_is_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out.txt");
        write(&path, |out| Ok(out.write_all(b"first")?)).unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"sec")?;
            bail!("broken")
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
    }
}
