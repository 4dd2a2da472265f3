//! Reading, mapping or fetching the bytes of a file.

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::Arc;

use memmap2::Mmap;

/// How files are found and how their bytes are accessed: read (the default), memory-mapped, or
/// fetched from somewhere else.
#[derive(Clone, Copy, Debug, Default)]
pub struct Access(Mode);

#[derive(Clone, Copy, Debug, Default)]
enum Mode {
    #[default]
    Read,
    Map,
    Fetch(&'static dyn Files),
}

/// Files that are not in the file system of this machine, such as those of a web host.
///
/// A read of bytes that are not here yet fails with [`WouldBlock`](io::ErrorKind::WouldBlock). Whoever
/// implements this notes which bytes were asked for, so that the caller can fetch them and try again.
pub trait Files: fmt::Debug + Sync {
    /// The names of the files of a directory, in no order.
    ///
    /// # Errors
    /// If there is no such directory.
    fn names(&self, dir: &Path) -> io::Result<Vec<String>>;

    /// A file. Opening fetches nothing.
    ///
    /// # Errors
    /// If there is no such file.
    fn open(&self, path: &Path) -> io::Result<Arc<dyn Source>>;
}

/// The bytes of a file of [`Files`]. Whoever implements it answers for the bytes: those of a damaged
/// file are an error.
pub trait Source: fmt::Debug + Send + Sync {
    /// The length in bytes.
    fn length(&self) -> u64;

    /// Reads bytes at an offset.
    ///
    /// # Errors
    /// [`WouldBlock`](io::ErrorKind::WouldBlock) if they are not here yet, and
    /// [`UnexpectedEof`](io::ErrorKind::UnexpectedEof) past the end.
    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()>;
}

impl Access {
    /// Parts are read when they are needed. If the file changes, the result is an error or a
    /// different checksum. This is the default.
    pub const READ: Self = Self(Mode::Read);

    /// The file is mapped into memory. This is faster, above all for many small reads.
    ///
    /// If the file is truncated while it is mapped, or the disk fails, the system ends the program
    /// with a signal (SIGBUS).
    ///
    /// # Safety
    /// While a file is open that was opened with this value, nobody may change or truncate it,
    /// including other programs. Replacing it by renaming another file, as
    /// [`AtomicFile`](crate::AtomicFile) does, is allowed: the mapping keeps the old file.
    #[expect(unsafe_code, reason = "callers promise that mapped files do not change")]
    pub const unsafe fn map() -> Self {
        Self(Mode::Map)
    }

    /// Files are those of `files`, whatever is in the file system.
    pub const fn fetch(files: &'static dyn Files) -> Self {
        Self(Mode::Fetch(files))
    }

    /// Whether files are mapped.
    pub const fn is_map(self) -> bool {
        matches!(self.0, Mode::Map)
    }

    pub(crate) const fn files(self) -> Option<&'static dyn Files> {
        match self.0 {
            Mode::Fetch(files) => Some(files),
            Mode::Read | Mode::Map => None,
        }
    }

    /// The names of the files of a directory, in no order. Those that are no UTF-8 are changed.
    ///
    /// # Errors
    /// If it is no directory, or cannot be read.
    pub fn names(self, dir: &Path) -> io::Result<Vec<String>> {
        if let Some(files) = self.files() {
            return files.names(dir);
        }
        let files = fs::read_dir(dir)?.map_while(Result::ok);
        Ok(files.map(|file| file.file_name().to_string_lossy().into_owned()).collect())
    }

    /// Checks that there is a directory.
    ///
    /// # Errors
    /// If there is none, or something else.
    pub fn check_dir(self, dir: &Path) -> io::Result<()> {
        match self.files() {
            Some(files) => files.names(dir).map(drop),
            None if fs::metadata(dir)?.is_dir() => Ok(()),
            None => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Whether there is something at a path. It need not be a regular file.
    pub fn exists(self, path: &Path) -> bool {
        match self.files() {
            Some(files) => files.open(path).is_ok(),
            None => path.exists(),
        }
    }
}

#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap),
    /// A part of the program.
    Embedded(&'static [u8]),
    Read(File),
    Fetched(Arc<dyn Source>),
}

impl Bytes {
    pub(crate) fn length(&self) -> io::Result<u64> {
        match self {
            Self::Mapped(map) => Ok(map.len() as u64),
            Self::Embedded(bytes) => Ok(bytes.len() as u64),
            Self::Read(file) => Ok(file.metadata()?.len()),
            Self::Fetched(source) => Ok(source.length()),
        }
    }

    #[inline]
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        match self {
            Self::Mapped(map) => Some(map),
            Self::Embedded(bytes) => Some(bytes),
            Self::Read(_) | Self::Fetched(_) => None,
        }
    }

    pub(crate) fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        match self {
            Self::Read(file) => read_at(file, bytes, offset),
            Self::Fetched(source) => source.read_at(bytes, offset),
            Self::Mapped(_) | Self::Embedded(_) => {
                let whole = self.whole().unwrap_or_default();
                let begin = usize::try_from(offset).unwrap_or(usize::MAX);
                let found = whole.get(begin..).and_then(|rest| rest.get(..bytes.len()));
                bytes.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
                Ok(())
            }
        }
    }
}

/// Reads bytes at an offset, without moving the file's cursor, so that threads can share the file.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Reads bytes at an offset. Threads can share the file, because every read gives its own offset.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut bytes: &mut [u8], mut offset: u64) -> io::Result<()> {
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

/// Systems without files: those of a page in a browser are fetched.
#[cfg(not(any(unix, windows)))]
pub(crate) fn read_at(_: &File, _: &mut [u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn write_at(_: &File, _: &[u8], _: u64) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Writes bytes at an offset, without moving the file's cursor.
#[cfg(unix)]
pub(crate) fn write_at(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Writes bytes at an offset.
#[cfg(windows)]
pub(crate) fn write_at(file: &File, mut bytes: &[u8], mut offset: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, offset) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => {
                bytes = &bytes[written..];
                offset += written as u64;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
