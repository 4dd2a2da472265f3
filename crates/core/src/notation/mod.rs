//! Texts for positions and turns, in both directions.

pub(crate) mod position;
pub(crate) mod turn;
