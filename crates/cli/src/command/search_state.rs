//! How far a search has come: the two questions, and those of each turn, for `analyze` and its log.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use comfy_table::Row;
use fanorona_core::Position;
use fanorona_solver::{Analysis, Progress, QuestionState, TurnState};
use serde::Serialize;

use crate::output::table;

/// Time between two lines of a log.
const PAUSE: Duration = Duration::from_secs(60);

/// Can this side force a win?
#[derive(Serialize)]
pub(super) struct QuestionReport {
    wins: String,
    answer: Option<bool>,
    proof: u32,
    disproof: u32,
    /// The positions looked at to answer it, where that is counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
}

impl QuestionReport {
    pub(super) fn new(state: &QuestionState) -> Self {
        Self {
            wins: state.question.attacker.to_string(),
            answer: state.answer,
            proof: state.proof,
            disproof: state.disproof,
            nodes: None,
        }
    }
}

/// The questions after a turn.
#[derive(Serialize)]
pub(super) struct SearchedTurn {
    turn: String,
    questions: [QuestionReport; 2],
}

impl SearchedTurn {
    pub(super) fn list(position: &Position, turns: &[TurnState]) -> Vec<Self> {
        let report = |state: &TurnState| Self {
            turn: state.turn.text(position.board()).to_string(),
            questions: [0, 1].map(|i| QuestionReport {
                nodes: Some(state.nodes[i]),
                ..QuestionReport::new(&state.questions[i])
            }),
        };
        turns.iter().map(report).collect()
    }

    /// A table of the turns.
    pub(super) fn table(position: &Position, turns: &[TurnState]) -> String {
        let sides = [position.to_move(), position.to_move().other()];
        let [own, other] = sides.map(|side| format!("{side} wins?"));
        let mut rows = table(&["turn", &own, "positions", &other, "positions"], &[0, 1, 3]);
        for state in turns {
            let [own, other] = state.questions.map(|state| numbers(&state));
            let [own_nodes, other_nodes] = state.nodes.map(|nodes| nodes.to_string());
            let turn = state.turn.text(position.board()).to_string();
            rows.add_row(Row::from([turn, own, own_nodes, other, other_nodes]));
        }
        rows.trim_fmt()
    }
}

/// Proof and disproof number, or the answer.
pub(super) fn numbers(state: &QuestionState) -> String {
    match state.answer {
        Some(true) => "proved".to_owned(),
        Some(false) => "disproved".to_owned(),
        None => format!("{}/{}", state.proof, state.disproof),
    }
}

/// A file that gets a line of JSON a minute, and one at the end.
pub(super) struct Log<'a> {
    path: PathBuf,
    file: File,
    position: &'a Position,
    next: Duration,
    /// The first error of writing, told at the end.
    error: Option<io::Error>,
}

#[derive(Serialize)]
struct Line {
    seconds: f64,
    nodes: u64,
    table_hits: u64,
    memory_filled: f64,
    questions: [QuestionReport; 2],
    searched: Vec<SearchedTurn>,
}

impl<'a> Log<'a> {
    /// Adds to a file, which is made if it is not there.
    pub(super) fn open(path: &Path, position: &'a Position) -> anyhow::Result<Self> {
        let file = File::options().create(true).append(true).open(path);
        let file = file.with_context(|| format!("'{}' cannot be written", path.display()))?;
        Ok(Self { path: path.to_owned(), file, position, next: PAUSE, error: None })
    }

    /// Writes a line if it is time for one.
    pub(super) fn tell(&mut self, now: &Progress) {
        if now.elapsed >= self.next {
            self.next = now.elapsed + PAUSE;
            self.write(now);
        }
    }

    fn write(&mut self, now: &Progress) {
        let line = Line {
            seconds: now.elapsed.as_secs_f64(),
            nodes: now.nodes,
            table_hits: now.table_hits,
            memory_filled: now.memory_filled,
            questions: now.questions.each_ref().map(QuestionReport::new),
            searched: SearchedTurn::list(self.position, &now.turns),
        };
        let written = serde_json::to_string(&line)
            .map_err(io::Error::from)
            .and_then(|line| writeln!(self.file, "{line}"));
        if let Err(error) = written {
            self.error.get_or_insert(error);
        }
    }

    /// Writes the last line.
    pub(super) fn finish(mut self, analysis: &Analysis) -> anyhow::Result<()> {
        self.write(&Progress {
            bounds: analysis.bounds,
            questions: analysis.questions,
            turns: analysis.turns.clone(),
            nodes: analysis.nodes,
            table_hits: analysis.table_hits,
            memory_filled: analysis.memory_filled,
            elapsed: analysis.elapsed,
            not_saved: analysis.not_saved.clone(),
        });
        match self.error {
            None => Ok(()),
            Some(error) => {
                Err(error).with_context(|| format!("'{}' cannot be written", self.path.display()))
            }
        }
    }
}
