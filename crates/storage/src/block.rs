//! Compressed blocks with checksums.

use std::cell::RefCell;
use std::io;

use xxhash_rust::xxh3::xxh3_64;
use zstd::bulk::{Compressor, Decompressor};

thread_local! {
    /// The compressor and its level. Creating one takes about as long as compressing a block.
    static COMPRESSOR: RefCell<Option<(i32, Compressor<'static>)>> = const { RefCell::new(None) };

    static DECOMPRESSOR: RefCell<Option<Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The checksum of all formats: XXH3 with 64 bits, seed 0 and no secret.
#[inline]
pub fn checksum(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// Compresses a block into one zstd frame without a dictionary. Each thread keeps its compressor
/// for the next block of the same level.
///
/// # Errors
/// If zstd fails, for example because there is too little memory.
pub fn compress(bytes: &[u8], level: i32) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|kept| {
        let (_, compressor) = match kept.take_if(|(known, _)| *known == level) {
            Some(kept_one) => kept.insert(kept_one),
            None => kept.insert((level, Compressor::new(level)?)),
        };
        compressor.compress(bytes)
    })
}

/// Decompresses a block into `bytes`, and returns its decompressed length in bytes. Each thread
/// keeps its decompressor.
///
/// # Errors
/// If the block is not a zstd frame, or does not fit into `bytes`.
pub fn decompress(block: &[u8], bytes: &mut [u8]) -> io::Result<usize> {
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(Decompressor::new()?),
        };
        decompressor.decompress_to_buffer(block, bytes)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_round_trip() {
        for level in [1, 12, 1] {
            for length in [0, 1, 1000, 100_000] {
                let bytes: Vec<u8> = (0..length).map(|i: u32| (i / 7) as u8).collect();
                let block = compress(&bytes, level).unwrap();
                let mut buffer = vec![0; bytes.len()];
                assert_eq!(decompress(&block, &mut buffer).unwrap(), bytes.len());
                assert_eq!(buffer, bytes);
                if length > 0 {
                    assert!(decompress(&block, &mut buffer[1..]).is_err(), "too little room");
                    assert!(decompress(&block[1..], &mut buffer).is_err());
                }
            }
        }
        // A new compressor gives the same bytes as a kept one.
        let bytes = vec![7; 1000];
        let first = compress(&bytes, 12).unwrap();
        assert_eq!(compress(&bytes, 12).unwrap(), first);
        compress(&bytes, 3).unwrap();
        assert_eq!(compress(&bytes, 12).unwrap(), first);
    }
}
