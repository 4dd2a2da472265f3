//! The order of a slice's positions in a proof of a win: how soon a stone is captured or the game
//! ends.

use std::collections::HashMap;

use fanorona_core::Position;
use rayon::prelude::*;

use super::account::Account;
use super::frontier::AT_A_TIME;
use super::key_set::KeySet;
use super::lane::{Buffers, Lane};
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
    ranks: HashMap<u64, u32>,
    /// The memory taken for the ranks.
    bytes: u64,
}

/// The bytes of a slot of the map.
const SLOT: u64 = 17;

/// Positions without a rank. Each has, for every recommended turn, a reply without a rank.
#[derive(Debug, Default)]
struct Open {
    keys: Vec<u64>,
    /// Where the replies of each key end.
    ends: Vec<usize>,
    replies: Vec<u64>,
}

/// What a look at some positions has found.
#[derive(Debug, Default)]
struct Looked {
    /// Positions that can have a rank now.
    ranked: Vec<u64>,
    open: Open,
}

impl Open {
    fn push(&mut self, key: u64, replies: &[u64]) {
        self.keys.push(key);
        self.replies.extend_from_slice(replies);
        self.ends.push(self.replies.len());
    }

    /// Each key with its replies.
    fn iter(&self) -> impl Iterator<Item = (u64, &[u64])> {
        let mut begin = 0;
        self.keys.iter().zip(&self.ends).map(move |(key, end)| {
            let replies = &self.replies[begin..*end];
            begin = *end;
            (*key, replies)
        })
    }

    fn bytes(&self) -> u64 {
        8 * (self.keys.capacity() + self.ends.capacity() + self.replies.capacity()) as u64
    }
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
            let mut fresh = order.rank(looked, &mut round, account)?;
            while order.rank_again(lane, [&mut old, &mut fresh], &mut round, account)? {}
            if keys.par_iter().all(|key| order.ranks.contains_key(key)) {
                old.append(&mut fresh);
                break;
            }
            let mut next = Next::of(lane, &fresh, width, &seen, account)?;
            old.append(&mut fresh);
            while next.new.is_empty() {
                width *= 2;
                next = Next::of(lane, &old, width, &seen, account)?;
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
        let mut missing = Vec::new();
        for key in keys {
            self.look_at_one(lane, *key, &mut looked, (&mut buffers, &mut missing))?;
        }
        account.take(looked.open.bytes())?;
        Ok(looked)
    }

    fn look_at_one(
        &self,
        lane: Lane<'_>,
        key: u64,
        looked: &mut Looked,
        (buffers, missing): (&mut Buffers, &mut Vec<u64>),
    ) -> Result<()> {
        missing.clear();
        let found = lane.winning_turn(key, buffers, |here| {
            let unranked = here.iter().find(|reply| !self.ranks.contains_key(reply));
            missing.extend(unranked);
            unranked.is_none()
        });
        match found? {
            Some(_) => looked.ranked.push(key),
            None => looked.open.push(key, missing),
        }
        Ok(())
    }

    /// Looks again at positions one of whose replies has a rank now. Returns whether a position got
    /// a rank.
    fn rank_again(
        &mut self,
        lane: Lane<'_>,
        lists: [&mut Vec<Open>; 2],
        round: &mut u32,
        account: &Account,
    ) -> Result<bool> {
        let before = self.ranks.len();
        let looked = lists.iter().map(|list| {
            let looked = list.par_iter().map(|open| {
                let (mut looked, mut buffers) = (Looked::default(), Buffers::default());
                let mut missing = Vec::new();
                for (key, replies) in open.iter() {
                    if replies.iter().any(|reply| self.ranks.contains_key(reply)) {
                        self.look_at_one(lane, key, &mut looked, (&mut buffers, &mut missing))?;
                    } else {
                        looked.open.push(key, replies);
                    }
                }
                account.take(looked.open.bytes())?;
                Ok(looked)
            });
            looked.collect::<Result<Vec<_>>>()
        });
        let looked = looked.collect::<Result<Vec<_>>>()?;
        for (list, looked) in lists.into_iter().zip(looked) {
            list.iter().for_each(|open| account.give_back(open.bytes()));
            *list = self.insert(looked, *round, account)?;
        }
        *round += 1;
        Ok(self.ranks.len() > before)
    }

    /// Gives the positions found in a round their rank. Returns the others.
    fn rank(
        &mut self,
        looked: Vec<Looked>,
        round: &mut u32,
        account: &Account,
    ) -> Result<Vec<Open>> {
        let open = self.insert(looked, *round, account)?;
        *round += 1;
        Ok(open)
    }

    fn insert(&mut self, looked: Vec<Looked>, rank: u32, account: &Account) -> Result<Vec<Open>> {
        let more = looked.iter().map(|looked| looked.ranked.len()).sum();
        self.reserve(more, account)?;
        let mut open = Vec::with_capacity(looked.len());
        for looked in looked {
            self.ranks.extend(looked.ranked.into_iter().map(|key| (key, rank)));
            if !looked.open.keys.is_empty() {
                open.push(looked.open);
            }
        }
        Ok(open)
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

    /// A recommended turn that leads only to lower ranks in this slice: the position after it.
    pub(super) fn turn(
        &self,
        lane: Lane<'_>,
        key: u64,
        rank: u32,
        buffers: &mut Buffers,
    ) -> Result<Option<Position>> {
        let is_lower = |key: &u64| self.get(*key).is_some_and(|lower| lower < rank);
        lane.winning_turn(key, buffers, |here| here.iter().all(is_lower))
    }

    /// The rank of a position; `None` if it has none.
    pub(super) fn get(&self, key: u64) -> Option<u32> {
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
    /// The positions after up to `width` turns of each open position: those with the fewest replies
    /// in the slice.
    fn of(
        lane: Lane<'_>,
        open: &[Open],
        width: usize,
        seen: &KeySet,
        account: &Account,
    ) -> Result<Self> {
        let found = open.par_iter().map(|open| Self::of_part(lane, open, width, seen, account));
        let found = found.collect::<Result<Vec<_>>>()?;
        let is_cut = found.iter().any(|next| next.is_cut);
        let new = found.into_iter().flat_map(|next| next.new).collect();
        Ok(Self { new, is_cut })
    }

    fn of_part(
        lane: Lane<'_>,
        open: &Open,
        width: usize,
        seen: &KeySet,
        account: &Account,
    ) -> Result<Self> {
        let (mut found, mut buffers) = (Self::default(), Buffers::default());
        let mut waiting = Vec::new();
        for key in &open.keys {
            let mut turns = Vec::new();
            // Every turn fails the test, so that all are tried.
            lane.winning_turn(*key, &mut buffers, |here| {
                turns.push(here.to_vec());
                false
            })?;
            found.is_cut |= turns.len() > width;
            turns.sort_by_key(Vec::len);
            turns.iter().take(width).for_each(|here| waiting.extend_from_slice(here));
            if waiting.len() >= AT_A_TIME {
                seen.add(&mut waiting, account)?;
                found.new.append(&mut waiting);
            }
        }
        seen.add(&mut waiting, account)?;
        found.new.append(&mut waiting);
        Ok(found)
    }
}
