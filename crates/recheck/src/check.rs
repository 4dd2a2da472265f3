//! Following a proof: from the certificate's position through the turns of the entries and all
//! turns of the other side.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use crate::certificate::{Certificate, Proof};
use crate::error::{CheckError, Flaw};
use crate::leaves::{Demand, Leaves};
use crate::position::{Position, Side, Value};
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
    let Certificate { board, rules, position, tables: named, proofs } = certificate;
    let game = Game { board, rules };
    let mut leaves = Leaves::new(&game, &mut tables, path, limits.positions);
    for proof in &proofs {
        let prover = if proof.by_mover { position.to_move } else { position.to_move.other() };
        let walk = Walk { game: &game, proof, prover, path, limit: limits.turns };
        walk.follow(&position, &mut leaves)?;
    }
    leaves.finish()?;
    Ok(Proved {
        position: position.text(&game.board),
        rules: game.rules.name(),
        claim: claim(&proofs),
        entries: proofs.iter().map(|proof| proof.stones.len() as u64).sum(),
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

/// A proof that is followed.
struct Walk<'a> {
    game: &'a Game,
    proof: &'a Proof,
    prover: Side,
    path: &'a Path,
    /// The most turns of one position.
    limit: usize,
}

impl Walk<'_> {
    fn follow(&self, start: &Position, leaves: &mut Leaves<'_>) -> Result<(), CheckError> {
        let entries = self.proof.stones.len();
        let mut reached = vec![false; entries];
        let mut waiting = Vec::new();
        let mut next = Vec::new();
        if self.proof.by_mover {
            self.provers_move(start, leaves, &mut next)?;
        } else {
            self.others_move(start, leaves, &mut next)?;
        }
        loop {
            for entry in next.drain(..) {
                if !std::mem::replace(&mut reached[entry], true) {
                    waiting.push(entry);
                }
            }
            let Some(entry) = waiting.pop() else { break };
            self.entry(entry, leaves, &mut next)?;
        }
        if let Some(first) = reached.iter().position(|reached| !reached) {
            let unreached = reached.iter().filter(|reached| !**reached).count();
            return Err(self.flaw(Flaw::Unreached { unreached, entries, first }));
        }
        Ok(())
    }

    /// Checks the turn and the distance of an entry. `next` are the entries that can come up next.
    fn entry(
        &self,
        entry: usize,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<usize>,
    ) -> Result<(), CheckError> {
        let (own, opponent) = self.proof.stones[entry];
        let position = Position { own, opponent, to_move: self.prover };
        let text = || position.text(&self.game.board);
        if leaves.has_table(&position) {
            return Err(self.flaw(Flaw::EntryInTable { position: text() }));
        }
        let turn = self.proof.turns[entry];
        let results = self.positions_after(&position, turn as usize)?;
        let (turns, earlier) = (results.len(), results.split_last());
        let (after, earlier) = earlier
            .filter(|_| turns > turn as usize)
            .ok_or_else(|| self.flaw(Flaw::NoSuchTurn { position: text(), turns, turn }))?;
        if let Some(earlier) = earlier.iter().position(|earlier| earlier == after) {
            return Err(self.flaw(Flaw::DuplicateTurn { position: text(), turn, earlier }));
        }
        self.others_move(after, leaves, next)?;

        if let Some(found) = self.proof.distances.get(entry).copied() {
            let stones = |(own, opponent): (u64, u64)| own.count_ones() + opponent.count_ones();
            let expected = next
                .iter()
                .filter(|next| stones(self.proof.stones[**next]) == stones((own, opponent)))
                .map(|next| u64::from(self.proof.distances[*next]) + 1)
                .max()
                .unwrap_or(0);
            if u64::from(found) != expected {
                let position = text();
                return Err(self.flaw(Flaw::WrongDistance { position, found, expected }));
            }
        }
        Ok(())
    }

    /// A position with the other side to move: a leaf, or all that follow are leaves or entries.
    fn others_move(
        &self,
        position: &Position,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<usize>,
    ) -> Result<(), CheckError> {
        if self.is_leaf(position, leaves)? {
            return Ok(());
        }
        for reply in self.positions_after(position, usize::MAX)? {
            self.provers_move(&reply, leaves, next)?;
        }
        Ok(())
    }

    /// A position with the prover to move: an entry or a leaf.
    fn provers_move(
        &self,
        position: &Position,
        leaves: &mut Leaves<'_>,
        next: &mut Vec<usize>,
    ) -> Result<(), CheckError> {
        // That an entry is no leaf is checked with its turn.
        let stones = self.game.board.canonical(position.own, position.opponent);
        if let Some(entry) = self.proof.find(stones) {
            next.push(entry);
        } else if !self.is_leaf(position, leaves)? {
            let position = position.text(&self.game.board);
            return Err(self.flaw(Flaw::NoEntry { position }));
        }
        Ok(())
    }

    /// Whether a position is a leaf. If it is, its value is compared with the claim, now or later.
    fn is_leaf(&self, position: &Position, leaves: &mut Leaves<'_>) -> Result<bool, CheckError> {
        let claim = if self.proof.wins { Value::Win } else { Value::Draw };
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
            if found.len() > last.min(self.limit) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        if found.len() > self.limit {
            let (path, what) = (self.path.to_owned(), "turns in one position");
            return Err(CheckError::TooLarge { path, what, limit: self.limit as u64 });
        }
        Ok(found)
    }

    fn flaw(&self, flaw: Flaw) -> CheckError {
        CheckError::DoesNotHold { path: self.path.to_owned(), flaw }
    }
}
