//! Following a proof: from the certificate's position through the turns of the entries and all
//! turns of the other side.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::blocks::{Sorted, Turns};
use crate::certificate::{Body, Certificate, Proof};
use crate::error::{CheckError, Flaw};
use crate::leaves::{Demand, Leaves};
use crate::position::{Position, Side, Value};
use crate::queue::{Followers, Queue};
use crate::tables::Tables;
use crate::turns::Game;

/// What a check may use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Limits {
    /// Positions of tables that are in memory at one time. Each takes about 50 bytes.
    pub positions: usize,
    /// Turns of one position.
    pub turns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { positions: 1 << 24, turns: 1 << 22 }
    }
}

/// What a certificate proves.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Proved {
    /// The position in its text form.
    pub position: String,
    /// The name of the rule set.
    pub rules: String,
    /// The value for the side to move: `win`, `loss`, `draw`, `draw or better`, `draw or worse`.
    pub claim: &'static str,
    /// The number of entries.
    pub entries: u64,
    /// The number of tables.
    pub tables: usize,
}

/// Checks a certificate. Named tables are looked for in `directories`, the first of them first.
///
/// # Errors
///
/// [`CheckError::DoesNotHold`] if the certificate does not prove what it claims, others if the
/// certificate or a table is missing, damaged or beyond `limits`.
pub fn check(path: &Path, directories: &[PathBuf], limits: &Limits) -> Result<Proved, CheckError> {
    let certificate = Certificate::read(path)?;
    let mut tables = Tables::open(path, &certificate, directories)?;
    let Certificate { board, rules, position, tables: named, proofs, mut source } = certificate;
    let game = Game { board, rules };
    let mut leaves = Leaves::new(&game, &mut tables, path, limits.positions);
    let claim = claim(&proofs);
    let mut entries = 0;
    for Proof { by_mover, wins, entries: count, body } in proofs {
        let prover = if by_mover { position.to_move } else { position.to_move.other() };
        let walk = Walk { game: &game, start: &position, prover, wins, path, limits };
        match body {
            Body::Sorted(sorted) => walk.follow_entries(&sorted, &mut leaves)?,
            Body::Turns(blocks) => {
                walk.follow_turns(&mut Turns::new(&mut source, blocks), count, &mut leaves)?;
            }
        }
        entries += count as u64;
    }
    leaves.finish()?;
    Ok(Proved {
        position: position.text(&game.board),
        rules: game.rules.name(),
        claim,
        entries,
        tables: named.len(),
    })
}

fn claim(proofs: &[Proof]) -> &'static str {
    match proofs {
        [_, _] => "draw",
        [Proof { by_mover: true, wins: true, .. }] => "win",
        [Proof { by_mover: false, wins: true, .. }] => "loss",
        [Proof { by_mover: true, .. }] => "draw or better",
        _ => "draw or worse",
    }
}

/// The most pairs of entries with as many stones of which the second can follow the first, in a
/// proof of a win without distances. They take 1 GiB.
const MAX_FOLLOWERS: usize = 1 << 28;

/// Where the entries of a proof are found.
trait Entries {
    /// The number of the entry with these stones.
    fn find(&self, stones: (u64, u64)) -> Option<usize>;

    /// Adds an entry that was not found. `None` if it cannot be one.
    fn add(&mut self, stones: (u64, u64)) -> Option<usize>;
}

/// Version 1: all entries are known.
impl Entries for &Sorted {
    fn find(&self, stones: (u64, u64)) -> Option<usize> {
        Sorted::find(self, stones)
    }

    fn add(&mut self, _: (u64, u64)) -> Option<usize> {
        None
    }
}

/// Version 2: entries are discovered.
impl Entries for Queue {
    fn find(&self, stones: (u64, u64)) -> Option<usize> {
        Queue::find(self, stones)
    }

    fn add(&mut self, stones: (u64, u64)) -> Option<usize> {
        Queue::add(self, stones)
    }
}

fn stones_of((own, opponent): (u64, u64)) -> u32 {
    own.count_ones() + opponent.count_ones()
}

/// A proof that is followed.
struct Walk<'a> {
    game: &'a Game,
    /// The certificate's position.
    start: &'a Position,
    prover: Side,
    wins: bool,
    path: &'a Path,
    limits: &'a Limits,
}

impl Walk<'_> {
    /// Follows a proof of version 1.
    fn follow_entries(
        &self,
        mut sorted: &Sorted,
        leaves: &mut Leaves<'_>,
    ) -> Result<(), CheckError> {
        let entries = sorted.stones.len();
        let mut reached = vec![false; entries];
        let mut waiting = Vec::new();
        let mut next = Vec::new();
        self.begin(&mut sorted, leaves, &mut next)?;
        loop {
            for entry in next.drain(..) {
                if !std::mem::replace(&mut reached[entry], true) {
                    waiting.push(entry);
                }
            }
            let Some(entry) = waiting.pop() else { break };
            let stones = sorted.stones[entry];
            self.entry(stones, sorted.turns[entry], &mut sorted, leaves, &mut next)?;
            if self.wins {
                self.compare_distance(entry, sorted, &next)?;
            }
        }
        if let Some(first) = reached.iter().position(|reached| !reached) {
            let unreached = reached.iter().filter(|reached| !**reached).count();
            return Err(self.flaw(Flaw::Unreached { unreached, entries, first }));
        }
        Ok(())
    }

    /// Follows a proof of version 2.
    fn follow_turns(
        &self,
        turns: &mut Turns<'_>,
        entries: usize,
        leaves: &mut Leaves<'_>,
    ) -> Result<(), CheckError> {
        let mut queue = Queue::new(entries);
        let mut followers = Followers::default();
        let mut next = Vec::new();
        self.begin(&mut queue, leaves, &mut next)?;
        let mut first = 0;
        while let Some(stones) = queue.stones(first) {
            // The queue has no more entries than there are turns.
            let Some(turn) = turns.next()? else { break };
            next.clear();
            self.entry(stones, turn, &mut queue, leaves, &mut next)?;
            if self.wins {
                next.sort_unstable();
                next.dedup();
                let as_many = |next: &usize| {
                    queue.stones(*next).is_some_and(|next| stones_of(next) == stones_of(stones))
                };
                if followers.push(next.iter().copied().filter(as_many)) > MAX_FOLLOWERS {
                    let (path, limit) = (self.path.to_owned(), MAX_FOLLOWERS as u64);
                    let what = "pairs of entries that follow each other";
                    return Err(CheckError::TooLarge { path, what, limit });
                }
            }
            first += 1;
        }
        if first < entries {
            let unreached = entries - first;
            return Err(self.flaw(Flaw::Unreached { unreached, entries, first }));
        }
        if let Some(stones) = followers.cycle().and_then(|entry| queue.stones(entry)) {
            return Err(
                self.flaw(Flaw::Cycle { position: self.position(stones).text(&self.game.board) })
            );
        }
        Ok(())
    }

    /// The entries that come up first.
    fn begin(
        &self,
        entries: &mut impl Entries,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<usize>,
    ) -> Result<(), CheckError> {
        if self.start.to_move == self.prover {
            self.provers_move(self.start, entries, leaves, next)
        } else {
            self.others_move(self.start, entries, leaves, next)
        }
    }

    /// The position of an entry.
    fn position(&self, (own, opponent): (u64, u64)) -> Position {
        Position { own, opponent, to_move: self.prover }
    }

    /// Checks the turn of an entry. Adds to `next` the entries that can come up next.
    fn entry(
        &self,
        stones: (u64, u64),
        turn: u32,
        entries: &mut impl Entries,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<usize>,
    ) -> Result<(), CheckError> {
        let position = self.position(stones);
        let text = || position.text(&self.game.board);
        if leaves.has_table(&position) {
            return Err(self.flaw(Flaw::EntryInTable { position: text() }));
        }
        let results = self.positions_after(&position, turn as usize)?;
        let (turns, earlier) = (results.len(), results.split_last());
        let (after, earlier) = earlier
            .filter(|_| turns > turn as usize)
            .ok_or_else(|| self.flaw(Flaw::NoSuchTurn { position: text(), turns, turn }))?;
        if let Some(earlier) = earlier.iter().position(|earlier| earlier == after) {
            return Err(self.flaw(Flaw::DuplicateTurn { position: text(), turn, earlier }));
        }
        self.others_move(after, entries, leaves, next)
    }

    /// Compares the distance of an entry with those of the entries that can come up next.
    fn compare_distance(
        &self,
        entry: usize,
        sorted: &Sorted,
        next: &[usize],
    ) -> Result<(), CheckError> {
        let found = sorted.distances[entry];
        let expected = next
            .iter()
            .filter(|next| stones_of(sorted.stones[**next]) == stones_of(sorted.stones[entry]))
            .map(|next| u64::from(sorted.distances[*next]) + 1)
            .max()
            .unwrap_or(0);
        if u64::from(found) != expected {
            let position = self.position(sorted.stones[entry]).text(&self.game.board);
            return Err(self.flaw(Flaw::WrongDistance { position, found, expected }));
        }
        Ok(())
    }

    /// A position with the other side to move: a leaf, or all that follow are leaves or entries.
    fn others_move(
        &self,
        position: &Position,
        entries: &mut impl Entries,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<usize>,
    ) -> Result<(), CheckError> {
        if self.is_leaf(position, leaves)? {
            return Ok(());
        }
        let mut replies = self.positions_after(position, usize::MAX)?;
        // The order of discovery in version 2.
        replies.sort_unstable_by_key(|reply| (reply.own, reply.opponent));
        replies.dedup();
        for reply in replies {
            self.provers_move(&reply, entries, leaves, next)?;
        }
        Ok(())
    }

    /// A position with the prover to move: an entry or a leaf.
    fn provers_move(
        &self,
        position: &Position,
        entries: &mut impl Entries,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<usize>,
    ) -> Result<(), CheckError> {
        // That an entry is no leaf is checked with its turn.
        let stones = self.game.board.canonical(position.own, position.opponent);
        if let Some(entry) = entries.find(stones) {
            next.push(entry);
        } else if !self.is_leaf(position, leaves)? {
            let Some(entry) = entries.add(stones) else {
                let position = position.text(&self.game.board);
                return Err(self.flaw(Flaw::NoEntry { position }));
            };
            next.push(entry);
        }
        Ok(())
    }

    /// Whether a position is a leaf. If it is, its value is compared with the claim, now or later.
    fn is_leaf(&self, position: &Position, leaves: &mut Leaves<'_>) -> Result<bool, CheckError> {
        let claim = if self.wins { Value::Win } else { Value::Draw };
        let demand = Demand::new(self.prover, claim, position.to_move);
        if let Some(value) = self.game.outcome(position) {
            let stones = (position.own, position.opponent);
            demand.compare(self.game, stones, value).map_err(|flaw| self.flaw(flaw))?;
            return Ok(true);
        }
        let has_table = leaves.has_table(position);
        if has_table {
            leaves.add(position, demand)?;
        }
        Ok(has_table)
    }

    /// The positions after the turns of a position, up to the turn with the number `last`.
    fn positions_after(
        &self,
        position: &Position,
        last: usize,
    ) -> Result<Vec<Position>, CheckError> {
        let mut found = Vec::new();
        let _ = self.game.turns(position, &mut |after| {
            found.push(after);
            if found.len() > last.min(self.limits.turns) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if found.len() > self.limits.turns {
            let (path, what) = (self.path.to_owned(), "turns in one position");
            return Err(CheckError::TooLarge { path, what, limit: self.limits.turns as u64 });
        }
        Ok(found)
    }

    fn flaw(&self, flaw: Flaw) -> CheckError {
        CheckError::DoesNotHold { path: self.path.to_owned(), flaw }
    }
}
