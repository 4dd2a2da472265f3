//! The evaluation: how well the side to move stands, without a search.

mod inputs;
mod network;

pub use inputs::inputs;
pub(crate) use network::Evaluation;
pub use network::estimate;
