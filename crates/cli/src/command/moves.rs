//! `moves`: a position drawn, and its turns.

use clap::Args;
use comfy_table::Row;
use fanorona_core::{Outcome, Position};
use serde::Serialize;

use crate::drawing;
use crate::options::{CommonOptions, PositionOptions, Scene};
use crate::output::{Output, table};

/// Draw a position and list its legal turns
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  fanorona moves --after \"d3-e3A d4-d3A\"")]
pub(crate) struct Moves {
    #[command(flatten)]
    position: PositionOptions,
    #[command(flatten)]
    common: CommonOptions,
}

#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    scene: Scene,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<String>,
    turns: Vec<TurnReport>,
}

#[derive(Serialize)]
struct TurnReport {
    turn: String,
    /// The position after it.
    position: Position,
    /// The points that are emptied.
    captured: Vec<String>,
}

impl Moves {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let output = Output::new(self.common.json);
        let scene = self.position.resolve()?;
        let report = report(scene);

        output.json(&report)?;
        if output.is_text() {
            output.text(drawing::draw(&scene.position))?;
            output.text(format_args!("\n{}", scene.position))?;
            output.text(headline(&report))?;
            if !report.turns.is_empty() {
                output.text(format_args!("\n{}", turn_table(&report.turns)))?;
            }
        }
        Ok(())
    }
}

fn report(scene: Scene) -> Report {
    let Scene { board, rules, position } = scene;
    let turns = rules.turns(&position).into_iter().map(|turn| TurnReport {
        turn: turn.text(position.board()).to_string(),
        position: position.play_unchecked(&turn),
        captured: turn.captured().iter().map(|p| board.coordinates(p).to_string()).collect(),
    });
    let outcome = rules.outcome(&position).map(|outcome| match outcome {
        Outcome::Won(side) => format!("{side} has won"),
        Outcome::Drawn => "drawn".to_owned(),
    });
    Report { scene, outcome, turns: turns.collect() }
}

fn headline(report: &Report) -> String {
    match (&report.outcome, report.turns.len()) {
        (Some(outcome), _) => format!("the game is over: {outcome}"),
        (None, 1) => format!("{} to move, 1 turn", report.scene.position.to_move()),
        (None, n) => format!("{} to move, {n} turns", report.scene.position.to_move()),
    }
}

fn turn_table(turns: &[TurnReport]) -> String {
    let mut table = table(&["", "turn", "takes"], &[1, 2]);
    table.add_rows(turns.iter().enumerate().map(|(i, turn)| {
        Row::from([(i + 1).to_string(), turn.turn.clone(), turn.captured.join(" ")])
    }));
    table.trim_fmt()
}
