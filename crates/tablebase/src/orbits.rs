//! Numbers for sets of stones, with the board's symmetries taken out.
//!
//! Sets of `n` points are ranked in colexicographic order (the combinatorial number system). The
//! symmetries group them into orbits, numbered by their lowest members, the *representatives*. A
//! set is then an orbit and the number `k` of a symmetry that maps the representative to it.

use fanorona_core::{Board, PointSet, Symmetry, SymmetryGroup};

/// Binomial coefficients up to `63 over 63`; those that pass 64 bits are never asked for.
static BINOMIAL: [[u64; 64]; 64] = {
    let mut table = [[0u64; 64]; 64];
    let mut n = 0;
    while n < 64 {
        table[n][0] = 1;
        let mut k = 1;
        while k <= n {
            table[n][k] = table[n - 1][k - 1].saturating_add(table[n - 1][k]);
            k += 1;
        }
        n += 1;
    }
    table
};

/// The number of ways to choose `k` of `n` points, `n` up to 63.
pub fn binomial(n: u32, k: u32) -> u64 {
    BINOMIAL[n as usize][k as usize]
}

/// The place of a set among all sets of as many points, in colexicographic order.
#[inline]
pub fn rank(set: PointSet) -> u64 {
    let (mut set, mut rank, mut k) = (set.bits(), 0, 1);
    while set != 0 {
        rank += BINOMIAL[set.trailing_zeros() as usize][k];
        set &= set - 1;
        k += 1;
    }
    rank
}

/// The set of `k` of the points below `n` that has a rank.
pub fn unrank(mut rank: u64, k: u32, n: u32) -> PointSet {
    let (mut set, mut point) = (0, n);
    for k in (1..=k).rev() {
        // The highest point is the last whose sets of `k` lower ones have all passed.
        point = (k - 1..point).rev().find(|p| binomial(*p, k) <= rank).unwrap_or(k - 1);
        rank -= binomial(point, k);
        set |= 1 << point;
    }
    PointSet::from_bits(set)
}

/// The set after this one in colexicographic order; the set must not be empty.
pub fn next_set(set: PointSet) -> PointSet {
    let set = set.bits();
    let lowest = set & set.wrapping_neg();
    let ripple = set + lowest;
    PointSet::from_bits(ripple | (((set ^ ripple) / lowest) >> 2))
}

/// The sets of `n` points of a board by orbits.
#[derive(Debug)]
pub struct Orbits {
    /// For each set by its rank: its orbit times the group's order, plus the least `k`.
    codes: Vec<u32>,
    representatives: Vec<PointSet>,
    /// The number of sets in each orbit.
    sizes: Vec<u8>,
}

impl Orbits {
    /// The most sets that there are codes for.
    pub const MOST_SETS: u64 = 1 << 29;

    /// Finds the orbits of all sets of `n` points: some tens of nanoseconds and 4 bytes a set.
    ///
    /// # Panics
    /// If there are more than [`MOST_SETS`](Self::MOST_SETS) sets, which every caller has
    /// refused before.
    pub fn new(board: Board, group: &SymmetryGroup, n: u32) -> Self {
        let sets = binomial(board.num_points(), n);
        assert!(sets <= Self::MOST_SETS, "{n} stones on {board} are too many sets");
        let order = group.order();
        let mut representatives = Vec::new();
        let mut sizes = Vec::new();
        let mut codes = vec![u32::MAX; sets as usize];
        let mut set = PointSet::from_bits((1 << n) - 1);
        for here in 0..sets as usize {
            if codes[here] == u32::MAX {
                let orbit = representatives.len() * order;
                let mut size = 0;
                for k in 0..order {
                    let code = &mut codes[rank(group.apply(k, set)) as usize];
                    if *code == u32::MAX {
                        *code = (orbit + k) as u32;
                        size += 1;
                    }
                }
                representatives.push(set);
                sizes.push(size);
            }
            if here + 1 < sets as usize {
                set = next_set(set);
            }
        }
        Self { codes, representatives, sizes }
    }

    /// The number of orbits.
    pub fn count(&self) -> usize {
        self.representatives.len()
    }

    /// The lowest set of an orbit.
    #[inline]
    pub fn representative(&self, orbit: usize) -> PointSet {
        self.representatives[orbit]
    }

    /// How many sets an orbit has.
    #[inline]
    pub fn size(&self, orbit: usize) -> u8 {
        self.sizes[orbit]
    }

    /// The [code](Self::code) of the set with a rank.
    #[inline]
    pub fn code_of_rank(&self, rank: u64) -> u32 {
        self.codes[rank as usize]
    }

    /// The set's orbit times the group's order, plus the least number of a symmetry that maps the
    /// representative to the set.
    #[inline]
    pub fn code(&self, set: PointSet) -> u32 {
        self.codes[rank(set) as usize]
    }
}

/// How many positions a slice has: disjoint sets of `own` and `opponent` points.
pub fn placements(board: Board, own: u32, opponent: u32) -> u64 {
    let free = board.num_points() - own;
    binomial(board.num_points(), own).saturating_mul(binomial(free, opponent))
}

/// How many positions a slice has up to symmetry, by Burnside's lemma: the mean number of
/// positions that a symmetry leaves as they are.
pub fn placements_up_to_symmetry(board: Board, own: u32, opponent: u32) -> u64 {
    let fixed_by = |g: &Symmetry| -> u128 {
        // A position stays if every cycle of points has stones of one kind, or none.
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
    (fixed / symmetries.len() as u128) as u64
}

/// Orbits that are found when they are first needed, and shared by all that index a board.
#[derive(Debug)]
pub struct OrbitSets {
    board: Board,
    group: SymmetryGroup,
    by_stones: [std::sync::OnceLock<Orbits>; 32],
}

impl OrbitSets {
    /// Nothing is computed yet but the group.
    pub fn new(board: Board) -> Self {
        Self { board, group: SymmetryGroup::new(board), by_stones: Default::default() }
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The board's symmetries.
    pub fn group(&self) -> &SymmetryGroup {
        &self.group
    }

    /// The orbits of sets of `n` points, found at the first call.
    pub fn of(&self, n: u8) -> &Orbits {
        self.by_stones[usize::from(n)]
            .get_or_init(|| Orbits::new(self.board, &self.group, n.into()))
    }
}
