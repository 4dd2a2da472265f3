//! A compact set of numbers that threads can add to.

use std::hash::BuildHasher;
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use super::account::Account;
use crate::error::Result;
use crate::maps::FastHash;

/// A set of numbers, each stored whole in 8 bytes. It is divided into parts with a lock each.
///
/// A part is an open-addressing hash table with linear probing, at most three quarters full. It grows
/// by half, so a number takes 11 to 16 bytes.
///
/// Closedness rests on it: a number must not be said to be there if it is not, and must be found new by
/// one thread if several add it. Numbers are compared whole and not by hash, and each is looked for and
/// added under one lock.
pub(super) struct KeySet {
    parts: Vec<RwLock<SetPart>>,
    hash: FastHash,
}

#[derive(Default)]
struct SetPart {
    slots: Vec<u64>,
    len: usize,
}

/// A slot without a number. No [`Numbering`](super::numbering::Numbering) has it.
const FREE: u64 = u64::MAX;
const PARTS_LOG: u32 = 6;
const SLOT: u64 = 8;

impl KeySet {
    pub(super) fn new() -> Self {
        let parts = (0..1 << PARTS_LOG).map(|_| RwLock::default()).collect();
        Self { parts, hash: FastHash::default() }
    }

    /// Adds the keys, and leaves only those in `keys` that are new. The order of `keys` is lost.
    pub(super) fn add(&self, keys: &mut Vec<u64>, account: &Account<'_>) -> Result<()> {
        // The highest bits of the hash choose the part, so each part is locked once. Equal keys are
        // neighbours, and the second is not new.
        keys.sort_unstable_by_key(|key| self.hash.hash_one(*key));
        let part_of = |key: u64| self.hash.hash_one(key) >> (64 - PARTS_LOG);
        let (mut begin, mut kept) = (0, 0);
        while begin < keys.len() {
            let number = part_of(keys[begin]);
            let mut part = lock(&self.parts[number as usize]);
            while begin < keys.len() && part_of(keys[begin]) == number {
                let key = keys[begin];
                begin += 1;
                if part.add(key, self.hash, account)? {
                    keys[kept] = key;
                    kept += 1;
                }
            }
        }
        keys.truncate(kept);
        account.found(kept as u64);
        Ok(())
    }

    /// Locks the set for lookups. Nothing can be added until the reader is dropped.
    pub(super) fn reader(&self) -> KeyReader<'_> {
        KeyReader { parts: self.parts.iter().map(read).collect(), hash: self.hash }
    }

    pub(super) fn len(&self) -> u64 {
        self.parts.iter().map(|part| read(part).len as u64).sum()
    }

    pub(super) fn keys(&self) -> Vec<u64> {
        let mut keys = Vec::with_capacity(self.len() as usize);
        for part in &self.parts {
            keys.extend(read(part).slots.iter().filter(|slot| **slot != FREE));
        }
        keys
    }

    pub(super) fn drop_from(self, account: &Account<'_>) {
        for part in &self.parts {
            account.give_back(lock(part).slots.len() as u64 * SLOT);
        }
    }
}

/// Lookups in a set, without locking for each.
pub(super) struct KeyReader<'s> {
    parts: Vec<RwLockReadGuard<'s, SetPart>>,
    hash: FastHash,
}

/// A lookup of a key in three steps. If many take each step one right after the other, their cache
/// misses overlap.
#[derive(Clone, Copy, Default)]
pub(super) struct Lookup {
    key: u64,
    hash: u64,
    /// The number in the first slot where the key can be.
    first: u64,
}

impl KeyReader<'_> {
    #[inline]
    pub(super) fn lookup(&self, key: u64) -> Lookup {
        Lookup { key, hash: self.hash.hash_one(key), first: FREE }
    }

    /// Begins a lookup: reads from memory.
    #[inline]
    pub(super) fn begin(&self, lookup: &mut Lookup) {
        let slots = &self.part(lookup.hash).slots;
        lookup.first = slots.get(place(lookup.hash, slots.len())).copied().unwrap_or(FREE);
    }

    /// Whether the set has the key of a lookup that has begun here.
    #[inline]
    pub(super) fn end(&self, lookup: &Lookup) -> bool {
        let Lookup { key, hash, first } = *lookup;
        first == key
            || first != FREE && {
                let slots = &self.part(hash).slots;
                slots[find(slots, key, hash)] == key
            }
    }

    #[inline]
    fn part(&self, hash: u64) -> &SetPart {
        &self.parts[(hash >> (64 - PARTS_LOG)) as usize]
    }
}

impl SetPart {
    /// Adds a key. Returns whether it is new.
    fn add(&mut self, key: u64, hash: FastHash, account: &Account<'_>) -> Result<bool> {
        if (self.len + 1) * 4 > self.slots.len() * 3 {
            self.grow(hash, account)?;
        }
        let slot = find(&self.slots, key, hash.hash_one(key));
        if self.slots[slot] == key {
            return Ok(false);
        }
        self.slots[slot] = key;
        self.len += 1;
        Ok(true)
    }

    fn grow(&mut self, hash: FastHash, account: &Account<'_>) -> Result<()> {
        let (before, after) = (self.slots.len(), (self.slots.len() * 3 / 2).max(16));
        account.take(after as u64 * SLOT)?;
        let mut slots = vec![FREE; after];
        for key in self.slots.iter().copied().filter(|slot| *slot != FREE) {
            let slot = find(&slots, key, hash.hash_one(key));
            slots[slot] = key;
        }
        self.slots = slots;
        account.give_back(before as u64 * SLOT);
        Ok(())
    }
}

/// The slot of a key with a hash, or the free one where it belongs. There must be a free slot.
fn find(slots: &[u64], key: u64, hash: u64) -> usize {
    let mut slot = place(hash, slots.len());
    while slots[slot] != key && slots[slot] != FREE {
        slot += 1;
        if slot == slots.len() {
            slot = 0;
        }
    }
    slot
}

/// The first slot where a key with this hash can be.
#[inline]
fn place(hash: u64, slots: usize) -> usize {
    // The bits that choose the part are the same for all keys here.
    let place = hash << PARTS_LOG;
    ((u128::from(place) * slots as u128) >> 64) as usize
}

/// A thread that panics with the lock ends the whole check, so what it left is not used for a verdict.
fn lock(part: &RwLock<SetPart>) -> RwLockWriteGuard<'_, SetPart> {
    part.write().unwrap_or_else(PoisonError::into_inner)
}

fn read(part: &RwLock<SetPart>) -> RwLockReadGuard<'_, SetPart> {
    part.read().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use fanorona_core::SplitMix64;

    use super::*;
    use crate::error::CertificateError;

    #[test]
    fn it_holds_what_a_hash_set_holds() {
        let (account, set) = (Account::new(u64::MAX, &|_| {}), KeySet::new());
        let mut expected = HashSet::new();
        let mut random = SplitMix64::new(1);
        for _ in 0..200 {
            let mut keys: Vec<_> = (0..500).map(|_| random.below(30_000)).collect();
            let mut new: Vec<_> =
                keys.iter().copied().filter(|key| expected.insert(*key)).collect();
            set.add(&mut keys, &account).unwrap();
            keys.sort_unstable();
            new.sort_unstable();
            assert_eq!(keys, new);
        }
        assert_eq!(set.len(), expected.len() as u64);
        assert_eq!(set.keys().into_iter().collect::<HashSet<_>>(), expected);
        let most = account.budget.most();
        assert!(most <= 16 * set.len() + 64 * 64 * SLOT, "{most}");

        set.drop_from(&account);
        account.take(u64::MAX).expect("all memory was given back");
    }

    #[test]
    fn threads_find_each_key_new_once() {
        let (account, set) = (Account::new(u64::MAX, &|_| {}), KeySet::new());
        let new: usize = std::thread::scope(|scope| {
            let add = |shift: u64| {
                let (set, account) = (&set, &account);
                scope.spawn(move || {
                    let mut new = 0;
                    for from in 0..100 {
                        let mut keys: Vec<_> = (from * 50..from * 50 + 100 + shift).collect();
                        set.add(&mut keys, account).unwrap();
                        new += keys.len();
                    }
                    new
                })
            };
            let threads = [0, 1, 2].map(add);
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(new, 99 * 50 + 102);
        assert_eq!(set.len(), new as u64);
    }

    #[test]
    fn it_stops_at_the_limit() {
        let (account, set) = (Account::new(64 * 16 * SLOT, &|_| {}), KeySet::new());
        let mut keys: Vec<_> = (0..100_000).collect();
        let error = set.add(&mut keys, &account).unwrap_err();
        assert!(matches!(error, CertificateError::ExpansionMemory { .. }), "{error}");
        assert!(account.budget.most() <= 64 * 16 * SLOT);
    }
}
