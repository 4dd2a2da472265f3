//! Who may ask, and how often.

use axum::extract::Request;

use super::hosts::Hosts;
use super::rate::{ClientAddress, ClientRates};
use crate::problem::{Problem, ProblemKind};
use crate::settings::Settings;

/// Who may ask, and how often.
#[derive(Debug)]
pub(super) struct Visitors {
    hosts: Hosts,
    rates: Option<ClientRates>,
}

impl Visitors {
    pub(super) fn new(settings: &Settings) -> Self {
        let rates = settings.requests_per_second.map(ClientRates::new);
        Self { hosts: Hosts::new(&settings.hosts), rates }
    }

    /// Whether a request may be answered.
    ///
    /// # Errors
    /// If not.
    pub(super) fn admit(&self, settings: &Settings, request: &Request) -> Result<(), Problem> {
        self.hosts.check(request.uri(), request.headers())?;
        let Some(rates) = &self.rates else { return Ok(()) };
        if rates.admit(ClientAddress::of(settings, request)) {
            return Ok(());
        }
        let message = "this client asks too often";
        Err(Problem::new(ProblemKind::TooFast, message, "fewer requests, with pauses"))
    }
}
