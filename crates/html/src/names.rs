//! Which element or attribute name is this? Names as numbers: those of the standard known beforehand, others numbered as
//! a document brings them.
//!
//! Takes the bytes of a name → gives a [`Name`], equal exactly when the names are equal within one document.
//! - [`Name`]: the number. - [`Interner`]: bytes → number, while a document is read. - [`of`]: facts about known
//!   elements as flags. Does not know what a name is used for.

use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// An element or attribute name within one document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Name(pub(crate) u16);

impl Name {
    /// A small number: those of the standard first, then those of the document as it brings them.
    #[inline]
    pub fn number(self) -> usize {
        self.0 as usize
    }
}

/// What the tree construction of the standard wants to know of an HTML element's name.
pub(crate) mod flag {
    pub const SPECIAL: u32 = 1;
    /// Ends "in scope"; [`LIST`], [`BUTTON`] and [`TABLE`] are the other kinds of scope.
    pub const SCOPE: u32 = 1 << 1;
    pub const LIST: u32 = 1 << 2;
    pub const BUTTON: u32 = 1 << 3;
    pub const TABLE: u32 = 1 << 4;
    /// Closed by "generate implied end tags", and thoroughly so.
    pub const IMPLIED: u32 = 1 << 5;
    pub const THOROUGH: u32 = 1 << 6;
    pub const HEADING: u32 = 1 << 7;
    /// Where popping stops when a table body or a row is cleared.
    pub const BODY_CONTEXT: u32 = 1 << 8;
    pub const ROW_CONTEXT: u32 = 1 << 9;
    /// Content that does not belong into it is foster parented.
    pub const FOSTER: u32 = 1 << 10;
    pub const CELL: u32 = 1 << 11;
    /// Its start tag ends foreign content.
    pub const BREAKOUT: u32 = 1 << 12;
    /// Integration points; only elements of foreign namespaces have them.
    pub const HTML_POINT: u32 = 1 << 13;
    pub const MATH_POINT: u32 = 1 << 14;
}

macro_rules! names {
    ($($constant:ident $text:literal $($flags:ident)*;)* | $($more:literal)*) => {
        /// Names the rules of the standard speak of.
        pub mod known {
            use super::Name;
            #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
            enum Number { $($constant),* }
            $(#[doc = concat!("`", $text, "`")] pub const $constant: Name = Name(Number::$constant as u16);)*
        }
        static TEXTS: &[&str] = &[$($text,)* $($more),*];
        static FLAGS: &[u32] = &[$(0 $(| flag::$flags)*),*];
    };
}

names! {
    NONE ""; A "a"; ADDRESS "address" SPECIAL; ANNOTATION_XML "annotation-xml"; APPLET "applet" SPECIAL SCOPE;
    AREA "area" SPECIAL; ARTICLE "article" SPECIAL; ASIDE "aside" SPECIAL; B "b" BREAKOUT; BASE "base" SPECIAL;
    BASEFONT "basefont" SPECIAL; BGSOUND "bgsound" SPECIAL; BIG "big" BREAKOUT;
    BLOCKQUOTE "blockquote" SPECIAL BREAKOUT; BODY "body" SPECIAL BREAKOUT; BR "br" SPECIAL BREAKOUT;
    BUTTON "button" SPECIAL BUTTON; CAPTION "caption" SPECIAL SCOPE THOROUGH; CENTER "center" SPECIAL BREAKOUT;
    CODE "code" BREAKOUT; COL "col" SPECIAL; COLGROUP "colgroup" SPECIAL THOROUGH;
    DD "dd" SPECIAL IMPLIED THOROUGH BREAKOUT; DESC "desc"; DETAILS "details" SPECIAL; DIALOG "dialog";
    DIR "dir" SPECIAL; DIV "div" SPECIAL BREAKOUT; DL "dl" SPECIAL BREAKOUT;
    DT "dt" SPECIAL IMPLIED THOROUGH BREAKOUT; EM "em" BREAKOUT; EMBED "embed" SPECIAL BREAKOUT;
    FIELDSET "fieldset" SPECIAL; FIGCAPTION "figcaption" SPECIAL; FIGURE "figure" SPECIAL; FONT "font";
    FOOTER "footer" SPECIAL; FOREIGN_OBJECT "foreignObject"; FORM "form" SPECIAL; FRAME "frame" SPECIAL;
    FRAMESET "frameset" SPECIAL; H1 "h1" SPECIAL HEADING BREAKOUT; H2 "h2" SPECIAL HEADING BREAKOUT;
    H3 "h3" SPECIAL HEADING BREAKOUT; H4 "h4" SPECIAL HEADING BREAKOUT; H5 "h5" SPECIAL HEADING BREAKOUT;
    H6 "h6" SPECIAL HEADING BREAKOUT; HEAD "head" SPECIAL BREAKOUT; HEADER "header" SPECIAL;
    HGROUP "hgroup" SPECIAL; HR "hr" SPECIAL BREAKOUT;
    HTML "html" SPECIAL SCOPE TABLE BODY_CONTEXT ROW_CONTEXT; I "i" BREAKOUT; IFRAME "iframe" SPECIAL;
    IMAGE "image"; IMG "img" SPECIAL BREAKOUT; INPUT "input" SPECIAL; KEYGEN "keygen" SPECIAL;
    LI "li" SPECIAL IMPLIED THOROUGH BREAKOUT; LINK "link" SPECIAL; LISTING "listing" SPECIAL BREAKOUT;
    MAIN "main" SPECIAL; MALIGNMARK "malignmark"; MARQUEE "marquee" SPECIAL SCOPE; MATH "math";
    MENU "menu" SPECIAL BREAKOUT; META "meta" SPECIAL BREAKOUT; MGLYPH "mglyph"; MI "mi"; MN "mn"; MO "mo"; MS "ms";
    MTEXT "mtext"; NAV "nav" SPECIAL; NOBR "nobr" BREAKOUT; NOEMBED "noembed" SPECIAL; NOFRAMES "noframes" SPECIAL;
    NOSCRIPT "noscript" SPECIAL; OBJECT "object" SPECIAL SCOPE; OL "ol" SPECIAL LIST BREAKOUT;
    OPTGROUP "optgroup" IMPLIED THOROUGH; OPTION "option" IMPLIED THOROUGH; P "p" SPECIAL IMPLIED THOROUGH BREAKOUT;
    PARAM "param" SPECIAL; PLAINTEXT "plaintext" SPECIAL; PRE "pre" SPECIAL BREAKOUT; RB "rb" IMPLIED THOROUGH;
    RP "rp" IMPLIED THOROUGH; RT "rt" IMPLIED THOROUGH; RTC "rtc" IMPLIED THOROUGH; RUBY "ruby" BREAKOUT;
    S "s" BREAKOUT; SCRIPT "script" SPECIAL; SEARCH "search" SPECIAL; SECTION "section" SPECIAL;
    SELECT "select" SPECIAL SCOPE; SMALL "small" BREAKOUT; SOURCE "source" SPECIAL; SPAN "span" BREAKOUT;
    STRIKE "strike" BREAKOUT; STRONG "strong" BREAKOUT; STYLE "style" SPECIAL; SUB "sub" BREAKOUT;
    SUMMARY "summary" SPECIAL; SUP "sup" BREAKOUT; SVG "svg";
    TABLE "table" SPECIAL SCOPE TABLE FOSTER BREAKOUT;
    TBODY "tbody" SPECIAL THOROUGH BODY_CONTEXT FOSTER; TD "td" SPECIAL SCOPE THOROUGH CELL;
    TEMPLATE "template" SPECIAL SCOPE TABLE BODY_CONTEXT ROW_CONTEXT; TEXTAREA "textarea" SPECIAL;
    TFOOT "tfoot" SPECIAL THOROUGH BODY_CONTEXT FOSTER; TH "th" SPECIAL SCOPE THOROUGH CELL;
    THEAD "thead" SPECIAL THOROUGH BODY_CONTEXT FOSTER; TITLE "title" SPECIAL;
    TR "tr" SPECIAL THOROUGH ROW_CONTEXT FOSTER; TRACK "track" SPECIAL; TT "tt" BREAKOUT; U "u" BREAKOUT;
    UL "ul" SPECIAL LIST BREAKOUT; VAR "var" BREAKOUT; WBR "wbr" SPECIAL; XMP "xmp" SPECIAL;
    ALT "alt"; CLASS "class"; COLOR "color"; DATA_HREF "data-href"; DATA_LINK "data-link";
    DATA_TARGET_URL "data-target-url"; DATA_URL "data-url"; ENCODING "encoding"; FACE "face"; HREF "href"; ID "id"; ITEMPROP "itemprop";
    ONCLICK "onclick"; HTTP_EQUIV "http-equiv"; CONTENT "content"; VALUE "value";
    REL "rel"; SIZE "size"; SRC "src"; TYPE "type";
    |
    "abbr" "acronym" "audio" "bdi" "bdo" "canvas" "cite" "data" "datalist" "del" "dfn" "g" "ins" "kbd" "label" "legend"
    "map" "mark" "meter" "noindex" "output" "path" "picture" "progress" "q" "samp" "slot" "time" "use" "video"
    "accept" "accesskey" "action" "align" "alink" "allow" "aria-hidden" "aria-label" "async" "autocomplete" "autofocus"
    "background" "bgcolor" "border" "bordercolor" "cellpadding" "cellspacing" "charset" "checked" "clear" "codebase"
    "colspan" "cols" "contenteditable" "coords" "d" "data-id" "data-src"
    "data-target" "data-toggle" "datetime" "defer" "disabled" "enctype" "fill" "for"
    "frameborder" "headers" "height" "hidden" "hreflang" "hspace" "itemid" "itemscope"
    "itemtype" "lang" "language" "loading" "longdesc" "marginheight" "marginwidth" "maxlength" "media" "method"
    "multiple" "name" "noshade" "nowrap" "onblur" "onchange" "onfocus" "onkeypress" "onload" "onmousedown" "onmouseout"
    "onmouseover" "onsubmit" "placeholder" "property" "readonly" "required" "role" "rows" "rowspan" "rules" "scope"
    "scrolling" "selected" "shape" "sizes" "srcset" "start" "stroke" "tabindex" "target" "text" "usemap"
    "valign" "version" "viewbox" "vlink" "vspace" "width" "wmode" "wrap" "xml:lang" "xmlns" "xmlns:fb"
    "xmlns:og"
}

/// Names the standard knows, before those a document brings.
pub(crate) const KNOWN: usize = TEXTS.len();

/// The facts about an HTML element of this name.
pub(crate) fn of(name: Name) -> u32 {
    FLAGS.get(name.0 as usize).copied().unwrap_or(0)
}

/// The text of a known name.
#[inline]
pub(crate) fn text(name: Name) -> Option<&'static str> {
    TEXTS.get(name.0 as usize).copied()
}

/// The known name with this text.
pub(crate) fn find(text: &str) -> Option<Name> {
    match pack(text.as_bytes()) {
        Some(key) => STATIC.find(&[], key),
        None => None,
    }
}

/// The longest name whose bytes fit into a key; known names are not longer.
pub(crate) const PACKED: usize = 16;

/// The bytes of a short name as one number, different for different names.
fn pack(bytes: &[u8]) -> Option<u128> {
    (bytes.len() <= PACKED).then(|| bytes.iter().fold(0, |key, &byte| key << 8 | u128::from(byte)))
}

/// A hash table from keys to names: slots hold name numbers, the keys stand beside.
#[derive(Debug, Clone)]
struct Slots {
    slots: Vec<u16>,
    seed: u64,
}

const EMPTY: u16 = u16::MAX;

/// More names than this in one document, and they are hashed with a seed made from the document, so that no document
/// can be made whose names all fall into one slot.
const TRUSTED: usize = 256;

static STATIC_KEYS: LazyLock<Vec<u128>> =
    LazyLock::new(|| TEXTS.iter().map(|text| pack(text.as_bytes()).unwrap_or(u128::MAX)).collect());

static STATIC: LazyLock<Slots> = LazyLock::new(|| Slots::new((4 * KNOWN).next_power_of_two(), 0, &[]));

impl Slots {
    fn new(size: usize, seed: u64, keys: &[u128]) -> Self {
        let mut slots = Self { slots: vec![EMPTY; size], seed };
        for (number, &key) in STATIC_KEYS.iter().chain(keys).enumerate() {
            slots.insert(key, Name(number as u16));
        }
        slots
    }

    fn home(&self, key: u128) -> usize {
        let low = (key as u64) ^ self.seed ^ 0x9E37_79B9_7F4A_7C15;
        let high = ((key >> 64) as u64) ^ 0xD1B5_4A32_D192_ED03;
        let product = u128::from(low) * u128::from(high);
        ((product >> 64) as u64 ^ product as u64) as usize & (self.slots.len() - 1)
    }

    #[inline]
    fn find(&self, keys: &[u128], key: u128) -> Option<Name> {
        let mut at = self.home(key);
        loop {
            let number = self.slots[at];
            if number == EMPTY {
                return None;
            }
            let known = match (number as usize).checked_sub(KNOWN) {
                None => STATIC_KEYS[number as usize],
                Some(own) => keys[own],
            };
            if known == key {
                return Some(Name(number));
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    fn insert(&mut self, key: u128, name: Name) {
        let mut at = self.home(key);
        while self.slots[at] != EMPTY {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = name.0;
    }
}

/// The names of a document while it is read.
#[derive(Debug)]
pub(crate) struct Interner {
    slots: Slots,
    /// Of the document's own names; a long name has a key nobody asks for.
    keys: Vec<u128>,
    long: FxHashMap<Box<str>, Name>,
}

/// The most names one document may bring of its own.
pub(crate) const OWN: usize = u16::MAX as usize - 1 - KNOWN;

impl Interner {
    pub fn new() -> Self {
        Self { slots: STATIC.clone(), keys: Vec::new(), long: FxHashMap::default() }
    }

    #[inline]
    pub fn find(&self, key: u128) -> Option<Name> {
        self.slots.find(&self.keys, key)
    }

    pub fn find_text(&self, text: &str) -> Option<Name> {
        match pack(text.as_bytes()) {
            Some(key) => self.find(key),
            None => self.long.get(text).copied(),
        }
    }

    /// Numbers a name that is not known yet; none when there are too many. `document` seeds the hash.
    pub fn add(&mut self, text: &str, document: &[u8]) -> Option<Name> {
        if self.keys.len() >= OWN {
            return None;
        }
        let name = Name((KNOWN + self.keys.len()) as u16);
        match pack(text.as_bytes()) {
            Some(key) => {
                self.keys.push(key);
                self.make_room(document);
                self.slots.insert(key, name);
            }
            None => {
                // No name packs to this: 0xFF stands in no UTF-8.
                self.keys.push(u128::MAX >> 8);
                self.long.insert(text.into(), name);
            }
        }
        Some(name)
    }

    /// Before the last of `keys` is inserted.
    fn make_room(&mut self, document: &[u8]) {
        let own = self.keys.len();
        if own == TRUSTED {
            let seed = document.chunks(8).fold(own as u64, |seed, chunk| {
                let word = chunk.iter().fold(0, |word, &byte| word << 8 | u64::from(byte));
                (seed.rotate_left(5) ^ word).wrapping_mul(0xF135_7AEA_2E62_A9C5)
            });
            self.slots = Slots::new(self.slots.slots.len(), seed ^ seed >> 32, &self.keys[..own - 1]);
        } else if (KNOWN + own) * 2 > self.slots.slots.len() {
            self.slots = Slots::new(self.slots.slots.len() * 2, self.slots.seed, &self.keys[..own - 1]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Interner, KNOWN, TEXTS, find, flag, known, of, text};

    #[test]
    fn every_known_name_is_found_under_its_own_number() {
        for (number, name) in TEXTS.iter().enumerate().skip(1) {
            assert_eq!(find(name).map(|found| found.0 as usize), Some(number), "`{name}` stands twice or is too long");
        }
        assert_eq!(find("wobble"), None);
        assert_eq!(text(known::ANNOTATION_XML), Some("annotation-xml"));
        assert_ne!(of(known::TD) & flag::CELL, 0);
    }

    #[test]
    fn own_names_keep_their_numbers_through_growth() {
        let mut interner = Interner::new();
        let names: Vec<String> =
            (0..3000).map(|n| format!("{}{n}", if n % 7 == 0 { "long-name-for-test-" } else { "x" })).collect();
        for name in &names {
            assert_eq!(interner.find_text(name), None);
            interner.add(name, b"document").unwrap();
        }
        for (n, name) in names.iter().enumerate() {
            assert_eq!(interner.find_text(name).map(|found| found.0 as usize), Some(KNOWN + n));
        }
        assert_eq!(interner.find_text("a"), Some(known::A));
    }
}
