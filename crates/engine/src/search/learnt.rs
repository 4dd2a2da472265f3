//! Numbers that a search learns.

/// Numbers from -`BOUND` to `BOUND`, at most 16 bits, zero at first.
pub(super) struct Learnt<const BOUND: i32>(Vec<i16>);

impl<const BOUND: i32> Learnt<BOUND> {
    pub(super) fn new(count: usize) -> Self {
        Self(vec![0; count])
    }

    pub(super) fn get(&self, index: usize) -> i32 {
        i32::from(self.0[index])
    }

    /// Moves a number towards its bound. A bonus counts less, the nearer the bound is.
    pub(super) fn add(&mut self, index: usize, bonus: i32) {
        let old = self.get(index);
        self.0[index] = (old + bonus - old * bonus.abs() / BOUND) as i16;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_within_their_bound_and_come_back() {
        let mut numbers = Learnt::<1_000>::new(2);
        (0..100).for_each(|_| numbers.add(1, 250));
        assert!((990..=1_000).contains(&numbers.get(1)), "{}", numbers.get(1));
        (0..100).for_each(|_| numbers.add(1, -1_000));
        assert_eq!((numbers.get(0), numbers.get(1)), (0, -1_000));
    }
}
