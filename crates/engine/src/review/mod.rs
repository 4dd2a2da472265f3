//! Games judged turn by turn: the value of each position as far as it is known, the mistakes, and
//! how hard it was to avoid them.

mod judge;
mod mistake;

pub use judge::{Estimate, Judge, Judged, Means, Share, Time};
pub use mistake::{Mistake, TurnReview};
