//! Is a position of Fanorona won, drawn or lost? Endgame tables answer where they reach, and a
//! proof search answers beyond them.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet, Value};
//! use fanorona_solver::{DEFAULT_MEMORY, Limits, Solver};
//!
//! let start = Board::telo().start();
//! let mut solver = Solver::new(RuleSet::STANDARD, start.board(), None, DEFAULT_MEMORY)?;
//! let stop = AtomicBool::new(false);
//! let analysis = solver.analyze(&start, &Limits::default(), &stop, |_| {})?;
//! // White wins 3x3.
//! assert_eq!(analysis.value(), Some(Value::Win));
//! # Ok::<(), fanorona_solver::SolverError>(())
//! ```
//!
//! A [`Solver`] analyzes positions of one board. An [`Analysis`] has the proved [`Bounds`] of the
//! value, and [`Solver::strategy`] gives the turns of a proof. The crate `fanorona-proof` writes
//! them as certificates, which can be checked without this crate.
//!
//! # Method
//! The value follows from two [questions](Question): can the side to move force a win, and can its
//! opponent? If neither can, the position is drawn. In each question one side is the *attacker* and
//! the other the *defender*. A node is a position with a question. It is *proved* if the attacker
//! can force a win within some number of turns, and *disproved* otherwise, also if play can go on
//! forever. A proof is a finite tree. A disproof is a set of positions: in each the attacker has not
//! won, all turns of the attacker lead to a position of the set, and so does at least one turn of the
//! defender.
//!
//! Positions that a symmetry of the board maps to each other are one node. So are positions with the
//! colours swapped, under all rules except the first phase of the vela.
//!
//! The search is depth-first proof-number search (df-pn; A. Nagai, 2002) with a transposition table
//! of fixed size. It always expands a node that needs the fewest further decisions, as estimated by
//! the proof and disproof numbers.
//! - The first numbers of a node come from its stones, as in df-pn+: the number of turns, with
//!   paikas counting twice as much as captures; the ratio of stones; and how many stones must be
//!   captured before a table has the position.
//! - Where all successors have to be decided, the number is the maximum of theirs plus one for each
//!   other successor, instead of the sum (weak proof-number search; T. Ueda et al., 2008). Different
//!   orders of turns lead to the same positions, and a sum would count them many times.
//! - A successor is searched until its number exceeds that of the second best by a quarter (the 1 + ε
//!   trick; J. Pawlewicz and Ł. Lew, 2006), which avoids jumping between the two.
//! - The successors of a node that was not searched before are not looked up in the transposition
//!   table until they are to be searched. Few of them are in it, and their numbers seldom
//!   decide anything, but each look-up waits for memory. Meanwhile the successor's own successors are
//!   listed.
//! - The two questions are searched alternately, each time for twice as long.
//!
//! # Repetition
//! Turns without captures can lead back to an earlier position. The result of a node may then depend
//! on the path to it: the attacker fails because a turn leads back to a node of the path, where it
//! makes no progress, and on another path it might succeed. Storing such a failure as a fact is the
//! graph-history-interaction problem (A. Kishimoto and M. Müller, "A general solution to the graph
//! history interaction problem", 2004). A test of this crate has a position for which a search that
//! ignores it gives the wrong value.
//!
//! Here each disproof says which nodes of the path it depends on. Let *R* be a set of nodes. A node
//! is *disproved given R* if there is a set of positions that contains it and that play cannot leave
//! except into *R*. A node that is disproved given the empty set is disproved. Four rules follow.
//! 1. What is disproved given *R* is disproved given any larger set.
//! 2. If the defender is to move and a successor is in *R* or is disproved given *R*, the node is
//!    disproved given *R*. If the attacker is to move, all successors must be.
//! 3. In rule 2, the node itself may be added to *R* for its successors: the union of their sets and
//!    the node is a set that play cannot leave except into *R*. (This is parameterized coinduction.)
//! 4. A proof never depends on the path, because every branch of its tree ends.
//!
//! *R* is always a suffix of the path. A successor that is on the path is in *R*. A disproof carries
//! the first ply of the path that it depends on. If that is not before the node itself, the node is
//! disproved unconditionally (rule 3) and stored as that. Otherwise it is stored with a hash of the
//! path from that ply to its parent. When the search reaches the node by a path with this suffix, it
//! is disproved given the same nodes (rule 1). On any other path, a *simulation* (Kishimoto and
//! Müller) checks whether the stored replies disprove it there too. It follows all turns of the
//! attacker and the stored reply of the defender until every line reaches a disproved node, the path
//! or a visited node. Then the visited nodes are a set that play cannot leave except into the path.
//! If it needs no node of the path, all visited nodes are disproved unconditionally. If the
//! simulation fails, the node is open again, with numbers that say it is likely disproved. So no
//! result is ever used on a path where it does not hold, whatever the rule set.
//!
//! The same argument covers several threads: an entry says what it depends on, whoever wrote it.
//!
//! The search terminates at each node, because it does not search below a repeated node, and each
//! time it returns from a successor one of that successor's numbers has grown to its limit.
//!
//! # Hash collisions
//! Keys have 128 bits, and different nodes have different keys. The table compares 64 of the bits,
//! in addition to those that select the bucket, so a wrong match has a probability of about 2⁻⁶² for
//! each look-up. A path suffix is recognized by its length and 39 bits of its hash, after the key of
//! the node has matched. Certificates depend on neither.
//!
//! # Threads
//! All threads start at the root with a path of their own and share the table. A node below which
//! other threads search looks a little harder (virtual loss), so the threads spread out.
//!
//! # Saved searches
//! [`Limits::resume`] saves a search in a file and continues it later, with the transposition table of
//! the file in the place of the solver's. The file must have the same rule set, position and tables.
//!
//! A checksum detects accidents, and entries that no search can have written are refused. Otherwise
//! the facts of the file are believed, as the values of tables are: checking each of them would take as
//! long as the search. A file that somebody has edited can make the search report what is not true. A
//! certificate can not, because its checker does not know the search.

#![forbid(unsafe_code)]

mod error;
mod evaluation;
mod game;
mod limits;
mod line;
mod node;
mod path;
mod play_out;
mod prover;
mod report;
mod root_turns;
mod saved_search;
mod search;
mod session;
mod solver;
mod strategy;
#[cfg(test)]
mod tests;
mod transposition;

pub use error::{Result, SolverError};
pub use fanorona_proof::{Bounds, Claim, ClaimKind, Question};
pub use limits::{DEFAULT_MEMORY, DEFAULT_TIME, Limits, large_memory};
pub use play_out::{PlayedOut, play_out};
pub use report::{Analysis, End, LineTurn, QuestionState, SearchReport, TurnState};
pub use solver::Solver;
pub use strategy::Strategy;
