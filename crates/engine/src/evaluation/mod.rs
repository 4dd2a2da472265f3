//! The evaluation: how well the side to move stands, without a search.
//!
//! On 9x5 a small [network] says it, on other boards a weighted sum of a few [features](linear).

mod inputs;
mod linear;
mod network;
mod weights;

use fanorona_core::{Board, FirstStepCounts, Stones};

pub use inputs::inputs;
pub use linear::{FEATURES, features, phase};
pub use weights::WEIGHTS;

use linear::Linear;
use network::Network;

/// Evaluates positions of one board.
#[derive(Clone, Copy)]
pub(crate) struct Evaluation {
    linear: Linear,
    network: Option<Network>,
}

impl Evaluation {
    pub(crate) fn new(board: Board) -> Self {
        let network = (board == Board::tsivy()).then(Network::new);
        Self { linear: Linear::new(board), network }
    }

    /// The number of first steps.
    #[inline]
    pub(crate) fn first_steps(self, stones: Stones) -> FirstStepCounts {
        self.linear.first_steps(stones)
    }

    /// The estimate for the side to move.
    #[inline]
    pub(crate) fn estimate(self, stones: Stones) -> i32 {
        match self.network {
            Some(network) => network.estimate(stones),
            None => self.linear.estimate(stones),
        }
    }
}
