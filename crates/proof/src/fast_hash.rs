//! A fast hash for sets and maps of a few numbers.

use std::hash::{BuildHasher, Hasher, RandomState};

/// Makes hashers with a random seed, so that no file can be made to slow a map down.
#[derive(Clone, Debug)]
pub(crate) struct FastHash {
    seed: u64,
}

impl Default for FastHash {
    fn default() -> Self {
        Self { seed: RandomState::new().hash_one(0) }
    }
}

impl BuildHasher for FastHash {
    type Hasher = FastHasher;

    fn build_hasher(&self) -> FastHasher {
        FastHasher(self.seed)
    }
}

/// Folds the product with an odd constant for each number.
#[derive(Debug)]
pub(crate) struct FastHasher(u64);

impl Hasher for FastHasher {
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
