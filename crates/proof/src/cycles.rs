//! Choosing other turns where those of a guide for a win lead to cycles.

use fanorona_core::Stones;
use std::ops::ControlFlow;

use crate::discovery::{Limits, Queue, Turns};
use crate::error::{CertificateError, Flaw};
use crate::leaves::Ends;
use crate::steps::{StepBuffers, Steps};
use crate::turns::try_for_each_successor;

type Result<T> = std::result::Result<T, CertificateError>;

/// Gives entries from which play need not end other turns, as far as there are any: turns that lead
/// only to entries from which play ends. Some entries may not be needed with these turns. So the proof
/// has to be followed again, which also finds the cycles that are left.
pub(crate) fn break_cycles<E: Ends>(
    steps: &Steps<'_, E>,
    queue: &mut Queue,
    limits: Limits<'_>,
) -> Result<()> {
    let mut is_endless = queue.endless(steps, limits)?;
    let places = is_endless.iter().enumerate().flat_map(|(count, layer)| {
        (0..layer.len()).filter(|entry| layer[*entry]).map(move |entry| (count, entry))
    });
    let mut left: Vec<_> = places.collect();
    // An entry gets another turn once play ends after every reply to it. So the new turns make no
    // cycle.
    loop {
        let mut still_left = Vec::new();
        for (count, entry) in left.iter().copied() {
            limits.check_stop()?;
            let layer = &queue.layers[count];
            match turn_to_an_end(steps, queue, layer.stones[entry], &is_endless)? {
                Some(turn) => {
                    queue.layers[count].turns[entry] = turn;
                    is_endless[count][entry] = false;
                }
                None => still_left.push((count, entry)),
            }
        }
        if still_left.is_empty() || still_left.len() == left.len() {
            return Ok(());
        }
        left = still_left;
    }
}

/// The first turn of an entry after which every reply is a good leaf or an entry from which play ends.
fn turn_to_an_end<E: Ends>(
    steps: &Steps<'_, E>,
    queue: &Queue,
    entry: Stones,
    is_endless: &[Vec<bool>],
) -> Result<Option<u32>> {
    let position = steps.position(entry);
    let mut buffers = StepBuffers::default();
    let found = try_for_each_successor(&steps.rules, &position, |turn, after| {
        let mut all_end = true;
        let found = steps.replies(&after, &mut buffers, |reply| {
            let count = reply.count() as usize;
            let number = queue.layers[count].numbers.get(&reply);
            all_end &= number.is_some_and(|number| !is_endless[count][*number as usize]);
        });
        match found {
            Ok(()) if all_end => ControlFlow::Break(Ok(turn)),
            Ok(()) | Err(CertificateError::NoProof { flaw: Flaw::BadLeaf { .. } }) => {
                ControlFlow::Continue(())
            }
            Err(error) => ControlFlow::Break(Err(error)),
        }
    });
    found.break_value().transpose()
}

/// The turns of a queue that was followed before.
pub(crate) struct TurnsOf<'a>(pub &'a Queue);

impl Turns for TurnsOf<'_> {
    fn next(&mut self, entries: &[Stones]) -> Result<Vec<u32>> {
        // New turns lead only to entries of the queue, and so do the old ones.
        let turn = |stones: &Stones| {
            let layer = &self.0.layers[stones.count() as usize];
            layer.turns[layer.numbers[stones] as usize]
        };
        Ok(entries.iter().map(turn).collect())
    }
}
