//! Available memory and disk space.

use std::path::Path;

use sysinfo::System;

use crate::cgroup;

/// The memory in bytes that is available to this program, within the limits of its control group and
/// of those above it (cgroups). `None` if the system does not report it, for example because `/proc`
/// cannot be read.
pub fn memory_available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let free = (system.total_memory() > 0).then(|| system.available_memory());
    [free, cgroup::memory_available(Path::new("/"))].into_iter().flatten().min()
}

/// The free space in bytes on the file system of a directory, which need not exist yet. `None` if
/// the system does not tell.
pub fn disk_available(dir: &Path) -> Option<u64> {
    let absolute = std::path::absolute(dir).ok()?;
    absolute.ancestors().find_map(free_space)
}

#[cfg(any(unix, windows))]
fn free_space(dir: &Path) -> Option<u64> {
    fs4::available_space(dir).ok()
}

#[cfg(not(any(unix, windows)))]
fn free_space(_: &Path) -> Option<u64> {
    None
}
