//! The order of a slice's positions in a proof of a win, where the tables have no distances: how soon
//! a stone is captured or the game ends.

use std::collections::{HashMap, HashSet};

use rayon::prelude::*;

use super::account::Account;
use super::fast_hash::FastHash;
use super::frontier::AT_A_TIME;
use super::key_set::KeySet;
use super::lane::{Buffers, Lane};
use super::open_turns::{OpenTurns, WaitingTurn};
use crate::error::CertificateError;

type Result<T> = std::result::Result<T, CertificateError>;

/// Ranks of positions of one slice with the prover to move.
///
/// A position has a rank if one of the recommended turns leads only to positions of lower rank, to
/// positions with fewer stones, and to the end of the game. So the rank decreases from position to
/// position as long as no stone is captured.
///
/// Positions are added level by level: first those asked for, then those that one turn of each
/// position without a rank leads to. When there are no more, two turns of each are followed, then
/// four, and so on. After each level, ranks are given in rounds: the rank is the number of the round.
/// This ends when all positions asked for have a rank, or no more can be added. The ranks do not
/// depend on the threads.
#[derive(Debug, Default)]
pub(super) struct Order {
    ranks: HashMap<u64, Rank, FastHash>,
    /// The memory taken for the ranks.
    bytes: u64,
}

/// The rank of a position.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rank {
    pub rank: u32,
    /// A turn that leads only to lower ranks in the slice: the number of the position after it among
    /// those after all turns.
    pub turn: u32,
}

/// The positions that got a rank in a round.
type RankedKeys = HashSet<u64, FastHash>;

/// The bytes of a slot of the map.
const SLOT: u64 = 17;

/// What a look at some positions has found.
#[derive(Debug, Default)]
struct Looked {
    /// Positions that can have a rank now, with the turn.
    ranked: Vec<(u64, u32)>,
    open: OpenTurns,
}

impl Order {
    /// Ranks positions of a slice, if the recommended turns allow it.
    pub(super) fn find(lane: Lane<'_>, keys: &[u64], account: &Account) -> Result<Self> {
        let seen = KeySet::new();
        let mut order = Self::default();
        let (mut round, mut width) = (0, 1);
        let mut new = add_all(&seen, keys.to_vec(), account)?;
        // Positions whose replies have been added.
        let mut old = Vec::new();
        loop {
            let looked = new.par_chunks(AT_A_TIME).map(|part| order.look_at(lane, part, account));
            let looked = looked.collect::<Result<_>>()?;
            let (mut fresh, mut ranked) = order.insert(looked, &mut round, account)?;
            while !ranked.is_empty() {
                ranked =
                    order.look_again(lane, [&mut old, &mut fresh], &ranked, &mut round, account)?;
            }
            if keys.par_iter().all(|key| order.ranks.contains_key(key)) {
                old.append(&mut fresh);
                break;
            }
            let mut next = Next::of(lane, &fresh, 0, width, &seen, account)?;
            old.append(&mut fresh);
            while next.new.is_empty() {
                // The first turns of these were followed before.
                next = Next::of(lane, &old, width, 2 * width, &seen, account)?;
                width *= 2;
                if !next.is_cut {
                    break;
                }
            }
            if next.new.is_empty() {
                break;
            }
            new = next.new;
        }
        old.iter().for_each(|open| account.give_back(open.bytes()));
        seen.drop_from(account);
        Ok(order)
    }

    /// Looks whether positions can have a rank.
    fn look_at(&self, lane: Lane<'_>, keys: &[u64], account: &Account) -> Result<Looked> {
        let (mut looked, mut buffers) = (Looked::default(), Buffers::default());
        let mut turns = Vec::new();
        for key in keys {
            match self.find_turns(lane, *key, &mut buffers, &mut turns)? {
                Some(turn) => looked.ranked.push((*key, turn)),
                None => looked.open.push(*key, &turns),
            }
        }
        looked.open.shrink();
        account.take(looked.open.bytes())?;
        Ok(looked)
    }

    /// Returns a turn of a position after which all replies in the slice have ranks. If there is
    /// none, `turns` are those that are recommended, fewest replies in the slice first.
    fn find_turns(
        &self,
        lane: Lane<'_>,
        key: u64,
        buffers: &mut Buffers,
        turns: &mut Vec<WaitingTurn>,
    ) -> Result<Option<u32>> {
        lane.game.check_stop()?;
        turns.clear();
        let position = lane.position(key);
        lane.game.successors(&position, &mut buffers.after);
        for turn in lane.hints.winning(&position, &buffers.after)? {
            let after = buffers.after[turn];
            // If the other side can end the game well for itself, the tables are wrong.
            if lane.replies(&after, buffers).is_err() {
                continue;
            }
            let Some(missing) = self.first_without_rank(&buffers.here) else {
                return Ok(Some(turn as u32));
            };
            turns.push(WaitingTurn {
                turn: turn as u32,
                here: buffers.here.len() as u32,
                after: lane.numbering.number(lane.game.canonicalizer.stones_after(&after)),
                missing,
            });
        }
        turns.sort_by_key(|turn| turn.here);
        Ok(None)
    }

    /// Looks again at turns that waited for positions that have ranks now. Returns the positions that
    /// get a rank.
    fn look_again(
        &mut self,
        lane: Lane<'_>,
        lists: [&mut Vec<OpenTurns>; 2],
        ranked: &RankedKeys,
        round: &mut u32,
        account: &Account,
    ) -> Result<RankedKeys> {
        let mut found = Vec::new();
        for list in lists {
            let parts =
                list.par_iter_mut().map(|open| self.look_again_at(lane, open, ranked, account));
            found.extend(parts.collect::<Result<Vec<_>>>()?.into_iter().flatten());
        }
        self.add(&found, round, account)
    }

    /// Takes out the positions that can have a rank now, and returns them with the turn.
    fn look_again_at(
        &self,
        lane: Lane<'_>,
        open: &mut OpenTurns,
        ranked: &RankedKeys,
        account: &Account,
    ) -> Result<Vec<(u64, u32)>> {
        lane.game.check_stop()?;
        let (mut found, mut buffers) = (Vec::new(), Buffers::default());
        open.try_retain(|key, turns| {
            for turn in turns {
                if !ranked.contains(&turn.missing) {
                    continue;
                }
                lane.replies_in_slice(turn.after, &mut buffers);
                match self.first_without_rank(&buffers.here) {
                    Some(missing) => turn.missing = missing,
                    None => {
                        found.push((key, turn.turn));
                        return Ok(false);
                    }
                }
            }
            Ok::<_, CertificateError>(true)
        })?;
        if open.is_sparse() {
            account.give_back(open.bytes());
            open.shrink();
            account.take(open.bytes())?;
        }
        Ok(found)
    }

    fn first_without_rank(&self, keys: &[u64]) -> Option<u64> {
        keys.iter().copied().find(|key| !self.ranks.contains_key(key))
    }

    /// Gives the positions found in a round their rank. Returns them, and the others.
    fn insert(
        &mut self,
        looked: Vec<Looked>,
        round: &mut u32,
        account: &Account,
    ) -> Result<(Vec<OpenTurns>, RankedKeys)> {
        let (mut open, mut found) = (Vec::with_capacity(looked.len()), Vec::new());
        for looked in looked {
            found.extend(looked.ranked);
            open.push(looked.open);
        }
        Ok((open, self.add(&found, round, account)?))
    }

    /// Gives positions the rank of a round.
    fn add(
        &mut self,
        found: &[(u64, u32)],
        round: &mut u32,
        account: &Account,
    ) -> Result<RankedKeys> {
        self.reserve(found.len(), account)?;
        let rank = |turn| Rank { rank: *round, turn };
        self.ranks.extend(found.iter().map(|(key, turn)| (*key, rank(*turn))));
        *round += 1;
        Ok(found.iter().map(|(key, _)| *key).collect())
    }

    /// Makes room for ranks, and takes the memory.
    fn reserve(&mut self, more: usize, account: &Account) -> Result<()> {
        let keys = self.ranks.len() + more;
        if keys > self.ranks.capacity() {
            // The map has a power of two of slots, and is at most seven eighths full.
            let bytes = SLOT * (keys as u64 * 8 / 7 + 4).next_power_of_two();
            account.take(bytes)?;
            self.ranks.reserve(more);
            account.give_back(self.bytes);
            self.bytes = bytes;
        }
        Ok(())
    }

    /// The rank of a position; `None` if it has none.
    pub(super) fn get(&self, key: u64) -> Option<Rank> {
        self.ranks.get(&key).copied()
    }

    /// Drops the ranks and gives their memory back.
    pub(super) fn drop_from(self, account: &Account) {
        account.give_back(self.bytes);
    }
}

/// Adds keys to a set, many at a time. Returns those that are new.
fn add_all(seen: &KeySet, keys: Vec<u64>, account: &Account) -> Result<Vec<u64>> {
    let parts = keys.par_chunks(AT_A_TIME).map(|part| {
        let mut part = part.to_vec();
        seen.add(&mut part, account)?;
        Ok(part)
    });
    Ok(parts.collect::<Result<Vec<_>>>()?.concat())
}

/// Positions that can come after open ones.
#[derive(Debug, Default)]
struct Next {
    /// Those that are new.
    new: Vec<u64>,
    /// Whether some turns were left out.
    is_cut: bool,
}

impl Next {
    /// The positions after the turns of each open position with the numbers from `first` on, and below
    /// `width`. Those with the fewest replies in the slice come first.
    fn of(
        lane: Lane<'_>,
        open: &[OpenTurns],
        first: usize,
        width: usize,
        seen: &KeySet,
        account: &Account,
    ) -> Result<Self> {
        let found = open.par_iter().map(|open| {
            let (mut found, mut buffers, mut waiting) =
                (Self::default(), Buffers::default(), Vec::new());
            for (_, turns) in open.iter() {
                lane.game.check_stop()?;
                found.is_cut |= turns.len() > width;
                for turn in turns.iter().take(width).skip(first) {
                    lane.replies_in_slice(turn.after, &mut buffers);
                    waiting.extend_from_slice(&buffers.here);
                }
                if waiting.len() >= AT_A_TIME {
                    seen.add(&mut waiting, account)?;
                    found.new.append(&mut waiting);
                }
            }
            seen.add(&mut waiting, account)?;
            found.new.append(&mut waiting);
            Ok(found)
        });
        let found = found.collect::<Result<Vec<_>>>()?;
        let is_cut = found.iter().any(|next| next.is_cut);
        let new = found.into_iter().flat_map(|next| next.new).collect();
        Ok(Self { new, is_cut })
    }
}
