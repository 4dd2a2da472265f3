//! The first step for a unit: decides all rows by captures.

use std::ops::Range;

use fanorona_core::RuleSet;
use rayon::prelude::*;

use super::captures::{self, CaptureBuffers, CaptureRow};
use super::grades::{Grade, Grades};
use super::resume::UnitProgress;
use super::slices::{Distances, WorkingSlice};
use super::state::RowsBuilder;
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::progress::Phase;
use crate::error::Result;
use crate::slice::{Slice, Unit};
use crate::stop::check_stop;

/// The minimum number of parts in which the captures of a slice are decided. A checkpoint can be
/// saved after each part.
const PARTS: usize = 16;

/// The maximum number of entries of a part: some tenths of a second of work.
const LARGEST_PART: u64 = 1 << 24;

impl RowsBuilder<'_> {
    /// Decides by captures the rows of a unit that are not decided yet.
    pub(super) fn decide_unit(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        self.context.progress.begin(unit, Phase::Captures, self.context.entries(unit));
        for (i, slice) in unit.slices().enumerate() {
            let columns = self.context.index(slice).columns();
            self.context.progress.advance(done.rows[i] as u64 * columns);
            let all = self.context.orbits(slice.own).count();
            let together = all.div_ceil(PARTS).min((LARGEST_PART / columns) as usize);
            // At least one row per thread.
            let together = together.max(rayon::current_num_threads());
            while done.rows[i] < all {
                let mut working = match self.working.remove(&slice) {
                    Some(working) => working,
                    None => self.new_working_slice(slice, rules, self.width_of(slice, 0))?,
                };
                let rows = done.rows[i]..all.min(done.rows[i] + together);
                let decided = self.decide_rows(slice, rules, &mut working, rows.clone());
                self.working.insert(slice, working);
                if decided.is_ok() {
                    done.rows[i] = rows.end;
                }
                self.save_if_due(unit, done, checkpoints)?;
                decided?;
            }
        }
        Ok(())
    }

    /// Decides some rows of a slice by captures. Rows that an interrupted call left half done can
    /// be decided again.
    pub(super) fn decide_rows(
        &self,
        slice: Slice,
        rules: &RuleSet,
        working: &mut WorkingSlice,
        rows: Range<usize>,
    ) -> Result<()> {
        for left in 1..slice.opponent {
            self.find_columns(left).prepare_adding();
        }
        self.find_columns(slice.opponent);
        match working.distances.take() {
            None => self.decide_rows_with::<u8>(slice, rules, working, None, rows),
            Some(Distances::Narrow(mut found)) => {
                let grades = Some(&mut found.grades);
                let decided = self.decide_rows_with(slice, rules, working, grades, rows);
                working.distances = Some(Distances::Narrow(found));
                decided
            }
            Some(Distances::Wide(mut found)) => {
                let grades = Some(&mut found.grades);
                let decided = self.decide_rows_with(slice, rules, working, grades, rows);
                working.distances = Some(Distances::Wide(found));
                decided
            }
        }
    }

    fn decide_rows_with<G: Grade>(
        &self,
        slice: Slice,
        rules: &RuleSet,
        WorkingSlice { win, loss, open, safe, .. }: &mut WorkingSlice,
        grades: Option<&mut Grades<G>>,
        rows: Range<usize>,
    ) -> Result<()> {
        let context = self.slice_context(slice, rules);
        let mut grades: Vec<_> = match grades {
            None => rows.clone().map(|_| None).collect(),
            Some(grades) => {
                let columns = grades.columns();
                grades.rows_mut(rows.clone()).chunks_mut(columns).map(Some).collect()
            }
        };
        let columns = context.index().columns();
        let words = win.words();
        let mut safe: Vec<_> = match safe {
            None => rows.clone().map(|_| None).collect(),
            Some(safe) => safe.rows_mut(rows.clone()).chunks_mut(words).map(Some).collect(),
        };
        let [win, loss, open] =
            [win, loss, open].map(|matrix| matrix.rows_mut(rows.clone()).par_chunks_mut(words));
        win.zip(loss).zip(open).zip(&mut safe).zip(&mut grades).enumerate().try_for_each_init(
            || (CaptureBuffers::default(), Vec::new()),
            |(buffers, not_kept), (row, ((((win, loss), open), safe), grades))| {
                let own = context.own.representative(rows.start + row);
                let safe = safe.take().unwrap_or_else(|| {
                    not_kept.clear();
                    not_kept.resize(words, 0);
                    not_kept
                });
                let mut row = CaptureRow { win, loss, open, safe, grades: grades.take() };
                captures::decide(&context, own, &mut row, buffers);
                self.context.progress.advance(columns);
                check_stop(self.context.stop)
            },
        )
    }
}
