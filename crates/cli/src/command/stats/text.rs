//! The statistics as tables of text.

use comfy_table::Row;
use fanorona_perft::stats::{GameResults, GameStats, Histogram, PlyStats};

use crate::human::{counted, grouped};
use crate::output::table;

/// A mean; a dash where there is none.
pub(super) fn mean_text(mean: Option<f64>) -> String {
    mean.map_or("-".to_owned(), |mean| format!("{mean:.2}"))
}

/// Two tables with a row for each depth: kinds of turns; capturing and branching.
pub(super) fn ply_tables(plies: &[PlyStats]) -> String {
    let header = ["depth", "turns", "captures", "paikas", "finished", "no turn"];
    let mut turns = table(&header, &[]);
    let header = ["depth", "capture share", "approaches", "withdrawals", "branching", "min", "max"];
    let mut captures = table(&header, &[]);
    for (depth, ply) in (1_u64..).zip(plies) {
        let PlyStats { paikas, finished, without_turn, .. } = *ply;
        turns.add_row(
            [depth, ply.turns, ply.captures(), paikas, finished, without_turn].map(grouped),
        );
        let share = ply.capture_share();
        captures.add_row([
            depth.to_string(),
            share.map_or("-".to_owned(), |share| format!("{:.2} %", 100.0 * share)),
            grouped(ply.approaches),
            grouped(ply.withdrawals),
            mean_text(ply.branching.mean()),
            grouped(ply.branching.fewest),
            grouped(ply.branching.most),
        ]);
    }
    format!("{}\n\n{}", turns.trim_fmt(), captures.trim_fmt())
}

/// A histogram for each depth, in one table: a row for each number, and a column for each depth.
pub(super) fn by_number<'a>(
    number: &str,
    histograms: impl Iterator<Item = &'a Histogram>,
) -> String {
    let histograms: Vec<_> = histograms.collect();
    let ranges = histograms.iter().filter_map(|histogram| histogram.range());
    let last = ranges.map(|(_, last)| last).max().unwrap_or(0);
    let depths: Vec<String> = (1..=histograms.len()).map(|depth| depth.to_string()).collect();
    let header = [number].into_iter().chain(depths.iter().map(String::as_str));
    let mut table = table(&header.collect::<Vec<_>>(), &[]);
    for n in 1..=last {
        let counts = histograms.iter().map(|histogram| grouped(histogram.count(n)));
        table.add_row([n.to_string()].into_iter().chain(counts));
    }
    let means = histograms.iter().map(|histogram| mean_text(histogram.mean()));
    table.add_row(["mean".to_owned()].into_iter().chain(means));
    table.trim_fmt()
}

/// The results and lengths of the random games, and their branching by stones on the board.
pub(super) fn games_text(games: &GameStats, max_turns: usize) -> String {
    let GameResults { white, black, draw, unfinished } = games.results;
    let [white, black, draw, unfinished] = [white, black, draw, unfinished].map(grouped);
    let mut text = format!(
        "{}: {white} won by white, {black} won by black, {draw} drawn, {unfinished} unfinished\n",
        counted(games.games(), "random game"),
    );
    if let Some((min, max)) = games.lengths.range() {
        let mean = mean_text(games.lengths.mean());
        let [min, max, limit] = [min, max, max_turns].map(grouped);
        text += &format!(
            "length of finished games: {min} to {max} turns, mean {mean} (limit: {limit})\n"
        );
    }
    let mut table = table(&["stones", "positions", "branching", "min", "max"], &[]);
    for (stones, branching) in games.branching() {
        table.add_row(Row::from([
            stones.to_string(),
            grouped(branching.positions),
            mean_text(branching.mean()),
            grouped(branching.fewest),
            grouped(branching.most),
        ]));
    }
    text + "\n" + &table.trim_fmt()
}
