//! Permits for work that takes long, which is reported as a stream of events.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::{Problem, ProblemKind};

/// A permit for work that takes long; the server does only so much of it at a time.
///
/// # Errors
/// If it does none, or as much as it can.
pub(crate) fn permit(
    most: usize,
    permits: &Arc<Semaphore>,
) -> Result<OwnedSemaphorePermit, Problem> {
    if most == 0 {
        let message = "this server offers no searches";
        let expected = "'fanorona analyze' on a machine of your own";
        return Err(Problem::new(ProblemKind::NotOffered, message, expected));
    }
    permits.clone().try_acquire_owned().map_err(|_| {
        let message = match most {
            1 => "a search is at work".to_owned(),
            number => format!("{number} searches are at work"),
        };
        Problem::new(ProblemKind::Busy, message, "the same request when one has ended")
    })
}
