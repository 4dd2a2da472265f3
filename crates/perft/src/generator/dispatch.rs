//! The loops of the generator, compiled for more than one set of instructions.
//!
//! [`Portable`] uses what the whole crate is compiled for. [`Modern`] uses the instructions for bit
//! sets that x86-64 processors have had since 2013 (Haswell) and 2015 (Excavator); the choice is
//! made when the program runs. Other processors have only [`Portable`], which needs no more: there
//! the basic instructions include the ones for bit sets.

#![allow(unsafe_code)]

use fanorona_core::Stones;
#[cfg(target_arch = "x86_64")]
use fanorona_core::{Board, FirstStepCounts, FirstSteps};

use super::kernel::{Kernel, Version};
use super::queue::{CaptureQueue, CapturingStone};
use crate::stop::Stop;

/// The features that the crate is compiled for.
#[derive(Clone, Copy)]
pub(super) struct Portable;

/// One of the trait's functions, and the function that it calls, which is compiled with the
/// features.
macro_rules! function {
    (
        $version:ident, [$($features:literal)?],
        fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?
    ) => {
        #[inline(always)]
        fn $name<const M: bool, const S: bool>(
            self,
            kernel: &Kernel<Self, M, S>,
            $($argument: $type),*
        ) $(-> $result)? {
            $(#[target_feature(enable = $features)])?
            fn compiled<const M: bool, const S: bool>(
                kernel: &Kernel<$version, M, S>,
                $($argument: $type),*
            ) $(-> $result)? {
                kernel.$name($($argument),*)
            }
            // SAFETY: `self` is the proof that the processor has the features.
            #[allow(unused_unsafe, reason = "a version without features needs no proof")]
            unsafe {
                compiled(kernel, $($argument),*)
            }
        }
    };
}

macro_rules! version {
    ($version:ident, $features:tt) => {
        impl Version for $version {
            function!(
                $version, $features,
                fn add(queues: &mut [CaptureQueue], stones: Stones, stop: &Stop<'_>) -> u128
            );
            function!(
                $version, $features,
                fn drain(queues: &mut [CaptureQueue], stop: &Stop<'_>) -> u128
            );
            function!(
                $version, $features,
                fn successors(queue: &mut CaptureQueue, stones: Stones, found: &mut Vec<Stones>)
            );
            function!(
                $version, $features,
                fn steps(stones: Stones, depth: u8, stop: &Stop<'_>) -> u128
            );
            function!(
                $version, $features,
                fn relay(stone: &CapturingStone, depth: u8, stop: &Stop<'_>) -> u128
            );
        }
    };
}

version!(Portable, []);

#[cfg(target_arch = "x86_64")]
pub(super) use modern::Modern;

#[cfg(target_arch = "x86_64")]
mod modern {
    use super::*;

    /// The instructions for bit sets of current x86-64 processors. Only [`detect`](Self::detect)
    /// makes one.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Modern(());

    impl Modern {
        /// The proof that this processor has the instructions, if it does. The processor is asked
        /// once; later calls cost a load.
        pub(crate) fn detect() -> Option<Self> {
            let all = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            all.then_some(Self(()))
        }

        /// [`FirstSteps::count`], which mostly counts the elements of sets.
        #[inline]
        pub(crate) fn count_first_steps(self, board: Board, stones: Stones) -> FirstStepCounts {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn compiled(board: Board, stones: Stones) -> FirstStepCounts {
                FirstSteps::count(board, stones)
            }
            // SAFETY: `self` is the proof that the processor has the features.
            unsafe { compiled(board, stones) }
        }
    }

    version!(Modern, ["avx2,bmi1,bmi2,lzcnt,popcnt"]);
}
