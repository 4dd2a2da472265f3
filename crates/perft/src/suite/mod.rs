//! Perft suites: positions with the counts that generators should find.
//!
//! A suite is plain text. Empty lines separate its entries, a line that starts with `#` is a
//! comment, and every other line is a key, a space and a value:
//!
//! ```text
//! # The start of the usual board.
//! id 9x5-standard-start
//! rules standard
//! count turns
//! position BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w
//! why the start position
//! source where the numbers come from
//! perft 1 5
//! perft 2 39
//! ```
//!
//! `perft` gives a depth, 255 at most, and its count; there is one for each depth. The other keys
//! occur once. `why`, `source`, `themes` (words for what its turns show) and `reference` (the
//! deepest depth that a second program has counted) are for readers and optional. Any other key is
//! an error, because a misspelt `perft` would silently drop a check.
//!
//! [`parse()`] reads a suite, [`check()`] compares its counts with this crate's.
//!
//! ```
//! use fanorona_perft::{perft, suite};
//! let text = "id one\nrules standard\ncount turns\nposition 3/1W1/2B w\nperft 1 1\n";
//! for entry in suite::parse(text)? {
//!     for (depth, nodes) in entry.counts {
//!         assert_eq!(perft(&entry.rules, &entry.position, depth, entry.counting), nodes);
//!     }
//! }
//! # Ok::<(), suite::SuiteError>(())
//! ```

mod check;
mod parse;

pub use check::{Mismatch, Report, check};
pub use parse::{Entry, SuiteError, parse};
