//! Positions and lines.

use axum::extract::State;
use axum::http::{HeaderMap, header};
use fanorona_knowledge::{Assessment, Line, Source};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::super::input::{GameParameters, JsonBody, Parameters, PositionParameter};
use super::super::reply::{Answer, ErrorDetails, Freshness, Tag, json};
use super::super::state::{App, Work};
use crate::answer::{Detail, PositionAnswer};
use crate::problem::{Problem, ProblemKind};
use crate::variant::Variant;

/// The longest line, in turns. The longest known win of 9x5 with 8 stones takes 137.
const MAX_LINE: usize = 1000;

/// How many positions are answered before the next request gets its turn.
const POSITIONS_AT_A_TIME: usize = 50;

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

/// Positions of one game.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionsRequest {
    /// The board; that of the first position, or 9x5, if it is not given.
    board: Option<String>,
    /// The rule set; standard if it is not given.
    rules: Option<String>,
    /// How much each answer has: value, turns, tree or replies; value if it is not given.
    detail: Option<String>,
    /// The positions.
    positions: Vec<String>,
}

/// The answers for positions, in the same order.
#[derive(Debug, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PositionsAnswer {
    /// One for each position.
    answers: Vec<PositionOrError>,
}

/// An answer, or why there is none.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum PositionOrError {
    /// The answer.
    Ok(Box<PositionAnswer>),
    /// Why there is none.
    Error(ErrorDetails),
}

/// Many positions.
///
/// The answers for many positions of one board and rule set, in the order asked.
#[utoipa::path(
    post, path = "/api/v1/positions",
    request_body = PositionsRequest,
    responses((status = 200, body = PositionsAnswer)),
)]
pub(super) async fn positions(
    State(app): App,
    JsonBody(request): JsonBody<PositionsRequest>,
) -> Answer {
    let PositionsRequest { board, rules, detail, positions } = request;
    let variant =
        Variant::parse(board.as_deref(), rules.as_deref(), positions.first().map(String::as_str))?;
    let detail = detail.as_deref().map_or(Ok(Detail::Value), str::parse)?;
    let limit = match detail {
        Detail::Value => app.settings.positions_per_request,
        Detail::Turns | Detail::Tree | Detail::Replies => {
            app.settings.detailed_positions_per_request
        }
    };
    if positions.len() > limit {
        let message = format!("the request has {} positions", positions.len());
        let expected = format!("at most {limit} with this detail");
        return Err(Problem::new(ProblemKind::TooMany, message, expected).in_field("positions"));
    }
    let mut answers = Vec::with_capacity(positions.len());
    for part in positions.chunks(POSITIONS_AT_A_TIME) {
        let part = part.to_vec();
        answers.extend(app.compute(move |app| answer_all(app, variant, &part, detail)).await?);
    }
    app.compute(move |_| Ok(json(&PositionsAnswer { answers }))).await
}

fn answer_all(
    app: &Work<'_>,
    variant: Variant,
    positions: &[String],
    detail: Detail,
) -> Result<Vec<PositionOrError>, Problem> {
    let open = app.open(variant)?;
    let answer = |text: &String| {
        let position = variant.position(Some(text))?;
        PositionAnswer::new(&open, &position, detail)
    };
    let answers = positions.iter().map(|text| match answer(text) {
        Ok(answer) => PositionOrError::Ok(Box::new(answer)),
        Err(problem) => PositionOrError::Error(problem.into()),
    });
    Ok(answers.collect())
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
