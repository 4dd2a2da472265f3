//! What both kinds of file have in common: a prelude, a body, and a tail with an index of the body
//! and metadata; and the ways to get at the bytes.

use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use fanorona_storage::{Operation, open_regular};
use memmap2::Mmap;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::writer::metadata_format;
use super::{FINISHED, Kind, METADATA_LIMIT, PRELUDE, Prelude};
use crate::error::{Result, TableError};

/// How the bytes of a table are got at.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Access {
    /// Files are memory-mapped: fastest. The system ends the program if a file is cut short while
    /// it is mapped, or if the disk fails.
    #[default]
    Mapped,
    /// Blocks are read when they are needed. Whatever happens to a file becomes an error.
    Read,
}

/// An open file.
#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    Read {
        file: File,
        /// The bytes from the index on.
        tail: Vec<u8>,
    },
}

/// A file whose prelude and tail have been checked.
#[derive(Debug)]
pub(super) struct Frame {
    path: PathBuf,
    bytes: Bytes,
    prelude: Prelude,
    version: u32,
    /// The checksum of the prelude.
    fingerprint: u64,
}

impl Frame {
    /// Opens a file of a kind.
    pub(super) fn open(path: &Path, kind: Kind, access: Access) -> Result<Self> {
        let mut file = open_regular(path).map_err(TableError::io(Operation::Open, path))?;
        let length = file.metadata().map_err(TableError::io(Operation::Read, path))?.len();
        let mut bytes = [0; PRELUDE];
        let not_a_table =
            |why: &str| TableError::NotATable { path: path.to_owned(), why: why.to_owned() };
        if length < PRELUDE as u64 {
            return Err(not_a_table(&format!("it has {length} bytes, fewer than a header")));
        }
        file.read_exact(&mut bytes).map_err(TableError::io(Operation::Read, path))?;
        if bytes[..8] != kind.magic {
            return Err(not_a_table("it begins with other bytes"));
        }
        let version = Prelude::version(&bytes);
        let Kind { version: newest, oldest, .. } = kind;
        if !(oldest..=newest).contains(&version) {
            let path = path.to_owned();
            return Err(TableError::Version { path, found: version, oldest, newest });
        }
        let corrupt = |what: &str, offset: u64| TableError::Corrupt {
            path: path.to_owned(),
            what: what.to_owned(),
            offset,
        };
        let fingerprint = xxh3_64(&bytes[..56]);
        if fingerprint.to_le_bytes() != bytes[56..] {
            return Err(corrupt("the header's checksum differs", 0));
        }
        let prelude = Prelude::from_bytes(&bytes);
        if prelude.finished != FINISHED {
            return Err(corrupt("it was never finished", 12));
        }
        if prelude.file_length != length {
            let what = format!("it has {length} bytes and should have {}", prelude.file_length);
            return Err(corrupt(&what, length));
        }
        let Some(tail_length) =
            length.checked_sub(prelude.index_offset).filter(|_| usize::try_from(length).is_ok())
        else {
            return Err(corrupt("the offset table is outside the file", 16));
        };
        let bytes = match access {
            Access::Mapped => {
                #[expect(unsafe_code, reason = "memory mapping")]
                // SAFETY: the map is read-only, and files are replaced by renaming, never written
                // in place; that nobody else changes or shortens the file is the condition that
                // `Access::Mapped` documents.
                let map =
                    unsafe { Mmap::map(&file) }.map_err(TableError::io(Operation::Map, path))?;
                Bytes::Mapped(map)
            }
            Access::Read => {
                let mut tail = vec![0; tail_length as usize];
                read_at(&file, &mut tail, prelude.index_offset)
                    .map_err(TableError::io(Operation::Read, path))?;
                Bytes::Read { file, tail }
            }
        };
        let frame = Self { path: path.to_owned(), bytes, prelude, version, fingerprint };
        // A file can have been cut since its length was asked for.
        if frame.tail().len() as u64 != tail_length
            || xxh3_64(frame.tail()) != prelude.tail_checksum
        {
            let what = "the checksum of offset table and metadata differs";
            return Err(corrupt(what, prelude.index_offset));
        }
        Ok(frame)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The size of the file.
    pub(super) fn length(&self) -> u64 {
        self.prelude.file_length
    }

    pub(super) fn prelude(&self) -> &Prelude {
        &self.prelude
    }

    /// The checksum of the prelude. It covers the tail's, which covers those of the body, so that
    /// it differs where anything does.
    pub(super) fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// An error of damage in this file.
    #[cold]
    pub(super) fn corrupt(&self, what: impl Into<String>, offset: u64) -> TableError {
        TableError::Corrupt { path: self.path.clone(), what: what.into(), offset }
    }

    /// An error of damage in the metadata.
    pub(super) fn senseless(&self, what: &str) -> TableError {
        self.corrupt(what, self.prelude.metadata_offset)
    }

    /// The bytes from the index on.
    fn tail(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => &map[map.len().min(self.prelude.index_offset as usize)..],
            Bytes::Read { tail, .. } => tail,
        }
    }

    /// The part of the tail before the metadata, of a length that somebody expects.
    pub(super) fn check_index(&self, length: Option<u64>, what: &str) -> Result<()> {
        let Prelude { index_offset, metadata_offset, .. } = self.prelude;
        if length.is_none() || metadata_offset.checked_sub(index_offset) != length {
            return Err(self.senseless(what));
        }
        Ok(())
    }

    /// The index of the body.
    #[inline]
    pub(super) fn index(&self) -> &[u8] {
        let length = self.prelude.metadata_offset.saturating_sub(self.prelude.index_offset);
        self.tail().get(..length as usize).unwrap_or_default()
    }

    /// The format version of the file.
    pub(super) fn version(&self) -> u32 {
        self.version
    }

    /// Reads the metadata; `added` is what later versions have at their end and this file has not.
    pub(super) fn metadata<M: DeserializeOwned>(&self, added: &[u8]) -> Result<M> {
        let Prelude { index_offset, metadata_offset, .. } = self.prelude;
        metadata_offset
            .checked_sub(index_offset)
            .and_then(|at| self.tail().get(usize::try_from(at).ok()?..))
            .filter(|bytes| bytes.len() <= METADATA_LIMIT)
            .and_then(|bytes| {
                let bytes = [bytes, added].concat();
                let decoded = bincode::serde::decode_from_slice::<M, _>(&bytes, metadata_format());
                decoded.ok().filter(|(_, length)| *length == bytes.len())
            })
            .map(|(metadata, _)| metadata)
            .ok_or_else(|| self.senseless("the metadata make no sense"))
    }

    /// Whether bytes are between prelude and index.
    pub(super) fn is_in_body(&self, range: &Range<u64>) -> bool {
        range.start <= range.end && range.end <= self.prelude.index_offset
    }

    /// Some bytes of the body; `buffer` takes them if they are not mapped.
    ///
    /// # Errors
    /// If they cannot be read any more. The range must be [in the body](Self::is_in_body).
    #[inline]
    pub(super) fn body<'a>(
        &'a self,
        range: Range<u64>,
        buffer: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        debug_assert!(self.is_in_body(&range));
        match &self.bytes {
            Bytes::Mapped(map) => Ok(&map[range.start as usize..range.end as usize]),
            Bytes::Read { file, .. } => {
                buffer.resize((range.end - range.start) as usize, 0);
                match read_at(file, buffer, range.start) {
                    Ok(()) => Ok(buffer),
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self
                        .corrupt(
                            format!(
                                "it was cut short after it was opened, before byte {}",
                                range.end
                            ),
                            range.start,
                        )),
                    Err(error) => Err(TableError::io(Operation::Read, &self.path)(error)),
                }
            }
        }
    }

    /// The mapped file, if it is mapped.
    #[inline]
    pub(super) fn mapped(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Mapped(map) => Some(map),
            Bytes::Read { .. } => None,
        }
    }

    /// xxh3 of the whole file.
    pub(super) fn checksum(&self) -> Result<u64> {
        let Bytes::Read { tail, .. } = &self.bytes else {
            return Ok(xxh3_64(self.mapped().unwrap_or_default()));
        };
        const PART: u64 = 1 << 20;
        let mut hasher = Xxh3::new();
        let mut buffer = Vec::new();
        let end = self.prelude.index_offset;
        for begin in (0..end).step_by(PART as usize) {
            hasher.update(self.body(begin..end.min(begin + PART), &mut buffer)?);
        }
        hasher.update(tail);
        Ok(hasher.digest())
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => {
                bytes = &mut bytes[read..];
                offset += read as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
