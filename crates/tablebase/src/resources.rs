//! Memory and disk: what is available, and whether it is enough.

use std::path::{Path, PathBuf};

use sysinfo::{Disks, System};

use crate::error::{Resource, Result, TableError, Task};

/// Checks that a task has the memory or disk that it needs, in bytes.
pub(crate) fn check_room(
    task: Task,
    resource: Resource,
    needed: u64,
    available: u64,
) -> Result<()> {
    if needed <= available {
        return Ok(());
    }
    Err(TableError::Resources { task, resource, needed, available })
}

/// The memory that the system has left for this program, in bytes.
pub fn memory_available() -> u64 {
    let mut system = System::new();
    system.refresh_memory();
    let free = system.available_memory();
    system.cgroup_limits().map_or(free, |limits| free.min(limits.free_memory))
}

/// The room on the file system that a directory is on, or will be on.
pub(crate) fn disk_available(dir: &Path) -> u64 {
    let absolute = std::path::absolute(dir).unwrap_or_else(|_| PathBuf::from("/"));
    let there = absolute.ancestors().find_map(|dir| dir.canonicalize().ok()).unwrap_or_default();
    let disks = Disks::new_with_refreshed_list();
    disks
        .iter()
        .filter(|disk| there.starts_with(disk.mount_point()))
        .max_by_key(|disk| disk.mount_point().as_os_str().len())
        // A file system that is not listed cannot be asked; writing will tell.
        .map_or(u64::MAX, |disk| disk.available_space())
}
