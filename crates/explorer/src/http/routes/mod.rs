//! The routes.

mod about;
mod files;
mod game;
mod openapi;
mod position;
mod search;
mod tables;

use std::sync::Arc;

use axum::Router;
use axum::http::Method;
use axum::routing::{MethodRouter, get, post};

pub(crate) use files::HEALTH;

use super::state::Explorer;
use crate::problem::{Problem, ProblemKind};

/// All routes.
pub(crate) fn all() -> Router<Arc<Explorer>> {
    Router::new()
        .route("/", only_get(get(files::index)))
        .route("/assets/{*path}", only_get(get(files::asset)))
        .route(HEALTH, only_get(get(files::health)))
        .route("/metrics", only_get(get(files::metrics)))
        .route("/api/v1/openapi.json", only_get(get(openapi::document)))
        .route("/api/v1/about", only_get(get(about::about)))
        .route("/api/v1/board", only_get(get(about::board)))
        .route("/api/v1/position", only_get(get(position::position)))
        .route("/api/v1/positions", only(post(position::positions), "POST"))
        .route("/api/v1/line", only_get(get(position::line)))
        .route("/api/v1/turn", only_get(get(game::turn)))
        .route("/api/v1/game", only(post(game::game), "POST"))
        .route("/api/v1/record", only(post(game::record), "POST"))
        .route("/api/v1/opponent", only(post(game::opponent), "POST"))
        .route("/api/v1/search", only_get(get(search::search)))
        .route("/api/v1/tables", only_get(get(tables::tables)))
        .route("/api/v1/drill", only_get(get(tables::drill)))
}

/// A route that answers other methods with an error like all others.
fn only<S: Clone + Send + Sync + 'static>(
    route: MethodRouter<S>,
    methods: &'static str,
) -> MethodRouter<S> {
    route.fallback(async move |method: Method| {
        let message = format!("{method} is not possible here");
        Problem::new(ProblemKind::MethodNotAllowed, message, methods)
    })
}

/// [`only`] for GET.
fn only_get<S: Clone + Send + Sync + 'static>(route: MethodRouter<S>) -> MethodRouter<S> {
    only(route, "GET")
}
