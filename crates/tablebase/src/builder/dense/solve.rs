//! Solving a unit: captures, then rounds of paikas until nothing changes.

use std::ops::Range;
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use fanorona_core::RuleSet;
use rayon::prelude::*;

use super::captures::{self, CaptureBuffers};
use super::grades::{GradeFilter, GradeRows, with_grades};
use super::images::add_to_images;
use super::parts::{GradeRow, OwnRow, OwnRows, next_part, share};
use super::plane::Plane;
use super::rounds::{
    CHECK_LOSSES, CHECK_WINS, Planes, RoundBuffers, Row, bits_of, set_grades, take_checks,
};
use super::state::{DenseSolver, DistanceRows, SliceContext, SolvedSlice, WorkingSlice};
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::grades::Grade;
use crate::builder::progress::Phase;
use crate::builder::solved::SolvedRows;
use crate::builder::unit_progress::{DistanceRounds, UnitProgress};
use crate::error::Result;
use crate::key::captures_decide;
use crate::orbits::choose;
use crate::slice::{PhaseSlice, Slice, Unit};
use crate::stop::check_stop;
use crate::value::{Code, Metric};

impl DenseSolver<'_> {
    /// A slice without any decided position.
    pub(super) fn new_working_slice(&self, slice: Slice, rules: &RuleSet) -> Result<WorkingSlice> {
        let context = self.slice_context(slice, rules);
        let (orbits, words) = (context.rows.count(), context.columns.words());
        let rows = choose(self.tools.board.num_points(), slice.stones()) as usize;
        let distances = match self.context.metric {
            Metric::Wdl => None,
            Metric::Dtw => {
                let width = self.width_of(slice, 0)?;
                let grades = GradeRows::new(orbits * context.columns.count(), width);
                Some(DistanceRows { grades, filters: Vec::new() })
            }
        };
        let has_safe = distances.is_none() && !captures_decide(rules);
        Ok(WorkingSlice {
            win: Plane::new(rows, words),
            loss: Plane::new(rows, words),
            undecided: vec![0; orbits * words],
            safe: vec![0; if has_safe { orbits * words } else { 0 }],
            distances,
            checks: (0..orbits).map(|_| AtomicU8::new(CHECK_WINS | CHECK_LOSSES)).collect(),
        })
    }

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
            if !self.working.contains_key(&slice) {
                let working = self.new_working_slice(slice, rules)?;
                self.working.insert(slice, working);
            }
            let entries = self.context.index(slice).len();
            let rows = self.context.orbits(slice.stones() as u8).count();
            self.context.progress.advance(share(entries, &(0..done.rows[i]), rows));
            while done.rows[i] < rows {
                let columns = self.slice_context(slice, rules).columns.count();
                let part = next_part(done.rows[i], rows, columns);
                let decided = self.decide_rows(slice, rules, part.clone());
                if decided.is_ok() {
                    done.rows[i] = part.end;
                    self.context.progress.advance(share(entries, &part, rows));
                }
                self.save_if_due(unit, rules, done, checkpoints)?;
                decided?;
            }
        }
        Ok(())
    }

    /// Decides some rows of a slice by captures. Rows that an interrupted call left half done can
    /// be decided again.
    pub(super) fn decide_rows(
        &mut self,
        slice: Slice,
        rules: &RuleSet,
        rows: Range<usize>,
    ) -> Result<()> {
        let mut own = OwnRows::take(self.working.get_mut(&slice).expect("a slice in work"));
        let context = self.slice_context(slice, rules);
        let working = &self.working[&slice];
        let (words, columns) = (context.columns.words(), context.columns.count());
        let decided = own.par_rows(rows, words, columns).try_for_each_init(
            CaptureBuffers::default,
            |buffers, (orbit, OwnRow { undecided, safe, grades })| {
                check_stop(self.context.stop)?;
                let occupied = context.rows.representative(orbit);
                match grades {
                    None => captures::decide::<u8>(&context, occupied, None, buffers),
                    Some(GradeRow::Narrow(row)) => {
                        captures::decide(&context, occupied, Some(row), buffers);
                    }
                    Some(GradeRow::Wide(row)) => {
                        captures::decide(&context, occupied, Some(row), buffers);
                    }
                }
                let found = &buffers.row;
                undecided.copy_from_slice(&found.undecided);
                if !safe.is_empty() {
                    safe.copy_from_slice(&found.drawn);
                }
                let new = [(&found.win[..], &working.win), (&found.loss[..], &working.loss)];
                add_to_images(&context, occupied, &new, &mut buffers.images);
                Ok(())
            },
        );
        own.put_back(self.working.get_mut(&slice).expect("a slice in work"));
        decided
    }

    /// Computes all values of a unit whose captures are decided.
    pub(super) fn solve_unit(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        is_needed: &dyn Fn(PhaseSlice) -> bool,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        match self.context.metric {
            Metric::Wdl => self.solve_values(unit, rules, done, checkpoints)?,
            Metric::Dtw => self.solve_distances(unit, rules, done, checkpoints)?,
        }
        self.count_zugzwangs(unit, rules)?;
        for slice in unit.slices() {
            // Tables with distances are written from what is kept.
            if self.context.metric == Metric::Dtw || is_needed(slice.into()) {
                self.keep(slice, rules)?;
            }
        }
        Ok(())
    }

    /// Finds wins and losses without distances until nothing is new.
    fn solve_values(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        loop {
            done.rounds += 1;
            self.context.progress.begin(
                unit,
                Phase::Round(done.rounds),
                self.context.entries(unit),
            );
            let mut any = false;
            for slice in unit.slices() {
                any |= self.pass(slice, rules, None, |builder| {
                    // Every bit that is set is justified by others, so any moment will do.
                    builder.save_if_due(unit, rules, done, checkpoints)
                })?;
            }
            if !any {
                return Ok(());
            }
        }
    }

    /// Finds the positions that are decided in 0 turns, 1, 2 and so on: losses at even distances,
    /// wins at odd ones. Positions that captures decide are added in the round of their distance.
    fn solve_distances(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let mut latest_capture = 0;
        for slice in unit.slices() {
            let columns = self.slice_context(slice, rules).columns.count();
            let working = self.working.get_mut(&slice).expect("a slice of the unit");
            let distances = working.distances.as_mut().expect("distances are wanted");
            latest_capture = distances.find_filters(columns).max(latest_capture);
        }
        let mut rounds = DistanceRounds::new(latest_capture);
        loop {
            let distance = done.next_distance(unit)?;
            self.widen_for(unit, distance)?;
            let entries = self.context.entries(unit);
            self.context.progress.begin(unit, Phase::Round(distance.into()), entries);
            let mut any = false;
            for slice in unit.slices() {
                any |= self.pass(slice, rules, Some(distance), |_| Ok(()))?;
            }
            done.rounds += 1;
            if rounds.is_last(distance, any) {
                break;
            }
            self.save_if_due(unit, rules, done, checkpoints)?;
        }
        for slice in unit.slices() {
            self.draw_the_rest(slice, rules);
        }
        Ok(())
    }

    /// Finds new wins and losses of a slice; with distances, those at one distance. Returns whether
    /// it has looked for any in vain or not, without distances, or found any, with distances.
    fn pass(
        &mut self,
        slice: Slice,
        rules: &RuleSet,
        distance: Option<u16>,
        mut after_part: impl FnMut(&Self) -> Result<()>,
    ) -> Result<bool> {
        let entries = self.context.index(slice).len();
        let rows = self.context.orbits(slice.stones() as u8).count();
        let (mut first, mut any) = (0, false);
        while first < rows {
            let mut own = OwnRows::take(self.working.get_mut(&slice).expect("a slice in work"));
            let context = self.slice_context(slice, rules);
            let (words, columns) = (context.columns.words(), context.columns.count());
            let part = next_part(first, rows, columns);
            let working = &self.working[&slice];
            let pass = Pass {
                context: &context,
                planes: Planes::of(working, &self.working[&slice.swapped()]),
                working,
                distance,
            };
            let visit = |buffers: &mut RoundBuffers, (orbit, row)| pass.visit(orbit, row, buffers);
            let found: Vec<bool> = own
                .par_rows(part.clone(), words, columns)
                .map_init(RoundBuffers::default, visit)
                .collect();
            any |= found.contains(&true);
            own.put_back(self.working.get_mut(&slice).expect("a slice in work"));
            self.context.progress.advance(share(entries, &part, rows));
            first = part.end;
            after_part(self)?;
        }
        Ok(any)
    }

    /// Widens the grades of a unit if a distance needs it.
    fn widen_for(&mut self, unit: Unit, distance: u16) -> Result<()> {
        for slice in unit.slices() {
            let grades = |found: &DistanceRows| {
                let is_enough = found.grades.has_grade(Code(distance + 1));
                (!is_enough).then(|| found.grades.len() as u64)
            };
            let distances = self.working[&slice].distances.as_ref();
            if let Some(positions) = distances.and_then(grades) {
                // Both widths are in memory for some time.
                self.check_more(2 * positions)?;
                let working = self.working.get_mut(&slice).expect("a slice of the unit");
                working.distances.as_mut().expect("distances are wanted").grades.widen();
            }
        }
        Ok(())
    }

    /// Gives the positions without a value the grade of a draw.
    fn draw_the_rest(&mut self, slice: Slice, rules: &RuleSet) {
        let mut own = OwnRows::take(self.working.get_mut(&slice).expect("a slice in work"));
        let context = self.slice_context(slice, rules);
        let (rows, words) = (context.rows.count(), context.columns.words());
        own.par_rows(0..rows, words, context.columns.count()).for_each(|(_, row)| {
            match row.grades {
                Some(GradeRow::Narrow(grades)) => set_grades(grades, Grade::DRAW, row.undecided),
                Some(GradeRow::Wide(grades)) => set_grades(grades, Grade::DRAW, row.undecided),
                None => {}
            }
        });
        own.put_back(self.working.get_mut(&slice).expect("a slice in work"));
    }

    /// Keeps the values of a slice in work as those of a solved one.
    fn keep(&mut self, slice: Slice, rules: &RuleSet) -> Result<()> {
        let work = self.work_of_solved();
        let distances = self.working.get_mut(&slice).and_then(|slice| slice.distances.take());
        let context = self.slice_context(slice, rules);
        let solved = match distances {
            Some(DistanceRows { grades, .. }) => {
                let longest = grades.longest();
                let grades = grades.into_solved(context.columns.count(), work)?;
                SolvedSlice::Distances { grades, longest }
            }
            None => {
                let working = &self.working[&slice];
                let (orbits, words) = (context.rows.count(), context.columns.words());
                let rows = |plane: &Plane| {
                    let mut kept = vec![0; orbits * words];
                    kept.par_chunks_mut(words).enumerate().for_each(|(orbit, row)| {
                        let from = context.row_of(context.rows.representative(orbit));
                        let words = row.iter_mut().zip(plane.row(from));
                        words.for_each(|(to, word)| *to = word.load(Relaxed));
                    });
                    SolvedRows::new(words, kept, work)
                };
                SolvedSlice::Values { win: rows(&working.win)?, loss: rows(&working.loss)? }
            }
        };
        self.solved.insert(slice, solved);
        Ok(())
    }
}

impl DistanceRows {
    /// Computes the filters. Returns the longest distance of a capture.
    pub(super) fn find_filters(&mut self, columns: usize) -> u16 {
        self.filters = with_grades!(&self.grades, grades => {
            grades.par_chunks(columns).map(GradeFilter::of).collect()
        });
        self.grades.longest()
    }
}

/// A pass over the rows of a slice.
struct Pass<'p, 's, 'a> {
    context: &'p SliceContext<'s, 'a>,
    planes: Planes<'p>,
    working: &'p WorkingSlice,
    /// The distance of the positions that are sought, if the build has distances.
    distance: Option<u16>,
}

impl Pass<'_, '_, '_> {
    /// Finds new positions of a row. Returns whether it had to be checked, without distances, or
    /// whether there are any, with distances.
    fn visit(&self, orbit: usize, row: OwnRow<'_>, buffers: &mut RoundBuffers) -> bool {
        let OwnRow { undecided, safe, grades } = row;
        let occupied = self.context.rows.representative(orbit);
        let row = Row { context: self.context, planes: self.planes, occupied, undecided };
        match (self.distance, grades) {
            (Some(distance), Some(GradeRow::Narrow(grades))) => {
                self.visit_at(distance, orbit, row, grades, buffers)
            }
            (Some(distance), Some(GradeRow::Wide(grades))) => {
                self.visit_at(distance, orbit, row, grades, buffers)
            }
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
        let optional = self.context.capturing_is_optional();
        let grade = G::of_code(Code(distance + 1)).expect("grades are wide enough");
        let distances = self.working.distances.as_ref().expect("distances are wanted");
        let flag = if are_wins { CHECK_WINS } else { CHECK_LOSSES };
        let mut is_checked = take_checks(&self.working.checks[orbit], flag) != 0;
        let mut any = false;
        // Mandatory captures, and captures that win, decide in the round of their distance. If the
        // best capture loses and paikas are possible too, the position can be lost from then on.
        if distances.filters[orbit].may_have(grade) {
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
