//! Reading containers.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use memmap2::Mmap;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::prelude::{CHECKED, FileKind, PRELUDE, Prelude, checksum, half, word};
use crate::access::{Access, Bytes};
use crate::error::{FileError, Operation};
use crate::metadata::decode_metadata;
use crate::target::open_regular;

type Result<T> = std::result::Result<T, FileError>;

/// The number of bytes that are read at a time to compute a checksum.
const PART: usize = 1 << 20;

static OPENED: AtomicU64 = AtomicU64::new(0);

/// An open container: a file with a prelude of 64 bytes, a body, an index of the body, and
/// metadata. Index and metadata are its *tail*.
///
/// Opening compares the checksums of prelude and tail. The body has no checksum of its own, so the
/// index should have one for each part of the body. With [`Access::READ`], the tail stays in
/// memory, and parts of the body are read when they are needed. Of a [fetched](Access::fetch) file the
/// tail is read in parts too, and its checksum is not compared: its [`Source`](crate::Source) answers
/// for it.
#[derive(Debug)]
pub struct Container {
    path: PathBuf,
    id: u64,
    bytes: Bytes,
    /// The tail of a file that is read; else empty.
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
        let bytes = match access.files() {
            Some(files) => files.open(path).map(Bytes::Fetched),
            None => open_regular(path).map(Bytes::Read),
        };
        let mut bytes = bytes.map_err(FileError::io(Operation::Open, path))?;
        if let Bytes::Read(file) = &bytes
            && access.is_map()
        {
            #[expect(unsafe_code, reason = "memory mapping")]
            // SAFETY: the mapping is read-only, and the caller of `Access::map` has promised that
            // nobody changes the file while it is open.
            let map = unsafe { Mmap::map(file) };
            bytes = Bytes::Mapped(map.map_err(FileError::io(Operation::Map, path))?);
        }
        Self::new(path, kind, bytes)
    }

    /// Opens a container that is a part of the program, under a name.
    ///
    /// # Errors
    /// If it is of another kind or version, or is damaged outside its body.
    pub fn embedded(name: &str, bytes: &'static [u8], kind: FileKind) -> Result<Self> {
        Self::new(Path::new(name), kind, Bytes::Embedded(bytes))
    }

    fn new(path: &Path, kind: FileKind, bytes: Bytes) -> Result<Self> {
        let FileKind { name, version: newest, oldest, .. } = kind;
        let other_kind = |why: String| FileError::OtherKind { path: path.to_owned(), name, why };
        let length = bytes.length().map_err(FileError::io(Operation::Read, path))?;
        if length < PRELUDE as u64 {
            return Err(other_kind(format!("it has {length} bytes and is too short for a header")));
        }
        let read = |into: &mut [u8], offset| {
            bytes.read_at(into, offset).map_err(FileError::io(Operation::Read, path))
        };
        let mut first = [0; PRELUDE];
        read(&mut first, 0)?;
        if first[..8] != kind.magic {
            return Err(other_kind("it does not begin with the right bytes".to_owned()));
        }
        let found = half(&first, 8);
        if !(oldest..=newest).contains(&found) {
            let path = path.to_owned();
            return Err(FileError::Version { path, found, oldest, newest });
        }
        let corrupt = |(what, offset): (String, u64)| FileError::Corrupt {
            path: path.to_owned(),
            what,
            offset,
        };
        let fingerprint = word(&first, CHECKED);
        if fingerprint != checksum(&first) {
            return Err(corrupt(("the header's checksum differs".to_owned(), 0)));
        }
        let prelude = Prelude::from_bytes(&first, length).map_err(corrupt)?;
        let mut tail = Vec::new();
        if let Bytes::Read(_) = bytes {
            tail.resize((length - prelude.index_offset) as usize, 0);
            read(&mut tail, prelude.index_offset)?;
        }
        let id = OPENED.fetch_add(1, Ordering::Relaxed);
        let container = Self { path: path.to_owned(), id, bytes, tail, prelude, fingerprint };
        if !container.is_fetched() && xxh3_64(container.tail()) != prelude.tail_checksum {
            let what = "the checksum of index and metadata differs".to_owned();
            return Err(corrupt((what, prelude.index_offset)));
        }
        Ok(container)
    }

    /// The path that was given to [`open`](Self::open).
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A number that identifies this open container within the process.
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

    /// The checksum of the prelude. It covers the checksum of the tail. If the index has checksums
    /// of all parts of the body, it identifies the content of the whole file. Reads nothing.
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    /// The offset of the metadata, which are the end of the file.
    pub fn metadata_offset(&self) -> u64 {
        self.prelude.metadata_offset
    }

    /// The range of the body in the file.
    pub fn body(&self) -> Range<u64> {
        PRELUDE as u64..self.prelude.index_offset
    }

    /// The length of the index of the body in bytes. In the file it begins at the end of
    /// [`body`](Self::body).
    #[inline]
    pub fn index_length(&self) -> u64 {
        self.prelude.metadata_offset - self.prelude.index_offset
    }

    /// Some bytes of the index, at an offset in it.
    ///
    /// # Errors
    /// If they are not in the index, or cannot be read.
    #[inline]
    pub fn index<const N: usize>(&self, at: u64) -> Result<[u8; N]> {
        let is_inside = at.checked_add(N as u64).is_some_and(|end| end <= self.index_length());
        match self.tail().get(at as usize..).and_then(|rest| rest.first_chunk()) {
            Some(found) if is_inside => Ok(*found),
            _ if is_inside => self.read_tail(at, [0; N]),
            _ => Err(self.corrupt("its index is too short", self.prelude.index_offset)),
        }
    }

    /// Reads bytes of the tail of a fetched file, at an offset in the tail.
    #[cold]
    fn read_tail<B: AsMut<[u8]>>(&self, at: u64, mut bytes: B) -> Result<B> {
        let begin = self.prelude.index_offset + at;
        let read = self.bytes.read_at(bytes.as_mut(), begin);
        let end = begin + bytes.as_mut().len() as u64;
        read.map_err(|error| self.unreadable(error, &(begin..end)))?;
        Ok(bytes)
    }

    /// Decodes the metadata, after appending `appended` to their bytes. This can supply the fields
    /// that newer versions of a format have at the end.
    ///
    /// # Errors
    /// If they are not encoded metadata of this type.
    pub fn metadata<M: DeserializeOwned>(&self, appended: &[u8]) -> Result<M> {
        let Prelude { metadata_offset, file_length, .. } = self.prelude;
        let at = self.index_length();
        let bytes = match self.is_fetched() {
            // The prelude was checked, so they are not too long.
            true => self.read_tail(at, vec![0; (file_length - metadata_offset) as usize])?,
            false => self.tail().get(at as usize..).unwrap_or_default().to_vec(),
        };
        decode_metadata(&[&bytes, appended].concat()).map_err(|error| {
            self.corrupt_metadata(format!("the metadata cannot be decoded: {error}"))
        })
    }

    /// The error of damage in this file, at an offset.
    #[cold]
    pub fn corrupt(&self, what: impl Into<String>, offset: u64) -> FileError {
        FileError::Corrupt { path: self.path.clone(), what: what.into(), offset }
    }

    /// The error of damage in the metadata.
    #[cold]
    pub fn corrupt_metadata(&self, what: impl Into<String>) -> FileError {
        self.corrupt(what, self.prelude.metadata_offset)
    }

    fn is_fetched(&self) -> bool {
        matches!(self.bytes, Bytes::Fetched(_))
    }

    /// The tail: index and metadata. Empty if the file is fetched.
    fn tail(&self) -> &[u8] {
        match self.bytes.whole() {
            Some(bytes) => bytes.get(self.prelude.index_offset as usize..).unwrap_or_default(),
            None => &self.tail,
        }
    }

    /// Reads a range of the body, given by offsets in the file. The result is in `buffer`, or in
    /// the mapping if the file is mapped.
    ///
    /// # Errors
    /// If the range is not in the [body](Self::body), or if the bytes cannot be read.
    #[inline]
    pub fn read<'a>(&'a self, range: Range<u64>, buffer: &'a mut Vec<u8>) -> Result<&'a [u8]> {
        let body = self.body();
        if range.start < body.start || range.end < range.start || range.end > body.end {
            return Err(self.outside_body(&range));
        }
        if let Some(bytes) = self.bytes.whole() {
            return Ok(&bytes[range.start as usize..range.end as usize]);
        }
        buffer.resize((range.end - range.start) as usize, 0);
        let read = self.bytes.read_at(buffer, range.start);
        read.map_err(|error| self.unreadable(error, &range))?;
        Ok(buffer)
    }

    #[cold]
    fn outside_body(&self, range: &Range<u64>) -> FileError {
        let Range { start, end } = self.body();
        let what = format!(
            "bytes {} to {} are not in the body, which is bytes {start} to {end}",
            range.start, range.end
        );
        self.corrupt(what, range.start)
    }

    #[cold]
    fn unreadable(&self, source: io::Error, range: &Range<u64>) -> FileError {
        if source.kind() == io::ErrorKind::UnexpectedEof {
            let what = format!("it was truncated after it was opened, before byte {}", range.end);
            return self.corrupt(what, range.start);
        }
        FileError::io(Operation::Read, &self.path)(source)
    }

    /// The whole file, if it is mapped or a part of the program.
    #[inline]
    pub fn mapped(&self) -> Option<&[u8]> {
        self.bytes.whole()
    }

    /// The [`checksum`](crate::checksum) of the whole file. Reads every byte.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn checksum(&self) -> Result<u64> {
        self.checksum_in_parts(PART)
    }

    fn checksum_in_parts(&self, most: usize) -> Result<u64> {
        if let Some(bytes) = self.bytes.whole() {
            return Ok(xxh3_64(bytes));
        }
        let mut hasher = Xxh3::new();
        let mut buffer = vec![0; most].into_boxed_slice();
        let mut waits = None;
        let end = self.prelude.file_length - self.tail.len() as u64;
        for begin in (0..end).step_by(most) {
            let range = begin..end.min(begin + most as u64);
            let part = &mut buffer[..(range.end - range.start) as usize];
            match self.bytes.read_at(part, begin) {
                // The other parts are asked for too, so that they are fetched together.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    waits = Some((error, range));
                }
                read => read.map_err(|error| self.unreadable(error, &range))?,
            }
            hasher.update(part);
        }
        if let Some((error, range)) = waits {
            return Err(self.unreadable(error, &range));
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

    /// Bodies that end before, at and after the ends of the parts that are read at a time.
    #[test]
    fn the_checksum_covers_all_parts() {
        let kind = FileKind { name: "a test", magic: *b"FileTest", version: 1, oldest: 1 };
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        let most = 16;
        for length in 0..=3 * most + 1 {
            let body: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let mut writer =
                ContainerWriter::create(&path, kind, PartialKind::new("test")).unwrap();
            writer.write(&body).unwrap();
            writer.finish(b"index", b"metadata").unwrap();
            let file = Container::open(&path, kind, Access::READ).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            assert_eq!(file.checksum_in_parts(most).unwrap(), xxh3_64(&bytes), "{length}");
        }
    }
}
