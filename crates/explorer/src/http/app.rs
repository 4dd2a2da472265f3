//! What all routes share, and the table of routes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Instant;

use axum::Router;
use axum::body::Body;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, Method, Response};
use axum::middleware::{self, Next};
use axum::response::IntoResponse;
use axum::routing::MethodRouter;
use tokio::sync::Semaphore;
use tower_http::compression::CompressionLayer;

use super::hosts::Hosts;
use super::log;
use super::metrics::Metrics;
use super::rate::{ClientAddress, ClientRates};
use super::routes;
use crate::library::Library;
use crate::page::Page;
use crate::problem::{Problem, ProblemKind};
use crate::settings::Settings;

/// The server without its socket.
#[derive(Debug)]
pub struct Explorer {
    pub(crate) library: Library,
    pub(crate) settings: Settings,
    pub(crate) page: Page,
    pub(crate) metrics: Metrics,
    hosts: Hosts,
    rates: Option<ClientRates>,
    /// A permit for each answer that is computed at a time.
    workers: Arc<Semaphore>,
    pub(crate) searches: Arc<Semaphore>,
    pub(crate) opponents: Arc<Semaphore>,
    /// The stop flags of what is at work, and whether the server ends.
    stops: Mutex<Stops>,
}

/// The stop flags of what is at work.
#[derive(Debug, Default)]
struct Stops {
    is_stopping: bool,
    flags: Vec<Weak<AtomicBool>>,
}

/// How the routes get it.
pub(crate) type App = State<Arc<Explorer>>;

/// The headers of every response.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        HeaderName::from_static("content-security-policy"),
        HeaderValue::from_static(
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; \
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

/// The route of what has none, in the counts.
const NO_ROUTE: &str = "other";

impl Explorer {
    /// A server that answers from a library.
    pub fn new(library: Library, settings: Settings) -> Arc<Self> {
        let cores = thread::available_parallelism().map_or(1, |cores| cores.get());
        let page = settings.page.clone().map_or(Page::Embedded, Page::Directory);
        Arc::new(Self {
            library,
            page,
            metrics: Metrics::new(),
            hosts: Hosts::new(&settings.hosts),
            rates: settings.requests_per_second.map(ClientRates::new),
            // While one answer waits for the disk, another can be computed.
            workers: Arc::new(Semaphore::new(2 * cores)),
            searches: Arc::new(Semaphore::new(settings.searches)),
            opponents: Arc::new(Semaphore::new(settings.opponents)),
            stops: Mutex::default(),
            settings,
        })
    }

    /// Ends all searches, so that the server can end.
    pub fn stop(&self) {
        let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        stops.is_stopping = true;
        for stop in stops.flags.drain(..).filter_map(|flag| flag.upgrade()) {
            stop.store(true, Ordering::Relaxed);
        }
    }

    /// A flag for work that takes long. It is set when the server ends.
    pub(crate) fn new_stop(&self) -> Arc<AtomicBool> {
        let mut stops = self.stops.lock().unwrap_or_else(PoisonError::into_inner);
        let stop = Arc::new(AtomicBool::new(stops.is_stopping));
        stops.flags.retain(|flag| flag.strong_count() > 0);
        stops.flags.push(Arc::downgrade(&stop));
        stop
    }

    /// Computes an answer on a thread of its own kind, so that others are accepted meanwhile.
    ///
    /// # Errors
    /// If it fails, or panics.
    pub(crate) async fn compute<T: Send + 'static>(
        self: &Arc<Self>,
        answer: impl FnOnce(&Self) -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.workers.clone().acquire_owned().await;
        let app = self.clone();
        let answered = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            answer(&app)
        });
        answered.await.unwrap_or_else(|_| Err(unexpected()))
    }

    /// All routes.
    pub fn router(self: &Arc<Self>) -> Router {
        // In this order from the outside.
        routes::all()
            .fallback(async || routes::nothing_here())
            .with_state(self.clone())
            .layer(middleware::from_fn_with_state(self.clone(), limit_time))
            .layer(CompressionLayer::new())
            .layer(middleware::from_fn_with_state(self.clone(), guard))
            .layer(tower_http::catch_panic::CatchPanicLayer::custom(|_| {
                unexpected().into_response()
            }))
    }
}

/// The problem of a defect in this program.
pub(crate) fn unexpected() -> Problem {
    Problem::new(ProblemKind::Internal, "something unexpected happened", "nothing: report it")
}

/// A route that is only for GET, and answers other methods with an error like all others.
pub(crate) fn only<S: Clone + Send + Sync + 'static>(
    route: MethodRouter<S>,
    methods: &'static str,
) -> MethodRouter<S> {
    route.fallback(async move |method: Method| {
        let message = format!("{method} is not possible here");
        Problem::new(ProblemKind::MethodNotAllowed, message, methods)
    })
}

/// [`only`] for GET.
pub(crate) fn only_get<S: Clone + Send + Sync + 'static>(
    route: MethodRouter<S>,
) -> MethodRouter<S> {
    only(route, "GET")
}

/// The route that sends a stream, which may last longer than other answers.
pub(crate) const STREAM: &str = "/api/v1/search";

/// Ends answers that take too long.
async fn limit_time(app: App, request: Request, next: Next) -> Response<Body> {
    if request.uri().path() == STREAM {
        return next.run(request).await;
    }
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

/// Checks who asks, and counts and reports what is answered.
async fn guard(app: App, request: Request, next: Next) -> Response<Body> {
    let begin = Instant::now();
    let route = request.extensions().get::<MatchedPath>();
    let route = route.map_or(NO_ROUTE, |path| path.as_str()).to_owned();
    let method = request.method().clone();
    let line = app.settings.log.then(|| log::Line::new(&app.settings, &request));
    let mut response = match admit(&app, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    };
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, value);
    }
    let (status, time) = (response.status().as_u16(), begin.elapsed());
    if matches!(status, 429 | 503) {
        app.metrics.refused.inc();
    }
    // Methods are counted by name only if a route has them.
    let method = match method {
        Method::GET | Method::POST | Method::HEAD => method.as_str(),
        _ => NO_ROUTE,
    };
    app.metrics.count(&route, method, status, time);
    if let Some(line) = line {
        line.print(status, time);
    }
    response
}

/// Whether a request may be answered.
fn admit(app: &Explorer, request: &Request) -> Result<(), Problem> {
    // Whoever asks whether the server is well may not know its name.
    if request.uri().path() == routes::HEALTH {
        return Ok(());
    }
    app.hosts.check(request.uri(), request.headers())?;
    let Some(rates) = &app.rates else { return Ok(()) };
    let client = ClientAddress::of(&app.settings, request);
    if rates.admit(client) {
        return Ok(());
    }
    let message = "this client asks too often";
    Err(Problem::new(ProblemKind::TooFast, message, "fewer requests, with pauses"))
}
