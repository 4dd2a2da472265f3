//! SHA-256, by which others verify files.

use std::fmt;
use std::io::{self, Read, Write};

use sha2::Digest;

/// The SHA-256 of bytes. Its text is 64 lower-case hexadecimal digits.
///
/// ```
/// use fanorona_storage::Sha256;
/// let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// assert_eq!(Sha256::of(b"abc").to_string(), text);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The hash of these bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(sha2::Sha256::digest(bytes).into())
    }

    /// The hash of all that can be read.
    ///
    /// # Errors
    /// If reading fails.
    pub fn read(mut read: impl Read) -> io::Result<Self> {
        let mut hasher = Sha256Hasher::default();
        io::copy(&mut read, &mut hasher)?;
        Ok(hasher.finish())
    }
}

/// Computes the [`Sha256`] of the bytes that are written to it.
#[derive(Clone, Debug, Default)]
pub struct Sha256Hasher(sha2::Sha256);

impl Sha256Hasher {
    /// The hash of all bytes so far.
    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl Write for Sha256Hasher {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_parts_are_those_of_the_whole() {
        let bytes = [7; 100_000];
        assert_eq!(Sha256::read(&bytes[..]).unwrap(), Sha256::of(&bytes));
        assert_ne!(Sha256::of(&bytes[1..]), Sha256::of(&bytes));
    }
}
