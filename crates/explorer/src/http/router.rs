//! From a request to its route: who may ask, and what every response has.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Response};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

use super::compute::unexpected;
use super::routes;
use super::state::{App, Explorer};
use crate::problem::{Problem, ProblemKind};

/// The headers of every response that has no others of these names.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        HeaderName::from_static("content-security-policy"),
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; \
             connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
        ),
    ),
    (HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff")),
    (HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer")),
    (
        HeaderName::from_static("cross-origin-resource-policy"),
        HeaderValue::from_static("same-origin"),
    ),
    (
        HeaderName::from_static("cross-origin-opener-policy"),
        HeaderValue::from_static("same-origin"),
    ),
];

impl Explorer {
    /// All routes, for those who may ask.
    pub fn router(self: &Arc<Self>) -> Router {
        // In this order from the outside.
        self.routes()
            .layer(middleware::from_fn_with_state(self.clone(), limit_time))
            .layer(CompressionLayer::new())
            .layer(middleware::from_fn_with_state(self.clone(), guard))
            .layer(CatchPanicLayer::custom(|_| unexpected().into_response()))
    }
}

/// Ends answers that take too long to begin. A stream may last longer.
async fn limit_time(app: App, request: Request, next: Next) -> Response<Body> {
    let limit = app.settings.request_time;
    match tokio::time::timeout(limit, next.run(request)).await {
        Ok(response) => response,
        Err(_) => {
            let message = format!("the answer takes longer than {} s", limit.as_secs_f64());
            let expected = "a smaller request, or the same later";
            Problem::new(ProblemKind::Timeout, message, expected).into_response()
        }
    }
}

/// Checks who asks, and adds the headers of every response.
async fn guard(app: App, request: Request, next: Next) -> Response<Body> {
    // Health checks may use any host name.
    let is_health = request.uri().path() == routes::HEALTH;
    let admitted = match is_health {
        true => Ok(()),
        false => app.hosts.check(request.uri(), request.headers()),
    };
    let mut response = match admitted {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().entry(name).or_insert(value);
    }
    response
}
