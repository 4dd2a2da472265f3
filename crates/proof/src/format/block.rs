//! The blocks of certificates that store entries: packing entries column by column.

use fanorona_core::PointSet;

use super::number::{pop, push};
use crate::stones::Stones;

/// An entry of a proof: a position in which the prover is to move, and its turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub stones: Stones,
    /// The number of the prover's turn in the generator's order.
    pub turn: u32,
    /// The distance to conversion in a proof of a win: one more than the largest distance among the
    /// next entries with the same number of stones, or 0 if there are none. 0 in other proofs.
    pub distance: u32,
}

/// The maximum number of bytes of an entry before compression.
pub(super) const ENTRY_BYTES_LIMIT: usize = 10 + 10 + 5 + 5;

/// Packs entries column by column: own sets, opponent's sets, turns, and distances for a win. A set
/// is the exclusive or with the previous entry's set.
pub(super) fn pack(entries: &[Entry], has_distances: bool) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(entries.len() * 8);
    let mut set_column = |set: fn(&Entry) -> u64| {
        entries.iter().fold(0, |before, entry| {
            push(&mut bytes, set(entry) ^ before);
            set(entry)
        });
    };
    set_column(|entry| entry.stones.own.bits());
    set_column(|entry| entry.stones.opponent.bits());
    entries.iter().for_each(|entry| push(&mut bytes, entry.turn.into()));
    if has_distances {
        entries.iter().for_each(|entry| push(&mut bytes, entry.distance.into()));
    }
    bytes
}

/// Unpacks `count` entries. `None` if [`pack`] does not return these bytes for any entries.
pub(super) fn unpack(bytes: &[u8], count: usize, has_distances: bool) -> Option<Vec<Entry>> {
    // An entry takes at least three bytes, so the allocation is limited by the number of bytes.
    if bytes.len() < 3 * count {
        return None;
    }
    let mut rest = bytes;
    let empty = Entry {
        stones: Stones { own: PointSet::EMPTY, opponent: PointSet::EMPTY },
        turn: 0,
        distance: 0,
    };
    let mut entries = vec![empty; count];
    let mut before = 0;
    for entry in &mut entries {
        before ^= pop(&mut rest)?;
        entry.stones.own = PointSet::from_bits(before);
    }
    before = 0;
    for entry in &mut entries {
        before ^= pop(&mut rest)?;
        entry.stones.opponent = PointSet::from_bits(before);
    }
    for entry in &mut entries {
        entry.turn = pop(&mut rest)?.try_into().ok()?;
    }
    if has_distances {
        for entry in &mut entries {
            entry.distance = pop(&mut rest)?.try_into().ok()?;
        }
    }
    rest.is_empty().then_some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_unpacks_was_packed(bytes: Vec<u8>, count in 0..12usize, has_distances: bool) {
            if let Some(entries) = unpack(&bytes, count, has_distances) {
                prop_assert_eq!(pack(&entries, has_distances), bytes);
            }
        }

        #[test]
        fn packed_entries_come_back(
            parts in proptest::collection::vec(any::<(u64, u64, u32, u32)>(), 0..40)
        ) {
            let entries: Vec<_> = parts
                .into_iter()
                .map(|(own, opponent, turn, distance)| {
                    let [own, opponent] = [own, opponent].map(PointSet::from_bits);
                    Entry { stones: Stones { own, opponent }, turn, distance }
                })
                .collect();
            let bytes = pack(&entries, true);
            prop_assert!(bytes.len() <= entries.len() * ENTRY_BYTES_LIMIT);
            prop_assert_eq!(unpack(&bytes, entries.len(), true), Some(entries));
        }
    }
}
