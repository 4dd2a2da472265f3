//! The notes on the turns of a game.

use std::time::Duration;

use fanorona_core::{Board, Position, RuleSet, Side};
use fanorona_engine::inquiry::{Answer, Estimate, Share};
use fanorona_engine::review::{Mistake, Sums, TurnReview};
use fanorona_engine::{GameResult, Record};
use fanorona_knowledge::Assessment;
use serde::Serialize;

use crate::human::counted;
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
    /// How many turns of the position before it keep its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<Share>,
    /// Whether the position before it, or after it, was not analyzed, because of Ctrl-C.
    #[serde(skip)]
    pub is_left_out: bool,
}

/// The mistake in words: "gives away the win".
fn in_words(mistake: Mistake) -> &'static str {
    match mistake {
        Mistake::MissesWin => "gives away the win",
        Mistake::LosesWin => "turns a win into a loss",
        Mistake::LosesDraw => "gives away the draw",
        Mistake::Slower | Mistake::Doubtful => "doubtful",
    }
}

impl GameReport {
    /// The notes on a game, from what is known of its positions, the start first.
    pub(super) fn new(record: &Record, answers: &[Option<Answer>], time: Duration) -> Self {
        let game = record.game();
        let start = *game.start();
        let of_start = answers.first().and_then(Option::as_ref);
        let assessment = of_start.map_or(Assessment::UNKNOWN, Answer::assessment);
        let settled = answers.iter().flatten().filter(|answer| answer.is_proved()).count();
        let offset = usize::from(start.to_move() == Side::Black);
        let mut after = game.earlier().iter().skip(1).chain([game.position()]);
        let turns = game.turns().iter().zip(answers.windows(2)).enumerate();
        let turns = turns.map(|(i, (turn, pair))| {
            let position = *after.next().expect("a position follows each turn");
            let [before, then] = [&pair[0], &pair[1]].map(Option::as_ref);
            let text = turn.text(start.board()).to_string();
            let pair = before.zip(then);
            let found = pair.map(|(before, then)| TurnReview::new(before, turn, then));
            let best = found.as_ref().and_then(|found| found.better.first());
            let best = best.or_else(|| before?.advised().filter(|best| *best != turn));
            let best = best.map(|best| best.text(start.board()).to_string());
            TurnNote {
                number: (i + offset) / 2 + 1,
                side: position.to_move().other(),
                turn: text,
                assessment: then.map_or(Assessment::UNKNOWN, |it| it.assessment().before_turn()),
                estimate: found.as_ref().and_then(|found| found.estimate),
                position,
                best,
                mistake: found.as_ref().and_then(|found| found.mistake),
                turns_lost: found.as_ref().and_then(|found| found.turns_lost),
                share: found.as_ref().and_then(|found| found.share),
                is_left_out: found.is_none(),
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
            estimate: of_start.and_then(|start| start.estimate),
            turns: turns.collect(),
            settled,
            positions: answers.len(),
            seconds: time.as_secs_f64(),
        }
    }

    /// The turns of a side, counted.
    pub(super) fn sums(&self, side: Side) -> Sums {
        let mut sums = Sums::default();
        let own = self.turns.iter().filter(|turn| turn.side == side);
        own.for_each(|turn| sums.add(turn.mistake, turn.turns_lost));
        sums
    }
}

impl TurnNote {
    /// The note on the turn in words: its mistake, or the turns it lost, with the better turn. Empty
    /// if there is none.
    pub(super) fn remark(&self) -> String {
        let best = self.best.as_deref();
        match (self.mistake, self.turns_lost) {
            (_, Some(lost)) => {
                let best = best.unwrap_or("the best turn");
                format!("wins {} later than {best}", counted(lost, "turn"))
            }
            (Some(Mistake::Slower) | None, _) => String::new(),
            (Some(Mistake::Doubtful), _) => match best {
                Some(best) => format!("doubtful; the engine would play {best}"),
                None => in_words(Mistake::Doubtful).to_owned(),
            },
            (Some(mistake), _) => match best {
                Some(best) => format!("{}; {best} keeps it", in_words(mistake)),
                None => in_words(mistake).to_owned(),
            },
        }
    }

    /// The number of the glyph of the note, as in PGN.
    pub(super) fn glyph(&self) -> Option<u8> {
        match (self.mistake?, self.turns_lost) {
            (Mistake::LosesWin, _) => Some(4),
            (Mistake::LosesDraw | Mistake::MissesWin, _) => Some(2),
            (Mistake::Doubtful, _) | (Mistake::Slower, Some(_)) => Some(6),
            (Mistake::Slower, None) => None,
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
    use fanorona_core::Value;
    use fanorona_engine::Game;
    use fanorona_knowledge::{Knowledge, Source};
    use fanorona_tablebase::TableValue;

    use super::*;

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
        let known = Knowledge::of_rules(game.start().board(), RuleSet::STANDARD);
        let judged = |assessment, best| {
            let mut answer = Answer::of_sources(&known, game.start()).expect("it is looked at");
            (answer.look.assessment, answer.look.turns) = (assessment, Some(Vec::new()));
            answer.best = best;
            Some(answer)
        };
        let all = [
            judged(exact(Value::Win, Some(3)), Some(best)),
            judged(exact(Value::Loss, Some(4)), None),
            judged(exact(Value::Win, Some(1)), None),
        ];
        let record = Record::new(game.clone());
        let report = GameReport::new(&record, &all, Duration::ZERO);
        let [first, second] = &report.turns[..] else { panic!("two turns") };
        assert_eq!(
            (first.turns_lost, first.mistake, first.sign()),
            (Some(2), Some(Mistake::Slower), "?!")
        );
        assert_eq!(first.remark(), "wins 2 turns later than e1-d1");
        // Black loses sooner than necessary, which is no mistake worth a sign.
        let sooner = Some(Mistake::Slower);
        assert_eq!((second.turns_lost, second.mistake, second.sign()), (None, sooner, ""));
        assert_eq!([Side::White, Side::Black].map(|side| report.sums(side).turns_lost), [2, 0]);
        assert_eq!((report.settled, report.positions), (3, 3));

        // Nothing is said of turns around a position that was not analyzed.
        let report = GameReport::new(&record, &[None, None, all[2].clone()], Duration::ZERO);
        assert!(report.turns.iter().all(|turn| turn.is_left_out && turn.remark().is_empty()));
        let draw = judged(exact(Value::Draw, None), None);
        let mut report =
            GameReport::new(&record, &[all[0].clone(), draw.clone(), draw], Duration::ZERO);
        assert_eq!(report.turns[0].remark(), "gives away the win; e1-d1 keeps it");
        let sums = Sums { turns: 1, mistakes: 1, ..Sums::default() };
        assert_eq!((report.turns[0].sign(), report.sums(Side::White)), ("?", sums));
        report.turns[0].mistake = Some(Mistake::Doubtful);
        let sums = Sums { turns: 1, doubtful: 1, ..Sums::default() };
        assert_eq!(report.sums(Side::White), sums);
    }
}
