//! SVG and MathML inside HTML: when their rules hold, and what they are (13.2.6.5).
//!
//! More methods of [`Builder`].

use super::builder::{Builder, Open, Tag};
use crate::dom::{Attributes, Namespace, Span};
use crate::names::{Name, flag, known, of};
use rustc_hash::FxHashMap;
use std::sync::LazyLock;

/// SVG's names with capitals, which HTML source has in lower case.
const SVG_ELEMENTS: &str = "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath \
    feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap \
    feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode \
    feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef \
    linearGradient radialGradient textPath";

const SVG_ATTRIBUTES: &str = "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits \
    diffuseConstant edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength \
    keyPoints keySplines keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits markerWidth \
    maskContentUnits maskUnits numOctaves pathLength patternContentUnits patternTransform patternUnits pointsAtX \
    pointsAtY pointsAtZ preserveAlpha preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur \
    requiredExtensions requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation \
    stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength viewBox viewTarget \
    xChannelSelector yChannelSelector zoomAndPan";

/// Attributes that move to a namespace of their own; here they are known by the local name.
const PREFIXED: &str = "xlink:actuate xlink:arcrole xlink:href xlink:role xlink:show xlink:title xlink:type xml:lang \
    xml:space xmlns:xlink";

type Spelling = FxHashMap<String, &'static str>;

static ELEMENT_SPELLING: LazyLock<Spelling> = LazyLock::new(|| by_lower_case(SVG_ELEMENTS).collect());
static SVG_SPELLING: LazyLock<Spelling> =
    LazyLock::new(|| by_lower_case(SVG_ATTRIBUTES).chain(by_local_name()).collect());
static MATHML_SPELLING: LazyLock<Spelling> =
    LazyLock::new(|| by_lower_case("definitionURL").chain(by_local_name()).collect());

fn by_lower_case(names: &'static str) -> impl Iterator<Item = (String, &'static str)> {
    names.split_whitespace().map(|name| (name.to_ascii_lowercase(), name))
}

fn by_local_name() -> impl Iterator<Item = (String, &'static str)> {
    PREFIXED.split_whitespace().filter_map(|name| Some((name.to_owned(), name.split_once(':')?.1)))
}

impl Builder {
    pub(super) fn is_foreign_text(&self) -> bool {
        let current = self.current();
        current.namespace != Namespace::Html && !current.has(flag::MATH_POINT | flag::HTML_POINT)
    }

    pub(super) fn is_foreign_start(&self, name: Name) -> bool {
        let current = self.current();
        if current.namespace == Namespace::Html || current.has(flag::HTML_POINT) {
            return false;
        }
        if current.has(flag::MATH_POINT) {
            return matches!(name, known::MGLYPH | known::MALIGNMARK);
        }
        let annotation = current.namespace == Namespace::MathMl && current.name == known::ANNOTATION_XML;
        !(annotation && name == known::SVG)
    }

    pub(super) fn foreign_text(&mut self, span: Span) {
        if self.frameset_ok && !self.is_space(span) {
            self.frameset_ok = false;
        }
        self.insert_text(span);
    }

    pub(super) fn foreign_null(&mut self) {
        let start = self.document.buffer.len() as u32;
        self.document.buffer.push('\u{FFFD}');
        self.insert_text(Span { start, end: self.document.buffer.len() as u32 });
    }

    pub(super) fn foreign_start(&mut self, tag: Tag) {
        let breaks_out = of(tag.name) & flag::BREAKOUT != 0 || tag.name == known::FONT && self.is_html_font(tag);
        if breaks_out {
            self.break_out();
            return self.start_in(self.mode, tag);
        }
        let namespace = self.current().namespace;
        let name = match namespace {
            Namespace::Svg => self.respelled(tag.name, &ELEMENT_SPELLING),
            _ => tag.name,
        };
        self.enter_foreign(Tag { name, ..tag }, namespace);
    }

    fn is_html_font(&self, tag: Tag) -> bool {
        let attributes = self.document.attribute_list(tag.attributes);
        attributes.iter().any(|attribute| matches!(attribute.name, known::COLOR | known::FACE | known::SIZE))
    }

    /// Back to HTML, because a tag comes that is never meant as SVG or MathML.
    fn break_out(&mut self) {
        let stays = |open: &Open| open.namespace == Namespace::Html || open.has(flag::MATH_POINT | flag::HTML_POINT);
        while self.open.last().is_some_and(|open| !stays(open)) {
            self.pop();
        }
    }

    /// Inserts an element of a foreign namespace.
    pub(super) fn enter_foreign(&mut self, tag: Tag, namespace: Namespace) {
        let spelling = if namespace == Namespace::Svg { &SVG_SPELLING } else { &MATHML_SPELLING };
        for index in tag.attributes.start as usize..tag.attributes.start as usize + usize::from(tag.attributes.len) {
            let name = self.document.attributes[index].name;
            self.document.attributes[index].name = self.respelled(name, spelling);
        }
        let place = self.place_in(self.current());
        let node = self.create(tag.name, namespace, tag.attributes);
        self.put(node, place);
        if !tag.self_closing {
            let flags = self.foreign_flags(tag.name, namespace, tag.attributes);
            self.push(Open { node, name: tag.name, namespace, flags });
        }
    }

    fn respelled(&mut self, name: Name, spelling: &Spelling) -> Name {
        match spelling.get(self.document.name_text(name)) {
            Some(proper) => self.intern(proper),
            None => name,
        }
    }

    fn foreign_flags(&self, name: Name, namespace: Namespace, attributes: Attributes) -> u32 {
        match (namespace, name) {
            (Namespace::MathMl, known::MI | known::MO | known::MN | known::MS | known::MTEXT) => {
                flag::SPECIAL | flag::SCOPE | flag::MATH_POINT
            }
            (Namespace::MathMl, known::ANNOTATION_XML) if self.is_html_annotation(attributes) => {
                flag::SPECIAL | flag::SCOPE | flag::HTML_POINT
            }
            (Namespace::MathMl, known::ANNOTATION_XML) => flag::SPECIAL | flag::SCOPE,
            (Namespace::Svg, known::FOREIGN_OBJECT | known::DESC | known::TITLE) => {
                flag::SPECIAL | flag::SCOPE | flag::HTML_POINT
            }
            _ => 0,
        }
    }

    fn is_html_annotation(&self, attributes: Attributes) -> bool {
        let attributes = self.document.attribute_list(attributes);
        attributes.iter().filter(|attribute| attribute.name == known::ENCODING).any(|attribute| {
            let value = self.document.slice(attribute.value);
            value.eq_ignore_ascii_case("text/html") || value.eq_ignore_ascii_case("application/xhtml+xml")
        })
    }

    pub(super) fn foreign_end(&mut self, name: Name) {
        if matches!(name, known::BR | known::P) {
            self.break_out();
            return self.end_in(self.mode, name);
        }
        // An end tag is in lower case; what is open is spelled so too, or as SVG spells it.
        let proper = self.respelled(name, &ELEMENT_SPELLING);
        for index in (1..self.open.len()).rev() {
            let open = self.open[index];
            if open.namespace == Namespace::Html {
                return self.end_in(self.mode, name);
            }
            if open.name == name || open.name == proper {
                return self.truncate(index);
            }
        }
    }
}
