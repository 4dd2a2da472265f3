//! Mixing of keys.

use fanorona_core::SplitMix64;

/// A permutation of the numbers of up to 127 bits that spreads them.
#[derive(Debug)]
pub(super) struct Mixing {
    bits: u32,
    multipliers: [u128; 3],
}

impl Mixing {
    pub(super) fn new(bits: u32) -> Self {
        // Multiplying by an odd number can be undone.
        let mut random = SplitMix64::new(0);
        let mut random = || u128::from(random.next_u64());
        let multipliers = std::array::from_fn(|_| random() << 64 | random() | 1);
        Self { bits, multipliers }
    }

    /// Different keys give different numbers.
    #[inline]
    pub(super) fn mix(&self, key: u128) -> u128 {
        let all = (1 << self.bits) - 1;
        let fold = |key: u128| key ^ key >> (self.bits / 2);
        let spread = |key: u128, by: &u128| fold(key).wrapping_mul(*by) & all;
        fold(self.multipliers.iter().fold(key, spread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_keeps_keys_apart() {
        for bits in 11..16 {
            let mixing = Mixing::new(bits);
            let mut mixed: Vec<u128> = (0..1 << bits).map(|key| mixing.mix(key)).collect();
            mixed.sort_unstable();
            assert!(mixed.into_iter().eq(0..1 << bits));
        }
    }
}
