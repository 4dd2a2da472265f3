//! Solving a unit: captures, then rounds of paikas until nothing changes.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use fanorona_tablebase::{Code, Metric, Result, Slice, check_stop};
use rayon::prelude::*;

use super::captures::{self, WalkBuffers};
use super::grades::GradeFilter;
use super::images::add_to_images;
use super::parts::{OwnRow, OwnRows, share, with_rows};
use super::plane::Plane;
use super::rounds::{
    CHECK_LOSSES, CHECK_WINS, RoundBuffers, Row, bits_of, set_grades, take_checks,
};
use super::state::{DenseContext, WorkingSlice};
use super::unit::WorkingUnit;
use crate::checkpoint::{CheckpointStore, DistanceRounds};
use crate::grade_rows::{GradeRows, with_grades};
use crate::grades::Grade;
use crate::matrix::Matrix;
use crate::progress::Phase;
use crate::solved::SolvedSlice;

impl WorkingUnit<'_, '_> {
    /// Decides by captures the rows that are not decided yet.
    pub(super) fn decide(&mut self, checkpoints: &mut CheckpointStore<'_>) -> Result<()> {
        let context = self.solver.context;
        context.begin(self.unit, Phase::Captures);
        for (i, slice) in self.unit.slices().enumerate() {
            let entries = context.index(slice).len();
            let rows = context.orbits(slice.stones() as u8).count();
            context.progress.advance(share(entries, &(0..self.done.rows[i]), rows));
            while self.done.rows[i] < rows {
                let part = self.slice_context(slice).next_part(self.done.rows[i]);
                let decided = self.decide_rows(i, slice, part.clone());
                if decided.is_ok() {
                    self.done.rows[i] = part.end;
                    context.progress.advance(share(entries, &part, rows));
                }
                self.save_if_due(checkpoints)?;
                decided?;
            }
        }
        Ok(())
    }

    /// Decides some rows of a slice by captures. Rows that an interrupted call left half done can
    /// be decided again.
    fn decide_rows(&mut self, i: usize, slice: Slice, rows: Range<usize>) -> Result<()> {
        let mut own = std::mem::take(&mut self.slices[i].own);
        let (context, working) = (self.slice_context(slice), &self.slices[i]);
        let words = context.columns.words();
        let decided = with_rows!(&mut own, rows, words, rows => rows.try_for_each_init(
            WalkBuffers::default,
            |buffers, (orbit, OwnRow { undecided, safe, grades })| {
                check_stop(context.build.stop)?;
                let occupied = context.rows.representative(orbit);
                captures::decide(context.tools.words, &context, occupied, grades, buffers);
                let found = &buffers.row;
                undecided.copy_from_slice(&found.undecided);
                if !safe.is_empty() {
                    safe.copy_from_slice(&found.drawn);
                }
                let new = [(&found.win[..], &working.win), (&found.loss[..], &working.loss)];
                add_to_images(context.tools.words, &context, occupied, &new, &mut buffers.images);
                Ok(())
            },
        ));
        self.slices[i].own = own;
        decided
    }

    /// Computes all values, when captures are decided. Keeps the slices that later units need.
    pub(super) fn solve(
        &mut self,
        is_needed: &dyn Fn(Slice) -> bool,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let metric = self.solver.context.metric;
        match metric {
            Metric::Wdl => self.solve_values(checkpoints)?,
            Metric::Dtw => self.solve_distances(checkpoints)?,
        }
        self.count_zugzwangs()?;
        for (i, slice) in self.unit.slices().enumerate() {
            // Tables with distances are written from what is kept.
            if metric == Metric::Dtw || is_needed(slice) {
                self.keep(i, slice)?;
            }
        }
        Ok(())
    }

    /// Finds wins and losses without distances until nothing is new.
    fn solve_values(&mut self, checkpoints: &mut CheckpointStore<'_>) -> Result<()> {
        let mut any = true;
        while any {
            self.done.rounds += 1;
            self.solver.context.begin(self.unit, Phase::Round(self.done.rounds));
            any = false;
            for (i, slice) in self.unit.slices().enumerate() {
                // Every bit that is set is justified by others, so any moment will do.
                any |= self.pass(i, slice, None, |unit| unit.save_if_due(checkpoints))?;
            }
        }
        Ok(())
    }

    /// Finds the positions that are decided in 0 turns, 1, 2 and so on: losses at even distances,
    /// wins at odd ones. Positions that captures decide are added in the round of their distance.
    fn solve_distances(&mut self, checkpoints: &mut CheckpointStore<'_>) -> Result<()> {
        let mut latest_capture = 0;
        for (i, slice) in self.unit.slices().enumerate() {
            let columns = self.slice_context(slice).columns.count();
            let working = &mut self.slices[i];
            if let Some(grades) = &working.own.grades {
                working.filters = with_grades!(grades, grades => {
                    grades.all().par_chunks(columns).map(GradeFilter::of).collect()
                });
                latest_capture = grades.longest().max(latest_capture);
            }
        }
        let mut rounds = DistanceRounds::new(latest_capture);
        loop {
            let limit = self.solver.context.sizes.max_distance;
            let distance = self.done.next_distance(self.unit, limit)?;
            self.widen_for(distance)?;
            self.solver.context.begin(self.unit, Phase::Round(distance.into()));
            let mut any = false;
            for (i, slice) in self.unit.slices().enumerate() {
                any |= self.pass(i, slice, Some(distance), |_| Ok(()))?;
            }
            self.done.rounds += 1;
            if rounds.is_last(distance, any) {
                break;
            }
            self.save_if_due(checkpoints)?;
        }
        for (i, slice) in self.unit.slices().enumerate() {
            self.draw_the_rest(i, slice);
        }
        Ok(())
    }

    /// Finds new wins and losses of a slice; with distances, those at one distance. Returns whether
    /// it has looked for any in vain or not, without distances, or found any, with distances.
    fn pass(
        &mut self,
        i: usize,
        slice: Slice,
        distance: Option<u16>,
        mut after_part: impl FnMut(&mut Self) -> Result<()>,
    ) -> Result<bool> {
        let build = self.solver.context;
        let entries = build.index(slice).len();
        let rows = build.orbits(slice.stones() as u8).count();
        let (mut first, mut any) = (0, false);
        while first < rows {
            let mut own = std::mem::take(&mut self.slices[i].own);
            let context = self.slice_context(slice);
            let part = context.next_part(first);
            let [working, swapped] = self.with_swapped(i);
            let pass = DistancePass { context: &context, working, swapped, distance };
            let words = context.columns.words();
            let found: Vec<bool> = with_rows!(&mut own, part.clone(), words, rows => rows
                .map_init(RoundBuffers::default, |buffers, (orbit, row)| {
                    pass.visit(orbit, row, buffers)
                })
                .collect());
            any |= found.contains(&true);
            self.slices[i].own = own;
            build.progress.advance(share(entries, &part, rows));
            first = part.end;
            after_part(self)?;
        }
        Ok(any)
    }

    /// Widens the grades if a distance needs it.
    fn widen_for(&mut self, distance: u16) -> Result<()> {
        for i in 0..self.slices.len() {
            if let Some(GradeRows::Narrow(grades)) = &self.slices[i].own.grades
                && u8::of_code(Code(distance + 1)).is_none()
            {
                // Both widths are in memory for some time.
                self.solver.check_more(&self.slices, 2 * grades.all().len() as u64)?;
                self.slices[i].own.grades.iter_mut().for_each(GradeRows::widen);
            }
        }
        Ok(())
    }

    /// Gives the positions without a value the grade of a draw.
    fn draw_the_rest(&mut self, i: usize, slice: Slice) {
        let words = self.slice_context(slice).columns.words();
        let OwnRows { undecided, grades, .. } = &mut self.slices[i].own;
        let Some(grades) = grades else { return };
        with_grades!(grades, grades => {
            let rows = grades.par_groups_mut(1).zip(undecided.par_chunks(words));
            rows.for_each(|(grades, undecided)| set_grades(grades, Grade::DRAW, undecided));
        });
    }

    /// Keeps the values of a slice as those of a solved one.
    fn keep(&mut self, i: usize, slice: Slice) -> Result<()> {
        let work = self.solver.scratch_of_solved;
        let grades = self.slices[i].own.grades.take();
        let context = self.slice_context(slice);
        let solved = match grades {
            Some(grades) => {
                let longest = grades.longest();
                SolvedSlice::of_grades(grades, longest, work)?
            }
            None => {
                let working = &self.slices[i];
                let (orbits, words) = (context.rows.count(), context.columns.words());
                let rows = |plane: &Plane| {
                    let mut kept = vec![0; orbits * words];
                    kept.par_chunks_mut(words).enumerate().for_each(|(orbit, row)| {
                        let from = context.row_of(context.rows.representative(orbit));
                        let words = row.iter_mut().zip(plane.row(from));
                        words.for_each(|(to, word)| *to = word.load(Relaxed));
                    });
                    Matrix::of(words, kept).moved_to(work)
                };
                SolvedSlice::Values { win: rows(&working.win)?, loss: rows(&working.loss)? }
            }
        };
        self.solver.solved.insert(slice, solved);
        Ok(())
    }
}

/// A pass over the rows of a slice.
struct DistancePass<'p, 's, 'a> {
    context: &'p DenseContext<'s, 'a>,
    working: &'p WorkingSlice,
    swapped: &'p WorkingSlice,
    /// The distance of the positions that are sought, if the build has distances.
    distance: Option<u16>,
}

impl DistancePass<'_, '_, '_> {
    /// Finds new positions of a row. Returns whether it had to be checked, without distances, or
    /// whether there are any, with distances.
    fn visit<G: Grade>(
        &self,
        orbit: usize,
        row: OwnRow<'_, G>,
        buffers: &mut RoundBuffers,
    ) -> bool {
        let OwnRow { undecided, safe, grades } = row;
        let occupied = self.context.rows.representative(orbit);
        let &Self { context, working, swapped, .. } = self;
        let row = Row { context, working, swapped, occupied, undecided };
        match (self.distance, grades) {
            (Some(distance), Some(grades)) => self.visit_at(distance, orbit, row, grades, buffers),
            _ => self.visit_values(orbit, row, safe, buffers),
        }
    }

    fn visit_values(
        &self,
        orbit: usize,
        mut row: Row<'_, '_, '_>,
        safe: &[u64],
        buffers: &mut RoundBuffers,
    ) -> bool {
        let checks = take_checks(&self.working.checks[orbit], CHECK_WINS | CHECK_LOSSES);
        if checks & CHECK_WINS != 0 && row.find_wins(buffers) {
            row.decide(&buffers.found, true, &mut buffers.images);
        }
        if checks & CHECK_LOSSES != 0 {
            buffers.found.clear();
            buffers.found.extend_from_slice(row.undecided);
            buffers.found.iter_mut().zip(safe).for_each(|(found, safe)| *found &= !safe);
            if row.find_losses(buffers) {
                row.decide(&buffers.found, false, &mut buffers.images);
            }
        }
        checks != 0
    }

    fn visit_at<G: Grade>(
        &self,
        distance: u16,
        orbit: usize,
        mut row: Row<'_, '_, '_>,
        grades: &mut [G],
        buffers: &mut RoundBuffers,
    ) -> bool {
        let are_wins = distance % 2 == 1;
        let optional = self.context.rule.captures_are_optional();
        let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
        let flag = if are_wins { CHECK_WINS } else { CHECK_LOSSES };
        let mut is_checked = take_checks(&self.working.checks[orbit], flag) != 0;
        let mut any = false;
        // Mandatory captures, and captures that win, decide in the round of their distance. If the
        // best capture loses and paikas are possible too, the position can be lost from then on.
        if self.working.filters[orbit].may_have(grade) {
            bits_of(grades, grade, &mut buffers.found);
            if !optional || are_wins {
                for (found, undecided) in buffers.found.iter_mut().zip(&*row.undecided) {
                    *found &= if optional { *undecided } else { !undecided };
                }
                if buffers.found.iter().any(|found| *found != 0) {
                    row.decide(&buffers.found, are_wins, &mut buffers.images);
                    any = true;
                }
            } else {
                is_checked = true;
            }
        }
        if !is_checked {
            return any;
        }
        let found = if are_wins {
            row.find_wins(buffers)
        } else {
            buffers.found.clear();
            buffers.found.extend_from_slice(row.undecided);
            if optional {
                // Some capture is better, or loses later.
                for (found, grades) in buffers.found.iter_mut().zip(grades.chunks(64)) {
                    let safe = (0..)
                        .zip(grades)
                        .fold(0, |bits, (i, found)| bits | u64::from(*found > grade) << i);
                    *found &= !safe;
                }
            }
            row.find_losses(buffers)
        };
        if found {
            row.decide(&buffers.found, are_wins, &mut buffers.images);
            set_grades(grades, grade, &buffers.found);
        }
        any | found
    }
}
