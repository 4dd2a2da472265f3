//! Random positions of tables.

use std::collections::BTreeSet;

use fanorona_core::SplitMix64;
use fanorona_tablebase::{Listed, Listing, TableError, TableValue, Tables};

use crate::interrupt;

/// A uniform sample of the positions of some tables, without reading all of them: those of each table in
/// its order. `None` if so many are asked for that reading all is as good.
///
/// Entries are chosen at random. Each position is at one entry, and what is symmetric to an earlier entry
/// is passed over, so each position is equally likely.
pub(super) fn choose(
    tables: &Tables,
    listings: &[Listing<'_>],
    number: usize,
    seed: u64,
) -> Result<Option<Vec<Vec<Listed>>>, TableError> {
    let entries = listings.iter().map(Listing::entries);
    let total = entries.fold(0, u64::saturating_add);
    // An eighth of the entries at least are positions of their own.
    if number as u64 > total / 32 {
        return Ok(None);
    }
    let mut random = SplitMix64::new(seed);
    let mut chosen = BTreeSet::new();
    while chosen.len() < number {
        if interrupt::requested() {
            return Err(TableError::Stopped);
        }
        let (mut listing, mut index) = (0, random.below(total));
        while index >= listings[listing].entries() {
            index -= listings[listing].entries();
            listing += 1;
        }
        if listings[listing].position(index)?.is_some() {
            chosen.insert((listing, index));
        }
    }
    let mut sample = Vec::new();
    for (i, listing) in listings.iter().enumerate() {
        let mut found = Vec::new();
        for (_, index) in chosen.range((i, 0)..(i + 1, 0)) {
            found.extend(listing.position(*index)?);
        }
        let positions: Vec<_> = found.iter().map(|(position, _)| *position).collect();
        let values = tables.probe_many(&positions).into_iter();
        let has_distances = listing.table().metadata().metric.has_distances();
        let listed = found.into_iter().zip(values).map(|((position, weight), value)| {
            let TableValue { value, dtw } = value?;
            // Of a finished game, a distance is known without the table.
            let value = TableValue { value, dtw: dtw.filter(|_| has_distances) };
            Ok(Listed { position, weight, value })
        });
        sample.push(listed.collect::<Result<_, TableError>>()?);
    }
    Ok(Some(sample))
}

/// A uniform sample of things of which nobody knows how many there will be (J. S. Vitter, "Random
/// Sampling with a Reservoir", ACM Transactions on Mathematical Software 11(1), 1985, algorithm R).
pub(super) struct Reservoir<T> {
    number: usize,
    random: SplitMix64,
    seen: u64,
    /// With the numbers in the order in which they came.
    chosen: Vec<(u64, T)>,
}

impl<T> Reservoir<T> {
    pub(super) fn new(number: usize, seed: u64) -> Self {
        Self { number, random: SplitMix64::new(seed), seen: 0, chosen: Vec::new() }
    }

    pub(super) fn add(&mut self, thing: T) {
        let new = (self.seen, thing);
        self.seen += 1;
        if self.chosen.len() < self.number {
            self.chosen.push(new);
        } else if let Ok(at) = usize::try_from(self.random.below(self.seen))
            && let Some(place) = self.chosen.get_mut(at)
        {
            *place = new;
        }
    }

    /// The sample, in the order in which it came.
    pub(super) fn finish(mut self) -> Vec<T> {
        self.chosen.sort_unstable_by_key(|(number, _)| *number);
        self.chosen.into_iter().map(|(_, thing)| thing).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_thing_is_equally_likely_and_the_order_stays() {
        let mut counts = [0u32; 20];
        for seed in 0..4000 {
            let mut reservoir = Reservoir::new(5, seed);
            (0..20).for_each(|number| reservoir.add(number));
            let chosen: Vec<usize> = reservoir.finish();
            assert!(chosen.len() == 5 && chosen.is_sorted_by(|a, b| a < b), "{chosen:?}");
            chosen.iter().for_each(|number| counts[*number] += 1);
        }
        // Chi-squared with 19 degrees of freedom: below 1000 each, more than 5 standard deviations.
        let chi_squared: f64 =
            counts.iter().map(|count| (f64::from(*count) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi_squared < 19.0 + 5.0 * 38f64.sqrt(), "{counts:?}");

        let mut few = Reservoir::new(5, 1);
        (0..3).for_each(|number| few.add(number));
        assert_eq!(few.finish(), [0, 1, 2]);
    }
}
