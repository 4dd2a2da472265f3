//! The window of scores that matter.

/// The values that bound what matters at a node, for the side to move. A window of width 1 only asks
/// on which side the score is.
#[derive(Clone, Copy)]
pub(super) struct Window {
    pub alpha: i32,
    pub beta: i32,
}

impl Window {
    /// The window that asks whether a score is above `alpha`.
    pub(super) fn above(alpha: i32) -> Self {
        Self { alpha, beta: alpha + 1 }
    }

    /// The same for the opponent.
    pub(super) fn opposite(self) -> Self {
        Self { alpha: -self.beta, beta: -self.alpha }
    }

    pub(super) fn is_open(self) -> bool {
        self.beta - self.alpha > 1
    }
}
