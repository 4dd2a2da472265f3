//! A turn as another program writes it.

use fanorona_core::{Board, Coordinates, Point, PointSet, Position, StepKind};

use crate::slow::{Taking, path_text};

/// A turn as another program writes it: as far as its notation tells.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum WrittenTurn {
    /// The points where the stone goes, the first of them where it starts.
    Path(Path),
    /// The position after it.
    After(Position),
    /// The side to move does nothing.
    Pass,
}

/// The points where a stone goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Path {
    pub origin: Point,
    /// Each point that is reached, and how the step to it captures, if the text says so.
    pub steps: Vec<(Point, Option<Taking>)>,
    /// The captured stones, if the text says so.
    pub captured: Option<PointSet>,
}

/// The state of the reader: where the next point belongs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Path,
    /// Captured stones, up to a closing bracket.
    Bracket,
    /// Captured stones behind an `x`, up to the next dash.
    Takes,
}

impl WrittenTurn {
    /// Whether a word can begin a turn: it begins with a point, or says that nothing is done.
    pub(super) fn can_begin(word: &str) -> bool {
        let mut chars = word.chars();
        let is_point = chars.next().is_some_and(|c| c.is_ascii_alphabetic())
            && chars.next().is_some_and(|c| c.is_ascii_digit());
        is_point || is_pass(word)
    }

    /// Reads a turn in any of the known notations.
    pub(super) fn read(board: Board, text: &str) -> Result<Self, String> {
        let text = text.trim();
        if is_pass(text) {
            return Ok(Self::Pass);
        }
        let mut points: Vec<(Point, Option<Taking>)> = Vec::new();
        let mut captured = None;
        let mut part = Part::Path;
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if c.is_ascii_alphabetic() {
                let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
                let is_point = rest[end..].starts_with(|c: char| c.is_ascii_digit());
                // The last letter before a digit is a file.
                let (word, behind) = rest.split_at(end - usize::from(is_point));
                rest = behind;
                match word.to_ascii_lowercase().as_str() {
                    "" => {}
                    "a" | "approach" => set_kind(&mut points, StepKind::Approach, word)?,
                    "w" | "withdrawal" => set_kind(&mut points, StepKind::Withdrawal, word)?,
                    "aw" | "wa" => {
                        set_kind(&mut points, StepKind::Approach, word)?;
                        set_kind(&mut points, StepKind::Withdrawal, word)?;
                    }
                    "p" | "paika" => {}
                    // In `d3xe3` it stands for a dash.
                    "x" => part = if points.len() > 1 { Part::Takes } else { Part::Path },
                    _ => return Err(no_part(word)),
                }
                if !is_point {
                    continue;
                }
                let end =
                    1 + rest[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - 1);
                let (name, behind) = rest.split_at(end);
                rest = behind;
                let point = name.to_ascii_lowercase().parse::<Coordinates>().ok();
                let point = point.and_then(|point| board.point(point));
                let point =
                    point.ok_or_else(|| format!("the board {board} has no point '{name}'"))?;
                if part == Part::Path {
                    points.push((point, None));
                } else {
                    *captured.get_or_insert(PointSet::EMPTY) |= point;
                }
                continue;
            }
            rest = &rest[c.len_utf8()..];
            match c {
                '+' => set_kind(&mut points, StepKind::Approach, "+")?,
                '-' => {
                    // Between points it is a dash, elsewhere it stands for withdrawal.
                    let next = rest.trim_start_matches(['-', '>', ' ']);
                    if next.starts_with(|c: char| c.is_ascii_alphabetic() || c == '>') {
                        if part == Part::Takes {
                            part = Part::Path;
                        }
                        rest = next;
                    } else {
                        set_kind(&mut points, StepKind::Withdrawal, "-")?;
                    }
                }
                '(' | '[' | '{' => {
                    captured.get_or_insert(PointSet::EMPTY);
                    part = Part::Bracket;
                }
                ')' | ']' | '}' => part = Part::Path,
                '*' | ':' | '|' if points.len() > 1 => {
                    captured.get_or_insert(PointSet::EMPTY);
                    part = Part::Takes;
                }
                '>' | '\u{2013}' | '\u{2192}' => {
                    if part == Part::Takes {
                        part = Part::Path;
                    }
                }
                ' ' | '\t' | ',' | ';' | '_' | '"' | '\'' => {}
                _ => return Err(no_part(c)),
            }
        }
        match points.split_first() {
            Some((&(origin, _), steps)) if !steps.is_empty() => {
                Ok(Self::Path(Path { origin, steps: steps.to_vec(), captured }))
            }
            _ => Err("a turn has at least two points".to_owned()),
        }
    }
}

impl Path {
    /// The turn in our notation, if the text says how each step captures or that none does.
    pub(super) fn text(&self, board: Board) -> String {
        let letters = |kind: Option<Taking>| kind.map_or("", Taking::letters);
        path_text(board, self.origin, self.steps.iter().map(|&(to, kind)| (to, letters(kind))))
    }

    /// Whether the text tells all steps.
    pub(super) fn is_complete(&self) -> bool {
        let is_step = self.steps.len() == 1 && self.captured.is_none();
        is_step || self.steps.iter().all(|(_, kind)| kind.is_some())
    }

    /// Where the stone ends.
    pub(super) fn destination(&self) -> Point {
        self.steps.last().map_or(self.origin, |&(to, _)| to)
    }

    /// Another reading of `d3-e3 f3 g3`: a step, and captured stones.
    pub(super) fn as_step_and_captured(&self) -> Option<Self> {
        let is_bare = self.captured.is_none() && self.steps.iter().all(|(_, kind)| kind.is_none());
        (is_bare && self.steps.len() > 1).then(|| Self {
            origin: self.origin,
            steps: self.steps[..1].to_vec(),
            captured: Some(self.steps[1..].iter().map(|&(point, _)| point).collect()),
        })
    }
}

fn is_pass(word: &str) -> bool {
    ["pass", "null", "0000", "(none)", "none"].iter().any(|pass| word.eq_ignore_ascii_case(pass))
}

fn no_part(text: impl std::fmt::Display) -> String {
    format!("'{text}' is not part of a turn")
}

/// Sets how the last step captures. A step with both signs captures both lines.
fn set_kind(
    points: &mut [(Point, Option<Taking>)],
    kind: StepKind,
    word: &str,
) -> Result<(), String> {
    match points {
        [_, .., (_, last @ None)] => *last = Some(Taking::One(kind)),
        [_, .., (_, Some(last))] if *last != Taking::One(kind) => *last = Taking::Both,
        _ => return Err(no_part(word)),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        let board = Board::tsivy();
        match WrittenTurn::read(board, text) {
            Ok(WrittenTurn::Path(path)) => {
                let name = |point| board.coordinates(point).to_string();
                let taken = path.captured.map(|taken| taken.iter().map(name).collect::<Vec<_>>());
                path.text(board) + &taken.map_or(String::new(), |taken| format!(" x {taken:?}"))
            }
            Ok(other) => format!("{other:?}"),
            Err(error) => error,
        }
    }

    #[test]
    fn the_notations_of_others_are_read() {
        for (text, expected) in [
            ("d3-e3A", "d3-e3A"),
            ("d2-e3A-f4W", "d2-e3A-f4W"),
            ("d2e3Af4W", "d2-e3A-f4W"),
            ("D2-E3A-F4W", "d2-e3A-f4W"),
            ("D2E3AA4W", "d2-e3A-a4W"),
            ("A3A2", "a3-a2"),
            ("d2e3af4w", "d2-e3A-f4W"),
            ("d3e3+", "d3-e3A"),
            ("d3e3-", "d3-e3W"),
            ("d3-e3-", "d3-e3W"),
            ("d3e3+,d4-", "d3-e3A-d4W"),
            ("d3e3-,d4+", "d3-e3W-d4A"),
            ("d3 e3", "d3-e3"),
            ("d3->e3", "d3-e3"),
            ("d3>e3", "d3-e3"),
            ("d3xe3", "d3-e3"),
            ("d3-e3xf3", "d3-e3 x [\"f3\"]"),
            ("d3-e3 x f3,g3", "d3-e3 x [\"f3\", \"g3\"]"),
            ("d3-e3(f3 g3)", "d3-e3 x [\"f3\", \"g3\"]"),
            ("d3-e3(f3)-d4(c5)", "d3-e3-d4 x [\"f3\", \"c5\"]"),
            ("d3-e3xf3-d4xc5", "d3-e3-d4 x [\"f3\", \"c5\"]"),
            ("d3-e3[]", "d3-e3 x []"),
            ("d3 e3 approach", "d3-e3A"),
            ("pass", "Pass"),
            ("d3", "a turn has at least two points"),
            ("d3A", "'A' is not part of a turn"),
            ("d3-e3AW-d4A", "d3-e3AW-d4A"),
            ("d3e3+-", "d3-e3AW"),
            ("d3-e3AA", "'AA' is not part of a turn"),
            ("d3-z9", "the board 9x5 has no point 'z9'"),
            ("d3-e99999999999999999999", "the board 9x5 has no point 'e99999999999999999999'"),
            ("d3-e3!", "'!' is not part of a turn"),
            ("d3é3", "'é' is not part of a turn"),
        ] {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}
