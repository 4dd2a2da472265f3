//! Restores from a checkpoint: the matrices whose rows are own sets, and the log of rounds. Everything
//! else follows from them, see `docs/BUILDING.md`.

use fanorona_tablebase::Result;

use super::copy::copy_values;
use crate::checkpoint::{CheckpointStore, UnitProgress, damaged};
use crate::rows::kernel::UnitContext;
use crate::rows::store::{MAX_PROCESSES, Store};

/// A unit in work as the last checkpoint restores it, if it exists and can be used. Otherwise it has no
/// decided position.
pub(crate) fn restore<'a>(
    context: &UnitContext<'_, 'a>,
    files: &mut CheckpointStore<'_>,
) -> Result<(Store<'a>, UnitProgress)> {
    let (unit, processes) = (context.unit, context.build().processes);
    let new = UnitProgress::new(context.sizes());
    let restored = files.restore(&new, |done, saved| {
        let count = saved.count();
        if !(1..=MAX_PROCESSES).contains(&count) {
            return Err(damaged("it has no files"));
        }
        let mut store = context.new_store(saved.file(), true);
        let values = &mut store.values;
        saved.read_each(|process, (file, index)| {
            if count == processes.count() {
                return values.restore(unit, index);
            }
            let from = context.saved_values([process, count], file, index)?;
            let mut slices = unit.slices();
            slices.try_for_each(|slice| copy_values(&from, values, slice, processes.rank()))
        })?;
        let longest = values.distances.values().map(|found| found.found.longest()).max();
        let rounds = longest.map_or(done.rounds, |longest| longest.unwrap_or(0).into());
        Ok((store, rounds))
    })?;
    Ok(restored.unwrap_or_else(|| {
        let file = files.file();
        (context.new_store(file, file.is_kept()), new)
    }))
}
