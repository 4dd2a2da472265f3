//! How a checkpoint saves the progress of a unit: as the matrices whose rows are own sets, and the
//! log of rounds.
//!
//! Everything else follows from them.
//! - Everything counts as changed. The next rounds then process more rows and find no more.
//! - Without distances, any state is a good one between two rounds: a value that is set is correct,
//!   and rounds find the others.
//! - With distances, the round with the longest distance of a decided position is repeated. It may
//!   have been interrupted. Rounds before it are complete. Later rounds may have run without
//!   finding anything, and find nothing again. So no number in the file determines the next round,
//!   and none can be wrong.

use serde::{Deserialize, Serialize};

use super::copy::copy_values;
use crate::builder::checkpoint::{CheckpointStore, damaged};
use crate::builder::rows::kernel::UnitContext;
use crate::builder::rows::store::{MAX_RANKS, Store};
use crate::builder::unit_progress::UnitProgress;
use crate::error::{Result, TableError};
use crate::stop::check_stop;

#[derive(Serialize, Deserialize)]
struct Header {
    done: UnitProgress,
}

/// The checkpoints of a unit in work.
pub(crate) struct UnitCheckpoints<'c, 'a, 'f> {
    context: &'c UnitContext<'c, 'a>,
    files: &'c mut CheckpointStore<'f>,
}

/// A unit in work, as a checkpoint restores it.
pub(crate) struct Restored<'a> {
    pub store: Box<dyn Store + 'a>,
    pub done: UnitProgress,
}

impl<'c, 'a, 'f> UnitCheckpoints<'c, 'a, 'f> {
    /// The checkpoints of a unit, and what the last one restores, if it exists and can be used.
    /// Otherwise the unit has no decided position.
    pub(crate) fn restore(
        context: &'c UnitContext<'c, 'a>,
        files: &'c mut CheckpointStore<'f>,
    ) -> Result<(Self, Restored<'a>)> {
        let (unit, processes) = (context.unit, context.build().processes);
        let (rank, sizes) = (processes.rank(), context.sizes());
        let restored = files.restore(|Header { done }, saved| {
            done.check(&sizes)?;
            let ranks = saved.count();
            if !(1..=MAX_RANKS).contains(&ranks) {
                return Err(damaged("it has no files"));
            }
            let mut store = context.new_store(saved.file(), true);
            let values = store.values_mut();
            saved.read_each(|of_rank, (file, index)| {
                if ranks == processes.count() {
                    return values.restore(unit, index);
                }
                let from = context.saved_values([of_rank, ranks], file, index)?;
                let mut slices = unit.slices();
                slices.try_for_each(|slice| copy_values(&from, values, slice, rank))
            })?;
            let longest = values.distances.values().map(|found| found.found.longest()).max();
            let rounds = match longest {
                Some(longest) => longest.unwrap_or(0).into(),
                None => done.rounds,
            };
            let done = done.with_rounds(rounds, &sizes)?;
            let stage = done.stage(&sizes);
            Ok((Restored { store, done }, stage))
        })?;
        let restored = match restored {
            Some(mut restored) => {
                // The longest distance can be in the panels of another process.
                restored.done.rounds = processes.max(restored.done.rounds.into())? as u32;
                restored
            }
            None => {
                let file = files.file();
                let store = context.new_store(file, file.is_kept());
                Restored { store, done: UnitProgress::new(unit) }
            }
        };
        Ok((Self { context, files }, restored))
    }

    /// Saves a checkpoint if one is due or the build is being stopped. `result` is that of some work
    /// that all processes have done.
    ///
    /// # Errors
    /// If the work failed; [`TableError::Stopped`](crate::TableError::Stopped) if the build is being
    /// stopped.
    pub(crate) fn save_if_due(
        &mut self,
        store: &mut dyn Store,
        result: Result<()>,
        done: &UnitProgress,
    ) -> Result<()> {
        if let Err(error @ TableError::Ranks(_)) = result {
            // The other processes cannot be told.
            return Err(error);
        }
        let Self { context, files } = self;
        let build = context.build();
        let is_stopped = check_stop(build.stop).is_err();
        let asking = vec![is_stopped.into(), files.is_due().into()];
        let asking = build.processes.sums(result.map(|()| asking))?;
        let [is_stopped, is_due] = [0, 1].map(|i| asking[i] > 0);
        if done.has_begun() && (is_due || is_stopped) {
            let (values, header) = (store.values_mut(), Header { done: done.clone() });
            let stage = done.stage(&context.sizes());
            files.save(stage, |_| values.save(context.unit), header)?;
        }
        if is_stopped { Err(TableError::Stopped) } else { Ok(()) }
    }
}
