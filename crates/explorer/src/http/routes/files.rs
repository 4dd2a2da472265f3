//! The page, its files, and what watches the server.

use std::borrow::Cow;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, HeaderValue, Response, header};
use axum::routing::get;

use super::super::reply::{Answer, Freshness, Tag, not_stored, nothing_here, of_type};
use super::super::state::{App, Explorer};
use crate::page::{INDEX, POLICY, PageFile, media_type};

/// Where the server says that it is well.
pub(crate) const HEALTH: &str = "/healthz";

/// The routes of these.
pub(super) fn add_to(router: Router<Arc<Explorer>>) -> Router<Arc<Explorer>> {
    router
        .route("/", get(index))
        .route("/assets/{*path}", get(asset))
        .route("/static/", get(static_file))
        .route("/static/{*path}", get(static_file))
        .route(HEALTH, get(health))
}

async fn index(State(app): App, request: HeaderMap) -> Answer {
    file(&app, &request, INDEX.to_owned()).await
}

/// A file of the page.
async fn asset(State(app): App, request: HeaderMap, Path(path): Path<String>) -> Answer {
    file(&app, &request, path).await
}

async fn file(app: &Arc<Explorer>, request: &HeaderMap, path: String) -> Answer {
    let wanted = path.clone();
    let found = app.compute(move |app| app.page.file(&wanted).ok_or_else(nothing_here)).await?;
    let PageFile { media_type, mut bytes } = found;
    // The page then leads to the one that needs no server.
    if path == INDEX && !app.settings.static_files.is_empty() {
        let text = String::from_utf8_lossy(&bytes).replacen("<html ", "<html data-static ", 1);
        bytes = Cow::Owned(text.into_bytes());
    }
    let tag = Tag::of_file(&bytes);
    // Browsers fetch the icon again whenever the address changes.
    let is_picture = media_type.starts_with("image/");
    let freshness = if is_picture { Freshness::Exact } else { Freshness::Ask };
    tag.answer(request, freshness, || Ok(of_type(media_type, bytes)))
}

/// A file of the page that needs no server.
async fn static_file(State(app): App, request: HeaderMap, path: Option<Path<String>>) -> Answer {
    let path = path.map_or_else(|| INDEX.to_owned(), |Path(path)| path);
    let file = app.settings.static_files.iter().find(|(known, _)| *known == path);
    let (Some((_, bytes)), Some(media_type)) = (file, media_type(&path)) else {
        return Err(nothing_here());
    };
    let tag = Tag::of_file(bytes);
    let answer = tag.answer(&request, Freshness::Ask, || Ok(of_type(media_type, bytes.clone())));
    let mut response = answer?;
    for policy in [POLICY, "frame-ancestors 'none'"] {
        let policy = HeaderValue::from_static(policy);
        response.headers_mut().append(header::CONTENT_SECURITY_POLICY, policy);
    }
    Ok(response)
}

/// That the server is well.
async fn health() -> Response<Body> {
    not_stored(of_type("text/plain; charset=utf-8", "ok"))
}
