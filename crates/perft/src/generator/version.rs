//! The sets of instructions that the loops are compiled for.

#![allow(unsafe_code)]

use fanorona_core::{Modern, on_modern};

/// A set of instructions. A value is the proof that the processor has them.
pub(super) trait Version: Copy + 'static {
    /// Whether it extracts bits.
    const EXTRACTS: bool;

    /// The bits of a set that are in a mask, without gaps.
    fn extract(self, _set: u64, _mask: u64) -> u64 {
        unreachable!("it extracts no bits")
    }

    /// Calls a function that is compiled for these instructions: itself, and what is inlined into
    /// it.
    fn run<R>(self, task: impl FnOnce() -> R) -> R;
}

/// The instructions that the whole crate is compiled for.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Version for Portable {
    const EXTRACTS: bool = false;

    #[inline(always)]
    fn run<R>(self, task: impl FnOnce() -> R) -> R {
        task()
    }
}

/// The instructions of [`Modern`], with the one that extracts bits or without.
#[derive(Clone, Copy)]
pub(super) struct Newer<const EXTRACTS: bool>(pub(super) Modern);

impl<const E: bool> Version for Newer<E> {
    const EXTRACTS: bool = E;

    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn extract(self, set: u64, mask: u64) -> u64 {
        // SAFETY: a `Modern` is the proof that the processor has BMI2.
        unsafe { std::arch::x86_64::_pext_u64(set, mask) }
    }

    #[inline(always)]
    fn run<R>(self, task: impl FnOnce() -> R) -> R {
        on_modern!(
            self.0,
            fn [<R, T: FnOnce() -> R>](task: T) -> R { task() }
        )
    }
}

/// Whether this processor extracts bits in a cycle or two. AMD's up to Zen 2 (family 0x17) and
/// Hygon's take some hundred.
pub(super) fn extracts_fast() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        static FAST: std::sync::OnceLock<bool> = std::sync::OnceLock::new();
        *FAST.get_or_init(|| {
            // SAFETY: every x86-64 processor has the instruction.
            #[allow(unused_unsafe, reason = "it is safe for newer compilers")]
            let (vendor, version) = unsafe { (__cpuid(0).ebx.to_le_bytes(), __cpuid(1).eax) };
            let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
            !matches!(&vendor, b"Auth" | b"Hygo") || family >= 0x19
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}
