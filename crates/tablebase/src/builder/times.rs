//! Rough guesses of the time that units take.

use fanorona_core::Board;

use super::options::Method;
use crate::index::num_entries;
use crate::orbits::placements_up_to_symmetry;
use crate::slice::Slice;
use crate::value::Metric;

/// Nanoseconds of one thread per entry, the sum over all rounds. Measured on 9x5 at 5 stones for
/// the plain builder, at 7, 8 and 9 for the builder by rows (30, 29 and 28 without distances, 140
/// and 160 with them at 7 and 8), and on all of 7x3 for the dense builder (68 and 290), which copies
/// what it finds to all images: on all of 5x5, with twice as many symmetries, an entry took 125
/// without distances.
pub(super) fn nanoseconds_per_entry(method: Method, metric: Metric, board: Board) -> f64 {
    let images = board.symmetries().len() as f64;
    match (method, metric) {
        (Method::Rows, Metric::Wdl) => 33.0,
        (Method::Rows, Metric::Dtw) => 160.0,
        (Method::Dense, Metric::Wdl) => 17.0 * images,
        (Method::Dense, Metric::Dtw) => 74.0 * images,
        (Method::Plain, _) => 5000.0,
    }
}

/// Seconds of one thread for a slice of the first phase of the vela, by rows or by the plain builder.
///
/// By rows, a place of a row counts, whether it is a position or not, and so does the row itself: its
/// paikas are found in each round, and against one stone it has only one word. Measured on 2026-11-25
/// without distances, in CPU seconds: 21, 155 and 203 for 6v1, 7v1 and 6v2 of 9x5, whose estimates are 25,
/// 137 and 197. Small boards take a fifth of their estimate, because there are fewer rounds: 0.2 for 7v7 of
/// 5x3. With distances 0.08 for 3v1 of 9x5 and 0.21 for 5v5 of 5x3; larger ones were not measured.
///
/// The plain builder takes longer on open boards, because positions have more turns and there are more
/// rounds. Measured on 2026-11-24 without distances, in nanoseconds per entry: 2000 to 3000 on 5x3 with
/// 11 to 14 stones, 1700 to 10,000 on 7x3 with 19 and 20, 54,000 on 5x5 with 7 (4v3), 21,000 to 40,000 on
/// 9x5 with 4 and 5.
pub(super) fn first_phase_seconds(
    method: Method,
    metric: Metric,
    board: Board,
    slice: Slice,
) -> f64 {
    let orbits = |stones: u8| placements_up_to_symmetry(board, stones.into(), 0) as f64;
    let nanoseconds = match (method, metric) {
        (Method::Rows | Method::Dense, metric) => {
            let images = board.symmetries().len() as f64;
            let places = orbits(slice.own) * orbits(slice.opponent) * images;
            let (of_place, of_row) = match metric {
                Metric::Wdl => (42.0, 8_000.0),
                Metric::Dtw => (200.0, 10_000.0),
            };
            places * of_place + orbits(slice.own) * of_row
        }
        (Method::Plain, _) => {
            let points = f64::from(board.num_points());
            let free = points - f64::from(slice.stones());
            (2500.0 + 45_000.0 * free / points) * num_entries(board, slice) as f64
        }
    };
    nanoseconds * 1e-9
}
