//! Reading a certificate.

use std::ops::Range;
use std::path::Path;

use fanorona_storage::{Access, Container, FileError, checksum, decompress};

use super::block::{self, Entry};
use super::header::Header;
use super::index::IndexEntry;
use super::kind::{Form, VERSION};
use super::turn_block;
use crate::error::CertificateError;
use crate::stones::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

/// An open certificate. Header and index are in memory, which takes up to 32 bytes per block.
/// Blocks are read and checked one at a time.
#[derive(Debug)]
pub(crate) struct Reader {
    file: Container,
    form: Form,
    header: Header,
}

impl Reader {
    /// Opens a certificate and checks everything but its blocks.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = Container::open(path, Form::Turns.kind(), Access::READ)?;
        let form = Form::of_version(file.version()).ok_or_else(|| FileError::Version {
            path: path.to_owned(),
            found: file.version(),
            oldest: Form::Entries.version(),
            newest: VERSION,
        })?;
        let header = Header::from_raw(file.metadata(&[])?, form)
            .map_err(|what| file.corrupt_metadata(what))?;
        let reader = Self { file, form, header };
        reader.check_index()?;
        Ok(reader)
    }

    /// Checks that the number of blocks is that of the header, that blocks fill the body without
    /// gaps, and that their lengths are possible.
    fn check_index(&self) -> Result<()> {
        let body = self.file.body();
        let mut blocks = self.header.proofs.iter().map(|proof| self.header.blocks(proof));
        let length = blocks
            .try_fold(0_u64, |sum, blocks| sum.checked_add(blocks))
            .and_then(|blocks| blocks.checked_mul(self.row() as u64));
        if length != Some(self.file.index().len() as u64) {
            let what = "the length of the index does not match the number of blocks";
            return Err(self.file.corrupt(what, body.end).into());
        }
        let mut end = body.start;
        for block in 0..self.index_len() {
            let range = self.range(block);
            let has_length = range
                .end
                .checked_sub(range.start)
                .is_some_and(|length| (1..=self.form.block_bytes_limit()).contains(&length));
            if range.start != end || !has_length {
                let at = body.end + (block * self.row()) as u64;
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

    /// The length of an entry of the index in bytes.
    fn row(&self) -> usize {
        IndexEntry::length(self.form)
    }

    /// The number of blocks of all proofs.
    fn index_len(&self) -> usize {
        self.file.index().len() / self.row()
    }

    fn index(&self, block: usize) -> IndexEntry {
        let at = block * self.row();
        IndexEntry::from_bytes(&self.file.index()[at..at + self.row()], self.form)
    }

    /// The range of a block in the file.
    fn range(&self, block: usize) -> Range<u64> {
        let is_last = block + 1 == self.index_len();
        let end = if is_last { self.file.body().end } else { self.index(block + 1).offset };
        self.index(block).offset..end
    }

    /// The path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// The length of the file in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.file_length()
    }

    /// The checksum of the prelude, which covers all others.
    pub(crate) fn checksum(&self) -> u64 {
        self.file.fingerprint()
    }

    /// What the certificate stores.
    pub(crate) fn form(&self) -> Form {
        self.form
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The blocks of a proof, by their numbers in the file.
    pub(crate) fn blocks(&self, proof: usize) -> Range<usize> {
        // The index has an entry for each block, so the numbers fit in a `usize`.
        let blocks = |proof| self.header.blocks(proof) as usize;
        let first = self.header.proofs[..proof].iter().map(blocks).sum();
        first..first + blocks(&self.header.proofs[proof])
    }

    /// The only block of a proof that can have an entry with these stones; `None` if none can. The
    /// certificate must store entries.
    pub(crate) fn block_with(&self, proof: usize, stones: Stones) -> Option<usize> {
        let blocks = self.blocks(proof);
        // The first block that begins with later stones.
        let (mut low, mut high) = (blocks.start, blocks.end);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.index(middle).first <= Some(stones) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        (low > blocks.start).then(|| low - 1)
    }

    /// Reads a block of a proof in a certificate that stores entries.
    pub(crate) fn entries(&self, proof: usize, block: usize) -> Result<Vec<Entry>> {
        let has_distances = self.header.proofs[proof].claim.is_win();
        let first = self.index(block).first;
        self.block(proof, block, |bytes, count| {
            block::unpack(bytes, count, has_distances)
                .filter(|entries| Some(entries[0].stones) == first)
        })
    }

    /// Reads a block of a proof in a certificate that stores only turns.
    pub(crate) fn turns(&self, proof: usize, block: usize) -> Result<Vec<u32>> {
        self.block(proof, block, turn_block::unpack)
    }

    /// Reads a block of a proof: compares its checksum, decompresses and unpacks it.
    fn block<T>(
        &self,
        proof: usize,
        block: usize,
        unpack: impl FnOnce(&[u8], usize) -> Option<T>,
    ) -> Result<T> {
        let range = self.range(block);
        let corrupt = |what: &str| -> CertificateError {
            let what = format!("block {block} of {}: {what}", self.index_len());
            self.file.corrupt(what, range.start).into()
        };
        let block_entries = u64::from(self.header.block_entries);
        let before = (block - self.blocks(proof).start) as u64 * block_entries;
        let count = (self.header.proofs[proof].positions - before).min(block_entries) as usize;
        let mut buffer = Vec::new();
        let packed = self.file.read(range.clone(), &mut buffer)?;
        if checksum(packed) != self.index(block).checksum {
            return Err(corrupt("its checksum differs"));
        }
        if zstd::zstd_safe::find_frame_compressed_size(packed) != Ok(packed.len()) {
            return Err(corrupt("it is not one zstd frame"));
        }
        let mut bytes = vec![0; count * self.form.entry_bytes_limit()];
        let length = decompress(packed, &mut bytes)
            .map_err(|error| corrupt(&format!("it cannot be unpacked: {error}")))?;
        unpack(&bytes[..length], count)
            .ok_or_else(|| corrupt("its content is not the right entries"))
    }
}
