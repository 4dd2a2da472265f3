//! The blocks of certificates that store only turns.

use super::number::{BYTES_LIMIT_32, pop, push};

/// The maximum number of bytes of a turn before compression.
pub(super) const TURN_BYTES_LIMIT: usize = BYTES_LIMIT_32;

/// Packs numbers of turns.
pub(super) fn pack(turns: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(turns.len());
    turns.iter().for_each(|turn| push(&mut bytes, (*turn).into()));
    bytes
}

/// Unpacks `count` turns. `None` if [`pack`] does not return these bytes for any turns.
pub(super) fn unpack(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    // A turn takes at least a byte, so the allocation is limited by the number of bytes.
    if bytes.len() < count {
        return None;
    }
    let mut rest = bytes;
    let turns = (0..count).map(|_| pop(&mut rest)?.try_into().ok()).collect::<Option<_>>()?;
    rest.is_empty().then_some(turns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_unpacks_was_packed(bytes: Vec<u8>, count in 0..12usize) {
            if let Some(turns) = unpack(&bytes, count) {
                prop_assert_eq!(pack(&turns), bytes);
            }
        }

        #[test]
        fn packed_turns_come_back(turns: Vec<u32>) {
            let bytes = pack(&turns);
            prop_assert!(bytes.len() <= turns.len() * TURN_BYTES_LIMIT);
            prop_assert_eq!(unpack(&bytes, turns.len()), Some(turns));
        }
    }
}
