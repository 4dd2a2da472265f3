//! Memory and disk space that a task needs.

use crate::error::{Resource, Result, TableError, Task};

/// Checks that a task has the memory or disk space that it needs, in bytes. Succeeds if it is
/// unknown how much is available.
///
/// # Errors
/// [`TableError::Resources`] if not.
pub fn check_room(
    task: Task,
    resource: Resource,
    needed: u64,
    available: Option<u64>,
) -> Result<()> {
    let Some(available) = available.filter(|available| needed > *available) else {
        return Ok(());
    };
    Err(TableError::Resources { task, resource, needed, available })
}
