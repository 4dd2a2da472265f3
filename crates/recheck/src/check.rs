//! Following a proof: from the certificate's position through the turns of the entries and all
//! turns of the other side.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::blocks::Turns;
use crate::certificate::{Certificate, Proof};
use crate::error::{CheckError, Flaw};
use crate::leaves::{Demand, Leaves};
use crate::position::{Position, Side, Value};
use crate::queue::{Followers, Queues, count};
use crate::tables::Tables;
use crate::turns::Game;

/// The most memory and work that a check may take.
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

/// The claim of a certificate that holds.
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
    for Proof { by_mover, wins, entries: count, blocks } in proofs {
        let prover = if by_mover { position.to_move } else { position.to_move.other() };
        let walk = Walk { game: &game, start: &position, prover, wins, path, limits };
        walk.follow(&mut Turns::new(&mut source, blocks), count, &mut leaves)?;
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

/// The most pairs of entries with one number of stones of which the second can follow the first, in a
/// proof of a win. They take 1 GiB.
const MAX_FOLLOWERS: usize = 1 << 28;

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
    /// Follows the proof to its end.
    fn follow(
        &self,
        turns: &mut Turns<'_>,
        entries: usize,
        leaves: &mut Leaves<'_>,
    ) -> Result<(), CheckError> {
        let found = self.follow_turns(turns, entries, leaves);
        if let Err(CheckError::DoesNotHold { flaw: Flaw::NoEntry { .. }, .. }) = &found {
            // If the header names too few entries, that is damage: the last block has more turns.
            turns.read_rest()?;
        }
        found
    }

    fn follow_turns(
        &self,
        turns: &mut Turns<'_>,
        entries: usize,
        leaves: &mut Leaves<'_>,
    ) -> Result<(), CheckError> {
        let (own, opponent) = self.start.stones();
        let most = (own + opponent) as usize;
        let mut queues = Queues::new(most, entries);
        self.begin(&mut queues, leaves, &mut Vec::new())?;
        let mut taken = 0;
        for count in (0..=most).rev() {
            taken += self.follow_entries(count, turns, &mut queues, leaves)?;
        }
        if taken < entries {
            let unreached = entries - taken;
            return Err(self.flaw(Flaw::Unreached { unreached, entries, first: taken }));
        }
        Ok(())
    }

    /// Follows the entries with this number of stones, and returns how many there are.
    fn follow_entries(
        &self,
        stones: usize,
        turns: &mut Turns<'_>,
        queues: &mut Queues,
        leaves: &mut Leaves<'_>,
    ) -> Result<usize, CheckError> {
        let mut followers = Followers::default();
        let mut next = Vec::new();
        let mut taken = 0;
        while let Some(entry) = queues.stones(stones, taken) {
            // The queues have no more entries than there are turns.
            let Some(turn) = turns.next()? else { break };
            next.clear();
            self.entry(entry, turn, queues, leaves, &mut next)?;
            if self.wins {
                next.retain(|next| count(*next) == stones);
                next.sort_unstable();
                next.dedup();
                let numbers = next.iter().filter_map(|next| queues.find(*next));
                if followers.push(numbers) > MAX_FOLLOWERS {
                    let (path, limit) = (self.path.to_owned(), MAX_FOLLOWERS as u64);
                    let what = "pairs of entries that follow each other";
                    return Err(CheckError::TooLarge { path, what, limit });
                }
            }
            taken += 1;
        }
        if let Some(entry) = followers.cycle().and_then(|entry| queues.stones(stones, entry)) {
            let position = self.position(entry).text(&self.game.board);
            return Err(self.flaw(Flaw::Cycle { position }));
        }
        Ok(taken)
    }

    /// The entries that come up first.
    fn begin(
        &self,
        queues: &mut Queues,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<(u64, u64)>,
    ) -> Result<(), CheckError> {
        if self.start.to_move == self.prover {
            self.provers_move(self.start, queues, leaves, next)
        } else {
            self.others_move(self.start, queues, leaves, next)
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
        queues: &mut Queues,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<(u64, u64)>,
    ) -> Result<(), CheckError> {
        let position = self.position(stones);
        let text = || position.text(&self.game.board);
        let results = self.positions_after(&position, turn as usize)?;
        let (turns, earlier) = (results.len(), results.split_last());
        let (after, earlier) = earlier
            .filter(|_| turns > turn as usize)
            .ok_or_else(|| self.flaw(Flaw::NoSuchTurn { position: text(), turns, turn }))?;
        if let Some(earlier) = earlier.iter().position(|earlier| earlier == after) {
            return Err(self.flaw(Flaw::DuplicateTurn { position: text(), turn, earlier }));
        }
        self.others_move(after, queues, leaves, next)
    }

    /// A position with the other side to move: a leaf, or all that follow are leaves or entries.
    fn others_move(
        &self,
        position: &Position,
        queues: &mut Queues,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<(u64, u64)>,
    ) -> Result<(), CheckError> {
        if self.is_leaf(position, leaves)? {
            return Ok(());
        }
        let mut replies = self.positions_after(position, usize::MAX)?;
        // The order in which entries are added.
        replies.sort_unstable_by_key(|reply| (reply.own, reply.opponent));
        replies.dedup();
        for reply in replies {
            self.provers_move(&reply, queues, leaves, next)?;
        }
        Ok(())
    }

    /// A position with the prover to move: an entry or a leaf.
    fn provers_move(
        &self,
        position: &Position,
        queues: &mut Queues,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<(u64, u64)>,
    ) -> Result<(), CheckError> {
        // Only what is no leaf was added, so an entry need not be looked at again.
        let stones = self.game.board.canonical(position.own, position.opponent);
        if queues.find(stones).is_none() {
            if self.is_leaf(position, leaves)? {
                return Ok(());
            }
            if queues.add(stones).is_none() {
                let position = position.text(&self.game.board);
                return Err(self.flaw(Flaw::NoEntry { position }));
            }
        }
        next.push(stones);
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
