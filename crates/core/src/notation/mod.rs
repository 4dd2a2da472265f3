//! Texts for positions and turns, in both directions.

mod diagram;
pub(crate) mod position;
pub(crate) mod turn;
