//! Bar charts as one SVG file that loads nothing else, readable on a light and on a dark background.
//! The same numbers make the same bytes.

use maud::{Markup, PreEscaped, Render, html};

use super::{number, picture};

/// Panels with bars, one below the other.
pub(crate) struct Chart {
    pub title: String,
    pub panels: Vec<Panel>,
}

/// Bars on one scale, which begins at 0.
pub(crate) struct Panel {
    pub title: String,
    /// The quantity of the labels below the bars.
    pub x: &'static str,
    /// The quantity of the heights.
    pub y: &'static str,
    pub bars: Vec<Bar>,
}

pub(crate) struct Bar {
    pub label: String,
    pub height: f64,
    /// Its title, with the numbers.
    pub text: String,
}

const WIDTH: f64 = 760.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const HEAD: f64 = 48.0;
/// Of a panel: its title, the scale, and the labels below.
const TOP: f64 = 44.0;
const HEIGHT: f64 = 150.0;
const FOOT: f64 = 52.0;
const PANEL: f64 = TOP + HEIGHT + FOOT;

/// The width of a label below a bar.
const LABEL: f64 = 30.0;

/// Viewers without a dark mode show the light colours.
const STYLE: &str = "\
svg{color:#1d232b;background:#fcfcfb}\
.ground{fill:#fcfcfb}.bar{fill:#2f6fb3}\
@media (prefers-color-scheme:dark){svg{color:#e4e6ea;background:#16191d}\
.ground{fill:#16191d}.bar{fill:#6ea8e0}}";

impl Render for Chart {
    fn render(&self) -> Markup {
        let content = html! {
            style { (PreEscaped(STYLE)) }
            rect class="ground" width="100%" height="100%" {}
            text x=(LEFT) y="30" font-size="16" font-weight="bold" fill="currentColor" {
                (self.title)
            }
            @for (i, panel) in self.panels.iter().enumerate() {
                g transform=(format!("translate(0 {})", HEAD + PANEL * i as f64)) { (panel) }
            }
        };
        picture(WIDTH, HEAD + PANEL * self.panels.len() as f64, &self.title, &content)
    }
}

impl Render for Panel {
    fn render(&self) -> Markup {
        let highest = self.bars.iter().map(|bar| bar.height).fold(0.0, f64::max);
        let unit = grid_unit(highest);
        // At least one line above 0. Only the last line may be above the highest bar.
        let lines = (highest / unit).ceil().max(1.0);
        let y = |value: f64| TOP + HEIGHT * (1.0 - value / (lines * unit));
        let slot = (WIDTH - LEFT - RIGHT) / self.bars.len().max(1) as f64;
        // Few bars do not fill the width.
        let slot = slot.min(72.0);
        let every = (LABEL / slot).ceil() as usize;
        html! {
            text x=(LEFT) y="18" font-weight="bold" fill="currentColor" { (self.title) }
            text x=(LEFT) y="35" font-size="11" fill="currentColor" { (self.y) }
            @for line in 0..=lines as u32 {
                @let value = unit * f64::from(line);
                path d=(format!("M{LEFT} {}H{}", number(y(value)), WIDTH - RIGHT))
                    stroke="currentColor" stroke-opacity="0.2" {}
                text x=(LEFT - 6.0) y=(number(y(value) + 4.0)) font-size="11" text-anchor="end"
                    fill="currentColor" { (grid_label(value)) }
            }
            @for (i, bar) in self.bars.iter().enumerate() {
                @let x = LEFT + slot * i as f64;
                rect class="bar" x=(number(x + 0.1 * slot)) y=(number(y(bar.height)))
                    width=(number(0.8 * slot)) height=(number(TOP + HEIGHT - y(bar.height))) {
                    title { (bar.text) }
                }
                @if i % every == 0 {
                    text x=(number(x + slot / 2.0)) y=(TOP + HEIGHT + 17.0) font-size="11"
                        text-anchor="middle" fill="currentColor" { (bar.label) }
                }
            }
            text x=(LEFT) y=(TOP + HEIGHT + 34.0) font-size="11" fill="currentColor" { (self.x) }
        }
    }
}

/// The distance of the scale's lines: 1, 2 or 5 times a power of ten, for at most five lines.
fn grid_unit(highest: f64) -> f64 {
    let at_least = if highest > 0.0 { highest / 5.0 } else { 1.0 };
    let ten = 10f64.powf(at_least.log10().floor());
    let units = [1.0, 2.0, 5.0, 10.0].map(|factor| factor * ten);
    units.into_iter().find(|unit| *unit >= at_least).unwrap_or(10.0 * ten)
}

/// A value of the scale, without trailing zeros.
fn grid_label(value: f64) -> String {
    let text = format!("{value:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn panel(heights: &[f64]) -> Panel {
        let bar = |&height: &f64| Bar {
            label: height.to_string(),
            height,
            text: format!("<{height}> & \"more\""),
        };
        Panel { title: "a < b".to_owned(), x: "x", y: "y", bars: heights.iter().map(bar).collect() }
    }

    #[test]
    fn bars_stand_on_the_axis_and_are_as_high_as_their_values() {
        let panels = vec![panel(&[10.0, 5.0, 0.0]), panel(&[])];
        let chart = Chart { title: "one & two".to_owned(), panels };
        let drawn = chart.render().into_string();
        let drawing = roxmltree::Document::parse(&drawn).expect("it is well formed");
        let bars: Vec<_> =
            drawing.descendants().filter(|node| node.attribute("class") == Some("bar")).collect();
        let value = |node: &roxmltree::Node, name| -> f64 {
            node.attribute(name).and_then(|text| text.parse().ok()).expect("a number")
        };
        let heights: Vec<f64> = bars.iter().map(|bar| value(bar, "height")).collect();
        assert_eq!(heights, [HEIGHT, HEIGHT / 2.0, 0.0]);
        assert!(bars.iter().all(|bar| value(bar, "y") + value(bar, "height") == TOP + HEIGHT));
        let text = bars[1].first_element_child().and_then(|title| title.text());
        assert_eq!(text, Some("<5> & \"more\""));
    }

    #[test]
    fn scales_have_round_numbers_and_few_lines() {
        let cases = [(0.0, 1.0), (1.0, 0.2), (4.0, 1.0), (9.99, 2.0), (11.0, 5.0), (5e8, 1e8)];
        for (highest, unit) in cases {
            assert!((grid_unit(highest) - unit).abs() < 1e-9 * unit, "{highest}");
            assert!(highest / grid_unit(highest) <= 5.0);
        }
        assert_eq!([0.2, 100.0, 0.0].map(grid_label), ["0.2", "100", "0"]);
    }
}
