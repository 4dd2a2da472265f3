//! Packed parts of matrices in a file.
//!
//! A *frame* is the part of one matrix of one panel in some rows, [packed](super::packed).

use std::io;
use std::ops::Range;

use fanorona_tablebase::{Result, Slice};
use serde::{Deserialize, Serialize};

use super::packed::{Form, Overlap, PADDING, pack, unpack};
use crate::checkpoint::{Extent, ExtentFile, damaged, of_system};

/// Part of a matrix: some rows of a panel.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub slice: Slice,
    pub plane: usize,
    pub panel: usize,
    pub rows: Range<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Frame {
    extent: Extent,
    form: Form,
}

impl Frame {
    /// Writes words. `overlap` says which places are no positions.
    pub(super) fn write(
        file: &ExtentFile,
        words: &[u64],
        overlap: Option<&Overlap<'_>>,
    ) -> Result<Self> {
        let (form, bytes) = pack(words, overlap);
        Ok(Self { extent: file.write(&bytes)?, form })
    }

    /// Reads the words. `overlap` is as it was when they were written.
    pub(super) fn read(
        self,
        file: &ExtentFile,
        overlap: Option<&Overlap<'_>>,
        words: &mut [u64],
    ) -> Result<()> {
        let len = self.extent.len();
        let mut bytes = vec![0; len + PADDING];
        file.read(self.extent, &mut bytes[..len])?;
        unpack(self.form, &bytes, overlap, words);
        Ok(())
    }

    /// Checks that a frame of a checkpoint has some number of words, and that they can be read.
    pub(super) fn check(self, file: &ExtentFile, len: usize, has_overlaps: bool) -> io::Result<()> {
        file.claim(self.extent)?;
        let mut bytes = vec![0; self.extent.len()];
        file.read(self.extent, &mut bytes).map_err(of_system)?;
        match self.form.fits(&bytes, len, has_overlaps) {
            true => Ok(()),
            false => Err(damaged("a frame has another number of words")),
        }
    }

    /// Gives back its space.
    pub(super) fn free(self, file: &ExtentFile) {
        file.free(self.extent);
    }
}
