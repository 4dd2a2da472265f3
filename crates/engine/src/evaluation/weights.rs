//! The weights of the evaluation, written by `tools/fit_evaluation.py`.
//!
//! Fitted to 42151 positions: random positions of 9x5 with 2 to 6 stones, valued by tables, and 600 games of the engine against itself from random openings with 1,500 positions a turn (`positions tables DIR 6 15000 1` and `positions games 600 1500 1`, examples of this crate).
//! Mean cross-entropy 0.4554, and 0.6931 without any knowledge.

/// The weights of the [features](crate::FEATURES): for each one its weight on an empty board, and
/// what is added to it with the [phase](crate::phase), all of it on a full board. The unit is a
/// ten-thousandth of the natural logarithm of the odds.
#[rustfmt::skip]
pub const WEIGHTS: [[i32; 2]; 9] = [
    [3049, -14263],
    [-12747, 19838],
    [1081, -34],
    [6089, -6024],
    [-5592, 11847],
    [190, 479],
    [-1052, -1284],
    [16653, -41095],
    [3115, -14061],
];
