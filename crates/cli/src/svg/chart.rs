//! Charts of wins, draws and losses.

use std::collections::BTreeMap;

use fanorona_core::Value;
use maud::{Markup, html};

use super::{number, picture};
use crate::human::grouped;

const WIDTH: f64 = 720.0;

/// The colour that stands for a value, distinct on light and on dark.
fn colour(value: Value) -> &'static str {
    match value {
        Value::Win => "#2f8f5b",
        Value::Draw => "#a0a0a0",
        Value::Loss => "#d0603a",
    }
}

/// A part of a whole in percent. Only nothing is 0 %, and only the whole is 100 %.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    match 100.0 * part as f64 / whole.max(1) as f64 {
        share if part > 0 && share < 0.01 => "< 0.01 %".to_owned(),
        share if part < whole && share > 99.99 => "> 99.99 %".to_owned(),
        share => format!("{share:.2} %"),
    }
}

/// For each name a bar with the shares of wins, draws and losses.
pub(crate) fn shares(title: &str, bars: &[(String, [u64; 3])]) -> Markup {
    const LABEL: f64 = 64.0;
    const ROW: f64 = 22.0;
    const TOP: f64 = 30.0;
    let length = WIDTH - LABEL - 8.0;
    let values = [Value::Win, Value::Draw, Value::Loss];
    let content = html! {
        (legend(LABEL, &values))
        @for (i, (name, counts)) in bars.iter().enumerate() {
            @let y = TOP + ROW * i as f64;
            @let whole = total(counts);
            text x=(LABEL - 8.0) y=(y + 13.0) fill="currentColor" text-anchor="end" { (name) }
            @for (j, value) in values.into_iter().enumerate() {
                @let before = total(&counts[..j]);
                @let share = |count: u64| length * count as f64 / whole.max(1) as f64;
                @if counts[j] > 0 {
                    rect x=(number(LABEL + share(before))) y=(y) width=(number(share(counts[j])))
                        height=(ROW - 5.0) fill=(colour(value)) {
                        title { (name) " " (value) " " (percent(counts[j], whole)) }
                    }
                }
            }
        }
    };
    picture(WIDTH, TOP + ROW * bars.len() as f64, title, &content)
}

/// The number of positions for each distance to the win or loss, on a logarithmic scale.
pub(crate) fn distances(
    title: &str,
    wins: &BTreeMap<u16, u64>,
    losses: &BTreeMap<u16, u64>,
) -> Markup {
    const LEFT: f64 = 52.0;
    const TOP: f64 = 30.0;
    const HEIGHT: f64 = 180.0;
    let most = wins.values().chain(losses.values()).copied().max().unwrap_or(1);
    let longest = wins.keys().chain(losses.keys()).copied().max().unwrap_or(0);
    let step = (WIDTH - LEFT - 8.0) / (f64::from(longest) + 1.0);
    let x = |distance: u16| LEFT + step * f64::from(distance);
    // A single position has some height too.
    let scale = |count: u64| (2.0 * count as f64).log10();
    let y = |count: u64| TOP + HEIGHT * (1.0 - scale(count) / scale(most));
    let lines = (0..).map_while(|digits| 10u64.checked_pow(digits)).take_while(|n| *n <= most);
    let every = if longest < 20 { 2 } else { 10 };
    let content = html! {
        (legend(LEFT, &[Value::Win, Value::Loss]))
        @for count in lines {
            path d=(format!("M{LEFT} {0}H{1}", number(y(count)), WIDTH - 8.0))
                stroke="currentColor" stroke-opacity="0.2" {}
            text x=(LEFT - 6.0) y=(number(y(count) + 4.0)) fill="currentColor" text-anchor="end" {
                (power_of_ten(count))
            }
        }
        @for (value, counts) in [(Value::Win, wins), (Value::Loss, losses)] {
            g fill=(colour(value)) {
                @for (distance, count) in counts {
                    rect x=(number(x(*distance))) y=(number(y(*count)))
                        width=(number((step - 0.6).max(0.4)))
                        height=(number(TOP + HEIGHT - y(*count))) {
                        title { (value) " in " (distance) ": " (grouped(count)) }
                    }
                }
            }
        }
        @for distance in (0..=longest).step_by(every) {
            text x=(number(x(distance) + step / 2.0)) y=(TOP + HEIGHT + 17.0) fill="currentColor"
                text-anchor="middle" { (distance) }
        }
    };
    picture(WIDTH, TOP + HEIGHT + 26.0, title, &content)
}

/// The colours of the values, in a line at the top.
fn legend(left: f64, values: &[Value]) -> Markup {
    html! {
        @for (i, value) in values.iter().enumerate() {
            @let x = left + 90.0 * i as f64;
            rect x=(x) y="6" width="12" height="12" fill=(colour(*value)) {}
            text x=(x + 18.0) y="17" fill="currentColor" { (value) }
        }
    }
}

fn total(counts: &[u64]) -> u64 {
    counts.iter().fold(0, |sum, count| sum.saturating_add(*count))
}

fn power_of_ten(count: u64) -> String {
    const UNITS: [&str; 7] = ["", " k", " M", " G", " T", " P", " E"];
    let digits = count.ilog10();
    format!("{}{}", 10u64.pow(digits % 3), UNITS[digits as usize / 3])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_fill_the_bar() {
        let bars = [("1v1".to_owned(), [1, 2, 1]), ("2v1".to_owned(), [4, 0, 0])];
        let drawn = shares("of slices", &bars).into_string();
        let drawing = roxmltree::Document::parse(&drawn).expect("it is well formed");
        let widths: Vec<f64> = drawing
            .descendants()
            .filter(|node| node.has_tag_name(("http://www.w3.org/2000/svg", "rect")))
            .filter(|node| node.has_children())
            .filter_map(|node| node.attribute("width")?.parse().ok())
            .collect();
        assert_eq!(widths, [162.0, 324.0, 162.0, 648.0]);
    }

    #[test]
    fn bars_of_distances_stand_on_the_axis_and_grow_with_the_count() {
        let (wins, losses) = (BTreeMap::from([(1, 50), (3, 5)]), BTreeMap::from([(2, 1)]));
        let drawn = distances("of 1v1", &wins, &losses).into_string();
        let drawing = roxmltree::Document::parse(&drawn).expect("it is well formed");
        let bars: Vec<[f64; 3]> = drawing
            .descendants()
            .filter(|node| node.tag_name().name() == "rect" && node.has_children())
            .map(|bar| {
                ["x", "y", "height"].map(|name| bar.attribute(name).unwrap().parse().unwrap())
            })
            .collect();
        let [win_in_1, win_in_3, loss_in_2] = bars[..] else { panic!("{bars:?}") };
        assert!(bars.iter().all(|[_, y, height]| (y + height - 210.0).abs() < 0.11));
        assert!(win_in_1[0] < loss_in_2[0] && loss_in_2[0] < win_in_3[0]);
        // 2 × 50, 2 × 5 and 2 × 1 on a logarithmic scale that ends at the first.
        assert_eq!((win_in_1[2], win_in_3[2]), (180.0, 90.0));
        assert!(loss_in_2[2] > 20.0 && loss_in_2[2] < 30.0);
    }

    #[test]
    fn shares_are_never_rounded_to_all_or_nothing() {
        for (part, whole, text) in [
            (0, 10, "0.00 %"),
            (10, 10, "100.00 %"),
            (1, 3, "33.33 %"),
            (1, 1_000_000, "< 0.01 %"),
            (999_999, 1_000_000, "> 99.99 %"),
            (0, 0, "0.00 %"),
        ] {
            assert_eq!(percent(part, whole), text);
        }
    }

    #[test]
    fn powers_of_ten_are_short() {
        for (count, text) in [(1, "1"), (100, "100"), (1000, "1 k"), (10_000_000, "10 M")] {
            assert_eq!(power_of_ten(count), text);
        }
    }
}
