//! Where another program differs: the smallest position and its turns.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use fanorona_core::{ErrorKind, ParseTurnError, Position, RuleSet, Setup, Side, Turn};
use serde::Serialize;
use thiserror::Error;

use super::explain::Observation;
use super::matching::Matching;
use super::reply::{Reply, ReplyLine};
use super::written::WrittenTurn;
use crate::counting::{Counting, serialize_count, stopped};
use crate::parallel::{DivideLine, ParallelPerft};
use crate::slow::SlowTurn;

/// The most turns of an answer for which is told why they are not legal.
const MAX_REASONS: usize = 100;

/// Another program that counts. It may be asked from several threads at once.
///
/// It is asked for the count below each turn of a position, at a depth of at least 1. It gives what
/// the program prints, in one of many forms. A line with a turn and a count is one of its turns. The
/// count comes last, behind a space, a tab, a comma, a colon or an equals sign. A line like
/// `Nodes searched: 724` or `total 724` must be the sum of the turns. A number alone is a count
/// without turns. Other lines mean nothing. Turns are written as `d2-e3A-f4W`, `d2e3+,f4-`,
/// `d2-f4xe5,c1` (the ends, and what is captured), `d2-e3-f4`, or as the position after them.
pub type OtherProgram<'a, E> = dyn Fn(&RuleSet, &Position, u8) -> Result<String, E> + Sync + 'a;

/// Why two programs cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the messages say it")]
pub enum CompareError<E> {
    #[error("no answer at depth {depth} of '{position}'")]
    Program { position: Box<Position>, depth: u8, source: E },
    #[error("at depth {depth} of '{position}': {reason}")]
    Reply { position: Box<Position>, depth: u8, reason: String },
    #[error("stopped")]
    Stopped,
}

impl<E> CompareError<E> {
    /// The kind.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Program { .. } | Self::Reply { .. } => ErrorKind::EngineFailed,
            Self::Stopped => ErrorKind::Interrupted,
        }
    }
}

/// Where another program differs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct Difference {
    /// The position.
    pub position: Position,
    /// The depth at which the program was asked there. It is 1, except if the turns agree.
    pub depth: u8,
    /// How it differs.
    pub kind: DifferenceKind,
    /// The number of turns, or the count.
    #[serde(serialize_with = "serialize_count")]
    pub expected: u128,
    /// The other program's.
    #[serde(serialize_with = "serialize_count")]
    pub found: u128,
    /// Legal turns that it lacks.
    pub missing: Vec<String>,
    /// Turns that it has too many.
    pub extra: Vec<ExtraTurn>,
    /// The turn below which it counts differently, of [`DifferenceKind::After`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

/// How another program differs at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum DifferenceKind {
    /// Its turns are not the legal turns.
    Turns,
    /// It gives the number of turns alone, and that differs.
    Number,
    /// It has the right turns. Below one of them it counts differently, but not if it is asked about
    /// the position after that turn: it does not reach this position by its turn.
    After,
    /// It gives counts alone. This one differs, but those of all positions that follow are right.
    Sum,
}

/// A turn that another program has too many.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[non_exhaustive]
pub struct ExtraTurn {
    /// The turn as it writes it.
    #[serde(rename = "turn")]
    pub text: String,
    /// Why it is not legal, if its notation tells the turn, for up to 100 turns. A legal turn that is
    /// listed twice has no reason.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Why a turn is not legal, in words; `None` if there is no notation for what it does.
fn in_words(reason: ParseTurnError) -> Option<String> {
    match reason {
        ParseTurnError::Step { reason, .. } => Some(reason.to_string()),
        ParseTurnError::Unfinished { .. } => Some("the relay must continue".to_owned()),
        ParseTurnError::NoLink { from, to, .. } => Some(format!("no link joins {from} and {to}")),
        _ => None,
    }
}

/// Asks another program, and remembers its answers.
pub(super) struct Asking<'a, E> {
    pub program: &'a OtherProgram<'a, E>,
    pub rules: &'a RuleSet,
    pub stop: &'a AtomicBool,
    pub answers: Mutex<Vec<Observation>>,
}

/// The comparison of an answer.
pub(super) struct Answer {
    /// The number of turns that the program lists.
    pub lines: usize,
    pub difference: Option<Difference>,
    /// The turn with the smallest tree below which the counts differ.
    below: Option<Turn>,
}

impl Difference {
    /// Whether the turns or their number differ.
    pub(super) fn is_of_turns(&self) -> bool {
        matches!(self.kind, DifferenceKind::Turns | DifferenceKind::Number)
    }
}

impl<E> Asking<'_, E> {
    /// Asks about a position at a depth, and compares.
    pub(super) fn ask(&self, position: &Position, depth: u8) -> Result<Answer, CompareError<E>> {
        let counter = ParallelPerft::new(self.rules, Counting::Turns, self.stop);
        let lines = counter.divide(position, depth).ok_or(CompareError::Stopped)?;
        let text = (self.program)(self.rules, position, depth).map_err(|source| {
            if stopped(self.stop) {
                return CompareError::Stopped;
            }
            CompareError::Program { position: Box::new(*position), depth, source }
        })?;
        let unusable =
            |reason| CompareError::Reply { position: Box::new(*position), depth, reason };
        let reply = Reply::read(position.board(), &text).map_err(unusable)?;
        let of_nothing = reply.lines.iter().find(|line| depth == 1 && line.nodes != 1);
        if let Some(ReplyLine { text, nodes, .. }) = of_nothing {
            return Err(unusable(format!(
                "it counts {nodes} below '{text}', where every turn counts 1; does its depth begin \
                 at another number?"
            )));
        }
        if reply.total.is_none() && !lines.is_empty() {
            return Err(unusable(match &reply.other {
                Some(other) => {
                    format!("its output has no turn and no count; it begins with '{other}'")
                }
                None => "its output is empty".to_owned(),
            }));
        }
        let (expected, found) =
            (lines.iter().map(|line| line.nodes).sum(), reply.total.unwrap_or(0));
        let kind = match (reply.lines.is_empty(), depth) {
            (false, _) => DifferenceKind::Turns,
            (true, 1) => DifferenceKind::Number,
            (true, _) => DifferenceKind::Sum,
        };
        let (position, (missing, extra, after)) = (*position, Default::default());
        let mut difference =
            Difference { position, depth, kind, expected, found, missing, extra, after };
        let mut below = None;
        let differs = if reply.lines.is_empty() {
            found != expected
        } else {
            below = self.compare(&mut difference, &lines, &reply.lines);
            below.is_some() || !difference.missing.is_empty() || !difference.extra.is_empty()
        };
        let num_lines = reply.lines.len();
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.push(Observation { position, depth, reply, differs });
        Ok(Answer { lines: num_lines, difference: differs.then_some(difference), below })
    }

    /// The answers since the last call.
    pub(super) fn take_answers(&self) -> Vec<Observation> {
        std::mem::take(&mut self.answers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Finds the turns that are missing and too many. If there are none, gives the turn with the
    /// smallest tree below which the counts differ.
    fn compare(
        &self,
        difference: &mut Difference,
        lines: &[DivideLine],
        found: &[ReplyLine],
    ) -> Option<Turn> {
        let position = &difference.position;
        let turns: Vec<(SlowTurn, u128)> =
            lines.iter().map(|line| (SlowTurn::legal(position, &line.turn), line.nodes)).collect();
        let mut matching = Matching::new(position, &turns, found);
        if difference.depth > 1 {
            // Some programs leave out turns with nothing below them.
            matching.missing.retain(|turn| lines[*turn].nodes > 0);
        }
        let text = |turn: &Turn| turn.text(position.board()).to_string();
        let extra = |(i, line): (usize, &usize)| {
            let ReplyLine { text, turn, .. } = &found[*line];
            let reason = match turn {
                WrittenTurn::Path(path) if path.is_complete() && i < MAX_REASONS => {
                    let text = path.text(position.board());
                    self.rules.parse_turn(position, &text).err().and_then(in_words)
                }
                _ => None,
            };
            ExtraTurn { text: text.clone(), reason }
        };
        let missing = matching.missing.iter().map(|turn| text(&lines[*turn].turn)).collect();
        let extra = matching.extra.iter().enumerate().map(extra).collect();
        let is_complete = matching.missing.is_empty() && matching.extra.is_empty();
        let pairs = matching.pairs.iter().filter(|_| is_complete);
        let below = pairs
            .filter(|(turn, line)| lines[*turn].nodes != found[*line].nodes)
            .map(|(turn, _)| &lines[*turn])
            .min_by_key(|line| line.nodes);
        if let Some(line) = below {
            difference.kind = DifferenceKind::After;
            difference.after = Some(text(&line.turn));
        }
        (difference.missing, difference.extra) = (missing, extra);
        below.map(|line| line.turn.clone())
    }

    /// Looks for a difference at a position, at depth 1 first, and follows it down to where turns
    /// differ. `None` if there is none up to `depth`.
    pub(super) fn find(
        &self,
        position: &Position,
        depth: u8,
    ) -> Result<Option<Difference>, CompareError<E>> {
        let (mut position, mut depth) = (*position, depth);
        // How the answer differs that leads here, if nothing is found below.
        let mut above = None;
        // The answer at the least depth that differs.
        let shallowest = |position: &Position, depth| {
            let answers = (1..=depth).map(|depth| self.ask(position, depth));
            let mut differing = answers.filter_map(|answer| match answer {
                Ok(Answer { difference, below, .. }) => Some(Ok((difference?, below))),
                Err(error) => Some(Err(error)),
            });
            differing.next().transpose()
        };
        while let Some((found, mut below)) = shallowest(&position, depth)? {
            if found.kind == DifferenceKind::Sum {
                // The program gives counts alone.
                for turn in self.rules.turns(&position) {
                    let child = self.ask(&position.play_unchecked(&turn), found.depth - 1)?;
                    if child.difference.is_some() {
                        below = Some(turn);
                        break;
                    }
                }
            }
            let Some(turn) = below else { return Ok(Some(found)) };
            let after = Some(turn.text(position.board()).to_string());
            (position, depth) = (position.play_unchecked(&turn), found.depth - 1);
            above = Some(Difference { after, kind: DifferenceKind::After, ..found });
        }
        Ok(above)
    }

    /// Takes stones off the board as long as a turn that differs still does.
    pub(super) fn shrink(
        &self,
        mut found: Difference,
        mut progress: impl FnMut(&Position),
    ) -> Result<Difference, CompareError<E>> {
        // The shortest one is the plainest.
        let turn = differing_turns(&found).into_iter().min_by_key(|(text, _)| text.len());
        let Some(turn) = turn else { return Ok(found) };
        loop {
            let position = found.position;
            let mut is_smaller = false;
            let stones = [Side::White, Side::Black].map(|side| position.stones(side));
            for point in (stones[0] | stones[1]).iter() {
                if stopped(self.stop) {
                    return Err(CompareError::Stopped);
                }
                let setup = Setup::from(found.position);
                let (white, black) = (setup.white - point, setup.black - point);
                let smaller = Position::try_from(Setup { white, black, ..setup });
                let Ok(smaller) = smaller else { continue };
                if smaller.own().is_empty() || smaller.opponent().is_empty() {
                    continue;
                }
                progress(&smaller);
                // A position that the program cannot answer is left alone.
                let Ok(answer) = self.ask(&smaller, found.depth) else { continue };
                let Some(next) = answer.difference.filter(Difference::is_of_turns) else {
                    continue;
                };
                if differing_turns(&next).contains(&turn) {
                    found = next;
                    is_smaller = true;
                }
            }
            if !is_smaller {
                return Ok(found);
            }
        }
    }
}

/// The turns that differ: the text of each, and whether it is missing.
fn differing_turns(difference: &Difference) -> Vec<(String, bool)> {
    if difference.kind == DifferenceKind::Number {
        return vec![(String::new(), difference.found < difference.expected)];
    }
    let missing = difference.missing.iter().map(|turn| (turn.clone(), true));
    let extra = difference.extra.iter().map(|turn| (turn.text.clone(), false));
    missing.chain(extra).collect()
}
