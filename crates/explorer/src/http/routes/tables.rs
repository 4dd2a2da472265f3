//! Statistics of tables, and positions to practise with.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Response, header};
use fanorona_core::{SplitMix64, Value};

use super::super::input::{GameParameters, Parameters};
use super::super::reply::{ErrorAnswer, Freshness, Tag, json};
use super::super::state::App;
use crate::answer::{DrillAnswer, DrillOrder, MAX_SEED, TablesAnswer};
use crate::problem::{Problem, ProblemKind};

#[utoipa::path(
    get, path = "/api/v1/tables", tag = "fanorona",
    summary = "What the tables hold",
    description = "Counts, distances, longest wins and zugzwangs of all tables of a board and rule set, and what is missing.",
    params(
        GameParameters,
    ),
    responses(
        (status = 200, description = "The answer.", body = TablesAnswer),
        (status = "default", description = "What is wrong, and what would be right.", body = ErrorAnswer),
    ),
)]
pub(super) async fn tables(
    App { 0: app, .. }: App,
    request: HeaderMap,
    parameters: Parameters,
) -> Result<Response<Body>, Problem> {
    let parameters = parameters.only(&["board", "rules"])?;
    let answered = app.compute(move |app| {
        let variant = parameters.variant()?;
        let open = app.open(variant)?;
        let (board, rules) = (variant.board.to_string(), variant.rules.to_string());
        let tag = Tag::new(open.identity(), &["tables", &board, &rules]);
        if tag.is_known(&request) {
            app.metrics.cache_hits.inc();
            return Ok(tag.not_modified(Freshness::Ask));
        }
        let mut response = json(&TablesAnswer::new(&open)?);
        tag.mark(&mut response, Freshness::Ask);
        Ok(response)
    });
    answered.await
}

#[utoipa::path(
    get, path = "/api/v1/drill", tag = "fanorona",
    summary = "A position to practise with",
    description = "A random position from the tables that is won or drawn, but not by every turn.",
    params(
        GameParameters,
        ("kind" = Option<String>, Query, description = "The value for the side to move: win or draw; win if it is not given."),
        ("stones" = Option<u32>, Query, description = "The stones of both sides together; the most that the tables have if it is not given."),
        ("seed" = Option<u64>, Query, description = "The seed of the random numbers; another one each time if it is not given."),
    ),
    responses(
        (status = 200, description = "The answer.", body = DrillAnswer),
        (status = "default", description = "What is wrong, and what would be right.", body = ErrorAnswer),
    ),
)]
pub(super) async fn drill(
    App { 0: app, .. }: App,
    parameters: Parameters,
) -> Result<Response<Body>, Problem> {
    let parameters = parameters.only(&["board", "rules", "kind", "stones", "seed"])?;
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
        let seed = parameters.number("seed", 0..=MAX_SEED)?.unwrap_or_else(random_seed);
        let open = app.open(variant)?;
        let order = DrillOrder { value, stones, seed };
        let mut response = json(&DrillAnswer::new(&open, order)?);
        let no_store = HeaderValue::from_static("no-store");
        response.headers_mut().insert(header::CACHE_CONTROL, no_store);
        Ok(response)
    });
    answered.await
}

/// A seed that is another one each time.
fn random_seed() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    SplitMix64::new(now.as_nanos() as u64).next_u64() & MAX_SEED
}
