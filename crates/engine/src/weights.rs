//! The weights of the evaluation, written by `tools/fit_evaluation.py`.
//!
//! Not fitted yet: these are guesses, from which the first games are played.

/// For each feature: its weight on an empty board, and what a full board adds to it, in
/// ten-thousandths of the natural logarithm of the odds.
#[rustfmt::skip]
pub const WEIGHTS: [[i32; 2]; 9] = [
    [0, 0],
    [2_000, 0],
    [200, 0],
    [0, 0],
    [0, 0],
    [100, 0],
    [100, 0],
    [5_000, 0],
    [-2_500, 0],
];
