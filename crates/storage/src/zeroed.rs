//! Memory for large tables, which is zero at first.

#![cfg_attr(not(target_family = "wasm"), allow(unsafe_code))]

use std::io;
use std::sync::atomic::AtomicU64;

#[cfg(not(target_family = "wasm"))]
type Memory = memmap2::MmapRaw;
#[cfg(target_family = "wasm")]
type Memory = Vec<AtomicU64>;

/// Words that are zero at first, and that threads may share. The system gives them as they fill.
///
/// ```
/// use std::sync::atomic::Ordering;
/// use fanorona_storage::Zeroed;
/// let mut memory = Zeroed::new(2)?;
/// memory.words()[1].store(u64::MAX, Ordering::Relaxed);
/// assert_eq!(memory.bytes()[7..9], [0, 255]);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Zeroed(Memory);

#[cfg(not(target_family = "wasm"))]
impl Zeroed {
    /// So many words; at least one.
    ///
    /// # Errors
    /// If the system does not have them.
    pub fn new(words: usize) -> io::Result<Self> {
        let length =
            words.max(1).checked_mul(size_of::<u64>()).ok_or(io::ErrorKind::OutOfMemory)?;
        let bytes = memmap2::MmapMut::map_anon(length)?;
        // Large pages make it faster where there are any.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(memmap2::Advice::HugePage);
        Ok(Self(bytes.into()))
    }

    /// The words, as threads share them.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        let words = self.0.as_mut_ptr().cast();
        // SAFETY: the mapping can be written, begins a page, is as long as this value lives, and has
        // so many words. Nothing but the words is lent beside them, and they are atomic.
        unsafe { std::slice::from_raw_parts(words, self.0.len() / size_of::<u64>()) }
    }

    /// The bytes of the words, each in the order of the machine.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the mapping can be written, is as long as this value lives, and is lent to nobody
        // else, because this value is borrowed alone.
        unsafe { std::slice::from_raw_parts_mut(self.0.as_mut_ptr(), self.0.len()) }
    }
}

#[cfg(target_family = "wasm")]
impl Zeroed {
    /// So many words; at least one.
    ///
    /// # Errors
    /// If the page may not have them.
    pub fn new(count: usize) -> io::Result<Self> {
        let mut words = Vec::new();
        words.try_reserve_exact(count.max(1)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        words.resize_with(count.max(1), AtomicU64::default);
        Ok(Self(words))
    }

    /// The words, as threads share them.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        &self.0
    }

    /// The bytes of the words, each in the order of the machine.
    pub fn bytes(&mut self) -> &mut [u8] {
        zerocopy::IntoBytes::as_mut_bytes(self.0.as_mut_slice())
    }
}

impl Zeroed {
    /// Asks the processor to load the word of an index, because it is needed soon.
    #[inline]
    pub fn prefetch(&self, index: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(word) = self.words().get(index) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            // SAFETY: the address is valid, and nothing is read or written that the program sees.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(word).cast()) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = index;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_words_are_an_error() {
        assert!(Zeroed::new(usize::MAX).is_err());
        assert!(Zeroed::new(usize::MAX / 16).is_err());
        assert_eq!(Zeroed::new(0).unwrap().words().len(), 1);
    }
}
