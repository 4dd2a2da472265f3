//! Captures, one row at a time.
//!
//! Fix an own set, and a way to capture: the path of a stone, approach or withdrawal at each step,
//! and the length of each line. The opponent's set `Y` allows this capture if it contains the
//! captured points `L` and none of the points `E`, at which the stone arrives or a line ends. The
//! rest, `Z = Y \ L`, is any set that avoids `L`, `E` and the own stones. So the values after the
//! capture are a row of a smaller slice, and the value of `Z` in that row is a value of `Y = Z ∪ L`
//! in the current row.
//!
//! Relays are captures with longer paths. The more they capture, the shorter are the rows. No
//! position is visited individually.
//!
//! The rows of smaller slices are put into [colexicographic order](super::colex), once for each own
//! set after captures. The rows of all paths with the same `L` are combined, with a mask for the
//! `E` of each. Then one point of `L` is added to all sets `Z`, and the result is combined with the
//! rows for the rest of `L`, its parent in the [tree](CaptureTree) of captured sets. At the root of
//! the tree nothing is left to add.

use std::collections::HashMap;
use std::hash::BuildHasherDefault;

use fanorona_core::{Board, Captures, Chain, Direction, Paikas, PointSet};
use fanorona_tablebase::Code;
use fanorona_tablebase::orbits::{Member, rank};

use super::capture_tree::{CaptureTree, SetHasher, TreePath};
use super::colex::{CaptureBits, CaptureGrades, CaptureValues, ColexOrder, Mask};
use super::columns::Columns;
use super::context::SliceContext;
use crate::bits::{insert, members};
use crate::grade_rows::with_grades;
use crate::grades::Grade;
use crate::rows::store::KeptSlices;

/// The bytes of rows in colexicographic order that a thread keeps for the next own sets. During one
/// own set there can be more.
const KEPT_BYTES: usize = 4 << 20;

/// Rows with more bytes are made again for each path.
const MAX_KEPT_ROW: usize = 1 << 20;

/// The row of an own set in each matrix of [`SliceRows`](super::SliceRows). With distances, positions
/// are decided in their round, not here.
pub(crate) struct CaptureRow<'r, G> {
    pub win: &'r mut [u64],
    pub loss: &'r mut [u64],
    pub open: &'r mut [u64],
    pub safe: &'r mut [u64],
    /// The grades of the best captures, if the build has distances.
    pub grades: Option<&'r mut [G]>,
}

/// Buffers that a thread uses for each of its rows, which must be of the same slice.
#[derive(Default)]
pub(crate) struct CaptureBuffers<G> {
    tree: CaptureTree,
    bits: Workspace<CaptureBits>,
    grades: Workspace<CaptureGrades<G>>,
    scratch: Scratch,
    capture: Vec<u64>,
    /// Positions with a step to an empty point.
    movable: Vec<u64>,
}

/// Where the values of captures are combined.
#[derive(Default)]
struct Workspace<V> {
    /// For each number of stones left, the values for a captured set.
    by_left: Vec<V>,
    /// For each number of stones left, values after captures.
    after: Vec<RowsAfter<V>>,
    /// The bytes of the values in `after`.
    bytes: usize,
}

/// Rows of a solved slice in colexicographic order.
#[derive(Default)]
struct RowsAfter<V> {
    /// The index in `rows` of each own set.
    indices: HashMap<PointSet, usize, BuildHasherDefault<SetHasher>>,
    /// The rows, and buffers for more.
    rows: Vec<V>,
}

#[derive(Default)]
struct Scratch {
    mask: Mask,
    more: [Mask; 2],
    /// Columns that do not overlap an own set.
    free: Vec<u64>,
    /// Rows of a solved slice that are kept packed.
    unpacked: [Vec<u64>; 2],
    /// Rows with their cells permuted by a symmetry.
    win: Vec<u64>,
    loss: Vec<u64>,
}

/// Decides the row of an own set by captures.
pub(crate) fn decide<G: Grade>(
    context: &SliceContext<'_, '_>,
    solved: &KeptSlices,
    own: PointSet,
    row: &mut CaptureRow<'_, G>,
    buffers: &mut CaptureBuffers<G>,
) {
    let columns = context.opponents();
    let CaptureBuffers { tree, bits, grades, scratch, capture, movable } = buffers;
    tree.fill(context.board, &context.rule.turn, own, context.slice.opponent);
    let order = ColexOrder::new(context.board.num_points(), context.slice.opponent, |stones| {
        context.columns(stones).leaf_masks()
    });
    let input = Input { context, solved, order, tree };
    let CaptureRow { win, loss, open, safe, grades: best } = row;
    match best {
        None => {
            let found = bits.combine(&input, scratch);
            for all in tree.all_captured() {
                insert(&mut found.win, rank(*all) as usize);
            }
            take_over(&input, own, found, [win, safe], scratch);
            columns.fill_duplicates(win);
            columns.fill_duplicates(safe);
        }
        Some(best) => {
            let found = grades.combine(&input, scratch);
            for all in tree.all_captured() {
                found.0[rank(*all) as usize] = G::WIN_IN_1;
            }
            for (rank, grade) in found.0.iter().enumerate() {
                if *grade != G::NONE {
                    best[columns.of_rank(rank)] = *grade;
                }
            }
            columns.copy_duplicates(best);
        }
    }

    let (paikas, free) = (context.rule.turn.paikas, &mut scratch.free);
    columns.avoiding(own, free);
    mark_captures(context, own, capture);
    let sets = free.iter().zip(&*capture);
    for ((open, win), (free, capture)) in open.iter_mut().zip(&**win).zip(sets.clone()) {
        *open = match paikas {
            Paikas::Never => 0,
            Paikas::WhenNoCapture => free & !capture,
            Paikas::AnyStep | Paikas::NonCapturingStep => free & !win,
        };
    }
    let decided = loss.iter_mut().zip(&mut **safe).zip(win.iter().zip(&**open)).zip(sets.clone());
    match best {
        None => {
            for (((loss, safe), (win, open)), (free, _)) in decided {
                *loss = free & !(open | win | *safe);
            }
        }
        Some(best) => {
            let lost = G::of_code(Code::LOSS).expect("it is the shortest distance");
            for (i, (((loss, safe), _), (free, capture))) in decided.enumerate() {
                *loss = 0;
                *safe = free & capture;
                if paikas == Paikas::Never {
                    *safe = 0;
                    members(free & !capture).for_each(|bit| best[64 * i + bit] = lost);
                }
            }
        }
    }
    if context.rule.blocked_is_drawn && paikas != Paikas::Never {
        mark_steps(context.board, own, columns, movable);
        for (safe, (free, movable)) in safe.iter_mut().zip(free.iter().zip(movable)) {
            *safe |= free & !*movable;
        }
    }
}

/// Sets `open` to the positions of an own set without a capture. `free` and `capture` are buffers.
pub(crate) fn find_quiet(
    context: &SliceContext<'_, '_>,
    own: PointSet,
    open: &mut [u64],
    [free, capture]: &mut [Vec<u64>; 2],
) {
    let columns = context.opponents();
    columns.avoiding(own, free);
    mark_captures(context, own, capture);
    let sets = free.iter().zip(&*capture);
    open.iter_mut().zip(sets).for_each(|(open, (free, capture))| *open = free & !capture);
}

/// Marks the columns against which an own set has a capture.
fn mark_captures(context: &SliceContext<'_, '_>, own: PointSet, capture: &mut Vec<u64>) {
    let (board, columns) = (context.board, context.opponents());
    capture.clear();
    capture.resize(columns.words(), 0);
    if context.rule.turn.captures == Captures::Never {
        return;
    }
    for stone in own.iter() {
        for direction in Direction::ALL {
            let to = board.shift(stone.into(), direction) - own;
            let Some(arrival) = to.first() else { continue };
            let beyond = board.shift(to, direction);
            let behind = board.shift(stone.into(), direction.opposite());
            let taken = columns.containing(arrival);
            for target in ((beyond | behind) - own).iter() {
                let words = columns.containing(target).iter().zip(taken);
                capture.iter_mut().zip(words).for_each(|(bits, (target, taken))| {
                    *bits |= target & !taken;
                });
            }
        }
    }
}

fn mark_steps(board: Board, own: PointSet, columns: &Columns<'_>, movable: &mut Vec<u64>) {
    movable.clear();
    movable.resize(columns.words(), 0);
    let steps = |stone: PointSet| Direction::ALL.map(|direction| board.shift(stone, direction));
    let arrivals =
        own.iter().flat_map(|stone| steps(stone.into())).fold(PointSet::EMPTY, |a, b| a | b);
    for arrival in (arrivals - own).iter() {
        movable.iter_mut().zip(columns.containing(arrival)).for_each(|(bits, taken)| {
            *bits |= !taken;
        });
    }
}

/// All captures from an own set.
struct Input<'i, 's, 'a> {
    context: &'i SliceContext<'s, 'a>,
    solved: &'i KeptSlices,
    order: ColexOrder<'i>,
    tree: &'i CaptureTree,
}

impl<V: LoadedValues> Workspace<V> {
    /// The values of all captures that leave the opponent a stone.
    fn combine(&mut self, input: &Input<'_, '_, '_>, scratch: &mut Scratch) -> &mut V {
        let left = input.context.slice.opponent;
        self.by_left.resize_with(usize::from(left) + 1, V::default);
        self.after.resize_with(usize::from(left), RowsAfter::default);
        if self.bytes > KEPT_BYTES {
            self.bytes = 0;
            self.after.iter_mut().for_each(|after| after.indices.clear());
        }
        self.combine_node(input, 0, left, scratch);
        &mut self.by_left[usize::from(left)]
    }

    /// Combines the values for a captured set, and for those that are below it in the tree.
    fn combine_node(
        &mut self,
        input: &Input<'_, '_, '_>,
        node: u32,
        left: u8,
        scratch: &mut Scratch,
    ) {
        let mut found = std::mem::take(&mut self.by_left[usize::from(left)]);
        found.clear(input.order.count(left));
        for path in input.tree.paths(node) {
            let index = self.index_after(input, left, path.own_after(), scratch);
            input.find_sets_left(path, left, scratch);
            let after = &self.after[usize::from(left)].rows[index];
            found.combine(after, &scratch.mask.bits);
        }
        for (child, added) in input.tree.children(node) {
            self.combine_node(input, child, left - 1, scratch);
            let smaller = &self.by_left[usize::from(left - 1)];
            found.combine_adding(&input.order, added, smaller, left - 1);
        }
        self.by_left[usize::from(left)] = found;
    }

    /// The index of the values after captures that end at an own set.
    fn index_after(
        &mut self,
        input: &Input<'_, '_, '_>,
        left: u8,
        own: PointSet,
        scratch: &mut Scratch,
    ) -> usize {
        let after = &mut self.after[usize::from(left)];
        if let Some(index) = after.indices.get(&own) {
            return *index;
        }
        let bytes = V::bytes(input.order.count(left));
        if bytes > MAX_KEPT_ROW {
            after.indices.clear();
        } else {
            self.bytes += bytes;
        }
        let index = after.indices.len();
        if index == after.rows.len() {
            after.rows.push(V::default());
        }
        after.rows[index].load(input, left, own, scratch);
        after.indices.insert(own, index);
        index
    }
}

impl Input<'_, '_, '_> {
    /// Sets the mask to the sets that the opponent can have left after a path.
    fn find_sets_left(&self, path: &TreePath, left: u8, scratch: &mut Scratch) {
        let Scratch { mask, more, .. } = scratch;
        // The own stones are not in the rows after captures, and no set can have captured points
        // added that it has already.
        self.order.avoiding(left, path.empty - path.at, mask);
        if self.context.rule.turn.chain == Chain::MustGoOn {
            let board = self.context.board;
            for (direction, to) in path.steps(board) {
                let beyond = board.shift(to, direction);
                let behind = board.shift(path.at, direction.opposite());
                let [without_arrival, without_targets] = &mut *more;
                self.order.avoiding(left, to, without_arrival);
                // An own stone is no target. Neither is a captured point: no set that counts has it.
                let targets = (beyond | behind) - path.own_after();
                self.order.avoiding(left, targets, without_targets);
                let ends = without_arrival.bits.iter().zip(&without_targets.bits);
                mask.bits.iter_mut().zip(ends).for_each(|(bits, (arrival, targets))| {
                    *bits &= !arrival | targets;
                });
            }
        }
    }
}

/// Values that are loaded from solved slices.
trait LoadedValues: CaptureValues {
    /// Sets the values to those of captures that end at an own set.
    fn load(&mut self, input: &Input<'_, '_, '_>, left: u8, own: PointSet, scratch: &mut Scratch);
}

impl LoadedValues for CaptureBits {
    fn load(&mut self, input: &Input<'_, '_, '_>, left: u8, own: PointSet, scratch: &mut Scratch) {
        let Input { context, solved, order, .. } = input;
        let Scratch { mask, free, unpacked: [unpacked_win, unpacked_loss], win, loss, .. } =
            scratch;
        let columns = context.columns(left);
        let Member { orbit, symmetry } = context.own.member(own);
        let (solved_win, solved_loss) = solved[&context.after(left)].values();
        let win = context.cells.see_through(symmetry, solved_win.row(orbit, unpacked_win), win);
        let loss = context.cells.see_through(symmetry, solved_loss.row(orbit, unpacked_loss), loss);
        order.avoiding(left, own, mask);
        columns.avoiding(own, free);
        let classes = |i: usize| {
            let free = free[i] & columns.primary()[i];
            [loss[i] & free, free & !loss[i] & !win[i], win[i] & free]
        };
        self.clear(order.count(left));
        let ranks = columns.ranks();
        let to = [&mut self.win[..], &mut self.safe];
        reorder(free.len(), classes, |column| ranks[column] as usize, to, |i| mask.bits[i]);
    }
}

/// Writes the values of captures into a row.
fn take_over(
    input: &Input<'_, '_, '_>,
    own: PointSet,
    found: &CaptureBits,
    mut to: [&mut [u64]; 2],
    scratch: &mut Scratch,
) {
    let Scratch { mask, free, .. } = scratch;
    let columns = input.context.opponents();
    input.order.avoiding(input.context.slice.opponent, own, mask);
    columns.avoiding(own, free);
    let classes = |i: usize| {
        let (win, safe) = (found.win[i], found.safe[i]);
        [win, safe & !win, mask.bits[i] & !win & !safe]
    };
    to.iter_mut().for_each(|to| to.fill(0));
    let all = |i: usize| free[i] & columns.primary()[i];
    reorder(mask.bits.len(), classes, |rank| columns.of_rank(rank), to, all);
}

/// Puts three classes of bits into another order, and sets the bits of `to` for the first two.
/// `all` are all bits in the new order. The largest class is what the others leave.
fn reorder(
    words: usize,
    classes: impl Fn(usize) -> [u64; 3],
    target: impl Fn(usize) -> usize,
    to: [&mut [u64]; 2],
    all: impl Fn(usize) -> u64,
) {
    let mut sizes = [0u64; 3];
    for i in 0..words {
        let classes = classes(i);
        sizes
            .iter_mut()
            .zip(classes)
            .for_each(|(size, class)| *size += u64::from(class.count_ones()));
    }
    let [first, second] = to;
    let put = |class: usize, to: &mut [u64]| {
        for i in 0..words {
            for from in members(classes(i)[class]) {
                insert(to, target(64 * i + from));
            }
        }
    };
    let the_rest_of = |to: &mut [u64], other: &[u64]| {
        for (i, (to, other)) in to.iter_mut().zip(other).enumerate() {
            *to = all(i) & !*to & !other;
        }
    };
    if sizes[2] >= sizes[0].max(sizes[1]) {
        put(0, first);
        put(1, second);
    } else if sizes[0] >= sizes[1] {
        put(1, second);
        put(2, first);
        the_rest_of(first, second);
    } else {
        put(0, first);
        put(2, second);
        the_rest_of(second, first);
    }
}

impl<G: Grade> LoadedValues for CaptureGrades<G> {
    fn load(&mut self, input: &Input<'_, '_, '_>, left: u8, own: PointSet, scratch: &mut Scratch) {
        let Input { context, solved, order, .. } = input;
        let Member { orbit, symmetry } = context.own.member(own);
        let columns = context.columns(left);
        columns.avoiding(own, &mut scratch.free);
        self.clear(order.count(left));
        let (ranks, free) = (columns.ranks(), &scratch.free);
        with_grades!(solved[&context.after(left)].grades(), grades => {
            let row = grades.row(orbit);
            for (i, (free, primary)) in free.iter().zip(columns.primary()).enumerate() {
                for bit in members(free & primary) {
                    let column = 64 * i + bit;
                    let after = G::of(row[context.cells.source(symmetry, column)]);
                    self.0[ranks[column] as usize] = after.before_turn();
                }
            }
        });
    }
}
