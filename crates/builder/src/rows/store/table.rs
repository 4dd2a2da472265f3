//! Writing a table. Several processes pack its blocks, and the first one writes them.

use std::ops::Range;
use std::path::Path;

use fanorona_tablebase::format::{BlockPacker, Metadata, TableWriter, WriteTimes};
use fanorona_tablebase::{Layout, Result};

use super::message::Message;
use crate::processes::Processes;

/// Returns the bytes of the block with some values.
pub(crate) type Pack<'p> = &'p (dyn Fn(Range<u64>) -> Result<Vec<u8>> + Sync);

/// Writes the blocks of a table.
pub(crate) struct BlockWriter<'a> {
    packer: BlockPacker,
    /// Only the first process has it.
    table: Option<TableWriter>,
    processes: Processes<'a>,
}

impl<'a> BlockWriter<'a> {
    /// All processes call this at the same time, as the functions with a result below.
    pub(super) fn new(path: &Path, processes: Processes<'a>) -> Result<Self> {
        let create = || TableWriter::create(path, Layout::Packed);
        let table = processes.all(processes.is_first().then(create).transpose())?;
        Ok(Self { packer: BlockPacker::new(path), table, processes })
    }

    /// The blocks with some values, as they are in the file.
    pub(crate) fn pack(
        &mut self,
        metadata: &Metadata,
        values: Range<u64>,
        pack: Pack<'_>,
    ) -> Result<Vec<Vec<u8>>> {
        self.packer.pack(metadata, values, pack)
    }

    /// Adds the next blocks: those that the first process has packed, then those of the second, and so
    /// on.
    pub(crate) fn add(&mut self, packed: Result<Vec<Vec<u8>>>) -> Result<()> {
        let messages = packed.map(|blocks| {
            let mut messages = vec![Vec::new(); self.processes.count()];
            messages[0] = Message::of_parts(&blocks);
            messages
        });
        let received = self.processes.exchange(messages)?;
        let written = received.iter().try_for_each(|bytes| {
            let mut message = Message::new(bytes);
            while let (Some(table), false) = (&mut self.table, message.is_empty()) {
                let len = message.number();
                table.add(message.bytes(len))?;
            }
            Ok(())
        });
        self.processes.all(written)
    }

    /// Completes the table.
    pub(crate) fn finish(self, metadata: &Metadata) -> Result<WriteTimes> {
        let finished = self.table.map(|table| table.finish(metadata));
        self.processes.all(finished.transpose())?;
        Ok(self.packer.times())
    }
}
