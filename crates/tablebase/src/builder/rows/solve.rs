//! The second step for a unit: rounds of paikas, until nothing changes.

use std::collections::HashMap;
use std::ops::Range;

use fanorona_core::{RuleSet, SymmetryGroup};

use super::after::{After, AfterKey, Needed};
use super::changes::{Changes, StripeChanges};
use super::matrix::BitMatrix;
use super::resume::UnitProgress;
use super::rounds::{self, Pass, Sought};
use super::slices::{SolvedDistances, SolvedSlice, Width};
use super::state::RowsBuilder;
use super::zugzwang::ZugzwangSearch;
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::context::MAX_DISTANCE;
use crate::builder::memory::RoundMemory;
use crate::builder::progress::Phase;
use crate::clock::Stopwatch;
use crate::error::{Result, TableError};
use crate::slice::{Slice, Unit};
use crate::value::{Code, Metric};
use crate::zugzwang::ZugzwangCounter;

/// What a pass has changed in each slice of a unit.
type Changed = HashMap<Slice, Changes>;

fn any(changed: &Changed) -> bool {
    changed.values().any(Changes::any)
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
        self.after = After::new(self.context.plan.rounds(unit));
        match self.context.metric {
            Metric::Wdl => self.solve_values(unit, rules, done, checkpoints)?,
            Metric::Dtw => self.solve_distances(unit, rules, done, checkpoints)?,
        }
        self.after = After::new(RoundMemory::Kept);
        Ok(())
    }

    /// Keeps the transposed values of a solved slice without distances, if slices of this build
    /// capture into it.
    pub(super) fn keep_values(&mut self, slice: Slice) {
        if slice.stones() >= self.context.max_stones {
            return;
        }
        let watch = Stopwatch::start();
        let working = &self.working[&slice];
        let mut transposed = |from, wins| {
            self.after.take(&self.cells, from, AfterKey { slice: slice.swapped(), wins })
        };
        let win = transposed(&working.win, true);
        let loss = transposed(&working.loss, false);
        self.solved.insert(slice, SolvedSlice { win, loss, distances: None });
        self.transposing += watch.read();
    }

    /// The changes of a slice, made by a function of [`Changes`].
    fn changes(
        &self,
        slice: Slice,
        make: impl Fn(&BitMatrix, usize, &SymmetryGroup) -> Changes,
    ) -> Changes {
        // The swapped slice reads them.
        let stripes = self.after.stripes(&self.working[&slice.swapped()].win, 1);
        make(&self.working[&slice].win, stripes.width(), self.context.sets.group())
    }

    /// Counts everything in a unit as changed. The next pass then finds everything that follows
    /// from what is known.
    fn all_changed(&self, unit: Unit) -> Changed {
        unit.slices().map(|slice| (slice, self.changes(slice, Changes::all))).collect()
    }

    /// Finds new wins or new losses of a unit's slices, from changes of the other value.
    fn pass(&mut self, unit: Unit, rules: &RuleSet, sought: Sought, changed: &Changed) -> Changed {
        let mut found = HashMap::new();
        for slice in unit.slices() {
            self.find_columns(slice.opponent);
            let new = self.changes(slice, Changes::none);
            for stripe in self.after.stripes(&self.working[&slice].win, 1).ranges() {
                let changed = changed[&slice.swapped()].in_stripe(stripe.clone());
                self.pass_over_stripe(slice, rules, sought, stripe, changed, &new);
            }
            found.insert(slice, new);
        }
        found
    }

    fn pass_over_stripe(
        &mut self,
        slice: Slice,
        rules: &RuleSet,
        sought: Sought,
        stripe: Range<usize>,
        changed: StripeChanges<'_>,
        found: &Changes,
    ) {
        let context = self.slice_context(slice, rules);
        let working = &self.working[&slice];
        if !changed.any() && !rounds::may_be_due(working, sought) {
            let words = working.win.words();
            let entries = rounds::entries(&context, context.own.count(), words, &stripe);
            self.context.progress.advance(entries);
            return;
        }
        let watch = Stopwatch::start();
        let swapped = &self.working[&slice.swapped()];
        let key = AfterKey { slice, wins: !sought.wins() };
        let (from, needed) = match sought.wins() {
            true => (&swapped.loss, Needed::Changed(changed)),
            false => (&swapped.win, Needed::AllAfter(changed)),
        };
        self.after.update(&self.cells, from, key, stripe.clone(), &needed);
        self.transposing += watch.read();

        let mut working = self.working.remove(&slice).expect("a slice of the unit");
        let context = self.slice_context(slice, rules);
        let after = self.after.get(key);
        let pass = Pass { sought, stripe, after, changed, found };
        rounds::run(&context, &mut working, &pass);
        self.working.insert(slice, working);
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
        self.count_zugzwangs(unit)?;
        unit.slices().for_each(|slice| self.keep_values(slice));
        Ok(())
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
        // Distances do not need them any more.
        self.after = After::new(RoundMemory::Kept);
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
        let solved = SolvedSlice::of_distances(SolvedDistances { grades, longest });
        self.solved.insert(slice, solved);
        self.transposing += watch.read();
        Ok(())
    }

    /// Counts the zugzwangs of a solved unit.
    fn count_zugzwangs(&mut self, unit: Unit) -> Result<()> {
        self.zugzwangs.clear();
        self.after.end_stripe();
        for slice in unit.slices() {
            let columns = self.find_columns(slice.opponent);
            let mut counter = ZugzwangCounter::default();
            for stripe in self.after.stripes(&self.working[&slice].win, 2).ranges() {
                let watch = Stopwatch::start();
                let swapped = &self.working[&slice.swapped()];
                let [win, loss] = [true, false].map(|wins| AfterKey { slice, wins });
                for (from, key) in [(&swapped.win, win), (&swapped.loss, loss)] {
                    self.after.update(&self.cells, from, key, stripe.clone(), &Needed::All);
                }
                self.transposing += watch.read();
                let search = ZugzwangSearch {
                    context: self.context,
                    slice,
                    columns,
                    moving: &self.working[&slice],
                    stripe,
                    other_win: self.after.get(win),
                    other_loss: self.after.get(loss),
                };
                counter = counter.append(search.run()?);
            }
            self.zugzwangs.insert(slice, counter.finish(&self.context.index(slice)));
        }
        self.after.end_stripe();
        Ok(())
    }

    /// Reports that a round begins. Each of its passes goes through all rows.
    fn begin_round(&self, unit: Unit, round: u32, passes: u64) {
        let entries = passes * self.context.entries(unit);
        self.context.progress.begin(unit, Phase::Round(round), entries);
    }
}
