//! The page, its files, and what watches the server.

use std::borrow::Cow;

use axum::body::Body;
use axum::extract::Path;
use axum::http::{HeaderMap, HeaderValue, Response, header};

use super::super::reply::{Freshness, Tag, nothing_here};
use super::super::state::App;
use crate::page::{INDEX, PageFile};
use crate::problem::{Problem, ProblemKind};

/// Where the server says that it is well.
pub(crate) const HEALTH: &str = "/healthz";

/// The page.
pub(super) async fn index(app: App, request: HeaderMap) -> Result<Response<Body>, Problem> {
    file(app, &request, INDEX).await
}

/// A file of the page.
pub(super) async fn asset(
    app: App,
    request: HeaderMap,
    Path(path): Path<String>,
) -> Result<Response<Body>, Problem> {
    file(app, &request, &path).await
}

async fn file(
    App { 0: app, .. }: App,
    request: &HeaderMap,
    path: &str,
) -> Result<Response<Body>, Problem> {
    let path = path.to_owned();
    let found = app.compute(move |app| app.page.file(&path).ok_or_else(nothing_here)).await?;
    let PageFile { media_type, bytes } = found;
    let tag = Tag::of_file(&bytes);
    if tag.is_known(request) {
        app.metrics.cache_hits.inc();
        return Ok(tag.not_modified(Freshness::Ask));
    }
    let body = match bytes {
        Cow::Borrowed(bytes) => Body::from(bytes),
        Cow::Owned(bytes) => Body::from(bytes),
    };
    let mut response = Response::new(body);
    let media_type = HeaderValue::from_static(media_type);
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    tag.mark(&mut response, Freshness::Ask);
    Ok(response)
}

/// That the server is well.
pub(super) async fn health() -> Response<Body> {
    text("ok", "text/plain; charset=utf-8")
}

/// The counts, as Prometheus reads them.
pub(super) async fn metrics(App { 0: app, .. }: App) -> Result<Response<Body>, Problem> {
    let written = app.metrics.text(app.library.probes(), app.library.num_open());
    let written = written
        .map_err(|error| Problem::new(ProblemKind::Internal, error, "nothing: report it"))?;
    Ok(text(written, "application/openmetrics-text; version=1.0.0; charset=utf-8"))
}

fn text(text: impl Into<Body>, media_type: &'static str) -> Response<Body> {
    let mut response = Response::new(text.into());
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
