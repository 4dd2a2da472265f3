//! A few unpacked blocks for each thread.

use std::cell::RefCell;

use crate::error::Result;
use crate::format::TableFile;
use crate::value::Code;

/// How many blocks a thread keeps: enough for the slices of 4 stones and most of those of 5, where
/// searches of captures end, in some MiB.
const SLOTS: usize = 1024;

/// An unpacked block, and which it is: a table's id and a block's number.
#[derive(Default)]
struct Slot {
    key: Option<(u64, u64)>,
    bytes: Vec<u8>,
}

thread_local! {
    static CACHE: RefCell<Vec<Slot>> = RefCell::new((0..SLOTS).map(|_| Slot::default()).collect());
}

/// The value at a place of a table.
pub(super) fn value(file: &TableFile, index: u64) -> Result<Code> {
    let (block, place) = file.locate(index);
    let key = (file.id(), block);
    CACHE.with_borrow_mut(|slots| {
        let slot = &mut slots[(block ^ file.id().wrapping_mul(31)) as usize % SLOTS];
        if slot.key != Some(key) {
            slot.key = None;
            file.read_block(block, &mut slot.bytes)?;
            slot.key = Some(key);
        }
        file.value_in(block, &slot.bytes, place)
    })
}
