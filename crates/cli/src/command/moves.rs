//! `moves`: draws a position and lists its turns.

use clap::Args;
use comfy_table::Row;
use fanorona_core::{Outcome, Position};
use serde::Serialize;

use crate::drawing;
use crate::options::{Root, RootOptions};
use crate::output::table;

/// Draw a position and list its legal turns
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  fanorona moves --after \"d3-e3A d4-d3A\"")]
pub(crate) struct Moves {
    #[command(flatten)]
    root: RootOptions,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    root: Root,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    turns: Vec<TurnReport>,
}

#[derive(Serialize)]
struct TurnReport {
    turn: String,
    /// The position after the turn.
    position: Position,
    /// The points whose stones are captured.
    captured: Vec<String>,
}

impl Moves {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = self.root.output();
        let root = self.root.root()?;
        let report = report(root);

        output.json(&report);
        output.text(drawing::draw(&root.position));
        output.text(format_args!("\n{}", root.position));
        output.text(headline(&report));
        if !report.turns.is_empty() {
            output.text(format_args!("\n{}", turn_table(&report.turns)));
        }
        Ok(())
    }
}

fn report(root: Root) -> Report {
    let Root { board, rules, position } = root;
    let turns = rules.turns(&position).into_iter().map(|turn| TurnReport {
        turn: turn.text(position.board()).to_string(),
        position: position.play_unchecked(&turn),
        captured: turn.captured().iter().map(|p| board.coordinates(p).to_string()).collect(),
    });
    let outcome = rules.outcome(&position).map(|outcome| match outcome {
        Outcome::Won(side) => format!("{side} has won"),
        Outcome::Drawn => "drawn".to_owned(),
    });
    Report { root, outcome, turns: turns.collect() }
}

fn headline(report: &Report) -> String {
    match (&report.outcome, report.turns.len()) {
        (Some(outcome), _) => format!("the game is over: {outcome}"),
        (None, 1) => format!("{} to move, 1 turn", report.root.position.to_move()),
        (None, n) => format!("{} to move, {n} turns", report.root.position.to_move()),
    }
}

fn turn_table(turns: &[TurnReport]) -> String {
    let mut table = table(&["", "turn", "captures"], &[1, 2]);
    table.add_rows(turns.iter().enumerate().map(|(i, turn)| {
        Row::from([(i + 1).to_string(), turn.turn.clone(), turn.captured.join(" ")])
    }));
    table.trim_fmt()
}
