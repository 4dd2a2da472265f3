//! Proof searches, analyses and reviews as streams of server-sent events.

use std::thread;
use std::time::Duration;

use axum::extract::State;
use serde::Deserialize;
use utoipa::ToSchema;
use web_time::Instant;

use super::super::input::{GameParameters, JsonBody, Parameters, PositionParameter};
use super::super::permit::permit;
use super::super::reply::Answer;
use super::super::state::{App, Explorer};
use super::super::stream::respond;
use super::game::{MIN_SECONDS, game_of, time_of};
use crate::answer::{
    AnalysisAnswer, AnalysisOrder, CheckAnswer, MAX_LINES, ReviewOrder, ReviewPosition,
    SearchEvent, SearchOrder, SearchProgress,
};

/// The time of a proof search, if none is asked for.
const SEARCH_SECONDS: f64 = 60.0;

/// The time of an analysis, if none is asked for.
const ANALYSIS_SECONDS: f64 = 10.0;

/// The time of a review, if none is asked for.
const REVIEW_SECONDS: f64 = 7.0;

/// The shortest time between two reports.
const BETWEEN_REPORTS: Duration = Duration::from_millis(250);

/// A proof search.
///
/// Server-sent events: progress while it runs, position (PositionAnswer) when something more is proved
/// of the position or a turn, done at its end (both SearchProgress), then certificate
/// (CertificateAnswer) if it was asked for and something is proved, or failed (ErrorAnswer). Closing the
/// connection ends the search.
#[utoipa::path(
    get, path = "/api/v1/search",
    params(
        GameParameters, PositionParameter,
        ("seconds" = Option<f64>, Query, description = "The longest time, in seconds; 60 if it is not given."),
        ("nodes" = Option<u64>, Query, description = "The most positions."),
        ("certificate" = Option<bool>, Query, description = "Whether to send a certificate of what was proved; false if it is not given."),
    ),
    responses((status = 200, body = SearchProgress, content_type = "text/event-stream")),
)]
pub(super) async fn search(State(app): App, parameters: Parameters) -> Answer {
    let permit = permit(app.settings.searches, &app.searches)?;
    let (variant, position) = parameters.position()?;
    let most = app.settings.search_time.as_secs_f64();
    let seconds = parameters.number("seconds", MIN_SECONDS..=most)?;
    let order = SearchOrder {
        time: Duration::from_secs_f64(seconds.unwrap_or(SEARCH_SECONDS.min(most))),
        nodes: parameters.number("nodes", 1..=u64::MAX)?,
        memory: memory(&app),
        threads: threads(&app),
        certificate: parameters.flag("certificate")?,
    };
    let open = app.compute(move |app| app.library.open(variant)).await?;
    Ok(respond(&app, permit, move |events| {
        let mut last: Option<Instant> = None;
        order.run(&open, &position, &events.stop, |event| match event {
            SearchEvent::Progress(progress) => {
                if last.is_none_or(|last| last.elapsed() >= BETWEEN_REPORTS) {
                    last = Some(Instant::now());
                    events.report("progress", &progress);
                }
            }
            SearchEvent::Position(answer) => events.send("position", &answer),
            SearchEvent::Done(progress) => events.send("done", &progress),
            SearchEvent::Certificate(certificate) => events.send("certificate", &certificate),
        })
    }))
}

/// The engine's view of a position.
///
/// Server-sent events: progress after each depth, done at its end (both AnalysisAnswer), or failed
/// (ErrorAnswer). Closing the connection ends the analysis.
#[utoipa::path(
    get, path = "/api/v1/analysis",
    params(
        GameParameters, PositionParameter,
        ("lines" = Option<u32>, Query, description = "The number of turns with a line, 1 to 5; 1 if it is not given."),
        ("seconds" = Option<f64>, Query, description = "The longest time, in seconds; 10 if it is not given."),
    ),
    responses((status = 200, body = AnalysisAnswer, content_type = "text/event-stream")),
)]
pub(super) async fn analysis(State(app): App, parameters: Parameters) -> Answer {
    let permit = permit(app.settings.searches, &app.analyses)?;
    let (variant, position) = parameters.position()?;
    let most = app.settings.search_time.as_secs_f64();
    let seconds = parameters.number("seconds", MIN_SECONDS..=most)?;
    let order = AnalysisOrder {
        time: Duration::from_secs_f64(seconds.unwrap_or(ANALYSIS_SECONDS.min(most))),
        lines: parameters.number("lines", 1..=MAX_LINES)?.unwrap_or(1),
        threads: threads(&app),
    };
    let open = app.compute(move |app| app.library.open(variant)).await?;
    Ok(respond(&app, permit, move |events| {
        let open = open.with_stop(events.stop.clone());
        let report = |found: AnalysisAnswer| events.report("progress", &found);
        let found = order.run(&open, &position, &events.stop, report)?;
        events.send("done", &found);
        Ok(())
    }))
}

/// A game to review.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReviewRequest {
    /// The board; that of the start, or 9x5, if it is not given.
    board: Option<String>,
    /// The rule set; standard if it is not given.
    rules: Option<String>,
    /// The position at the start; that of the board if it is not given.
    start: Option<String>,
    /// The turns.
    turns: Vec<String>,
    /// The time for all positions that nothing decides; 7 if it is not given.
    seconds: Option<f64>,
}

/// A game, judged turn by turn.
///
/// Server-sent events: judged (ReviewPosition) for each position, the last one first, done (ReviewDone)
/// at the end, or failed (ErrorAnswer). Each position is judged by rules, tables and certificates, else
/// by a search for proofs, else by an estimate. Closing the connection ends the review.
#[utoipa::path(
    post, path = "/api/v1/review",
    request_body = ReviewRequest,
    responses((status = 200, body = ReviewPosition, content_type = "text/event-stream")),
)]
pub(super) async fn review(State(app): App, JsonBody(request): JsonBody<ReviewRequest>) -> Answer {
    let permit = permit(app.settings.searches, &app.analyses)?;
    let ReviewRequest { board, rules, start, turns, seconds } = request;
    let order = ReviewOrder {
        time: time_of(seconds, REVIEW_SECONDS, app.settings.search_time)?,
        // Each position has a moment only, and memory takes time to clear.
        memory: memory(&app) / 4,
        threads: threads(&app),
    };
    let opened = app.compute(move |app| {
        let (board, rules, start) = (board.as_deref(), rules.as_deref(), start.as_deref());
        game_of(app, board, rules, start, &turns, None)
    });
    let (open, game) = opened.await?;
    Ok(respond(&app, permit, move |events| {
        let open = open.with_stop(events.stop.clone());
        let judged = |judged: ReviewPosition| events.send("judged", &judged);
        let done = order.run(&open, &game, &events.stop, judged)?;
        events.send("done", &done);
        Ok(())
    }))
}

/// A check of the certificates of a game.
///
/// Server-sent events: progress, done at the end (both CheckAnswer), or failed (ErrorAnswer) if a
/// certificate does not hold or cannot be checked. Closing the connection ends the check.
#[utoipa::path(
    get, path = "/api/v1/check",
    params(
        GameParameters,
        ("max_table_bytes" = Option<u64>, Query, description = "The most bytes of tables to read; no limit if it is not given."),
    ),
    responses((status = 200, body = CheckAnswer, content_type = "text/event-stream")),
)]
pub(super) async fn check(State(app): App, parameters: Parameters) -> Answer {
    let permit = permit(app.settings.searches, &app.analyses)?;
    let variant = parameters.variant()?;
    let most = parameters.number("max_table_bytes", 0..=u64::MAX)?.unwrap_or(u64::MAX);
    let open = app.compute(move |app| app.library.open(variant)).await?;
    Ok(respond(&app, permit, move |events| {
        let report = |found: CheckAnswer| events.report("progress", &found);
        let found = CheckAnswer::new(&open, most, &events.stop, report)?;
        events.send("done", &found);
        Ok(())
    }))
}

/// The memory of a search.
fn memory(app: &Explorer) -> usize {
    app.settings.search_memory_mib.saturating_mul(1 << 20)
}

/// The threads of a proof search, an analysis or a review: as many of each can be at work.
fn threads(app: &Explorer) -> usize {
    let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
    (cores / app.settings.searches.max(1)).max(1)
}
