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

pub use analyze::{Analysis, AnalyzeOptions, fanorona_analyze};
pub use book::{
    BookAnswer, BookHandle, fanorona_book_free, fanorona_book_lookup, fanorona_book_open,
};
pub use boundary::ErrorBuffer;
pub use game::{
    CPosition, GameHandle, fanorona_game_board, fanorona_game_free, fanorona_game_new,
    fanorona_game_rules, fanorona_outcome, fanorona_point_text, fanorona_position_check,
    fanorona_position_read, fanorona_position_text, fanorona_start,
};
pub use know::{fanorona_assess, fanorona_assess_turns, fanorona_line};
pub use opponent::{
    Choice, OpponentHandle, OpponentLimits, OpponentOptions, fanorona_opponent_choose,
    fanorona_opponent_forget, fanorona_opponent_free, fanorona_opponent_new,
};
pub use progress::{Listener, SearchReport};
pub use record::{
    RecordInfo, RecordsHandle, fanorona_record_text, fanorona_records_comment,
    fanorona_records_free, fanorona_records_get, fanorona_records_read,
    fanorona_records_variations,
};
pub use status::{Status, fanorona_status_text};
pub use stop::{
    StopHandle, fanorona_stop_clear, fanorona_stop_free, fanorona_stop_is_set, fanorona_stop_new,
    fanorona_stop_set,
};
pub use tables::{
    RankedTurn, TablesHandle, TablesOptions, fanorona_probe, fanorona_probe_many, fanorona_rank,
    fanorona_tables_free, fanorona_tables_open, fanorona_tables_prepare, fanorona_wdl,
};
#[cfg(feature = "test-panic")]
pub use test_panic::fanorona_test_panic;
pub use turn::{
    CStep, CTurn, fanorona_add_step, fanorona_next_steps, fanorona_play, fanorona_turn_read,
    fanorona_turn_text, fanorona_turns,
};
pub use value::{CAssessment, TableValue};
pub use version::{fanorona_version, fanorona_version_text};
