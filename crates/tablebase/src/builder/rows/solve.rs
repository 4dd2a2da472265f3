//! The second step for a unit: rounds of paikas, until nothing changes.

use std::collections::HashMap;

use fanorona_core::RuleSet;

use super::matrix::rows_per_word;
use super::resume::UnitProgress;
use super::rounds::{self, Pass, Sought};
use super::slices::{SolvedDistances, SolvedSlice, Width};
use super::state::RowsBuilder;
use super::zugzwang::ZugzwangSearch;
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::context::MAX_DISTANCE;
use crate::builder::progress::Phase;
use crate::clock::Stopwatch;
use crate::error::{Result, TableError};
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};

/// The rows of each slice's transposed matrices that changed.
type Changed = HashMap<Slice, Vec<bool>>;

fn any(changed: &Changed) -> bool {
    changed.values().flatten().any(|row| *row)
}

impl RowsBuilder<'_> {
    /// Computes all values of a unit whose captures are decided.
    pub(super) fn solve_unit(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        for slice in unit.slices() {
            self.transpose(slice);
        }
        match self.context.metric {
            Metric::Wdl => self.solve_values(unit, rules, done, checkpoints),
            Metric::Dtw => self.solve_distances(unit, rules, done, checkpoints),
        }
    }

    /// Transposes a slice's matrices: their rows become the opponent's sets.
    pub(super) fn transpose(&mut self, slice: Slice) {
        let watch = Stopwatch::start();
        let group = self.context.sets.group();
        let (own, opponent) = (self.context.orbits(slice.own), self.context.orbits(slice.opponent));
        let mut solved = SolvedSlice::new(opponent.count(), own.num_numbers(), group);
        let working = &self.working[&slice];
        let all = vec![true; own.count().div_ceil(rows_per_word(group))];
        self.cells.transpose(&working.win, &all, &mut solved.win);
        self.cells.transpose(&working.loss, &all, &mut solved.loss);
        self.solved.insert(slice, solved);
        self.transposing += watch.read();
    }

    /// Marks all rows of a unit's transposed matrices as changed. The next pass then finds
    /// everything that follows from what is known.
    fn all_changed(&self, unit: Unit) -> Changed {
        let rows_per_word = rows_per_word(self.context.sets.group());
        let rows = |slice: Slice| {
            self.context.orbits(slice.opponent).count().next_multiple_of(rows_per_word)
        };
        unit.slices().map(|slice| (slice, vec![true; rows(slice)])).collect()
    }

    /// Finds new wins or new losses of a unit's slices, from changes of the other value.
    fn pass(&mut self, unit: Unit, rules: &RuleSet, sought: Sought, changed: &Changed) -> Changed {
        let mut groups = HashMap::new();
        for slice in unit.slices() {
            let mut working = self.working.remove(&slice).expect("a slice of the unit");
            self.find_columns(slice.opponent);
            let context = self.slice_context(slice, rules);
            let other = &self.solved[&slice.swapped()];
            let after = if sought.wins() { &other.loss } else { &other.win };
            let pass = Pass { sought, after, changed: &changed[&slice.swapped()] };
            groups.insert(slice, rounds::run(&context, &mut working, &pass));
            self.working.insert(slice, working);
        }
        // Both slices have been read, so both may be written now.
        let watch = Stopwatch::start();
        let mut rows = HashMap::new();
        for (slice, groups) in groups {
            let working = &self.working[&slice];
            let solved = self.solved.get_mut(&slice).expect("a slice of the unit");
            let (from, to) = match sought.wins() {
                true => (&working.win, &mut solved.win),
                false => (&working.loss, &mut solved.loss),
            };
            rows.insert(slice, self.cells.transpose(from, &groups, to));
        }
        self.transposing += watch.read();
        rows
    }

    /// Finds wins and losses without distances, alternately, until nothing is new.
    fn solve_values(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let mut losses = self.all_changed(unit);
        // In the first round, the wins from captures are new too.
        let mut wins = Some(self.all_changed(unit));
        loop {
            let round = done.rounds + 1;
            self.begin_round(unit, round, 2);
            let new = self.pass(unit, rules, Sought::Wins, &losses);
            losses = self.pass(unit, rules, Sought::Losses, &wins.take().unwrap_or(new));
            if !any(&losses) {
                break;
            }
            done.rounds = round;
            self.save_if_due(unit, done, checkpoints)?;
        }
        self.count_zugzwangs(unit)
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
        for working in self.working.values_mut() {
            let distances = working.distances.as_mut().expect("distances are wanted");
            latest_capture = distances.find_filters().max(latest_capture);
        }
        let mut changed = self.all_changed(unit);
        let mut longest = 0;
        let mut quiet_rounds = 0;
        loop {
            let distance = u16::try_from(done.rounds).unwrap_or(u16::MAX);
            if distance > MAX_DISTANCE {
                return Err(TableError::TooFar { slice: unit.stronger(), limit: MAX_DISTANCE });
            }
            self.widen_for(unit, distance)?;
            self.begin_round(unit, distance.into(), 1);
            changed = self.pass(unit, rules, Sought::Distance(distance), &changed);
            done.rounds += 1;
            if any(&changed) {
                (longest, quiet_rounds) = (distance, 0);
            } else {
                quiet_rounds += 1;
            }
            // A round can only find positions because of the round before it, or because of
            // captures with its distance.
            if quiet_rounds >= 2 && distance >= latest_capture {
                break;
            }
            self.save_if_due(unit, done, checkpoints)?;
        }
        self.count_zugzwangs(unit)?;
        let longest = longest.max(latest_capture);
        for slice in unit.slices() {
            self.working.get_mut(&slice).expect("a slice of the unit").draw_the_rest();
            self.keep_distances(slice, longest)?;
        }
        Ok(())
    }

    /// Widens the grades of a unit if a distance needs it.
    fn widen_for(&mut self, unit: Unit, distance: u16) -> Result<()> {
        for slice in unit.slices() {
            let distances = self.working[&slice].distances.as_ref().expect("distances are wanted");
            if !distances.has_grade(Code(distance + 1)) {
                self.check_memory(Width::Wide.bytes() * distances.len())?;
                self.set_width(slice, Width::Wide);
            }
        }
        Ok(())
    }

    fn set_width(&mut self, slice: Slice, width: Width) {
        let working = self.working.get_mut(&slice).expect("a slice of the unit");
        working.distances = working.distances.take().map(|found| found.with_width(width));
    }

    /// Keeps the grades of a solved slice in transposed form, if slices of this build capture into
    /// it.
    pub(super) fn keep_distances(&mut self, slice: Slice, longest: u16) -> Result<()> {
        if slice.stones() >= self.context.max_stones {
            return Ok(());
        }
        let width = Width::for_distance(longest);
        let distances = self.working[&slice].distances.as_ref().expect("distances are wanted");
        if width != distances.width() {
            self.check_memory(width.bytes() * distances.len())?;
            self.set_width(slice, width);
        }
        let distances = self.working[&slice].distances.as_ref().expect("distances are wanted");
        if width == Width::Wide {
            self.check_memory(distances.len())?;
        }
        let watch = Stopwatch::start();
        let group = self.context.sets.group();
        let grades = distances.transposed(group, &self.cells);
        let solved = SolvedSlice::of_distances(SolvedDistances { grades, longest }, group);
        self.solved.insert(slice, solved);
        self.transposing += watch.read();
        Ok(())
    }

    /// Counts the zugzwangs of a solved unit.
    fn count_zugzwangs(&mut self, unit: Unit) -> Result<()> {
        self.zugzwangs.clear();
        for slice in unit.slices() {
            let search = ZugzwangSearch {
                context: self.context,
                slice,
                columns: self.find_columns(slice.opponent),
                moving: &self.working[&slice],
                waiting: &self.solved[&slice.swapped()],
            };
            let found = search.run()?;
            self.zugzwangs.insert(slice, found);
        }
        Ok(())
    }

    /// Reports that a round begins. Each of its passes goes through all rows.
    fn begin_round(&self, unit: Unit, round: u32, passes: u64) {
        let entries = passes * self.context.entries(unit);
        self.context.progress.begin(unit, Phase::Round(round), entries);
    }
}
