//! A cache of blocks, shared by threads.

use std::cell::Cell;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Identifies a block: file and number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct BlockKey {
    /// The file: [`Container::id`](crate::Container::id).
    pub file: u64,
    /// The number of the block in the file.
    pub block: u64,
}

/// A cache of blocks of limited size, which threads can share.
///
/// It is divided into shards of 32 KiB, each with a lock. The key of a block determines its shard,
/// so threads that read different blocks seldom wait for each other. A shard has 16 units of 2 KiB,
/// the size of a block of a `wdl` table. A larger block takes 2, 4, 8 or 16 adjacent units, and
/// blocks larger than a shard are not kept. A new block replaces the least recently used ones.
pub struct BlockCache {
    shards: Box<[Mutex<CacheShard>]>,
}

/// The units of a shard.
const UNITS: usize = 16;
const UNIT_BYTES: usize = 1 << 11;
const SHARD_BYTES: usize = UNITS * UNIT_BYTES;
/// Of a unit in which no block begins. The tags of blocks are odd.
const NO_BLOCK: u32 = 0;

/// Waiting for memory is most of the time of a hit, so what it needs is close together: it reads the
/// lines of the processor's cache with the tags, with the block, and with the byte that is wanted.
#[derive(Default)]
#[repr(align(64))]
struct CacheShard {
    /// The bytes of all units, allocated when a block is first kept.
    bytes: Box<[u8]>,
    /// The number of uses of blocks in this shard.
    clock: u64,
    /// By unit: some bits of the hash of the block that begins there, or [`NO_BLOCK`].
    tags: [u32; UNITS],
    /// By unit: the block that begins there.
    blocks: [CachedBlock; UNITS],
    /// By unit: where the block that covers it begins. Units that no block covers name themselves.
    begins: [u8; UNITS],
}

#[derive(Clone, Copy, Default)]
struct CachedBlock {
    key: BlockKey,
    length: usize,
    last_used: u64,
}

thread_local! {
    static BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

impl BlockCache {
    /// A cache for blocks of `bytes` bytes in all, rounded up to a power of two of at least 32 KiB.
    /// Memory for blocks is allocated when they are loaded.
    pub fn new(bytes: usize) -> Self {
        let shards = bytes.div_ceil(SHARD_BYTES).clamp(1, 1 << 24).next_power_of_two();
        Self { shards: (0..shards).map(|_| Mutex::default()).collect() }
    }

    /// The capacity in bytes.
    pub fn capacity(&self) -> usize {
        self.shards.len() * SHARD_BYTES
    }

    /// Calls `read` with a block. If the block is not in the cache, `load` first writes it into an
    /// empty buffer; the cache keeps a copy if `is_kept`.
    ///
    /// `read` should be fast, because other threads may wait for it. It must not use the cache
    /// itself, which could deadlock.
    ///
    /// # Errors
    /// The error of `load`. Nothing is kept then.
    #[inline]
    pub fn with<T, E>(
        &self,
        key: BlockKey,
        is_kept: bool,
        load: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, E> {
        // Spreads adjacent blocks of a file, and blocks with the same number of several files.
        let hash = (key.block ^ key.file.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let shard = &self.shards[(hash >> 32) as usize & (self.shards.len() - 1)];
        let tag = hash as u32 | 1;
        if let Some(bytes) = lock(shard).get(tag, key) {
            return Ok(read(bytes));
        }
        let mut bytes = BUFFER.take();
        bytes.clear();
        let result = load(&mut bytes).map(|()| {
            if is_kept {
                lock(shard).insert(tag, key, &bytes);
            }
            read(&bytes)
        });
        BUFFER.set(bytes);
        result
    }
}

/// A panic in `read` cannot leave a shard inconsistent, so poisoning is ignored.
#[inline]
fn lock(shard: &Mutex<CacheShard>) -> MutexGuard<'_, CacheShard> {
    shard.lock().unwrap_or_else(PoisonError::into_inner)
}

impl CacheShard {
    /// A block, which counts as used now.
    #[inline]
    fn get(&mut self, tag: u32, key: BlockKey) -> Option<&[u8]> {
        let is_block = |unit: &usize| self.tags[*unit] == tag && self.blocks[*unit].key == key;
        let unit = (0..UNITS).find(is_block)?;
        self.clock += 1;
        let block = &mut self.blocks[unit];
        block.last_used = self.clock;
        Some(&self.bytes[unit * UNIT_BYTES..][..block.length])
    }

    /// Keeps a block, unless another thread has done so meanwhile, in place of the least recently
    /// used ones.
    fn insert(&mut self, tag: u32, key: BlockKey, bytes: &[u8]) {
        if bytes.len() > SHARD_BYTES || self.get(tag, key).is_some() {
            return;
        }
        if self.bytes.is_empty() {
            self.bytes = vec![0; SHARD_BYTES].into();
            self.begins = std::array::from_fn(|unit| unit as u8);
        }
        let units = bytes.len().div_ceil(UNIT_BYTES).next_power_of_two();
        let last_used = |first: &usize| {
            let begins = &self.begins[*first..first + units];
            begins.iter().map(|at| self.blocks[usize::from(*at)].last_used).max()
        };
        let first = (0..UNITS).step_by(units).min_by_key(last_used).expect("there are units");
        for unit in first..first + units {
            self.remove(self.begins[unit]);
        }
        self.begins[first..first + units].fill(first as u8);
        self.clock += 1;
        self.tags[first] = tag;
        self.blocks[first] = CachedBlock { key, length: bytes.len(), last_used: self.clock };
        self.bytes[first * UNIT_BYTES..][..bytes.len()].copy_from_slice(bytes);
    }

    /// Removes the block that begins at a unit, if there is one.
    fn remove(&mut self, begin: u8) {
        self.tags[usize::from(begin)] = NO_BLOCK;
        self.blocks[usize::from(begin)] = CachedBlock::default();
        for (unit, at) in self.begins.iter_mut().enumerate() {
            if *at == begin {
                *at = unit as u8;
            }
        }
    }
}

impl fmt::Debug for BlockCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BlockCache").field("capacity", &self.capacity()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// Blocks with the same number of several files have the same tag.
    fn key(block: u64) -> BlockKey {
        BlockKey { file: block % 3, block: block / 3 }
    }

    /// Reads a block of one repeated byte. Returns whether it was loaded.
    fn get(cache: &BlockCache, block: u64, length: usize) -> bool {
        let mut loaded = false;
        let load = |bytes: &mut Vec<u8>| {
            assert!(bytes.is_empty());
            bytes.resize(length, block as u8);
            loaded = true;
            Ok::<_, Infallible>(())
        };
        let read = |bytes: &[u8]| {
            assert_eq!(bytes.len(), length);
            assert!(bytes.iter().all(|byte| *byte == block as u8));
        };
        cache.with(key(block), true, load, read).unwrap();
        loaded
    }

    /// Checks that no two blocks overlap, and returns the bytes of all blocks.
    fn bytes(cache: &BlockCache) -> usize {
        let mut sum = 0;
        for shard in &cache.shards {
            let shard = lock(shard);
            let mut covered = 0;
            for unit in (0..UNITS).filter(|unit| shard.tags[*unit] != NO_BLOCK) {
                let length = shard.blocks[unit].length;
                let units = length.div_ceil(UNIT_BYTES).next_power_of_two();
                assert!(shard.begins[unit..unit + units].iter().all(|at| usize::from(*at) == unit));
                covered += units;
                sum += length;
            }
            assert!(covered <= UNITS);
            let alone =
                |(unit, at): (usize, &u8)| usize::from(*at) == unit && shard.tags[unit] == NO_BLOCK;
            let free = shard.begins.iter().enumerate().filter(|each| alone(*each)).count();
            assert!(shard.bytes.is_empty() || covered + free == UNITS);
        }
        sum
    }

    #[test]
    fn least_recently_used_blocks_are_dropped() {
        let cache = BlockCache::new(1);
        assert_eq!(cache.capacity(), SHARD_BYTES);
        let quarter = SHARD_BYTES / 4;
        assert!((0..4).all(|block| get(&cache, block, quarter)));
        assert!((0..4).all(|block| !get(&cache, block, quarter)));
        // 0 was used most recently, so 1 is dropped.
        assert!(!get(&cache, 0, quarter));
        assert!(get(&cache, 4, quarter));
        for (block, loaded) in [(0, false), (2, false), (3, false), (4, false), (1, true)] {
            assert_eq!(get(&cache, block, quarter), loaded, "{block}");
        }
        assert_eq!(bytes(&cache), SHARD_BYTES);
        // A large block drops all others. A block that is too large is not kept.
        assert!(get(&cache, 9, SHARD_BYTES));
        assert!(get(&cache, 0, quarter));
        assert!(get(&cache, 8, SHARD_BYTES + 1));
        assert!(!get(&cache, 0, quarter));
        assert!(get(&cache, 8, SHARD_BYTES + 1));
        // So is one that nobody wants to keep, but it is found if it is there.
        let unkept = |block| {
            let load = |bytes: &mut Vec<u8>| bytes.try_reserve(1);
            cache.with(key(block), false, load, <[u8]>::len).unwrap()
        };
        assert_eq!((unkept(1), unkept(0)), (0, quarter));
        assert!(get(&cache, 1, quarter));
    }

    #[test]
    fn allocated_memory_is_within_the_capacity() {
        let cache = BlockCache::new(4 * SHARD_BYTES);
        // Small blocks are loaded into buffers of large ones.
        for i in 0..2000 {
            let block = i % 700;
            let length =
                [SHARD_BYTES, 1 + block as usize % 100, SHARD_BYTES / 3][block as usize % 3];
            get(&cache, block, length);
            assert!(bytes(&cache) <= cache.capacity());
        }
    }

    #[test]
    fn errors_keep_nothing() {
        let cache = BlockCache::new(1 << 20);
        let failed = cache.with(key(1), true, |_| Err("no"), |_| ());
        assert_eq!(failed, Err("no"));
        assert!(get(&cache, 1, 10));
    }

    #[test]
    fn threads_share_blocks() {
        let cache = BlockCache::new(1 << 17);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let cache = &cache;
                scope.spawn(move || {
                    for i in 0..20_000_u64 {
                        get(cache, (i * (2 * thread + 1)) % 100, 4000);
                    }
                });
            }
        });
        assert!(bytes(&cache) <= cache.capacity());
    }
}
