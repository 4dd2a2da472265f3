//! Streams of events of work that is done at once, for a page in a browser: its worker has one thread,
//! and ends work by ending itself.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use axum::body::Body;
use axum::http::Response;
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use super::reply::{ErrorAnswer, json};
use super::state::Explorer;
use crate::problem::Problem;
use crate::settings::EventSink;

/// The sending side of a stream.
#[derive(Debug)]
pub(crate) struct Events {
    sink: EventSink,
    pub(crate) stop: Arc<AtomicBool>,
}

/// Works, and answers with null. If it fails, the event `failed` says why.
pub(crate) fn respond(
    app: &Explorer,
    _permit: OwnedSemaphorePermit,
    work: impl FnOnce(&Events) -> Result<(), Problem>,
) -> Response<Body> {
    let events = Events { sink: app.settings.events, stop: app.new_stop() };
    if let Err(problem) = work(&events) {
        events.send("failed", &ErrorAnswer::from(problem));
    }
    json(&())
}

impl Events {
    pub(crate) fn report(&self, name: &str, data: &impl Serialize) {
        self.send(name, data);
    }

    pub(crate) fn send(&self, name: &str, data: &impl Serialize) {
        // Events have names and numbers only, which can always be written.
        let data = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
        (self.sink.0)(name, &data);
    }
}
