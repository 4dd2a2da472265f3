//! Which line of another program means which turn.

use std::collections::HashMap;

use fanorona_core::{Point, Position, Step, Stones, Turn};

use super::reply::ReplyLine;
use super::written::{Path, WrittenTurn};
use crate::slow::{SlowTurn, Taking};

/// How well a written turn fits a candidate, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Fit {
    /// The text has every step, or the result.
    Steps,
    /// The text has only the first and the last point.
    Ends,
}

impl SlowTurn {
    /// A legal turn of a position.
    pub(super) fn legal(position: &Position, turn: &Turn) -> Self {
        let board = position.board();
        let mut at = turn.origin();
        let step = |step: &Step| {
            at = board.neighbour(at, step.direction).expect("a turn of this board");
            (at, Taking::One(step.kind))
        };
        let steps = turn.steps().iter().map(step).collect();
        let after = Stones::of(&position.play_unchecked(turn)).swapped();
        Self { origin: turn.origin(), steps, captured: turn.captured(), after }
    }

    /// Whether a written turn can mean this one at a position.
    fn fit(&self, position: &Position, written: &WrittenTurn) -> Option<Fit> {
        match written {
            WrittenTurn::Pass => self.steps.is_empty().then_some(Fit::Steps),
            WrittenTurn::After(after) => {
                (self.position_after(position) == Some(*after)).then_some(Fit::Steps)
            }
            WrittenTurn::Path(path) => self.fit_path(path).or_else(|| {
                let other = path.as_step_and_captured()?;
                self.fit_path(&other)
            }),
        }
    }

    fn fit_path(&self, path: &Path) -> Option<Fit> {
        let captures = path.captured.is_none_or(|captured| captured == self.captured);
        if path.origin != self.origin || self.steps.is_empty() || !captures {
            return None;
        }
        let fits = |(&(to, kind), &(own_to, taking)): (&(Point, Option<Taking>), _)| {
            // A program that captures both lines has no sign for that.
            let has_kind = |kind| kind == taking || taking == Taking::Both;
            to == own_to && kind.is_none_or(has_kind)
        };
        if path.steps.len() == self.steps.len() {
            return path.steps.iter().zip(&self.steps).all(fits).then_some(Fit::Steps);
        }
        let is_bare = path.steps.len() == 1 && path.steps[0].1.is_none();
        (is_bare && path.destination() == self.destination()).then_some(Fit::Ends)
    }
}

/// The lines of an answer, and the turns that they mean.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Matching {
    /// A turn and the line that means it.
    pub pairs: Vec<(usize, usize)>,
    /// Turns without a line.
    pub missing: Vec<usize>,
    /// Lines without a turn.
    pub extra: Vec<usize>,
}

impl Matching {
    /// Matches turns, with what is counted below each, to lines. Where a text fits several turns, one
    /// with the same count is preferred.
    pub(super) fn new(
        position: &Position,
        turns: &[(SlowTurn, u128)],
        lines: &[ReplyLine],
    ) -> Self {
        let all: Vec<usize> = (0..turns.len()).collect();
        let mut by_origin: HashMap<Point, Vec<usize>> = HashMap::new();
        let mut by_path: HashMap<Vec<Point>, Vec<usize>> = HashMap::new();
        for (i, (turn, _)) in turns.iter().enumerate() {
            by_origin.entry(turn.origin).or_default().push(i);
            by_path.entry(points(turn.origin, &turn.steps)).or_default().push(i);
        }
        let none = Vec::new();
        // The turns that a line can mean, with every step told; or with the ends only.
        let fitting = |line: &ReplyLine, fit: Fit| -> Vec<usize> {
            let among = match (&line.turn, fit) {
                (WrittenTurn::Path(path), Fit::Steps) if path.as_step_and_captured().is_none() => {
                    by_path.get(&points(path.origin, &path.steps)).unwrap_or(&none)
                }
                (WrittenTurn::Path(path), _) => by_origin.get(&path.origin).unwrap_or(&none),
                _ => &all,
            };
            let fits = |turn: &usize| turns[*turn].0.fit(position, &line.turn) == Some(fit);
            among.iter().copied().filter(fits).collect()
        };

        let mut line_of = vec![None; turns.len()];
        let mut open: Vec<usize> = (0..lines.len()).collect();
        for fit in [Fit::Steps, Fit::Ends] {
            let mut choices: Vec<(usize, Vec<usize>)> =
                open.iter().map(|&line| (line, fitting(&lines[line], fit))).collect();
            // Lines with little choice come first.
            choices.sort_by_key(|(_, turns)| turns.len());
            for needs_count in [true, false] {
                choices.retain(|(line, fitting)| {
                    let is_free = |turn: &&usize| {
                        let has_count = turns[**turn].1 == lines[*line].nodes;
                        line_of[**turn].is_none() && (has_count || !needs_count)
                    };
                    let found = fitting.iter().find(is_free).copied();
                    if let Some(turn) = found {
                        line_of[turn] = Some(*line);
                    }
                    found.is_none()
                });
            }
            open = choices.into_iter().map(|(line, _)| line).collect();
        }
        open.sort_unstable();
        let mut matching = Self { extra: open, ..Self::default() };
        for (turn, line) in line_of.into_iter().enumerate() {
            match line {
                Some(line) => matching.pairs.push((turn, line)),
                None => matching.missing.push(turn),
            }
        }
        matching
    }
}

/// The points of a path.
fn points<T>(origin: Point, steps: &[(Point, T)]) -> Vec<Point> {
    std::iter::once(origin).chain(steps.iter().map(|(to, _)| *to)).collect()
}
