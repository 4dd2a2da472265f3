//! The builder by rows: a bit a position, whole rows at a time.
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
//! Distances take the same passes in the order of distance, and a byte a position ([`grades`]).
//!
//! The files are those of the plain builder, bit for bit.

mod captures;
mod columns;
mod count;
mod grades;
mod matrix;
mod rounds;
mod standing;
mod zugzwang;

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, NoTurns, PointSet, Position, RuleSet, Side, TurnRule};
use rayon::prelude::*;

use self::captures::{Rows, Scratch};
use self::columns::Columns;
use self::grades::{Grades, Seen};
use self::matrix::{BitMatrix, Cells, rows_per_word};
use self::rounds::{Distances, Native, Pass, Search};
use self::standing::Standing;
use super::checkpoint::Keeper;
use super::{Part, Phase, Progress, metadata, tell_times};
use crate::clock::{Spent, Stopwatch};
use crate::error::{Result, TableError};
use crate::format::{Counter, TableFile, write_table};
use crate::index::SliceIndex;
use crate::key::captures_are_stored;
use crate::orbits::{OrbitSets, Orbits};
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;
use crate::value::{Code, Metric};
use crate::zugzwang::Zugzwangs;

/// A solved slice by the other side's sets: a row is an orbit of the sets of the side that waits,
/// a column a set of the side to move.
struct Solved {
    win: BitMatrix,
    loss: BitMatrix,
    /// If distances are wanted, all that is kept when the slice is solved.
    grades: Option<Grades>,
}

pub(super) use self::grades::LONGEST;

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
    progress: &'s dyn Progress,
}

impl<'s, 'a> Space<'s, 'a> {
    /// The columns of the sets of so many stones.
    fn columns(&self, stones: u8) -> &'s Columns<'a> {
        self.columns[usize::from(stones)].get().expect("prepared before threads are at work")
    }

    fn index(&self) -> SliceIndex<'a> {
        SliceIndex::new(self.sets, self.slice).expect("sizes are checked before work begins")
    }

    /// The slice that captures lead to when the opponent has so many stones left.
    fn solved_with(&self, left: u8) -> &'s Solved {
        &self.solved[&Slice { own: left, opponent: self.slice.own }]
    }
}

/// Captures of a slice are decided in at least so many parts, between which there can be a
/// checkpoint,
const PARTS: usize = 16;

/// and of a large one in parts of so many entries: some tenths of a second of work.
const LARGEST_PART: u64 = 1 << 24;

/// Values that a thread takes from a table at a time, where rows are short.
const LOADED_TOGETHER: u64 = 1 << 18;

/// The columns of each number of stones, found when they are first needed.
pub(super) type ColumnSets<'a> = [OnceLock<Columns<'a>>; 32];

/// All slices that are solved so far, in memory.
pub(super) struct Solver<'a> {
    sets: &'a OrbitSets,
    columns: &'a ColumnSets<'a>,
    cells: Cells,
    metric: Metric,
    /// The most stones that will be asked for: what has as many is not needed again.
    stones: u32,
    progress: &'a dyn Progress,
    stop: &'a AtomicBool,
    solved: HashMap<Slice, Solved>,
    /// The unit that was solved last, by the mover's sets, to be written.
    native: HashMap<Slice, Native>,
    /// Its zugzwangs.
    zugzwangs: HashMap<Slice, Zugzwangs>,
    /// What transposition took since the captures of the last unit.
    transposing: Spent,
}

/// Which rows changed, for each slice.
type Changed = HashMap<Slice, Vec<bool>>;

fn any(changed: &Changed) -> bool {
    changed.values().flatten().any(|row| *row)
}

impl<'a> Solver<'a> {
    pub(super) fn new(
        sets: &'a OrbitSets,
        columns: &'a ColumnSets<'a>,
        metric: Metric,
        stones: u32,
        progress: &'a dyn Progress,
        stop: &'a AtomicBool,
    ) -> Self {
        let cells = Cells::new(sets.group());
        let (solved, native, zugzwangs) = Default::default();
        let transposing = Spent::default();
        Self {
            sets,
            columns,
            cells,
            metric,
            stones,
            progress,
            stop,
            solved,
            native,
            zugzwangs,
            transposing,
        }
    }

    fn index(&self, slice: Slice) -> SliceIndex<'a> {
        SliceIndex::new(self.sets, slice).expect("sizes are checked before work begins")
    }

    /// The orbits of the sets of a number of stones.
    fn orbits(&self, stones: u8) -> &'a Orbits {
        self.sets.of(stones).expect("sizes are checked before work begins")
    }

    fn space(&self, slice: Slice, rules: &RuleSet) -> Space<'_, 'a> {
        let board = self.sets.board();
        let own = self.orbits(slice.own);
        // The rule for a turn depends on the numbers of stones alone; any position shows it.
        let some = own.representative(0);
        let free = (board.all_points() - some).iter().take(slice.opponent.into());
        let opponent: PointSet = free.collect();
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
            progress: self.progress,
        }
    }

    /// Decides some rows of a slice by captures. What an attempt that was broken off has left does
    /// no harm to the next.
    fn decide_by_captures(
        &self,
        slice: Slice,
        rules: &RuleSet,
        native: &mut Native,
        rows: Range<usize>,
    ) -> Result<()> {
        for left in 1..slice.opponent {
            self.columns_of(left).prepare_adding();
        }
        self.columns_of(slice.opponent);
        let space = self.space(slice, rules);
        let Native { win, loss, open, held, distances } = native;
        let mut grades: Vec<_> = match distances {
            None => rows.clone().map(|_| None).collect(),
            Some(Distances { grades, .. }) => {
                let columns = grades.row(0).len();
                grades.rows_mut(rows.clone()).chunks_mut(columns).map(Some).collect()
            }
        };
        let columns = self.index(slice).columns();
        let words = win.words();
        let [win, loss, open, held] = [win, loss, open, held]
            .map(|matrix| matrix.rows_mut(rows.clone()).par_chunks_mut(words));
        win.zip(loss).zip(open).zip(held).zip(&mut grades).enumerate().try_for_each_init(
            Scratch::default,
            |scratch, (row, ((((win, loss), open), held), grades))| {
                let row = rows.start + row;
                let mut rows = Rows { win, loss, open, held, grades: grades.take() };
                captures::decide(&space, space.own.representative(row), &mut rows, scratch);
                self.progress.advance(columns);
                check_stop(self.stop)
            },
        )
    }

    /// Decides all rows of a unit by captures that are not decided yet.
    fn decide_unit(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        standing: &mut Standing,
        keeper: &mut Keeper<'_>,
    ) -> Result<()> {
        let entries = unit.slices().map(|slice| self.index(slice).len()).sum();
        self.progress.begin(unit, Phase::Captures, entries);
        for (i, slice) in unit.slices().enumerate() {
            let columns = self.index(slice).columns();
            self.progress.advance(standing.rows[i] as u64 * columns);
            let all = self.orbits(slice.own).count();
            let together = all.div_ceil(PARTS).min((LARGEST_PART / columns) as usize);
            // A row is one thread's.
            let together = together.max(rayon::current_num_threads());
            while standing.rows[i] < all {
                let mut native =
                    self.native.remove(&slice).unwrap_or_else(|| self.empty_native(slice));
                let rows = standing.rows[i]..all.min(standing.rows[i] + together);
                let decided = self.decide_by_captures(slice, rules, &mut native, rows.clone());
                self.native.insert(slice, native);
                if decided.is_ok() {
                    standing.rows[i] = rows.end;
                }
                self.keep(unit, standing, keeper)?;
                decided?;
            }
        }
        Ok(())
    }

    fn empty_native(&self, slice: Slice) -> Native {
        let (own, opponent) = (self.orbits(slice.own), self.orbits(slice.opponent));
        let group = self.sets.group();
        let (rows, columns) = (own.count(), opponent.count() * group.order());
        let matrix = || BitMatrix::new(rows, columns, group);
        let distances = (self.metric == Metric::Dtw)
            .then(|| Distances { grades: Grades::new(rows, columns), seen: Vec::new() });
        Native { win: matrix(), loss: matrix(), open: matrix(), held: matrix(), distances }
    }

    /// Makes a slice's matrices by the other side's sets, and returns all rows as changed.
    fn transpose_all(&mut self, slice: Slice) -> (Vec<bool>, Vec<bool>) {
        let watch = Stopwatch::start();
        let (own, opponent) = (self.orbits(slice.own), self.orbits(slice.opponent));
        let group = self.sets.group();
        let matrix = || BitMatrix::new(opponent.count(), own.count() * group.order(), group);
        let mut solved = Solved { win: matrix(), loss: matrix(), grades: None };
        let native = &self.native[&slice];
        let dirty = vec![true; own.count().div_ceil(rows_per_word(group))];
        self.cells.transpose(&native.win, &dirty, &mut solved.win);
        self.cells.transpose(&native.loss, &dirty, &mut solved.loss);
        self.solved.insert(slice, solved);
        self.transposing += watch.read();
        let all = || vec![true; opponent.count().next_multiple_of(rows_per_word(group))];
        (all(), all())
    }

    /// Finds new wins, or losses, of a unit's slices, from what changed of the other value.
    fn round(&mut self, unit: Unit, rules: &RuleSet, search: Search, changed: &Changed) -> Changed {
        let found = search.found;
        let mut new = HashMap::new();
        for slice in unit.slices() {
            let mut native = self.native.remove(&slice).expect("a slice of the unit");
            self.columns_of(slice.opponent);
            let space = self.space(slice, rules);
            let other = &self.solved[&slice.swapped()];
            let after = if found == Code::WIN { &other.loss } else { &other.win };
            let pass = Pass { search, after, changed: &changed[&slice.swapped()] };
            let dirty = rounds::update(&space, &mut native, &pass);
            new.insert(slice, dirty);
            self.native.insert(slice, native);
        }
        // Both slices have been read, now both may be written.
        let watch = Stopwatch::start();
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
        self.transposing += watch.read();
        rows
    }

    /// Finds who wins: wins and losses in turn, until nothing is new.
    fn solve_values(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        mut wins: Changed,
        mut losses: Changed,
        standing: &mut Standing,
        keeper: &mut Keeper<'_>,
    ) -> Result<()> {
        let first = standing.rounds + 1;
        for round in first.. {
            self.begin_round(unit, round, 2);
            let new = self.round(unit, rules, Search { found: Code::WIN, grade: None }, &losses);
            // In the first round, what captures won is new too.
            if round > first {
                wins = new;
            }
            losses = self.round(unit, rules, Search { found: Code::LOSS, grade: None }, &wins);
            if !any(&losses) {
                break;
            }
            standing.rounds = round;
            self.keep(unit, standing, keeper)?;
        }
        self.count_zugzwangs(unit)
    }

    /// Finds what is decided in 0 turns, in 1, in 2 and so on: losses at even distances, wins at
    /// odd ones. What captures decide comes in when its time has come.
    fn solve_distances(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        all: Changed,
        standing: &mut Standing,
        keeper: &mut Keeper<'_>,
    ) -> Result<()> {
        let mut latest_capture = 0;
        for slice in unit.slices() {
            let native = self.native.get_mut(&slice).expect("a slice of the unit");
            let Some(Distances { grades, seen }) = &mut native.distances else { continue };
            let rows = grades.num_rows();
            *seen = (0..rows).into_par_iter().map(|row| Seen::of(grades.row(row))).collect();
            let distances = (0..=LONGEST + 1).rev();
            let has = |d: &u16| seen.iter().any(|seen| seen.has(grades::of_code(Code(d + 1))));
            latest_capture = distances.into_iter().find(has).unwrap_or(0).max(latest_capture);
        }
        let mut before = all;
        for distance in standing.rounds as u16.. {
            if distance > LONGEST {
                return Err(TableError::TooFar { slice: unit.stronger(), limit: LONGEST });
            }
            self.begin_round(unit, distance.into(), 1);
            let code = Code(distance + 1);
            let search = Search { found: code.as_wdl(), grade: Some(grades::of_code(code)) };
            before = self.round(unit, rules, search, &before);
            standing.rounds += 1;
            standing.quiet_rounds = if any(&before) { 0 } else { standing.quiet_rounds + 1 };
            if standing.quiet_rounds >= 2 && distance >= latest_capture {
                break;
            }
            self.keep(unit, standing, keeper)?;
        }
        self.count_zugzwangs(unit)?;
        for slice in unit.slices() {
            let mut native = self.native.remove(&slice).expect("a slice of the unit");
            self.draw_the_rest(slice, &mut native);
            if slice.stones() < self.stones {
                native = self.keep_grades(slice, native);
            }
            self.native.insert(slice, native);
        }
        Ok(())
    }

    /// Counts the zugzwangs of a unit when all its wins and losses are known.
    fn count_zugzwangs(&mut self, unit: Unit) -> Result<()> {
        self.zugzwangs.clear();
        for slice in unit.slices() {
            let search = zugzwang::Search {
                sets: self.sets,
                slice,
                columns: self.columns_of(slice.opponent),
                native: &self.native[&slice],
                swapped: &self.solved[&slice.swapped()],
                stop: self.stop,
            };
            let found = search.run()?;
            self.zugzwangs.insert(slice, found);
        }
        Ok(())
    }

    /// Tells that a round begins, which goes through all rows so many times.
    fn begin_round(&self, unit: Unit, round: u32, passes: u64) {
        let entries: u64 = unit.slices().map(|slice| self.index(slice).len()).sum();
        self.progress.begin(unit, Phase::Round(round), passes * entries);
    }

    /// What is neither won nor lost is drawn.
    fn draw_the_rest(&self, slice: Slice, native: &mut Native) {
        let Native { win, loss, distances: Some(Distances { grades, .. }), .. } = native else {
            return;
        };
        grades.par_groups_mut(1).take(self.orbits(slice.own).count()).enumerate().for_each(
            |(row, grades)| {
                let decided = win.row(row).iter().zip(loss.row(row)).map(|(win, loss)| win | loss);
                for (grades, decided) in grades.chunks_mut(64).zip(decided) {
                    for (i, grade) in grades.iter_mut().enumerate() {
                        if decided >> i & 1 == 0 {
                            *grade = grades::DRAW;
                        }
                    }
                }
            },
        );
    }

    /// Keeps the grades of a slice by the other side's sets, for slices that capture into it.
    fn keep_grades(&mut self, slice: Slice, native: Native) -> Native {
        if let Some(Distances { grades, .. }) = &native.distances {
            let watch = Stopwatch::start();
            let group = self.sets.group();
            let rows = self.orbits(slice.own).count();
            let grades = Some(grades.transposed(rows, group, &self.cells));
            let nothing = || BitMatrix::new(0, 0, group);
            self.solved.insert(slice, Solved { win: nothing(), loss: nothing(), grades });
            self.transposing += watch.read();
        }
        native
    }

    /// The columns of the sets of so many stones, found at the first call, which is not to be made
    /// where several threads are at work.
    fn columns_of(&self, stones: u8) -> &Columns<'a> {
        self.columns[usize::from(stones)].get_or_init(|| Columns::new(self.sets, stones))
    }
}

impl super::Solver for Solver<'_> {
    fn load(&mut self, unit: Unit, rules: &RuleSet, table: &TableFile) -> Result<()> {
        let metadata = table.metadata();
        let slice = metadata.slice;
        self.native.clear();
        let index = self.index(slice);
        // What is left out is found again.
        let passes = if metadata.captures_stored { 1 } else { 2 };
        self.progress.begin(unit, Phase::Load, passes * index.len());
        let mut native = self.empty_native(slice);
        if !metadata.captures_stored {
            let rows = 0..self.orbits(slice.own).count();
            self.decide_by_captures(slice, rules, &mut native, rows)?;
        }
        let orbits = self.orbits(slice.opponent);
        let columns_of = self.columns_of(slice.opponent);
        let Native { win, loss, open, distances, .. } = &mut native;
        let open = &*open;
        let columns = index.columns();
        // Whole blocks are unpacked, so short rows are read many at a time.
        let together = (LOADED_TOGETHER / columns).max(1);
        let rows_together = together as usize;
        let for_each = |group: usize, visit: &mut dyn FnMut(usize, usize, Code)| -> Result<()> {
            check_stop(self.stop)?;
            let first = group as u64 * together * columns;
            let count = (together * columns).min(index.len().saturating_sub(first));
            let mut codes = table.codes(first, count)?.into_iter();
            index.for_each_rank(first, count, |row, rank| {
                let column = orbits.number_of_rank(rank) as usize;
                let code = codes.next().expect("as many values as places");
                if metadata.captures_stored || bit(open, row, column) {
                    visit(row - group * rows_together, column, code);
                }
            });
            self.progress.advance(count);
            Ok(())
        };
        if let Some(Distances { grades, .. }) = distances {
            let columns = columns_of.count();
            grades.par_groups_mut(rows_together).enumerate().try_for_each(
                |(group, grades)| -> Result<()> {
                    for_each(group, &mut |row, column, code| {
                        grades[row * columns + column] = grades::of_code(code);
                    })?;
                    grades.chunks_mut(columns).for_each(|row| columns_of.copy_duplicates(row));
                    Ok(())
                },
            )?;
            if slice.stones() < self.stones {
                native = self.keep_grades(slice, native);
            }
            self.native.insert(slice, native);
            return Ok(());
        }
        let words = open.words();
        win.par_groups_mut(rows_together)
            .zip(loss.par_groups_mut(rows_together))
            .enumerate()
            .try_for_each(|(group, (win, loss))| -> Result<()> {
                for_each(group, &mut |row, column, code| {
                    let place = row * words + column / 64;
                    match code {
                        Code::WIN => win[place] |= 1 << (column % 64),
                        Code::LOSS => loss[place] |= 1 << (column % 64),
                        _ => {}
                    }
                })?;
                win.chunks_mut(words).for_each(|row| columns_of.fill_duplicates(row));
                loss.chunks_mut(words).for_each(|row| columns_of.fill_duplicates(row));
                Ok(())
            })?;
        self.native.insert(slice, native);
        if slice.stones() < self.stones {
            self.transpose_all(slice);
        }
        Ok(())
    }

    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool) {
        self.solved.retain(|slice, _| is_needed(*slice));
    }

    fn values(&self, slice: Slice, first: u64, codes: &mut [Code]) {
        let opponent = self.orbits(slice.opponent);
        let native = &self.native[&slice];
        let mut places = codes.iter_mut();
        let index = self.index(slice);
        index.for_each_rank(first, places.len() as u64, |row, rank| {
            let place = places.next().expect("as many places as values");
            *place = native.code(row, opponent.number_of_rank(rank) as usize);
        });
    }

    fn solve(&mut self, unit: Unit, rules: &RuleSet, keeper: &mut Keeper<'_>) -> Result<()> {
        self.native.clear();
        let mut standing = self.take_up(unit, keeper);
        let watch = Stopwatch::start();
        self.decide_unit(unit, rules, &mut standing, keeper)?;
        self.progress.spent(unit, Part::Captures, watch.read());
        let watch = Stopwatch::start();
        self.transposing = Spent::default();
        let (mut wins, mut losses): (Changed, Changed) = (HashMap::new(), HashMap::new());
        for slice in unit.slices() {
            let (win, loss) = self.transpose_all(slice);
            wins.insert(slice, win);
            losses.insert(slice, loss);
        }
        match self.metric {
            Metric::Wdl => {
                self.solve_values(unit, rules, wins, losses, &mut standing, keeper)?;
            }
            Metric::Dtw => self.solve_distances(unit, rules, wins, &mut standing, keeper)?,
        }
        self.progress.spent(unit, Part::Rounds, watch.read() - self.transposing);
        self.progress.spent(unit, Part::Transposition, self.transposing);
        if unit.stronger().stones() == self.stones {
            unit.slices().for_each(|slice| drop(self.solved.remove(&slice)));
        }
        Ok(())
    }

    fn write(&self, unit: Unit, slice: Slice, rules: &RuleSet, path: &Path) -> Result<()> {
        let index = self.index(slice);
        let native = &self.native[&slice];
        self.progress.begin(unit, Phase::Write, index.len());
        let watch = Stopwatch::start();
        let (own, opponent) = (self.orbits(slice.own), self.orbits(slice.opponent));
        let zugzwangs = self.zugzwangs[&slice];
        let statistics = match &native.distances {
            None => {
                let columns = self.columns_of(slice.opponent);
                count::values(&index, own, columns, native, zugzwangs)
            }
            Some(_) => {
                let columns = index.columns();
                let count = |row: usize| {
                    let mut counter = Counter::default();
                    let mut place = row as u64 * columns;
                    index.for_each_rank(place, columns, |row, rank| {
                        let code = native.code(row, opponent.number_of_rank(rank) as usize);
                        counter.count(place, own.size(row), code, self.metric);
                        place += 1;
                    });
                    counter
                };
                let rows = (0..own.count()).into_par_iter();
                rows.map(count).reduce(Counter::default, Counter::append).finish(&index, zugzwangs)
            }
        };
        self.progress.spent(unit, Part::Count, watch.read());
        let board = self.sets.board();
        let metadata = metadata(index.len(), board, rules, slice, self.metric, statistics);
        // Where captures are left out, so are the positions that captures decide.
        let all_stored = captures_are_stored(board, rules, slice);
        let times = write_table(path, &metadata, |first, codes| {
            let mut places = codes.iter_mut();
            index.for_each_rank(first, places.len() as u64, |row, rank| {
                let column = opponent.number_of_rank(rank) as usize;
                let place = places.next().expect("as many places as values");
                let stored = all_stored || bit(&native.open, row, column);
                *place = if stored { native.code(row, column) } else { Code::NONE };
            });
            self.progress.advance(codes.len() as u64);
        })?;
        tell_times(self.progress, unit, times);
        Ok(())
    }
}

impl Native {
    /// The value of a position whose slice is solved.
    #[inline]
    fn code(&self, row: usize, column: usize) -> Code {
        match &self.distances {
            Some(distances) => grades::to_code(distances.grades.row(row)[column]),
            None => {
                let (win, loss) = (bit(&self.win, row, column), bit(&self.loss, row, column));
                Code(u16::from(loss) | u16::from(win) << 1)
            }
        }
    }
}

#[inline]
fn bit(matrix: &BitMatrix, row: usize, column: usize) -> bool {
    matrix.row(row)[column / 64] >> (column % 64) & 1 != 0
}
