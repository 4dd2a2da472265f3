//! A cache of blocks, shared by threads.

use std::cell::Cell;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Identifies a block: file and number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct BlockKey {
    /// The file: [`Container::id`](crate::Container::id).
    pub file: u64,
    /// The number of the block in the file.
    pub block: u64,
}

/// A cache of blocks of limited size, which threads can share.
///
/// It is divided into shards of 32 KiB, each with a lock. The key of a block determines its shard,
/// so threads that read different blocks seldom wait for each other. A full shard drops its least
/// recently used blocks. Blocks larger than a shard are not kept.
pub struct BlockCache {
    shards: Box<[Mutex<Shard>]>,
}

/// The capacity of a shard in bytes: about 16 blocks of a `wdl` table.
const SHARD_BYTES: usize = 1 << 15;

#[derive(Default)]
struct Shard {
    keys: Vec<BlockKey>,
    /// The blocks, in the order of `keys`.
    blocks: Vec<Block>,
    /// The bytes allocated for all blocks.
    bytes: usize,
    /// The number of uses of blocks in this shard.
    clock: u64,
}

#[derive(Default)]
struct Block {
    bytes: Vec<u8>,
    last_used: u64,
}

thread_local! {
    /// The buffer into which this thread loads its next block.
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
    /// empty buffer, and the cache keeps it.
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
        load: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
        read: impl FnOnce(&[u8]) -> T,
    ) -> Result<T, E> {
        let mut shard = self.shard(key);
        if let Some(place) = shard.keys.iter().position(|known| *known == key) {
            shard.clock += 1;
            let clock = shard.clock;
            let block = &mut shard.blocks[place];
            block.last_used = clock;
            return Ok(read(&block.bytes));
        }
        drop(shard);
        // Two threads may load the same block. The second copy is dropped.
        let mut bytes = BUFFER.take();
        bytes.clear();
        if let Err(error) = load(&mut bytes) {
            BUFFER.set(bytes);
            return Err(error);
        }
        let result = read(&bytes);
        BUFFER.set(self.shard(key).insert(key, bytes));
        Ok(result)
    }

    #[inline]
    fn shard(&self, key: BlockKey) -> MutexGuard<'_, Shard> {
        // Spreads adjacent blocks of a file, and blocks with the same number of several files.
        let mixed = (key.block ^ key.file.rotate_left(32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let number = (mixed >> 32) as usize & (self.shards.len() - 1);
        // A panic in `read` cannot leave a shard inconsistent, so poisoning is ignored.
        self.shards[number].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shard {
    /// Inserts a block, and returns a buffer for reuse.
    fn insert(&mut self, key: BlockKey, mut bytes: Vec<u8>) -> Vec<u8> {
        if bytes.len() > SHARD_BYTES || self.keys.contains(&key) {
            return bytes;
        }
        // The buffer may have held a larger block before.
        if bytes.capacity() > SHARD_BYTES.min(2 * bytes.len()) {
            bytes.shrink_to_fit();
        }
        let mut spare = Vec::new();
        while self.bytes + bytes.capacity() > SHARD_BYTES {
            let oldest = (0..self.blocks.len()).min_by_key(|i| self.blocks[*i].last_used);
            let Some(oldest) = oldest else { break };
            self.keys.swap_remove(oldest);
            spare = self.blocks.swap_remove(oldest).bytes;
            self.bytes -= spare.capacity();
        }
        self.clock += 1;
        self.bytes += bytes.capacity();
        self.keys.push(key);
        self.blocks.push(Block { bytes, last_used: self.clock });
        spare
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

    fn key(block: u64) -> BlockKey {
        BlockKey { file: 1, block }
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
        cache.with(key(block), load, read).unwrap();
        loaded
    }

    fn bytes(cache: &BlockCache) -> usize {
        let shards = cache.shards.iter().map(|shard| shard.lock().unwrap());
        shards
            .map(|shard| {
                let kept = shard.blocks.iter().map(|block| block.bytes.capacity()).sum();
                assert_eq!(shard.bytes, kept);
                assert_eq!(shard.keys.len(), shard.blocks.len());
                kept
            })
            .sum()
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
        let failed = cache.with(key(1), |_| Err("no"), |_| ());
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
