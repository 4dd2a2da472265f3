//! SHA-256, by which others verify files.

use std::fmt::Write as _;
use std::io::{self, Write};

use sha2::Digest;

/// Computes the SHA-256 of the bytes that are written to it.
///
/// ```
/// use fanorona_storage::Sha256;
/// let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// assert_eq!(Sha256::of(b"abc"), text);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Sha256(sha2::Sha256);

impl Sha256 {
    /// The hash of these bytes, as in [`finish`](Self::finish).
    pub fn of(bytes: &[u8]) -> String {
        Self(sha2::Sha256::new_with_prefix(bytes)).finish()
    }

    /// The hash of all bytes so far, as 64 lower-case hexadecimal digits.
    pub fn finish(self) -> String {
        let mut text = String::new();
        for byte in self.0.finalize() {
            write!(text, "{byte:02x}").expect("writing to a string");
        }
        text
    }
}

impl Write for Sha256 {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_parts_are_those_of_the_whole() {
        let bytes = [7; 100_000];
        let mut hash = Sha256::default();
        bytes.chunks(999).for_each(|part| hash.write_all(part).unwrap());
        assert_eq!(hash.finish(), Sha256::of(&bytes));
        assert_ne!(Sha256::of(&bytes[1..]), Sha256::of(&bytes));
    }
}
