//! Readers and writers that compute a checksum.

use std::io::{self, ErrorKind, Read, Write};

use xxhash_rust::xxh3::Xxh3;

/// Counts and hashes the bytes that are read or written through it.
pub(super) struct Hashing<T> {
    inner: T,
    hasher: Xxh3,
    bytes: u64,
}

impl<T> Hashing<T> {
    pub(super) fn new(inner: T) -> Self {
        Self { inner, hasher: Xxh3::new(), bytes: 0 }
    }

    /// The hash of the bytes so far.
    pub(super) fn digest(&self) -> u64 {
        self.hasher.digest()
    }

    /// The number of bytes so far.
    pub(super) fn count(&self) -> u64 {
        self.bytes
    }

    /// The inner reader or writer, for bytes that must not be hashed.
    pub(super) fn inner(&mut self) -> &mut T {
        &mut self.inner
    }

    fn add(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
    }
}

impl<T: Write> Write for Hashing<T> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.add(&bytes[..count]);
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl<T: Read> Read for Hashing<T> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(bytes)?;
        self.add(&bytes[..count]);
        Ok(count)
    }
}

/// The error of damaged data.
pub(in crate::builder) fn damaged(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}

pub(super) fn read_array<const N: usize>(input: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

/// Reads a number of 32 bits.
pub(in crate::builder) fn read_number(mut input: &mut dyn Read) -> io::Result<u32> {
    Ok(u32::from_le_bytes(read_array(&mut input)?))
}
