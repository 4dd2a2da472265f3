//! Loading a slice from its table.

use std::hint::black_box;
use std::sync::atomic::{AtomicU8, AtomicU16, Ordering::Relaxed};

use arrayvec::ArrayVec;
use fanorona_core::{PointSet, Position, RuleSet, Side, Stones, Symmetry};
use fanorona_tablebase::format::{Statistics, TableFile};
use fanorona_tablebase::orbits::Member;
use fanorona_tablebase::{Code, Metric, Result, Slice, TableError, TableKey, Unit, check_stop};
use rayon::prelude::*;
use zerocopy::{FromBytes, IntoBytes, KnownLayout};

use super::captures::{self, WalkBuffers};
use super::columns::DenseColumns;
use super::entries::{BATCH, Entry, for_each_batch};
use super::plane::{Plane, add_bit, add_words, remove_bit};
use super::select::reverse;
use super::state::{DenseContext, DenseSolver};
use super::write::DenseSlice;
use crate::grade_rows::{GradeRows, with_grades};
use crate::grades::Grade;
use crate::instructions::compiled;
use crate::matrix::Matrix;
use crate::solved::SolvedSlice;

impl<'a> DenseSolver<'a> {
    /// Loads a slice's values from its table.
    pub(super) fn load_slice(
        &mut self,
        unit: Unit,
        table: &TableFile,
    ) -> Result<DenseSlice<'_, 'a>> {
        let TableKey { slice, rules, .. } = table.metadata().key();
        let known = self.context.begin_load(unit, table)?;
        let solved = match self.context.metric {
            Metric::Wdl => self.load_values(slice, &rules, table)?,
            Metric::Dtw => {
                let context = self.slice_context(slice, &rules);
                let width = self.width_of(slice, known, &[])?;
                let mut all = GradeRows::new(context.rows.count(), context.columns.count(), width);
                with_grades!(&mut all, grades => {
                    self.load_grades(&context, &rules, table, grades)?;
                });
                // Distances that captures decide can be longer than those stored in the table.
                let longest = all.longest();
                SolvedSlice::of_grades(all, longest, self.scratch_of_solved)?
            }
        };
        self.solved.insert(slice, solved);
        let (context, values) = (self.slice_context(slice, &rules), &self.solved[&slice]);
        Ok(DenseSlice { context, values })
    }

    fn load_values(&self, slice: Slice, rules: &RuleSet, table: &TableFile) -> Result<SolvedSlice> {
        let context = self.slice_context(slice, rules);
        let (orbits, columns) = (context.rows.count(), context.columns);
        let plane = || Plane::new(orbits, columns.words());
        let (win, loss) = (plane(), plane());
        let usual = usual_value(table);
        for plane in [(&win, Code::WIN), (&loss, Code::LOSS)].iter().filter(|(_, c)| *c == usual) {
            let all: Vec<u64> = columns.all().collect();
            (0..orbits).into_par_iter().for_each(|orbit| add_words(plane.0.row(orbit), &all));
        }
        if !table.metadata().captures_stored {
            (0..orbits).into_par_iter().try_for_each_init(
                <(WalkBuffers, Vec<u64>)>::default,
                |(buffers, reversed), orbit| {
                    check_stop(self.context.stop)?;
                    let occupied = context.rows.representative(orbit);
                    captures::decide::<u8>(context.tools.words, &context, occupied, None, buffers);
                    for (bits, plane) in [(&buffers.row.win, &win), (&buffers.row.loss, &loss)] {
                        reverse(bits, columns.count(), reversed);
                        let words = plane.row(orbit).iter().zip(&*reversed);
                        words.for_each(|(to, bits)| to.store(*bits, Relaxed));
                    }
                    Ok::<_, TableError>(())
                },
            )?;
            self.context.progress.advance(context.index().len());
        }
        self.read(&context, rules, table, &Bits { win: &win, loss: &loss, usual })?;
        let work = self.scratch_of_solved;
        let [win, loss] =
            [win, loss].map(|plane| Matrix::of(columns.words(), plane.into_words()).moved_to(work));
        Ok(SolvedSlice::Values { win: win?, loss: loss? })
    }

    fn load_grades<G: SharedGrade>(
        &self,
        context: &DenseContext<'_, '_>,
        rules: &RuleSet,
        table: &TableFile,
        grades: &mut Matrix<G>,
    ) -> Result<()> {
        if !table.metadata().captures_stored {
            grades.par_groups_mut(1).enumerate().try_for_each_init(
                WalkBuffers::default,
                |buffers, (orbit, row)| {
                    check_stop(self.context.stop)?;
                    let occupied = context.rows.representative(orbit);
                    captures::decide(context.tools.words, context, occupied, Some(row), buffers);
                    Ok::<_, TableError>(())
                },
            )?;
            self.context.progress.advance(context.index().len());
        }
        let shared = <[G::Shared]>::mut_from_bytes(grades.all_mut().as_mut_bytes());
        let shared = &*shared.expect("a grade and a shared one have the same form");
        let to =
            SharedGrades::<G> { slice: context.slice, columns: context.columns, grades: shared };
        self.read(context, rules, table, &to)
    }

    /// Puts the values that a table stores into their places, and those of symmetric rows into all
    /// of their columns.
    fn read(
        &self,
        context: &DenseContext<'_, '_>,
        rules: &RuleSet,
        table: &TableFile,
        to: &impl Places,
    ) -> Result<()> {
        let (index, all_stored) = (context.index(), table.metadata().captures_stored);
        let together = self.context.sizes.loaded;
        let parts = 0..index.len().div_ceil(together);
        parts.into_par_iter().try_for_each(|part| {
            check_stop(self.context.stop)?;
            let first = part * together;
            let count = together.min(index.len() - first);
            let codes = table.codes(first, count)?;
            let read = ReadPart { context, rules, first, codes: &codes, all_stored, to };
            read_part(context.tools.words, &read)?;
            self.context.progress.advance(count);
            Ok(())
        })
    }
}

/// The most frequent value of a table that stores all values; otherwise a draw.
fn usual_value(table: &TableFile) -> Code {
    let metadata = table.metadata();
    let &Statistics { win, draw, loss, .. } = &metadata.statistics;
    match metadata.captures_stored {
        true if win >= draw.max(loss) => Code::WIN,
        true if loss >= draw => Code::LOSS,
        _ => Code::DRAW,
    }
}

/// Where values go. A place is an orbit of occupied points and a column of the opponent's sets.
trait Places: Sync {
    /// Whether a value is in its place from the start.
    fn has(&self, code: Code) -> bool;

    /// Reads a place that a value is for, so that it is in the processor's cache.
    fn touch(&self, orbit: usize, column: usize, code: Code) -> u64;

    fn set(&self, orbit: usize, column: usize, code: Code) -> Result<()>;
}

struct Bits<'p> {
    win: &'p Plane,
    loss: &'p Plane,
    /// The value of all positions at first.
    usual: Code,
}

impl Places for Bits<'_> {
    #[inline(always)]
    fn has(&self, code: Code) -> bool {
        code == self.usual
    }

    #[inline(always)]
    fn touch(&self, orbit: usize, column: usize, code: Code) -> u64 {
        let mut touched = 0;
        for (plane, value) in [(self.win, Code::WIN), (self.loss, Code::LOSS)] {
            if code == value || self.usual == value {
                touched ^= plane.row(orbit)[column / 64].load(Relaxed);
            }
        }
        touched
    }

    #[inline(always)]
    fn set(&self, orbit: usize, column: usize, code: Code) -> Result<()> {
        for (plane, value) in [(self.win, Code::WIN), (self.loss, Code::LOSS)] {
            if code == value {
                add_bit(plane.row(orbit), column);
            } else if self.usual == value {
                remove_bit(plane.row(orbit), column);
            }
        }
        Ok(())
    }
}

struct SharedGrades<'p, G: SharedGrade> {
    slice: Slice,
    columns: &'p DenseColumns,
    grades: &'p [G::Shared],
}

impl<G: SharedGrade> SharedGrades<'_, G> {
    #[inline(always)]
    fn place(&self, orbit: usize, column: usize) -> &G::Shared {
        &self.grades[orbit * self.columns.count() + self.columns.of_other_side(column)]
    }
}

impl<G: SharedGrade> Places for SharedGrades<'_, G> {
    #[inline(always)]
    fn has(&self, _: Code) -> bool {
        false
    }

    #[inline(always)]
    fn touch(&self, orbit: usize, column: usize, _: Code) -> u64 {
        u64::from(G::get(self.place(orbit, column)) == G::NONE)
    }

    #[inline(always)]
    fn set(&self, orbit: usize, column: usize, code: Code) -> Result<()> {
        let (slice, limit) = (self.slice, G::MAX_DISTANCE);
        let grade = G::of_code(code).ok_or(TableError::TooFar { slice, limit })?;
        G::set(self.place(orbit, column), grade);
        Ok(())
    }
}

/// Puts a part of the values of a table into their places.
struct ReadPart<'r, 's, 'a, P> {
    context: &'r DenseContext<'s, 'a>,
    rules: &'r RuleSet,
    first: u64,
    codes: &'r [Code],
    all_stored: bool,
    to: &'r P,
}

compiled! {
    fn read_part<P: Places>(_words, part: &ReadPart<'_, '_, '_, P>) -> Result<()> {
        let (mut rest, mut result) = (part.codes, Ok(()));
        for_each_batch(part.context, part.first, rest.len(), |batch| {
            let (codes, after) = rest.split_at(batch.len());
            rest = after;
            if result.is_ok() {
                result = read_batch(part.context.tools.words, part, batch, codes);
            }
        });
        result
    }
}

compiled! {
    /// Puts the values of some entries into their places.
    fn read_batch<P: Places>(
        _words, part: &ReadPart<'_, '_, '_, P>, batch: &[Entry], codes: &[Code],
    ) -> Result<()> {
        part.read_batch(batch, codes)
    }
}

impl<P: Places> ReadPart<'_, '_, '_, P> {
    #[inline(always)]
    fn read_batch(&self, batch: &[Entry], codes: &[Code]) -> Result<()> {
        let &Self { context, to, .. } = self;
        let tools = context.tools;
        // Each step touches memory at random, so it is done for all entries before the next. Loops
        // are inlined, and so get all instructions; what iterators call may not be.
        let mut missing = ArrayVec::<(Entry, Code), BATCH>::new();
        for (entry, code) in batch.iter().zip(codes) {
            if !to.has(*code) && self.is_stored(entry) {
                missing.push((*entry, *code));
            }
        }
        let mut members = [Member { orbit: 0, symmetry: Symmetry::Identity }; BATCH];
        for (member, (entry, _)) in members.iter_mut().zip(&missing) {
            let number = context.rows.number_of_rank(entry.row as u64);
            *member = context.rows.member_with_number(number as usize);
        }
        let mut representatives = [PointSet::EMPTY; BATCH];
        for (representative, member) in representatives.iter_mut().zip(&members[..missing.len()]) {
            *representative = context.rows.representative(member.orbit);
        }
        let (mut columns, mut touched) = ([0; BATCH], 0);
        for (i, (entry, code)) in missing.iter().enumerate() {
            let Member { orbit, symmetry } = members[i];
            let opponent = tools.image_of_set(symmetry.inverse(), entry.opponent);
            columns[i] = context.opponents_column(representatives[i], opponent);
            touched ^= to.touch(orbit, columns[i], *code);
        }
        black_box(touched);
        for (i, (entry, code)) in missing.iter().enumerate() {
            let orbit = members[i].orbit;
            to.set(orbit, columns[i], *code)?;
            if usize::from(context.rows.size(orbit)) < tools.group.order() {
                self.set_symmetric(entry, orbit, *code)?;
            }
        }
        Ok(())
    }

    /// Sets a value in all columns of a symmetric row that an entry has there.
    fn set_symmetric(&self, entry: &Entry, orbit: usize, code: Code) -> Result<()> {
        let &Self { context, to, .. } = self;
        let tools = context.tools;
        let representative = context.rows.representative(orbit);
        let occupied = entry.own | entry.opponent;
        for &g in tools.group.symmetries() {
            if tools.image_of_set(g, occupied) == representative {
                let opponent = tools.image_of_set(g, entry.opponent);
                to.set(orbit, context.opponents_column(representative, opponent), code)?;
            }
        }
        Ok(())
    }

    /// Whether the table stores the value of an entry.
    #[inline(always)]
    fn is_stored(&self, entry: &Entry) -> bool {
        self.all_stored || {
            let Entry { own, opponent, .. } = *entry;
            let board = self.context.tools.board;
            let position = Position::from_mover(board, Stones { own, opponent }, Side::White);
            !self.rules.has_capture(&position.expect("an entry is a position"))
        }
    }
}

/// A grade that threads can write to at the same time, as an atomic number.
trait SharedGrade: Grade {
    type Shared: FromBytes + IntoBytes + KnownLayout + Sync;

    fn get(shared: &Self::Shared) -> Self;
    fn set(shared: &Self::Shared, grade: Self);
}

macro_rules! impl_shared_grade {
    ($grade:ty, $atomic:ty) => {
        impl SharedGrade for $grade {
            type Shared = $atomic;

            fn get(shared: &$atomic) -> Self {
                shared.load(Relaxed)
            }

            fn set(shared: &$atomic, grade: Self) {
                shared.store(grade, Relaxed);
            }
        }
    };
}

impl_shared_grade!(u8, AtomicU8);
impl_shared_grade!(u16, AtomicU16);
