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

/// Writes items in compressed frames, all of them or none.
pub(crate) fn write_items<T: IntoBytes + Immutable + Sync>(
    file: &ExtentFile,
    items: &[T],
) -> Result<Vec<Extent>, FileError> {
    let per_frame = file.sizes.item_frame / size_of::<T>();
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
pub(crate) fn read_items<T: FromBytes + IntoBytes + Send>(
    file: &ExtentFile,
    frames: &mut std::slice::Iter<'_, Extent>,
    items: &mut [T],
) -> io::Result<()> {
    let per_frame = file.sizes.item_frame / size_of::<T>();
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
