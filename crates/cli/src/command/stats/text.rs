//! The statistics as tables of text.

use std::collections::BTreeMap;

use comfy_table::Row;
use fanorona_perft::stats::{GameStats, Histogram, PlyStats};

use crate::output::table;

/// A mean; a dash where there is none.
pub(super) fn mean_text(mean: Option<f64>) -> String {
    mean.map_or("-".to_owned(), |mean| format!("{mean:.2}"))
}

/// One row for each depth.
pub(super) fn ply_table(plies: &[PlyStats]) -> String {
    let header = [
        "depth",
        "turns",
        "captures",
        "share",
        "paikas",
        "approaches",
        "withdrawals",
        "finished",
        "no turn",
        "branching",
        "min",
        "max",
    ];
    let mut table = table(&header, &[]);
    for (depth, ply) in (1..).zip(plies) {
        let numbers: [u64; 8] = [
            depth,
            ply.turns,
            ply.captures(),
            ply.paikas,
            ply.approaches,
            ply.withdrawals,
            ply.finished,
            ply.without_turn,
        ];
        let branching = &ply.branching;
        let mut row: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        let share = ply.capture_share();
        row.insert(3, share.map_or("-".to_owned(), |share| format!("{:.2} %", 100.0 * share)));
        row.push(mean_text(branching.mean()));
        row.extend([branching.fewest.to_string(), branching.most.to_string()]);
        table.add_row(row);
    }
    table.trim_fmt()
}

/// A histogram for each depth, in one table.
pub(super) fn by_number<'a>(histograms: impl Iterator<Item = &'a Histogram>) -> String {
    let maps: Vec<BTreeMap<usize, u64>> = histograms.map(|h| h.iter().collect()).collect();
    let last = maps.iter().filter_map(|map| map.keys().next_back()).max().copied().unwrap_or(0);
    let numbers: Vec<String> = (1..=last).map(|number| number.to_string()).collect();
    let header = ["depth", "mean"].into_iter().chain(numbers.iter().map(String::as_str));
    let mut table = table(&header.collect::<Vec<_>>(), &[]);
    for (depth, map) in (1..).zip(&maps) {
        let (turns, sum) = map
            .iter()
            .fold((0, 0), |(turns, sum), (&n, &count)| (turns + count, sum + n as u64 * count));
        let mean = (turns > 0).then(|| sum as f64 / turns as f64);
        let mut row: Vec<String> = vec![format!("{depth}"), mean_text(mean)];
        row.extend((1..=last).map(|n| map.get(&n).copied().unwrap_or(0).to_string()));
        table.add_row(row);
    }
    table.trim_fmt()
}

/// What the random games came to.
pub(super) fn games_text(games: &GameStats, max_turns: usize) -> String {
    let mut text = format!(
        "{} random games: white won {}, black won {}, drawn {}, unfinished after {max_turns} turns {}\n",
        games.games(),
        games.white,
        games.black,
        games.drawn,
        games.unfinished
    );
    let lengths = &games.lengths;
    if let (Some((min, _)), Some((max, _))) = (lengths.iter().next(), lengths.iter().next_back()) {
        let mean = mean_text(lengths.mean());
        text += &format!("length of the finished games: {min} to {max} turns, mean {mean}\n");
    }
    let mut table = table(&["stones", "positions", "branching", "min", "max"], &[]);
    for (stones, branching) in games.branching() {
        table.add_row(Row::from([
            stones.to_string(),
            branching.positions.to_string(),
            mean_text(branching.mean()),
            branching.fewest.to_string(),
            branching.most.to_string(),
        ]));
    }
    text + "\n" + &table.trim_fmt()
}
