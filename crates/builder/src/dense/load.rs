//! Loading a slice from its table.

use std::hint::black_box;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use arrayvec::ArrayVec;
use fanorona_core::{RuleSet, Stones};
use fanorona_tablebase::format::TableFile;
use fanorona_tablebase::{Code, Result, TableError, TableKey, Unit, check_stop};
use rayon::prelude::*;
use zerocopy::{FromBytes, IntoBytes};

use super::captures::{self, WalkBuffers};
use super::entries::{BATCH, list_positions};
use super::plane::{Plane, add_bit, add_words};
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
        let (context, work) = (self.slice_context(slice, &rules), self.scratch_of_solved);
        let (orbits, columns) = (context.rows.count(), context.columns);
        let solved = match self.context.metric.has_distances() {
            false => {
                let [win, loss] = load_values(&context, &rules, table)?
                    .map(|plane| Matrix::of(columns.words(), plane.into_words()).moved_to(work));
                SolvedSlice::Values { win: win?, loss: loss? }
            }
            true => {
                let width = self.width_of(slice, known, &[])?;
                let mut all = GradeRows::new(orbits, columns.count(), width);
                with_grades!(&mut all, grades => load_grades(&context, &rules, table, grades)?);
                // Distances that captures decide can be longer than those stored in the table.
                let longest = all.longest();
                SolvedSlice::of_grades(all, longest, work)?
            }
        };
        self.solved.insert(slice, solved);
        let (context, values) = (self.slice_context(slice, &rules), &self.solved[&slice]);
        Ok(DenseSlice { context, values })
    }
}

fn load_values(
    context: &DenseContext<'_, '_>,
    rules: &RuleSet,
    table: &TableFile,
) -> Result<[Plane; 2]> {
    let columns = context.columns;
    let planes = [(); 2].map(|()| Plane::new(context.rows.count(), columns.words()));
    let orbits = (0..context.rows.count()).into_par_iter();
    let decided = |(buffers, reversed): &mut (WalkBuffers, Vec<u64>), orbit| {
        check_stop(context.build.stop)?;
        let occupied = context.rows.representative(orbit);
        captures::decide::<u8>(context.tools.words, context, occupied, None, buffers);
        for (bits, plane) in [&buffers.row.win, &buffers.row.loss].into_iter().zip(&planes) {
            reverse(bits, columns.count(), reversed);
            add_words(plane.row(orbit), reversed);
        }
        Ok::<_, TableError>(())
    };
    if !table.metadata().captures_stored {
        orbits.try_for_each_init(Default::default, decided)?;
        context.build.progress.advance(context.index().len());
    }
    read(context, rules, table, &planes)?;
    Ok(planes)
}

fn load_grades<G: Grade>(
    context: &DenseContext<'_, '_>,
    rules: &RuleSet,
    table: &TableFile,
    grades: &mut Matrix<G>,
) -> Result<()> {
    if !table.metadata().captures_stored {
        let rows = grades.par_groups_mut(1).enumerate();
        rows.try_for_each_init(WalkBuffers::default, |buffers, (orbit, row)| {
            check_stop(context.build.stop)?;
            let occupied = context.rows.representative(orbit);
            captures::decide(context.tools.words, context, occupied, Some(row), buffers);
            Ok::<_, TableError>(())
        })?;
        context.build.progress.advance(context.index().len());
    }
    let bytes = <[AtomicU8]>::mut_from_bytes(grades.all_mut().as_mut_bytes());
    let bytes = &*bytes.expect("bytes have no alignment");
    read(context, rules, table, &SharedGrades::<G> { context, bytes, of: PhantomData })
}

/// Puts the values that a table stores into their places, and those of symmetric rows into all of
/// their columns.
fn read(
    context: &DenseContext<'_, '_>,
    rules: &RuleSet,
    table: &TableFile,
    to: &impl Places,
) -> Result<()> {
    let (index, together) = (context.index(), context.build.sizes.loaded);
    let without = (!table.metadata().captures_stored).then_some(rules);
    let parts = 0..index.len().div_ceil(together);
    parts.into_par_iter().try_for_each(|part| {
        check_stop(context.build.stop)?;
        let first = part * together;
        let count = together.min(index.len() - first);
        read_part(context.tools.words, context, without, first, &table.codes(first, count)?, to)?;
        context.build.progress.advance(count);
        Ok(())
    })
}

/// Where threads put values at the same time. A place is an orbit of occupied points and a column of
/// the opponent's sets.
trait Places: Sync {
    /// Whether draws are there from the start.
    const HAS_DRAWS: bool;

    /// Reads the place of a value, so that it is in the processor's cache.
    fn touch(&self, place: (usize, usize), code: Code) -> bool;

    fn set(&self, place: (usize, usize), code: Code) -> Result<()>;
}

/// Wins and losses.
impl Places for [Plane; 2] {
    const HAS_DRAWS: bool = true;

    #[inline(always)]
    fn touch(&self, (orbit, column): (usize, usize), code: Code) -> bool {
        self[usize::from(code != Code::WIN)].bit(orbit, column)
    }

    #[inline(always)]
    fn set(&self, (orbit, column): (usize, usize), code: Code) -> Result<()> {
        let [win, loss] = self;
        match code {
            Code::WIN => add_bit(win.row(orbit), column),
            Code::LOSS => add_bit(loss.row(orbit), column),
            _ => {}
        }
        Ok(())
    }
}

/// The bytes of grades. Whatever is put into a place is the same, so threads can put it there byte by
/// byte.
struct SharedGrades<'p, G> {
    context: &'p DenseContext<'p, 'p>,
    bytes: &'p [AtomicU8],
    of: PhantomData<fn(G)>,
}

impl<G: Grade> SharedGrades<'_, G> {
    #[inline(always)]
    fn place(&self, (orbit, column): (usize, usize)) -> &[AtomicU8] {
        let columns = self.context.columns;
        let place = orbit * columns.count() + columns.of_other_side(column);
        &self.bytes[place * size_of::<G>()..][..size_of::<G>()]
    }
}

impl<G: Grade> Places for SharedGrades<'_, G> {
    const HAS_DRAWS: bool = false;

    #[inline(always)]
    fn touch(&self, place: (usize, usize), _: Code) -> bool {
        self.place(place)[0].load(Relaxed) == 0
    }

    #[inline(always)]
    fn set(&self, place: (usize, usize), code: Code) -> Result<()> {
        let (slice, limit) = (self.context.slice, G::MAX_DISTANCE);
        let grade = G::of_code(code).ok_or(TableError::TooFar { slice, limit })?;
        let bytes = self.place(place).iter().zip(grade.as_bytes());
        bytes.for_each(|(to, byte)| to.store(*byte, Relaxed));
        Ok(())
    }
}

compiled! {
    /// Puts values from index `first` on into their places, with rules only those of positions
    /// without a capture.
    fn read_part<P: Places>(
        _words,
        context: &DenseContext<'_, '_>,
        without: Option<&RuleSet>,
        first: u64,
        codes: &[Code],
        to: &P,
    ) -> Result<()> {
        for (i, codes) in codes.chunks(BATCH).enumerate() {
            let batch = list_positions(context, first + (i * BATCH) as u64, codes.len());
            // Each step touches memory at random, so it is done for all entries before the next.
            let mut places = ArrayVec::<_, BATCH>::new();
            for (stones, code) in batch.into_iter().zip(codes) {
                let has_it = P::HAS_DRAWS && *code == Code::DRAW;
                if !has_it && !without.is_some_and(|rules| context.has_capture(rules, stones)) {
                    places.push((stones, (0, 0), *code));
                }
            }
            let mut touched = false;
            for (stones, place, code) in &mut places {
                *place = context.place_of(*stones);
                touched ^= to.touch(*place, *code);
            }
            black_box(touched);
            for (stones, place, code) in places {
                to.set(place, code)?;
                if usize::from(context.rows.size(place.0)) < context.tools.group.order() {
                    set_symmetric(context, stones, place.0, code, to)?;
                }
            }
        }
        Ok(())
    }
}

/// Sets a value in all columns of a symmetric row that an entry has there.
fn set_symmetric(
    context: &DenseContext<'_, '_>,
    stones: Stones,
    orbit: usize,
    code: Code,
    to: &impl Places,
) -> Result<()> {
    let (tools, representative) = (context.tools, context.rows.representative(orbit));
    for &g in tools.group.symmetries() {
        let [occupied, opponent] =
            [stones.occupied(), stones.opponent].map(|set| tools.image_of_set(g, set));
        if occupied == representative {
            to.set((orbit, context.opponents_column(representative, opponent)), code)?;
        }
    }
    Ok(())
}
