//! The routes.

mod about;
mod description;
#[cfg(not(target_family = "wasm"))]
mod files;
mod game;
mod position;
mod search;
mod tables;

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::MatchedPath;
use axum::http::{HeaderMap, Method};
use axum::routing::get;
use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use description::Description;
#[cfg(not(target_family = "wasm"))]
pub(crate) use files::HEALTH;

use super::reply::{Answer, Freshness, Tag, nothing_here, of_bytes};
use super::state::Explorer;
use crate::problem::{Problem, ProblemKind};

/// All routes, and the description of those of the API.
static ROUTES: LazyLock<(Router<Arc<Explorer>>, Description)> = LazyLock::new(|| {
    let (api, document) = OpenApiRouter::with_openapi(description::Frame::openapi())
        .routes(routes!(about::about))
        .routes(routes!(about::board))
        .routes(routes!(about::levels))
        .routes(routes!(position::position))
        .routes(routes!(position::line))
        .routes(routes!(game::turn))
        .routes(routes!(game::game))
        .routes(routes!(game::record))
        .routes(routes!(game::opponent))
        .routes(routes!(search::search))
        .routes(routes!(search::analysis))
        .routes(routes!(search::review))
        .routes(routes!(search::check))
        .routes(routes!(tables::tables))
        .routes(routes!(tables::drill))
        .split_for_parts();
    let router = api.route("/api/v1/openapi.json", get(serve_description));
    #[cfg(not(target_family = "wasm"))]
    let router = files::add_to(router);
    let router =
        router.method_not_allowed_fallback(method_not_allowed).fallback(async || nothing_here());
    (router, Description::new(&document))
});

impl Explorer {
    /// All routes, for whoever asks, without the limits of a server.
    pub fn routes(self: &Arc<Self>) -> Router {
        ROUTES.0.clone().with_state(self.clone())
    }
}

pub(crate) fn description() -> &'static Description {
    &ROUTES.1
}

/// The description of the API: an OpenAPI document.
pub fn openapi() -> &'static str {
    description().text()
}

async fn method_not_allowed(method: Method, path: MatchedPath) -> Problem {
    let message = format!("{method} is not possible here");
    let expected = description().method(path.as_str());
    Problem::new(ProblemKind::MethodNotAllowed, message, expected)
}

async fn serve_description(request: HeaderMap) -> Answer {
    let text = openapi();
    let tag = Tag::of_file(text.as_bytes());
    tag.answer(&request, Freshness::Ask, || Ok(of_bytes(text)))
}
