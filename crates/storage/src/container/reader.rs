//! Reading containers.

use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::error::ContainerError;
use super::prelude::{FileKind, PRELUDE, Prelude, checksum, stored_checksum};
use crate::access::{Access, Bytes, read_at};
use crate::metadata::decode_metadata;
use crate::open::open_regular;
use crate::operation::Operation;

type Result<T> = std::result::Result<T, ContainerError>;

/// How many bytes of a file are read together to sum them up.
const PART: usize = if cfg!(test) { 16 } else { 1 << 20 };

/// How many containers this program has opened.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// An open file of four parts: a prelude of 64 bytes, a body, an index of the body, and metadata.
/// The last two are its *tail*.
///
/// Opening checks prelude and tail by their checksums. The body has none; the index should have one
/// for each of its parts. With [`Access::READ`], index and metadata stay in memory, and parts of the
/// body are read when they are needed.
#[derive(Debug)]
pub struct Container {
    path: PathBuf,
    id: u64,
    bytes: Bytes,
    /// The tail of a file that is not mapped.
    tail: Vec<u8>,
    prelude: Prelude,
    fingerprint: u64,
}

impl Container {
    /// Opens a container of a kind.
    ///
    /// # Errors
    /// If the file cannot be read, is not a regular file, is of another kind or version, or is
    /// damaged outside its body.
    pub fn open(path: impl AsRef<Path>, kind: FileKind, access: Access) -> Result<Self> {
        let path = path.as_ref();
        let io = |operation| {
            let path = path.to_owned();
            move |source| ContainerError::Io { operation, path, source }
        };
        let mut file = open_regular(path).map_err(io(Operation::Open))?;
        let length = file.metadata().map_err(io(Operation::Read))?.len();
        let other_kind = |why: String| ContainerError::OtherKind { path: path.to_owned(), why };
        if length < PRELUDE as u64 {
            return Err(other_kind(format!("it has {length} bytes, fewer than a header")));
        }
        let mut bytes = [0; PRELUDE];
        file.read_exact(&mut bytes).map_err(io(Operation::Read))?;
        if bytes[..8] != kind.magic {
            return Err(other_kind("it begins with other bytes".to_owned()));
        }
        let prelude = Prelude::from_bytes(&bytes);
        let FileKind { version: newest, oldest, .. } = kind;
        if !(oldest..=newest).contains(&prelude.version) {
            let (path, found) = (path.to_owned(), prelude.version);
            return Err(ContainerError::Version { path, found, oldest, newest });
        }
        let corrupt = |(what, offset): (String, u64)| ContainerError::Corrupt {
            path: path.to_owned(),
            what,
            offset,
        };
        let fingerprint = stored_checksum(&bytes);
        if fingerprint != checksum(&bytes) {
            return Err(corrupt(("the header's checksum differs".to_owned(), 0)));
        }
        prelude.check(length).map_err(corrupt)?;
        let tail = match access.is_map() {
            true => Vec::new(),
            false => {
                let mut tail = vec![0; (length - prelude.index_offset) as usize];
                read_at(&file, &mut tail, prelude.index_offset).map_err(io(Operation::Read))?;
                tail
            }
        };
        let bytes = Bytes::new(file, access).map_err(io(Operation::Map))?;
        let id = OPENED.fetch_add(1, Ordering::Relaxed);
        let container = Self { path: path.to_owned(), id, bytes, tail, prelude, fingerprint };
        // A mapped file can have been cut since its length was asked for.
        if container.tail().len() as u64 != length - prelude.index_offset
            || xxh3_64(container.tail()) != prelude.tail_checksum
        {
            let what = "the checksum of index and metadata differs".to_owned();
            return Err(corrupt((what, prelude.index_offset)));
        }
        Ok(container)
    }

    /// The path that was given to [`open`](Self::open).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number that no other container has that this program opened.
    #[inline]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// The length of the file in bytes.
    pub fn file_length(&self) -> u64 {
        self.prelude.file_length
    }

    /// The format version of the file.
    pub fn version(&self) -> u32 {
        self.prelude.version
    }

    /// The checksum of the prelude. It covers the checksum of the tail, so where that has checksums
    /// of all parts of the body, the fingerprints of two files differ if anything in them does.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// Where the body is in the file.
    pub fn body(&self) -> Range<u64> {
        PRELUDE as u64..self.prelude.index_offset
    }

    /// The index of the body. It begins at the end of [`body`](Self::body).
    #[inline]
    pub fn index(&self) -> &[u8] {
        let length = self.prelude.metadata_offset - self.prelude.index_offset;
        self.tail().get(..length as usize).unwrap_or_default()
    }

    /// Decodes the metadata. `appended` is put behind their bytes: what later versions of the format
    /// have at the end and this file has not.
    ///
    /// # Errors
    /// If they are not such metadata.
    pub fn metadata<M: DeserializeOwned>(&self, appended: &[u8]) -> Result<M> {
        let Prelude { index_offset, metadata_offset, .. } = self.prelude;
        let bytes = self.tail().get((metadata_offset - index_offset) as usize..);
        let bytes = [bytes.unwrap_or_default(), appended].concat();
        decode_metadata(&bytes)
            .map_err(|error| self.corrupt_metadata(format!("the metadata make no sense: {error}")))
    }

    /// An error of damage in this file.
    #[cold]
    pub fn corrupt(&self, what: impl Into<String>, offset: u64) -> ContainerError {
        ContainerError::Corrupt { path: self.path.clone(), what: what.into(), offset }
    }

    /// An error of damage in the metadata.
    #[cold]
    pub fn corrupt_metadata(&self, what: impl Into<String>) -> ContainerError {
        self.corrupt(what, self.prelude.metadata_offset)
    }

    /// The bytes from the index on.
    fn tail(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map.get(self.prelude.index_offset as usize..).unwrap_or_default(),
            Bytes::Read(_) => &self.tail,
        }
    }

    /// Some bytes of the body. `buffer` takes them if the file is not mapped.
    ///
    /// # Errors
    /// If the range is not in the [body](Self::body), or if the bytes cannot be read any more.
    #[inline]
    pub fn read<'a>(&'a self, range: Range<u64>, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let body = self.body();
        if range.start < body.start || range.end < range.start || range.end > body.end {
            return Err(self.outside_body(&range));
        }
        match &self.bytes {
            Bytes::Mapped(map) => Ok(&map[range.start as usize..range.end as usize]),
            Bytes::Read(file) => {
                buffer.resize((range.end - range.start) as usize, 0);
                read_at(file, buffer, range.start)
                    .map_err(|error| self.unreadable(error, &range))?;
                Ok(buffer)
            }
        }
    }

    #[cold]
    fn outside_body(&self, range: &Range<u64>) -> ContainerError {
        let Range { start, end } = self.body();
        let what = format!(
            "bytes {} to {} are not between {start} and {end}, where its values are",
            range.start, range.end
        );
        self.corrupt(what, range.start)
    }

    #[cold]
    fn unreadable(&self, source: io::Error, range: &Range<u64>) -> ContainerError {
        if source.kind() == io::ErrorKind::UnexpectedEof {
            let what = format!("it was cut short after it was opened, before byte {}", range.end);
            return self.corrupt(what, range.start);
        }
        ContainerError::Io { operation: Operation::Read, path: self.path.clone(), source }
    }

    /// The whole file, if it is mapped.
    #[inline]
    pub fn mapped(&self) -> Option<&[u8]> {
        match &self.bytes {
            Bytes::Mapped(map) => Some(map),
            Bytes::Read(_) => None,
        }
    }

    /// xxh3 of the whole file. Reads every byte.
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn checksum(&self) -> Result<u64> {
        let file = match &self.bytes {
            Bytes::Mapped(map) => return Ok(xxh3_64(map)),
            Bytes::Read(file) => file,
        };
        let mut hasher = Xxh3::new();
        let mut buffer = vec![0; PART];
        let end = self.prelude.index_offset;
        for begin in (0..end).step_by(PART) {
            let range = begin..end.min(begin + PART as u64);
            let part = &mut buffer[..(range.end - range.start) as usize];
            read_at(file, part, begin).map_err(|error| self.unreadable(error, &range))?;
            hasher.update(part);
        }
        hasher.update(&self.tail);
        Ok(hasher.digest())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::ContainerWriter;
    use crate::replace::PartialKind;

    /// Bodies up to, at and past the ends of the parts that are summed up together.
    #[test]
    fn the_checksum_is_of_all_parts() {
        let kind = FileKind { magic: *b"FileTest", version: 1, oldest: 1 };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        for length in 0..=3 * PART + 1 {
            let body: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let mut writer =
                ContainerWriter::create(&path, kind, PartialKind::new("test")).unwrap();
            writer.write(&body).unwrap();
            writer.finish(b"index", b"metadata").unwrap();
            let file = Container::open(&path, kind, Access::READ).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(file.checksum().unwrap(), xxh3_64(&bytes), "{length}");
        }
    }
}
