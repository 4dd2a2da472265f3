//! The counting generator: what lies below a position, without a list of the last turns.
//!
//! It works where the rule has *settled* ([`RuleSet::is_settled`]), so that it is the same for every
//! position below. Before that the listing generator of `fanorona-core` counts.
//!
//! Which capturing steps a stone can make is a set of bits, read from [`StepTables`], and each step
//! leads to another such set. The stones of many positions wait in [`CaptureQueue`]s, one for each
//! ply. What comes next in a queue does not depend on what was last, so the processor works on
//! several steps at once, without branches to predict.
//!
//! - `kernel`: the loops, the same source for every processor
//! - `dispatch`: the loops compiled for newer processors, chosen at run time
//! - `queue`, `tables`: what the loops work on
//! - `turns`, `steps`, `successors`: what the rest of the crate calls

mod dispatch;
mod kernel;
mod queue;
mod steps;
mod successors;
mod tables;
#[cfg(test)]
mod tests;
mod turns;

#[cfg(target_arch = "x86_64")]
use dispatch::Modern;
use dispatch::{Portable, Version};
use fanorona_core::{Board, Chain, DirectionRule, Paikas, PointSet, RuleSet};
use kernel::Kernel;
use queue::CaptureQueue;
use tables::StepTables;

use crate::stop::Stop;

pub(crate) use steps::steps;
pub use successors::{Successor, Successors};
pub(crate) use turns::{TurnCounter, turns};

/// What the generator does, whatever its rule and its processor.
trait Generate {
    /// Adds a position to the last queue, and drains that if enough stones wait there. Gives the
    /// turns of the last ply that were counted by the way.
    fn add(
        &self,
        queues: &mut [CaptureQueue],
        own: PointSet,
        opponent: PointSet,
        stop: &Stop<'_>,
    ) -> u128;

    /// Drains the last queue: counts the turns if they are the last ply, and else adds the positions
    /// after them to the queue below.
    fn drain(&self, queues: &mut [CaptureQueue], stop: &Stop<'_>) -> u128;

    /// Lists the stones of both sides after each turn.
    fn successors(
        &self,
        queue: &mut CaptureQueue,
        own: PointSet,
        opponent: PointSet,
        found: &mut Vec<Successor>,
    );

    /// Counts the sequences of `depth` steps.
    fn steps(&self, own: PointSet, opponent: PointSet, depth: u8, stop: &Stop<'_>) -> u128;
}

impl<V: Version, const M: bool, const S: bool> Generate for Kernel<V, M, S> {
    fn add(
        &self,
        queues: &mut [CaptureQueue],
        own: PointSet,
        opponent: PointSet,
        stop: &Stop<'_>,
    ) -> u128 {
        self.version.add(self, queues, own, opponent, stop)
    }

    fn drain(&self, queues: &mut [CaptureQueue], stop: &Stop<'_>) -> u128 {
        self.version.drain(self, queues, stop)
    }

    fn successors(
        &self,
        queue: &mut CaptureQueue,
        own: PointSet,
        opponent: PointSet,
        found: &mut Vec<Successor>,
    ) {
        self.version.successors(self, queue, own, opponent, found);
    }

    fn steps(&self, own: PointSet, opponent: PointSet, depth: u8, stop: &Stop<'_>) -> u128 {
        self.version.steps(self, own, opponent, depth, stop)
    }
}

/// The generator for the settled rule of a rule set, as fast as this processor can run it.
fn generator(rules: &RuleSet, board: Board) -> Box<dyn Generate> {
    #[cfg(target_arch = "x86_64")]
    if let Some(modern) = Modern::detect() {
        return generator_of(modern, rules, board);
    }
    generator_of(Portable, rules, board)
}

fn generator_of(version: impl Version, rules: &RuleSet, board: Board) -> Box<dyn Generate> {
    let rule = rules.settled_rule();
    let free_capture = rule.paikas == Paikas::NonCapturingStep;
    let tables = StepTables::of(board, rule.direction);
    macro_rules! kernel {
        ($must_go_on:literal, $strict:literal) => {
            Box::new(Kernel::<_, $must_go_on, $strict> { version, board, free_capture, tables })
        };
    }
    match (rule.chain == Chain::MustGoOn, rule.direction == DirectionRule::Strict) {
        (false, false) => kernel!(false, false),
        (false, true) => kernel!(false, true),
        (true, false) => kernel!(true, false),
        (true, true) => kernel!(true, true),
    }
}
