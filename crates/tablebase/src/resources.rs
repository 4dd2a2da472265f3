//! Memory and disk: what is available, and whether it is enough.

use std::path::{Path, PathBuf};

use sysinfo::{Disks, System};

use crate::error::{Resource, Result, TableError, Task};

/// Checks that a task has the memory or disk that it needs, in bytes. It may begin if nobody knows
/// what is available.
pub(crate) fn check_room(
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

/// The memory that the system has left for this program, in bytes; `None` if the system does not
/// say, for example because `/proc` cannot be read.
pub fn memory_available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    // Asking for the limits would panic.
    if system.total_memory() == 0 {
        return None;
    }
    let free = system.available_memory();
    Some(system.cgroup_limits().map_or(free, |limits| free.min(limits.free_memory)))
}

/// The space in bytes on the file system that a directory is on, or will be on; `None` if that is
/// not listed. Then writing will show.
pub(crate) fn disk_available(dir: &Path) -> Option<u64> {
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| PathBuf::from("/"));
    let there = absolute.ancestors().find_map(|dir| dir.canonicalize().ok()).unwrap_or_default();
    let disks = Disks::new_with_refreshed_list();
    disks
        .iter()
        .filter(|disk| there.starts_with(disk.mount_point()))
        .max_by_key(|disk| disk.mount_point().as_os_str().len())
        .map(|disk| disk.available_space())
}
