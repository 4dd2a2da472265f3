//! Code for newer processors, which is used only on them.

/// The proof that this processor has the instructions for sets of bits that x86-64 processors have had
/// since 2013 (Haswell) and 2015 (Excavator). On other processors there is none. There the basic
/// instructions include such ones.
#[derive(Clone, Copy, Debug)]
pub struct Modern(#[cfg(not(target_arch = "x86_64"))] std::convert::Infallible);

impl Modern {
    /// The proof, if this processor has the instructions. The processor is asked once.
    #[inline]
    pub fn detect() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            use std::arch::is_x86_feature_detected as has;
            static FOUND: std::sync::OnceLock<Option<Modern>> = std::sync::OnceLock::new();
            *FOUND.get_or_init(|| {
                // Those of `on_modern!`.
                let all = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("lzcnt");
                (all && has!("popcnt")).then_some(Self())
            })
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}

/// Calls a function that is compiled for the instructions of a [`Modern`]: itself, and what is inlined
/// into it. Generic parameters are between brackets, and arguments are variables.
#[macro_export]
#[doc(hidden)]
macro_rules! on_modern {
    (
        $proof:expr, $(#[$meta:meta])* fn [$($generics:tt)*] (
            $($argument:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? $body:block
    ) => {{
        let _: $crate::Modern = $proof;
        $(#[$meta])*
        #[cfg_attr(
            target_arch = "x86_64",
            target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")
        )]
        fn with_features $($generics)* ($($argument: $type),*) $(-> $result)? $body
        // SAFETY: a `Modern` is the proof that the processor has the features.
        #[allow(unused_unsafe, reason = "other processors have no features")]
        unsafe {
            with_features($($argument),*)
        }
    }};
}
