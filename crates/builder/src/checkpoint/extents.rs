//! A file whose parts are written and freed one by one, and that a checkpoint can list.
//!
//! An *extent* is some bytes in the file. It is never overwritten as long as a checkpoint needs it:
//! new versions go to free space. So the file always contains the last checkpoint, and a checkpoint
//! writes only what is not in the file yet.
//!
//! A checkpoint begins with [`pin`](ExtentFile::pin): from then on, the extents in use stay where they
//! are, even if they are freed. When it is complete, [`release`](ExtentFile::release) gives back the
//! space of what was freed before, which only older checkpoints need. If it fails, what either
//! checkpoint needs stays.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use fanorona_storage::{FileError, Operation, PartialKind, ScratchFile, checksum};
use serde::{Deserialize, Serialize};

use crate::sizes::Sizes;

pub(crate) const CHECKPOINT_FILE: PartialKind = PartialKind::new("checkpoint");

/// Some bytes in a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Extent {
    offset: u64,
    checksum: u64,
    len: u32,
    /// The number of checkpoints before it was written.
    #[serde(skip)]
    epoch: u32,
}

impl Extent {
    /// The length in bytes.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }
}

/// A file of extents. It is created when the first one is written. Threads can share it.
pub(crate) struct ExtentFile {
    pub sizes: &'static Sizes,
    dir: PathBuf,
    /// Whether a checkpoint can keep it.
    is_kept: bool,
    file: OnceLock<ScratchFile>,
    space: Mutex<Space>,
    /// The bytes that were written so far.
    written: AtomicU64,
}

impl ExtentFile {
    /// A file without a name in a directory, for what no checkpoint needs.
    pub(crate) fn scratch(dir: &Path, sizes: &'static Sizes) -> Self {
        let (file, space, written) = Default::default();
        Self { sizes, dir: dir.to_owned(), is_kept: false, file, space, written }
    }

    /// A file in a directory that a checkpoint can keep.
    pub(super) fn for_checkpoint(dir: &Path, sizes: &'static Sizes) -> Self {
        Self { is_kept: true, ..Self::scratch(dir, sizes) }
    }

    /// The file of a checkpoint. What is to stay in it has to be [claimed](Self::claim) before anything
    /// is written.
    pub(super) fn open(path: &Path, sizes: &'static Sizes) -> Result<Self, FileError> {
        let file = ScratchFile::open(path)?;
        let opened = Self { is_kept: true, ..Self::scratch(Path::new(""), sizes) };
        opened.space().epoch = 1;
        let _ = opened.file.set(file);
        Ok(opened)
    }

    /// Where an extent begins, and its length, in pages.
    fn pages(&self, extent: Extent) -> (u64, u64) {
        let page = self.sizes.page;
        (extent.offset / page, u64::from(extent.len).div_ceil(page))
    }

    pub(crate) fn is_kept(&self) -> bool {
        self.is_kept
    }

    fn file(&self) -> Result<&ScratchFile, FileError> {
        if self.file.get().is_none() {
            let _creating = self.space();
            if self.file.get().is_none() {
                let file = match self.is_kept {
                    true => ScratchFile::create_partial(&self.dir, CHECKPOINT_FILE),
                    false => ScratchFile::create(&self.dir),
                };
                let _ = self.file.set(file?);
            }
        }
        Ok(self.file.get().expect("it was set"))
    }

    pub(crate) fn write(&self, bytes: &[u8]) -> Result<Extent, FileError> {
        let file = self.file()?;
        let too_large =
            |_| FileError::io(Operation::Write, file.path())(ErrorKind::FileTooLarge.into());
        let len = u32::try_from(bytes.len()).map_err(too_large)?;
        let mut extent = Extent { offset: 0, checksum: checksum(bytes), len, epoch: 0 };
        let mut space = self.space();
        extent.offset = self.sizes.page * space.take(self.pages(extent).1);
        extent.epoch = space.epoch;
        drop(space);
        if let Err(error) = file.write(extent.offset, bytes) {
            self.free(extent);
            return Err(error);
        }
        self.written.fetch_add(len.into(), Relaxed);
        Ok(extent)
    }

    pub(crate) fn read(&self, extent: Extent, bytes: &mut [u8]) -> Result<(), FileError> {
        let file = self.file()?;
        file.read(extent.offset, bytes)?;
        if checksum(bytes) != extent.checksum {
            let what = "its bytes differ from their checksum".to_owned();
            let (path, offset) = (file.path().to_owned(), extent.offset);
            return Err(FileError::Corrupt { path, what, offset });
        }
        Ok(())
    }

    /// Reads a part of an extent, without its checksum.
    pub(crate) fn read_part(
        &self,
        extent: Extent,
        first: u32,
        bytes: &mut [u8],
    ) -> Result<(), FileError> {
        self.file()?.read(extent.offset + u64::from(first), bytes)
    }

    /// Gives back the space of an extent, as soon as no checkpoint needs it.
    pub(crate) fn free(&self, extent: Extent) {
        let (start, len) = self.pages(extent);
        let mut space = self.space();
        if extent.epoch < space.epoch {
            space.held.push((start, len));
            space.held_pages += len;
        } else {
            space.give_back(start, len);
        }
    }

    /// Checks that an extent is in a file that was opened.
    pub(crate) fn check(&self, extent: Extent) -> io::Result<()> {
        let length = self.file().and_then(ScratchFile::length).map_err(of_system)?;
        let end = extent.offset.checked_add(extent.len.into());
        if !extent.offset.is_multiple_of(self.sizes.page) || end.is_none_or(|end| end > length) {
            return Err(damaged("it is truncated"));
        }
        Ok(())
    }

    /// Keeps an extent of a file that was opened.
    pub(crate) fn claim(&self, extent: Extent) -> io::Result<()> {
        self.check(extent)?;
        self.space().claims.push(self.pages(extent));
        Ok(())
    }

    /// Makes the space free that was not claimed.
    pub(super) fn settle(&self) -> io::Result<()> {
        let mut space = self.space();
        let mut claims = std::mem::take(&mut space.claims);
        claims.sort_unstable();
        for (start, len) in claims {
            let end = std::mem::replace(&mut space.end, start + len);
            match start.checked_sub(end) {
                None => return Err(damaged("its extents overlap")),
                Some(0) => {}
                Some(free) => space.add(end, free),
            }
        }
        Ok(())
    }

    /// Waits until everything is on the disk, under a lasting name. Keeps what is in use where it is.
    pub(super) fn pin(&self, path: &Path) -> Result<(), FileError> {
        let file = self.file()?;
        file.sync()?;
        file.keep(path)?;
        self.space().epoch += 1;
        Ok(())
    }

    /// Gives back the space of what was freed before the last [`pin`](Self::pin).
    pub(super) fn release(&self) {
        let mut space = self.space();
        for (start, len) in std::mem::take(&mut space.held) {
            space.give_back(start, len);
        }
        space.held_pages = 0;
        if let Some(file) = self.file.get() {
            // It can be longer.
            let _ = file.truncate(self.sizes.page * space.end);
        }
    }

    /// Whether much of it is kept only for the last checkpoint.
    pub(super) fn is_overfull(&self) -> bool {
        let (space, page) = (self.space(), self.sizes.page);
        page * space.held_pages > self.sizes.most_held(page * space.end)
    }

    /// Its path, or its directory if it has no lasting name.
    pub(crate) fn path(&self) -> &Path {
        self.file.get().map_or(&self.dir, ScratchFile::path)
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    fn space(&self) -> MutexGuard<'_, Space> {
        self.space.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn damaged(why: impl Into<String>) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why.into())
}

pub(crate) fn of_system(error: FileError) -> io::Error {
    match error {
        FileError::Io { source, .. } => source,
        FileError::OtherKind { name, why, .. } => damaged(format!("it is not {name}: {why}")),
        FileError::Version { found, newest, .. } => {
            damaged(format!("it has version {found}, not {newest}"))
        }
        FileError::Corrupt { what, .. } => damaged(what),
        other => io::Error::other(other),
    }
}

/// The space of a file, in pages. What is free is used again: the shortest of the ranges that are
/// long enough.
#[derive(Default)]
struct Space {
    /// Where the file ends.
    end: u64,
    /// The free ranges: for each of them the length by its start.
    free: BTreeMap<u64, u64>,
    /// The same, as lengths and starts.
    by_len: BTreeSet<(u64, u64)>,
    /// The number of checkpoints so far.
    epoch: u32,
    /// Starts and lengths of ranges that were freed, but that a checkpoint needs.
    held: Vec<(u64, u64)>,
    held_pages: u64,
    /// Those that a checkpoint has in a file that was opened.
    claims: Vec<(u64, u64)>,
}

impl Space {
    /// Takes some pages. Returns where they start.
    fn take(&mut self, len: u64) -> u64 {
        let Some(&(found, start)) = self.by_len.range((len, 0)..).next() else {
            self.end += len;
            return self.end - len;
        };
        self.remove(start, found);
        if found > len {
            self.add(start + len, found - len);
        }
        start
    }

    /// Makes some pages free that were taken.
    fn give_back(&mut self, mut start: u64, mut len: u64) {
        let before = self.free.range(..start).next_back().map(|(start, len)| (*start, *len));
        if let Some((other, before)) = before.filter(|(other, len)| other + len == start) {
            self.remove(other, before);
            (start, len) = (other, before + len);
        }
        if let Some(&after) = self.free.get(&(start + len)) {
            self.remove(start + len, after);
            len += after;
        }
        if start + len == self.end {
            self.end = start;
        } else {
            self.add(start, len);
        }
    }

    fn add(&mut self, start: u64, len: u64) {
        self.free.insert(start, len);
        self.by_len.insert((len, start));
    }

    fn remove(&mut self, start: u64, len: u64) {
        self.free.remove(&start);
        self.by_len.remove(&(len, start));
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Ranges that are taken do not overlap, and the free ones are all others.
        #[test]
        fn space_is_used_once(steps in prop::collection::vec((any::<bool>(), 1..20u64), 1..300)) {
            let (mut space, mut taken) = (Space::default(), Vec::<(u64, u64)>::new());
            for (takes, number) in steps {
                if takes || taken.is_empty() {
                    taken.push((space.take(number), number));
                } else {
                    let (start, len) = taken.swap_remove(number as usize % taken.len());
                    space.give_back(start, len);
                }
                let free = space.free.iter().map(|(start, len)| (*start, *len));
                let mut all: Vec<_> = free.chain(taken.iter().copied()).collect();
                all.sort_unstable();
                let mut end = 0;
                for (start, len) in all {
                    prop_assert_eq!(start, end);
                    end += len;
                }
                prop_assert_eq!(end, space.end);
                let by_len: BTreeSet<_> = space.free.iter().map(|(at, len)| (*len, *at)).collect();
                prop_assert_eq!(&by_len, &space.by_len);
                // Neighbours are one range.
                prop_assert!(space.free.iter().all(|(at, len)| !space.free.contains_key(&(at + len))));
            }
            for (start, len) in taken {
                space.give_back(start, len);
            }
            prop_assert_eq!((space.end, space.free.len()), (0, 0));
        }
    }

    /// Extents with what was written to them.
    type Contents = Vec<(Extent, Vec<u8>)>;

    #[derive(Clone, Debug)]
    enum Step {
        /// The number of bytes, and what they are.
        Write(usize, u8),
        Free(usize),
        /// A checkpoint, which can fail after its extents are on the disk.
        Save {
            fails: bool,
        },
        /// The program ends and the next one continues. It can happen that some of what was written
        /// since the last checkpoint did not reach the disk.
        Crash {
            loses: u8,
        },
    }

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        let step = prop_oneof![
            6 => (1..100usize, any::<u8>()).prop_map(|(len, byte)| Step::Write(len, byte)),
            5 => any::<usize>().prop_map(Step::Free),
            2 => prop::bool::weighted(0.3).prop_map(|fails| Step::Save { fails }),
            1 => any::<u8>().prop_map(|loses| Step::Crash { loses }),
        ];
        prop::collection::vec(step, 1..200)
    }

    fn assert_has(file: &ExtentFile, contents: &Contents) {
        for (extent, expected) in contents {
            let mut found = vec![0; extent.len()];
            file.read(*extent, &mut found).unwrap();
            assert_eq!(&found, expected);
        }
    }

    /// Opens a file that has a checkpoint.
    fn reopened(path: &Path, saved: &Contents) -> ExtentFile {
        let file = ExtentFile::open(path, &Sizes::SMALL).unwrap();
        saved.iter().for_each(|(extent, _)| file.claim(*extent).unwrap());
        file.settle().unwrap();
        file
    }

    proptest! {
        /// Whenever the program ends, whatever of the last writes is lost, the file has the last
        /// checkpoint, and can be written again.
        #[test]
        fn the_last_checkpoint_is_always_there(steps in steps()) {
            let dir = fanorona_tests::directory().unwrap();
            let path = dir.path().join("kept");
            let mut file = ExtentFile::for_checkpoint(dir.path(), &Sizes::SMALL);
            let mut live = Contents::new();
            // The checkpoints that may be the last one after a crash. None of them is complete at
            // first. What the disk has for certain.
            let (mut saved, mut on_disk) = (Vec::<Contents>::new(), Vec::new());
            for step in steps {
                match step {
                    Step::Write(len, byte) => {
                        let bytes: Vec<u8> = (0..len).map(|i| byte ^ i as u8).collect();
                        live.push((file.write(&bytes).unwrap(), bytes));
                    }
                    Step::Free(_) if live.is_empty() => {}
                    Step::Free(which) => file.free(live.swap_remove(which % live.len()).0),
                    Step::Save { fails } => {
                        file.pin(&path).unwrap();
                        on_disk = fs::read(&path).unwrap();
                        if !fails {
                            file.release();
                            on_disk.truncate(fs::metadata(&path).unwrap().len() as usize);
                            saved.clear();
                        }
                        saved.push(live.clone());
                    }
                    Step::Crash { loses } => {
                        let Some(last) = saved.pop() else { continue };
                        let mut bytes = fs::read(&path).unwrap();
                        for (i, byte) in bytes.iter_mut().enumerate() {
                            if (i as u8 / 16).wrapping_mul(37) < loses {
                                *byte = on_disk.get(i).copied().unwrap_or(0);
                            }
                        }
                        // A checkpoint that failed may be there or not.
                        saved.push(last);
                        for saved in &saved {
                            let copy = dir.path().join("copy");
                            fs::write(&copy, &bytes).unwrap();
                            assert_has(&reopened(&copy, saved), saved);
                        }
                        let last = saved.pop().expect("it was put back");
                        drop(file);
                        fs::write(&path, &bytes).unwrap();
                        file = reopened(&path, &last);
                        on_disk = bytes;
                        live = last.clone();
                        live.iter_mut().for_each(|(extent, _)| extent.epoch = 0);
                        saved = vec![last];
                    }
                }
                assert_has(&file, &live);
                for saved in &saved {
                    assert_has(&file, saved);
                }
            }
            // Everything else is free.
            file.release();
            let free: u64 = file.space().free.values().sum();
            let used: u64 = live.iter().map(|(extent, _)| file.pages(*extent).1).sum();
            prop_assert_eq!(used + free, file.space().end);
        }
    }

    /// A file without a name is gone when it is closed, and so is one that no checkpoint kept.
    #[test]
    fn files_are_removed() {
        let dir = fanorona_tests::directory().unwrap();
        let count = || fs::read_dir(dir.path()).unwrap().count();
        let scratch = ExtentFile::scratch(dir.path(), &Sizes::SMALL);
        let partial = ExtentFile::for_checkpoint(dir.path(), &Sizes::SMALL);
        assert_eq!(count(), 0);
        for file in [&scratch, &partial] {
            let extent = file.write(b"abc").unwrap();
            file.free(extent);
            let last = file.write(b"defg").unwrap();
            assert_eq!((last.offset, file.written()), (extent.offset, 7));
        }
        assert_eq!(count(), 1);
        drop((scratch, partial));
        assert_eq!(count(), 0);
    }

    /// Changes between checkpoints make the next one due.
    #[test]
    fn checkpoints_are_due_if_much_is_held() {
        let dir = fanorona_tests::directory().unwrap();
        let file = ExtentFile::for_checkpoint(dir.path(), &Sizes::SMALL);
        let all: Vec<_> = (0..100).map(|i| file.write(&[i; 32]).unwrap()).collect();
        file.pin(&dir.path().join("kept")).unwrap();
        for (i, extent) in all.into_iter().enumerate() {
            assert_eq!(file.is_overfull(), i > 32, "{i}");
            file.free(extent);
        }
        file.release();
        assert!(!file.is_overfull());
        assert_eq!(file.space().end, 0);
    }

    #[test]
    fn damage_is_found() {
        let dir = fanorona_tests::directory().unwrap();
        let path = dir.path().join("kept");
        let file = ExtentFile::for_checkpoint(dir.path(), &Sizes::SMALL);
        let [first, second] = [b"abcdefgh", b"ijklmnop"].map(|bytes| file.write(bytes).unwrap());
        file.pin(&path).unwrap();
        let whole = fs::read(&path).unwrap();
        for i in 0..8 {
            let mut damaged = whole.clone();
            damaged[i] ^= 0x10;
            fs::write(&path, damaged).unwrap();
            let error = file.read(first, &mut [0; 8]).unwrap_err();
            assert!(error.to_string().contains("damaged"), "{error}");
        }
        fs::write(&path, &whole[..whole.len() - 1]).unwrap();
        let opened = ExtentFile::open(&path, &Sizes::SMALL).unwrap();
        opened.claim(first).unwrap();
        assert!(opened.claim(second).unwrap_err().to_string().contains("truncated"));
        opened.claim(Extent { len: 1, ..first }).unwrap();
        assert!(opened.settle().unwrap_err().to_string().contains("overlap"));
        let beyond = Extent { offset: u64::MAX - 15, ..first };
        assert!(ExtentFile::open(&path, &Sizes::SMALL).unwrap().claim(beyond).is_err());
    }
}
