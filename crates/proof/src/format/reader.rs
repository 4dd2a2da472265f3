//! Reading a certificate.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use fanorona_storage::open_regular;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::block::{MOST_BYTES, unpack};
use super::header::HEADER_LIMIT;
use super::{
    Entry, FINISHED, Header, INDEX_ENTRY, IndexEntry, MAGIC, PRELUDE, Prelude, ProofHeader, VERSION,
};
use crate::error::CertificateError;
use crate::stones::Stones;

type Result<T> = std::result::Result<T, CertificateError>;

/// A certificate whose header and index have been read: 32 bytes of memory a block. Blocks are read
/// and checked one at a time.
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
        let io = |doing| CertificateError::io(doing, path);
        let mut file = open_regular(path).map_err(io("cannot open"))?;
        let length = file.metadata().map_err(io("cannot read"))?.len();
        let not_a_certificate =
            |why: String| CertificateError::NotACertificate { path: path.to_owned(), why };
        let mut bytes = [0; PRELUDE];
        if length < PRELUDE as u64 {
            return Err(not_a_certificate(format!("it has {length} bytes, fewer than a prelude")));
        }
        file.read_exact(&mut bytes).map_err(io("cannot read"))?;
        if bytes[..8] != MAGIC {
            return Err(not_a_certificate("it begins with other bytes".to_owned()));
        }
        let version = u32::from_le_bytes(bytes[8..12].try_into().expect("4 bytes"));
        if version != VERSION {
            return Err(CertificateError::Version { path: path.to_owned(), found: version });
        }
        let corrupt = |what: String, offset: u64| CertificateError::Corrupt {
            path: path.to_owned(),
            what,
            offset,
        };
        if xxh3_64(&bytes[..56]).to_le_bytes() != bytes[56..] {
            return Err(corrupt("the prelude's checksum differs".to_owned(), 0));
        }
        let prelude = Prelude::from_bytes(&bytes);
        let Prelude { index_offset, header_offset, file_length, .. } = prelude;
        if prelude.finished != FINISHED {
            return Err(corrupt("it was never finished".to_owned(), 12));
        }
        if bytes[48..56] != [0; 8] {
            return Err(corrupt("the reserved bytes are not 0".to_owned(), 48));
        }
        if file_length != length {
            return Err(corrupt(format!("it has {length} bytes, not {file_length}"), length));
        }
        let ordered = PRELUDE as u64 <= index_offset
            && index_offset <= header_offset
            && header_offset <= length;
        let index_length = header_offset.wrapping_sub(index_offset);
        if !ordered || index_length % INDEX_ENTRY as u64 != 0 {
            return Err(corrupt("its parts are not in the file".to_owned(), 16));
        }
        if length - header_offset > HEADER_LIMIT as u64 {
            return Err(corrupt("the header is too long".to_owned(), header_offset));
        }

        // The index grows as it is read, so no number can ask for memory that no bytes stand for.
        file.seek(SeekFrom::Start(index_offset)).map_err(io("cannot read"))?;
        let mut tail = std::io::BufReader::new(file.take(length - index_offset));
        let mut hasher = Xxh3::new();
        let mut index = Vec::new();
        for _ in 0..index_length / INDEX_ENTRY as u64 {
            let mut entry = [0; INDEX_ENTRY];
            tail.read_exact(&mut entry).map_err(io("cannot read"))?;
            hasher.update(&entry);
            index.push(IndexEntry::from_bytes(&entry));
        }
        let mut header = Vec::new();
        tail.read_to_end(&mut header).map_err(io("cannot read"))?;
        hasher.update(&header);
        if hasher.digest() != prelude.tail_checksum {
            let what = "the checksum of index and header differs".to_owned();
            return Err(corrupt(what, index_offset));
        }
        let header = Header::from_bytes(&header).map_err(|what| corrupt(what, header_offset))?;
        let blocks = header
            .proofs
            .iter()
            .try_fold(0, |sum: u64, proof| sum.checked_add(header.blocks(proof)));
        if blocks != Some(index.len() as u64) {
            let what = "the index has another length than there are blocks".to_owned();
            return Err(corrupt(what, index_offset));
        }
        let first = index.first().map_or(index_offset, |entry| entry.offset);
        let ends = index.iter().map(|entry| entry.offset).chain([index_offset]);
        if first != PRELUDE as u64 || !ends.is_sorted() {
            return Err(corrupt("blocks do not follow each other".to_owned(), index_offset));
        }
        let checksum = u64::from_le_bytes(bytes[56..].try_into().expect("8 bytes"));
        let file = Mutex::new(tail.into_inner().into_inner());
        let (path, blocks_end) = (path.to_owned(), index_offset);
        Ok(Self { path, file, length, checksum, header, index, blocks_end })
    }

    /// Where the file is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Its size.
    pub(crate) fn bytes(&self) -> u64 {
        self.length
    }

    /// Its checksum, in which all others go: that of the prelude.
    pub(crate) fn checksum(&self) -> u64 {
        self.checksum
    }

    pub(crate) fn header(&self) -> &Header {
        &self.header
    }

    /// The number of the first block of a proof.
    fn first_block(&self, proof: usize) -> usize {
        let before = self.header.proofs[..proof].iter();
        before.map(|proof| self.header.blocks(proof) as usize).sum()
    }

    /// The only block of a proof that can have an entry with these stones; `None` if none can.
    pub(crate) fn block_with(&self, proof: usize, stones: Stones) -> Option<usize> {
        let first = self.first_block(proof);
        let blocks = self.header.blocks(&self.header.proofs[proof]) as usize;
        let index = &self.index[first..first + blocks];
        index.partition_point(|entry| entry.first <= stones).checked_sub(1)
    }

    /// The entries of a block of a proof, having compared its checksum.
    pub(crate) fn block(&self, proof: usize, block: usize) -> Result<Vec<Entry>> {
        let ProofHeader { wins, entries, .. } = self.header.proofs[proof];
        let number = self.first_block(proof) + block;
        let IndexEntry { offset, checksum, first } = self.index[number];
        let end = self.index.get(number + 1).map_or(self.blocks_end, |next| next.offset);
        let corrupt = |what: &str| CertificateError::Corrupt {
            path: self.path.clone(),
            what: format!("block {number} of {}: {what}", self.index.len()),
            offset,
        };
        let block_entries = u64::from(self.header.block_entries);
        let count = (entries - block as u64 * block_entries).min(block_entries) as usize;
        // The length of the file bounds this.
        let mut packed = vec![0; (end - offset) as usize];
        {
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let read =
                file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(&mut packed));
            read.map_err(CertificateError::io("cannot read", &self.path))?;
        }
        if xxh3_64(&packed) != checksum {
            return Err(corrupt("its checksum differs"));
        }
        if zstd::zstd_safe::find_frame_compressed_size(&packed) != Ok(packed.len()) {
            return Err(corrupt("it is not one zstd frame"));
        }
        let bytes = zstd::bulk::decompress(&packed, count * MOST_BYTES)
            .map_err(|error| corrupt(&format!("it does not unpack: {error}")))?;
        unpack(&bytes, count, wins)
            .filter(|entries| entries[0].stones == first)
            .ok_or_else(|| corrupt("it does not hold the entries that it should"))
    }
}
