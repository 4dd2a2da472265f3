//! A proof search as a stream of server-sent events.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Response};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::ReceiverStream;

use super::super::input::{GameParameters, Parameters, PositionParameter};
use super::super::reply::{Answer, ErrorAnswer, ErrorDetails, not_stored};
use super::super::state::{App, Explorer, StopOnDrop};
use crate::answer::{SearchEvent, SearchOrder, SearchProgress};
use crate::library::OpenVariant;
use crate::problem::{Problem, ProblemKind};

/// The time of a search, if none is asked for.
const SECONDS: f64 = 60.0;

/// The shortest time of a search.
const MIN_SECONDS: f64 = 0.01;

/// Events that wait for a slow client. Further reports are left out.
const WAITING: usize = 8;

/// The shortest time between two reports.
const BETWEEN_REPORTS: Duration = Duration::from_millis(250);

/// Pause after which a line without meaning keeps a quiet connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// A proof search.
///
/// Server-sent events: progress while it runs, done at its end (both SearchProgress), then
/// certificate (CertificateAnswer) if it was asked for and something is proved, or failed
/// (ErrorAnswer). Closing the connection ends the search.
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
    if app.settings.searches == 0 {
        let message = "this server offers no proof searches";
        let expected = "'fanorona analyze' on a machine of your own";
        return Err(Problem::new(ProblemKind::NotOffered, message, expected));
    }
    let (variant, position) = parameters.position()?;
    let most = app.settings.search_time.as_secs_f64();
    let seconds = parameters.number("seconds", MIN_SECONDS..=most)?;
    let order = SearchOrder {
        time: Duration::from_secs_f64(seconds.unwrap_or(SECONDS.min(most))),
        nodes: parameters.number("nodes", 1..=u64::MAX)?,
        memory: app.settings.search_memory_mib.saturating_mul(1 << 20),
        certificate: parameters.flag("certificate")?,
    };
    let permit = app.searches.clone().try_acquire_owned().map_err(|_| {
        let message = match app.settings.searches {
            1 => "a search is at work".to_owned(),
            number => format!("{number} searches are at work"),
        };
        Problem::new(ProblemKind::Busy, message, "the same request when one has ended")
    })?;
    let open = app.compute(move |app| app.library.open(variant)).await?;
    let stop = app.new_stop();
    let (sender, receiver) = channel(WAITING);
    let running = Running { app: app.clone(), sender, stop: stop.clone(), _permit: permit };
    tokio::task::spawn_blocking(move || running.run(&open, &position, order));
    Ok(response(receiver, stop))
}

fn response(receiver: Receiver<Event>, stop: Arc<AtomicBool>) -> Response<Body> {
    let stop = StopOnDrop(stop);
    let events = ReceiverStream::new(receiver).map(move |event| {
        // The search ends when the stream is dropped.
        let _stop = &stop;
        Ok::<_, Infallible>(event)
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    // Proxies pass events on at once.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    not_stored(response)
}

/// A search at work.
struct Running {
    app: Arc<Explorer>,
    sender: Sender<Event>,
    stop: Arc<AtomicBool>,
    _permit: OwnedSemaphorePermit,
}

impl Running {
    fn run(self, open: &OpenVariant, position: &fanorona_core::Position, order: SearchOrder) {
        let metrics = &self.app.metrics;
        metrics.searches.inc();
        metrics.running_searches.inc();
        let mut last: Option<Instant> = None;
        let result = order.run(open, position, &self.stop, |event| {
            let is_progress = matches!(event, SearchEvent::Progress(_));
            if is_progress && last.is_some_and(|last| last.elapsed() < BETWEEN_REPORTS) {
                return;
            }
            last = Some(Instant::now());
            self.pass_on(&event);
        });
        if let Err(problem) = result {
            let failed = ErrorAnswer { error: ErrorDetails::from(problem) };
            self.send(event("failed", &failed));
        }
        metrics.running_searches.dec();
    }

    fn pass_on(&self, found: &SearchEvent) {
        match found {
            SearchEvent::Progress(progress) => {
                // A client that reads slowly gets fewer reports; one that is gone ends the search.
                let sent = self.sender.try_send(event("progress", progress));
                if matches!(sent, Err(tokio::sync::mpsc::error::TrySendError::Closed(_))) {
                    self.stop.store(true, Ordering::Relaxed);
                }
            }
            SearchEvent::Done(progress) => {
                self.app.metrics.searched_positions.inc_by(progress.nodes);
                self.send(event("done", progress));
            }
            SearchEvent::Certificate(certificate) => self.send(event("certificate", certificate)),
        }
    }

    /// Sends an event that must arrive.
    fn send(&self, event: Event) {
        if self.sender.blocking_send(event).is_err() {
            self.stop.store(true, Ordering::Relaxed);
        }
    }
}

fn event(name: &str, data: &impl Serialize) -> Event {
    let event = Event::default().event(name);
    let with_data = event.clone().json_data(data);
    // What is sent has names and numbers only, which can always be written.
    with_data.unwrap_or_else(|_| event.data("{}"))
}
