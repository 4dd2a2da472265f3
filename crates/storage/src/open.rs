//! Opening regular files.

use std::fs::{self, File, FileType};
use std::io;
use std::path::Path;

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

#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    // The flags have no effect on regular files.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    File::options().read(true).custom_flags(flags.bits() as i32).open(path)
}

#[cfg(not(unix))]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
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
}
