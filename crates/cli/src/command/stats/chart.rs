//! The numbers of the report as charts.

use std::collections::BTreeMap;

use super::report::{BranchingReport, DepthReport, Report, StonesReport};
use super::text::mean_text;
use crate::human::{counted, grouped};
use crate::options::Root;
use crate::svg::panels::{Bar, Chart, Panel};

/// Bars in the chart of the lengths of games, at most.
const LENGTH_BARS: usize = 60;

/// The numbers of the report, drawn.
pub(super) fn chart(report: &Report) -> Chart {
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
            bars: share_bars(&last.relay_lengths, 1, "steps", "turns"),
        });
    }
    if let Some(games) = games {
        panels.push(Panel {
            title: format!(
                "Branching in {}, seed {}",
                counted(games.games, "random game"),
                games.seed
            ),
            x: "stones on the board",
            y: "turns to choose from, mean",
            bars: games.branching.iter().rev().map(branching_bar).collect(),
        });
        let lengths = &games.length.games;
        let range = games.length.max.unwrap_or(0) - games.length.min.unwrap_or(0) + 1;
        panels.push(Panel {
            title: format!(
                "Length of the {}",
                counted(lengths.values().sum::<u64>(), "finished game")
            ),
            x: "turns of both sides",
            y: "percent of the games",
            bars: share_bars(lengths, range.div_ceil(LENGTH_BARS), "turns", "games"),
        });
    }
    let start =
        if *position == board.start() { "the start".to_owned() } else { position.to_string() };
    Chart { title: format!("{board}, {rules}, from {start}"), panels }
}

fn capture_bar(depth: &DepthReport) -> Bar {
    let DepthReport { depth, turns, captures, capture_share, .. } = depth;
    let percent = 100.0 * capture_share.unwrap_or(0.0);
    Bar {
        label: depth.to_string(),
        height: percent,
        text: format!(
            "depth {depth}: {} of {} turns, {percent:.2} %",
            grouped(captures),
            grouped(turns)
        ),
    }
}

fn branching_bar(by_stones: &StonesReport) -> Bar {
    let StonesReport { stones, branching } = by_stones;
    let BranchingReport { positions, mean, max, .. } = branching;
    Bar {
        label: stones.to_string(),
        height: mean.unwrap_or(0.0),
        text: format!(
            "{stones} stones: mean {}, at most {}; {}",
            mean_text(*mean),
            counted(max, "turn"),
            counted(positions, "position")
        ),
    }
}

/// A bar for each range of `width` numbers, from the smallest number that occurs to the largest.
fn share_bars(
    counts: &BTreeMap<usize, u64>,
    width: usize,
    number: &str,
    counted: &str,
) -> Vec<Bar> {
    let (Some((&first, _)), Some((&last, _))) = (counts.first_key_value(), counts.last_key_value())
    else {
        return Vec::new();
    };
    let total: u64 = counts.values().sum();
    let bar = |from: usize| {
        let to = from + width - 1;
        let count: u64 = counts.range(from..=to).map(|(_, count)| count).sum();
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
