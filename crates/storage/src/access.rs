//! Reading or mapping the bytes of a file.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// How the bytes of an open file are accessed: read (the default) or memory-mapped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Access(Mode);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Mode {
    #[default]
    Read,
    Map,
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

    /// Whether files are mapped.
    pub const fn is_map(self) -> bool {
        matches!(self.0, Mode::Map)
    }
}

/// An open file.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap),
    /// A part of the program.
    Embedded(&'static [u8]),
    Read(File),
}

impl Bytes {
    /// Wraps an open file, and maps it if `access` says so.
    pub(crate) fn new(file: File, access: Access) -> io::Result<Self> {
        match access.0 {
            Mode::Read => Ok(Self::Read(file)),
            Mode::Map => {
                #[expect(unsafe_code, reason = "memory mapping")]
                // SAFETY: the mapping is read-only, and the caller of `Access::map` has promised
                // that nobody changes the file while it is open.
                let map = unsafe { Mmap::map(&file) }?;
                Ok(Self::Mapped(map))
            }
        }
    }

    /// All bytes, if they are in memory.
    #[inline]
    pub(crate) fn whole(&self) -> Option<&[u8]> {
        match self {
            Self::Mapped(map) => Some(map),
            Self::Embedded(bytes) => Some(bytes),
            Self::Read(_) => None,
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
