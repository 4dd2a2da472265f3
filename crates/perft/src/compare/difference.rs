//! Where another program differs: the smallest position and its turns.

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};

use fanorona_core::{ErrorKind, ParseTurnError, Position, RuleSet, Setup, Side, Turn};
use serde::Serialize;
use thiserror::Error;

use super::explain::Observation;
use super::matching::Matching;
use super::reply::{Reply, ReplyError, ReplyLine};
use super::written::WrittenTurn;
use crate::counter::DivideLine;
use crate::counting::{Counting, serialize_count};
use crate::parallel::ParallelPerft;
use crate::slow::SlowTurn;

/// The most turns of an answer for which is told why they are not legal.
const MAX_REASONS: usize = 100;

/// Another program that counts.
///
/// It may be asked from several threads at once. A function is one:
///
/// ```
/// use std::convert::Infallible;
/// use fanorona_core::{Board, Position, RuleSet};
/// use fanorona_perft::compare::OtherProgram;
/// let program = |_: &RuleSet, _: &Position, _: u8| Ok::<_, Infallible>("d3-e3A: 54".to_owned());
/// let start = Board::tsivy().start();
/// assert_eq!(program.divide(&RuleSet::STANDARD, &start, 3), Ok("d3-e3A: 54".to_owned()));
/// ```
pub trait OtherProgram: Sync {
    /// Why there is no answer.
    type Error: Send;

    /// Asks for the count below each turn of a position, at a depth of at least 1. Returns what the
    /// program prints, in one of many forms. A line with a turn and a count is one of its turns. The
    /// count comes last, behind a space, a tab, a comma, a colon or an equals sign. A line like
    /// `Nodes searched: 724` or `total 724` must be the sum of the turns. A number alone is a count
    /// without turns. Other lines mean nothing. Turns are written as `d2-e3A-f4W`, `d2e3+,f4-`,
    /// `d2-f4xe5,c1` (the ends, and what is captured), `d2-e3-f4`, or as the position after them.
    ///
    /// # Errors
    /// If the program does not answer.
    fn divide(
        &self,
        rules: &RuleSet,
        position: &Position,
        depth: u8,
    ) -> Result<String, Self::Error>;
}

impl<F, E: Send> OtherProgram for F
where
    F: Fn(&RuleSet, &Position, u8) -> Result<String, E> + Sync,
{
    type Error = E;

    fn divide(&self, rules: &RuleSet, position: &Position, depth: u8) -> Result<String, E> {
        self(rules, position, depth)
    }
}

/// Why two programs cannot be compared.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[non_exhaustive]
pub enum CompareError<E> {
    /// The other program gives no answer.
    #[error("no answer at depth {depth} of '{position}'")]
    Program {
        /// The position that it was asked about.
        position: Box<Position>,
        /// The depth.
        depth: u8,
        /// The reason.
        source: E,
    },
    /// The other program's answer has nothing to compare.
    #[error("at depth {depth} of '{position}': {reason}")]
    Reply {
        /// The position that it was asked about.
        position: Box<Position>,
        /// The depth.
        depth: u8,
        /// Why the answer cannot be right.
        reason: ReplyError,
    },
    /// The caller has set the stop flag.
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
pub(super) struct Asking<'a, P: OtherProgram> {
    pub program: &'a P,
    pub rules: &'a RuleSet,
    pub stop: &'a AtomicBool,
    pub answers: Mutex<Vec<Observation>>,
}

/// The result of comparing one answer.
pub(super) enum Compared {
    Same,
    /// Another number of turns.
    Number,
    /// These turns are missing, and these too many.
    Turns(Vec<String>, Vec<ExtraTurn>),
    /// The same turns; the counts below these differ.
    Below(Vec<Turn>),
    /// A count alone that differs.
    Sum,
}

/// The comparison of an answer.
pub(super) struct Answer {
    pub position: Position,
    pub depth: u8,
    pub expected: u128,
    pub found: u128,
    /// The number of turns that the program lists.
    pub lines: usize,
    pub compared: Compared,
}

impl Answer {
    pub(super) fn differs(&self) -> bool {
        !matches!(self.compared, Compared::Same)
    }

    fn difference(&self, kind: DifferenceKind) -> Difference {
        let Self { position, depth, expected, found, .. } = *self;
        let (missing, extra, after) = Default::default();
        Difference { position, depth, kind, expected, found, missing, extra, after }
    }

    /// The difference if that is in the turns or their number.
    pub(super) fn of_turns(&self) -> Option<Difference> {
        match &self.compared {
            Compared::Number => Some(self.difference(DifferenceKind::Number)),
            Compared::Turns(missing, extra) => Some(Difference {
                missing: missing.clone(),
                extra: extra.clone(),
                ..self.difference(DifferenceKind::Turns)
            }),
            _ => None,
        }
    }
}

impl<P: OtherProgram> Asking<'_, P> {
    /// Asks about a position at a depth, and compares.
    pub(super) fn ask(
        &self,
        position: &Position,
        depth: u8,
    ) -> Result<Answer, CompareError<P::Error>> {
        let counter = ParallelPerft::new(self.rules, Counting::Turns, self.stop);
        let lines = counter.divide(position, depth).ok_or(CompareError::Stopped)?;
        let text = self.program.divide(self.rules, position, depth).map_err(|source| {
            if self.is_stopped() {
                return CompareError::Stopped;
            }
            CompareError::Program { position: Box::new(*position), depth, source }
        })?;
        let unusable =
            |reason| CompareError::Reply { position: Box::new(*position), depth, reason };
        let reply = Reply::read(position.board(), &text).map_err(unusable)?;
        let expected = lines.iter().map(|line| line.nodes).sum();
        if reply.total().is_none() && !lines.is_empty() {
            return Err(unusable(match &reply.other {
                Some(other) => ReplyError::Nothing(other.clone()),
                None => ReplyError::Empty,
            }));
        }
        let compared = if reply.is_count() || reply.lines.is_empty() {
            match reply.total().unwrap_or(0) == expected {
                true => Compared::Same,
                false if depth == 1 => Compared::Number,
                false => Compared::Sum,
            }
        } else {
            let of_nothing = reply.lines.iter().find(|line| depth == 1 && line.nodes != 1);
            if let Some(ReplyLine { text, nodes, .. }) = of_nothing {
                let (text, nodes) = (text.clone(), *nodes);
                return Err(unusable(ReplyError::Depth { text, nodes }));
            }
            self.compare(position, depth, lines, &reply)
        };
        let (found, lines) = (reply.total().unwrap_or(0), reply.num_lines());
        let answer = Answer { position: *position, depth, expected, found, lines, compared };
        let differs = answer.differs();
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers.push(Observation { position: *position, depth, reply, differs });
        Ok(answer)
    }

    /// The answers since the last call.
    pub(super) fn take_answers(&self) -> Vec<Observation> {
        std::mem::take(&mut self.answers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn compare(
        &self,
        position: &Position,
        depth: u8,
        lines: Vec<DivideLine>,
        reply: &Reply,
    ) -> Compared {
        let turns: Vec<(SlowTurn, u128)> =
            lines.iter().map(|line| (SlowTurn::legal(position, &line.turn), line.nodes)).collect();
        let mut matching = Matching::new(position, &turns, &reply.lines);
        if depth > 1 {
            // Some programs leave out turns with nothing below them.
            matching.missing.retain(|turn| lines[*turn].nodes > 0);
        }
        if !matching.is_complete() {
            let text = |turn: &usize| lines[*turn].turn.text(position.board()).to_string();
            let missing = matching.missing.iter().map(text).collect();
            let extra = matching.extra.iter().enumerate().map(|(i, line)| {
                let line = &reply.lines[*line];
                let reason = match &line.turn {
                    WrittenTurn::Path(path) if path.is_complete() && i < MAX_REASONS => {
                        let text = path.text(position.board());
                        self.rules.parse_turn(position, &text).err().and_then(in_words)
                    }
                    _ => None,
                };
                ExtraTurn { text: line.text.clone(), reason }
            });
            return Compared::Turns(missing, extra.collect());
        }
        let mut below: Vec<&DivideLine> = matching
            .pairs
            .iter()
            .filter(|(turn, line)| lines[*turn].nodes != reply.lines[*line].nodes)
            .map(|(turn, _)| &lines[*turn])
            .collect();
        if below.is_empty() {
            return Compared::Same;
        }
        // The smallest tree is the quickest to search.
        below.sort_by_key(|line| line.nodes);
        Compared::Below(below.into_iter().map(|line| line.turn.clone()).collect())
    }

    /// Looks for a difference at a position, at depth 1 first, and follows it down to where turns
    /// differ. `None` if there is none up to `depth`.
    pub(super) fn find(
        &self,
        position: &Position,
        depth: u8,
    ) -> Result<Option<Difference>, CompareError<P::Error>> {
        let (mut position, mut depth) = (*position, depth);
        // The answer that leads here, and how it differs if nothing is found below.
        let mut above: Option<Difference> = None;
        while let Some(answer) = self.shallowest(&position, depth)? {
            let shallow = answer.depth;
            let turn = match &answer.compared {
                Compared::Same => break,
                Compared::Number | Compared::Turns(..) => return Ok(answer.of_turns()),
                Compared::Below(turns) => turns[0].clone(),
                Compared::Sum => match self.differing_child(&position, shallow)? {
                    Some(turn) => turn,
                    None => return Ok(Some(answer.difference(DifferenceKind::Sum))),
                },
            };
            let after = Some(turn.text(position.board()).to_string());
            above = Some(Difference { after, ..answer.difference(DifferenceKind::After) });
            (position, depth) = (position.play_unchecked(&turn), shallow - 1);
        }
        Ok(above)
    }

    /// The answer at the least depth that differs.
    fn shallowest(
        &self,
        position: &Position,
        depth: u8,
    ) -> Result<Option<Answer>, CompareError<P::Error>> {
        for depth in 1..=depth {
            let answer = self.ask(position, depth)?;
            if answer.differs() {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    /// For a program that gives counts alone: the turn below which it counts differently.
    fn differing_child(
        &self,
        position: &Position,
        depth: u8,
    ) -> Result<Option<Turn>, CompareError<P::Error>> {
        for turn in self.rules.turns(position) {
            if self.ask(&position.play_unchecked(&turn), depth - 1)?.differs() {
                return Ok(Some(turn));
            }
        }
        Ok(None)
    }

    /// Takes stones off the board as long as a turn that differs still does.
    pub(super) fn shrink(
        &self,
        mut found: Difference,
        mut progress: impl FnMut(&Position),
    ) -> Result<Difference, CompareError<P::Error>> {
        let Some(turn) = differing_turn(&found) else { return Ok(found) };
        loop {
            let position = found.position;
            let mut is_smaller = false;
            let stones = [Side::White, Side::Black].map(|side| position.stones(side));
            for point in (stones[0] | stones[1]).iter() {
                if self.is_stopped() {
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
                let Some(next) = answer.of_turns() else { continue };
                if differing_turn_is(&next, &turn) {
                    found = next;
                    is_smaller = true;
                }
            }
            if !is_smaller {
                return Ok(found);
            }
        }
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stop.load(std::sync::atomic::Ordering::Relaxed)
    }
}

/// A turn that differs: its text, and whether it is missing. The shortest one is the plainest.
fn differing_turn(difference: &Difference) -> Option<(String, bool)> {
    if difference.kind == DifferenceKind::Number {
        return Some((String::new(), difference.found < difference.expected));
    }
    let missing = difference.missing.iter().map(|turn| (turn.clone(), true));
    let extra = difference.extra.iter().map(|turn| (turn.text.clone(), false));
    missing.chain(extra).min_by_key(|(text, _)| text.len())
}

/// Whether this turn differs.
fn differing_turn_is(difference: &Difference, (text, is_missing): &(String, bool)) -> bool {
    match difference.kind {
        DifferenceKind::Number => (difference.found < difference.expected) == *is_missing,
        _ if *is_missing => difference.missing.contains(text),
        _ => difference.extra.iter().any(|turn| turn.text == *text),
    }
}
