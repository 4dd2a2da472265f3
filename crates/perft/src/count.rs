//! Counts in JSON.

use serde::{Serialize, Serializer};

/// A count. In JSON it is a string if it exceeds 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Count(pub u128);

impl Serialize for Count {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(self.0) {
            Ok(small) => serializer.serialize_u64(small),
            Err(_) => serializer.serialize_str(&self.0.to_string()),
        }
    }
}

/// A field that is a [`Count`].
pub(crate) fn serialize_count<S: Serializer>(count: &u128, to: S) -> Result<S::Ok, S::Error> {
    Count(*count).serialize(to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_beyond_64_bits_are_strings() {
        let json = |n| serde_json::to_string(&Count(n)).expect("it can be written");
        assert_eq!(json(u128::from(u64::MAX)), "18446744073709551615");
        assert_eq!(json(u128::from(u64::MAX) + 1), "\"18446744073709551616\"");
    }
}
