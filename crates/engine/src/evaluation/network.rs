//! A network with one hidden layer, trained on 9x5 by `tools/train_network.py` and kept in `network.bin`.
//!
//! Each point of the [inputs](super::inputs()) has a column of weights. The hidden layer is the sum of
//! these columns and of a bias, clipped to 0..1 and squared. The columns of a stone are added up in
//! advance, so that it has one. There are so few that they are summed anew for each position: nothing
//! has to be kept from turn to turn. The weights of the output depend on the number of stones.
//!
//! Points of other boards have the columns of points of 9x5: as far from the edges if there are such, and of
//! the same kind, strong or weak. Tall boards are turned on their side.
//!
//! `network.bin` has 16-bit numbers, low byte first: the columns, the bias of the hidden layer, for
//! each of the [`PHASES`] the weights of the output, and the biases of the output.

#![allow(unsafe_code)]

use std::sync::LazyLock;

use fanorona_core::{Board, Modern, PointSet, Position, Stones, on_modern};

use super::inputs::{SETS, of_stones};
use crate::score::MAX_ESTIMATE;

const POINTS: usize = 45;
const INPUTS: usize = SETS * POINTS;

/// The kinds of stones: 4 is added for the opponent's, 2 for those that can capture, 1 for those that can
/// be taken.
const KINDS: usize = 8;
const HIDDEN: usize = 128;

/// The hidden units that are summed together: as many as there are registers for.
const PART: usize = if cfg!(target_family = "wasm") { HIDDEN / 2 } else { HIDDEN };

/// The kinds of positions: those with 1 to 4 stones, with 5 to 8, and so on. The last kind has no end.
const PHASES: usize = 9;

/// The number that stands for 1 in the hidden layer.
const ONE: i32 = 128;

/// The number that stands for 1 in the weights of the output.
const ONE_OUT: i32 = 64;

/// The estimate for a natural logarithm of the odds of 1.
const SCALE: i32 = 100;

/// The largest weight of the output: times [`ONE`] it still has 16 bits.
const LARGEST: i16 = 127;

static BYTES: &[u8; 2 * NUMBERS] = include_bytes!("network.bin");
const NUMBERS: usize = (INPUTS + 1) * HIDDEN + PHASES * (HIDDEN + 1);

// A file that is damaged in a way that could make a sum overflow does not compile.
const _: () = assert!(is_bounded(include_bytes!("network.bin")));

type Column = [i16; HIDDEN];

/// Aligned, so that no vector of a column lies in two cache lines.
#[repr(C, align(64))]
struct Weights {
    /// For each kind of stones, one column for each point.
    columns: [[Column; POINTS]; KINDS],
    bias: Column,
    outputs: [Column; PHASES],
    output_biases: [i16; PHASES],
}

static WEIGHTS: LazyLock<Box<Weights>> = LazyLock::new(|| {
    let mut index = 0..NUMBERS;
    let mut number = || index.next().map_or(0, |index| number_at(BYTES, index));
    let mut column = || -> Column { std::array::from_fn(|_| number()) };
    let inputs: [[Column; POINTS]; SETS] =
        std::array::from_fn(|_| std::array::from_fn(|_| column()));
    let column_of = |kind: usize, point: usize| -> Column {
        let [is_opponent, captures, is_taken] = [kind / 4, kind / 2 % 2, kind % 2];
        let [stone, capture, taken] =
            [is_opponent, 2 + is_opponent, 4 + is_opponent].map(|set| &inputs[set][point]);
        std::array::from_fn(|unit| {
            stone[unit] + captures as i16 * capture[unit] + is_taken as i16 * taken[unit]
        })
    };
    Box::new(Weights {
        columns: std::array::from_fn(|kind| std::array::from_fn(|point| column_of(kind, point))),
        bias: column(),
        outputs: std::array::from_fn(|_| column()),
        output_biases: std::array::from_fn(|_| number()),
    })
});

const fn number_at(bytes: &[u8; 2 * NUMBERS], index: usize) -> i16 {
    i16::from_le_bytes([bytes[2 * index], bytes[2 * index + 1]])
}

/// Whether no sum can overflow, whatever the position of 9x5.
const fn is_bounded(bytes: &[u8; 2 * NUMBERS]) -> bool {
    let mut unit = 0;
    while unit < HIDDEN {
        let (mut sum, mut column) = (0, 0);
        while column <= INPUTS {
            sum += number_at(bytes, column * HIDDEN + unit).unsigned_abs() as u32;
            column += 1;
        }
        if sum > i16::MAX as u32 {
            return false;
        }
        unit += 1;
    }
    let mut index = (INPUTS + 1) * HIDDEN;
    while index < NUMBERS - PHASES {
        if number_at(bytes, index).unsigned_abs() > LARGEST as u16 {
            return false;
        }
        index += 1;
    }
    true
}

/// Estimates, without a search, how well the side to move stands.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation {
    board: Board,
    /// For each point the one of 9x5 whose columns it has.
    places: [u8; 64],
    weights: &'static Weights,
    modern: Option<Modern>,
}

/// The estimate of a position without a search, for the side to move: 100 times the natural logarithm of
/// the odds that it wins. Positions that a symmetry of the board exchanges have similar estimates.
pub fn estimate(position: &Position) -> i32 {
    Evaluation::new(position.board()).estimate(Stones::of(position))
}

impl Evaluation {
    pub(crate) fn new(board: Board) -> Self {
        let mut places = [0; 64];
        let (tsivy, is_tall) = (Board::tsivy(), board.height() > board.width());
        for point in board.all_points() {
            let at = board.coordinates(point);
            let [mut along, mut across] = [(at.file(), board.width()), (at.rank(), board.height())];
            if is_tall {
                (along, across) = (across, along);
            }
            let [file, rank] = [place(along, tsivy.width()), place(across, tsivy.height())];
            places[point.index()] = rank * tsivy.width() + file;
        }
        Self { board, places, weights: &WEIGHTS, modern: Modern::detect() }
    }

    /// The estimate for the side to move.
    #[inline]
    pub(crate) fn estimate(&self, stones: Stones) -> i32 {
        let evaluation = self;
        match self.modern {
            Some(modern) => on_modern!(
                modern,
                fn [](evaluation: &Evaluation, stones: Stones) -> i32 {
                    evaluation.sum(stones)
                }
            ),
            None => self.sum(stones),
        }
    }

    // Always inlined, so that it is compiled for the instructions of its caller.
    #[inline(always)]
    fn sum(&self, stones: Stones) -> i32 {
        let weights = self.weights;
        let [own, opponent, mine, theirs, lost, taken] = of_stones(self.board, stones);
        let (occupied, capturing, threatened) = (own | opponent, mine | theirs, lost | taken);
        let phase = phase(occupied);
        let mut sum = 0;
        for part in 0..HIDDEN / PART {
            let mut hidden = *part_of(&weights.bias, part);
            let mut bits = occupied.bits();
            while bits != 0 {
                let point = bits.trailing_zeros() as usize;
                let is_in = |set: PointSet| (set.bits() >> point & 1) as usize;
                let kind = 4 * is_in(opponent) + 2 * is_in(capturing) + is_in(threatened);
                let place = usize::from(self.places[point]);
                let column = part_of(&weights.columns[kind][place], part);
                for (sum, weight) in hidden.iter_mut().zip(column) {
                    // Larger boards use a column several times.
                    *sum = sum.saturating_add(*weight);
                }
                bits &= bits - 1;
            }
            for (value, weight) in hidden.iter().zip(part_of(&weights.outputs[phase], part)) {
                let value = (*value).clamp(0, ONE as i16);
                // This order of the products keeps the first one within 16 bits.
                sum += i32::from(value * weight) * i32::from(value);
            }
        }
        let odds = sum / ONE + i32::from(weights.output_biases[phase]) * ONE;
        (odds * SCALE / (ONE * ONE_OUT)).clamp(-MAX_ESTIMATE, MAX_ESTIMATE)
    }
}

/// The place on an axis of `most` points, where `at` is on one of `length`.
fn place((at, length): (u8, u8), most: u8) -> u8 {
    let from_edge = at.min(length - 1 - at);
    let middle = most / 2;
    let place = if from_edge <= middle { from_edge } else { middle - (from_edge - middle) % 2 };
    if 2 * at < length { place } else { most - 1 - place }
}

/// The weights of a part of the hidden units.
#[inline(always)]
fn part_of(column: &Column, part: usize) -> &[i16; PART] {
    &column.as_chunks().0[part]
}

fn phase(occupied: PointSet) -> usize {
    (occupied.len().saturating_sub(1) as usize / 4).min(PHASES - 1)
}

#[cfg(test)]
mod tests {
    use fanorona_core::{Direction, Point, Position, Side, SplitMix64};

    use super::*;

    /// A position of a board with stones at random.
    fn random_position(board: Board, random: &mut SplitMix64) -> Position {
        loop {
            let mut stones = Stones { own: PointSet::EMPTY, opponent: PointSet::EMPTY };
            let share = 2 + random.below(12);
            for point in board.all_points() {
                match random.below(share) {
                    0 => stones.own |= point,
                    1 => stones.opponent |= point,
                    _ => {}
                }
            }
            if let Ok(found) = Position::from_mover(board, stones, Side::White) {
                return found;
            }
        }
    }

    /// The inputs, point by point.
    fn slow_inputs(position: &Position) -> [Vec<Point>; SETS] {
        let board = position.board();
        let mut sets: [Vec<Point>; SETS] = Default::default();
        let sides = [(position.own(), position.opponent()), (position.opponent(), position.own())];
        for (i, (own, opponent)) in sides.into_iter().enumerate() {
            sets[i] = own.iter().collect();
            for from in own.iter() {
                for direction in Direction::ALL {
                    let Some(to) = board.neighbour(from, direction) else { continue };
                    if position.empty().contains(to) {
                        let approached = board.neighbour(to, direction);
                        let left = board.neighbour(from, direction.opposite());
                        let taken = [approached, left].into_iter().flatten();
                        for taken in taken.filter(|taken| opponent.contains(*taken)) {
                            sets[2 + i].push(from);
                            sets[5 - i].push(taken);
                        }
                    }
                }
            }
        }
        sets.map(|mut set| {
            set.sort();
            set.dedup();
            set
        })
    }

    /// The estimate with real numbers.
    fn slow_estimate(places: &[u8], inputs: &[Vec<Point>; SETS], phase: usize) -> f64 {
        let number = |index| f64::from(number_at(BYTES, index));
        let outputs = (INPUTS + 1) * HIDDEN;
        let mut odds = number(outputs + PHASES * HIDDEN + phase) / f64::from(ONE_OUT);
        for unit in 0..HIDDEN {
            let mut sum = number(INPUTS * HIDDEN + unit);
            for (set, points) in inputs.iter().enumerate() {
                for point in points {
                    let place = usize::from(places[point.index()]);
                    sum += number((set * POINTS + place) * HIDDEN + unit);
                }
            }
            let value = (sum / f64::from(ONE)).clamp(0.0, 1.0);
            odds += value * value * number(outputs + phase * HIDDEN + unit) / f64::from(ONE_OUT);
        }
        f64::from(SCALE) * odds
    }

    #[test]
    fn estimates_are_those_of_the_formula() {
        let mut random = SplitMix64::new(1);
        for board in Board::all().chain([Board::tsivy(); 30]) {
            let evaluation = Evaluation::new(board);
            for _ in 0..50 {
                let position = random_position(board, &mut random);
                let stones = Stones::of(&position);
                let inputs = slow_inputs(&position);
                let sets = super::super::inputs(&position);
                assert_eq!(sets.map(|set| set.iter().collect::<Vec<_>>()), inputs, "{position}");
                let phase = phase(stones.own | stones.opponent);
                let expected = slow_estimate(&evaluation.places, &inputs, phase);
                let found = evaluation.estimate(stones);
                assert!(
                    (f64::from(found) - expected).abs() < 2.0,
                    "{position}: {found} {expected}"
                );
                assert_eq!(evaluation.sum(stones), found, "without instructions: {position}");
            }
        }
    }

    #[test]
    fn points_of_other_boards_have_columns_of_similar_points() {
        let places = |length: u8, most: u8| -> Vec<u8> {
            (0..length).map(|at| place((at, length), most)).collect()
        };
        assert_eq!(places(3, 9), [0, 1, 8]);
        assert_eq!(places(7, 9), [0, 1, 2, 3, 6, 7, 8]);
        assert_eq!(places(9, 9), [0, 1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(places(13, 9), [0, 1, 2, 3, 4, 3, 4, 5, 4, 5, 6, 7, 8]);
        assert_eq!(places(7, 5), [0, 1, 2, 1, 2, 3, 4]);
        for board in Board::all() {
            let places = Evaluation::new(board).places;
            for point in board.all_points() {
                let at = board.coordinates(point);
                assert_eq!((at.file() + at.rank()) % 2, places[point.index()] % 2, "{board} {at}");
            }
        }
    }

    #[test]
    fn damaged_weights_are_refused() {
        assert!(is_bounded(BYTES));
        let with = |index: usize, number: i16| {
            let mut bytes = *BYTES;
            bytes[2 * index..][..2].copy_from_slice(&number.to_le_bytes());
            bytes
        };
        assert!(!is_bounded(&with(0, i16::MIN)));
        assert!(!is_bounded(&with(INPUTS * HIDDEN, i16::MIN)));
        assert!(!is_bounded(&with((INPUTS + 1) * HIDDEN, LARGEST + 1)));
        assert!(!is_bounded(&with(NUMBERS - PHASES - 1, -LARGEST - 1)));
    }
}
