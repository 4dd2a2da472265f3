//! Is a position of Fanorona won, drawn or lost? Endgame tables answer where they reach, and a proof
//! search beyond them.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet, Value};
//! use fanorona_solver::{Limits, analyze};
//!
//! let start = Board::telo().start();
//! let never = AtomicBool::new(false);
//! let analysis = analyze(&RuleSet::STANDARD, &start, None, &Limits::default(), &never, |_| {})?;
//! // White wins 3x3.
//! assert_eq!(analysis.bounds.value(), Some(Value::Win));
//! # Ok::<(), fanorona_solver::SolverError>(())
//! ```
//!
//! A [`Solver`] analyzes one position after the other and remembers what it has found out;
//! [`Solver::strategy`] then tells the turns of a proof. What is known of a value are its
//! [`Bounds`], and nothing is claimed that is not proved. It can be written down, and checked by
//! somebody else: see the crate [`fanorona_proof`].
//!
//! # What is searched
//! There are two questions: can the side to move force a win, and can its opponent? If neither can,
//! the position is drawn. In each [`Question`] one side attacks and the other defends. The attacker
//! *wins* a position if it can come to an end that it has won within some number of turns; the
//! defender *holds* all others, be it that play never ends. That a position is won is thus a finite
//! tree. That it is held is a set of positions, none of them won by the rules, which play cannot
//! leave: after every turn of the attacker the position is in the set, and the defender always has a
//! turn that stays in it. (Ends that the defender has won or drawn, and table positions that are no
//! win of the attacker, are in such a set by themselves.)
//!
//! Positions that a symmetry of the board maps onto each other are one node, and so are positions
//! with the colours swapped, under all rules but those of the vela's first phase. What is in a
//! node's favour beside its stones is only who attacks.
//!
//! The search is depth-first proof-number search (df-pn; A. Nagai's thesis of 2002 describes it).
//! It always goes on where the fewest leaves have to be decided, as far as one can tell, and
//! remembers these proof and disproof numbers in a table of a fixed size.
//! - The numbers that a node begins with tell what its stones tell: many turns are hard to refute,
//!   paikas twice as hard as captures; who has fewer stones will hardly win, where a side that can
//!   capture is taken to have done so; and each stone that no table reaches down to is one step more
//!   for both. The constants did best among some that were tried (`game.rs`).
//! - Where every successor has to be decided, the number is that of the hardest one and one for each
//!   other one, not the sum: turns in another order lead to the same positions, and a sum would count
//!   those many times. It also keeps numbers small where play goes round in circles.
//! - A successor is searched until it looks a quarter harder than the next best one, so that the
//!   search does not jump between two of them.
//! - The two questions take turns, with twice the patience each time.
//!
//! # Repetition
//! Play without captures can come back to a position. What a search finds out below a node then may
//! hold only because of the path on which it got there: the attacker failed because its turn led back
//! to a node of the path, which counts as no success there, and on another path might succeed. Taking
//! such a failure for a fact is the graph-history-interaction problem (A. Kishimoto and M. Müller,
//! "A General Solution to the Graph History Interaction Problem", 2004); a test of this crate has a
//! position on which that gives a wrong answer.
//!
//! Here every fact says what it rests on. Let `R` be a set of nodes. *Held given `R`* means: there is
//! a set of positions that play cannot leave but into `R`, and that has this one in it. Held given
//! nothing is held. Four rules follow.
//! 1. What is held given `R` is held given any larger set.
//! 2. If the defender moves and a successor is in `R`, or is held given `R`, then so is the node; if
//!    the attacker moves, all successors must be.
//! 3. In rule 2 the node itself may be added to `R` for its successors: the sets of the successors
//!    and the node together are a set that play cannot leave but into `R`. (This is what is called
//!    parameterized coinduction.)
//! 4. That a position is won never depends on a path: its tree has an end on every branch.
//!
//! `R` is always a part of the path. A successor that is on the path itself is in `R`. A held node
//! carries the first ply of the path that it rests on; a node whose successors rest on nothing
//! before its own ply is held, once for all (rule 3), and remembered as that. Any other one is
//! remembered with the hash of the path's last nodes from that ply on, the *tail*. Whenever the
//! search comes to it by a path with the same tail, it is held given that (rule 1). By any other path
//! it is first looked at whether the replies that are remembered hold it there too (the simulation of
//! Kishimoto and Müller): from the node on, all turns of the attacker and the remembered ones of the
//! defender, until each line comes to something held, to the path or to where it has been. If all of
//! them do, the positions visited are a set that play cannot leave but into the path; if the path is
//! not needed, they are held once for all. Otherwise the node is open, with numbers that say that it
//! will probably be held again. Nothing is ever used on a path that it is not true for. There is no
//! need to know which positions can come again, so it is right for all rule sets.
//!
//! The same argument makes it right for many threads: an entry of the table says what it rests on,
//! whoever wrote it.
//!
//! A node that the path has already is never searched again below itself, so the search goes round
//! in no circle; and each time it comes back from a successor one of the successor's two numbers has
//! grown to its limit, so it does not stay at one node for ever.
//!
//! # How sure
//! A node is found in the table by all 128 bits of its scrambled stones but those of the line that
//! it is in, which leaves a chance of about 2⁻⁶² that two nodes are taken for each other at one
//! look-up. A tail is recognized by its length and 39 bits of a hash, and only where the node is the
//! right one. A certificate rests on neither.
//!
//! # Threads
//! All threads begin at the same node, each with its own path, and share the table. Where others are
//! at work, a node looks a little harder, so the threads spread. The table has no locks: an entry is
//! two words, one combined with the other, and halves of two entries are no entry.

#![forbid(unsafe_code)]

#[cfg(test)]
mod audit;
mod engine;
mod error;
mod game;
mod memory;
mod node;
mod path;
mod search;
mod solver;
mod state;
mod strategy;
mod turns;

use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::Duration;

use fanorona_core::{Position, RuleSet, Turn, Value};
use fanorona_proof::{Bounds, Question};
use fanorona_tablebase::{RankedTurn, Tables};

pub use error::{NotSaved, Result, SolverError};
pub use solver::Solver;
pub use strategy::Strategy;

/// How far a question is from its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuestionState {
    /// The question.
    pub question: Question,
    /// The answer, if it is proved.
    pub answer: Option<bool>,
    /// The last proof number: how hard a yes looks. It has a meaning beside others only.
    pub proof: u32,
    /// The last disproof number: how hard a no looks.
    pub disproof: u32,
}

impl QuestionState {
    fn new(question: Question) -> Self {
        Self { question, answer: None, proof: 1, disproof: 1 }
    }
}

/// How far a turn of the analyzed position is from being proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TurnState {
    /// The turn; of turns that lead to positions that are alike, the first one.
    pub turn: Turn,
    /// The questions of the analyzed position, asked after the turn.
    pub questions: [QuestionState; 2],
    /// The positions looked at to answer them, as far as the search came to them by this turn.
    pub nodes: [u64; 2],
}

/// What a search may use, and when it gives up.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// It gives up after so many positions.
    pub nodes: Option<u64>,
    /// It gives up after so much time.
    pub time: Option<Duration>,
    /// How many threads work; 0 stands for as many as the machine has.
    pub threads: usize,
    /// A file that the search is kept in: at its end, and every few minutes. If it is there, the
    /// search goes on where it was, with the memory that it had. The rule set, the position and the
    /// tables must be the same. If it cannot be written, the search goes on all the same, and
    /// [`Progress::not_saved`] and [`Analysis::not_saved`] say so.
    pub resume: Option<PathBuf>,
}

impl Limits {
    fn threads(&self) -> usize {
        match self.threads {
            0 => thread::available_parallelism().map_or(1, |threads| threads.get()),
            threads => threads,
        }
    }
}

/// What a search remembers if nothing else is said: 256 MiB.
pub const DEFAULT_MEMORY: usize = 256 << 20;

/// How far a search has come.
#[derive(Clone, PartialEq, Debug)]
pub struct Progress {
    /// The bounds of the position.
    pub bounds: Bounds,
    /// The question for the side to move, and that for its opponent.
    pub questions: [QuestionState; 2],
    /// The same of its turns. Empty if tables hold the position, or the game is over.
    pub turns: Vec<TurnState>,
    /// The positions looked at.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// The share of the memory that is in use, 0 to 1.
    pub memory_filled: f64,
    /// The time taken.
    pub elapsed: Duration,
    /// Why the search was not kept when that was last tried. `None` if it was, or if it has not been
    /// tried yet.
    pub not_saved: Option<NotSaved>,
}

/// A turn of a line of play.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LineTurn {
    /// The turn.
    pub turn: Turn,
    /// The position after it.
    pub after: Position,
    /// What the turn is worth to the side that makes it: no other is worth more.
    pub value: Value,
}

/// Why an analysis ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The value is known.
    Proved,
    /// As many positions as were allowed have been looked at.
    Nodes,
    /// The time was over.
    Time,
    /// It was stopped.
    Stopped,
}

/// What is known of a position in the end.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// The proved bounds of the value.
    pub bounds: Bounds,
    /// A turn that gets at least `bounds.at_least`, where that is more than a loss; in a lost
    /// position a turn that holds out long. `None` if nothing is known or the game is over.
    pub best: Option<Turn>,
    /// If the value is known, how play goes on when both sides play best: to the end, to a position
    /// that tables hold without its distance, or until a position comes again. It can be shorter
    /// where finding the next turn would take long. The winner's turns get closer to the end, but
    /// not always on the shortest way.
    pub line: Vec<LineTurn>,
    /// Where tables hold the position: its distance to win, if they tell it.
    pub dtw: Option<u16>,
    /// Where tables hold the position: its turns with their values, best first.
    pub ranking: Option<Vec<RankedTurn>>,
    /// The question for the side to move, and that for its opponent.
    pub questions: [QuestionState; 2],
    /// The same of its turns. Empty if tables hold the position, or the game is over.
    pub turns: Vec<TurnState>,
    /// The positions looked at.
    pub nodes: u64,
    /// Of them, those that a table decided.
    pub table_hits: u64,
    /// The share of the memory that is in use, 0 to 1.
    pub memory_filled: f64,
    /// The time taken.
    pub elapsed: Duration,
    /// Why it ended.
    pub end: End,
    /// Why the search was not kept at its end. `None` if it was, or if nobody asked for that.
    pub not_saved: Option<NotSaved>,
}

/// Finds the value of a position, or what can be proved of it within the limits, with
/// [`DEFAULT_MEMORY`]: [`Solver::analyze`] for one position.
///
/// # Errors
/// As for [`Solver::new`] and [`Solver::analyze`].
pub fn analyze(
    rules: &RuleSet,
    position: &Position,
    tables: Option<&Tables>,
    limits: &Limits,
    stop: &AtomicBool,
    progress: impl FnMut(&Progress),
) -> Result<Analysis> {
    Solver::new(*rules, position.board(), tables, DEFAULT_MEMORY)?
        .analyze(position, limits, stop, progress)
}
