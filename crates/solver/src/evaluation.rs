//! The first proof and disproof numbers of a node, from its stones (df-pn+: A. Nagai, "Df-pn
//! algorithm for searching AND/OR trees and its applications", 2002).
//!
//! The constants were chosen by the number of nodes that it took to decide 37 positions of 9x5 with
//! 17 to 30 stones, which random play had led to, with tables up to 7 stones. They were the best of
//! about two dozen choices.

/// Each paika of a side adds this to its opponent's number. A capture adds 1.
const PER_PAIKA: u32 = 2;

/// The number of stones that a side with a capture is assumed to take.
const ASSUMED_CAPTURE: u32 = 2;

/// A side's number grows by this if its opponent has *e* times as many stones.
const PER_FACTOR_E: f64 = 40.0;

/// The additions to a side's number for being outnumbered.
pub(crate) struct Evaluation {
    /// By the stones of the side and of its opponent.
    outnumbered: Box<[[u32; 64]; 64]>,
}

impl Evaluation {
    pub(crate) fn new() -> Self {
        let mut outnumbered = Box::new([[0; 64]; 64]);
        for side in 1..64_u8 {
            for other in side..64 {
                let factor = f64::from(other) / f64::from(side);
                outnumbered[usize::from(side)][usize::from(other)] =
                    (PER_FACTOR_E * factor.ln()) as u32;
            }
        }
        Self { outnumbered }
    }

    /// The numbers φ and δ of a node with these stones and first steps; `beyond_tables` is how many
    /// stones more it has than the largest table.
    #[inline]
    pub(crate) fn numbers(
        &self,
        (own, opponent): (u32, u32),
        (captures, paikas): (u32, u32),
        beyond_tables: u32,
    ) -> (u32, u32) {
        let (turns, opponent) = if captures > 0 {
            (captures, opponent.saturating_sub(ASSUMED_CAPTURE).max(1))
        } else {
            (PER_PAIKA * paikas.max(1), opponent)
        };
        let outnumbered = |side: u32, other: u32| self.outnumbered[side as usize][other as usize];
        (
            1 + beyond_tables + outnumbered(own, opponent),
            turns + beyond_tables + outnumbered(opponent, own),
        )
    }
}
