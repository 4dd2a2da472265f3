//! Reading and writing with a checksum.

use std::io::{self, Read, Write};

use xxhash_rust::xxh3::Xxh3;

/// Counts and hashes the bytes that pass through.
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
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// What is below, for bytes that are not hashed.
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
