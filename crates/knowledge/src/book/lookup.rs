//! Books: several certificates of one game, asked for any position.

use std::collections::HashSet;
use std::fmt;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona_core::{Board, Position, RuleSet, Stones, SymmetryGroup, Turn, Value};
use fanorona_proof::{Bounds, Certificate, ClaimKind, Entries, FoundEntry};
use fanorona_tablebase::Tables;

use super::error::BookError;
use super::missing::{MissingTables, missing};

type Result<T> = std::result::Result<T, BookError>;

/// The most entries of a proof that are followed, a tenth of a second, for what can do without.
const NEAR: usize = 1 << 15;

/// Certificates of one board and rule set that answer any position in them.
///
/// ```
/// use std::sync::atomic::AtomicBool;
/// use fanorona_core::{Board, RuleSet, Value};
/// use fanorona_knowledge::Book;
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/proofs/3x5-standard.proof");
/// let book = Book::open([path])?;
/// book.check(None, &AtomicBool::new(false), |_| {})?;
/// let start = book.board().start();
/// assert_eq!(book.lookup(&start, None)?.value(), Some(Value::Win));
/// let turn = book.entry(&start)?.expect("White is to move and wins").turn;
/// // After it, Black is to move, and every reply leads to another entry or ends the game.
/// let after = start.play_unchecked(&turn);
/// assert_eq!(book.lookup(&after, None)?.value(), Some(Value::Loss));
/// # Ok::<(), fanorona_knowledge::BookError>(())
/// ```
///
/// # What it knows
/// An [entry](crate#concepts) answers its position, every image of it under a symmetry of the board,
/// and all of these with colours swapped (except in the first phase of the vela, where colours
/// matter). If the other side is the prover, the position has no entry. Then the book generates all
/// turns. If each leads to an entry, to the end of the game, or to a position in the given tables,
/// the worst of these for the prover is a bound of the position's value.
///
/// # Why mixing proofs is sound
/// In a checked certificate, each entry is proved by itself: its distance to conversion ends
/// inside its own proof if it claims a win, and play never leaves that proof if it claims a draw.
/// So entries are facts about values, wherever they come from, and so are table values. A bound from
/// all turns of a position is one step of deduction from such facts, and no fact rests on it. So it
/// may mix entries of several proofs.
///
/// Playing is different: turns of two proofs of wins, chosen at will, could lead in a cycle.
/// Therefore the proof that answers is fixed: proofs of wins come before other proofs, and proofs
/// of earlier certificates before those of later ones. From an entry of a proof, play leads to
/// entries of the same proof or of an earlier one, until it leaves the book at a leaf. So the place
/// of the proof, the number of stones and the distance to conversion, compared in this order,
/// decrease from entry to entry. Whoever plays the book's turns in a won position therefore reaches
/// a leaf, which is won too. (In the book [of a start](Self::of_start), a large proof of a first turn
/// ends earlier.)
///
/// # Trust
/// A book believes its files: it compares checksums, but does not check the proofs. Call
/// [`check`](Self::check) for files of unknown origin. The same is true of the tables given to
/// [`lookup`](Self::lookup).
///
/// # Cost
/// Threads can share a book. The first time that it needs the entries of a proof with some number of
/// stones, it follows those with as many or more, two microseconds for each on one thread; when it is
/// [prepared](Self::prepare), all. They stay in memory, 24 bytes each. For the start of 9x5 that is one
/// entry of a million, for the tenth position after it one of 40. Finding an entry that was followed and
/// its turn takes 3 microseconds. With the certificate of 9x5, a position in which the
/// other side is to move takes 20 on average.
pub struct Book {
    pub(super) board: Board,
    pub(super) rules: RuleSet,
    certificates: Vec<Certificate>,
    /// How many of them answer all positions, from the first. The others are only asked for positions near
    /// their own.
    main: usize,
    /// In the order in which they answer.
    proofs: Vec<Proof>,
    group: SymmetryGroup,
}

/// An entry of a proof, found by the position that was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct BookEntry {
    /// A legal turn of the position. Of several turns that lead to the same position, the first.
    pub turn: Turn,
    /// The proved result for the side to move.
    pub kind: ClaimKind,
    /// In a proof of a win, the distance to conversion: after how many further entries, at most, a
    /// stone is captured or the proof ends.
    pub distance: Option<u32>,
    /// The index of the certificate in [`Book::certificates`](crate::Book::certificates).
    pub certificate: usize,
}

/// A proof of a book.
struct Proof {
    /// The index of its certificate.
    certificate: usize,
    entries: Entries,
}

impl fmt::Debug for Book {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Book")
            .field("board", &self.board)
            .field("rules", &self.rules)
            .field("certificates", &self.certificates)
            .finish_non_exhaustive()
    }
}

impl Book {
    /// Opens certificates of one board and rule set.
    ///
    /// # Errors
    /// As for [`Certificate::open`] and [`new`](Self::new).
    pub fn open(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Result<Self> {
        let certificates = paths.into_iter().map(Certificate::open);
        Self::new(certificates.collect::<std::result::Result<_, _>>()?)
    }

    /// A book of certificates of one board and rule set. If several have an entry for a position,
    /// the first one answers, except that wins come first.
    ///
    /// # Errors
    /// [`BookError::Empty`] if there is no certificate, and [`BookError::OtherGame`] if they are not
    /// all of one board and rule set.
    pub fn new(certificates: Vec<Certificate>) -> Result<Self> {
        let first = certificates.first().ok_or(BookError::Empty)?;
        let (board, rules) = (first.board(), first.rules());
        if let Some(other) = certificates.iter().find(|c| (c.board(), c.rules()) != (board, rules))
        {
            return Err(BookError::OtherGame {
                path: other.path().to_owned(),
                found_board: other.board(),
                found_rules: other.rules(),
                board,
                rules,
            });
        }
        let of_certificate = |(index, certificate)| {
            Entries::of(certificate)
                .into_iter()
                .map(move |entries| Proof { certificate: index, entries })
        };
        let mut proofs: Vec<_> = certificates.iter().enumerate().flat_map(of_certificate).collect();
        proofs.sort_by_key(|proof: &Proof| !proof.entries.claim().is_win());
        let (main, group) = (certificates.len(), SymmetryGroup::new(board));
        Ok(Self { board, rules, certificates, main, proofs, group })
    }

    /// A book of the certificate of a start, and of those of first turns. These are asked only for
    /// positions [near](Self::is_near) theirs: a late one that nobody has proved would take several times
    /// as long. Their tables do not count as [missing](Self::missing_tables).
    pub(super) fn of_opening(certificates: Vec<Certificate>) -> Result<Self> {
        Ok(Self { main: 1, ..Self::new(certificates)? })
    }

    /// Books of certificates of any boards and rule sets: one for each game, in the order of their
    /// first certificates.
    pub fn by_game(certificates: impl IntoIterator<Item = Certificate>) -> Vec<Self> {
        let mut games: Vec<Vec<Certificate>> = Vec::new();
        for new in certificates {
            let is_of = |game: &&mut Vec<Certificate>| {
                game.iter().all(|old| (old.board(), old.rules()) == (new.board(), new.rules()))
            };
            match games.iter_mut().find(is_of) {
                Some(game) => game.push(new),
                None => games.push(vec![new]),
            }
        }
        games.into_iter().map(|game| Self::new(game).expect("it is one game")).collect()
    }

    /// The board.
    pub fn board(&self) -> Board {
        self.board
    }

    /// The rule set.
    pub fn rules(&self) -> RuleSet {
        self.rules
    }

    /// The certificates, in the given order.
    pub fn certificates(&self) -> &[Certificate] {
        &self.certificates
    }

    /// Checks all certificates, and returns the number of their positions. See
    /// [`Certificate::check`].
    ///
    /// # Errors
    /// As for [`Certificate::check`].
    pub fn check(
        &self,
        tables: Option<&Tables>,
        stop: &AtomicBool,
        progress: impl Fn(u64) + Sync,
    ) -> Result<u64> {
        let mut done = 0;
        for certificate in &self.certificates {
            done += certificate.check(tables, stop, |checked| progress(done + checked))?;
        }
        Ok(done)
    }

    /// The tables that the certificates need and `tables` lacks; `None` if nothing is missing. Only
    /// the directory of `tables` matters. Tables of either metric will do. Checksums are not
    /// compared; [`check`](Self::check) does that.
    ///
    /// # Errors
    /// [`BookError::Tables`] if a table is damaged.
    pub fn missing_tables(&self, tables: Option<&Tables>) -> Result<Option<MissingTables>> {
        missing(self.board, &self.rules, &self.certificates[..self.main], tables)
    }

    /// Follows all proofs as far as questions may need them, so that none has to wait for it.
    ///
    /// # Errors
    /// If a certificate is damaged or cannot be read.
    pub fn prepare(&self) -> Result<()> {
        for proof in &self.proofs {
            match self.is_main(proof) {
                true => proof.entries.prepare(&self.certificates[proof.certificate])?,
                false => _ = self.has_near(proof, 0)?,
            }
        }
        Ok(())
    }

    /// Whether all proofs have been followed, but for what takes a tenth of a second. Following them uses
    /// the threads of the current `rayon::ThreadPool`.
    pub fn is_prepared(&self) -> bool {
        self.proofs.iter().all(|proof| proof.entries.is_prepared() || !self.is_main(proof))
    }

    /// Whether a position can be looked up in a tenth of a second for each proof: not if a proof has more
    /// than 32,768 entries with as many stones or more.
    ///
    /// # Errors
    /// If a certificate is damaged or cannot be read.
    pub fn is_near(&self, position: &Position) -> Result<bool> {
        let stones = Stones::of(position).count();
        for proof in self.proofs.iter().filter(|proof| self.is_main(proof)) {
            if !self.has_near(proof, stones)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn has_near(&self, proof: &Proof, stones: u32) -> Result<bool> {
        Ok(proof.entries.is_near(&self.certificates[proof.certificate], stones, NEAR)?)
    }

    fn is_main(&self, proof: &Proof) -> bool {
        proof.certificate < self.main
    }

    /// The bounds that the certificates and the given tables prove for a position.
    ///
    /// If the game is over or the tables hold the position, that decides, and nothing else is
    /// asked. Tables that the certificates do not name are used too. Without tables, or if some are
    /// [missing](Self::missing_tables), less is known, but nothing wrong.
    ///
    /// # Errors
    /// - [`BookError::OtherBoard`] if the position is on another board.
    /// - [`BookError::Tables`] with [`OtherGame`](fanorona_tablebase::TableError::OtherGame) if the
    ///   tables are of another game.
    /// - [`BookError::Contradiction`] if two facts exclude each other.
    /// - Others if a file is damaged or cannot be read.
    pub fn lookup(&self, position: &Position, tables: Option<&Tables>) -> Result<Bounds> {
        self.check_position(position)?;
        if let Some(tables) = tables {
            tables.check_game(self.board, &self.rules)?;
        }
        if let Some(value) = self.leaf(position, tables)? {
            return Ok(Bounds::exact(value));
        }
        let at_least = self.entry(position)?.map_or(Value::Loss, |entry| entry.kind.at_least());
        let at_most = match at_least {
            Value::Win => Value::Win,
            _ => -self.opponent_at_least(position, tables)?,
        };
        if at_least > at_most {
            return Err(BookError::Contradiction { position: *position });
        }
        Ok(Bounds { at_least, at_most })
    }

    /// The entry of a position, if a proof for the side to move has one. Cheaper than
    /// [`lookup`](Self::lookup): it asks no tables and does not look at other positions.
    ///
    /// # Errors
    /// [`BookError::OtherBoard`] if the position is of another board; others if a certificate is
    /// damaged or cannot be read.
    pub fn entry(&self, position: &Position) -> Result<Option<BookEntry>> {
        self.check_position(position)?;
        let Some((proof, found)) = self.find(position)? else { return Ok(None) };
        let turn = found.turn(&self.certificates[proof.certificate], position)?;
        let claim = proof.entries.claim();
        let distance = claim.is_win().then_some(found.distance);
        let (kind, certificate) = (claim.kind, proof.certificate);
        Ok(Some(BookEntry { turn, kind, distance, certificate }))
    }

    fn check_position(&self, position: &Position) -> Result<()> {
        let (expected, found) = (self.board, position.board());
        if found == expected { Ok(()) } else { Err(BookError::OtherBoard { expected, found }) }
    }

    /// The first proof that has an entry for a position, with the entry.
    fn find(&self, position: &Position) -> Result<Option<(&Proof, FoundEntry)>> {
        let canonical = self.group.canonical(Stones::of(position));
        let (own, opponent) = (position.own().len(), position.opponent().len());
        let has_colours = self.rules.colours_matter(position.board(), own, opponent);
        for proof in &self.proofs {
            if has_colours && proof.entries.claim().side != position.to_move() {
                continue;
            }
            if !self.is_main(proof) && !self.has_near(proof, canonical.stones.count())? {
                continue;
            }
            let certificate = &self.certificates[proof.certificate];
            if let Some(found) = proof.entries.find(certificate, &canonical)? {
                return Ok(Some((proof, found)));
            }
        }
        Ok(None)
    }

    /// The value of a position in which the game is over or that the tables hold.
    fn leaf(&self, position: &Position, tables: Option<&Tables>) -> Result<Option<Value>> {
        if let Some(outcome) = self.rules.outcome(position) {
            return Ok(Some(outcome.value_for(position.to_move())));
        }
        match tables {
            Some(tables) => Ok(tables.probe_if_held(position)?.map(|found| found.value)),
            None => Ok(None),
        }
    }

    /// The least value of the side to move, by a leaf or an entry.
    fn at_least(&self, position: &Position, tables: Option<&Tables>) -> Result<Value> {
        if let Some(value) = self.leaf(position, tables)? {
            return Ok(value);
        }
        let found = self.find(position)?;
        Ok(found.map_or(Value::Loss, |(proof, _)| proof.entries.claim().kind.at_least()))
    }

    /// The least value of the side that is not to move: the worst of all turns. Tables are asked last and
    /// together, because their parts may have to be fetched.
    fn opponent_at_least(&self, position: &Position, tables: Option<&Tables>) -> Result<Value> {
        let mut worst = Value::Win;
        let (mut seen, mut in_tables) = (HashSet::new(), Vec::new());
        let flow = self.rules.try_for_each_turn(position, |turn| {
            let after = position.play_unchecked(turn);
            if !seen.insert(after) {
                return ControlFlow::Continue(());
            }
            let found = match tables.map_or(Ok(false), |tables| tables.has_slice_of(&after)) {
                Ok(true) => {
                    in_tables.push(after);
                    Ok(worst)
                }
                Ok(false) => self.at_least(&after, None),
                Err(error) => Err(error.into()),
            };
            match found {
                Ok(value) => {
                    worst = worst.min(value);
                    // Nothing is worse.
                    let is_known = worst == Value::Loss;
                    if is_known { ControlFlow::Break(Ok(())) } else { ControlFlow::Continue(()) }
                }
                Err(error) => ControlFlow::Break(Err(error)),
            }
        });
        if let ControlFlow::Break(found) = flow {
            return found.map(|()| worst);
        }
        let found: Vec<_> = in_tables.iter().map(|after| self.at_least(after, tables)).collect();
        found.into_iter().try_fold(worst, |worst, found| Ok(worst.min(found?)))
    }
}
