//! Computing an answer.

use crate::problem::Problem;

/// Computes an answer on a thread for blocking work, so that others are accepted meanwhile.
///
/// # Errors
/// If it fails, or panics.
#[cfg(not(target_family = "wasm"))]
pub(super) async fn compute<T: Send + 'static>(
    answer: impl FnOnce() -> Result<T, Problem> + Send + 'static,
) -> Result<T, Problem> {
    let answered = tokio::task::spawn_blocking(answer).await;
    answered.unwrap_or_else(|_| Err(unexpected()))
}

/// Computes an answer at once: a page's worker has one thread.
///
/// # Errors
/// If it fails.
#[cfg(target_family = "wasm")]
pub(super) async fn compute<T>(answer: impl FnOnce() -> Result<T, Problem>) -> Result<T, Problem> {
    answer()
}

/// The problem of work that ended without an answer.
#[cfg(not(target_family = "wasm"))]
pub(crate) fn unexpected() -> Problem {
    Problem::bug("something unexpected happened")
}
