//! Q against pages fetched, drawn: curves → an SVG picture that needs nothing else.

use std::fmt::Write;

/// One method's figures: (pages fetched, Q).
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Curve {
    pub name: String,
    pub points: Vec<(usize, f64)>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 400.0;
const MARGIN: f64 = 48.0;
const COLOURS: [&str; 6] = ["#0b6e4f", "#c44536", "#3d5a80", "#e09f3e", "#7b2d8b", "#555555"];

pub fn svg(title: &str, curves: &[Curve]) -> String {
    let most = curves.iter().flat_map(|curve| curve.points.iter().map(|point| point.0)).max().unwrap_or(1).max(1);
    let x = |pages: usize| MARGIN + (WIDTH - 2.0 * MARGIN) * pages as f64 / most as f64;
    let y = |quality: f64| HEIGHT - MARGIN - (HEIGHT - 2.0 * MARGIN) * quality.clamp(0.0, 1.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"white\"/>\n<text x=\"{MARGIN}\" y=\"24\" font-size=\"14\">{}</text>\n",
        escaped(title)
    );
    for step in 0..=5 {
        let (at, quality) = (y(f64::from(step) / 5.0), f64::from(step) / 5.0);
        let _ = writeln!(
            out,
            "<line x1=\"{MARGIN}\" y1=\"{at:.1}\" x2=\"{:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{quality:.1}</text>",
            WIDTH - MARGIN,
            MARGIN - 6.0,
            at + 4.0
        );
        let pages = most * step as usize / 5;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{pages}</text>",
            x(pages),
            HEIGHT - MARGIN + 18.0
        );
    }
    let _ = writeln!(
        out,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">pages fetched</text>",
        WIDTH / 2.0,
        HEIGHT - 10.0
    );
    for (place, curve) in curves.iter().enumerate() {
        let colour = COLOURS[place % COLOURS.len()];
        let points: Vec<String> =
            curve.points.iter().map(|&(pages, q)| format!("{:.1},{:.1}", x(pages), y(q))).collect();
        let _ = writeln!(
            out,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\" points=\"{}\"/>",
            points.join(" ")
        );
        let line = HEIGHT - MARGIN - 12.0 - 16.0 * place as f64;
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{line:.1}\" text-anchor=\"end\" fill=\"{colour}\">{}</text>",
            WIDTH - MARGIN - 6.0,
            escaped(&curve.name)
        );
    }
    out + "</svg>\n"
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_curve_is_drawn_and_text_is_escaped() {
        let curve = |name: &str| Curve { name: name.to_owned(), points: vec![(5, 0.2), (60, 0.9)] };
        let svg = svg("Q < 1", &[curve("survey"), curve("a&b")]);
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert!(svg.contains("Q &lt; 1") && svg.contains("a&amp;b") && svg.ends_with("</svg>\n"));
    }
}
