//! SHA-256, by which files are verified that come from somewhere else.

use std::fmt;
use std::io::{self, Read, Write};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::Digest;
use thiserror::Error;

/// The SHA-256 of bytes. Its text is 64 lower-case hexadecimal digits.
///
/// ```
/// use fanorona_storage::Sha256;
/// let text = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
/// assert_eq!(Sha256::of(b"abc").to_string(), text);
/// assert_eq!(text.parse(), Ok(Sha256::of(b"abc")));
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

/// A text that is not a SHA-256.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("'{0}' is not a SHA-256, which has 64 lower-case hexadecimal digits")]
pub struct ParseSha256Error(String);

impl FromStr for Sha256 {
    type Err = ParseSha256Error;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        let mut bytes = [0; 32];
        if text.len() != 2 * bytes.len() || !text.bytes().all(is_digit) {
            return Err(ParseSha256Error(text.to_owned()));
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
            *byte = value(digits[0]) << 4 | value(digits[1]);
        }
        Ok(Self(bytes))
    }
}

impl Serialize for Sha256 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
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

    #[test]
    fn other_texts_are_refused() {
        let text = Sha256::of(b"abc").to_string();
        for bad in ["", &text[1..], &format!("{text}0"), &text.to_uppercase()] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad}");
        }
        assert!(text.replace('b', "g").parse::<Sha256>().is_err());
        assert!(text.replace("ba", "é").parse::<Sha256>().is_err());
    }
}
