//! The notes on the turns of a game.

use std::fmt;
use std::time::Duration;

use fanorona_core::{Board, Position, RuleSet, Side, Value};
use fanorona_engine::{GameResult, Record};
use fanorona_knowledge::Assessment;
use serde::Serialize;

use super::judge::Judged;
use crate::output::AsText;

/// A game with notes on its turns.
#[derive(Serialize)]
pub(super) struct GameReport {
    board: Board,
    pub rules: RuleSet,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub white: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub black: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    pub result: AsText<GameResult>,
    pub start: Position,
    /// The value of the start, as far as it is known, for the side to move.
    #[serde(flatten)]
    pub assessment: Assessment,
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
    pub turns: Vec<TurnNote>,
    /// How many positions have a known value, the start included.
    pub settled: usize,
    pub positions: usize,
    seconds: f64,
}

/// A turn with what is known about it, for the side that makes it.
#[derive(Serialize)]
pub(super) struct TurnNote {
    pub number: usize,
    pub side: Side,
    pub turn: String,
    #[serde(flatten)]
    pub assessment: Assessment,
    #[serde(flatten)]
    pub estimate: Option<Estimate>,
    /// The position after it.
    pub position: Position,
    /// A turn that is known to be better, or that the engine would have played.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub best: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mistake: Option<Mistake>,
    /// In a won position: how many turns later than by the best turn it wins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns_lost: Option<u16>,
    /// Whether the position before it, or after it, was not analyzed, because of Ctrl-C.
    #[serde(skip)]
    pub is_left_out: bool,
}

/// The view of the engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub(super) struct Estimate {
    /// In hundredths of a stone.
    #[serde(rename = "estimate")]
    pub score: i32,
    /// The turns that it looked ahead.
    #[serde(rename = "estimate_depth")]
    pub depth: u32,
}

/// The value that a turn gives away for certain. If only bounds are known, it is the least.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Mistake {
    WinToDraw,
    WinToLoss,
    DrawToLoss,
}

impl Mistake {
    /// The mistake of a turn; `None` if it is not known to be one.
    fn new(before: &Assessment, turn: &Assessment) -> Option<Self> {
        match (before.bounds.at_least, turn.bounds.at_most) {
            (Value::Win, Value::Draw) => Some(Self::WinToDraw),
            (Value::Win, Value::Loss) => Some(Self::WinToLoss),
            (Value::Draw, Value::Loss) => Some(Self::DrawToLoss),
            _ => None,
        }
    }
}

/// The mistake in words: "gives away the win".
impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WinToDraw => "gives away the win",
            Self::WinToLoss => "turns a win into a loss",
            Self::DrawToLoss => "gives away the draw",
        })
    }
}

impl GameReport {
    /// The notes on a game, from what is known of its positions, the start first.
    pub(super) fn new(record: &Record, judged: &[Option<Judged>], time: Duration) -> Self {
        let game = record.game();
        let start = *game.start();
        let of_start = judged.first().and_then(Option::as_ref);
        let assessment = of_start.map_or(Assessment::UNKNOWN, |start| start.assessment);
        let is_settled = |judged: &&Option<Judged>| {
            judged.as_ref().is_some_and(|j| j.assessment.value().is_some())
        };
        let offset = usize::from(start.to_move() == Side::Black);
        let mut after = game.earlier().iter().skip(1).chain([game.position()]);
        let turns = game.turns().iter().zip(judged.windows(2)).enumerate();
        let turns = turns.map(|(i, (turn, pair))| {
            let position = *after.next().expect("a position follows each turn");
            let [before, then] = [&pair[0], &pair[1]].map(Option::as_ref);
            let text = turn.text(start.board()).to_string();
            let assessment = then.map_or(Assessment::UNKNOWN, |then| then.assessment.before_turn());
            let estimate = then.and_then(|then| then.estimate);
            let estimate = estimate.map(|(score, depth)| Estimate { score: -score, depth });
            let mistake = before.and_then(|before| Mistake::new(&before.assessment, &assessment));
            let is_won = before.is_some_and(|b| b.assessment.value() == Some(Value::Win));
            let distances = before.and_then(|before| before.assessment.dtw).zip(assessment.dtw);
            let lost = distances.filter(|_| is_won && mistake.is_none());
            let lost = lost.map(|(best, played)| played.saturating_sub(best));
            let best = before.and_then(|before| before.best.as_ref());
            let best = best.map(|best| best.text(start.board()).to_string());
            TurnNote {
                number: (i + offset) / 2 + 1,
                side: position.to_move().other(),
                best: best.filter(|best| *best != text),
                turn: text,
                assessment,
                estimate,
                position,
                mistake,
                turns_lost: lost.filter(|lost| *lost > 0),
                is_left_out: before.is_none() || then.is_none(),
            }
        });
        Self {
            board: start.board(),
            rules: *game.rules(),
            white: record.player(Side::White).map(str::to_owned),
            black: record.player(Side::Black).map(str::to_owned),
            date: record.date(),
            result: AsText(record.result()),
            start,
            assessment,
            estimate: of_start
                .and_then(|start| start.estimate)
                .map(|(score, depth)| Estimate { score, depth }),
            turns: turns.collect(),
            settled: judged.iter().filter(is_settled).count(),
            positions: judged.len(),
            seconds: time.as_secs_f64(),
        }
    }

    /// The mistakes of a side, and the turns that it lost in won positions.
    pub(super) fn sum(&self, side: Side) -> (usize, u32) {
        let own = || self.turns.iter().filter(move |turn| turn.side == side);
        let mistakes = own().filter(|turn| turn.mistake.is_some()).count();
        (mistakes, own().filter_map(|turn| turn.turns_lost).map(u32::from).sum())
    }
}

impl TurnNote {
    /// The note on the turn in words: its mistake, or the turns it lost, with the better turn. Empty
    /// if there is none.
    pub(super) fn remark(&self) -> String {
        let best = self.best.as_deref();
        match (self.mistake, self.turns_lost) {
            (Some(mistake), _) => match best {
                Some(best) => format!("{mistake}; {best} keeps it"),
                None => mistake.to_string(),
            },
            (None, Some(lost)) => {
                let turns = if lost == 1 { "turn" } else { "turns" };
                match best {
                    Some(best) => format!("wins {lost} {turns} later than {best}"),
                    None => format!("wins {lost} {turns} later than the best turn"),
                }
            }
            (None, None) => String::new(),
        }
    }

    /// The number of the glyph of the note, as in PGN.
    pub(super) fn glyph(&self) -> Option<u8> {
        match (self.mistake, self.turns_lost) {
            (Some(Mistake::WinToLoss), _) => Some(4),
            (Some(_), _) => Some(2),
            (None, Some(_)) => Some(6),
            (None, None) => None,
        }
    }

    /// The glyph as it is written.
    pub(super) fn sign(&self) -> &'static str {
        match self.glyph() {
            Some(4) => "??",
            Some(2) => "?",
            Some(_) => "?!",
            None => "",
        }
    }
}

#[cfg(test)]
mod tests {
    use fanorona_engine::Game;
    use fanorona_knowledge::Source;
    use fanorona_proof::Bounds;
    use fanorona_tablebase::TableValue;

    use super::*;

    fn of(at_least: Value, at_most: Value) -> Assessment {
        Assessment::new(Bounds { at_least, at_most }, Source::Search)
    }

    #[test]
    fn a_mistake_is_what_is_given_away_for_certain() {
        use Value::{Draw, Loss, Win};
        for (before, turn, mistake) in [
            (of(Win, Win), of(Draw, Draw), Some(Mistake::WinToDraw)),
            (of(Win, Win), of(Loss, Draw), Some(Mistake::WinToDraw)),
            (of(Win, Win), of(Loss, Loss), Some(Mistake::WinToLoss)),
            (of(Draw, Win), of(Loss, Loss), Some(Mistake::DrawToLoss)),
            (of(Draw, Draw), of(Loss, Loss), Some(Mistake::DrawToLoss)),
            (of(Draw, Win), of(Draw, Draw), None),
            (of(Win, Win), of(Draw, Win), None),
            (of(Loss, Win), of(Loss, Loss), None),
            (of(Loss, Loss), of(Loss, Loss), None),
        ] {
            assert_eq!(Mistake::new(&before, &turn), mistake, "{before:?} {turn:?}");
        }
    }

    /// White can win in 3 turns, and plays a turn that wins in 5; then Black errs.
    #[test]
    fn turns_are_judged_by_the_positions_around_them() {
        let start = "B4/5/5/5/4W w".parse().expect("a position");
        let mut game = Game::new(RuleSet::STANDARD, start);
        for text in ["e1-e2", "a5-a4"] {
            let turn = game.rules().parse_turn(game.position(), text).expect("a turn");
            game.play(turn);
        }
        let exact = |value, dtw| Assessment::exact(TableValue { value, dtw }, Source::Table);
        let best = game.rules().parse_turn(&start, "e1-d1").expect("a turn");
        let judged = |assessment, best| Some(Judged { assessment, best, estimate: None });
        let all = [
            judged(exact(Value::Win, Some(3)), Some(best)),
            judged(exact(Value::Loss, Some(4)), None),
            judged(exact(Value::Win, Some(1)), None),
        ];
        let record = Record::new(game.clone());
        let report = GameReport::new(&record, &all, Duration::ZERO);
        let [first, second] = &report.turns[..] else { panic!("two turns") };
        assert_eq!((first.turns_lost, first.mistake, first.sign()), (Some(2), None, "?!"));
        assert_eq!(first.remark(), "wins 2 turns later than e1-d1");
        assert_eq!((second.turns_lost, second.mistake, second.sign()), (None, None, ""));
        assert_eq!((report.sum(Side::White), report.sum(Side::Black)), ((0, 2), (0, 0)));
        assert_eq!((report.settled, report.positions), (3, 3));

        // Nothing is said of turns around a position that was not analyzed.
        let report = GameReport::new(&record, &[None, None, all[2].clone()], Duration::ZERO);
        assert!(report.turns.iter().all(|turn| turn.is_left_out && turn.remark().is_empty()));
        let draw = judged(exact(Value::Draw, None), None);
        let report =
            GameReport::new(&record, &[all[0].clone(), draw.clone(), draw], Duration::ZERO);
        assert_eq!(report.turns[0].remark(), "gives away the win; e1-d1 keeps it");
        assert_eq!((report.turns[0].sign(), report.sum(Side::White)), ("?", (1, 0)));
    }
}
