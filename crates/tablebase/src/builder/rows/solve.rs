//! The second step for a unit: rounds of paikas, until nothing changes.

use std::collections::HashMap;

use fanorona_core::RuleSet;
use rayon::prelude::*;

use super::after::PanelInput;
use super::changes::Changes;
use super::layout::Layout;
use super::rounds::{self, Pass, SliceChanges, Sought, neighbours};
use super::rowset::RowSet;
use super::state::{RowsBuilder, SliceContext};
use crate::builder::checkpoint::CheckpointStore;
use crate::builder::progress::Phase;
use crate::builder::unit_progress::{DistanceRounds, UnitProgress};
use crate::clock::Stopwatch;
use crate::error::Result;
use crate::slice::{Slice, Unit};
use crate::value::Metric;

/// What has changed in each slice of a unit since the swapped slice read it.
type Changed = HashMap<Slice, SliceChanges>;

/// If more than one in this number of rows has changed, passes look at all rows.
const DENSE: usize = 16;

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
        done: &mut UnitProgress,
        checkpoints: &mut CheckpointStore<'_>,
    ) -> Result<()> {
        match self.context.metric {
            Metric::Wdl => self.solve_values(unit, rules, done, checkpoints)?,
            Metric::Dtw => self.solve_distances(unit, rules, done, checkpoints)?,
        }
        self.count_zugzwangs(unit)?;
        self.inputs = Vec::new();
        // With several processes, each loads the tables.
        if unit.stronger().stones() < self.context.max_stones && self.context.group.is_alone() {
            let watch = Stopwatch::start();
            unit.slices().try_for_each(|slice| self.keep_solved(slice))?;
            self.transposing += watch.read();
        }
        Ok(())
    }

    /// The changes of a slice, made by a function of [`Changes`].
    fn changes(&self, slice: Slice, make: impl Fn(&Layout, &Layout) -> Changes) -> SliceChanges {
        let (layout, swapped) = (self.layout(slice), self.layout(slice.swapped()));
        SliceChanges { wins: make(&layout, &swapped), losses: make(&layout, &swapped) }
    }

    /// Counts everything in a unit as changed. The next passes then find everything that follows
    /// from what is known.
    fn all_changed(&self, unit: Unit) -> Changed {
        unit.slices().map(|slice| (slice, self.changes(slice, Changes::all))).collect()
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
        let last = unit.slices().last().expect("a unit has slices");
        // What the first slice of a unit has found at the beginning is new for the second one, in
        // addition to all that captures have decided.
        let (mut is_first, mut any) = (true, true);
        while any {
            let round = done.rounds + 1;
            self.begin_round(unit, round);
            for slice in unit.slices() {
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
            for slice in unit.slices() {
                let sought = Sought::Distance(distance);
                let mut round = Round { unit, rules, sought, done, checkpoints };
                all_new.insert(slice, self.pass(slice, &changed[&slice.swapped()], &mut round)?);
            }
            let any = group.any(Ok(all_new.values().any(SliceChanges::any)))?;
            if !is_repeated {
                changed = all_new;
            }
            is_repeated = false;
            let working = self.working.as_mut().expect("a unit is in work");
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
        slice: Slice,
        changed: &SliceChanges,
        round: &mut Round<'_, '_>,
    ) -> Result<SliceChanges> {
        self.find_columns(slice.opponent);
        let (group, layout) = (self.context.group, self.layout(slice));
        let found = self.changes(slice, Changes::none);
        let stripes = layout.stripes_of(group.rank());
        for step in 0..layout.most_stripes() {
            if !group.is_alone() {
                self.exchange_changes(slice, step, round.sought, changed)?;
            }
            let result = match stripes.clone().nth(step) {
                Some(stripe) => self.pass_over_stripe(slice, stripe, changed, &found, round),
                None => Ok(()),
            };
            group.agree(result)?;
            self.save_if_due(round.unit, round.done, round.checkpoints)?;
        }
        Ok(found)
    }

    fn pass_over_stripe(
        &mut self,
        slice: Slice,
        stripe: usize,
        changed: &SliceChanges,
        found: &SliceChanges,
        round: &Round<'_, '_>,
    ) -> Result<()> {
        let &Round { rules, sought, .. } = round;
        let (layout, swapped) = (self.layout(slice), self.layout(slice.swapped()));
        let watch = Stopwatch::start();
        let inputs = self.find_inputs(slice, stripe, changed, round)?;
        let is_due = |panel| self.is_due(slice, panel, sought);
        let any_due = layout.stripe(stripe).any(is_due);
        if any_due || inputs.iter().any(PanelInput::has_candidates) {
            self.transposing += watch.read();
            let mut data = self.store_mut().take(slice, stripe)?;
            let context = self.slice_context(slice, rules);
            let due = self.working().distances.get(&slice).map(|distances| &distances.due);
            let inputs = &inputs[..];
            let pass = Pass { sought, layout, swapped, stripe, inputs, due, found };
            let found = rounds::run(&context, &mut data, &pass)?;
            let working = self.working.as_mut().expect("a unit is in work");
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
            let (rows, words) = (context.own.count(), layout.stripe_words(stripe));
            let entries = rounds::entries(&context, rows, layout.words(), &words);
            self.context.progress.advance(entries);
        }
        match self.context.group.is_alone() {
            true => self.inputs = inputs,
            false => {
                let working = self.working.as_mut().expect("a unit is in work");
                working.inputs.insert((slice, stripe), inputs);
            }
        }
        Ok(())
    }

    /// What a pass over a stripe reads: the changes, the rows that they can change, and the values
    /// after paikas.
    fn find_inputs(
        &mut self,
        slice: Slice,
        stripe: usize,
        changed: &SliceChanges,
        round: &Round<'_, '_>,
    ) -> Result<Vec<PanelInput>> {
        let &Round { rules, sought, .. } = round;
        let (layout, is_alone) = (self.layout(slice), self.context.group.is_alone());
        let panels = layout.stripe(stripe);
        let mut inputs = match is_alone {
            true => std::mem::take(&mut self.inputs),
            // The processes have exchanged changes and values.
            false => {
                let working = self.working.as_mut().expect("a unit is in work");
                working.inputs.remove(&(slice, stripe)).expect("received before the pass")
            }
        };
        inputs.resize_with(panels.len(), Default::default);
        let context = self.slice_context(slice, rules);
        let near = |rows: &RowSet| near(&context, rows);
        inputs.par_iter_mut().zip(panels).try_for_each(|(input, panel)| {
            if is_alone {
                let rows_of = |changes: &Changes, wanted| match wanted {
                    true => changes.rows_in(panel, layout.cells()),
                    false => RowSet::default(),
                };
                input.changed_losses = rows_of(&changed.losses, sought.wins());
                input.changed_wins = rows_of(&changed.wins, sought.losses());
            }
            input.win_candidates = near(&input.changed_losses);
            input.loss_candidates = near(&input.changed_wins);
            if !is_alone {
                return Ok(());
            }
            let is_due = self.is_due(slice, panel, sought);
            let wins = match sought.losses() && layout.planes() > 2 && is_due {
                // Positions that are no longer safe are candidates too.
                true => RowSet::All,
                false => near(&input.loss_candidates),
            };
            let losses = &input.changed_losses;
            input.after.read(self.store(), &self.cells, slice, panel, &wins, losses)
        })?;
        Ok(inputs)
    }

    /// Whether captures decide positions of a panel in this round.
    fn is_due(&self, slice: Slice, panel: usize, sought: Sought) -> bool {
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

/// The rows that are a step away from a set of rows; all of them if that is quicker.
fn near(context: &SliceContext<'_, '_>, rows: &RowSet) -> RowSet {
    let count = context.own.count();
    match rows.is_dense(count, DENSE) {
        true => RowSet::All,
        false => rows.related(count, |row| neighbours(context, row)),
    }
}
