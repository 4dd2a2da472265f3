//! The fast builder: win, draw and loss, a bit a position, whole rows at a time.
//!
//! Three ideas carry it.
//! - A paika leaves the opponent's stones where they are, so it acts on whole *rows* of positions,
//!   hundreds at one instruction ([`rounds`]).
//! - So does a capture, between rows of different slices ([`captures`]).
//! - Only one row of each orbit is kept. The columns of the sets that symmetries make of each other
//!   stand side by side in one *cell*, so that the row of any other set is a kept row with the bits
//!   of each cell exchanged, and a matrix is transposed, which passes from one side's rows to the
//!   other's, by transposing cells ([`matrix`]).
//!
//! The files are those of the plain builder, bit for bit.

mod captures;
mod columns;
mod matrix;
mod rounds;

use std::collections::HashMap;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, NoTurns, PointSet, Position, RuleSet, Side, TurnRule, points};
use rayon::prelude::*;

use self::captures::{Rows, Scratch};
use self::columns::Columns;
use self::matrix::{BitMatrix, Cells, rows_per_word};
use self::rounds::Native;
use super::{Phase, Progress, check_stop, metadata};
use crate::captures_are_stored;
use crate::error::Result;
use crate::format::{Statistics, TableFile, write_table};
use crate::index::SliceIndex;
use crate::orbits::{OrbitSets, Orbits};
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};

/// A solved slice by the other side's sets: a row is an orbit of the sets of the side that waits,
/// a column a set of the side to move.
struct Solved {
    win: BitMatrix,
    loss: BitMatrix,
}

/// What solving a slice needs at hand.
struct Space<'s, 'a> {
    board: Board,
    sets: &'a OrbitSets,
    cells: &'s Cells,
    slice: Slice,
    rule: TurnRule,
    blocked_is_drawn: bool,
    own: &'a Orbits,
    columns: &'s ColumnSets<'a>,
    solved: &'s HashMap<Slice, Solved>,
    stop: &'s AtomicBool,
}

impl<'s, 'a> Space<'s, 'a> {
    /// The columns of the sets of so many stones.
    fn columns(&self, stones: u8) -> &'s Columns<'a> {
        self.columns[usize::from(stones)].get_or_init(|| Columns::new(self.sets, stones))
    }

    /// The slice that captures lead to when the opponent has so many stones left.
    fn solved_with(&self, left: u8) -> &'s Solved {
        &self.solved[&Slice { own: left, opponent: self.slice.own }]
    }
}

/// Values that a thread takes from a table at a time, where rows are short.
const LOADED_TOGETHER: u64 = 1 << 18;

/// The columns of each number of stones, found when they are first needed.
pub(super) type ColumnSets<'a> = [OnceLock<Columns<'a>>; 32];

/// All slices that are solved so far, in memory.
pub(super) struct Solver<'a> {
    sets: &'a OrbitSets,
    columns: &'a ColumnSets<'a>,
    cells: Cells,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    solved: HashMap<Slice, Solved>,
    /// The unit that was solved last, by the mover's sets, to be written.
    native: HashMap<Slice, Native>,
}

/// Which rows changed, for each slice.
type Changed = HashMap<Slice, Vec<bool>>;

impl<'a> Solver<'a> {
    pub fn new(
        sets: &'a OrbitSets,
        columns: &'a ColumnSets<'a>,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Self {
        let cells = Cells::new(sets.group());
        let (solved, native) = (HashMap::new(), HashMap::new());
        Self { sets, columns, cells, progress, stop, solved, native }
    }

    fn space(&self, slice: Slice, rules: &RuleSet) -> Space<'_, 'a> {
        let board = self.sets.board();
        let own = self.sets.of(slice.own);
        // The rule for a turn depends on the numbers of stones alone; any position shows it.
        let some = own.representative(0);
        let free = points(board.all_points() & !some).take(slice.opponent.into());
        let opponent = free.fold(0, |set: PointSet, point| set | point.set());
        let position = Position::from_mover(board, some, opponent, Side::White)
            .expect("the slice is on the board");
        Space {
            board,
            sets: self.sets,
            cells: &self.cells,
            slice,
            rule: rules.turn_rule(&position),
            blocked_is_drawn: rules.no_turns == NoTurns::Draw,
            own,
            columns: self.columns,
            solved: &self.solved,
            stop: self.stop,
        }
    }

    /// The rows of a slice as captures decide them.
    fn decide_by_captures(&self, slice: Slice, rules: &RuleSet) -> Result<Native> {
        let space = self.space(slice, rules);
        let mut native = self.empty_native(slice);
        let words = native.win.words();
        let Native { win, loss, open, held } = &mut native;
        let columns = SliceIndex::new(self.sets, slice).columns();
        win.par_groups_mut(1)
            .zip(loss.par_groups_mut(1))
            .zip(open.par_groups_mut(1))
            .zip(held.par_groups_mut(1))
            .take(space.own.count())
            .enumerate()
            .try_for_each_init(
                Scratch::default,
                |scratch, (row, (((win, loss), open), held))| {
                    debug_assert_eq!(win.len(), words);
                    let mut rows = Rows { win, loss, open, held };
                    captures::decide(&space, space.own.representative(row), &mut rows, scratch);
                    self.progress.advance(columns);
                    check_stop(self.stop)
                },
            )?;
        Ok(native)
    }

    fn empty_native(&self, slice: Slice) -> Native {
        let (own, opponent) = (self.sets.of(slice.own), self.sets.of(slice.opponent));
        let group = self.sets.group();
        let matrix = || BitMatrix::new(own.count(), opponent.count() * group.order(), group);
        Native { win: matrix(), loss: matrix(), open: matrix(), held: matrix() }
    }

    /// Makes a slice's matrices by the other side's sets, and returns all rows as changed.
    fn transpose_all(&mut self, slice: Slice) -> (Vec<bool>, Vec<bool>) {
        let (own, opponent) = (self.sets.of(slice.own), self.sets.of(slice.opponent));
        let group = self.sets.group();
        let matrix = || BitMatrix::new(opponent.count(), own.count() * group.order(), group);
        let mut solved = Solved { win: matrix(), loss: matrix() };
        let native = &self.native[&slice];
        let dirty = vec![true; own.count().div_ceil(rows_per_word(group))];
        self.cells.transpose(&native.win, &dirty, &mut solved.win);
        self.cells.transpose(&native.loss, &dirty, &mut solved.loss);
        self.solved.insert(slice, solved);
        let all = || vec![true; opponent.count().next_multiple_of(rows_per_word(group))];
        (all(), all())
    }

    /// Finds new wins, or losses, of a unit's slices, from what changed of the other value.
    fn round(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        found: Code,
        changed: &Changed,
    ) -> Result<Changed> {
        let mut new = HashMap::new();
        for slice in unit.slices() {
            let mut native = self.native.remove(&slice).expect("a slice of the unit");
            let space = self.space(slice, rules);
            let other = &self.solved[&slice.swapped()];
            let after = if found == Code::WIN { &other.loss } else { &other.win };
            let changed = &changed[&slice.swapped()];
            let dirty = rounds::update(&space, &mut native, found, after, changed)?;
            new.insert(slice, dirty);
            self.native.insert(slice, native);
        }
        // Both slices have been read, now both may be written.
        let mut rows = HashMap::new();
        for (slice, dirty) in new {
            let native = &self.native[&slice];
            let solved = self.solved.get_mut(&slice).expect("a slice of the unit");
            let (from, to) = if found == Code::WIN {
                (&native.win, &mut solved.win)
            } else {
                (&native.loss, &mut solved.loss)
            };
            rows.insert(slice, self.cells.transpose(from, &dirty, to));
        }
        Ok(rows)
    }

    fn columns_of(&self, stones: u8) -> &Columns<'a> {
        self.columns[usize::from(stones)].get_or_init(|| Columns::new(self.sets, stones))
    }
}

impl super::Solver for Solver<'_> {
    fn load(&mut self, unit: Unit, rules: &RuleSet, table: &TableFile) -> Result<()> {
        let metadata = table.metadata();
        let slice = metadata.slice;
        self.native.clear();
        let index = SliceIndex::new(self.sets, slice);
        self.progress.begin(unit, Phase::Load, index.len());
        let mut native = self.decide_by_captures(slice, rules)?;
        let orbits = self.sets.of(slice.opponent);
        let Native { win, loss, open, .. } = &mut native;
        let open = &*open;
        let columns = index.columns();
        // Whole blocks are unpacked, so short rows are read many at a time.
        let together = (LOADED_TOGETHER / columns).max(1);
        let words = open.words();
        win.par_groups_mut(together as usize)
            .zip(loss.par_groups_mut(together as usize))
            .enumerate()
            .try_for_each(|(group, (win, loss))| {
                check_stop(self.stop)?;
                let first = group as u64 * together * columns;
                let count = (together * columns).min(index.len().saturating_sub(first));
                let mut codes = table.codes(first, count)?.into_iter();
                index.for_each_rank(first, count, |row, rank| {
                    let column = orbits.code_of_rank(rank) as usize;
                    let (word, bit) = (column / 64, 1 << (column % 64));
                    let code = codes.next().expect("as many values as places");
                    if metadata.captures_stored || open.row(row)[word] & bit != 0 {
                        let place = (row - group * together as usize) * words + word;
                        match code {
                            Code::WIN => win[place] |= bit,
                            Code::LOSS => loss[place] |= bit,
                            _ => {}
                        }
                    }
                });
                let columns = self.columns_of(slice.opponent);
                win.chunks_mut(words).for_each(|row| columns.fill_duplicates(row));
                loss.chunks_mut(words).for_each(|row| columns.fill_duplicates(row));
                Ok(())
            })?;
        self.native.insert(slice, native);
        self.transpose_all(slice);
        Ok(())
    }

    fn solve(&mut self, unit: Unit, rules: &RuleSet) -> Result<()> {
        self.native.clear();
        let entries = unit.slices().map(|slice| SliceIndex::new(self.sets, slice).len()).sum();
        self.progress.begin(unit, Phase::Captures, entries);
        for slice in unit.slices() {
            let native = self.decide_by_captures(slice, rules)?;
            self.native.insert(slice, native);
        }
        let (mut wins, mut losses): (Changed, Changed) = (HashMap::new(), HashMap::new());
        for slice in unit.slices() {
            let (win, loss) = self.transpose_all(slice);
            wins.insert(slice, win);
            losses.insert(slice, loss);
        }
        let any = |changed: &Changed| changed.values().flatten().any(|row| *row);
        for round in 1.. {
            self.progress.begin(unit, Phase::Round(round), entries);
            let new_wins = self.round(unit, rules, Code::WIN, &losses)?;
            // In the first round, what captures won is new too.
            if round > 1 {
                wins = new_wins;
            }
            losses = self.round(unit, rules, Code::LOSS, &wins)?;
            self.progress.advance(entries);
            if !any(&losses) {
                break;
            }
        }
        Ok(())
    }

    fn write(&self, unit: Unit, slice: Slice, rules: &RuleSet, path: &Path) -> Result<()> {
        let index = SliceIndex::new(self.sets, slice);
        let native = &self.native[&slice];
        self.progress.begin(unit, Phase::Write, index.len());
        let (own, opponent) = (self.sets.of(slice.own), self.sets.of(slice.opponent));
        let primary = self.columns_of(slice.opponent).primary();
        let count = |matrix: &BitMatrix| -> u64 {
            let row = |row: usize| {
                let bits = matrix.row(row).iter().zip(primary);
                let count: u64 =
                    bits.map(|(bits, once)| u64::from((bits & once).count_ones())).sum();
                count * u64::from(own.size(row))
            };
            (0..own.count()).into_par_iter().map(row).sum()
        };
        let (win, loss) = (count(&native.win), count(&native.loss));
        let board = self.sets.board();
        let all = crate::orbits::placements(board, slice.own.into(), slice.opponent.into());
        let statistics = Statistics { win, loss, draw: all - win - loss, ..Statistics::default() };
        let metadata = metadata(index.len(), board, rules, slice, Metric::Wdl, statistics);
        // Where captures are left out, so are the positions that captures decide.
        let all_stored = captures_are_stored(board, rules, slice);
        write_table(path, &metadata, |first, codes| {
            let mut places = codes.iter_mut();
            index.for_each_rank(first, places.len() as u64, |row, rank| {
                let column = opponent.code_of_rank(rank) as usize;
                let bit = |matrix: &BitMatrix| matrix.row(row)[column / 64] >> (column % 64) & 1;
                let place = places.next().expect("as many places as values");
                *place = if !all_stored && bit(&native.open) == 0 {
                    Code::NONE
                } else {
                    Code((bit(&native.loss) | bit(&native.win) << 1) as u16)
                };
            });
            self.progress.advance(codes.len() as u64);
        })
    }
}
