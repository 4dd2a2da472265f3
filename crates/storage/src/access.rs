//! Ways to access the bytes of a file.

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// How the bytes of an open file are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Access(Mode);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
enum Mode {
    #[default]
    Read,
    Map,
}

impl Access {
    /// Parts are read when they are needed. Whatever happens to the file becomes an error or a
    /// difference of checksums. This is the default.
    pub const READ: Self = Self(Mode::Read);

    /// The file is mapped into memory: faster, above all for many small reads.
    ///
    /// If the file is cut short while it is mapped, or the disk fails, the system ends the program
    /// with a signal.
    ///
    /// # Safety
    /// As long as a file is open that was opened with this value, nobody may change or shorten it,
    /// no other program either. Replacing it by renaming another file, as
    /// [`AtomicFile`](crate::AtomicFile) does, is no change: the mapping keeps the old file.
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
    Read(File),
}

impl Bytes {
    /// Takes a file that is at least as long as `length`, so that it can be mapped.
    pub(crate) fn new(file: File, access: Access) -> io::Result<Self> {
        match access.0 {
            Mode::Read => Ok(Self::Read(file)),
            Mode::Map => {
                #[expect(unsafe_code, reason = "memory mapping")]
                // SAFETY: the mapping is read-only. Who made the `Access` promised in `Access::map`
                // that nobody changes the file while it is open.
                let map = unsafe { Mmap::map(&file) }?;
                Ok(Self::Mapped(map))
            }
        }
    }
}

/// Reads bytes at an offset, without moving a position that threads would share.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, bytes: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Reads bytes at an offset, without moving a position that threads would share.
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
