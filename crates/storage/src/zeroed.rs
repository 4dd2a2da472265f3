//! Memory for large tables, which is zero at first.

#![allow(unsafe_code)]

use std::io;
use std::sync::atomic::AtomicU64;

use zerocopy::{FromZeros, IntoBytes};

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
pub struct Zeroed(Vec<AtomicU64>);

impl Zeroed {
    /// So many words; at least one.
    ///
    /// # Errors
    /// If the system does not have them.
    pub fn new(words: usize) -> io::Result<Self> {
        let words = AtomicU64::new_vec_zeroed(words.max(1));
        let words = words.map_err(|_| io::ErrorKind::OutOfMemory)?;
        advise_large_pages(&words);
        Ok(Self(words))
    }

    /// The words, as threads share them.
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        &self.0
    }

    /// The bytes of the words, each in the order of the machine.
    pub fn bytes(&mut self) -> &mut [u8] {
        self.0.as_mut_bytes()
    }

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

/// Large pages make it faster where there are any.
fn advise_large_pages(words: &[AtomicU64]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        let bytes = words.as_ptr_range();
        // Only whole large pages count.
        let begin = (bytes.start as usize).next_multiple_of(1 << 21);
        let length = (bytes.end as usize).saturating_sub(begin);
        let begin = std::ptr::with_exposed_provenance_mut(begin);
        // SAFETY: the address range is one of ours, and the advice changes no content.
        let _ = unsafe { madvise(begin, length, Advice::LinuxHugepage) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = words;
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
