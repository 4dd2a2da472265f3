//! Positions as short numbers.

use fanorona_core::{Board, PointSet, Stones};

/// Points whose stones go into one 16-bit digit: 3 to the 10th is 59049.
const POINTS: u32 = 10;

/// For each set of ten points, the sum of 3^i over its points `i`.
static TERNARY: [u16; 1 << POINTS] = {
    let mut sums = [0; 1 << POINTS];
    let mut set = 1_usize;
    while set < sums.len() {
        let highest = set.ilog2();
        sums[set] = sums[set & !(1 << highest)] + 3_u16.pow(highest);
        set += 1;
    }
    sums
};

/// For each number below 3^5, the points whose ternary digit is 1, and those where it is 2.
static SETS: [[u8; 2]; 243] = {
    let mut sets = [[0; 2]; 243];
    let mut number = 0;
    while number < 243 {
        let (mut rest, mut point) = (number, 0);
        while rest > 0 {
            if rest % 3 > 0 {
                sets[number][rest % 3 - 1] |= 1 << point;
            }
            rest /= 3;
            point += 1;
        }
        number += 1;
    }
    sets
};

/// The bits of a packed position of this board: 15 to 101, 72 on 9x5.
pub(crate) fn bits(board: Board) -> u32 {
    let (digits, rest) = (board.num_points() / POINTS, board.num_points() % POINTS);
    16 * digits + (3_u32.pow(rest) - 1).checked_ilog2().map_or(0, |highest| highest + 1)
}

/// The stones of both sides in one number, different for different stones.
#[inline]
pub(crate) fn pack(board: Board, stones: Stones) -> u128 {
    let digits = board.num_points().div_ceil(POINTS);
    let part =
        |set: PointSet, digit| TERNARY[(set.bits() >> (POINTS * digit)) as usize % (1 << POINTS)];
    (0..digits).fold(0, |packed, digit| {
        let value = part(stones.own, digit) + 2 * part(stones.opponent, digit);
        packed | u128::from(value) << (16 * digit)
    })
}

/// The stones of both sides that were packed.
#[inline]
pub(crate) fn unpack(board: Board, packed: u128) -> Stones {
    let digits = board.num_points().div_ceil(POINTS);
    let (own, opponent) = (0..digits).fold((0, 0), |(own, opponent), digit| {
        let value = usize::from((packed >> (16 * digit)) as u16);
        let ([own_low, opponent_low], [own_high, opponent_high]) =
            (SETS[value % 243], SETS[value / 243 % 243]);
        let place = |low, high| (u64::from(low) | u64::from(high) << 5) << (POINTS * digit);
        (own | place(own_low, own_high), opponent | place(opponent_low, opponent_high))
    });
    Stones::from_bits(own, opponent)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fanorona_core::SplitMix64;

    #[test]
    fn stones_are_packed_and_unpacked_within_their_bits() {
        let mut random = SplitMix64::new(1);
        let mut set = || PointSet::from_bits(random.next_u64());
        for board in Board::all() {
            let all = board.all_points();
            let (none, a1) = (PointSet::EMPTY, PointSet::from_bits(1));
            let cases = [(none, none), (all, none), (none, all), (a1, all - a1)];
            let random = (0..1000).map(|_| {
                let (own, free) = (set() & all, set());
                (own, free & (all - own))
            });
            for (own, opponent) in cases.into_iter().chain(random.collect::<Vec<_>>()) {
                let stones = Stones { own, opponent };
                let packed = pack(board, stones);
                assert!(packed >> bits(board) == 0, "{board}: {stones:?}");
                assert_eq!(unpack(board, packed), stones, "{board}");
            }
        }
    }

    #[test]
    fn the_number_of_bits_is_the_least() {
        for board in Board::all() {
            let packed = pack(board, Stones::from_bits(0, board.all_points().bits()));
            assert!(packed >> (bits(board) - 1) == 1, "{board}");
        }
        assert_eq!(bits(Board::tsivy()), 72);
    }
}
