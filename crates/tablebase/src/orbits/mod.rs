//! Numbers for sets of points, up to the symmetries of the board.
//!
//! A set of `n` points has a *rank*: its number in colexicographic order, as in the combinatorial
//! number system (D. E. Knuth, "The Art of Computer Programming", volume 4A, section 7.2.1.3). The
//! symmetries group the sets into orbits. The lowest set of an orbit is its *representative*, and
//! orbits are numbered in the order of their representatives. A set is a [`Member`] of an orbit:
//! the number of the orbit, and a symmetry that maps the representative to the set.
//!
//! A set is a representative if none of its images has a lower rank. One bit per rank records that,
//! and takes much less memory than a list of all sets.
//!
//! This module contains all conversions between a set and its orbit and symmetry.

mod numbering;
mod parts;
mod rank_select;
mod ranks;

pub use numbering::{MAX_LISTED_FOR_BUILDERS, Member, OrbitSets, Orbits, num_sets};
pub use ranks::{choose, placements, placements_up_to_symmetry, rank, set_after, set_of_rank};
