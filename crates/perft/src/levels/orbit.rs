//! Levels of the tree without symmetry: positions that are the same but for it, as one number.

use fanorona_core::{Board, PointSet, Position, RuleSet, Side, SymmetryGroup};

use crate::generator::{Successor, Successors};
use crate::packed;

/// Bits for the images of a position.
const IMAGES: u32 = 8;

/// Positions with one side to move that are the same but for symmetry: the one that stands for all,
/// and which of its images are meant.
///
/// It is a number, and numbers of the same positions stand side by side in a sorted list. A level of
/// the tree, the distinct positions after some turns, is such a list.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Orbit(u128);

impl Orbit {
    /// The number that stands for all the positions, 101 bits at most, and the bits of those that
    /// are meant. Lists are sorted by the first, then the second.
    pub(super) fn parts(self) -> (u128, u8) {
        (self.0 >> IMAGES, self.0 as u8)
    }

    /// The orbit with these [`parts`](Self::parts), which come from one.
    pub(super) fn from_parts(number: u128, images: u8) -> Self {
        Self(number << IMAGES | u128::from(images))
    }

    /// Takes in the positions of another orbit, if they are the same but for symmetry; tells whether
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
    start: Position,
    to_move: Side,
    images: SymmetryGroup,
    successors: Successors,
    found: Vec<Successor>,
}

impl OrbitFinder {
    /// A finder for the levels below a position, which is the first one.
    pub(super) fn new(rules: &RuleSet, start: &Position) -> Self {
        Self {
            start: *start,
            to_move: start.to_move(),
            images: SymmetryGroup::new(start.board()),
            successors: Successors::new(rules, start.board()),
            found: Vec::new(),
        }
    }

    /// The orbit with the start alone.
    pub(super) fn start(&self) -> Orbit {
        self.orbit(1, self.start.own(), self.start.opponent())
    }

    /// Adds to `found` where the turns from the positions of an orbit lead; with repetitions.
    pub(super) fn successors(&mut self, orbit: Orbit, found: &mut Vec<Orbit>) {
        let (number, images) = orbit.parts();
        let (own, opponent) = packed::unpack(self.board(), number);
        let position = Position::from_mover(self.board(), own, opponent, self.to_move)
            .expect("an orbit of this finder is one of positions");
        let mut after = std::mem::take(&mut self.found);
        self.successors.find(&position, &mut after);
        let orbit = |after: Successor| self.orbit(images, after.opponent, after.own);
        found.extend(after.drain(..).map(orbit));
        self.found = after;
    }

    /// Goes on to the next level, where the other side moves.
    pub(super) fn pass(&mut self) {
        self.to_move = self.to_move.other();
    }

    /// How many different positions an orbit has.
    pub(super) fn positions(&self, orbit: Orbit) -> u32 {
        let (number, images) = orbit.parts();
        let images = images.count_ones();
        if images == 1 {
            return 1;
        }
        // A position that some symmetries keep is listed once for each of them.
        let (own, opponent) = packed::unpack(self.board(), number);
        images / self.images.canonical(own, opponent).by.count_ones()
    }

    fn board(&self) -> Board {
        self.start.board()
    }

    /// The orbit with these images of a position.
    fn orbit(&self, images: u8, own: PointSet, opponent: PointSet) -> Orbit {
        let canonical = self.images.canonical(own, opponent);
        let mut seen = 0;
        for by in bits(canonical.by) {
            let back = self.images.inverse(by);
            seen |=
                bits(images).fold(0, |seen, image| seen | 1 << self.images.product(image, back));
        }
        let number = packed::pack(self.board(), canonical.own, canonical.opponent);
        Orbit::from_parts(number, seen)
    }
}

/// The places of the bits that are set.
fn bits(set: u8) -> impl Iterator<Item = usize> {
    PointSet::from_bits(set.into()).iter().map(|point| point.index())
}
