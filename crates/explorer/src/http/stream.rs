//! Streams of server-sent events, of work on threads.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderValue, Response};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_util::stream;
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::reply::{ErrorAnswer, not_stored};
use super::state::{Explorer, StopOnDrop};
use crate::problem::Problem;

/// Events that wait for a slow client. Further reports are left out.
const WAITING: usize = 8;

/// Pause after which a line without meaning keeps a quiet connection open.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// The sending side of a stream.
#[derive(Debug)]
pub(crate) struct Events {
    sender: Sender<Event>,
    /// Set when the client goes away or the server ends.
    pub(crate) stop: Arc<AtomicBool>,
}

/// Works on a thread for blocking work, and answers with what it sends. The permit is kept until it
/// ends. If it fails, the event `failed` says why.
pub(crate) fn respond(
    app: &Explorer,
    permit: OwnedSemaphorePermit,
    work: impl FnOnce(&Events) -> Result<(), Problem> + Send + 'static,
) -> Response<Body> {
    let stop = app.new_stop();
    let (sender, receiver) = channel(WAITING);
    let events = Events { sender, stop: stop.clone() };
    tokio::task::spawn_blocking(move || {
        let _permit = permit;
        if let Err(problem) = work(&events) {
            events.send("failed", &ErrorAnswer::from(problem));
        }
    });
    response(receiver, stop)
}

fn response(receiver: Receiver<Event>, stop: Arc<AtomicBool>) -> Response<Body> {
    // The work ends when the stream is dropped.
    let state = (receiver, StopOnDrop(stop));
    let events = stream::unfold(state, async |(mut receiver, stop)| {
        let event = receiver.recv().await?;
        Some((Ok::<_, Infallible>(event), (receiver, stop)))
    });
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE);
    let mut response = Sse::new(events).keep_alive(keep_alive).into_response();
    // Proxies pass events on at once.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    not_stored(response)
}

impl Events {
    /// Sends a report. A client that reads slowly gets fewer of them; one that is gone ends the work.
    pub(crate) fn report(&self, name: &str, data: &impl Serialize) {
        if let Err(TrySendError::Closed(_)) = self.sender.try_send(event(name, data)) {
            self.stop.store(true, Ordering::Relaxed);
        }
    }

    /// Sends an event that must arrive.
    pub(crate) fn send(&self, name: &str, data: &impl Serialize) {
        if self.sender.blocking_send(event(name, data)).is_err() {
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
