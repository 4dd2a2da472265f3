//! The loops of the generator, compiled for more than one set of instructions.
//!
//! [`Portable`] uses what the whole crate is compiled for, and [`Modern`] the instructions of newer
//! processors. The choice is made when the program runs.

#![allow(unsafe_code)]

use fanorona_core::{Modern, Stones, on_modern};

use super::kernel::{Kernel, Version};
use super::queue::{CaptureQueue, CapturingStone};
use crate::stop::Stop;

/// The features that the crate is compiled for.
#[derive(Clone, Copy)]
pub(super) struct Portable;

/// Calls what is compiled like the rest of the crate, in the form of [`on_modern`].
macro_rules! portably {
    ($proof:expr, fn [$($generics:tt)*] ($($argument:ident: $type:ty),*) $(-> $result:ty)? $body:block) => {
        $body
    };
}

macro_rules! version {
    ($version:ident, $call:ident, $(fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        impl Version for $version {
            $(
                #[inline(always)]
                fn $name<const M: bool, const S: bool>(
                    self,
                    kernel: &Kernel<Self, M, S>,
                    $($argument: $type),*
                ) $(-> $result)? {
                    $call!(
                        self,
                        fn [<const M: bool, const S: bool>](
                            kernel: &Kernel<$version, M, S>, $($argument: $type),*
                        ) $(-> $result)? {
                            kernel.$name($($argument),*)
                        }
                    )
                }
            )*
        }
    };
}

macro_rules! versions {
    ($($version:ident $call:ident;)*) => {
        $(version! {
            $version, $call,
            fn add(queues: &mut [CaptureQueue], stones: Stones, stop: &Stop<'_>) -> u128;
            fn drain(queues: &mut [CaptureQueue], stop: &Stop<'_>) -> u128;
            fn successors(queue: &mut CaptureQueue, stones: Stones, found: &mut Vec<Stones>);
            fn steps(stones: Stones, depth: u8, stop: &Stop<'_>) -> u128;
            fn relay(stone: &CapturingStone, depth: u8, stop: &Stop<'_>) -> u128;
        })*
    };
}

versions! {
    Portable portably;
    Modern on_modern;
}
