//! A game judged turn by turn, in parts as they are found.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use fanorona_core::{Position, Side, Turn};
use fanorona_engine::Game;
use fanorona_engine::inquiry::{Answer, Estimate, Inquiry, Means, Opinion, Share, Time};
use fanorona_engine::review::{Mistake, Sums, TurnReview};
use fanorona_knowledge::{Assessment, schema};
use serde::Serialize;
use utoipa::ToSchema;
use web_time::Instant;

use super::game::GameTurn;
use super::turn::path_of;
use crate::library::OpenVariant;
use crate::problem::Problem;
use crate::variant::names_of;

/// The engine's evaluation for the side whose position or turn it is, where the value is unknown.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct Evaluation {
    /// 100 × the natural logarithm of the odds of winning, for the side whose position or turn it is.
    /// Left out where the value is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub estimate: Option<i32>,
    /// The turns that the engine looked ahead for the estimate.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub estimate_depth: Option<u32>,
}

/// A position of a game with what could be found out about it, and the turn that was played there: the
/// event `judged`. Positions come from the last one to the first.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReviewPosition {
    /// The number of turns before it.
    pub ply: usize,
    /// The position.
    #[schema(value_type = String)]
    pub position: Position,
    /// The side to move.
    #[schema(value_type = schema::Side)]
    pub to_move: Side,
    /// The known value of the position.
    #[serde(flatten)]
    pub assessment: Assessment,
    /// The engine's evaluation.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// The turn that is known to be the best, or that the engine would play.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub best: Option<String>,
    /// The turn that was played. Null for the last position.
    #[schema(required)]
    pub turn: Option<ReviewTurn>,
}

/// A turn of a game with what could be found out about it, for the side that makes it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReviewTurn {
    /// The turn with its value and its mistake.
    #[serde(flatten)]
    pub turn: GameTurn,
    /// The engine's evaluation.
    #[serde(flatten)]
    pub evaluation: Evaluation,
    /// In a won position: how many turns later than by the best turn it wins.
    #[schema(required)]
    pub turns_lost: Option<u16>,
    /// How many turns keep the value of the position. Null if that is not known, and in lost positions.
    #[schema(required)]
    pub share: Option<Share>,
}

/// The end of a review: the event `done`.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ReviewDone {
    /// The positions of the game.
    pub positions: usize,
    /// Those whose value is known.
    pub settled: usize,
    /// The time taken, in seconds.
    pub seconds: f64,
    /// The turns to look at again: those that gave value away and doubtful ones, as numbers of turns
    /// before them.
    pub mistakes: Vec<usize>,
    /// White's turns.
    pub white: Sums,
    /// Black's turns.
    pub black: Sums,
}

/// The limits of a review.
#[derive(Clone, Copy, Debug)]
pub struct ReviewOrder {
    /// The time for all positions that nothing decides.
    pub time: Duration,
    /// The memory of the search, in bytes.
    pub memory: usize,
    /// The threads.
    pub threads: usize,
}

impl ReviewOrder {
    /// Judges the positions of a game, and reports each to `report`. It ends soon after `stop` is set.
    ///
    /// # Errors
    /// If a table is damaged, or the memory cannot be had.
    pub fn run(
        &self,
        open: &OpenVariant,
        game: &Game,
        stop: &AtomicBool,
        mut report: impl FnMut(ReviewPosition),
    ) -> Result<ReviewDone, Problem> {
        let began = Instant::now();
        let (memory, opinion) = (Some(self.memory), Opinion::Proof);
        let means = Means { threads: self.threads, memory, opinion, ..Means::default() };
        let mut inquiry = Inquiry::new(open.knowledge(), means);
        let positions: Vec<_> = game.earlier().iter().chain([game.position()]).collect();
        let mut reviews: Vec<Option<TurnReview>> = vec![None; game.turns().len()];
        let answers = inquiry.game(game, Time::Whole(self.time), stop, |ply, answers| {
            let played = game.turns().get(ply);
            let pair = answers[ply].as_ref().zip(answers.get(ply + 1).and_then(Option::as_ref));
            let review = played.zip(pair);
            let review =
                review.map(|(turn, (before, after))| (turn, TurnReview::new(before, turn, after)));
            if let Some(answer) = &answers[ply] {
                let turn = review.as_ref();
                let turn = turn.map(|(turn, review)| ReviewTurn::new(turn, positions[ply], review));
                report(ReviewPosition::new(ply, positions[ply], answer, turn));
            }
            if let Some((_, review)) = review {
                reviews[ply] = Some(review);
            }
        })?;
        let settled = answers.iter().flatten().filter(|answer| answer.is_proved()).count();
        let mut done = ReviewDone {
            positions: positions.len(),
            settled,
            seconds: began.elapsed().as_secs_f64(),
            mistakes: Vec::new(),
            white: Sums::default(),
            black: Sums::default(),
        };
        for (ply, review) in reviews.iter().enumerate() {
            let Some(review) = review else { continue };
            let side = match positions[ply].to_move() {
                Side::White => &mut done.white,
                Side::Black => &mut done.black,
            };
            side.add(review.mistake, review.turns_lost);
            let again =
                |mistake: Mistake| mistake.gives_value_away() || mistake == Mistake::Doubtful;
            if review.mistake.is_some_and(again) {
                done.mistakes.push(ply);
            }
        }
        Ok(done)
    }
}

impl Evaluation {
    fn new(found: Option<Estimate>) -> Self {
        let (estimate, estimate_depth) = found.map(|found| (found.score, found.depth)).unzip();
        Self { estimate, estimate_depth }
    }
}

impl ReviewPosition {
    fn new(ply: usize, position: &Position, answer: &Answer, turn: Option<ReviewTurn>) -> Self {
        let best = answer.advised().map(|best| best.text(position.board()).to_string());
        let evaluation = Evaluation::new(answer.estimate);
        let (position, to_move) = (*position, position.to_move());
        Self { ply, position, to_move, assessment: answer.assessment(), evaluation, best, turn }
    }
}

impl ReviewTurn {
    fn new(turn: &Turn, position: &Position, review: &TurnReview) -> Self {
        let board = position.board();
        let evaluation = Evaluation::new(review.estimate);
        let (turns_lost, share) = (review.turns_lost, review.share);
        let turn = GameTurn {
            turn: turn.text(board).to_string(),
            captured: names_of(board, turn.captured()),
            path: path_of(board, turn),
            assessment: review.assessment,
            mistake: review.mistake,
            better: review.better.iter().map(|turn| turn.text(board).to_string()).collect(),
        };
        Self { turn, evaluation, turns_lost, share }
    }
}
