//! Long lists of words or grades in compressed frames, each an extent.

use std::io;

use fanorona_storage::{FileError, compress, decompress};
use rayon::iter::Either;
use rayon::prelude::*;
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::extents::{Extent, ExtentFile, of_system};
use super::numbers::damaged;

/// The compression level of zstd. Low, because the build waits for it.
const LEVEL: i32 = 1;

/// The bytes of a frame before compression. Small in this crate's tests, so that they have many
/// frames.
const FRAME: usize = if cfg!(test) { 1 << 8 } else { 1 << 20 };

/// Writes items in compressed frames, all of them or none.
pub(in crate::builder) fn write_items<T: IntoBytes + Immutable + Sync>(
    file: &ExtentFile,
    items: &[T],
) -> Result<Vec<Extent>, FileError> {
    let per_frame = FRAME / size_of::<T>();
    let write = |items: &[T]| {
        let frame =
            compress(items.as_bytes(), LEVEL).expect("compressing into memory does not fail");
        file.write(&frame)
    };
    let (frames, errors): (Vec<_>, Vec<_>) =
        items.par_chunks(per_frame).map(write).partition_map(|written| match written {
            Ok(frame) => Either::Left(frame),
            Err(error) => Either::Right(error),
        });
    match errors.into_iter().next() {
        None => Ok(frames),
        Some(error) => {
            frames.into_iter().for_each(|frame| file.free(frame));
            Err(error)
        }
    }
}

/// Reads items from the next frames until `items` is full. Claims the frames.
pub(in crate::builder) fn read_items<T: FromBytes + IntoBytes + Send>(
    file: &ExtentFile,
    frames: &mut std::slice::Iter<'_, Extent>,
    items: &mut [T],
) -> io::Result<()> {
    let per_frame = FRAME / size_of::<T>();
    let of_frames: Vec<_> = items.chunks_mut(per_frame).zip(frames).collect();
    let found: usize = of_frames.iter().map(|(items, _)| items.len()).sum();
    of_frames.into_par_iter().try_for_each(|(items, frame)| {
        file.claim(*frame)?;
        let mut bytes = vec![0; frame.len()];
        file.read(*frame, &mut bytes).map_err(of_system)?;
        let items = items.as_mut_bytes();
        match decompress(&bytes, items) {
            Ok(length) if length == items.len() => Ok(()),
            Ok(_) => Err(damaged("a frame has another number of items")),
            Err(_) => Err(damaged("a frame does not decompress")),
        }
    })?;
    if found == items.len() { Ok(()) } else { Err(damaged("frames are missing")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes and reads lists that end before, at and after the ends of frames.
    #[test]
    fn items_round_trip() {
        let dir = tempfile::tempdir().unwrap();
        let file = ExtentFile::for_checkpoint(dir.path());
        let per_frame = FRAME / size_of::<u64>();
        let item = |i: usize| (i as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        for frames in [0, 1, 5] {
            for length in [frames * per_frame, frames * per_frame + 1, (frames + 1) * per_frame - 1]
            {
                let items: Vec<_> = (0..length).map(item).collect();
                let extents = write_items(&file, &items).unwrap();
                assert_eq!(extents.len(), length.div_ceil(per_frame));
                let mut found = vec![item(12345); length];
                let mut input = extents.iter();
                read_items(&file, &mut input, &mut found).unwrap();
                assert_eq!((found, input.len()), (items, 0));
                // Reading more items fails.
                let mut longer = vec![0_u64; length + 1];
                assert!(read_items(&file, &mut extents.iter(), &mut longer).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn other_frames_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let file = ExtentFile::for_checkpoint(dir.path());
        let read = |bytes: &[u8]| {
            let frames = [file.write(bytes).unwrap()];
            read_items(&file, &mut frames.iter(), &mut [0_u64; 3])
        };
        let good = compress([1_u64, 2, 3].as_bytes(), LEVEL).unwrap();
        read(&good).unwrap();
        assert!(read(&good[..good.len() - 1]).is_err());
        let short = compress([1_u64, 2].as_bytes(), LEVEL).unwrap();
        assert!(read(&short).unwrap_err().to_string().contains("number of items"));
        assert!(read(b"other").unwrap_err().to_string().contains("decompress"));
    }
}
