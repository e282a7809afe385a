//! Does the doctype ask for quirks? `<!DOCTYPE …>` → whether a table may stand inside a paragraph, which is all that
//! quirks mode changes in the tree (13.2.5.53 and following, 13.2.6.4.1).

use super::builder::is_space;
use super::tokens::Tokenizer;
use memchr::memchr;

#[derive(Debug, Default)]
struct Doctype<'a> {
    name: &'a [u8],
    public: Option<&'a [u8]>,
    system: Option<&'a [u8]>,
    force_quirks: bool,
}

impl Tokenizer<'_> {
    /// At `<!doctype`.
    pub(super) fn doctype(&mut self) {
        let bytes = self.bytes();
        let mut reader = Reader { bytes, at: self.at + "<!doctype".len() };
        let doctype = reader.read();
        self.at = reader.at;
        self.builder.doctype(doctype.quirks());
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while self.peek().is_some_and(is_space) {
            self.at += 1;
        }
    }

    /// Ends behind the `>`, or at the end of the source.
    fn read(&mut self) -> Doctype<'a> {
        let mut doctype = Doctype::default();
        self.skip_space();
        let start = self.at;
        while self.peek().is_some_and(|byte| !is_space(byte) && byte != b'>') {
            self.at += 1;
        }
        doctype.name = &self.bytes[start..self.at];
        doctype.force_quirks = doctype.name.is_empty();
        self.skip_space();
        let word = self.bytes.get(self.at..self.at + 6).unwrap_or_default();
        if word.eq_ignore_ascii_case(b"public") {
            self.at += 6;
            self.public(&mut doctype);
        } else if word.eq_ignore_ascii_case(b"system") {
            self.at += 6;
            self.system(&mut doctype, true);
        } else if self.peek() != Some(b'>') {
            doctype.force_quirks = true;
        }
        self.skip_rest(&mut doctype);
        doctype
    }

    fn public(&mut self, doctype: &mut Doctype<'a>) {
        doctype.public = self.quoted(doctype);
        if doctype.public.is_some() && !doctype.force_quirks {
            self.system(doctype, false);
        }
    }

    fn system(&mut self, doctype: &mut Doctype<'a>, required: bool) {
        self.skip_space();
        if required || self.peek() != Some(b'>') {
            doctype.system = self.quoted(doctype);
        }
    }

    /// A quoted identifier; without one, or with its end missing, quirks.
    fn quoted(&mut self, doctype: &mut Doctype<'a>) -> Option<&'a [u8]> {
        self.skip_space();
        let Some(quote @ (b'"' | b'\'')) = self.peek() else {
            doctype.force_quirks = true;
            return None;
        };
        let start = self.at + 1;
        self.at = start;
        while self.peek().is_some_and(|byte| byte != quote && byte != b'>') {
            self.at += 1;
        }
        let identifier = &self.bytes[start..self.at];
        if self.peek() == Some(quote) {
            self.at += 1;
        } else {
            doctype.force_quirks = true;
        }
        Some(identifier)
    }

    fn skip_rest(&mut self, doctype: &mut Doctype<'a>) {
        match memchr(b'>', &self.bytes[self.at..]) {
            Some(offset) => self.at += offset + 1,
            None => {
                self.at = self.bytes.len();
                doctype.force_quirks = true;
            }
        }
    }
}

/// Public identifiers of old document types begin so.
const QUIRKY: [&str; 55] = [
    "+//silmaril//dtd html pro v0r11 19970101//",
    "-//advasoft ltd//dtd html 3.0 aswedit + extensions//",
    "-//as//dtd html 3.0 aswedit + extensions//",
    "-//ietf//dtd html 2.0 level 1//",
    "-//ietf//dtd html 2.0 level 2//",
    "-//ietf//dtd html 2.0 strict level 1//",
    "-//ietf//dtd html 2.0 strict level 2//",
    "-//ietf//dtd html 2.0 strict//",
    "-//ietf//dtd html 2.0//",
    "-//ietf//dtd html 2.1e//",
    "-//ietf//dtd html 3.0//",
    "-//ietf//dtd html 3.2 final//",
    "-//ietf//dtd html 3.2//",
    "-//ietf//dtd html 3//",
    "-//ietf//dtd html level 0//",
    "-//ietf//dtd html level 1//",
    "-//ietf//dtd html level 2//",
    "-//ietf//dtd html level 3//",
    "-//ietf//dtd html strict level 0//",
    "-//ietf//dtd html strict level 1//",
    "-//ietf//dtd html strict level 2//",
    "-//ietf//dtd html strict level 3//",
    "-//ietf//dtd html strict//",
    "-//ietf//dtd html//",
    "-//metrius//dtd metrius presentational//",
    "-//microsoft//dtd internet explorer 2.0 html strict//",
    "-//microsoft//dtd internet explorer 2.0 html//",
    "-//microsoft//dtd internet explorer 2.0 tables//",
    "-//microsoft//dtd internet explorer 3.0 html strict//",
    "-//microsoft//dtd internet explorer 3.0 html//",
    "-//microsoft//dtd internet explorer 3.0 tables//",
    "-//netscape comm. corp.//dtd html//",
    "-//netscape comm. corp.//dtd strict html//",
    "-//o'reilly and associates//dtd html 2.0//",
    "-//o'reilly and associates//dtd html extended 1.0//",
    "-//o'reilly and associates//dtd html extended relaxed 1.0//",
    "-//softquad software//dtd hotmetal pro 6.0::19990601::extensions to html 4.0//",
    "-//softquad//dtd hotmetal pro 4.0::19971010::extensions to html 4.0//",
    "-//spyglass//dtd html 2.0 extended//",
    "-//sq//dtd html 2.0 hotmetal + extensions//",
    "-//sun microsystems corp.//dtd hotjava html//",
    "-//sun microsystems corp.//dtd hotjava strict html//",
    "-//w3c//dtd html 3 1995-03-24//",
    "-//w3c//dtd html 3.2 draft//",
    "-//w3c//dtd html 3.2 final//",
    "-//w3c//dtd html 3.2//",
    "-//w3c//dtd html 3.2s draft//",
    "-//w3c//dtd html 4.0 frameset//",
    "-//w3c//dtd html 4.0 transitional//",
    "-//w3c//dtd html experimental 19960712//",
    "-//w3c//dtd html experimental 970421//",
    "-//w3c//dtd w3 html//",
    "-//w3o//dtd w3 html 3.0//",
    "-//webtechs//dtd mozilla html 2.0//",
    "-//webtechs//dtd mozilla html//",
];

const QUIRKY_WHOLE: [&str; 3] = ["-//w3o//dtd w3 html strict 3.0//en//", "-/w3c/dtd html 4.0 transitional/en", "html"];

const QUIRKY_SYSTEM: &str = "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd";

/// Quirky only without a system identifier.
const QUIRKY_ALONE: [&str; 2] = ["-//w3c//dtd html 4.01 frameset//", "-//w3c//dtd html 4.01 transitional//"];

impl Doctype<'_> {
    fn quirks(&self) -> bool {
        let starts = |public: &[u8], prefix: &str| {
            public.get(..prefix.len()).is_some_and(|head| head.eq_ignore_ascii_case(prefix.as_bytes()))
        };
        let quirky_public = |public: &[u8]| {
            QUIRKY_WHOLE.iter().any(|whole| public.eq_ignore_ascii_case(whole.as_bytes()))
                || QUIRKY.iter().any(|prefix| starts(public, prefix))
                || self.system.is_none() && QUIRKY_ALONE.iter().any(|prefix| starts(public, prefix))
        };
        self.force_quirks
            || !self.name.eq_ignore_ascii_case(b"html")
            || self.public.is_some_and(quirky_public)
            || self.system.is_some_and(|system| system.eq_ignore_ascii_case(QUIRKY_SYSTEM.as_bytes()))
    }
}
