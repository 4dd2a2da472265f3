//! The plain solver.
//!
//! A position is lost in `r` turns if every turn leads to a position that is won in at most `r - 1`
//! turns. It is won in `r` turns if some turn leads to a position that is lost in at most `r - 1`
//! turns. Round `r` finds the positions of distance `r`.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use fanorona_core::{Position, RuleSet, Side, Stones};
use fanorona_storage::Stopwatch;
use fanorona_tablebase::format::{TableFile, write_table};
use fanorona_tablebase::index::{Entry, SliceIndex};
use fanorona_tablebase::{
    Code, Metric, Result, Slice, TableError, TableKey, Unit, Zugzwang, ZugzwangCounter,
    captures_decide, check_stop,
};
use rayon::prelude::*;

use crate::backend::{Loaded, Solved, Solver};
use crate::checkpoint::CheckpointStore;
use crate::context::BuildContext;
use crate::count::{add_code, of_codes, sum};
use crate::progress::{Activity, Part, report_write_times};

/// The number of entries that a thread processes before it checks whether to stop.
const CHUNK: usize = 1 << 14;

/// The codes of a slice, in index order.
type SliceValues = Vec<AtomicU16>;

fn code_in(value: &AtomicU16) -> Code {
    Code(value.load(Relaxed))
}

/// Solves plainly, with its solved slices in memory.
pub(super) struct PlainSolver<'a> {
    context: BuildContext<'a>,
    solved: HashMap<Slice, SliceValues>,
}

impl<'a> PlainSolver<'a> {
    pub(super) fn new(context: BuildContext<'a>) -> Self {
        Self { context, solved: HashMap::new() }
    }

    fn index(&self, slice: Slice) -> SliceIndex<'a> {
        self.context.index(slice)
    }

    fn unknown(&self, slice: Slice) -> SliceValues {
        (0..self.index(slice).len()).map(|_| AtomicU16::new(Code::NONE.0)).collect()
    }

    fn position(&self, entry: &Entry) -> Position {
        entry.position(self.context.sets.board())
    }

    /// Visits every position of a slice with its value, on all threads. White is to move.
    fn for_each(
        &self,
        slice: Slice,
        values: &SliceValues,
        visit: impl Fn(&Position, &AtomicU16) + Sync,
    ) -> Result<()> {
        let index = self.index(slice);
        values.par_chunks(CHUNK).enumerate().try_for_each(|(chunk, part)| {
            check_stop(self.context.stop)?;
            for (value, entry) in part.iter().zip(index.entries((chunk * CHUNK) as u64)) {
                visit(&self.position(&entry), value);
            }
            self.context.progress.advance(part.len() as u64);
            Ok(())
        })
    }

    /// Sets the value of every position without one to the result of `find`. Returns the longest
    /// new distance.
    fn update(&self, slice: Slice, find: impl Fn(&Position) -> Option<Code> + Sync) -> Result<u32> {
        let longest = AtomicU16::new(0);
        self.for_each(slice, &self.solved[&slice], |position, value| {
            if code_in(value) == Code::NONE
                && let Some(code) = find(position)
            {
                value.store(code.0, Relaxed);
                longest.fetch_max(code.distance().unwrap_or(0), Relaxed);
            }
        })?;
        Ok(longest.into_inner().into())
    }

    /// The value of the position after a turn; [`Code::NONE`] if it is not known yet.
    fn after(&self, rules: &RuleSet, after: &Position) -> Code {
        let Some(slice) = Slice::in_game(rules, after) else { return Code::LOSS };
        code_in(&self.solved[&slice][self.index(slice).index(Stones::of(after)) as usize])
    }

    /// The value of a position in which a capture is mandatory. All its turns lead to smaller
    /// slices. `None` for other positions.
    fn decided_by_captures(&self, rules: &RuleSet, position: &Position) -> Option<Code> {
        if !captures_decide(rules) || !rules.has_capture(position) {
            return None;
        }
        let mut best: Option<Code> = None;
        rules.for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            let code = self.after(rules, &after).before_turn(self.context.metric);
            best = Some(best.map_or(code, |best| best.better(code)));
        });
        best
    }

    /// The longest distance after a capture, which rounds have to reach. 0 if captures are
    /// mandatory, because they are then decided before the first round.
    fn longest_after_captures(&self, unit: Unit, rules: &RuleSet) -> u32 {
        if captures_decide(rules) {
            return 0;
        }
        let distances = |slice| {
            let codes = self.solved[&slice].par_iter().map(code_in);
            codes.filter_map(Code::distance).max()
        };
        unit.after_captures().filter_map(distances).max().unwrap_or(0).into()
    }

    /// The kind of zugzwang of a position in a solved unit, if it is one.
    fn zugzwang(&self, rules: &RuleSet, position: &Position, code: Code) -> Option<Zugzwang> {
        let other = position.with_other_to_move();
        let other_code = self.after(rules, &other);
        Zugzwang::of(code.value(), other_code.value())
            .filter(|_| !rules.has_capture(position) && !rules.has_capture(&other))
    }

    /// The value of a position that follows from values with a distance below `round`. `None` if
    /// none does.
    fn evaluate(&self, rules: &RuleSet, position: &Position, round: u32) -> Option<Code> {
        let mut latest_loss = Some(Code::LOSS);
        let won = rules.try_for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            let code = self.after(rules, &after);
            let known = code != Code::NONE && code.distance().is_some_and(|d| u32::from(d) < round);
            if !known {
                latest_loss = None;
                return ControlFlow::Continue(());
            }
            let value = code.before_turn(Metric::Dtw);
            if value.value() == fanorona_core::Value::Win {
                return ControlFlow::Break(value);
            }
            latest_loss = latest_loss.map(|loss| Code(loss.0.max(value.0)));
            ControlFlow::Continue(())
        });
        won.break_value().or(latest_loss)
    }
}

impl Solver for PlainSolver<'_> {
    fn load<'s>(
        &'s mut self,
        unit: Unit,
        table: &TableFile,
        _: bool,
    ) -> Result<Box<dyn Loaded + 's>> {
        self.context.begin_load(unit, table)?;
        let TableKey { slice, rules, .. } = table.metadata().key();
        let values = self.unknown(slice);
        let load = |(chunk, part): (usize, &[AtomicU16])| -> Result<()> {
            check_stop(self.context.stop)?;
            let codes = table.codes((chunk * CHUNK) as u64, part.len() as u64)?;
            part.iter().zip(codes).for_each(|(value, code)| value.store(code.0, Relaxed));
            self.context.progress.advance(part.len() as u64);
            Ok(())
        };
        values.par_chunks(CHUNK).enumerate().try_for_each(load)?;
        if !table.metadata().captures_stored {
            self.for_each(slice, &values, |position, value| {
                if let Some(code) = self.decided_by_captures(&rules, position) {
                    value.store(code.0, Relaxed);
                }
            })?;
        }
        let values = self.solved.entry(slice).insert_entry(values).into_mut();
        Ok(Box::new(PlainSlice(values)))
    }

    fn has(&self, slice: Slice) -> bool {
        self.solved.contains_key(&slice)
    }

    fn retain(&mut self, is_needed: &dyn Fn(Slice) -> bool) {
        self.solved.retain(|kept, _| is_needed(*kept));
    }

    fn solve<'s>(
        &'s mut self,
        unit: Unit,
        rules: &RuleSet,
        _: &dyn Fn(Slice) -> bool,
        _: &mut CheckpointStore<'_>,
    ) -> Result<Box<dyn Solved + 's>> {
        let mut slices = Vec::new();
        for slice in unit.slices() {
            self.solved.insert(slice, self.unknown(slice));
            slices.push((slice, slice.rules(self.context.sets.board(), rules)));
        }
        self.context.begin(unit, Activity::Captures);
        let watch = Stopwatch::start();
        let mut longest = self.longest_after_captures(unit, rules);
        for (slice, rules) in &slices {
            let finished = |position: &Position| {
                let outcome = rules.outcome(position)?;
                Some(Code::finished(outcome.value_for(Side::White)))
            };
            let found = self.update(*slice, |position| {
                self.decided_by_captures(rules, position).or_else(|| finished(position))
            })?;
            longest = longest.max(found);
        }
        self.context.progress.spent(unit, Part::Captures, watch.read());
        let watch = Stopwatch::start();
        let (mut round, limit) = (1, self.context.sizes.max_distance);
        // A round finds nothing unless some position, here or after a capture, has the distance
        // `round - 1`.
        while round <= longest + 1 {
            if round > u32::from(limit) {
                return Err(TableError::TooFar { slice: unit.stronger(), limit });
            }
            self.context.begin(unit, Activity::Round(round));
            for (slice, rules) in &slices {
                let found =
                    self.update(*slice, |position| self.evaluate(rules, position, round))?;
                longest = longest.max(found);
            }
            round += 1;
        }
        for (slice, _) in &slices {
            self.solved[slice].par_iter().for_each(|value| {
                let code = match code_in(value) {
                    Code::NONE => Code::DRAW,
                    code if self.context.metric == Metric::Wdl => code.as_wdl(),
                    code => code,
                };
                value.store(code.0, Relaxed);
            });
        }
        self.context.progress.spent(unit, Part::Rounds, watch.read());
        Ok(Box::new(PlainUnit { solver: self, unit }))
    }
}

struct PlainSlice<'s>(&'s SliceValues);

impl Loaded for PlainSlice<'_> {
    fn values(&self, first: u64, codes: &mut [Code]) -> Result<()> {
        codes.iter_mut().zip(&self.0[first as usize..]).for_each(|(to, from)| *to = code_in(from));
        Ok(())
    }
}

/// A unit whose values a solver keeps.
struct PlainUnit<'s, 'a> {
    solver: &'s PlainSolver<'a>,
    unit: Unit,
}

impl Solved for PlainUnit<'_, '_> {
    fn write(&self, key: &TableKey, path: &Path) -> Result<()> {
        let &Self { solver, unit } = self;
        let BuildContext { progress, metric, .. } = solver.context;
        let TableKey { slice, ref rules, .. } = *key;
        let (index, values) = (solver.index(slice), &solver.solved[&key.slice]);
        let code = |i: u64| code_in(&values[i as usize]);
        let count = |first: u64| {
            let (mut codes, mut zugzwangs) = <(Vec<u64>, ZugzwangCounter)>::default();
            for (i, entry) in (first..).zip(index.entries(first)).take(CHUNK) {
                add_code(&mut codes, code(i), entry.weight);
                let kind = solver.zugzwang(rules, &solver.position(&entry), code(i));
                if let Some(kind) = kind {
                    zugzwangs.add(kind, entry.weight.into(), i);
                }
            }
            (codes, zugzwangs)
        };
        let metadata = solver.context.begin_write(key, || {
            let starts: Vec<u64> = (0..index.len()).step_by(CHUNK).collect();
            let (codes, zugzwangs) = starts
                .into_par_iter()
                .map(count)
                .reduce(Default::default, |(codes, zugzwangs), (more, later)| {
                    (sum(codes, more), zugzwangs.append(later))
                });
            let first = |found| {
                let first = values.par_iter().position_first(|value| code_in(value) == found);
                Ok(first.expect("it was counted") as u64)
            };
            of_codes(&index, metric, &codes, zugzwangs.finish(&index), first)
        })?;
        let times = write_table(path, &metadata, |first, codes| {
            for ((i, entry), to) in (first..).zip(index.entries(first)).zip(codes.iter_mut()) {
                let stored =
                    metadata.captures_stored || !rules.has_capture(&solver.position(&entry));
                *to = if stored { code(i) } else { Code::NONE };
            }
            progress.advance(codes.len() as u64);
            Ok(())
        })?;
        report_write_times(progress, unit, times);
        Ok(())
    }
}
