//! Counts of positions, without computing orbits.

use fanorona_core::{Board, PointSet, Symmetry};

use super::ranks::binomial;

/// The number of positions of a slice, without symmetry: pairs of disjoint sets of `own` and
/// `opponent` points. 0 if the board has too few points.
pub fn placements(board: Board, own: u32, opponent: u32) -> u128 {
    let Some(free) = board.num_points().checked_sub(own) else { return 0 };
    let sets = |n, k| u128::from(binomial(n, k).unwrap_or(0));
    sets(board.num_points(), own) * sets(free, opponent)
}

/// The number of positions of a slice up to symmetry, by Burnside's lemma: the mean, over the
/// symmetries, of the number of positions that a symmetry maps to themselves.
pub fn placements_up_to_symmetry(board: Board, own: u32, opponent: u32) -> u128 {
    if own.saturating_add(opponent) > board.num_points() {
        return 0;
    }
    let fixed_by = |g: &Symmetry| -> u128 {
        // A position is fixed if each cycle of points has stones of one side only, or none.
        let mut ways = vec![vec![0u128; opponent as usize + 1]; own as usize + 1];
        ways[0][0] = 1;
        let mut seen = PointSet::EMPTY;
        for start in board.all_points().iter() {
            let mut length = 0;
            let mut point = start;
            while !seen.contains(point) {
                seen |= point;
                length += 1;
                point = g.apply(board, point).expect("a symmetry of the board");
            }
            if length > 0 {
                for a in (0..=own as usize).rev() {
                    for b in (0..=opponent as usize).rev() {
                        let with_own = if a >= length { ways[a - length][b] } else { 0 };
                        let with_opponent = if b >= length { ways[a][b - length] } else { 0 };
                        ways[a][b] += with_own + with_opponent;
                    }
                }
            }
        }
        ways[own as usize][opponent as usize]
    };
    let symmetries = board.symmetries();
    let fixed: u128 = symmetries.iter().map(fixed_by).sum();
    fixed / symmetries.len() as u128
}
