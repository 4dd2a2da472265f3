//! Files whose shards are fetched when they are needed.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::access::{Files, Source};
use crate::block::checksum;
use crate::shards::Shards;

/// The shards that are in memory, and those that were asked for and are not.
///
/// ```
/// use std::sync::Arc;
/// use fanorona_storage::{FetchedFile, Shards, ShardStore, Source, cut};
///
/// // Somebody has cut a file into shards.
/// let (mut shards, file) = (Vec::new(), [7; 1000]);
/// let (length, root) = cut(&file[..], 64, |_, bytes| Ok(shards.push(bytes.to_vec())))?;
///
/// // Read it, and fetch what is asked for until nothing is.
/// let store = Arc::new(ShardStore::new(1 << 20));
/// let file = FetchedFile::new(store.clone(), Shards::new(length, 64).unwrap(), root);
/// let mut bytes = [0; 10];
/// while file.read_at(&mut bytes, 500).is_err() {
///     let wanted = store.wanted();
///     assert!(!wanted.is_empty());
///     for shard in shards.iter().filter(|shard| wanted.contains(&fanorona_storage::checksum(shard))) {
///         store.put(fanorona_storage::checksum(shard), shard).unwrap();
///     }
/// }
/// assert_eq!(bytes, [7; 10]);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct ShardStore {
    /// The most bytes that are kept from one piece of work to the next.
    limit: u64,
    state: Mutex<FetchState>,
}

#[derive(Default)]
struct FetchState {
    shards: HashMap<u64, Shard>,
    bytes: u64,
    clock: u64,
    wanted: BTreeSet<u64>,
}

struct Shard {
    bytes: Arc<[u8]>,
    last_used: u64,
}

impl ShardStore {
    /// An empty store, which keeps up to `limit` bytes.
    pub fn new(limit: u64) -> Self {
        Self { limit, state: Mutex::default() }
    }

    /// Begins a new piece of work: nothing is wanted, and if there are too many shards, those that were
    /// not used for the longest time are dropped. While work is repeated because shards were missing,
    /// none is dropped, so it comes to an end.
    pub fn begin(&self) {
        let state = &mut *self.lock();
        state.wanted.clear();
        if state.bytes <= self.limit {
            return;
        }
        let mut by_use: Vec<_> = state.shards.iter().map(|(key, s)| (s.last_used, *key)).collect();
        by_use.sort_unstable();
        for (_, key) in by_use {
            if state.bytes <= self.limit {
                break;
            }
            let dropped = state.shards.remove(&key).expect("it was listed");
            state.bytes -= dropped.bytes.len() as u64;
        }
    }

    /// The checksums of the shards that were asked for since the last call and are missing.
    pub fn wanted(&self) -> Vec<u64> {
        std::mem::take(&mut self.lock().wanted).into_iter().collect()
    }

    /// Whether a shard was asked for that is missing, since the last call of
    /// [`wanted`](Self::wanted).
    pub fn is_waiting(&self) -> bool {
        !self.lock().wanted.is_empty()
    }

    /// Keeps a shard.
    ///
    /// # Errors
    /// The checksum of the bytes, if it is another one.
    pub fn put(&self, expected: u64, bytes: &[u8]) -> Result<(), u64> {
        let found = checksum(bytes);
        if found != expected {
            return Err(found);
        }
        let state = &mut *self.lock();
        let shard = Shard { bytes: bytes.into(), last_used: state.clock };
        state.bytes += bytes.len() as u64;
        if let Some(before) = state.shards.insert(expected, shard) {
            state.bytes -= before.bytes.len() as u64;
        }
        Ok(())
    }

    /// The bytes of all shards in memory.
    pub fn bytes(&self) -> u64 {
        self.lock().bytes
    }

    fn has(&self, key: u64) -> bool {
        self.lock().shards.contains_key(&key)
    }

    /// A shard. If it is not there, it is wanted from now on if `is_noted`.
    fn get(&self, key: u64, is_noted: bool) -> Option<Arc<[u8]>> {
        let state = &mut *self.lock();
        state.clock += 1;
        match state.shards.get_mut(&key) {
            Some(shard) => {
                shard.last_used = state.clock;
                Some(shard.bytes.clone())
            }
            None => {
                if is_noted {
                    state.wanted.insert(key);
                }
                None
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, FetchState> {
        // The state is whole between any two changes.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ShardStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardStore").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

/// A file that is fetched shard by shard. Each shard was compared with its checksum when it was
/// [put](ShardStore::put) into the store.
#[derive(Clone, Debug)]
pub struct FetchedFile {
    store: Arc<ShardStore>,
    shards: Shards,
    root: u64,
    is_noted: bool,
    reads_ahead: bool,
    copies: Vec<Copied>,
}

#[derive(Clone, Debug)]
struct Copied {
    range: Range<u64>,
    file: Arc<FetchedFile>,
    at: u64,
}

impl FetchedFile {
    /// A file by its root. Nothing is fetched.
    pub fn new(store: Arc<ShardStore>, shards: Shards, root: u64) -> Self {
        Self { store, shards, root, is_noted: true, reads_ahead: false, copies: Vec::new() }
    }

    /// The same file, but its missing shards are not wanted: it is read as far as it is there. Copies
    /// of ranges are still wanted.
    #[must_use]
    pub fn as_it_is(self) -> Self {
        Self { is_noted: false, ..self }
    }

    /// The same file, of which more is wanted than is read, twice as much each time, for readers that go
    /// from its beginning to its end.
    #[must_use]
    pub fn read_ahead(self) -> Self {
        Self { reads_ahead: true, ..self }
    }

    /// The same file, but reads inside a range go to a copy, which begins at an offset in another file.
    #[must_use]
    pub fn with_copy(mut self, range: Range<u64>, file: Arc<FetchedFile>, at: u64) -> Self {
        self.copies.push(Copied { range, file, at });
        self
    }

    /// The checksum of a shard, if the shards above are here.
    fn checksum(&self, level: u32, shard: u64) -> Option<u64> {
        let Some((above, range)) = self.shards.checksum_place(level, shard) else {
            return Some(self.root);
        };
        let above = self.shard(level + 1, above)?;
        // A shard with the right checksum has the right length.
        Some(u64::from_le_bytes(above.get(range)?.try_into().ok()?))
    }

    fn shard(&self, level: u32, shard: u64) -> Option<Arc<[u8]>> {
        let key = self.checksum(level, shard)?;
        let found = self.store.get(key, self.is_noted);
        if found.is_none() && self.reads_ahead && level == 0 {
            self.want_ahead(shard);
        }
        found
    }

    /// Wants as many shards after one that is missing as there are before it.
    fn want_ahead(&self, missing: u64) {
        let is_here = |shard: &u64| self.checksum(0, *shard).is_some_and(|key| self.store.has(key));
        let before = (0..missing).rev().take_while(is_here).count() as u64;
        let end = self.shards.shards(0).min(missing + 1 + before);
        for key in (missing + 1..end).filter_map(|shard| self.checksum(0, shard)) {
            self.store.get(key, true);
        }
    }
}

impl Source for FetchedFile {
    fn length(&self) -> u64 {
        self.shards.length()
    }

    fn read_at(&self, bytes: &mut [u8], offset: u64) -> io::Result<()> {
        let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= self.length());
        let end = end.ok_or(io::ErrorKind::UnexpectedEof)?;
        let is_copied = |copy: &&Copied| copy.range.start <= offset && end <= copy.range.end;
        if let Some(copy) = self.copies.iter().find(is_copied) {
            return copy.file.read_at(bytes, copy.at + (offset - copy.range.start));
        }
        if bytes.is_empty() {
            return Ok(());
        }
        let wanted = self.shards.shard_of(offset)..self.shards.shard_of(end - 1) + 1;
        let mut is_missing = false;
        // All of them are asked for, so that they can be fetched together.
        for number in wanted {
            let Some(shard) = self.shard(0, number) else {
                is_missing = true;
                continue;
            };
            let range = self.shards.range(0, number);
            let (from, to) = (offset.max(range.start), end.min(range.end));
            let part = &shard[(from - range.start) as usize..(to - range.start) as usize];
            bytes[(from - offset) as usize..(to - offset) as usize].copy_from_slice(part);
        }
        if is_missing { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }
}

/// Directories of fetched files.
#[derive(Debug, Default)]
pub struct FetchedFiles(HashMap<PathBuf, HashMap<String, Arc<FetchedFile>>>);

impl FetchedFiles {
    /// Adds a directory, unless it is there.
    pub fn add_dir(&mut self, dir: impl Into<PathBuf>) {
        self.0.entry(dir.into()).or_default();
    }

    /// Adds a file to a directory.
    pub fn add(&mut self, dir: impl Into<PathBuf>, name: impl Into<String>, file: FetchedFile) {
        self.0.entry(dir.into()).or_default().insert(name.into(), Arc::new(file));
    }
}

impl Files for FetchedFiles {
    fn names(&self, dir: &Path) -> io::Result<Vec<String>> {
        let files = self.0.get(dir).ok_or(io::ErrorKind::NotFound)?;
        Ok(files.keys().cloned().collect())
    }

    fn open(&self, path: &Path) -> io::Result<Arc<dyn Source>> {
        let dir = path.parent().and_then(|dir| self.0.get(dir));
        let name = path.file_name().and_then(|name| name.to_str());
        let file = dir.zip(name).and_then(|(dir, name)| dir.get(name));
        Ok(file.ok_or(io::ErrorKind::NotFound)?.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::cut;

    /// A host: the shards of files by their checksums.
    #[derive(Default)]
    struct Host(HashMap<u64, Vec<u8>>);

    impl Host {
        fn cut(&mut self, file: &[u8], size: u32) -> (Shards, u64) {
            let keep = |key, bytes: &[u8]| {
                self.0.insert(key, bytes.to_vec());
                Ok(())
            };
            let (length, root) = cut(file, size, keep).unwrap();
            (Shards::new(length, size).unwrap(), root)
        }

        /// Fetches what is wanted until the work can be done. Returns the number of rounds.
        fn serve(&self, store: &ShardStore, work: impl Fn() -> io::Result<()>) -> u32 {
            store.begin();
            for round in 0..20 {
                match work() {
                    Ok(()) => {
                        assert!(!store.is_waiting());
                        return round;
                    }
                    Err(error) => assert_eq!(error.kind(), io::ErrorKind::WouldBlock),
                }
                assert!(store.is_waiting());
                for key in store.wanted() {
                    store.put(key, &self.0[&key]).unwrap();
                }
                assert!(!store.is_waiting());
            }
            panic!("it does not end");
        }
    }

    fn bytes(length: u32) -> Vec<u8> {
        (0..length).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect()
    }

    #[test]
    fn every_part_is_read_as_from_the_file() {
        for length in [0, 1, 15, 16, 17, 300, 1000] {
            let (mut host, whole) = (Host::default(), bytes(length));
            let (shards, root) = host.cut(&whole, 16);
            for part in [0, 1, 7, 16, 40, length as usize] {
                for offset in (0..=whole.len().saturating_sub(part)).step_by(5) {
                    if offset + part > whole.len() {
                        continue;
                    }
                    let store = Arc::new(ShardStore::new(0));
                    let file = FetchedFile::new(store.clone(), shards, root);
                    let read = || {
                        let mut found = vec![0; part];
                        file.read_at(&mut found, offset as u64)?;
                        assert_eq!(found, whole[offset..offset + part]);
                        Ok(())
                    };
                    // All shards of a level are wanted together.
                    assert!(host.serve(&store, read) <= shards.levels());
                }
            }
            let store = Arc::new(ShardStore::new(0));
            let error = FetchedFile::new(store, shards, root).read_at(&mut [0], length.into());
            assert_eq!(error.unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn a_file_that_is_read_in_order_comes_ahead() {
        let (mut host, whole) = (Host::default(), bytes(64 * 100));
        let (shards, root) = host.cut(&whole, 64);
        let rounds = |file: FetchedFile, store: &ShardStore| -> u32 {
            (0..100).map(|at| host.serve(store, || file.read_at(&mut [0; 64], 64 * at))).sum()
        };
        let store = Arc::new(ShardStore::new(1 << 20));
        let file = FetchedFile::new(store.clone(), shards, root);
        assert!(rounds(file.clone(), &store) > 100);
        let ahead_store = Arc::new(ShardStore::new(1 << 20));
        let ahead = FetchedFile { store: ahead_store.clone(), ..file.read_ahead() };
        let found = rounds(ahead, &ahead_store);
        assert!(found < 30, "{found}");
        assert_eq!(ahead_store.bytes(), store.bytes());
    }

    #[test]
    fn damaged_shards_are_refused() {
        let mut host = Host::default();
        let (shards, root) = host.cut(&bytes(100), 16);
        let store = Arc::new(ShardStore::new(0));
        let file = FetchedFile::new(store.clone(), shards, root);
        assert!(file.read_at(&mut [0], 50).is_err());
        let wanted = store.wanted();
        assert_eq!(wanted, [root]);
        let mut damaged = host.0[&root].clone();
        damaged[3] ^= 1;
        assert_eq!(store.put(root, &damaged), Err(checksum(&damaged)));
        assert!(store.put(root, b"<!doctype html>").is_err());
        assert_eq!(store.bytes(), 0);
        assert!(file.read_at(&mut [0], 50).is_err());
        assert_eq!(store.wanted(), [root]);
    }

    #[test]
    fn the_least_recently_used_shards_are_dropped_between_work() {
        let (mut host, whole) = (Host::default(), bytes(160));
        let (shards, root) = host.cut(&whole, 16);
        let store = Arc::new(ShardStore::new(120));
        let file = FetchedFile::new(store.clone(), shards, root);
        let read = |offset: u64| file.read_at(&mut [0; 16], offset);
        // The levels above have 80 and 40 and 24 and 16 bytes.
        host.serve(&store, || (0..10).map(|at| read(at * 16)).fold(Ok(()), Result::and));
        assert!(store.bytes() > 300, "work keeps all that it needs");
        host.serve(&store, || read(144));
        assert!(store.bytes() <= 120 + 5 * 16, "{}", store.bytes());
        assert_eq!(host.serve(&store, || read(144)), 0, "it was used last");
        assert!(host.serve(&store, || read(0)) > 0);
    }

    #[test]
    fn some_files_are_not_wanted() {
        let mut host = Host::default();
        let (shards, root) = host.cut(&bytes(100), 16);
        let store = Arc::new(ShardStore::new(1000));
        let file = FetchedFile::new(store.clone(), shards, root).as_it_is();
        assert_eq!(file.read_at(&mut [0], 9).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        assert!(!store.is_waiting());
        let wanted = FetchedFile { is_noted: true, ..file.clone() };
        host.serve(&store, || wanted.read_at(&mut [0], 9));
        file.read_at(&mut [0; 16], 0).unwrap();
    }

    #[test]
    fn copies_stand_for_ranges() {
        let (mut host, whole) = (Host::default(), bytes(200));
        let (shards, root) = host.cut(&whole, 16);
        let heads = [&whole[..10], &whole[180..]].concat();
        let (of_heads, root_of_heads) = host.cut(&heads, 16);
        let store = Arc::new(ShardStore::new(0));
        let heads = Arc::new(FetchedFile::new(store.clone(), of_heads, root_of_heads));
        let file = FetchedFile::new(store.clone(), shards, root)
            .with_copy(0..10, heads.clone(), 0)
            .with_copy(180..200, heads, 10)
            .as_it_is();
        for range in [0..10, 3..5, 180..200, 190..191] {
            let mut found = vec![0; range.len()];
            while file.read_at(&mut found, range.start as u64).is_err() {
                for key in store.wanted() {
                    store.put(key, &host.0[&key]).unwrap();
                }
            }
            assert_eq!(found, whole[range]);
        }
        assert!(file.read_at(&mut [0; 11], 0).is_err());
    }

    #[test]
    fn files_are_found_by_their_paths() {
        let mut host = Host::default();
        let (shards, root) = host.cut(&bytes(100), 16);
        let file = FetchedFile::new(Arc::new(ShardStore::new(0)), shards, root);
        let mut files = FetchedFiles::default();
        files.add("tables", "a", file);
        assert_eq!(files.names(Path::new("tables")).unwrap(), ["a"]);
        assert_eq!(files.open(Path::new("tables/a")).unwrap().length(), 100);
        for path in ["tables/b", "a", "", "other/a"] {
            let error = files.open(Path::new(path)).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::NotFound, "{path}");
        }
        assert!(files.names(Path::new("other")).is_err());
    }

    /// Compared with a list of the files in the order in which they were used.
    #[test]
    fn what_was_used_last_stays() {
        const LIMIT: u64 = 130;
        let (mut host, store) = (Host::default(), Arc::new(ShardStore::new(LIMIT)));
        // Each is a single shard.
        let files: Vec<_> = (1..=5)
            .map(|n| {
                let (shards, root) = host.cut(&bytes(16 * n), 128);
                (root, FetchedFile::new(store.clone(), shards, root))
            })
            .collect();
        let mut used: Vec<usize> = Vec::new();
        let mut hits = 0;
        for draw in bytes(400) {
            let number = usize::from(draw) % files.len();
            let size = |kept: &[usize]| kept.iter().map(|n| files[*n].1.length()).sum::<u64>();
            while size(&used) > LIMIT {
                used.remove(0);
            }
            let place = used.iter().position(|kept| *kept == number);
            let (root, file) = &files[number];
            let rounds = host.serve(&store, || file.read_at(&mut [0], 0));
            assert_eq!(rounds == 0, place.is_some(), "{number} of {used:?}");
            hits += u32::from(rounds == 0);
            place.map(|place| used.remove(place));
            used.push(number);
            // A shard can arrive again.
            if draw % 4 == 0 {
                store.put(*root, &host.0[root]).unwrap();
            }
            assert_eq!(store.bytes(), size(&used));
        }
        assert!((100..300).contains(&hits), "{hits}");
    }
}
