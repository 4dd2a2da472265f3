//! Reading a certificate. Header and index are in memory; blocks are read and checked one at a time.

use std::ops::Range;
use std::path::Path;

use fanorona_core::{Board, Position, RuleSet};
use fanorona_storage::{Access, Container, FileKind, checksum, decompress};

use super::block::{self, TURN_BYTES_LIMIT};
use super::header::{BLOCK_ENTRIES, Header, NamedTable, ProofSummary};
use crate::claim::Bounds;
use crate::error::{CertificateError, Result};

/// The version of the format that is read and written.
pub const VERSION: u32 = 3;

/// Certificates are containers of this kind. The body has the blocks, the metadata are the header.
pub(super) const KIND: FileKind =
    FileKind { name: "a certificate", magic: *b"FanoCert", version: VERSION, oldest: VERSION };

/// The most compressed bytes of a block. A zstd frame of incompressible content is a few bytes longer
/// than the content.
const BLOCK_BYTES_LIMIT: u64 = 2 * BLOCK_ENTRIES as u64 * TURN_BYTES_LIMIT as u64;

/// The bytes of the index for each block: its offset in the file, and the checksum of its bytes.
const INDEX_ROW: usize = 16;

/// A certificate in a file. Its claims are proved only if [`check`](Self::check) succeeds.
///
/// The file stays open and must not change while it is.
#[derive(Debug)]
pub struct Certificate {
    file: Container,
    pub(crate) header: Header,
}

impl Certificate {
    /// Opens a certificate. Reads everything except the turns.
    ///
    /// # Errors
    /// [`CertificateError::File`] if the file cannot be read, is not a certificate of a supported
    /// version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_with(path, Access::READ)
    }

    /// Opens a certificate with this access to its file.
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn open_with(path: impl AsRef<Path>, access: Access) -> Result<Self> {
        Self::new(Container::open(path, KIND, access)?)
    }

    /// Opens a certificate that is a part of the program, under a name, which becomes its
    /// [`path`](Self::path).
    ///
    /// # Errors
    /// As for [`open`](Self::open).
    pub fn embedded(name: &str, bytes: &'static [u8]) -> Result<Self> {
        Self::new(Container::embedded(name, bytes, KIND)?)
    }

    /// The path that was given to [`open`](Self::open).
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// The board that the position is on.
    pub fn board(&self) -> Board {
        self.header.board()
    }

    /// The rules that the game is played by.
    pub fn rules(&self) -> RuleSet {
        self.header.rules
    }

    /// The position that the claims are about.
    pub fn position(&self) -> Position {
        self.header.position
    }

    /// The claimed bounds of the position's value, for the side to move.
    pub fn bounds(&self) -> Bounds {
        self.header.bounds()
    }

    /// The proofs: one; or two that each side has at least a draw, that of the side to move first.
    pub fn proofs(&self) -> &[ProofSummary] {
        &self.header.proofs
    }

    /// The tables that the proofs need, all of one metric, smaller slices first.
    pub fn tables(&self) -> &[NamedTable] {
        &self.header.tables
    }

    /// The number of positions of all proofs.
    pub fn positions(&self) -> u64 {
        let positions = self.proofs().iter().map(|proof| proof.positions);
        positions.fold(0, u64::saturating_add)
    }

    /// The length of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.file_length()
    }

    /// The stored checksum of the prelude, which covers all other checksums in the file. Reads
    /// nothing.
    pub fn checksum(&self) -> u64 {
        self.file.fingerprint()
    }

    /// Checks everything but the blocks.
    fn new(file: Container) -> Result<Self> {
        let header = Header::from_raw(file.metadata(&[])?);
        let header = header.map_err(|what| file.corrupt_metadata(what))?;
        let certificate = Self { file, header };
        certificate.check_index()?;
        Ok(certificate)
    }

    /// Checks that the number of blocks is that of the header, that blocks fill the body without
    /// gaps, and that their lengths are possible.
    fn check_index(&self) -> Result<()> {
        let body = self.file.body();
        let mut blocks = self.header.proofs.iter().map(|proof| self.header.blocks(proof));
        let length = blocks
            .try_fold(0_u64, |sum, blocks| sum.checked_add(blocks))
            .and_then(|blocks| blocks.checked_mul(INDEX_ROW as u64));
        if length != Some(self.file.index_length()) {
            let what = "the length of the index does not match the number of blocks";
            return Err(self.file.corrupt(what, body.end).into());
        }
        let mut end = body.start;
        for block in 0..self.index_len() {
            let range = self.range(block)?;
            let has_length = range
                .end
                .checked_sub(range.start)
                .is_some_and(|length| (1..=BLOCK_BYTES_LIMIT).contains(&length));
            if range.start != end || !has_length {
                let at = body.end + (block * INDEX_ROW) as u64;
                return Err(self.file.corrupt("the blocks do not follow each other", at).into());
            }
            end = range.end;
        }
        if end != body.end {
            let what = "the last block does not end at the index";
            return Err(self.file.corrupt(what, end).into());
        }
        Ok(())
    }

    /// The number of blocks of all proofs.
    fn index_len(&self) -> usize {
        // Each is of a block in memory or in a file, and smaller.
        (self.file.index_length() / INDEX_ROW as u64) as usize
    }

    /// The offset of a block in the file, and the checksum of its bytes.
    fn index(&self, block: usize) -> Result<(u64, u64)> {
        let row: [u8; INDEX_ROW] = self.file.index((block * INDEX_ROW) as u64)?;
        let word = |at: usize| u64::from_le_bytes(row[at..at + 8].try_into().expect("8 bytes"));
        Ok((word(0), word(8)))
    }

    fn range(&self, block: usize) -> Result<Range<u64>> {
        let is_last = block + 1 == self.index_len();
        let end = if is_last { self.file.body().end } else { self.index(block + 1)?.0 };
        Ok(self.index(block)?.0..end)
    }

    /// The blocks of a proof, by their numbers in the file.
    pub(crate) fn blocks(&self, proof: usize) -> Range<usize> {
        // The index has an entry for each block, so the numbers fit in a `usize`.
        let blocks = |proof| self.header.blocks(proof) as usize;
        let first = self.header.proofs[..proof].iter().map(blocks).sum();
        first..first + blocks(&self.header.proofs[proof])
    }

    /// Reads the turns in a block of a proof: compares its checksum, decompresses and unpacks it.
    pub(crate) fn turns(&self, proof: usize, block: usize) -> Result<Vec<u32>> {
        let range = self.range(block)?;
        let corrupt = |what: &str| -> CertificateError {
            let what = format!("block {block} of {}: {what}", self.index_len());
            self.file.corrupt(what, range.start).into()
        };
        let block_entries = u64::from(self.header.block_entries);
        let before = (block - self.blocks(proof).start) as u64 * block_entries;
        let count = (self.header.proofs[proof].positions - before).min(block_entries) as usize;
        let mut buffer = Vec::new();
        let packed = self.file.read(range.clone(), &mut buffer)?;
        if checksum(packed) != self.index(block)?.1 {
            return Err(corrupt("its checksum differs"));
        }
        if zstd::zstd_safe::find_frame_compressed_size(packed) != Ok(packed.len()) {
            return Err(corrupt("it is not one zstd frame"));
        }
        // No more than the content may have, so that a small frame cannot fill the memory.
        let mut bytes = vec![0; count * TURN_BYTES_LIMIT];
        let length = decompress(packed, &mut bytes)
            .map_err(|error| corrupt(&format!("it cannot be unpacked: {error}")))?;
        block::unpack(&bytes[..length], count)
            .ok_or_else(|| corrupt("its content is not the right entries"))
    }
}
