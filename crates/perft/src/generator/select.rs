//! The generator for a rule and a processor, chosen once.

use fanorona_core::{Board, Chain, DirectionRule, Modern, Paikas, RuleSet, Stones, TurnRule};

use super::dispatch::Portable;
use super::kernel::{Kernel, Version};
use super::queue::CaptureQueue;
use super::tables::StepTables;
use crate::stop::Stop;

/// The interface of the generator. It does not depend on the rule or the processor.
pub(super) trait Generate {
    /// Adds a position to the last queue, and drains that if enough stones wait there. Gives the
    /// turns of the last ply that were counted by the way.
    fn add(&self, queues: &mut [CaptureQueue], stones: Stones, stop: &Stop<'_>) -> u128;

    /// Drains the last queue: counts the turns if they are the last ply, and else adds the
    /// positions after them to the queue below.
    fn drain(&self, queues: &mut [CaptureQueue], stop: &Stop<'_>) -> u128;

    /// Lists the stones after each turn, as the mover sees them.
    fn successors(&self, queue: &mut CaptureQueue, stones: Stones, found: &mut Vec<Stones>);

    /// Counts the sequences of `depth` steps.
    fn steps(&self, stones: Stones, depth: u8, stop: &Stop<'_>) -> u128;
}

impl<V: Version, const M: bool, const S: bool> Generate for Kernel<V, M, S> {
    fn add(&self, queues: &mut [CaptureQueue], stones: Stones, stop: &Stop<'_>) -> u128 {
        self.version.add(self, queues, stones, stop)
    }

    fn drain(&self, queues: &mut [CaptureQueue], stop: &Stop<'_>) -> u128 {
        self.version.drain(self, queues, stop)
    }

    fn successors(&self, queue: &mut CaptureQueue, stones: Stones, found: &mut Vec<Stones>) {
        self.version.successors(self, queue, stones, found);
    }

    fn steps(&self, stones: Stones, depth: u8, stop: &Stop<'_>) -> u128 {
        self.version.steps(self, stones, depth, stop)
    }
}

/// The generator for the settled rule of a rule set, as fast as this processor can run it.
pub(super) fn generator(rules: &RuleSet, board: Board) -> Box<dyn Generate> {
    if let Some(modern) = Modern::detect() {
        return generator_of(modern, rules, board);
    }
    generator_of(Portable, rules, board)
}

pub(super) fn generator_of(
    version: impl Version,
    rules: &RuleSet,
    board: Board,
) -> Box<dyn Generate> {
    // Each field is named, so that a new one does not compile before it is counted.
    let TurnRule { paikas, captures: _, chain, direction } = rules.settled_rule();
    let free_capture = paikas == Paikas::NonCapturingStep;
    let tables = StepTables::of(board, direction);
    macro_rules! kernel {
        ($must_go_on:literal, $strict:literal) => {
            Box::new(Kernel::<_, $must_go_on, $strict> { version, board, free_capture, tables })
        };
    }
    match (chain == Chain::MustGoOn, direction == DirectionRule::Strict) {
        (false, false) => kernel!(false, false),
        (false, true) => kernel!(false, true),
        (true, false) => kernel!(true, false),
        (true, true) => kernel!(true, true),
    }
}
