//! Two operations on words that most processors have instructions for: `pext` and `pdep` of x86-64.
//! Elsewhere loops do the same.

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use fanorona_core::Modern;

pub(super) trait Words: Copy {
    /// The bits of a word in a mask, without gaps.
    fn extract(self, word: u64, mask: u64) -> u64;

    /// The inverse of [`extract`](Self::extract): puts the lowest bits into the bits of a mask.
    fn deposit(self, bits: u64, mask: u64) -> u64;
}

/// Without special instructions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

impl Words for Portable {
    fn extract(self, word: u64, mut mask: u64) -> u64 {
        let (mut packed, mut to) = (0, 1_u64);
        while mask != 0 {
            let bit = mask & mask.wrapping_neg();
            packed |= if word & bit != 0 { to } else { 0 };
            to = to.wrapping_shl(1);
            mask ^= bit;
        }
        packed
    }

    fn deposit(self, bits: u64, mut mask: u64) -> u64 {
        let (mut spread, mut rest) = (0, bits);
        while mask != 0 && rest != 0 {
            let bit = mask & mask.wrapping_neg();
            spread |= bit & (rest & 1).wrapping_neg();
            rest >>= 1;
            mask ^= bit;
        }
        spread
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Instructions {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Modern(Modern),
}

impl Instructions {
    #[cfg(test)]
    pub(super) const PORTABLE: Self = Self::Portable(Portable);

    /// The best ones that this processor has.
    #[inline]
    pub(super) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if let Some(modern) = Modern::detect() {
            return Self::Modern(modern);
        }
        Self::Portable(Portable)
    }
}

/// Defines a function that is compiled for each kind of [`Instructions`], its first argument: itself,
/// and what is inlined into it. In its body the argument is a [`Words`].
macro_rules! compiled {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident $(<$g:ident: $bound:path>)? (
            $words:ident $(, $argument:ident: $type:ty)* $(,)?
        ) $(-> $result:ty)? $body:block
    ) => {
        $(#[$meta])*
        #[allow(unsafe_code, clippy::too_many_arguments)]
        $vis fn $name $(<$g: $bound>)? (
            $words: $crate::instructions::Instructions, $($argument: $type),*
        ) $(-> $result)? {
            use $crate::instructions::Instructions;

            #[inline(always)]
            #[allow(clippy::too_many_arguments)]
            fn body $(<$g: $bound>)? (
                $words: impl $crate::instructions::Words, $($argument: $type),*
            ) $(-> $result)? $body

            match $words {
                Instructions::Portable(words) => body(words, $($argument),*),
                #[cfg(target_arch = "x86_64")]
                Instructions::Modern(words) => fanorona_core::on_modern!(
                    words,
                    #[inline]
                    #[allow(clippy::too_many_arguments)]
                    fn [$(<$g: $bound>)?](
                        words: fanorona_core::Modern, $($argument: $type),*
                    ) $(-> $result)? {
                        body(words, $($argument),*)
                    }
                ),
            }
        }
    };
}
pub(super) use compiled;

#[cfg(target_arch = "x86_64")]
impl Words for Modern {
    #[inline(always)]
    fn extract(self, word: u64, mask: u64) -> u64 {
        // SAFETY: `self` is the proof that the processor has the instruction.
        unsafe { std::arch::x86_64::_pext_u64(word, mask) }
    }

    #[inline(always)]
    fn deposit(self, bits: u64, mask: u64) -> u64 {
        // SAFETY: `self` is the proof that the processor has the instruction.
        unsafe { std::arch::x86_64::_pdep_u64(bits, mask) }
    }
}
