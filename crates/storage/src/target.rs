//! Opening regular files, and resolving paths to the files that writing would change.

use std::fs::{self, File, FileType};
use std::io;
use std::path::{Path, PathBuf};

/// Opens a regular file for reading. Symbolic links are followed.
///
/// `File::open` on a named pipe blocks until a program writes to it, and reading a device may never
/// end. This function refuses both immediately.
///
/// # Errors
/// If the file cannot be opened, or if it is not a regular file: [`IsADirectory`] for a directory,
/// otherwise [`InvalidInput`] with a message that says what it is.
///
/// [`IsADirectory`]: io::ErrorKind::IsADirectory
/// [`InvalidInput`]: io::ErrorKind::InvalidInput
pub fn open_regular(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    // Opening some devices has side effects, so check first.
    check_regular(fs::metadata(path)?.file_type())?;
    let file = open_without_waiting(path)?;
    // The file may have been replaced in between.
    check_regular(file.metadata()?.file_type())?;
    Ok(file)
}

pub(crate) fn check_regular(file_type: FileType) -> io::Result<()> {
    if file_type.is_file() {
        return Ok(());
    }
    if file_type.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    let message = format!("it is {}, not a regular file", describe(file_type));
    Err(io::Error::new(io::ErrorKind::InvalidInput, message))
}

/// The kind of a file that is neither regular nor a directory, with its article.
pub(crate) fn describe(file_type: FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        let kinds = [
            (file_type.is_fifo(), "a named pipe"),
            (file_type.is_socket(), "a socket"),
            (file_type.is_char_device() || file_type.is_block_device(), "a device"),
        ];
        if let Some((_, name)) = kinds.into_iter().find(|(is, _)| *is) {
            return name;
        }
    }
    let _ = file_type;
    "a special file"
}

fn open_without_waiting(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;

        use rustix::fs::OFlags;

        // The flags have no effect on regular files.
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32);
    }
    options.open(path)
}

/// The number of symbolic links after which a chain counts as a loop, as in the Linux kernel.
const MAX_LINKS: usize = 40;

/// The file that writing to a path would change.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// This regular file, which may not exist yet. The path is not a symbolic link.
    Regular(PathBuf),
    /// A device, pipe or socket, or a file without a name. It can be written but not replaced.
    Special,
}

impl Target {
    /// Follows symbolic links. The last one may point to a file that does not exist.
    pub(crate) fn of(path: &Path) -> io::Result<Self> {
        let exists = match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(metadata) if !metadata.is_file() => return Ok(Self::Special),
            Ok(_) => true,
            Err(error) if error.kind() == io::ErrorKind::NotFound => false,
            Err(error) => return Err(error),
        };
        let mut here = path.to_owned();
        for _ in 0..MAX_LINKS {
            if fs::symlink_metadata(&here).is_ok_and(|found| found.is_symlink()) {
                here = directory_of(&here).join(fs::read_link(&here)?);
                continue;
            }
            // A path such as "dir/new/" cannot be a file.
            if here.file_name().is_none() || here.as_os_str().to_string_lossy().ends_with('/') {
                return Err(io::ErrorKind::IsADirectory.into());
            }
            // A link under /proc/self/fd may name a file that was deleted or renamed.
            let is_special = exists && !is_same(path, &here);
            return Ok(if is_special { Self::Special } else { Self::Regular(here) });
        }
        Err(io::Error::other("too many symbolic links"))
    }
}

/// A path without a directory is in the current one.
pub(crate) fn directory_of(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Whether two paths name the same file, or would if the file were created. Symbolic links are
/// followed. On Unix, hard links of a file are the same file.
///
/// # Errors
/// If a path leads to a directory or cannot be resolved.
pub fn same_file(a: impl AsRef<Path>, b: impl AsRef<Path>) -> io::Result<bool> {
    let (a, b) = (a.as_ref(), b.as_ref());
    let absolute = |path: &Path| -> io::Result<Option<PathBuf>> {
        let Target::Regular(path) = Target::of(path)? else { return Ok(None) };
        let dir = directory_of(&path).canonicalize()?;
        Ok(path.file_name().map(|name| dir.join(name)))
    };
    let targets = (absolute(a)?, absolute(b)?);
    Ok(is_same(a, b) || targets.0.is_some() && targets.0 == targets.1)
}

/// Whether two paths lead to one file that exists.
#[cfg(unix)]
fn is_same(a: &Path, b: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let id = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    let a = id(a);
    a.is_some() && a == id(b)
}

/// Whether two paths lead to one file that exists.
#[cfg(not(unix))]
fn is_same(a: &Path, b: &Path) -> bool {
    let a = a.canonicalize().ok();
    a.is_some() && a == b.canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn regular_files_are_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("file");
        fs::write(&path, "text").unwrap();
        let mut text = String::new();
        open_regular(&path).unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "text");
    }

    #[test]
    fn directories_and_missing_files_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let kind = |path: &Path| open_regular(path).unwrap_err().kind();
        assert_eq!(kind(dir.path()), io::ErrorKind::IsADirectory);
        assert_eq!(kind(&dir.path().join("missing")), io::ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_and_devices_are_refused_without_blocking() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};

        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::from_raw_mode(0o600), 0).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [pipe.as_path(), link.as_path()] {
            let error = open_regular(path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
            assert_eq!(error.to_string(), "it is a named pipe, not a regular file");
        }
        let error = open_regular("/dev/null").unwrap_err();
        assert_eq!(error.to_string(), "it is a device, not a regular file");
    }

    #[test]
    fn names_of_one_file() {
        let dir = tempfile::tempdir().unwrap();
        let [a, b, dotted] = ["a", "b", "./a"].map(|name| dir.path().join(name));
        assert!(same_file(&a, &dotted).unwrap(), "a file that does not exist yet");
        assert!(!same_file(&a, &b).unwrap());
        fs::write(&a, "").unwrap();
        assert!(same_file(&a, &dotted).unwrap());
        assert!(!same_file(&a, &b).unwrap());
        fs::write(&b, "").unwrap();
        assert!(!same_file(&a, &b).unwrap());
        assert!(same_file(dir.path(), &a).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_to_one_file() {
        use std::os::unix::fs::symlink;

        let dir = tempfile::tempdir().unwrap();
        let [a, hard, soft, dangling] =
            ["a", "hard", "soft", "dangling"].map(|name| dir.path().join(name));
        symlink("a", &soft).unwrap();
        assert!(same_file(&a, &soft).unwrap(), "a link to a file that does not exist yet");
        fs::write(&a, "").unwrap();
        fs::hard_link(&a, &hard).unwrap();
        for link in [&hard, &soft] {
            assert!(same_file(&a, link).unwrap());
            assert!(same_file(link, &a).unwrap());
        }
        symlink("missing", &dangling).unwrap();
        assert_eq!(Target::of(&dangling).unwrap(), Target::Regular(dir.path().join("missing")));
        assert_eq!(Target::of(Path::new("/dev/null")).unwrap(), Target::Special);
    }

    #[cfg(unix)]
    #[test]
    fn an_endless_chain_of_links_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("link", &link).unwrap();
        assert!(Target::of(&link).is_err());
    }
}
