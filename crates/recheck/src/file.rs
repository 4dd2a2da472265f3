//! Reading files: the parts that certificates and tables have in common.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{Xxh3Default, xxh3_64};

use crate::error::CheckError;

/// The bytes of a prelude.
pub(crate) const PRELUDE: u64 = 64;

/// The most bytes of a part that is read at once, and of the blocks that are described by it.
const MAX_PART: u64 = 1 << 28;

/// An open file.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) file: File,
    pub(crate) length: u64,
}

impl Source {
    /// Opens a regular file. Others might block, or never end.
    pub(crate) fn open(path: &Path) -> Result<Self, CheckError> {
        let io = |source| CheckError::Io { path: path.to_owned(), source };
        let regular = |metadata: &fs::Metadata| match metadata.is_file() {
            true => Ok(()),
            false => Err(io::Error::other("it is not a regular file")),
        };
        fs::metadata(path).and_then(|metadata| regular(&metadata)).map_err(io)?;
        let file = File::open(path).map_err(io)?;
        let metadata = file.metadata().map_err(io)?;
        regular(&metadata).map_err(io)?;
        Ok(Self { path: path.to_owned(), file, length: metadata.len() })
    }

    pub(crate) fn io(&self, source: io::Error) -> CheckError {
        CheckError::Io { path: self.path.clone(), source }
    }

    pub(crate) fn damaged(
        &self,
        offset: u64,
        what: &'static str,
        found: impl ToString,
        expected: impl ToString,
    ) -> CheckError {
        let (found, expected) = (found.to_string(), expected.to_string());
        CheckError::Damaged { path: self.path.clone(), offset, what, found, expected }
    }

    pub(crate) fn too_large(&self, what: &'static str, limit: u64) -> CheckError {
        CheckError::TooLarge { path: self.path.clone(), what, limit }
    }

    /// An error unless two numbers of a field or part are equal.
    pub(crate) fn same<T: PartialEq + ToString>(
        &self,
        offset: u64,
        what: &'static str,
        found: T,
        expected: T,
    ) -> Result<(), CheckError> {
        if found == expected { Ok(()) } else { Err(self.damaged(offset, what, found, expected)) }
    }

    /// The bytes from one offset to another.
    pub(crate) fn read(&mut self, from: u64, to: u64) -> Result<Vec<u8>, CheckError> {
        let length = to.saturating_sub(from);
        if length > MAX_PART {
            return Err(self.too_large("bytes in one part", MAX_PART));
        }
        let mut bytes = vec![0; length as usize];
        let found = self.file.seek(SeekFrom::Start(from));
        found.and_then(|_| self.file.read_exact(&mut bytes)).map_err(|source| self.io(source))?;
        Ok(bytes)
    }

    /// The checksum of the whole file.
    pub(crate) fn checksum(&mut self) -> Result<u64, CheckError> {
        let mut hash = Xxh3Default::new();
        let mut buffer = vec![0; 1 << 20];
        self.file.rewind().map_err(|source| self.io(source))?;
        loop {
            match self.file.read(&mut buffer) {
                Ok(0) => return Ok(hash.digest()),
                Ok(length) => hash.update(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(self.io(source)),
            }
        }
    }
}

/// The first bytes of a file, which are valid.
#[derive(Clone, Debug)]
pub(crate) struct Prelude {
    pub(crate) version: u32,
    /// Where the blocks end and what describes them begins.
    pub(crate) blocks_end: u64,
    /// Where the header or the metadata begin.
    pub(crate) last: u64,
    tail_checksum: u64,
}

impl Prelude {
    pub(crate) fn read(
        source: &mut Source,
        magic: [u8; 8],
        versions: RangeInclusive<u32>,
    ) -> Result<Self, CheckError> {
        if source.length < PRELUDE {
            let least = format!("at least {PRELUDE}");
            return Err(source.damaged(0, "the length of the file", source.length, least));
        }
        let bytes = source.read(0, PRELUDE)?;
        let word = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        if bytes[..8] != magic {
            let text = |bytes: &[u8]| format!("'{}'", bytes.escape_ascii());
            return Err(source.damaged(0, "the magic", text(&bytes[..8]), text(&magic)));
        }
        let version = word(8) as u32;
        if !versions.contains(&version) {
            let versions = format!("from {} to {}", versions.start(), versions.end());
            return Err(source.damaged(8, "the version", version, versions));
        }
        let finished = u64::from(u32::from_le_bytes(*b"DONE"));
        source.same(12, "the finished mark", word(8) >> 32, finished)?;
        source.same(48, "the reserved field", word(48), 0)?;
        source.same(56, "the checksum of the prelude", word(56), xxh3_64(&bytes[..56]))?;
        source.same(32, "the length of the file", word(32), source.length)?;
        let (blocks_end, last) = (word(16), word(24));
        for (at, what, found, range) in [
            (16, "the end of the blocks", blocks_end, PRELUDE..=last.max(PRELUDE)),
            (24, "the beginning of the last part", last, PRELUDE..=source.length),
        ] {
            if !range.contains(&found) {
                let range = format!("from {} to {}", range.start(), range.end());
                return Err(source.damaged(at, what, found, range));
            }
        }
        let tail_checksum = word(40);
        Ok(Self { version, blocks_end, last, tail_checksum })
    }

    /// All bytes after the blocks.
    pub(crate) fn tail(&self, source: &mut Source) -> Result<Vec<u8>, CheckError> {
        let tail = source.read(self.blocks_end, source.length)?;
        source.same(40, "the checksum of the tail", self.tail_checksum, xxh3_64(&tail))?;
        Ok(tail)
    }
}

/// Fields that follow each other.
#[derive(Debug)]
pub(crate) struct Fields<'a> {
    pub(crate) source: &'a Source,
    bytes: &'a [u8],
    at: usize,
    /// The offset in the file of the first of the bytes.
    first: u64,
}

impl<'a> Fields<'a> {
    pub(crate) fn new(source: &'a Source, bytes: &'a [u8], first: u64) -> Self {
        Self { source, bytes, at: 0, first }
    }

    /// The offset in the file of the next field.
    pub(crate) fn offset(&self) -> u64 {
        self.first + self.at as u64
    }

    fn take(&mut self, length: u64, what: &'static str) -> Result<&'a [u8], CheckError> {
        let rest = &self.bytes[self.at..];
        let field = usize::try_from(length).ok().and_then(|length| rest.get(..length));
        let Some(field) = field else {
            let found = format!("{length} bytes long");
            let expected = format!("at most the {} bytes that are left", rest.len());
            return Err(self.source.damaged(self.offset(), what, found, expected));
        };
        self.at += field.len();
        Ok(field)
    }

    /// A number of up to 8 bytes.
    pub(crate) fn number(&mut self, length: u8, what: &'static str) -> Result<u64, CheckError> {
        let mut number = [0; 8];
        let field = self.take(length.into(), what)?;
        number[..field.len()].copy_from_slice(field);
        Ok(u64::from_le_bytes(number))
    }

    /// A byte that is 0 or 1.
    pub(crate) fn flag(&mut self, what: &'static str) -> Result<bool, CheckError> {
        let offset = self.offset();
        match self.number(1, what)? {
            number @ 0..=1 => Ok(number == 1),
            other => Err(self.source.damaged(offset, what, other, "0 or 1")),
        }
    }

    pub(crate) fn text(&mut self, what: &'static str) -> Result<&'a str, CheckError> {
        let length = self.number(8, what)?;
        let offset = self.offset();
        let bytes = self.take(length, what)?;
        str::from_utf8(bytes)
            .map_err(|error| self.source.damaged(offset, what, error, "a text in UTF-8"))
    }

    /// An error unless all bytes have been read.
    pub(crate) fn end(&self, what: &'static str) -> Result<(), CheckError> {
        let end = self.first + self.bytes.len() as u64;
        self.source.same(self.offset(), what, end, self.offset())
    }
}

/// Whether bytes are one zstd frame, without anything behind it.
pub(crate) fn is_one_frame(bytes: &[u8]) -> bool {
    let magic = bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]);
    magic && zstd::zstd_safe::find_frame_compressed_size(bytes) == Ok(bytes.len())
}
