//! The second step for a unit: rounds of paikas, until nothing changes.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use fanorona_core::RuleSet;
use rayon::prelude::*;

use super::after::{AfterPanel, read_stripe};
use super::changes::Changes;
use super::input::{PanelInput, StripeInput, near};
use super::layout::Layout;
use super::rounds::{self, Pass, SliceChanges, Sought};
use super::rowset::RowSet;
use super::state::RowsBuilder;
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::progress::Phase;
use crate::builder::unit_progress::{DistanceRounds, UnitProgress};
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::slice::{PhaseSlice, Unit};
use crate::value::Metric;

/// The changes of each slice of a unit since the swapped slice read it.
type Changed = HashMap<PhaseSlice, SliceChanges>;

/// A round: what is done, and what it reads.
struct Round<'r, 'c> {
    unit: Unit,
    rules: &'r RuleSet,
    sought: Sought,
    done: &'r UnitProgress,
    checkpoints: &'r mut CheckpointStore<'c>,
}

impl RowsBuilder<'_> {
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
        self.after = Vec::new();
        let watch = Stopwatch::start();
        let mut kept = unit.phase_slices().filter(|slice| is_needed(*slice));
        kept.try_for_each(|slice| self.keep_solved(slice))?;
        self.transposing += watch.read();
        Ok(())
    }

    /// The changes of a slice, made by a function of [`Changes`].
    fn changes(
        &self,
        slice: PhaseSlice,
        make: impl Fn(&Layout, &Layout, usize) -> Changes,
    ) -> SliceChanges {
        let (layout, swapped) = (self.layout(slice), self.layout(slice.swapped()));
        let new = || make(&layout, &swapped, self.context.group.rank());
        SliceChanges { wins: new(), losses: new() }
    }

    /// Counts everything in a unit as changed. The next passes then find everything that follows
    /// from what is known.
    fn all_changed(&self, unit: Unit) -> Changed {
        unit.phase_slices().map(|slice| (slice, self.changes(slice, Changes::all))).collect()
    }

    /// Finds wins and losses without distances, until nothing is new.
    fn solve_values(
        &mut self,
        unit: Unit,
        rules: &RuleSet,
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        let mut changed = self.all_changed(unit);
        let last = unit.phase_slices().last().expect("a unit has slices");
        // The first finds of the first slice of a unit are new for the second one, in addition to all
        // that captures have decided.
        let (mut is_first, mut any) = (true, true);
        while any {
            let round = done.rounds + 1;
            self.begin_round(unit, round);
            for slice in unit.phase_slices() {
                let sought = Sought::All;
                let mut round = Round { unit, rules, sought, done, checkpoints };
                let new = self.pass(slice, &changed[&slice.swapped()], &mut round)?;
                if slice == last {
                    any = self.context.group.any(Ok(new.any()))?;
                }
                if !is_first || slice == last {
                    changed.insert(slice, new);
                }
            }
            is_first = false;
            done.rounds = round;
        }
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
        let group = self.context.group;
        let due = self.working().distances.values().map(|distances| distances.due.longest());
        let latest_capture = due.max().flatten().unwrap_or(0);
        let latest_capture = group.max(latest_capture.into())? as u16;
        let mut changed = self.all_changed(unit);
        // A round that was interrupted is repeated. What it had found before is new for the next one.
        let mut found = self.working().distances.values().map(|distances| &distances.found);
        let mut is_repeated = group.any(Ok(found.any(|found| found.longest().is_some())))?;
        let mut rounds = DistanceRounds::new(latest_capture);
        loop {
            let distance = done.next_distance(unit)?;
            self.begin_round(unit, distance.into());
            let mut all_new = HashMap::new();
            for slice in unit.phase_slices() {
                let sought = Sought::Distance(distance);
                let mut round = Round { unit, rules, sought, done, checkpoints };
                all_new.insert(slice, self.pass(slice, &changed[&slice.swapped()], &mut round)?);
            }
            let any = group.any(Ok(all_new.values().any(SliceChanges::any)))?;
            if !is_repeated {
                changed = all_new;
            }
            is_repeated = false;
            let working = self.working_mut();
            working.distances.values_mut().for_each(|slice| slice.due.remove(distance));
            done.rounds += 1;
            if rounds.is_last(distance, any) {
                return Ok(());
            }
        }
    }

    /// Finds new wins and losses of a slice, from changes of the swapped slice. Returns what is
    /// new. Saves a checkpoint if one is due: more can be found from any state between two stripes.
    fn pass(
        &mut self,
        slice: PhaseSlice,
        changed: &SliceChanges,
        round: &mut Round<'_, '_>,
    ) -> Result<SliceChanges> {
        self.find_columns(slice.opponent());
        let (group, layout) = (self.context.group, self.layout(slice));
        let found = self.changes(slice, Changes::none);
        let stripes = layout.stripes_of(group.rank());
        for step in 0..layout.most_stripes() {
            let (input, result) = match (group.is_alone(), stripes.clone().nth(step)) {
                (true, Some(stripe)) => {
                    (Some(self.read_input(slice, stripe, changed, round)?), Ok(()))
                }
                _ => self.exchange_changes(slice, step, round.sought, changed)?,
            };
            let result = result.and_then(|()| match stripes.clone().nth(step).zip(input) {
                Some((stripe, input)) => self.pass_over_stripe(slice, stripe, input, &found, round),
                None => Ok(()),
            });
            self.save_if_due(round.unit, result, round.done, round.checkpoints)?;
        }
        Ok(found)
    }

    fn pass_over_stripe(
        &mut self,
        slice: PhaseSlice,
        stripe: usize,
        input: StripeInput,
        found: &SliceChanges,
        round: &Round<'_, '_>,
    ) -> Result<()> {
        let &Round { rules, sought, .. } = round;
        let (layout, swapped) = (self.layout(slice), self.layout(slice.swapped()));
        if input.has_candidates() || self.is_any_due(slice, stripe, sought) {
            let first = layout.stripe(stripe).start;
            let due: Vec<_> =
                layout.stripe(stripe).map(|panel| self.is_due(slice, panel, sought)).collect();
            let wanted = |panel: usize, rows: &Range<usize>| {
                due[panel - first] || input.panels[panel - first].has_candidates_in(rows)
            };
            let mut data = self.store_mut().take(slice, stripe, &wanted)?;
            let context = self.slice_context(slice, rules);
            let due = self.working().distances.get(&slice).map(|distances| &distances.due);
            let after = AfterPanel::of_stripe(&layout, stripe, &input.after);
            let changed = &input.panels[..];
            let pass = Pass { sought, layout, swapped, stripe, changed, after, due, found };
            let found = rounds::run(&context, &mut data, &pass)?;
            let working = self.working_mut();
            working.store.put(slice, stripe, data, found.any)?;
            if found.any {
                working.saved.stripe_changed(slice, &layout, stripe);
            }
            if let (Sought::Distance(distance), Some(log)) =
                (sought, working.distances.get_mut(&slice))
            {
                log.found.add(distance, found.frames)?;
            }
        } else {
            let context = self.slice_context(slice, rules);
            let entries = rounds::entries(&context, &(0..context.own.count()), &layout, stripe);
            self.context.progress.advance(entries);
        }
        self.put_after(slice, stripe, input.after, input.has_changed)
    }

    /// Reads what a pass over a stripe needs: the changes, the rows that they can change, and the
    /// values after paikas.
    fn read_input(
        &mut self,
        slice: PhaseSlice,
        stripe: usize,
        changed: &SliceChanges,
        round: &Round<'_, '_>,
    ) -> Result<StripeInput> {
        let &Round { rules, sought, .. } = round;
        let watch = Stopwatch::start();
        let mut after = std::mem::take(&mut self.after);
        let context = self.slice_context(slice, rules);
        let layout = self.layout(slice);
        let panels = layout.stripe(stripe).into_par_iter().map(|panel| {
            let rows_of = |changes: &Changes, wanted| match wanted {
                true => changes.rows_in(layout.segment_of(panel)),
                false => RowSet::default(),
            };
            let wins = rows_of(&changed.wins, sought.losses());
            let losses = rows_of(&changed.losses, sought.wins());
            PanelInput::new(&context, &wins, losses)
        });
        let panels: Vec<_> = panels.collect();
        let wanted = |i: usize| {
            let input: &PanelInput = &panels[i];
            let is_due = self.is_due(slice, layout.stripe(stripe).start + i, sought);
            let wins = match sought.losses() && layout.planes() > 2 && is_due {
                // Positions that are no longer safe are candidates too.
                true => RowSet::All,
                false => near(&context, &input.loss_candidates),
            };
            [Cow::Owned(wins), Cow::Borrowed(&input.changed_losses)]
        };
        read_stripe(self.store(), &self.cells, (slice, stripe), &mut after, wanted)?;
        self.transposing += watch.read();
        Ok(StripeInput { panels, after, has_changed: false })
    }

    /// Whether captures decide positions of a stripe in this round.
    pub(super) fn is_any_due(&self, slice: PhaseSlice, stripe: usize, sought: Sought) -> bool {
        self.layout(slice).stripe(stripe).any(|panel| self.is_due(slice, panel, sought))
    }

    /// Whether captures decide positions of a panel in this round.
    fn is_due(&self, slice: PhaseSlice, panel: usize, sought: Sought) -> bool {
        match (sought, self.working().distances.get(&slice)) {
            (Sought::Distance(distance), Some(found)) => found.due.has_panel(distance, panel),
            _ => false,
        }
    }

    /// Reports that a round begins. It goes through all rows.
    fn begin_round(&self, unit: Unit, round: u32) {
        self.context.progress.begin(unit, Phase::Round(round), self.context.entries(unit));
    }
}
