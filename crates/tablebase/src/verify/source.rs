//! Reading the values that are verified.

use crate::error::Result;
use crate::format::{Metadata, TableFile, UnpackedFile};
use crate::index::Entry;
use crate::value::{Code, Metric};

/// The source of values: a packed table, or the unpacked table that was made from it.
#[derive(Clone, Copy)]
pub(super) struct Source<'t> {
    pub table: &'t TableFile,
    pub unpacked: Option<&'t UnpackedFile>,
}

impl Source<'_> {
    /// Compares all checksums.
    pub(super) fn check(self) -> Result<()> {
        match self.unpacked {
            None => self.table.check(),
            Some(unpacked) => unpacked.check(),
        }
    }

    /// The values of a block. Blocks are those of the packed table.
    pub(super) fn read_codes(self, block: u64) -> Result<Vec<Code>> {
        let Some(unpacked) = self.unpacked else { return self.table.read_codes(block) };
        let Metadata { values, block_values, .. } = *self.table.metadata();
        let first = block * u64::from(block_values);
        unpacked.codes(first, values.saturating_sub(first).min(block_values.into()))
    }

    /// Whether the value of an entry is stored. If not, its captures decide it.
    pub(super) fn has_value(self, entry: &Entry) -> bool {
        let metadata = self.table.metadata();
        self.unpacked.is_some()
            || metadata.captures_stored
            || !metadata.rules.has_capture(&entry.position(metadata.board))
    }
}

/// Converts a code to a metric: drops the distance under `wdl`.
pub(super) fn in_metric(code: Code, metric: Metric) -> Code {
    match metric {
        Metric::Wdl => code.as_wdl(),
        Metric::Dtw => code,
    }
}
