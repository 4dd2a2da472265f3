//! Certificates: proofs of a position's value for those who distrust the search.
//!
//! A certificate holds one proof for each bound of the value, of one side having at least a draw or
//! a win. A proof is a set of positions in which that side is to move, with one turn for each. From
//! the first position on, whatever the opponent answers leads to another position of the set, to the
//! game's end or to a table's value, neither of them worse than was claimed. That is all for a draw:
//! play that never leaves the set never ends. For a win each position has a rank that falls from
//! paika to paika, so that play does end.
//!
//! A [`Maker`] makes a certificate from any [`Guide`], a [`Certificate`] is opened from a file and
//! checks itself. The checker shares with the search nothing but the rules and the tables.
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//! use fanorona_core::{Board, RuleSet, Value};
//! use fanorona_solver::certificate::{Certificate, Claim, Maker};
//! use fanorona_solver::{Limits, Solver};
//!
//! let (rules, start) = (RuleSet::STANDARD, Board::telo().start());
//! let never = AtomicBool::new(false);
//! let dir = tempfile::tempdir()?;
//! let path = dir.path().join("3x3.cert");
//!
//! let mut solver = Solver::new(rules, start.board(), None, 1 << 20)?;
//! let bounds = solver.analyze(&start, &Limits::default(), &never, |_| {})?.bounds;
//! let mut maker = Maker::new(&rules, &start, None, &never)?;
//! for claim in Claim::of_bounds(bounds, start.to_move()) {
//!     let (question, answer) = claim.question();
//!     let mut guide = solver.strategy(question, answer, &Limits::default(), &never);
//!     maker.prove(claim, &mut guide, |_| {})?;
//! }
//! maker.write(&path)?;
//!
//! let certificate = Certificate::open(&path)?;
//! assert_eq!(certificate.bounds().value(), Some(Value::Win));
//! let positions = certificate.check(None, &never, |_| {})?;
//! assert_eq!(positions, certificate.positions());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checker;
mod error;
mod format;
mod leaves;
mod maker;
mod stones;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Side, Turn, Value};
use fanorona_tablebase::Tables;

use crate::{Bounds, Question, SolverError};

pub use error::CertificateError;
pub use format::{NamedTable, VERSION};
pub use maker::Maker;

/// Says how a proof goes on.
pub trait Guide {
    /// A turn for the side that proves, at a position where it moves; `None` if the guide does not
    /// know one.
    ///
    /// Positions come through any symmetry of the board. A win's turns must come nearer to the end,
    /// or [`Maker::prove`] has to find others.
    ///
    /// # Errors
    /// If a table is damaged, or somebody asked to stop.
    fn turn(&mut self, position: &Position) -> Result<Option<Turn>, SolverError>;
}

/// What one proof says: this side wins, or has at least a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Claim {
    /// Whose claim it is.
    pub side: Side,
    /// Whether it wins; otherwise it has at least a draw.
    pub wins: bool,
}

impl Claim {
    /// The claims that bounds make, of a position with this side to move; two for a draw.
    pub fn of_bounds(bounds: Bounds, mover: Side) -> Vec<Self> {
        use Value::{Draw, Loss, Win};
        match (bounds.at_least, bounds.at_most) {
            (Win, _) => vec![Self { side: mover, wins: true }],
            (_, Loss) => vec![Self { side: mover.other(), wins: true }],
            (at_least, at_most) => [(at_least == Draw, mover), (at_most == Draw, mover.other())]
                .into_iter()
                .filter_map(|(holds, side)| holds.then_some(Self { side, wins: false }))
                .collect(),
        }
    }

    /// The question that the claim answers, and the answer: a side has at least a draw if its
    /// opponent cannot force a win.
    pub fn question(self) -> (Question, bool) {
        let attacker = if self.wins { self.side } else { self.side.other() };
        (Question { attacker }, self.wins)
    }

    /// Whether a value for the side to move is as good as the claim.
    fn is_met(self, value: Value, mover: Side) -> bool {
        let value = if mover == self.side { value } else { -value };
        value >= if self.wins { Value::Win } else { Value::Draw }
    }
}

/// A certificate in a file. What it says is not proved before it is [checked](Self::check).
#[derive(Debug)]
pub struct Certificate(format::Reader);

impl Certificate {
    /// Opens a certificate. It reads all but the entries; 32 bytes of memory for each thousand of
    /// those.
    ///
    /// # Errors
    /// If the file cannot be read, is no certificate of this version, or is damaged.
    pub fn open(path: &Path) -> Result<Self, CertificateError> {
        format::Reader::open(path).map(Self)
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.0.header().board
    }

    /// The rule set.
    pub fn rules(&self) -> RuleSet {
        self.0.header().rules
    }

    /// The position whose value is claimed.
    pub fn position(&self) -> Position {
        self.0.header().position
    }

    /// What is claimed of its value.
    pub fn bounds(&self) -> Bounds {
        self.0.header().bounds()
    }

    /// The tables that it rests on, smaller slices first.
    pub fn tables(&self) -> &[NamedTable] {
        &self.0.header().tables
    }

    /// The number of entries of all proofs.
    pub fn positions(&self) -> u64 {
        self.0.header().proofs.iter().fold(0, |sum: u64, proof| sum.saturating_add(proof.entries))
    }

    /// The size of the file, in bytes.
    pub fn bytes(&self) -> u64 {
        self.0.bytes()
    }

    /// The checksum in which all others go.
    pub fn checksum(&self) -> u64 {
        self.0.checksum()
    }

    /// Checks that the proofs hold, on all threads of the current pool, and tells the number of
    /// their positions; `progress` is told how many are checked.
    ///
    /// `tables` tell the directory, and may be missing where the certificate names none. Every byte of
    /// those that it names is read, to compare checksums.
    ///
    /// Memory: a quarter byte for each entry, 32 bytes for each block, and some 64 MiB for each
    /// thread; whatever probing the tables takes comes on top.
    ///
    /// # Errors
    /// [`CertificateError::DoesNotHold`] or [`CertificateError::Corrupt`] if the proof fails; others
    /// if it cannot be checked: a table is missing or is another one, or somebody asked to stop.
    pub fn check(
        &self,
        tables: Option<&Tables>,
        stop: &AtomicBool,
        progress: impl Fn(u64) + Sync,
    ) -> Result<u64, CertificateError> {
        checker::check(&self.0, tables, stop, &progress)
    }
}
