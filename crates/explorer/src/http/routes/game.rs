//! Turns, games and the opponent.

use std::sync::PoisonError;
use std::thread;
use std::time::Duration;

use axum::extract::State;
use fanorona_engine::{DrawRules, Game, Level, Options, Record};
use serde::Deserialize;
use utoipa::ToSchema;

use super::super::input::{
    GameParameters, JsonBody, Parameters, PositionParameter, object_or_null,
};
use super::super::reply::{Answer, json};
use super::super::state::{App, Work};
use crate::answer::{
    Detail, GameAnswer, GameNotes, GamePart, MAX_SEED, Opponent, OpponentAnswer, TurnAnswer,
    read_draws, read_record, replay,
};
use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};
use crate::variant::Variant;

/// The shortest time of a search.
pub(super) const MIN_SECONDS: f64 = 0.01;

/// The time for a turn at full strength, if none is asked for.
const OPPONENT_SECONDS: f64 = 2.0;

/// A turn read from a text.
///
/// Reads a turn as a person writes it: dashes may be missing, and letters where only one turn fits.
#[utoipa::path(
    get, path = "/api/v1/turn",
    params(
        GameParameters, PositionParameter,
        ("turn" = String, Query, description = "The turn."),
    ),
    responses((status = 200, body = TurnAnswer)),
)]
pub(super) async fn turn(State(app): App, parameters: Parameters) -> Answer {
    let answered = app.compute(move |_| {
        let variant = parameters.variant()?;
        let turn = parameters.text("turn").ok_or_else(|| {
            let message = "the parameter turn is missing";
            Problem::new(ProblemKind::BadTurn, message, "turn=d3-e3A").in_field("turn")
        })?;
        Ok(json(&TurnAnswer::new(variant, parameters.text("position"), turn)?))
    });
    answered.await
}

/// A game to replay.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GameRequest {
    /// The board; that of the start, or 9x5, if it is not given.
    board: Option<String>,
    /// The rule set; standard if it is not given.
    rules: Option<String>,
    /// The position at the start; that of the board if it is not given.
    start: Option<String>,
    /// The turns.
    turns: Vec<String>,
    /// When the game is drawn although the rules know no draw there; never if it is not given.
    #[serde(default, deserialize_with = "object_or_null")]
    draw_rules: Option<DrawRules>,
    /// Players, date, result, comments and variations of the text of the game.
    #[serde(default)]
    notes: GameNotes,
    /// The number of turns that are only replayed: the answer has what comes after them. 0 if it is not
    /// given.
    #[serde(default)]
    from: usize,
    /// How much to say of the last position, in `here`: value, turns, tree or replies. Nothing if it is
    /// not given.
    detail: Option<String>,
}

/// A game.
///
/// Replays a game: the value of each position, and what each turn gave away. Who follows a game asks for
/// what is new alone, with `from`.
#[utoipa::path(
    post, path = "/api/v1/game",
    request_body = GameRequest,
    responses((status = 200, body = GameAnswer)),
)]
pub(super) async fn game(State(app): App, JsonBody(request): JsonBody<GameRequest>) -> Answer {
    let answered = app.compute(move |app| {
        let GameRequest { board, rules, start, turns, draw_rules, notes, from, detail } = request;
        let (board, rules, start) = (board.as_deref(), rules.as_deref(), start.as_deref());
        let (open, game) = game_of(app, board, rules, start, &turns, draw_rules)?;
        let record = notes.add_to(Record::new(game))?;
        let detail = detail.as_deref().map(str::parse).transpose()?;
        Ok(json(&GameAnswer::new(&open, &record, GamePart { from, detail })?))
    });
    answered.await
}

/// The text of a game.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct RecordRequest {
    /// The text.
    text: String,
}

/// A game read from a text.
///
/// Reads the text of a game, as the answer to a game has it in record, and replays it.
#[utoipa::path(
    post, path = "/api/v1/record",
    request_body = RecordRequest,
    responses((status = 200, body = GameAnswer)),
)]
pub(super) async fn record(
    State(app): App,
    JsonBody(RecordRequest { text }): JsonBody<RecordRequest>,
) -> Answer {
    let answered = app.compute(move |app| {
        let record = read_record(&text)?;
        let (board, rules) = (record.game().start().board(), *record.game().rules());
        let open = app.open(Variant { board, rules })?;
        Ok(json(&GameAnswer::new(&open, &record, GamePart::default())?))
    });
    answered.await
}

/// A game that a request describes, and its sources.
pub(super) fn game_of(
    app: &Work<'_>,
    board: Option<&str>,
    rules: Option<&str>,
    start: Option<&str>,
    turns: &[String],
    draws: Option<DrawRules>,
) -> Result<(OpenVariant, Game), Problem> {
    let variant = Variant::parse(board, rules, start)?;
    let start = variant.position(start).map_err(|problem| match problem.field {
        Some("position") => problem.in_field("start"),
        _ => problem,
    })?;
    let open = app.open(variant)?;
    Ok((open, replay(variant.rules, start, turns, read_draws(draws)?)?))
}

/// The time that a body asks for.
pub(super) fn time_of(
    seconds: Option<f64>,
    usual: f64,
    most: Duration,
) -> Result<Duration, Problem> {
    let most = most.as_secs_f64();
    let seconds = seconds.unwrap_or(usual.min(most));
    if (MIN_SECONDS..=most).contains(&seconds) {
        return Ok(Duration::from_secs_f64(seconds));
    }
    let expected = format!("a number from {MIN_SECONDS} to {most}");
    let message = format!("seconds is not {expected}");
    Err(Problem::new(ProblemKind::BadNumber, message, expected).in_field("seconds"))
}

/// A game in which the program is to move.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OpponentRequest {
    /// The board; that of the start, or 9x5, if it is not given.
    board: Option<String>,
    /// The rule set; standard if it is not given.
    rules: Option<String>,
    /// The position at the start; that of the board if it is not given.
    start: Option<String>,
    /// The turns so far.
    turns: Vec<String>,
    /// When the game is drawn although the rules know no draw there; never if it is not given.
    #[serde(default, deserialize_with = "object_or_null")]
    draw_rules: Option<DrawRules>,
    /// How well the program plays: the number or the name of a level.
    level: LevelText,
    /// The seed of what varies in its play: the noise of the levels below 8, and from 8 on the choice
    /// between turns with nearly the same score; a random one for this turn if it is not given.
    seed: Option<u64>,
    /// The time for a turn at full strength; 2 if it is not given.
    seconds: Option<f64>,
    /// Asks for the game after the turn too, in `after`: the answer about it from this turn on, with
    /// detail=tree, under these draw rules.
    #[serde(default, deserialize_with = "object_or_null")]
    after: Option<DrawRules>,
}

/// A level, by its number or its name.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(untagged, expecting = "the level is neither a number nor a name")]
enum LevelText {
    Number(u64),
    Name(String),
}

/// The opponent's turn.
///
/// The turn that the program plays in a game, at a level.
#[utoipa::path(
    post, path = "/api/v1/opponent",
    request_body = OpponentRequest,
    responses((status = 200, body = OpponentAnswer)),
)]
pub(super) async fn opponent(
    State(app): App,
    JsonBody(request): JsonBody<OpponentRequest>,
) -> Answer {
    if app.settings.opponents == 0 {
        let expected = "'fanorona play' on a machine of your own";
        let message = "this server offers no opponent";
        return Err(Problem::new(ProblemKind::NotOffered, message, expected));
    }
    let permit = app.opponents.clone().try_acquire_owned().map_err(|_| {
        let message = "the opponent is thinking about as many turns as it can";
        Problem::new(ProblemKind::Busy, message, "the same request in a moment")
    })?;
    let answered = app.work(permit, app.new_stop(), move |app| {
        let (opponent, open, game) = opponent_of(app, &request)?;
        let think = || opponent.play(&open, &game, &app.stop);
        let Some(draws) = request.after else { return Ok(json(&think()?)) };
        let draws = read_draws(Some(draws)).map_err(|problem| problem.in_field("after"))?;
        // Where tables are fetched in parts, the same request comes again for those of the answer.
        let key = format!("{request:?}");
        let thought = || app.thought.lock().unwrap_or_else(PoisonError::into_inner);
        let known = thought().take().filter(|(known, _)| *known == key);
        let answer = known.map_or_else(think, |(_, answer)| Ok(answer))?;
        let turns: Vec<_> = request.turns.iter().chain([&answer.chosen.turn]).cloned().collect();
        let record = Record::new(replay(open.variant().rules, *game.start(), &turns, draws)?);
        let part = GamePart { from: game.turns().len(), detail: Some(Detail::Tree) };
        match GameAnswer::new(&open, &record, part) {
            Ok(after) => Ok(json(&OpponentAnswer { after: Some(Box::new(after)), ..answer })),
            Err(problem) => {
                *thought() = Some((key, answer));
                Err(problem)
            }
        }
    });
    answered.await
}

fn opponent_of(
    app: &Work<'_>,
    request: &OpponentRequest,
) -> Result<(Opponent, OpenVariant, Game), Problem> {
    let OpponentRequest { board, rules, start, turns, draw_rules, .. } = request;
    let &OpponentRequest { seed, seconds, .. } = request;
    let (board, rules, start) = (board.as_deref(), rules.as_deref(), start.as_deref());
    let (open, game) = game_of(app, board, rules, start, turns, *draw_rules)?;
    if seed.is_some_and(|seed| seed > MAX_SEED) {
        let expected = format!("a number from 0 to {MAX_SEED}");
        return Err(Problem::new(ProblemKind::BadNumber, "the seed is too large", expected)
            .in_field("seed"));
    }
    let time = time_of(seconds, OPPONENT_SECONDS, app.settings.opponent_time)?;
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    let threads = (cores / app.settings.opponents.max(1)).max(1);
    let mut player = Options::player(level_of(&request.level)?);
    (player.seed, player.threads, player.draw_rules) = (seed, threads, *game.draws());
    Ok((Opponent { player, time }, open, game))
}

fn level_of(level: &LevelText) -> Result<Level, Problem> {
    let text = match level {
        LevelText::Number(number) => number.to_string(),
        LevelText::Name(name) => name.chars().take(20).collect(),
    };
    text.parse().map_err(|error: fanorona_engine::LevelError| {
        Problem::new(ProblemKind::BadNumber, error, "a number or a name of about.levels")
            .in_field("level")
    })
}
