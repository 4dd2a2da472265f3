//! Files cut into shards, so that a reader can fetch and verify the parts that it needs.
//!
//! Level 0 is the file. A level of several shards has a level above it: the checksums of its shards
//! one after another, little endian, cut again. The checksum of the only shard of the last level is
//! the root of the file. Whoever knows root and length can verify each shard on the way down.

use std::io::{self, Read};
use std::ops::Range;

use crate::block::checksum;

/// The bytes of a checksum in the level above.
const CHECKSUM_BYTES: u64 = 8;

/// The tree of shards of a file, by its length. An empty file is one empty shard.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Shards {
    length: u64,
    size: u32,
}

impl Shards {
    /// The tree of a file of `length` bytes in shards of `size` bytes. `None` if the size is below 16
    /// or not a multiple of 8: then levels would not get shorter, or shards would cut checksums.
    pub fn new(length: u64, size: u32) -> Option<Self> {
        is_size(size).then_some(Self { length, size })
    }

    /// The bytes of the file.
    pub fn length(self) -> u64 {
        self.length
    }

    /// The bytes of a shard; the last one of a level can be shorter.
    pub fn size(self) -> u32 {
        self.size
    }

    /// The number of levels, at least 1. The last one has one shard.
    pub fn levels(self) -> u32 {
        let mut levels = 1;
        while self.shards(levels - 1) > 1 {
            levels += 1;
        }
        levels
    }

    /// The bytes of a level that there is.
    pub fn level_bytes(self, level: u32) -> u64 {
        match level {
            0 => self.length,
            _ => self.shards(level - 1) * CHECKSUM_BYTES,
        }
    }

    /// The number of shards of a level that there is.
    pub fn shards(self, level: u32) -> u64 {
        self.level_bytes(level).div_ceil(self.size.into()).max(1)
    }

    /// The shard of any level that has the byte at an offset in the level.
    pub fn shard_of(self, offset: u64) -> u64 {
        offset / u64::from(self.size)
    }

    /// The bytes of a level that are in a shard. Empty behind the end of the level.
    pub fn range(self, level: u32, shard: u64) -> Range<u64> {
        let (end, size) = (self.level_bytes(level), u64::from(self.size));
        let start = shard.saturating_mul(size).min(end);
        start..start.saturating_add(size).min(end)
    }

    /// The place of a shard's checksum: a shard of the level above, and the bytes in that shard.
    /// The shard of the last level has none; its checksum is the root.
    pub fn checksum_place(self, level: u32, shard: u64) -> Option<(u64, Range<usize>)> {
        if self.shards(level) == 1 {
            return None;
        }
        let offset = shard * CHECKSUM_BYTES;
        let start = (offset % u64::from(self.size)) as usize;
        Some((self.shard_of(offset), start..start + CHECKSUM_BYTES as usize))
    }
}

fn is_size(size: u32) -> bool {
    size >= 16 && size.is_multiple_of(CHECKSUM_BYTES as u32)
}

/// Cuts a file into the shards of all levels, and returns its length and its root. `found` gets the
/// checksum and the bytes of each shard. In memory are one shard, and 8 bytes for each.
///
/// # Errors
/// If reading or `found` fails, or if the size is none (see [`Shards::new`]).
pub fn cut(
    mut read: impl Read,
    size: u32,
    mut found: impl FnMut(u64, &[u8]) -> io::Result<()>,
) -> io::Result<(u64, u64)> {
    if !is_size(size) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a size of shards"));
    }
    let mut emit = |shard: &[u8], above: &mut Vec<u8>| {
        let checksum = checksum(shard);
        above.extend(checksum.to_le_bytes());
        found(checksum, shard)
    };
    let mut shard = Vec::with_capacity(size as usize);
    let (mut length, mut above) = (0, Vec::new());
    loop {
        shard.clear();
        let count = read.by_ref().take(size.into()).read_to_end(&mut shard)?;
        if count > 0 || length == 0 {
            emit(&shard, &mut above)?;
        }
        length += count as u64;
        if count < size as usize {
            break;
        }
    }
    while above.len() as u64 > CHECKSUM_BYTES {
        let level = std::mem::take(&mut above);
        level.chunks(size as usize).try_for_each(|shard| emit(shard, &mut above))?;
    }
    Ok((length, u64::from_le_bytes(above.try_into().expect("one checksum"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The levels of a file, each as a whole.
    fn slow_levels(file: &[u8], size: usize) -> Vec<Vec<u8>> {
        let mut levels = vec![file.to_vec()];
        while levels[levels.len() - 1].len() > size {
            let below = levels[levels.len() - 1].chunks(size);
            levels.push(below.flat_map(|shard| checksum(shard).to_le_bytes()).collect());
        }
        levels
    }

    /// Returns at most three bytes at a time, and is interrupted now and then.
    struct Trickle<'a>(&'a [u8], u32);

    impl Read for Trickle<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            self.1 += 1;
            if self.1.is_multiple_of(5) {
                return Err(io::ErrorKind::Interrupted.into());
            }
            let short = buffer.len().min(3);
            self.0.read(&mut buffer[..short])
        }
    }

    #[test]
    fn files_are_cut_as_slowly() {
        for size in [16, 24, 40] {
            for length in (0..200).chain([512, 513, 1599, 1600, 1601, 2000]) {
                let file: Vec<u8> = (0..length).map(|i: u32| (i * i / 3) as u8).collect();
                let levels = slow_levels(&file, size);
                let shards = Shards::new(length.into(), size as u32).unwrap();
                assert_eq!(shards.levels() as usize, levels.len(), "{size} {length}");

                let mut expected = Vec::new();
                for (level, bytes) in (0..).zip(&levels) {
                    assert_eq!(shards.level_bytes(level), bytes.len() as u64);
                    let chunks: Vec<_> = match bytes.is_empty() {
                        true => vec![&[][..]],
                        false => bytes.chunks(size).collect(),
                    };
                    assert_eq!(shards.shards(level), chunks.len() as u64);
                    for (at, chunk) in (0..).zip(chunks) {
                        let range = shards.range(level, at);
                        assert_eq!(&bytes[range.start as usize..range.end as usize], chunk);
                        assert!(range.clone().all(|offset| shards.shard_of(offset) == at));
                        match shards.checksum_place(level, at) {
                            Some((above, place)) => {
                                let start = shards.range(level + 1, above).start as usize;
                                let above = &levels[level as usize + 1][start..];
                                assert_eq!(above[place], checksum(chunk).to_le_bytes());
                            }
                            None => assert_eq!(level as usize + 1, levels.len()),
                        }
                        expected.push((checksum(chunk), chunk.to_vec()));
                    }
                    assert!(shards.range(level, shards.shards(level)).is_empty());
                }
                let root = checksum(&levels[levels.len() - 1]);

                let mut found = Vec::new();
                let trickle = Trickle(&file, 0);
                let end = cut(trickle, size as u32, |checksum, bytes| {
                    found.push((checksum, bytes.to_vec()));
                    Ok(())
                });
                assert_eq!(end.unwrap(), (length.into(), root), "{size} {length}");
                found.sort_unstable();
                expected.sort_unstable();
                assert_eq!(found, expected, "{size} {length}");
            }
        }
    }

    #[test]
    fn the_largest_file_has_levels() {
        let shards = Shards::new(u64::MAX, 16).unwrap();
        assert_eq!(shards.levels(), 61);
        assert_eq!(shards.shards(0), 1 << 60);
        assert_eq!(shards.range(0, (1 << 60) - 1), u64::MAX - 15..u64::MAX);
        assert!(shards.range(0, u64::MAX).is_empty());
        let shards = Shards::new(5 << 32, 32 << 10).unwrap();
        assert_eq!((shards.levels(), shards.shards(0)), (3, 5 << 17));
    }

    #[test]
    fn bad_sizes_and_errors_are_told() {
        for size in [0, 8, 15, 20, 33] {
            assert_eq!(Shards::new(1, size), None);
            assert!(cut(&b"abc"[..], size, |_, _| Ok(())).is_err());
        }
        let full = |_, _: &[u8]| Err(io::ErrorKind::StorageFull.into());
        let error = cut(&[0; 100][..], 16, full).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
    }
}
