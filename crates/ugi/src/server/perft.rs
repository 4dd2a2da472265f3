//! `go perft`: counts below each turn of a position.

use std::sync::Arc;

use fanorona_core::{Position, RuleSet};
use fanorona_perft::{Counting, PerftCounter, branches};

use super::control::Control;
use super::output::Output;
use crate::protocol::Message;

/// A count to be made, on one thread.
pub(super) struct Count {
    pub rules: RuleSet,
    pub position: Position,
    pub depth: u8,
    pub control: Arc<Control>,
    pub output: Output,
}

impl Count {
    /// Counts, and prints each turn with its count, and the sum. Depth 0 has one node and no turn. A
    /// count that is stopped has no sum.
    pub(super) fn run(&self) {
        let Self { rules, position, depth, control, output } = self;
        let print = |line: String| output.send(&[Message::Other(line)]);
        let mut sum = u128::from(*depth == 0);
        if let Some(below) = depth.checked_sub(1) {
            let mut counter = PerftCounter::new(rules, position.board(), Counting::Turns);
            for (turn, node) in branches(rules, position, Counting::Turns) {
                let count = counter.count_until(&node, below, control.flag());
                let Some(nodes) = count else {
                    output.say("the count was stopped");
                    return control.finish();
                };
                sum = sum.saturating_add(nodes);
                print(format!("{}: {nodes}", turn.text(position.board())));
            }
        }
        control.finish();
        print(format!("\nNodes searched: {sum}\n"));
    }
}
