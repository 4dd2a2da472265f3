//! Positions and lines.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use fanorona_knowledge::{Assessment, Line, Source};

use super::super::input::{GameParameters, Parameters, PositionParameter};
use super::super::reply::{Answer, Freshness, Tag, json};
use super::super::state::App;
use crate::answer::{Detail, PositionAnswer};

/// The longest line, in turns. The longest known win of 9x5 with 8 stones takes 137.
const MAX_LINE: usize = 1000;

/// A position, its turns and steps.
///
/// The value of the position, of every turn, and of every part of a relay, as far as they are
/// known. What is not known is unknown, which is a value of its own.
#[utoipa::path(
    get, path = "/api/v1/position",
    params(
        GameParameters, PositionParameter,
        ("detail" = Option<String>, Query, description = "How much the answer has: value, turns, tree or replies; tree if it is not given."),
    ),
    responses((status = 200, body = PositionAnswer)),
)]
pub(super) async fn position(
    State(app): App,
    request: HeaderMap,
    parameters: Parameters,
) -> Answer {
    let answered = app.compute(move |app| {
        let (variant, position) = parameters.position()?;
        let detail = parameters.text("detail");
        let open = app.open(variant)?;
        let canonical = position.to_string();
        let tag = Tag::new(
            open.identity(),
            &["position", &variant.rules.to_string(), &canonical, detail.unwrap_or("tree")],
        );
        let detail = detail.map_or(Ok(Detail::default()), str::parse)?;
        tag.answer(&request, Freshness::Ask, || {
            let answer = PositionAnswer::new(&open, &position, detail)?;
            let mut response = json(&answer);
            response.headers_mut().insert(header::CACHE_CONTROL, freshness(&answer).header());
            Ok(response)
        })
    });
    answered.await
}

/// An answer in which all values are exact does not change.
fn freshness(answer: &PositionAnswer) -> Freshness {
    let is_exact = |found: &Assessment| {
        found.value().is_some() && found.source.is_some_and(|source| source <= Source::Table)
    };
    let turns_are_known = answer.turns.iter().all(|turn| turn.ranked.assessment.value().is_some());
    if is_exact(&answer.assessment) && turns_are_known { Freshness::Exact } else { Freshness::Ask }
}

/// The main line.
///
/// Best play by both sides, as far as it is known. Each turn is the first in the list of its
/// position. In won and lost positions without a distance it ends with the next turn, because no turn
/// is known to make progress.
#[utoipa::path(
    get, path = "/api/v1/line",
    params(GameParameters, PositionParameter),
    responses((status = 200, body = Line)),
)]
pub(super) async fn line(State(app): App, request: HeaderMap, parameters: Parameters) -> Answer {
    let answered = app.compute(move |app| {
        let (variant, position) = parameters.position()?;
        let open = app.open(variant)?;
        let tag =
            Tag::new(open.identity(), &["line", &variant.rules.to_string(), &position.to_string()]);
        tag.answer(&request, Freshness::Ask, || {
            Ok(json(&open.knowledge().line(&position, MAX_LINE)?.with_progress()))
        })
    });
    answered.await
}
