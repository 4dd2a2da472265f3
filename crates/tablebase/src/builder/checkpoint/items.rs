//! Long lists of words or grades in compressed frames: the form of matrices in checkpoints.

use std::io::{self, Read, Write};

use rayon::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::stream::{damaged, read_array};

/// The compression level of zstd. Low, because the build waits for it.
const LEVEL: i32 = 1;

/// The bytes of a frame before compression. Small in this crate's tests, so that they have many
/// frames.
const FRAME: usize = if cfg!(test) { 1 << 8 } else { 1 << 20 };

/// The number of frames that are compressed or decompressed in memory at a time.
const BATCH: usize = if cfg!(test) { 3 } else { 64 };

/// Writes items in compressed frames, each after its length.
pub(in crate::builder) fn write_items<T: IntoBytes + Immutable + Sync>(
    out: &mut dyn Write,
    items: &[T],
) -> io::Result<()> {
    let per_frame = FRAME / size_of::<T>();
    let compress = |items: &[T]| zstd::bulk::compress(items.as_bytes(), LEVEL);
    for batch in items.chunks(BATCH * per_frame) {
        let frames: Vec<_> = batch.par_chunks(per_frame).map(compress).collect();
        for frame in frames {
            let frame = frame?;
            out.write_all(&(frame.len() as u32).to_le_bytes())?;
            out.write_all(&frame)?;
        }
    }
    Ok(())
}

/// Reads items until `items` is full.
pub(in crate::builder) fn read_items<T: FromBytes + IntoBytes + Send>(
    mut input: &mut dyn Read,
    items: &mut [T],
) -> io::Result<()> {
    let per_frame = FRAME / size_of::<T>();
    for batch in items.chunks_mut(BATCH * per_frame) {
        let frames = (0..batch.len().div_ceil(per_frame)).map(|_| {
            let length = u32::from_le_bytes(read_array(&mut input)?) as usize;
            if length > zstd::zstd_safe::compress_bound(FRAME) {
                return Err(damaged("a frame is too long"));
            }
            let mut frame = vec![0; length];
            input.read_exact(&mut frame)?;
            Ok(frame)
        });
        let frames = frames.collect::<io::Result<Vec<_>>>()?;
        batch.par_chunks_mut(per_frame).zip(frames).try_for_each(|(items, frame)| {
            let bytes = items.as_mut_bytes();
            match zstd::bulk::decompress_to_buffer(&frame, bytes) {
                Ok(length) if length == bytes.len() => Ok(()),
                Ok(_) => Err(damaged("a frame has another number of items")),
                Err(_) => Err(damaged("a frame does not decompress")),
            }
        })?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes and reads lists that end before, at and after the ends of frames and batches.
    #[test]
    fn items_round_trip() {
        let per_frame = FRAME / size_of::<u64>();
        let item = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for frames in [0, 1, BATCH, 2 * BATCH] {
            for length in [frames * per_frame, frames * per_frame + 1, (frames + 1) * per_frame - 1]
            {
                let items: Vec<_> = (0..length).map(item).collect();
                let mut bytes = Vec::new();
                write_items(&mut bytes, &items).unwrap();
                let mut found = vec![item(12345); length];
                let mut input = &bytes[..];
                read_items(&mut input, &mut found).unwrap();
                assert_eq!(found, items);
                assert!(input.is_empty());
                // Reading more items fails.
                let mut longer = vec![0_u64; length + 1];
                assert!(read_items(&mut &bytes[..], &mut longer).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn changed_frames_are_refused() {
        let items: Vec<u64> = (0..1000).collect();
        let mut bytes = Vec::new();
        write_items(&mut bytes, &items).unwrap();
        let read = |bytes: &[u8]| read_items(&mut &*bytes, &mut vec![0_u64; items.len()]);
        read(&bytes).unwrap();
        assert!(read(&bytes[..bytes.len() - 1]).is_err());
        let mut too_long = bytes.clone();
        too_long[..4].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(read(&too_long).unwrap_err().to_string().contains("too long"));
        let mut other = bytes.clone();
        other[4] ^= 0xff;
        assert!(read(&other).unwrap_err().to_string().contains("decompress"));
    }
}
