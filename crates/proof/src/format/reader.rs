//! Reading a certificate.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fanorona_storage::open_regular;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::block::{ENTRY_BYTES_LIMIT, Entry, unpack};
use super::header::{BLOCK_ENTRIES_LIMIT, HEADER_LIMIT, Header};
use super::index::IndexEntry;
use super::prelude::{Prelude, PreludeError, VERSION};
use crate::error::CertificateError;
use crate::stones::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

/// The most bytes that a block may have in the file. Where nothing can be compressed, a zstd frame
/// is a few bytes longer than its content.
const BLOCK_BYTES_LIMIT: u64 = 2 * BLOCK_ENTRIES_LIMIT as u64 * ENTRY_BYTES_LIMIT as u64;

/// A certificate whose header and index have been read. That takes 32 bytes of memory for each
/// block. Blocks are read and checked one at a time.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    file: Mutex<File>,
    length: u64,
    checksum: u64,
    header: Header,
    index: Vec<IndexEntry>,
    /// Where the last block ends.
    blocks_end: u64,
}

impl Reader {
    /// Opens a certificate and checks everything but its blocks.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = open_regular(path)
            .map_err(|source| CertificateError::Open { path: path.to_owned(), source })?;
        let mut opening = Opening { path, file };
        let (prelude, checksum) = opening.prelude()?;
        let header = opening.range(prelude.header_offset..prelude.file_length)?;
        let mut hasher = Xxh3::new();
        let index = opening.index(&prelude, &mut hasher)?;
        hasher.update(&header);
        if hasher.digest() != prelude.tail_checksum {
            let what = "the checksum of index and header differs";
            return Err(opening.corrupt(what, prelude.index_offset));
        }
        let header = Header::from_bytes(&header)
            .map_err(|what| opening.corrupt(&what, prelude.header_offset))?;
        let mut blocks = header.proofs.iter().map(|proof| header.blocks(proof));
        let blocks = blocks.try_fold(0_u64, |sum, blocks| sum.checked_add(blocks));
        if blocks != Some(index.len() as u64) {
            let what = "the index has another length than there are blocks";
            return Err(opening.corrupt(what, prelude.index_offset));
        }
        Ok(Self {
            path: path.to_owned(),
            file: Mutex::new(opening.file),
            length: prelude.file_length,
            checksum,
            header,
            index,
            blocks_end: prelude.index_offset,
        })
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The length of the file in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.length
    }

    /// The checksum of the prelude, which covers all others.
    pub(crate) fn checksum(&self) -> u64 {
        self.checksum
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The blocks of a proof, by their numbers in the file.
    pub(crate) fn blocks(&self, proof: usize) -> Range<usize> {
        // The index has as many entries as there are blocks, so the numbers fit.
        let blocks = |proof| self.header.blocks(proof) as usize;
        let first = self.header.proofs[..proof].iter().map(blocks).sum();
        first..first + blocks(&self.header.proofs[proof])
    }

    /// The only block of a proof that can have an entry with these stones; `None` if none can.
    pub(crate) fn block_with(&self, proof: usize, stones: Stones) -> Option<usize> {
        let blocks = self.blocks(proof);
        let index = &self.index[blocks.clone()];
        let before = index.partition_point(|entry| entry.first <= stones).checked_sub(1)?;
        Some(blocks.start + before)
    }

    /// The entries of a block of a proof, after comparing its checksum.
    pub(crate) fn block(&self, proof: usize, block: usize) -> Result<Vec<Entry>> {
        let IndexEntry { offset, checksum, first } = self.index[block];
        let end = self.index.get(block + 1).map_or(self.blocks_end, |next| next.offset);
        let corrupt = |what: &str| CertificateError::Corrupt {
            path: self.path.clone(),
            what: format!("block {block} of {}: {what}", self.index.len()),
            offset,
        };
        let block_entries = u64::from(self.header.block_entries);
        let before = (block - self.blocks(proof).start) as u64 * block_entries;
        let summary = &self.header.proofs[proof];
        let count = (summary.positions - before).min(block_entries) as usize;
        let mut packed = vec![0; (end - offset) as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let read =
                file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut packed));
            read.map_err(|source| CertificateError::Read { path: self.path.clone(), source })?;
        }
        if xxh3_64(&packed) != checksum {
            return Err(corrupt("its checksum differs"));
        }
        if zstd::zstd_safe::find_frame_compressed_size(&packed) != Ok(packed.len()) {
            return Err(corrupt("it is not one zstd frame"));
        }
        let bytes = zstd::bulk::decompress(&packed, count * ENTRY_BYTES_LIMIT)
            .map_err(|error| corrupt(&format!("it cannot be unpacked: {error}")))?;
        unpack(&bytes, count, summary.claim.is_win())
            .filter(|entries| entries[0].stones == first)
            .ok_or_else(|| corrupt("it does not hold the entries that it should"))
    }
}

/// A file that is being opened. What its parts ask for is bounded before it is read.
struct Opening<'a> {
    path: &'a Path,
    file: File,
}

impl Opening<'_> {
    /// The prelude and its checksum. Its parts are in the file, in order, and have lengths that they
    /// can have.
    fn prelude(&mut self) -> Result<(Prelude, u64)> {
        let length = self.file.metadata().map_err(|error| self.cannot_read(error))?.len();
        let mut bytes = [0; Prelude::LENGTH];
        if length < bytes.len() as u64 {
            let why = format!("it has {length} bytes, fewer than a prelude");
            return Err(self.not_a_certificate(why));
        }
        self.file.read_exact(&mut bytes).map_err(|error| self.cannot_read(error))?;
        let prelude = Prelude::from_bytes(&bytes).map_err(|error| match error {
            PreludeError::Magic => self.not_a_certificate("it begins with other bytes".to_owned()),
            PreludeError::Version(found) => {
                CertificateError::Version { path: self.path.to_owned(), found, supported: VERSION }
            }
            PreludeError::Corrupt(what, offset) => self.corrupt(what, offset),
        })?;
        let Prelude { index_offset, header_offset, file_length, .. } = prelude;
        if file_length != length {
            let what = format!("it has {length} bytes, not {file_length}");
            return Err(self.corrupt(&what, length));
        }
        let offsets = [Prelude::LENGTH as u64, index_offset, header_offset, length];
        if !offsets.is_sorted()
            || !(header_offset - index_offset).is_multiple_of(IndexEntry::LENGTH as u64)
        {
            return Err(self.corrupt("its parts are not in the file", 16));
        }
        if length - header_offset > HEADER_LIMIT as u64 {
            return Err(self.corrupt("the header is too long", header_offset));
        }
        Ok((prelude, Prelude::checksum(&bytes)))
    }

    fn range(&mut self, range: Range<u64>) -> Result<Vec<u8>> {
        let mut bytes = vec![0; (range.end - range.start) as usize];
        let read = self.file.seek(SeekFrom::Start(range.start));
        read.and_then(|_| self.file.read_exact(&mut bytes))
            .map_err(|error| self.cannot_read(error))?;
        Ok(bytes)
    }

    /// The index, whose blocks fill the file from the prelude to the index, each with at least one
    /// byte. So it has no more entries than the file has bytes, be there holes in the file or not.
    fn index(&mut self, prelude: &Prelude, hasher: &mut Xxh3) -> Result<Vec<IndexEntry>> {
        let Prelude { index_offset, header_offset, .. } = *prelude;
        self.file.seek(SeekFrom::Start(index_offset)).map_err(|error| self.cannot_read(error))?;
        let mut input = BufReader::new(&self.file);
        let mut index = Vec::<IndexEntry>::new();
        for at in (index_offset..header_offset).step_by(IndexEntry::LENGTH) {
            let mut bytes = [0; IndexEntry::LENGTH];
            input.read_exact(&mut bytes).map_err(|error| self.cannot_read(error))?;
            hasher.update(&bytes);
            let entry = IndexEntry::from_bytes(&bytes);
            let follows = match index.last() {
                None => entry.offset == Prelude::LENGTH as u64,
                Some(before) => is_block(before.offset, entry.offset),
            };
            if !follows {
                return Err(self.corrupt("blocks do not follow each other", at));
            }
            index.push(entry);
        }
        let ends = match index.last() {
            None => index_offset == Prelude::LENGTH as u64,
            Some(last) => is_block(last.offset, index_offset),
        };
        if !ends {
            return Err(self.corrupt("the blocks do not end at the index", index_offset));
        }
        Ok(index)
    }

    fn cannot_read(&self, source: io::Error) -> CertificateError {
        CertificateError::Read { path: self.path.to_owned(), source }
    }

    fn not_a_certificate(&self, why: String) -> CertificateError {
        CertificateError::NotACertificate { path: self.path.to_owned(), why }
    }

    fn corrupt(&self, what: &str, offset: u64) -> CertificateError {
        CertificateError::Corrupt { path: self.path.to_owned(), what: what.to_owned(), offset }
    }
}

/// Whether a block can begin and end here.
fn is_block(begin: u64, end: u64) -> bool {
    end.checked_sub(begin).is_some_and(|length| (1..=BLOCK_BYTES_LIMIT).contains(&length))
}
