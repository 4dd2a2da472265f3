//! Sets and maps of a few numbers: a fast hash, and their memory, to keep limits.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Folds the product with an odd constant for each number. Begins with a random seed, so that no file
/// can be made to slow a map down.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastHash(u64);

impl Default for FastHash {
    fn default() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for FastHash {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        *self
    }
}

impl Hasher for FastHash {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * 0x9e37_79b9_7f4a_7c15;
        self.0 = product as u64 ^ (product >> 64) as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// The bytes of a hash map with room for this number of entries. It has a power of two of slots, is at
/// most seven eighths full, and takes a byte more for each slot.
pub(crate) fn map_bytes<K, V>(entries: usize) -> u64 {
    let slots =
        if entries == 0 { 0 } else { (entries as u64 * 8).div_ceil(7).next_power_of_two().max(4) };
    slots * (size_of::<(K, V)>() + 1) as u64
}

/// The most bytes that a list or map takes while it gets one entry more: when it is full, it is copied
/// to a place of twice the size. `bytes` is what it takes with room for a number of entries.
pub(crate) fn bytes_when_growing(len: usize, capacity: usize, bytes: impl Fn(usize) -> u64) -> u64 {
    let doubled = if len < capacity { 0 } else { bytes((2 * capacity).max(4)) };
    bytes(capacity) + doubled
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn a_map_has_the_capacity_of_its_bytes() {
        for entries in [1_usize, 3, 4, 7, 8, 28, 29, 1000] {
            let map = HashMap::<u64, u64>::with_capacity(entries);
            assert_eq!(
                map_bytes::<u64, u64>(map.capacity()),
                map_bytes::<u64, u64>(entries),
                "{entries}"
            );
        }
        assert_eq!(map_bytes::<u64, u64>(0), 0);
        assert_eq!(map_bytes::<u64, u64>(28), 32 * 17);
        assert_eq!(map_bytes::<u64, u64>(29), 64 * 17);
    }

    #[test]
    fn a_full_list_is_there_twice() {
        let bytes = |entries| 8 * entries as u64;
        assert_eq!(bytes_when_growing(3, 4, bytes), 32);
        assert_eq!(bytes_when_growing(4, 4, bytes), 32 + 64);
        assert_eq!(bytes_when_growing(0, 0, bytes), 32);
    }
}
