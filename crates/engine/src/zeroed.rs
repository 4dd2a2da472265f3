//! Memory that threads share, zero at first. The system gives it as it fills.

#![cfg_attr(not(target_family = "wasm"), allow(unsafe_code))]

use std::io;
use std::sync::atomic::AtomicU64;

/// Words that threads share.
#[cfg(not(target_family = "wasm"))]
pub(crate) struct Zeroed {
    bytes: memmap2::MmapRaw,
}

#[cfg(not(target_family = "wasm"))]
impl Zeroed {
    /// # Errors
    /// If the system does not have so many.
    pub(crate) fn new(words: usize) -> io::Result<Self> {
        let length = words.checked_mul(8).ok_or(io::ErrorKind::OutOfMemory)?;
        let bytes = memmap2::MmapMut::map_anon(length)?;
        // Large pages make it faster where there are any.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(memmap2::Advice::HugePage);
        Ok(Self { bytes: bytes.into() })
    }

    #[inline]
    pub(crate) fn words(&self) -> &[AtomicU64] {
        let words = self.bytes.as_mut_ptr().cast();
        // SAFETY: the mapping is writable, begins a page, is as long as this value lives, and is used
        // through these atomic words alone.
        unsafe { std::slice::from_raw_parts(words, self.bytes.len() / 8) }
    }
}

/// Words that threads share.
#[cfg(target_family = "wasm")]
pub(crate) struct Zeroed(Vec<AtomicU64>);

#[cfg(target_family = "wasm")]
impl Zeroed {
    /// # Errors
    /// If the page may not have so many.
    pub(crate) fn new(count: usize) -> io::Result<Self> {
        let mut words = Vec::new();
        words.try_reserve_exact(count).map_err(|_| io::ErrorKind::OutOfMemory)?;
        words.resize_with(count, AtomicU64::default);
        Ok(Self(words))
    }

    pub(crate) fn words(&self) -> &[AtomicU64] {
        &self.0
    }
}
