//! Messages between processes.

use zerocopy::IntoBytes;

use super::log_frame::{Frames, read_frame};

/// The rest of a message. Processes are of one program, so there is nothing to check.
pub(crate) struct Message<'b>(&'b [u8]);

impl<'b> Message<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// A message with some parts, each after its length.
    pub(crate) fn of_parts(parts: &[Vec<u8>]) -> Vec<u8> {
        let with_length = |part: &Vec<u8>| [&(part.len() as u64).to_ne_bytes()[..], part].concat();
        parts.iter().flat_map(with_length).collect()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn bytes(&mut self, len: usize) -> &'b [u8] {
        let (bytes, rest) = self.0.split_at(len);
        self.0 = rest;
        bytes
    }

    pub(crate) fn number(&mut self) -> usize {
        u64::from_ne_bytes(self.bytes(8).try_into().expect("8 bytes")) as usize
    }

    pub(crate) fn numbers(&mut self, count: usize) -> Vec<u64> {
        let mut numbers = vec![0; count];
        numbers.as_mut_bytes().copy_from_slice(self.bytes(8 * count));
        numbers
    }

    /// Adds the frames that are the rest.
    pub(crate) fn add_frames(&mut self, frames: &mut Frames) {
        while !self.is_empty() {
            let (distance, tile, bytes) = read_frame(&mut self.0).expect("a whole frame");
            frames.entry(distance as u16).or_default().push((tile, bytes.to_vec()));
        }
    }
}
