//! Blocks: the numbers of turns in LEB128, seven bits per byte, the lowest first.

/// The most bytes of a number of 32 bits.
pub(super) const TURN_BYTES_LIMIT: usize = 5;

/// Packs numbers of turns.
pub(super) fn pack(turns: &[u32]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(turns.len());
    for turn in turns {
        let mut rest = *turn;
        while rest >= 0x80 {
            bytes.push(rest as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
    }
    bytes
}

/// Unpacks `count` turns. `None` if [`pack`] does not return these bytes for any turns.
pub(super) fn unpack(bytes: &[u8], count: usize) -> Option<Vec<u32>> {
    // A turn takes at least a byte, so the allocation is limited by the number of bytes.
    if bytes.len() < count {
        return None;
    }
    let mut rest = bytes;
    let turns = (0..count).map(|_| pop(&mut rest)).collect::<Option<_>>()?;
    rest.is_empty().then_some(turns)
}

/// Takes a number from the front. `None` if there is none of 32 bits, or if it has more bytes than
/// necessary: a proof has one form only.
fn pop(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u64;
    for place in 0..TURN_BYTES_LIMIT {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte & 0x80 == 0 {
            let is_shortest = byte != 0 || place == 0;
            return number.try_into().ok().filter(|_| is_shortest);
        }
    }
    None
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
        fn packed_turns_come_back(turns: Vec<u32>, bits in 0..32u32) {
            let turns: Vec<_> = turns.into_iter().map(|turn| turn >> bits).collect();
            let bytes = pack(&turns);
            prop_assert!(bytes.len() <= turns.len() * TURN_BYTES_LIMIT);
            prop_assert_eq!(unpack(&bytes, turns.len()), Some(turns));
        }
    }
}
