//! The set of grades in a row.

use crate::grades::Grade;

/// The set of grades in a row, as a Bloom filter with one hash. Rounds skip rows that do not have
/// their grade. There are false positives, but no false negatives.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GradeFilter([u64; 4]);

impl GradeFilter {
    pub(super) fn of<G: Grade>(row: &[G]) -> Self {
        let mut found = [0; 4];
        for grade in row {
            let (word, bit) = Self::bit_of(*grade);
            found[word] |= bit;
        }
        Self(found)
    }

    pub(super) fn may_have<G: Grade>(&self, grade: G) -> bool {
        let (word, bit) = Self::bit_of(grade);
        self.0[word] & bit != 0
    }

    fn bit_of<G: Grade>(grade: G) -> (usize, u64) {
        let hash = grade.to_code().0 % 256;
        (usize::from(hash / 64), 1 << (hash % 64))
    }
}
