//! Statistics of tables, and positions to practise with.

use axum::extract::State;
use axum::http::HeaderMap;
use fanorona_core::Value;
use fanorona_engine::random_seed;

use super::super::input::{GameParameters, Parameters};
use super::super::reply::{Answer, Freshness, Tag, json, not_stored};
use super::super::state::App;
use crate::answer::{DrillAnswer, DrillOrder, MAX_SEED, TablesAnswer};
use crate::problem::{Problem, ProblemKind};

/// Statistics of the tables.
///
/// Counts, distances, longest wins and zugzwangs of all tables of a board and rule set, and what is
/// missing.
#[utoipa::path(
    get, path = "/api/v1/tables",
    params(GameParameters),
    responses((status = 200, body = TablesAnswer)),
)]
pub(super) async fn tables(State(app): App, request: HeaderMap, parameters: Parameters) -> Answer {
    let answered = app.compute(move |app| {
        let variant = parameters.variant()?;
        let open = app.open(variant)?;
        let (board, rules) = (variant.board.to_string(), variant.rules.to_string());
        let tag = Tag::new(open.identity(), &["tables", &board, &rules]);
        tag.answer(&request, Freshness::Ask, || Ok(json(&TablesAnswer::new(&open)?)))
    });
    answered.await
}

/// A position to practise with.
///
/// A random position from the tables that is won or drawn, but not by every turn.
#[utoipa::path(
    get, path = "/api/v1/drill",
    params(
        GameParameters,
        ("kind" = Option<String>, Query, description = "The value for the side to move: win or draw; win if it is not given."),
        ("stones" = Option<u32>, Query, description = "The stones of both sides together; the most that the tables have if it is not given."),
        ("seed" = Option<u64>, Query, description = "The seed of the random numbers; another one each time if it is not given."),
    ),
    responses((status = 200, body = DrillAnswer)),
)]
pub(super) async fn drill(State(app): App, parameters: Parameters) -> Answer {
    let answered = app.compute(move |app| {
        let variant = parameters.variant()?;
        let value = match parameters.text("kind") {
            None | Some("win") => Value::Win,
            Some("draw") => Value::Draw,
            Some(_) => {
                let message = "this kind of drill is not known";
                return Err(Problem::new(ProblemKind::BadParameter, message, "win or draw")
                    .in_field("kind"));
            }
        };
        let stones = parameters.number("stones", 2..=2 * variant.board.max_stones())?;
        let seed =
            parameters.number("seed", 0..=MAX_SEED)?.unwrap_or_else(|| random_seed() & MAX_SEED);
        let open = app.open(variant)?;
        let order = DrillOrder { value, stones, seed };
        Ok(not_stored(json(&DrillAnswer::new(&open, order)?)))
    });
    answered.await
}
