//! A function that panics, to test that panics stop at the boundary.

use crate::boundary::exports;
use crate::opponent::OpponentHandle;
use crate::pointers::handle;

exports! {
    /// Panics while it holds the lock of an opponent.
    fn fanorona_test_panic(opponent: *const OpponentHandle) {
        // SAFETY: the caller gives a handle.
        let opponent = unsafe { handle(opponent, "opponent") }?;
        opponent.with(|_| panic!("this panic is a test"));
    }
}
