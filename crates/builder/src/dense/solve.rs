//! Solving a unit: captures, then rounds of paikas until nothing changes.

use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

use fanorona_tablebase::{Code, Result, Slice, check_stop};
use rayon::prelude::*;

use super::captures::{self, WalkBuffers};
use super::images::add_to_images;
use super::plane::Plane;
use super::rounds::{CHECK_LOSSES, CHECK_WINS, RoundBuffers, Row, take_checks};
use super::state::{GradeFilter, OwnRow, OwnRows, with_rows};
use super::unit::WorkingUnit;
use crate::bits::for_each_bit;
use crate::checkpoint::{CheckpointStore, DistanceRounds};
use crate::grade_rows::{GradeRows, with_grades};
use crate::grades::Grade;
use crate::matrix::Matrix;
use crate::progress::Activity;
use crate::solved::SolvedSlice;

impl WorkingUnit<'_, '_> {
    /// Decides by captures the rows that are not decided yet.
    pub(super) fn decide(&mut self, checkpoints: &mut CheckpointStore<'_>) -> Result<()> {
        self.solver.context.begin(self.unit, Activity::Captures);
        for (i, slice) in self.unit.slices().enumerate() {
            let first = self.done.rows[i];
            self.slice_context(slice).advance(&(0..first));
            for part in self.slice_context(slice).parts(first) {
                let decided = self.decide_rows(i, slice, part.clone());
                if decided.is_ok() {
                    self.done.rows[i] = part.end;
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
        let decided = with_rows!(&mut own, rows.clone(), words, rows => rows.try_for_each_init(
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
        if decided.is_ok() {
            context.advance(&rows);
        }
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
        match metric.has_distances() {
            false => self.solve_values(checkpoints)?,
            true => self.solve_distances(checkpoints)?,
        }
        self.count_zugzwangs()?;
        for (i, slice) in self.unit.slices().enumerate() {
            // Tables with distances are written from what is kept.
            if metric.has_distances() || is_needed(slice) {
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
            self.solver.context.begin(self.unit, Activity::Round(self.done.rounds));
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
        for working in &mut self.slices {
            if let Some(grades) = &working.own.grades {
                working.filters = with_grades!(grades, grades => {
                    grades.all().par_chunks(grades.width()).map(GradeFilter::of).collect()
                });
                latest_capture = grades.longest().max(latest_capture);
            }
        }
        let mut rounds = DistanceRounds::new(latest_capture);
        loop {
            let limit = self.solver.context.sizes.max_distance;
            let distance = self.done.next_distance(self.unit, limit)?;
            self.widen_for(distance)?;
            self.solver.context.begin(self.unit, Activity::Round(distance.into()));
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
        for slice in &mut self.slices {
            // The others are draws.
            let OwnRows { undecided, grades, .. } = &mut slice.own;
            let Some(grades) = grades else { continue };
            with_grades!(grades, grades => {
                let words = grades.width().div_ceil(64);
                let rows = grades.par_groups_mut(1).zip(undecided.par_chunks(words));
                rows.for_each(|(grades, undecided)| set_grades(grades, Grade::DRAW, undecided));
            });
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
        let mut any = false;
        for part in self.slice_context(slice).parts(0) {
            let mut own = std::mem::take(&mut self.slices[i].own);
            let context = &self.slice_context(slice);
            let [working, swapped] = self.with_swapped(i);
            let words = context.columns.words();
            let found: Vec<bool> = with_rows!(&mut own, part.clone(), words, rows => rows
                .map_init(RoundBuffers::default, |buffers, (orbit, row)| {
                    let OwnRow { undecided, safe, grades } = row;
                    let occupied = context.rows.representative(orbit);
                    let row = Row { context, working, swapped, orbit, occupied, undecided };
                    match (distance, grades) {
                        (Some(distance), Some(grades)) => row.visit_at(distance, grades, buffers),
                        _ => row.visit(safe, buffers),
                    }
                })
                .collect());
            any |= found.contains(&true);
            context.advance(&part);
            self.slices[i].own = own;
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

impl Row<'_, '_, '_> {
    /// Finds new positions, without distances. Returns whether the row had to be checked.
    fn visit(mut self, safe: &[u64], buffers: &mut RoundBuffers) -> bool {
        let checks = take_checks(&self.working.checks[self.orbit], CHECK_WINS | CHECK_LOSSES);
        if checks & CHECK_WINS != 0 && self.find_wins(buffers) {
            self.decide(true, buffers);
        }
        if checks & CHECK_LOSSES != 0 {
            buffers.found.clear();
            buffers.found.extend_from_slice(self.undecided);
            buffers.found.iter_mut().zip(safe).for_each(|(found, safe)| *found &= !safe);
            if self.find_losses(buffers) {
                self.decide(false, buffers);
            }
        }
        checks != 0
    }

    /// Finds the positions with a distance. Returns whether there are any.
    fn visit_at<G: Grade>(
        mut self,
        distance: u16,
        grades: &mut [G],
        buffers: &mut RoundBuffers,
    ) -> bool {
        let are_wins = distance % 2 == 1;
        let optional = self.context.rule.captures_are_optional();
        let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
        let flag = if are_wins { CHECK_WINS } else { CHECK_LOSSES };
        let mut is_checked = take_checks(&self.working.checks[self.orbit], flag) != 0;
        let mut any = false;
        // Mandatory captures, and captures that win, decide in the round of their distance. If the
        // best capture loses and paikas are possible too, the position can be lost from then on.
        if self.working.filters[self.orbit].may_have(grade) {
            if !optional || are_wins {
                let words = grades.chunks(64).map(|word| bits_where(word, |found| found == grade));
                buffers.found.clear();
                buffers.found.extend(words);
                for (found, undecided) in buffers.found.iter_mut().zip(&*self.undecided) {
                    *found &= if optional { *undecided } else { !undecided };
                }
                if buffers.found.iter().any(|found| *found != 0) {
                    self.decide(are_wins, buffers);
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
            self.find_wins(buffers)
        } else {
            buffers.found.clear();
            buffers.found.extend_from_slice(self.undecided);
            if optional {
                // Some capture is better, or loses later.
                for (found, grades) in buffers.found.iter_mut().zip(grades.chunks(64)) {
                    *found &= !bits_where(grades, |found| found > grade);
                }
            }
            self.find_losses(buffers)
        };
        if found {
            self.decide(are_wins, buffers);
            set_grades(grades, grade, &buffers.found);
        }
        any | found
    }
}

fn bits_where<G: Grade>(grades: &[G], is_wanted: impl Fn(G) -> bool) -> u64 {
    (0..).zip(grades).fold(0, |bits, (i, grade)| bits | u64::from(is_wanted(*grade)) << i)
}

/// Gives some positions of a row a grade.
fn set_grades<G: Grade>(grades: &mut [G], grade: G, columns: &[u64]) {
    for_each_bit(columns, |column| grades[column] = grade);
}
