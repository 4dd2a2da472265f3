//! The numbers of the report as charts.

use fanorona_perft::stats::{Branching, Histogram};

use super::report::{DepthReport, Report};
use super::text::mean_text;
use crate::human::{counted, grouped};
use crate::options::Root;
use crate::svg::panels::{Bar, Chart, Panel};

/// Bars in the chart of the lengths of games, at most.
const LENGTH_BARS: usize = 60;

/// The numbers of the report, drawn.
pub(super) fn chart(report: &Report<'_>) -> Chart {
    let Report { root: Root { board, rules, position }, depths, games } = report;
    let mut panels = Vec::new();
    if let Some(last) = depths.last() {
        panels.push(Panel {
            title: "Turns that capture".to_owned(),
            x: "depth",
            y: "percent of the turns",
            bars: depths.iter().map(capture_bar).collect(),
        });
        panels.push(Panel {
            title: format!("Length of the capturing turns at depth {}", last.depth),
            x: "steps",
            y: "percent of the capturing turns",
            bars: share_bars(&last.ply.relay_lengths, 1, "steps", "turns"),
        });
    }
    if let Some(games) = games {
        let mut bars: Vec<Bar> = games.stats.branching().map(branching_bar).collect();
        bars.reverse();
        panels.push(Panel {
            title: format!(
                "Branching in {}, seed {}",
                counted(games.games, "random game"),
                games.seed
            ),
            x: "stones on the board",
            y: "turns to choose from, mean",
            bars,
        });
        let lengths = &games.stats.lengths;
        let (min, max) = lengths.range().unwrap_or((0, 0));
        panels.push(Panel {
            title: format!("Length of the {}", counted(lengths.total(), "finished game")),
            x: "turns of both sides",
            y: "percent of the games",
            bars: share_bars(lengths, (max - min + 1).div_ceil(LENGTH_BARS), "turns", "games"),
        });
    }
    let start =
        if *position == board.start() { "the start".to_owned() } else { position.to_string() };
    Chart { title: format!("{board}, {rules}, from {start}"), panels }
}

fn capture_bar(DepthReport { depth, ply }: &DepthReport<'_>) -> Bar {
    let percent = 100.0 * ply.capture_share().unwrap_or(0.0);
    Bar {
        label: depth.to_string(),
        height: percent,
        text: format!(
            "depth {depth}: {} of {} turns, {percent:.2} %",
            grouped(ply.captures()),
            grouped(ply.turns)
        ),
    }
}

fn branching_bar((stones, branching): (usize, Branching)) -> Bar {
    Bar {
        label: stones.to_string(),
        height: branching.mean().unwrap_or(0.0),
        text: format!(
            "{stones} stones: mean {}, at most {}; {}",
            mean_text(branching.mean()),
            counted(branching.most, "turn"),
            counted(branching.positions, "position")
        ),
    }
}

/// A bar for each range of `width` numbers, from the smallest number that occurs to the largest.
fn share_bars(counts: &Histogram, width: usize, number: &str, counted: &str) -> Vec<Bar> {
    let Some((first, last)) = counts.range() else { return Vec::new() };
    let total = counts.total();
    let bar = |from: usize| {
        let to = from + width - 1;
        let count: u64 = (from..=to).map(|number| counts.count(number)).sum();
        let percent = 100.0 * count as f64 / total as f64;
        let numbers = if width == 1 { from.to_string() } else { format!("{from} to {to}") };
        Bar {
            label: from.to_string(),
            height: percent,
            text: format!("{numbers} {number}: {} {counted}, {percent:.2} %", grouped(count)),
        }
    };
    (first..=last).step_by(width).map(bar).collect()
}
