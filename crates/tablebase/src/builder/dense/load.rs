//! Loading a slice from its table.

use std::sync::atomic::{AtomicU8, AtomicU16, Ordering::Relaxed};

use fanorona_core::{Position, RuleSet, Side};
use rayon::prelude::*;

use super::bits::{Job, reverse};
use super::captures::{self, CaptureBuffers};
use super::entries::{Entry, for_each_entry, orbit_and_column};
use super::grades::GradeRows;
use super::plane::{Plane, add_bit};
use super::state::{DenseBuilder, SliceContext, SolvedSlice};
use crate::builder::context::check_distances;
use crate::builder::grades::{Grade, Width, longest};
use crate::builder::progress::Phase;
use crate::builder::solved::SolvedRows;
use crate::error::{Result, TableError};
use crate::format::TableFile;
use crate::key::TableKey;
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;
use crate::value::{Code, Metric};

/// The number of values that a thread reads from a table at a time. Small in this crate's tests, so
/// that small tables are read in many parts.
const LOADED_TOGETHER: u64 = if cfg!(test) { 1 << 6 } else { 1 << 18 };

impl DenseBuilder<'_> {
    /// Loads a slice's values from its table.
    pub(super) fn load_slice(&mut self, unit: Unit, table: &TableFile) -> Result<()> {
        let metadata = table.metadata();
        let TableKey { slice, rules, .. } = metadata.key();
        self.working.clear();
        let known = check_distances(table)?;
        let entries = self.context.index(slice).len();
        // Values that are not stored are recomputed.
        let passes = if metadata.captures_stored { 1 } else { 2 };
        self.context.progress.begin(unit, Phase::Load, passes * entries);
        let solved = match self.context.metric {
            Metric::Wdl => self.load_values(slice, &rules, table)?,
            Metric::Dtw => match self.width_of(slice, known)? {
                Width::Narrow => self.load_grades::<AtomicU8>(slice, &rules, table)?,
                Width::Wide => self.load_grades::<AtomicU16>(slice, &rules, table)?,
            },
        };
        self.solved.insert(slice, solved);
        Ok(())
    }

    fn load_values(&self, slice: Slice, rules: &RuleSet, table: &TableFile) -> Result<SolvedSlice> {
        let context = self.slice_context(slice, rules);
        let (orbits, columns) = (context.rows.count(), context.columns);
        let plane = || Plane::new(orbits, columns.words());
        let (win, loss) = (plane(), plane());
        if !table.metadata().captures_stored {
            (0..orbits).into_par_iter().try_for_each_init(
                <(CaptureBuffers, Vec<u64>)>::default,
                |(buffers, reversed), orbit| {
                    check_stop(self.context.stop)?;
                    let occupied = context.rows.representative(orbit);
                    captures::decide::<u8>(&context, occupied, None, buffers);
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
        self.read(&context, rules, table, |orbit, column, code| {
            match code {
                Code::WIN => add_bit(win.row(orbit), column),
                Code::LOSS => add_bit(loss.row(orbit), column),
                _ => {}
            }
            Ok(())
        })?;
        let work = self.context.work_of_solved();
        let [win, loss] =
            [win, loss].map(|plane| SolvedRows::new(columns.words(), plane.into_words(), work));
        Ok(SolvedSlice::Values { win: win?, loss: loss? })
    }

    fn load_grades<A: SharedGrade>(
        &self,
        slice: Slice,
        rules: &RuleSet,
        table: &TableFile,
    ) -> Result<SolvedSlice> {
        let context = self.slice_context(slice, rules);
        let (orbits, columns) = (context.rows.count(), context.columns);
        let mut grades = vec![A::Grade::NONE; orbits * columns.count()];
        if !table.metadata().captures_stored {
            grades.par_chunks_mut(columns.count()).enumerate().try_for_each_init(
                CaptureBuffers::default,
                |buffers, (orbit, row)| {
                    check_stop(self.context.stop)?;
                    let occupied = context.rows.representative(orbit);
                    captures::decide(&context, occupied, Some(row), buffers);
                    Ok::<_, TableError>(())
                },
            )?;
            self.context.progress.advance(context.index().len());
        }
        // In place, and back.
        let shared: Vec<A> = grades.into_iter().map(A::new).collect();
        self.read(&context, rules, table, |orbit, column, code| {
            let limit = A::Grade::MAX_DISTANCE;
            let grade = A::Grade::of_code(code).ok_or(TableError::TooFar { slice, limit })?;
            shared[orbit * columns.count() + columns.of_other_side(column)].set(grade);
            Ok(())
        })?;
        let grades: Vec<_> = shared.into_iter().map(A::get).collect();
        // Distances that captures decide can be longer than those stored in the table.
        let longest = grades.par_chunks(1 << 16).map(|part| longest(part.iter().copied())).max();
        let grades = A::rows(grades).into_solved(columns.count(), self.context.work_of_solved())?;
        Ok(SolvedSlice::Distances { grades, longest: longest.unwrap_or(0) })
    }

    /// Visits the values that a table stores, with the orbits of occupied points and the columns of
    /// the opponent's sets. Visits all columns of a symmetric row.
    fn read(
        &self,
        context: &SliceContext<'_, '_>,
        rules: &RuleSet,
        table: &TableFile,
        visit: impl Fn(usize, usize, Code) -> Result<()> + Sync,
    ) -> Result<()> {
        let (index, all_stored) = (context.index(), table.metadata().captures_stored);
        let parts = 0..index.len().div_ceil(LOADED_TOGETHER);
        parts.into_par_iter().try_for_each(|part| {
            check_stop(self.context.stop)?;
            let first = part * LOADED_TOGETHER;
            let count = LOADED_TOGETHER.min(index.len() - first);
            let codes = table.codes(first, count)?;
            let read = ReadPart { context, rules, first, codes, all_stored, visit: &visit };
            context.tools.bits.run(read)?;
            self.context.progress.advance(count);
            Ok(())
        })
    }
}

/// Visits a part of the values of a table.
struct ReadPart<'r, 's, 'a, F> {
    context: &'r SliceContext<'s, 'a>,
    rules: &'r RuleSet,
    first: u64,
    codes: Vec<Code>,
    all_stored: bool,
    visit: &'r F,
}

impl<F: Fn(usize, usize, Code) -> Result<()>> Job for ReadPart<'_, '_, '_, F> {
    type Output = Result<()>;

    #[inline(always)]
    fn run(self) -> Result<()> {
        let Self { context, rules, first, codes, all_stored, visit } = self;
        let (tools, order) = (context.tools, context.tools.group.order());
        let mut codes = codes.iter();
        let mut result = Ok(());
        for_each_entry(context, first, codes.len(), |entry| {
            let code = *codes.next().expect("as many values as entries");
            let is_stored = || {
                let Entry { own, opponent, .. } = entry;
                let position = Position::from_mover(tools.board, own, opponent, Side::White);
                !rules.has_capture(&position.expect("an entry is a position"))
            };
            if result.is_err() || !all_stored && !is_stored() {
                return;
            }
            let (orbit, column) = orbit_and_column(context, &entry);
            if let Err(error) = visit(orbit, column, code) {
                result = Err(error);
                return;
            }
            if usize::from(context.rows.size(orbit)) < order {
                let representative = context.rows.representative(orbit);
                let occupied = entry.own | entry.opponent;
                for g in (0..order).filter(|g| tools.image_of_set(*g, occupied) == representative) {
                    let opponent = tools.image_of_set(g, entry.opponent);
                    let column = context.opponents_column(representative, opponent);
                    if let Err(error) = visit(orbit, column, code) {
                        result = Err(error);
                    }
                }
            }
        });
        result
    }
}

/// A grade that threads write to.
trait SharedGrade: Send + Sync {
    type Grade: Grade;

    fn new(grade: Self::Grade) -> Self;
    fn set(&self, grade: Self::Grade);
    fn get(self) -> Self::Grade;
    fn rows(grades: Vec<Self::Grade>) -> GradeRows;
}

macro_rules! impl_shared_grade {
    ($atomic:ty, $grade:ty, $rows:ident) => {
        impl SharedGrade for $atomic {
            type Grade = $grade;

            fn new(grade: $grade) -> Self {
                Self::new(grade)
            }

            fn set(&self, grade: $grade) {
                self.store(grade, Relaxed);
            }

            fn get(self) -> $grade {
                self.into_inner()
            }

            fn rows(grades: Vec<$grade>) -> GradeRows {
                GradeRows::$rows(grades)
            }
        }
    };
}

impl_shared_grade!(AtomicU8, u8, Narrow);
impl_shared_grade!(AtomicU16, u16, Wide);
