//! A small random number generator.

/// The random number generator SplitMix64, for tests, samples and random games. It is small, fast,
/// and gives the same numbers on every machine. It is not for cryptography.
///
/// Source: G. Steele, D. Lea, C. Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA
/// 2014.
#[derive(Clone, Debug)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// The increment of the state for each number.
    const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

    /// The generator with this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The generator of one of many streams of a seed. The start of the stream is itself a random
    /// number.
    pub fn stream(seed: u64, number: u64) -> Self {
        Self(Self(seed.wrapping_add(number.wrapping_mul(Self::STEP))).next_u64())
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(Self::STEP);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from 0 to `n - 1`; 0 if `n` is 0. The probabilities differ by at most `n` in 2⁶⁴.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_code() {
        let mut random = SplitMix64::new(1_234_567);
        assert_eq!(random.next_u64(), 6_457_827_717_110_365_317);
        assert_eq!(random.next_u64(), 3_203_168_211_198_807_973);
    }

    #[test]
    fn numbers_stay_below_the_bound_and_reach_all() {
        let mut random = SplitMix64::new(1);
        let mut seen = [0; 3];
        (0..1000).for_each(|_| seen[random.below(3) as usize] += 1);
        assert!(seen.iter().all(|count| *count > 250), "{seen:?}");
        assert_eq!(random.below(0), 0);
    }
}
