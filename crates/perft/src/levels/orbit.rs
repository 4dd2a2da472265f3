//! Positions up to symmetry, as numbers.

use fanorona_core::{Board, Canonical, Position, RuleSet, Side, Stones, Symmetry, SymmetryGroup};

use crate::generator::Successors;
use crate::packed;

/// Bits for the images of a position.
const IMAGES: u32 = 8;

/// Some images of one position under the symmetries of the board: the canonical image, and which of
/// the images are meant.
///
/// It is a number. In a sorted list, images of one position are neighbours. A level of the tree, the
/// distinct positions after some turns, is such a list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Orbit(u128);

impl Orbit {
    /// The number of the canonical image, 101 bits at most, and a bit for each image that is meant.
    /// Lists are sorted by the first, then the second.
    pub(super) fn parts(self) -> (u128, u8) {
        (self.0 >> IMAGES, self.0 as u8)
    }

    /// The orbit with these [`parts`](Self::parts).
    pub(super) fn from_parts(number: u128, images: u8) -> Self {
        Self(number << IMAGES | u128::from(images))
    }

    /// Adds the images of another orbit, if they are images of the same position. Returns whether
    /// they were.
    #[inline]
    pub(super) fn join(&mut self, other: Self) -> bool {
        let same = self.0 >> IMAGES == other.0 >> IMAGES;
        if same {
            self.0 |= other.0;
        }
        same
    }

    /// Sorts a list and joins what can be joined.
    pub(super) fn sort_and_join(orbits: &mut Vec<Self>) {
        orbits.sort_unstable();
        orbits.dedup_by(|next, kept| kept.join(*next));
    }
}

/// Finds the orbits of one level after the other.
#[derive(Debug)]
pub(super) struct OrbitFinder {
    board: Board,
    to_move: Side,
    images: SymmetryGroup,
    successors: Successors,
    found: Vec<Stones>,
}

impl OrbitFinder {
    /// A finder for levels where this side is to move.
    pub(super) fn new(rules: &RuleSet, board: Board, to_move: Side) -> Self {
        let (images, successors) = (SymmetryGroup::new(board), Successors::new(rules, board));
        Self { board, to_move, images, successors, found: Vec::new() }
    }

    /// Adds to `found` where the turns from the positions of an orbit lead, with duplicates.
    pub(super) fn successors(&mut self, orbit: Orbit, found: &mut Vec<Orbit>) {
        let (number, images) = orbit.parts();
        let stones = packed::unpack(self.board, number);
        let position = Position::from_mover(self.board, stones, self.to_move)
            .expect("an orbit of this finder is one of positions");
        let mut after = std::mem::take(&mut self.found);
        self.successors.find(&position, &mut after);
        found.extend(after.drain(..).map(|after| self.orbit(images, after.swapped())));
        self.found = after;
    }

    /// The number of different positions in an orbit.
    pub(super) fn positions(&self, orbit: Orbit) -> u32 {
        let (number, images) = orbit.parts();
        let images = images.count_ones();
        if images == 1 {
            return 1;
        }
        // A position that some symmetries keep is listed once for each of them.
        images / self.images.canonical(packed::unpack(self.board, number)).by.count_ones()
    }

    /// The orbit with these images of a position.
    pub(super) fn orbit(&self, images: u8, stones: Stones) -> Orbit {
        let Canonical { stones, by } = self.images.canonical(stones);
        let mut seen = 0;
        for by in Symmetry::in_set(by) {
            let back = by.inverse();
            seen |= Symmetry::in_set(images).fold(0, |seen, image| seen | image.after(back).bit());
        }
        Orbit::from_parts(packed::pack(self.board, stones), seen)
    }
}
