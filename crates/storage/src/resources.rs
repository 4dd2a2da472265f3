//! Available memory and disk space. Memory can be limited by control groups (cgroups), as batch systems,
//! service managers and containers set them: each from that of this process up to the root.

use std::fs;
use std::path::Path;

use sysinfo::System;

/// The memory in bytes that is available to this program, within the limits of its control groups.
/// `None` if the system does not report it, for example because `/proc` cannot be read.
pub fn memory_available() -> Option<u64> {
    let mut system = System::new();
    system.refresh_memory();
    let free = (system.total_memory() > 0).then(|| system.available_memory());
    [free, memory_in_groups(Path::new("/"))].into_iter().flatten().min()
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

/// The files of a group in a version of cgroups.
struct GroupVersion {
    /// The type of file system that has the groups.
    file_system: &'static str,
    limits: &'static [&'static str],
    usage: &'static str,
    /// The keys in `memory.stat` of pages that the system can drop: they are cached files.
    cached: [&'static str; 2],
}

const V2: GroupVersion = GroupVersion {
    file_system: "cgroup2",
    // At `memory.high` a program is not ended, but slowed down until it is as good as ended.
    limits: &["memory.max", "memory.high"],
    usage: "memory.current",
    cached: ["inactive_file", "active_file"],
};

const V1: GroupVersion = GroupVersion {
    file_system: "cgroup",
    limits: &["memory.limit_in_bytes"],
    usage: "memory.usage_in_bytes",
    cached: ["total_inactive_file", "total_active_file"],
};

/// The bytes that this process may still use within the limits of its groups. `None` without limits.
/// `root` is the root of the file system.
fn memory_in_groups(root: &Path) -> Option<u64> {
    let groups = fs::read_to_string(root.join("proc/self/cgroup")).ok()?;
    let mounts = fs::read_to_string(root.join("proc/self/mountinfo")).ok()?;
    let in_groups = groups.lines().filter_map(|line| {
        // Number, controllers and path; version 2 has the number 0 and names no controllers.
        let [_, controllers, group] = *line.splitn(3, ':').collect::<Vec<_>>() else { return None };
        let version = match controllers {
            "" => V2,
            names if names.split(',').any(|name| name == "memory") => V1,
            _ => return None,
        };
        mounts.lines().filter_map(|mount| version.in_mount(root, mount, group)).min()
    });
    in_groups.min()
}

impl GroupVersion {
    /// The memory available in a group and those above it, as far as a line of `mountinfo` shows them.
    fn in_mount(&self, root: &Path, mount: &str, group: &str) -> Option<u64> {
        let (place, kind) = mount.split_once(" - ")?;
        let mut kind = kind.split(' ');
        let options = (kind.next()? == self.file_system).then(|| kind.nth(1))??;
        let has_memory = options.split(',').any(|option| option == "memory");
        if self.file_system == V1.file_system && !has_memory {
            return None;
        }
        let mut place = place.split(' ').skip(3);
        let (shown, at) = (place.next()?, place.next()?);
        let top = root.join(at.trim_start_matches('/'));
        // In a container, the group can be named as outside, with the container's group mounted.
        let below = Path::new(group).strip_prefix(shown).unwrap_or(Path::new(""));
        let dirs = below.ancestors().map(|dir| top.join(dir));
        dirs.filter_map(|dir| self.in_group(&dir)).min()
    }

    /// The memory available in one group. `None` if it has no limit.
    fn in_group(&self, dir: &Path) -> Option<u64> {
        let read = |name: &str| fs::read_to_string(dir.join(name)).ok();
        // No limit is the word `max` in version 2.
        let number = |name: &&str| read(name)?.trim().parse::<u64>().ok();
        let limit = self.limits.iter().filter_map(number).min()?;
        let used = number(&self.usage)?;
        let stat = read("memory.stat").unwrap_or_default();
        let value = |line: &str| {
            let (key, value) = line.split_once(' ')?;
            if self.cached.contains(&key) { value.trim().parse::<u64>().ok() } else { None }
        };
        let cached = stat.lines().filter_map(value).fold(0, u64::saturating_add);
        Some(limit.saturating_sub(used.saturating_sub(cached)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file system with a process in a group, and these files.
    fn available(group: &str, mount: &str, files: &[(&str, &str)]) -> Option<u64> {
        let root = tempfile::tempdir().expect("a directory");
        let proc = [("proc/self/cgroup", group), ("proc/self/mountinfo", mount)];
        for (name, text) in proc.iter().chain(files) {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a directory");
            fs::write(path, text).expect("it can be written");
        }
        memory_in_groups(root.path())
    }

    const MOUNT_2: &str = "24 1 0:22 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw\n";
    const MOUNT_1: &str = "\
        33 31 0:29 / /sys/fs/cgroup/cpu rw,relatime - cgroup cgroup rw,cpu\n\
        35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

    #[test]
    fn the_least_of_all_groups_counts() {
        let files = |job: &'static str, slice: &'static str| {
            [
                ("sys/fs/cgroup/a.slice/memory.max", slice),
                ("sys/fs/cgroup/a.slice/memory.current", "600\n"),
                ("sys/fs/cgroup/a.slice/job/memory.max", job),
                ("sys/fs/cgroup/a.slice/job/memory.high", "max\n"),
                ("sys/fs/cgroup/a.slice/job/memory.current", "500\n"),
                (
                    "sys/fs/cgroup/a.slice/job/memory.stat",
                    "anon 270\nfile 230\ninactive_file 200\nactive_file 30\n",
                ),
                // Other groups do not count.
                ("sys/fs/cgroup/b.slice/memory.max", "1\n"),
                ("sys/fs/cgroup/b.slice/memory.current", "1\n"),
            ]
        };
        let of = |job, slice| available("0::/a.slice/job\n", MOUNT_2, &files(job, slice));
        assert_eq!(of("2000\n", "max\n"), Some(1730));
        assert_eq!(of("2000\n", "1000\n"), Some(400));
        assert_eq!(of("900\n", "5000\n"), Some(630));
        assert_eq!(of("max\n", "500\n"), Some(0));
        assert_eq!(of("max\n", "max\n"), None);
    }

    #[test]
    fn the_first_version_has_other_files() {
        let groups = "5:cpu:/other\n4:memory:/batch/job_7\n0::/\n";
        let files = [
            ("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/memory.usage_in_bytes", "8000\n"),
            ("sys/fs/cgroup/memory/batch/memory.limit_in_bytes", "5000\n"),
            ("sys/fs/cgroup/memory/batch/memory.usage_in_bytes", "1500\n"),
            ("sys/fs/cgroup/memory/batch/job_7/memory.limit_in_bytes", "4000\n"),
            ("sys/fs/cgroup/memory/batch/job_7/memory.usage_in_bytes", "1000\n"),
            (
                "sys/fs/cgroup/memory/batch/job_7/memory.stat",
                "inactive_file 7\ntotal_inactive_file 100\ntotal_active_file 20\n",
            ),
        ];
        assert_eq!(available(groups, MOUNT_1, &files), Some(3120));
        assert_eq!(available(groups, MOUNT_1, &files[..4]), Some(3500));
    }

    #[test]
    fn a_container_shows_its_own_group_at_the_top() {
        let mount = "35 31 0:32 /docker/7f /sys/fs/cgroup rw - cgroup2 cgroup rw\n";
        let files = [
            ("sys/fs/cgroup/memory.max", "4000\n"),
            ("sys/fs/cgroup/memory.current", "1000\n"),
            ("sys/fs/cgroup/job/memory.max", "900\n"),
            ("sys/fs/cgroup/job/memory.current", "200\n"),
        ];
        assert_eq!(available("0::/docker/7f\n", mount, &files), Some(3000));
        assert_eq!(available("0::/docker/7f/job\n", mount, &files), Some(700));
        // With a name space of its own, the group of the container is `/`, and one outside `/..`.
        assert_eq!(available("0::/\n", MOUNT_2, &files), Some(3000));
        assert_eq!(available("0::/../other\n", MOUNT_2, &files), Some(3000));
    }

    #[test]
    fn without_groups_there_is_no_limit() {
        assert_eq!(available("0::/\n", "", &[]), None);
        assert_eq!(available("", MOUNT_2, &[]), None);
        assert_eq!(available("nonsense", "nonsense", &[]), None);
        assert_eq!(memory_in_groups(Path::new("/nowhere")), None);
    }
}
