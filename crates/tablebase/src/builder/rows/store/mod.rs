//! The matrices of a unit in work: how they are cut, where they are, and what processes send each
//! other.
//!
//! The life of a row here: it arrives when captures have decided it, and is cut into the panels of
//! the processes ([`layout`], [`tiles`]). A pass takes a stripe of panels, changes it and puts it
//! back, and reads the rows of the swapped slice that have changed, transposed ([`after`],
//! [`changes`]). With distances, the [`log`] records what each round decides. In the end the row is
//! put together again, to be written.

mod after;
mod changes;
mod frame_stripe;
mod frames;
mod input;
mod layout;
mod local;
mod log;
mod matrix;
mod message;
mod packed;
mod rowset;
mod shared;
mod shared_changes;
mod shared_table;
mod tiles;
mod unit;

use std::collections::HashMap;

pub(super) use self::after::AfterPanel;
pub(super) use self::changes::{Changes, SliceChanges, Sought};
pub(super) use self::input::{InputRequest, PanelInput, StripeInput};
pub(super) use self::layout::{Layout, MAX_RANKS, MAX_WIDTH};
use self::local::LocalStore;
use self::log::LogMemory;
pub(super) use self::log::{
    FrameBuffers, FrameTile, Frames, RoundLog, decode, encode, for_each_word, largest_frame,
    write_frame,
};
pub(super) use self::matrix::{BitMatrix, Cells, Shape};
pub(super) use self::packed::Overlaps;
pub(super) use self::rowset::RowSet;
use self::shared::SharedStore;
pub(super) use self::tiles::{LOSS, SAFE, Tile, Tiles, WIN};
pub(super) use self::unit::{
    DecidedRows, Distances, LOG_AT_LEAST, Pack, RowsOf, Store, UnitMemory, UnitValues,
};
use crate::builder::context::BuildContext;
use crate::error::Result;
use crate::slice::Slice;
use crate::value::Metric;

/// A store for a unit without any decided position, whose slices have these layouts and overlaps.
pub(super) fn new_store<'a>(
    context: BuildContext<'a>,
    memory: UnitMemory,
    layouts: &[(Slice, Layout)],
    cells: Cells,
    overlaps_of: &dyn Fn(Slice) -> Overlaps,
) -> Result<Box<dyn Store + 'a>> {
    let BuildContext { scratch_dir, metric, processes, .. } = context;
    let log_memory = LogMemory::new(memory.log.saturating_add(LOG_AT_LEAST));
    let log = || RoundLog::new(log_memory.clone(), scratch_dir);
    let distances = |(slice, _): &(Slice, Layout)| {
        (metric == Metric::Dtw).then(|| (*slice, Distances { due: log(), found: log() }))
    };
    let distances = layouts.iter().filter_map(distances).collect::<HashMap<_, _>>();
    let tiles = Tiles::new(layouts, processes.rank(), memory.tiles, scratch_dir, overlaps_of)?;
    let rest = memory.tiles.saturating_sub(tiles.in_memory());
    let values = UnitValues { tiles, distances };
    if processes.count() == 1 {
        return Ok(Box::new(LocalStore { values, cells, after: Vec::new() }));
    }
    let after: Vec<_> = layouts.iter().map(|(slice, layout)| (*slice, layout.of_after())).collect();
    let after = Tiles::new(&after, processes.rank(), rest, scratch_dir, overlaps_of)?;
    Ok(Box::new(SharedStore { values, after, cells, processes, scratch_dir }))
}
