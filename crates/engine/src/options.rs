//! What an engine is built with.

use crate::level::Level;

/// What an [`Engine`](crate::Engine) is built with.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Options {
    /// Bytes of the transposition table.
    pub memory: usize,
    /// Threads that search together at full strength; at least 1.
    pub threads: usize,
    /// How well to play.
    pub level: Level,
    /// The seed of the noise of the lower levels.
    pub seed: u64,
    /// A turn that makes a position occur for the third time is a draw.
    pub threefold: bool,
    /// This number of turns of both sides without a capture is a draw.
    pub without_capture: Option<u32>,
    /// Search every turn to the full depth: no reductions, no extensions, and two plies of all
    /// captures beyond it. Slower; for comparing with other programs and for tests.
    pub full_width: bool,
}

impl Default for Options {
    /// 64 MiB, one thread, full strength, seed 0, threefold repetition, selective search.
    fn default() -> Self {
        Self {
            memory: 64 << 20,
            threads: 1,
            level: Level::FULL,
            seed: 0,
            threefold: true,
            without_capture: None,
            full_width: false,
        }
    }
}
