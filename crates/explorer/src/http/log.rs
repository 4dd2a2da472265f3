//! The log of requests: a line on standard error for each.

use std::io::Write;
use std::time::Duration;

use axum::extract::Request;

use super::rate::ClientAddress;
use crate::settings::Settings;

/// The longest address of a request that is printed whole, in characters.
const MAX_ADDRESS: usize = 200;

/// The part of a request's line that is known before the answer.
#[derive(Debug)]
pub(crate) struct Line {
    client: ClientAddress,
    method: String,
    address: String,
}

impl Line {
    pub(crate) fn new(settings: &Settings, request: &Request) -> Self {
        // An address has no control characters: it comes from a parsed URI.
        let address = request.uri().path_and_query().map_or("", |address| address.as_str());
        Self {
            client: ClientAddress::of(settings, request),
            method: request.method().to_string(),
            address: address.chars().take(MAX_ADDRESS).collect(),
        }
    }

    pub(crate) fn print(self, status: u16, time: Duration) {
        let Self { client: ClientAddress(client), method, address } = self;
        let milliseconds = 1e3 * time.as_secs_f64();
        // If standard error is gone, there is nowhere to say so.
        let _ = writeln!(
            std::io::stderr(),
            "{client} {method} {address} {status} {milliseconds:.1} ms"
        );
    }
}
