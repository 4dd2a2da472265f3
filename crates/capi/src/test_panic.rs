//! A function that panics, to test that panics stop at the boundary.

use crate::boundary::{ErrorBuffer, run};
use crate::opponent::OpponentHandle;
use crate::pointers::handle;
use crate::status::Status;

/// Panics while it holds the lock of an opponent.
///
/// # Safety
/// `opponent` is a handle, `error` as the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_test_panic(
    opponent: *const OpponentHandle,
    error: *mut ErrorBuffer,
) -> Status {
    let work = || {
        // SAFETY: the caller gives a handle.
        let opponent = unsafe { handle(opponent, "opponent") }?;
        opponent.with(|_| panic!("this panic is a test"));
        Ok(())
    };
    // SAFETY: as above.
    unsafe { run(error, work) }
}
