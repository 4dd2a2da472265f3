//! A unit in work: its rows are decided by captures, then rounds of paikas find the rest.

use std::collections::HashMap;
use std::ops::Range;

use fanorona_storage::{Spent, Stopwatch};
use fanorona_tablebase::{Result, Slice, Zugzwangs};

use super::checkpoint::restore;
use super::kernel::{Pass, SliceContext, UnitContext, closed, decide_rows, near, new_rows, pass};
use super::store::{
    AfterPanel, InputRequest, KeptSlices, SliceChanges, Store, StripeInput, Wanted, copy_to_memory,
    remove_copies,
};
use super::table::{count_zugzwangs, solved_of};
use crate::checkpoint::{CheckpointStore, DistanceRounds, UnitProgress};
use crate::context::BuildContext;
use crate::progress::{Activity, Part};

/// The minimum number of parts in which the captures of a slice are decided. A checkpoint can be
/// saved after each part.
const PARTS: usize = 16;

/// The maximum number of entries of a part: some tenths of a second of work.
const LARGEST_PART: u64 = 1 << 24;

/// The changes of each slice of a unit since the swapped slice read it.
type Changed = HashMap<Slice, SliceChanges>;

struct UnitInWork<'w, 'a, 'f> {
    context: &'w UnitContext<'w, 'a>,
    store: Store<'a>,
    done: UnitProgress,
    files: &'w mut CheckpointStore<'f>,
    /// The time of transposition since the rounds began.
    transposing: Spent,
}

/// Computes the values of a unit, from those of the slices that its captures lead to, and the
/// zugzwangs of each of its slices. Continues from a checkpoint if one exists. Adds the slices that are
/// needed to `solved`.
pub(super) fn solve<'a>(
    context: &UnitContext<'_, 'a>,
    solved: &mut KeptSlices,
    is_needed: &dyn Fn(Slice) -> bool,
    files: &mut CheckpointStore<'_>,
) -> Result<(Store<'a>, Vec<Zugzwangs>)> {
    let BuildContext { progress, metric, .. } = context.build();
    let (store, done) = restore(context, files)?;
    let mut work = UnitInWork { context, store, done, files, transposing: Spent::default() };
    let watch = Stopwatch::start();
    work.decide(solved, is_needed)?;
    progress.spent(context.unit, Part::Captures, watch.read());
    let watch = Stopwatch::start();
    match metric.has_distances() {
        false => work.find_values()?,
        true => work.find_distances()?,
    }
    let UnitInWork { mut store, mut transposing, .. } = work;
    let zugzwangs = count_zugzwangs(context, &mut store, &mut transposing)?;
    store.end_passes();
    let keeping = Stopwatch::start();
    for context in context.slices.iter().filter(|context| is_needed(context.slice)) {
        solved.insert(context.slice, solved_of(context, &store.values)?);
    }
    transposing += keeping.read();
    progress.spent(context.unit, Part::Rounds, watch.read() - transposing);
    progress.spent(context.unit, Part::Transposition, transposing);
    Ok((store, zugzwangs))
}

impl UnitInWork<'_, '_, '_> {
    /// Decides by captures the rows that are not decided yet. Then only the slices that later units
    /// need are kept.
    fn decide(&mut self, solved: &mut KeptSlices, is_needed: &dyn Fn(Slice) -> bool) -> Result<()> {
        let memory = self.context.memory().copies;
        let is_read = |after| self.context.unit.captures_into(after);
        copy_to_memory(solved, memory, is_read, is_needed);
        self.decide_rows(solved)?;
        solved.retain(|slice, _| is_needed(*slice));
        remove_copies(solved);
        Ok(())
    }

    fn decide_rows(&mut self, solved: &KeptSlices) -> Result<()> {
        let (unit, build) = (self.context.unit, self.context.build());
        let processes = build.processes;
        build.begin(unit, Activity::Captures);
        for (i, context) in self.context.slices.iter().enumerate() {
            let columns = context.index().columns();
            build.progress.advance(self.done.rows[i] as u64 * columns);
            let all = context.own.count();
            let some = all.div_ceil(PARTS).min((LARGEST_PART / columns) as usize);
            // At least one row per thread.
            let some = some.min(context.layout.rows_together()).max(rayon::current_num_threads());
            let some = processes.max(some as u64)? as usize;
            while self.done.rows[i] < all {
                let next = |process: usize| all.min(self.done.rows[i] + process * some);
                let rows = next(processes.index())..next(processes.index() + 1);
                let end = next(processes.count());
                let mut decided = new_rows(context, solved, rows.len(), 0);
                let result = decide_rows(context, solved, &mut decided, rows.clone());
                let decided = result.map(|()| closed(context, decided, rows));
                let stored = self.store.put_decided(context.slice, decided);
                if stored.is_ok() {
                    self.done.rows[i] = end;
                }
                self.save_if_due(Ok(()))?;
                stored?;
            }
        }
        Ok(())
    }

    /// Saves a checkpoint if one is due, after some work of all processes with a result.
    fn save_if_due(&mut self, result: Result<()>) -> Result<()> {
        let Self { context, store, done, files, .. } = self;
        files.save_if_due(result, done, |_| store.values.save(context.unit))
    }

    /// No changes of a slice, or everything as changed.
    fn changes(&self, context: &SliceContext<'_, '_>, are_all: bool) -> SliceChanges {
        let swapped = self.context.slice(context.slice.swapped()).layout;
        SliceChanges::new(&context.layout, &swapped, context.build.processes.index(), are_all)
    }

    /// Counts everything in the unit as changed. The next passes then find everything that follows
    /// from what is known.
    fn all_changed(&self) -> Changed {
        let slices = self.context.slices.iter();
        slices.map(|context| (context.slice, self.changes(context, true))).collect()
    }

    /// Finds wins and losses without distances, until nothing is new.
    fn find_values(&mut self) -> Result<()> {
        let mut changed = self.all_changed();
        let last = self.context.slices.len() - 1;
        // The first finds of the first slice of a unit are new for the second one, in addition to all
        // that captures have decided.
        let (mut is_first, mut any) = (true, true);
        while any {
            let round = self.done.rounds + 1;
            self.context.build().begin(self.context.unit, Activity::Round(round));
            for (i, context) in self.context.slices.iter().enumerate() {
                let slice = context.slice;
                let new = self.pass(context, Wanted::All, &changed[&slice.swapped()])?;
                if i == last {
                    any = context.build.processes.any(Ok(new.any()))?;
                }
                if !is_first || i == last {
                    changed.insert(slice, new);
                }
            }
            is_first = false;
            self.done.rounds = round;
        }
        Ok(())
    }

    /// Finds the positions that are decided in 0 turns, 1, 2 and so on: losses at even distances,
    /// wins at odd ones. Positions that captures decide are added in the round of their distance.
    fn find_distances(&mut self) -> Result<()> {
        let processes = self.context.build().processes;
        let logs = || self.store.values.distances.values();
        let due = logs().map(|distances| distances.due.longest());
        let latest_capture = due.max().flatten().unwrap_or(0);
        let latest_capture = processes.max(latest_capture.into())? as u16;
        let mut changed = self.all_changed();
        // A round that was interrupted is repeated. What it had found before is new for the next one.
        let is_found = logs().any(|distances| distances.found.longest().is_some());
        let mut is_repeated = processes.any(Ok(is_found))?;
        let mut rounds = DistanceRounds::new(latest_capture);
        loop {
            let limit = self.context.build().sizes.max_distance;
            let distance = self.done.next_distance(self.context.unit, limit)?;
            self.context.build().begin(self.context.unit, Activity::Round(distance.into()));
            let mut all_new = HashMap::new();
            for context in &self.context.slices {
                let (slice, sought) = (context.slice, Wanted::Distance(distance));
                all_new.insert(slice, self.pass(context, sought, &changed[&slice.swapped()])?);
            }
            let any = processes.any(Ok(all_new.values().any(SliceChanges::any)))?;
            if !is_repeated {
                changed = all_new;
            }
            is_repeated = false;
            let distances = &mut self.store.values.distances;
            distances.values_mut().for_each(|slice| slice.due.remove(distance));
            self.done.rounds += 1;
            if rounds.is_last(distance, any) {
                return Ok(());
            }
        }
    }

    /// Finds new wins and losses of a slice, from changes of the swapped slice. Returns what is
    /// new. Saves a checkpoint if one is due: more can be found from any state between two stripes.
    fn pass(
        &mut self,
        context: &SliceContext<'_, '_>,
        sought: Wanted,
        changed: &SliceChanges,
    ) -> Result<SliceChanges> {
        let (slice, near) = (context.slice, |rows: &_| near(context, rows));
        let found = self.changes(context, false);
        for step in 0..context.layout.stripes {
            let watch = Stopwatch::start();
            let request = InputRequest { slice, step, sought, changed, near: &near };
            let input = self.store.take_input(&request);
            self.transposing += watch.read();
            let result = input.and_then(|input| match input {
                Some(input) => self.pass_over_stripe(context, sought, input, &found),
                None => Ok(()),
            });
            self.save_if_due(result)?;
        }
        Ok(found)
    }

    fn pass_over_stripe(
        &mut self,
        context: &SliceContext<'_, '_>,
        sought: Wanted,
        input: StripeInput,
        found: &SliceChanges,
    ) -> Result<()> {
        let (slice, layout, stripe) = (context.slice, context.layout, input.stripe);
        let values = &mut self.store.values;
        if input.has_candidates() || values.is_any_due(slice, stripe, sought) {
            let swapped = values.layout(slice.swapped());
            let first = layout.stripe(stripe).start;
            let panels = layout.stripe(stripe);
            let due: Vec<_> = panels.map(|panel| values.is_due(slice, panel, sought)).collect();
            let wanted = |panel: usize, rows: &Range<usize>| {
                due[panel - first] || input.panels[panel - first].has_candidates_in(rows)
            };
            let mut data = values.tiles.take(slice, stripe, &wanted)?;
            let due = values.distances.get(&slice).map(|distances| &distances.due);
            let after = AfterPanel::of_stripe(&layout, stripe, &input.after);
            let changed = &input.panels[..];
            let pass = Pass { sought, layout, swapped, stripe, changed, after, due, found };
            let found = pass::run(context, &mut data, &pass)?;
            let is_changed = |panel: usize, rows: &Range<usize>| found.is_in(&layout, panel, rows);
            let changed = (!found.changed.is_empty()).then_some(&is_changed as _);
            values.tiles.put(slice, stripe, data, changed)?;
            let log = values.distances.get_mut(&slice);
            if let (Wanted::Distance(distance), Some(log)) = (sought, log) {
                log.found.add(distance, found.frames)?;
            }
        } else {
            let entries = pass::entries(context, &(0..context.own.count()), &layout, stripe);
            context.build.progress.advance(entries);
        }
        self.store.give_back(slice, input)
    }
}
