//! Following a proof of a certificate, from the entries with the most stones to those with the fewest.

use fanorona_core::Stones;

use crate::discovery::Queue;
use crate::error::{Flaw, Result};
use crate::format::Certificate;
use crate::steps::Steps;

/// An entry of a proof: a position in which the prover is to move, and its turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredEntry {
    pub stones: Stones,
    /// The number of the prover's turn in the generator's order.
    pub turn: u32,
    /// The distance to conversion in a proof of a win: one more than the largest distance among the
    /// next entries with the same number of stones, or 0 if there are none. 0 in other proofs.
    pub distance: u32,
}

/// A proof of a certificate that was followed down to a number of stones.
#[derive(Debug)]
pub(crate) struct StoredProof {
    number: usize,
    pub queue: Queue,
    /// The turns that are left of the blocks that were read.
    turns: std::vec::IntoIter<u32>,
    /// The next block to be read.
    block: usize,
}

impl StoredProof {
    pub(crate) fn begin(
        certificate: &Certificate,
        number: usize,
        steps: &Steps<'_>,
    ) -> Result<Self> {
        let queue = Queue::begin(steps, &certificate.header.position)?;
        let (turns, block) = (Vec::new().into_iter(), certificate.blocks(number).start);
        Ok(Self { number, queue, turns, block })
    }

    /// Follows the entries with the most stones, and returns them. `None` if all were followed:
    /// then the proof holds, and no turn is left. Calls `progress` with the number of entries followed.
    pub(crate) fn next_layer(
        &mut self,
        certificate: &Certificate,
        steps: &Steps<'_>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<Option<Vec<StoredEntry>>> {
        let Self { number, queue, turns, block } = self;
        let mut next = |entries: &[Stones]| {
            // A block is read when an entry needs its first turn. So a small file with very many turns,
            // which compress well, takes no more memory than entries were found.
            if turns.len() == 0 && *block < certificate.blocks(*number).end {
                *turns = certificate.turns(*number, *block)?.into_iter();
                *block += 1;
            }
            Ok(turns.by_ref().take(entries.len()).collect())
        };
        let Some(count) = queue.follow_layer(steps, &mut next, progress)? else { return Ok(None) };
        // The queue took a turn for each entry, so there are at least as many turns.
        let entries = certificate.header.proofs[*number].positions;
        let unreached = entries - queue.followed;
        if count == 0 && unreached > 0 {
            return Err(steps.fails(Flaw::Unreached { unreached, entries }));
        }
        let mut layer = queue.take(count);
        let distances = layer.distances(steps)?;
        let entries = layer.stones.into_iter().zip(layer.turns).zip(distances);
        let entry = |((stones, turn), distance)| StoredEntry { stones, turn, distance };
        Ok(Some(entries.map(entry).collect()))
    }
}

/// Follows a proof of a certificate, and checks that it holds and that no turn is left.
pub(crate) fn check_stored(
    certificate: &Certificate,
    number: usize,
    steps: &Steps<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<()> {
    let mut proof = StoredProof::begin(certificate, number, steps)?;
    while proof.next_layer(certificate, steps, progress)?.is_some() {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::error::CertificateError;
    use crate::steps::{Limits, nowhere};

    /// A proof that does not fit into the memory is an error that says how far it came.
    #[test]
    fn the_memory_limit_is_kept() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/5x3-free-capture.proof");
        let (certificate, never) = (Certificate::open(path).unwrap(), AtomicBool::new(false));
        let follow = |memory| {
            let limits = Limits { together: 4, ..Limits::new(memory, &never) };
            let mut followed = 0;
            let steps = Steps::of_proof(&certificate, 0, &nowhere, limits);
            check_stored(&certificate, 0, &steps, &mut |entries| followed = entries)
                .map(|()| followed)
        };
        let all = certificate.header.proofs[0].positions;
        assert_eq!(follow(u64::MAX).unwrap(), all);
        let mut before = 0;
        for limit in [0, 10_000, 100_000] {
            let found = follow(limit).unwrap_err();
            let CertificateError::EntryMemory { entries, limit: named, .. } = found else {
                panic!("{found}")
            };
            assert_eq!(named, limit);
            assert!(entries >= before && entries < all, "{entries}");
            before = entries;
        }
        assert_eq!(follow(200 * all).unwrap(), all);
    }
}
