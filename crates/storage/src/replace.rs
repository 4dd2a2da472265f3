//! Replacing files atomically.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use crate::error::{FileError, Operation};
use crate::target::{Target, directory_of};

/// A kind of temporary file, which is part of its name. A program that removes the temporary files
/// of killed runs recognizes its own kind by the name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PartialKind(&'static str);

impl PartialKind {
    /// A kind with a short name of lower-case letters, such as `table`.
    pub const fn new(name: &'static str) -> Self {
        Self(name)
    }

    /// Whether a file name, without its directory, is that of a temporary file of this kind.
    pub fn is_partial(self, file_name: &str) -> bool {
        file_name.starts_with(&self.prefix())
    }

    /// The prefix of the names of temporary files of this kind, as in `.table.partial-`.
    fn prefix(self) -> String {
        format!(".{}.partial-", self.0)
    }
}

/// A new version of a file, which replaces the old one in one step.
///
/// It is written to a temporary file in the same directory, which [`commit`](Self::commit) syncs
/// and renames. If it is dropped before that, the old file does not change. After a crash, the file
/// is the old one or the complete new one.
///
/// - Symbolic links are followed: the link stays, and the file that it points to is replaced. Other
///   hard links of the old file keep the old content.
/// - The new file has the permissions of the old one, and its owner and group if the system allows
///   that. Without an old file it has the default permissions (`0666` without the umask). An old
///   file that is not writable is not replaced.
/// - Devices and pipes are not replaced. The content goes to a temporary file first, which is
///   seekable, and `commit` copies it to the device. Sockets are refused.
///
/// Writes are not buffered. Wrap it in a [`BufWriter`] or use [`write_atomically`].
///
/// ```
/// use std::io::{BufWriter, Write};
/// use fanorona_storage::{AtomicFile, PartialKind};
///
/// # let dir = tempfile::tempdir()?;
/// # let path = dir.path().join("report.html");
/// let mut out = BufWriter::new(AtomicFile::create(&path, PartialKind::new("report"))?);
/// out.write_all(b"<p>Hello</p>")?;
/// out.into_inner()?.commit()?;
/// assert_eq!(std::fs::read(&path)?, b"<p>Hello</p>");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct AtomicFile {
    /// The path given to `create`.
    path: PathBuf,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Partial {
        file: NamedTempFile,
        target: PathBuf,
    },
    /// A temporary file for a target that cannot be replaced.
    Spooled(File),
}

impl AtomicFile {
    /// Begins a new version of a file, which need not exist. To check early that a file can be replaced,
    /// create a version and drop it.
    ///
    /// # Errors
    /// If the path is a directory, if the old file is not writable, or if no file can be created in
    /// the directory.
    pub fn create(path: impl AsRef<Path>, kind: PartialKind) -> Result<Self, FileError> {
        let path = path.as_ref();
        let target = Target::of(path).map_err(FileError::io(Operation::Open, path))?;
        let content = match target {
            Target::Special => {
                check_special(path).map_err(FileError::io(Operation::Open, path))?;
                let dir = std::env::temp_dir();
                let spooled = tempfile::tempfile_in(&dir);
                Content::Spooled(spooled.map_err(FileError::io(Operation::Create, &dir))?)
            }
            Target::Regular(target) => {
                let old = check_writable(&target);
                let old = old.map_err(FileError::io(Operation::Open, path))?;
                let dir = directory_of(&target);
                let file = new_partial(dir, kind, old.as_ref());
                let file = file.map_err(FileError::io(Operation::Create, dir))?;
                Content::Partial { file, target }
            }
        };
        Ok(Self { path: path.to_owned(), content })
    }

    /// The temporary file of the new version, so that other processes can write parts of it.
    /// `None` if it has no name, because the target is a device or a pipe.
    pub fn partial_path(&self) -> Option<&Path> {
        match &self.content {
            Content::Partial { file, .. } => Some(file.path()),
            Content::Spooled(_) => None,
        }
    }

    /// Syncs the new version and renames it over the old one.
    ///
    /// # Errors
    /// If writing or renaming fails; the old file then stays. If only the directory cannot be
    /// synced ([`Operation::SyncDirectory`]), the new file is in place but might not survive a
    /// crash. A named pipe without a reader is an error too.
    pub fn commit(self) -> Result<(), FileError> {
        if let Content::Partial { file, target } = &self.content {
            let sync = file.as_file().sync_all();
            sync.map_err(FileError::io(Operation::Write, &self.path))?;
            let dir = directory_of(target).to_owned();
            self.commit_unsynced()?;
            return sync_directory(&dir);
        }
        self.commit_unsynced()
    }

    /// As [`commit`](Self::commit), but syncs nothing, which is faster for many small files. After a
    /// crash of the system the new file can be empty: for files that their readers verify, or that are
    /// compared when they are written again.
    ///
    /// # Errors
    /// As for `commit`.
    pub fn commit_unsynced(self) -> Result<(), FileError> {
        let Self { path, content } = self;
        match content {
            Content::Partial { file, target } => {
                let renamed = file.persist(&target).map_err(|error| error.error);
                renamed.map(drop).map_err(FileError::io(Operation::Rename, &path))
            }
            Content::Spooled(mut file) => {
                let copied = file.rewind().and_then(|()| copy_to_special(&mut file, &path));
                copied.map_err(FileError::io(Operation::Write, &path))
            }
        }
    }

    fn file(&mut self) -> &mut File {
        match &mut self.content {
            Content::Partial { file, .. } => file.as_file_mut(),
            Content::Spooled(file) => file,
        }
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

impl Seek for AtomicFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file().seek(to)
    }
}

/// Replaces a file with what `write` writes, buffered. See [`AtomicFile`]. Returns the result of
/// `write`.
///
/// # Errors
/// As for [`AtomicFile::create`] and [`AtomicFile::commit`], and if `write` fails; the old file
/// then stays.
pub fn write_atomically<T>(
    path: impl AsRef<Path>,
    kind: PartialKind,
    write: impl FnOnce(&mut BufWriter<AtomicFile>) -> io::Result<T>,
) -> Result<T, FileError> {
    let path = path.as_ref();
    let mut out = BufWriter::new(AtomicFile::create(path, kind)?);
    let written = write(&mut out).and_then(|result| {
        let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
        Ok((result, file))
    });
    let (result, file) = written.map_err(FileError::io(Operation::Write, path))?;
    file.commit()?;
    Ok(result)
}

/// Syncs a directory, so that renames in it survive a crash. Does nothing on systems where
/// directories cannot be opened.
///
/// # Errors
/// If the directory cannot be opened or synced.
pub(crate) fn sync_directory(dir: &Path) -> Result<(), FileError> {
    if cfg!(unix) {
        let synced = File::open(dir).and_then(|dir| dir.sync_all());
        synced.map_err(FileError::io(Operation::SyncDirectory, dir))?;
    }
    Ok(())
}

/// The metadata of the old file, which must be writable. `None` if it does not exist.
fn check_writable(target: &Path) -> io::Result<Option<Metadata>> {
    match File::options().write(true).open(target) {
        Ok(old) => old.metadata().map(Some),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(crate) fn new_partial(
    dir: &Path,
    kind: PartialKind,
    old: Option<&Metadata>,
) -> io::Result<NamedTempFile> {
    // Opened here, so that the file has the default permissions, and an error does not name it.
    let open = |path: &Path| File::options().read(true).write(true).create_new(true).open(path);
    let file = tempfile::Builder::new().prefix(&kind.prefix()).make_in(dir, open)?;
    if let Some(old) = old {
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, fchown};
            // Only root may change the owner. Others can at least set the group.
            let _ = fchown(file.as_file(), Some(old.uid()), Some(old.gid()))
                .or_else(|_| fchown(file.as_file(), None, Some(old.gid())));
        }
        file.as_file().set_permissions(old.permissions())?;
    }
    Ok(file)
}

/// Checks that a device or pipe is writable, without opening it, which may have side effects.
#[cfg(unix)]
fn check_special(path: &Path) -> io::Result<()> {
    let metadata = fs::metadata(path)?;
    if std::os::unix::fs::FileTypeExt::is_socket(&metadata.file_type()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is a socket"));
    }
    Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK)?)
}

#[cfg(not(unix))]
fn check_special(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Copies a file to a device, a pipe, or a file that has no name any more.
fn copy_to_special(file: &mut File, path: &Path) -> io::Result<()> {
    let mut special = open_special(path)?;
    io::copy(file, &mut special)?;
    special.flush()?;
    match special.sync_all() {
        // Devices without anything to sync return various errors.
        Err(error) if fs::metadata(path).is_ok_and(|found| found.is_file()) => Err(error),
        _ => Ok(()),
    }
}

#[cfg(unix)]
fn open_special(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
    use rustix::io::Errno;

    // With NONBLOCK, opening a pipe without a reader is an error instead of blocking. Writing may
    // block.
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut options = File::options();
    options.write(true).truncate(true).custom_flags(flags.bits() as i32);
    let file = options.open(path).map_err(|error| match error.raw_os_error() {
        Some(code) if code == Errno::NXIO.raw_os_error() => {
            io::Error::new(error.kind(), "nobody reads this pipe")
        }
        _ => error,
    })?;
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    Ok(file)
}

#[cfg(not(unix))]
fn open_special(path: &Path) -> io::Result<File> {
    File::options().write(true).truncate(true).open(path)
}
