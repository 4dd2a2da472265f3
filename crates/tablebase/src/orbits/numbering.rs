//! The orbits of the sets of a board.

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, OnceLock};

use fanorona_core::{Board, PointSet, Symmetry, SymmetryGroup};

use super::parts::in_parts;
use super::rank_select::RankSelect;
use super::ranks::{choose, rank, set_after, set_of_rank};

/// The sets that a thread lists at least.
const SETS_PER_THREAD: usize = 1 << 14;

/// A set of points as a member of its orbit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Member {
    pub orbit: usize,
    /// A symmetry that maps the orbit's representative to the set. If there are several,
    /// [`Orbits::member`] returns the lowest.
    pub symmetry: Symmetry,
}

/// The orbits of the sets of `n` points of a board.
///
/// One bit per set records whether it is a representative. Counting these bits gives the number of an
/// orbit. If there are few sets, there is also a list of their numbers, which is faster to read.
pub struct Orbits {
    group: Arc<SymmetryGroup>,
    num_points: u32,
    stones: u32,
    /// The order of the symmetry group is `1 << shift`.
    shift: u32,
    /// For each set of symmetries, the lowest of their inverses.
    lowest_inverse: [Symmetry; 256],
    representatives: RankSelect,
    list: Option<List>,
}

/// Results that would otherwise be computed each time.
struct List {
    /// The [number](Orbits::number) of each set's member, by the set's rank.
    numbers: Vec<u32>,
    representatives: Vec<PointSet>,
    /// The number of sets in each orbit.
    sizes: Vec<u8>,
}

impl fmt::Debug for Orbits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Orbits").field("stones", &self.stones).finish_non_exhaustive()
    }
}

impl Orbits {
    /// The most sets that can be numbered. Their orbits take 2.5 GB of memory. Up to this limit, the
    /// number of positions of every slice fits in 64 bits.
    pub const MAX_SETS: u64 = 1 << 34;

    /// The most sets of which [`OrbitSets::new`] has a list. Longer lists do not fit in the
    /// processor's caches, and reading them is slower than counting bits.
    const MAX_LISTED: u64 = 1 << 21;

    /// Computes the orbits of all sets of `n` points, with a list of up to `max_listed`, at most 2²⁹, so
    /// that numbers fit in 32 bits.
    fn new(
        max_listed: u64,
        threads: Option<NonZeroUsize>,
        board: Board,
        group: &Arc<SymmetryGroup>,
        n: u32,
    ) -> Option<Self> {
        let sets = num_sets(board, n)?;
        let lowest_inverse = |symmetries: usize| {
            let inverses = Symmetry::in_set(symmetries as u8).map(Symmetry::inverse);
            inverses.min().unwrap_or(Symmetry::Identity)
        };
        let least_sets = LeastSets::new(board, group, n);
        let mut orbits = Self {
            group: group.clone(),
            num_points: board.num_points(),
            stones: n,
            shift: group.order().ilog2(),
            lowest_inverse: std::array::from_fn(lowest_inverse),
            representatives: RankSelect::new(sets, threads, |first, are_least| {
                least_sets.find(first, are_least);
            }),
            list: None,
        };
        if sets <= max_listed {
            orbits.list = Some(List::new(&orbits, threads, sets as usize));
        }
        Some(orbits)
    }

    /// The number of orbits.
    pub fn count(&self) -> usize {
        self.representatives.ones() as usize
    }

    /// The lowest set of an orbit.
    ///
    /// # Panics
    /// If the orbit is not below [`count`](Self::count).
    #[inline]
    pub fn representative(&self, orbit: usize) -> PointSet {
        match &self.list {
            Some(list) => list.representatives[orbit],
            None => {
                set_of_rank(self.representatives.select(orbit as u64), self.stones, self.num_points)
            }
        }
    }

    /// The number of sets in an orbit.
    ///
    /// # Panics
    /// If the orbit is not below [`count`](Self::count).
    #[inline]
    pub fn size(&self, orbit: usize) -> u8 {
        match &self.list {
            Some(list) => list.sizes[orbit],
            None => self.size_with(self.group.least(self.representative(orbit)).1),
        }
    }

    /// The number of sets in an orbit, whose representative is mapped to itself by `symmetries`.
    fn size_with(&self, symmetries: u8) -> u8 {
        (1 << self.shift) / symmetries.count_ones() as u8
    }

    /// The orbit of a set, and the lowest symmetry that maps the representative to the set.
    ///
    /// # Panics
    /// May panic if the set has another number of points than the sets of these orbits.
    #[inline]
    pub fn member(&self, set: PointSet) -> Member {
        self.member_with_number(self.number(set) as usize)
    }

    /// The number of a set's [member](Self::member): `orbit * order + symmetry`.
    #[inline]
    pub fn number(&self, set: PointSet) -> u64 {
        match &self.list {
            Some(list) => list.numbers[rank(set) as usize].into(),
            None => {
                let (least, by) = self.group.least(set);
                self.number_of_image(least, by)
            }
        }
    }

    /// The number of the member whose set has this rank. Without a list this takes longer than
    /// [`number`](Self::number), because it has to find the set.
    #[inline]
    pub fn number_of_rank(&self, rank: u64) -> u64 {
        match &self.list {
            Some(list) => list.numbers[rank as usize].into(),
            None => self.number(set_of_rank(rank, self.stones, self.num_points)),
        }
    }

    /// The number of the member whose set is mapped to a representative by some symmetries.
    #[inline]
    fn number_of_image(&self, representative: PointSet, by: u8) -> u64 {
        let orbit = self.representatives.count_below(rank(representative));
        orbit << self.shift | self.lowest_inverse[usize::from(by)] as u64
    }

    /// The number of member numbers: one for each symmetry of each orbit.
    pub fn num_numbers(&self) -> usize {
        self.count() << self.shift
    }

    /// The member with a number. A set that a symmetry maps to itself has several numbers;
    /// [`number`](Self::number) returns the lowest.
    #[inline]
    pub fn member_with_number(&self, number: usize) -> Member {
        let symmetry = Symmetry::numbered(number & ((1 << self.shift) - 1));
        Member { orbit: number >> self.shift, symmetry }
    }

    /// The set of a member.
    pub fn set(&self, group: &SymmetryGroup, member: Member) -> PointSet {
        group.apply(member.symmetry, self.representative(member.orbit))
    }
}

impl List {
    /// The list of all sets, of which there are `sets`.
    fn new(orbits: &Orbits, threads: Option<NonZeroUsize>, sets: usize) -> Self {
        let mut numbers = vec![0; sets];
        let parts = in_parts(&mut numbers, threads, SETS_PER_THREAD, |first, numbers| {
            let (mut representatives, mut sizes) = (Vec::new(), Vec::new());
            let mut set = set_of_rank(first as u64, orbits.stones, orbits.num_points);
            for (i, number) in numbers.iter_mut().enumerate() {
                let (least, by) = orbits.group.least(set);
                *number = orbits.number_of_image(least, by) as u32;
                if least == set {
                    representatives.push(set);
                    sizes.push(orbits.size_with(by));
                }
                if first + i + 1 < sets {
                    set = set_after(set);
                }
            }
            (representatives, sizes)
        });
        let (representatives, sizes): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        Self { numbers, representatives: representatives.concat(), sizes: sizes.concat() }
    }
}

/// The number of sets of `stones` points; `None` if they cannot be numbered, because there are too many
/// or none. Numbers of members must fit in a `usize`.
pub fn num_sets(board: Board, stones: u32) -> Option<u64> {
    let sets = choose(board.num_points(), stones);
    let fits = (1..=Orbits::MAX_SETS).contains(&sets) && usize::try_from(8 * sets).is_ok();
    fits.then_some(sets)
}

/// The points that vary in a run of sets.
const LOW_POINTS: u32 = 12;

/// Finds the sets of `n` points that are the least of their images under the symmetries.
///
/// In the order of ranks, sets that differ only in their low points form a run. The image of a set
/// is the image of its high points, which is computed once for a run, and that of its low points,
/// which is read from a list.
struct LeastSets<'a> {
    group: &'a SymmetryGroup,
    num_points: u32,
    stones: u32,
    low: PointSet,
    /// For each number of low points and each symmetry, the images of the low sets by rank.
    images: Vec<Vec<Vec<u64>>>,
    /// For each symmetry, the highest points that are images of high points only.
    known: Vec<u64>,
}

impl<'a> LeastSets<'a> {
    fn new(board: Board, group: &'a SymmetryGroup, stones: u32) -> Self {
        let num_points = board.num_points();
        let low_points = LOW_POINTS.min(num_points);
        let low = PointSet::from_bits((1 << low_points) - 1);
        let images_of = |count| {
            let sets = Vec::from_iter((0..=low.bits()).filter(|set| set.count_ones() == count));
            let image = |g, set: &u64| group.apply(g, PointSet::from_bits(*set)).bits();
            let images = |g: &Symmetry| sets.iter().map(|set| image(*g, set)).collect();
            group.symmetries().iter().map(images).collect()
        };
        let known = |g: &Symmetry| {
            let unknown = group.apply(*g, low).bits();
            // The points above the highest unknown one.
            !(u64::MAX >> unknown.leading_zeros())
        };
        Self {
            group,
            num_points,
            stones,
            low,
            images: (0..=low_points.min(stones)).map(images_of).collect(),
            known: group.symmetries().iter().map(known).collect(),
        }
    }

    /// For each set from the rank `first` on, whether it is the least of its orbit.
    fn find(&self, first: u64, are_least: &mut [bool]) {
        let mut set = set_of_rank(first, self.stones, self.num_points);
        let mut left = are_least;
        loop {
            let (high, low) = (set - self.low, set & self.low);
            let images = &self.images[low.len() as usize];
            let at = rank(low) as usize;
            let (run, rest) = left.split_at_mut(left.len().min(images[0].len() - at));
            self.find_in_run(high, images, at, run);
            if rest.is_empty() {
                return;
            }
            let last = images[0][images[0].len() - 1];
            set = set_after(high | PointSet::from_bits(last));
            left = rest;
        }
    }

    fn find_in_run(&self, high: PointSet, images: &[Vec<u64>], at: usize, are_least: &mut [bool]) {
        let symmetries = self.group.symmetries().iter();
        let is_less = |(g, known): (&Symmetry, &u64)| {
            self.group.apply(*g, high).bits() & known < high.bits() & known
        };
        are_least.fill(!symmetries.clone().zip(&self.known).skip(1).any(is_less));
        if are_least.first() != Some(&true) {
            return;
        }
        for (g, low_images) in symmetries.zip(images).skip(1) {
            let image = self.group.apply(*g, high).bits();
            let lows = images[0][at..].iter().zip(&low_images[at..]);
            for (is_least, (low, low_image)) in are_least.iter_mut().zip(lows) {
                *is_least &= high.bits() | low <= image | low_image;
            }
        }
    }
}

/// The most sets of which builders have a list: on 9x5, those of 7 points.
pub const MAX_LISTED_FOR_BUILDERS: u64 = 1 << 27;

/// The orbits of a board, by number of points. They are computed at first use and can be shared by
/// threads.
#[derive(Debug)]
pub struct OrbitSets {
    board: Board,
    group: Arc<SymmetryGroup>,
    /// The most sets of which a list is made.
    max_listed: u64,
    threads: Option<NonZeroUsize>,
    by_stones: [OnceLock<Orbits>; 32],
}

impl OrbitSets {
    /// Computes the symmetry group. Orbits are computed at first use.
    pub fn new(board: Board) -> Self {
        Self::with_lists(board, Orbits::MAX_LISTED)
    }

    /// As [`new`](Self::new), with lists of up to 2²⁷ sets. A list takes up to 11 bytes per set. It
    /// makes [`Orbits::number_of_rank`] faster, which builders call for one rank after the other.
    pub fn for_builders(board: Board) -> Self {
        Self::with_lists(board, MAX_LISTED_FOR_BUILDERS)
    }

    fn with_lists(board: Board, max_listed: u64) -> Self {
        let group = Arc::new(SymmetryGroup::new(board));
        Self { board, group, max_listed, threads: None, by_stones: Default::default() }
    }

    /// Computes orbits on this number of threads, which end with the computation. With `None`, the
    /// default, as many as the current rayon pool has.
    pub fn with_threads(self, threads: Option<NonZeroUsize>) -> Self {
        Self { threads, ..self }
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The board's symmetries.
    pub fn group(&self) -> &SymmetryGroup {
        &self.group
    }

    /// The orbits of the sets of `n` points; `None` if there are too many, or if `n` is above 31, the most
    /// stones of a side. The first call computes them, which takes a few nanoseconds and 0.15 bytes per
    /// set, and some tens of nanoseconds and 9 bytes with a list.
    #[inline]
    pub fn of(&self, n: u8) -> Option<&Orbits> {
        let place = self.by_stones.get(usize::from(n))?;
        place.get().or_else(|| self.find(n, place))
    }

    #[cold]
    fn find<'a>(&'a self, n: u8, place: &'a OnceLock<Orbits>) -> Option<&'a Orbits> {
        num_sets(self.board, n.into())?;
        // One thread computes while others wait.
        Some(place.get_or_init(|| {
            Orbits::new(self.max_listed, self.threads, self.board, &self.group, n.into())
                .expect("the number of sets has been checked")
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::orbits::placements_up_to_symmetry;

    /// All sets of small boards, with and without a list.
    #[test]
    fn members_and_sets_belong_together() {
        for (size, most) in [("3x3", 9), ("5x3", 7), ("5x5", 5), ("9x5", 4), ("7x7", 4)] {
            let board: Board = size.parse().unwrap();
            let group = Arc::new(SymmetryGroup::new(board));
            for n in 0..=most {
                let counted = Orbits::new(0, None, board, &group, n).unwrap();
                let listed = Orbits::new(u64::MAX, None, board, &group, n).unwrap();
                assert!(counted.list.is_none() && listed.list.is_some());
                assert_eq!(counted.num_numbers(), counted.count() * group.order());
                assert_eq!(counted.count(), listed.count());
                for orbit in 0..counted.count() {
                    let first = counted.representative(orbit);
                    assert_eq!(first, listed.representative(orbit));
                    assert_eq!(counted.size(orbit), listed.size(orbit));
                    assert_eq!(
                        counted.member(first),
                        Member { orbit, symmetry: Symmetry::Identity }
                    );
                }
                for number in 0..counted.num_numbers() {
                    let member = counted.member_with_number(number);
                    let set = counted.set(&group, member);
                    assert_eq!(set, listed.set(&group, member));
                    // The lowest of the symmetries that map the representative to the set.
                    let map = |g| group.apply(g, counted.representative(member.orbit));
                    let lowest = group.symmetries().iter().find(|g| map(**g) == set).unwrap();
                    let expected = Member { orbit: member.orbit, symmetry: *lowest };
                    assert_eq!(counted.member(set), expected, "{set:?} on {board}");
                    assert_eq!(listed.member(set), expected, "{set:?} on {board}");
                }
                for place in 0..choose(board.num_points(), n) {
                    let number = counted.number(set_of_rank(place, n, board.num_points()));
                    assert_eq!(counted.number_of_rank(place), number);
                    assert_eq!(listed.number_of_rank(place), number);
                }
            }
        }
    }

    /// A representative is the least of its images, and every set is an image of one. More sets than
    /// one thread finds.
    #[test]
    fn large_sets_have_orbits() {
        for (size, n) in [("9x5", 5), ("5x5", 12), ("13x3", 6), ("9x7", 5)] {
            let board: Board = size.parse().unwrap();
            let group = Arc::new(SymmetryGroup::new(board));
            let orbits = Orbits::new(0, None, board, &group, n).unwrap();
            assert_eq!(orbits.count() as u128, placements_up_to_symmetry(board, n, 0), "{size}");
            let sizes: u64 = (0..orbits.count()).map(|orbit| u64::from(orbits.size(orbit))).sum();
            assert_eq!(sizes, choose(board.num_points(), n), "{size}");
            for place in (0..choose(board.num_points(), n)).step_by(997) {
                let set = set_of_rank(place, n, board.num_points());
                let member = orbits.member(set);
                let images = group.symmetries().iter().map(|g| group.apply(*g, set));
                assert_eq!(Some(orbits.representative(member.orbit)), images.min(), "{size}");
                assert_eq!(orbits.set(&group, member), set, "{size}");
            }
        }
    }
}
