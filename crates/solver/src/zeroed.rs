//! Memory for large tables, which is zero at first.

use std::io;

/// Some bytes, aligned for words. The system gives them as they fill.
#[cfg(not(target_family = "wasm"))]
pub(crate) struct Zeroed(memmap2::MmapMut);

#[cfg(not(target_family = "wasm"))]
impl Zeroed {
    /// # Errors
    /// If the system does not have them.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let bytes = memmap2::MmapMut::map_anon(length)?;
        // Large pages make it faster where there are any.
        #[cfg(target_os = "linux")]
        let _ = bytes.advise(memmap2::Advice::HugePage);
        Ok(Self(bytes))
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Some bytes, aligned for words.
#[cfg(target_family = "wasm")]
pub(crate) struct Zeroed(Vec<u64>);

#[cfg(target_family = "wasm")]
impl Zeroed {
    /// # Errors
    /// If the page may not have them.
    pub(crate) fn new(length: usize) -> io::Result<Self> {
        let (mut words, length) = (Vec::new(), length.div_ceil(8));
        words.try_reserve_exact(length).map_err(|_| io::ErrorKind::OutOfMemory)?;
        words.resize(length, 0);
        Ok(Self(words))
    }

    pub(crate) fn len(&self) -> usize {
        8 * self.0.len()
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        zerocopy::IntoBytes::as_mut_bytes(self.0.as_mut_slice())
    }
}
