//! The frames of logs: the positions of a tile, compressed.

use std::collections::BTreeMap;

use fanorona_storage::{compress, decompress};
use zerocopy::IntoBytes;

use crate::bits::insert;

/// The compression level of zstd. Low, because the build waits for it.
const LEVEL: i32 = 1;

/// The tile of a frame: a band of a panel.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct FrameTile {
    pub panel: u32,
    pub band: u32,
}

/// Compressed frames of each distance, with their tiles.
pub(crate) type Frames = BTreeMap<u16, Vec<(FrameTile, Vec<u8>)>>;

/// Writes a frame of a log, after its distance, tile and length.
pub(crate) fn write_frame(
    out: &mut Vec<u8>,
    distance: u16,
    (FrameTile { panel, band }, bytes): (FrameTile, &[u8]),
) {
    for number in [distance.into(), panel, band, bytes.len() as u32] {
        out.extend_from_slice(&u32::to_le_bytes(number));
    }
    out.extend_from_slice(bytes);
}

/// Reads what [`write_frame`] has written: the distance, the tile and the bytes. `None` if they are
/// damaged.
pub(crate) fn read_frame<'b>(input: &mut &'b [u8]) -> Option<(u32, FrameTile, &'b [u8])> {
    let mut number = || {
        let (number, rest) = input.split_first_chunk()?;
        *input = rest;
        Some(u32::from_le_bytes(*number))
    };
    let [distance, panel, band, len] = [number()?, number()?, number()?, number()?];
    let (bytes, rest) = input.split_at_checked(len as usize)?;
    *input = rest;
    Some((distance, FrameTile { panel, band }, bytes))
}

/// Visits the words of a tile that are not zero, with their index. The tile has this number of
/// words, and [`decode`] has decompressed them.
pub(crate) fn for_each_word(raw: &[u64], words: usize, mut visit: impl FnMut(usize, u64)) {
    let (present, mut rest) = raw.split_at(words.div_ceil(64));
    for (i, present) in present.iter().enumerate() {
        let mut present = *present;
        while present != 0 {
            visit(64 * i + present.trailing_zeros() as usize, rest[0]);
            present &= present - 1;
            rest = &rest[1..];
        }
    }
}

/// Compresses the words of a tile. `None` if all are zero.
pub(crate) fn encode(words: &[u64]) -> Option<Vec<u8>> {
    if words.iter().all(|word| *word == 0) {
        return None;
    }
    let mut raw = vec![0u64; words.len().div_ceil(64)];
    for (i, word) in words.iter().enumerate() {
        if *word != 0 {
            insert(&mut raw, i);
            raw.push(*word);
        }
    }
    Some(compress(raw.as_bytes(), LEVEL).expect("compressing into memory does not fail"))
}

/// Decompresses a frame of a tile with a number of words. Returns whether it is valid.
pub(crate) fn decode(bytes: &[u8], words: usize, raw: &mut Vec<u64>) -> bool {
    let bitmap = words.div_ceil(64);
    raw.resize(bitmap + words, 0);
    let Ok(len) = decompress(bytes, raw.as_mut_bytes()) else { return false };
    if len % 8 != 0 || len / 8 < bitmap {
        return false;
    }
    raw.truncate(len / 8);
    let (found, rest) = raw.split_at(bitmap);
    let past_the_end = !words.is_multiple_of(64) && found[bitmap - 1] >> (words % 64) != 0;
    let count: u32 = found.iter().map(|word| word.count_ones()).sum();
    !past_the_end && count as usize == rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_frames_are_refused() {
        let mut raw = Vec::new();
        let good = encode(&[0, 5, 0, 7]).unwrap();
        assert!(decode(&good, 4, &mut raw));
        assert!(!decode(&good, 3, &mut raw) && !decode(&good, 100, &mut raw));
        assert!(!decode(&good[..good.len() - 1], 4, &mut raw));
        let of = |words: &[u64]| compress(words.as_bytes(), LEVEL).unwrap();
        for bad in [&[][..], &[3, 1], &[1], &[1, 2, 3], &[1 << 4, 1]] {
            assert!(!decode(&of(bad), 4, &mut raw), "{bad:?}");
        }
    }
}
