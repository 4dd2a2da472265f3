//! The C interface of **Fanorona**: rules, endgame tables, proofs and an opponent.
//!
//! The functions are described in `include/fanorona.h`, which C programs read. The documentation here
//! only says what matters to Rust. `README.md` of the crate explains building, installing and the
//! promise about the ABI; `docs/ENGINE_AUTHORS.md` is for those who write an engine.
//!
//! # Rules of this crate
//! - Every exported function runs its work in `boundary::run`, which stops panics, and returns a
//!   [`Status`]. It is unsafe, because all that C gives must be as the header says.
//! - What C gives is read with the functions of `pointers`, which refuse NULL and copy. So an input
//!   and an output may be the same object.
//! - Outputs are written at the end, if all went well.
//! - Handles share what they hold ([`Arc`](std::sync::Arc)), so they can be freed in any order.
//!   There is no global state.
//! - Types that C sees are `repr(C)` and made of integers, because every bit pattern of these is
//!   valid.

#![expect(clippy::missing_safety_doc, reason = "it is in the header, and in the rules above")]

#[cfg(panic = "abort")]
compile_error!(
    "the C interface stops panics at its boundary, which panic = \"abort\" makes impossible"
);

mod analyze;
mod book;
mod boundary;
mod failure;
mod game;
mod grow;
mod know;
mod opponent;
mod pointers;
mod pool;
mod progress;
mod record;
mod status;
mod stop;
mod tables;
#[cfg(feature = "test-panic")]
mod test_panic;
mod text;
mod turn;
mod value;
mod version;

pub use analyze::*;
pub use book::*;
pub use boundary::*;
pub use game::*;
pub use know::*;
pub use opponent::*;
pub use progress::*;
pub use record::*;
pub use status::*;
pub use stop::*;
pub use tables::*;
#[cfg(feature = "test-panic")]
pub use test_panic::*;
pub use turn::*;
pub use value::*;
pub use version::*;
