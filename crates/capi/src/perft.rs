//! Counting turns.

use fanorona_perft::{Counting, PerftCounter, PerftNode};

use crate::boundary::{ErrorBuffer, run};
use crate::failure::Failure;
use crate::game::GameHandle;
use crate::pointers::{Output, handle};
use crate::position::CPosition;
use crate::status::Status;
use crate::stop::{StopHandle, flag};

/// A count of 128 bits: `fanorona_count`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C)]
pub struct Count {
    /// The lower 64 bits.
    pub low: u64,
    /// The upper 64 bits.
    pub high: u64,
}

/// Counts.
///
/// # Safety
/// As the header says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fanorona_perft(
    game: *const GameHandle,
    position: *const CPosition,
    depth: u32,
    counting: i32,
    stop: *const StopHandle,
    count: *mut Count,
    error: *mut ErrorBuffer,
) -> Status {
    let work = || {
        // SAFETY: all pointers are NULL or as the header says.
        let (game, position, stop, out) = unsafe {
            let game = handle(game, "game")?;
            let position = game.position(position)?;
            (game, position, flag(stop)?, Output::new(count, "count")?)
        };
        let wrong = |name, why| Failure::Argument { name, why };
        let depth = u8::try_from(depth)
            .map_err(|_| wrong("depth", format!("is {depth}, but {} is the most", u8::MAX)))?;
        // Unique positions would take memory for each of them.
        let counting = match counting {
            0 => Counting::Turns,
            1 => Counting::Positions,
            2 => Counting::Steps,
            other => return Err(wrong("counting", format!("is {other}, not a way of counting"))),
        };
        let mut counter = PerftCounter::new(&game.rules, game.board, counting);
        let found = counter.count_until(&PerftNode::new(&position), depth, stop);
        let found = found.ok_or(Failure::Stopped)?;
        out.write(Count { low: found as u64, high: (found >> 64) as u64 });
        Ok(())
    };
    // SAFETY: as above.
    unsafe { run(error, work) }
}
