//! A reader and a writer of certificates made from the page on the format, and a slow checker: they
//! share nothing with the crate.

use std::collections::{HashMap, HashSet};

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::{Metric, Slice, Tables};
use xxhash_rust::xxh3::xxh3_64;

/// One entry: own and opponent's stones, turn, rank.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    pub own: u64,
    pub opponent: u64,
    pub turn: u64,
    pub rank: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    pub by_mover: bool,
    pub wins: bool,
    pub entries: Vec<Entry>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    pub own: u8,
    pub opponent: u8,
    pub metric: u32,
    pub checksum: u64,
}

/// All that a certificate says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct File {
    pub board: String,
    pub rules: String,
    pub position: String,
    pub tables: Vec<Table>,
    pub proofs: Vec<Proof>,
    pub block_entries: u32,
}

/// Takes from the front of bytes.
struct Cursor<'a>(&'a [u8]);

impl<'a> Cursor<'a> {
    fn bytes(&mut self, n: usize) -> &'a [u8] {
        let (front, rest) = self.0.split_at(n);
        self.0 = rest;
        front
    }

    fn byte(&mut self) -> u8 {
        self.bytes(1)[0]
    }

    fn u32(&mut self) -> u32 {
        u32::from_le_bytes(self.bytes(4).try_into().unwrap())
    }

    fn u64(&mut self) -> u64 {
        u64::from_le_bytes(self.bytes(8).try_into().unwrap())
    }

    fn text(&mut self) -> String {
        let length = self.u64() as usize;
        String::from_utf8(self.bytes(length).to_vec()).unwrap()
    }

    fn flag(&mut self) -> bool {
        match self.byte() {
            0 => false,
            1 => true,
            other => panic!("{other} is no flag"),
        }
    }

    fn number(&mut self) -> u64 {
        let byte = self.byte();
        let low = u64::from(byte & 0x7f);
        if byte < 0x80 { low } else { low | self.number() << 7 }
    }
}

fn number(bytes: &mut Vec<u8>, value: u64) {
    match value {
        0..0x80 => bytes.push(value as u8),
        _ => {
            bytes.push(value as u8 | 0x80);
            number(bytes, value >> 7);
        }
    }
}

impl File {
    pub fn read(bytes: &[u8]) -> Self {
        let mut prelude = Cursor(bytes);
        assert_eq!(prelude.bytes(8), b"FanoCert");
        assert_eq!(prelude.u32(), 1);
        assert_eq!(prelude.bytes(4), b"DONE");
        let (index_at, header_at) = (prelude.u64() as usize, prelude.u64() as usize);
        assert_eq!(prelude.u64(), bytes.len() as u64);
        assert_eq!(prelude.u64(), xxh3_64(&bytes[index_at..]));
        assert_eq!(prelude.u64(), 0);
        assert_eq!(prelude.u64(), xxh3_64(&bytes[..56]));

        let mut header = Cursor(&bytes[header_at..]);
        let (board, rules, position) = (header.text(), header.text(), header.text());
        let tables = (0..header.u64())
            .map(|_| Table {
                own: header.byte(),
                opponent: header.byte(),
                metric: header.u32(),
                checksum: header.u64(),
            })
            .collect();
        let mut proofs: Vec<_> = (0..header.u64())
            .map(|_| {
                let (by_mover, wins) = (header.flag(), header.flag());
                (Proof { by_mover, wins, entries: Vec::new() }, header.u64())
            })
            .collect();
        let block_entries = header.u32();
        assert!(header.0.is_empty());

        let mut index = Cursor(&bytes[index_at..header_at]);
        let mut at = 64;
        for (proof, count) in &mut proofs {
            while (proof.entries.len() as u64) < *count {
                let (offset, checksum) = (index.u64() as usize, index.u64());
                let first = (index.u64(), index.u64());
                assert_eq!(offset, at);
                let end = match index.0 {
                    [] => index_at,
                    next => Cursor(next).u64() as usize,
                };
                assert_eq!(checksum, xxh3_64(&bytes[offset..end]));
                let n = (*count - proof.entries.len() as u64).min(block_entries.into()) as usize;
                let block = zstd::decode_all(&bytes[offset..end]).unwrap();
                let mut block = Cursor(&block);
                let mut column = |differences: bool, there: bool| -> Vec<u64> {
                    let mut before = 0;
                    (0..n)
                        .map(|_| {
                            let value = if there { block.number() } else { 0 };
                            before = if differences { before ^ value } else { value };
                            before
                        })
                        .collect()
                };
                let (own, opponent) = (column(true, true), column(true, true));
                let (turns, ranks) = (column(false, true), column(false, proof.wins));
                assert!(block.0.is_empty());
                assert_eq!((own[0], opponent[0]), first);
                proof.entries.extend((0..n).map(|i| Entry {
                    own: own[i],
                    opponent: opponent[i],
                    turn: turns[i],
                    rank: ranks[i],
                }));
                at = end;
            }
        }
        assert!(index.0.is_empty());
        assert_eq!(at, index_at);
        let proofs = proofs.into_iter().map(|(proof, _)| proof).collect();
        Self { board, rules, position, tables, proofs, block_entries }
    }

    /// The bytes, with all checksums as they should be.
    pub fn write(&self) -> Vec<u8> {
        let mut bytes = vec![0; 64];
        let mut index = Vec::new();
        for proof in &self.proofs {
            for entries in proof.entries.chunks(self.block_entries as usize) {
                let mut block = Vec::new();
                let sets: [fn(&Entry) -> u64; 2] = [|entry| entry.own, |entry| entry.opponent];
                for set in sets {
                    let mut before = 0;
                    for entry in entries {
                        number(&mut block, set(entry) ^ before);
                        before = set(entry);
                    }
                }
                entries.iter().for_each(|entry| number(&mut block, entry.turn));
                if proof.wins {
                    entries.iter().for_each(|entry| number(&mut block, entry.rank));
                }
                let block = zstd::encode_all(&block[..], 3).unwrap();
                for word in
                    [bytes.len() as u64, xxh3_64(&block), entries[0].own, entries[0].opponent]
                {
                    index.extend(word.to_le_bytes());
                }
                bytes.extend(block);
            }
        }
        let index_at = bytes.len() as u64;
        bytes.extend(index);
        let header_at = bytes.len() as u64;
        for text in [&self.board, &self.rules, &self.position] {
            bytes.extend((text.len() as u64).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
        bytes.extend((self.tables.len() as u64).to_le_bytes());
        for table in &self.tables {
            bytes.extend([table.own, table.opponent]);
            bytes.extend(table.metric.to_le_bytes());
            bytes.extend(table.checksum.to_le_bytes());
        }
        bytes.extend((self.proofs.len() as u64).to_le_bytes());
        for proof in &self.proofs {
            bytes.extend([u8::from(proof.by_mover), u8::from(proof.wins)]);
            bytes.extend((proof.entries.len() as u64).to_le_bytes());
        }
        bytes.extend(self.block_entries.to_le_bytes());

        bytes[..16].copy_from_slice(b"FanoCert\x01\0\0\0DONE");
        let tail = xxh3_64(&bytes[index_at as usize..]);
        let words = [index_at, header_at, bytes.len() as u64, tail, 0];
        for (place, word) in bytes[16..56].chunks_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        let checksum = xxh3_64(&bytes[..56]);
        bytes[56..64].copy_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The order of the page: more stones first, then by sets.
    pub fn sort(&mut self) {
        for proof in &mut self.proofs {
            proof.entries.sort_by_key(|e| {
                let stones = e.own.count_ones() + e.opponent.count_ones();
                (std::cmp::Reverse(stones), e.own, e.opponent)
            });
        }
    }

    /// Whether each proof proves its claim, if nothing is asked of ranks, of order, or of entries
    /// that are not needed.
    pub fn is_true(&self, tables: Option<&Tables>) -> bool {
        let (Ok(board), Ok(rules), Ok(position)) = (
            self.board.parse::<Board>(),
            self.rules.parse::<RuleSet>(),
            self.position.parse::<Position>(),
        ) else {
            return false;
        };
        let proofs = self.proofs.iter();
        position.board() == board
            && proofs.into_iter().all(|proof| self.is_proved(proof, &rules, &position, tables))
    }

    fn is_proved(
        &self,
        proof: &Proof,
        rules: &RuleSet,
        first: &Position,
        tables: Option<&Tables>,
    ) -> bool {
        let mover = first.to_move();
        let side = if proof.by_mover { mover } else { mover.other() };
        let goal = if proof.wins { Value::Win } else { Value::Draw };
        // Whether a position that needs no proof is good enough.
        let settled = |position: &Position| {
            let value = match rules.outcome(position) {
                Some(outcome) => outcome.value_for(side),
                None => {
                    let slice = Slice::of(position)?;
                    let table = |t: &&Table| (t.own, t.opponent) == (slice.own, slice.opponent);
                    let table = self.tables.iter().find(table)?;
                    let metric = if table.metric == 0 { Metric::Wdl } else { Metric::Dtw };
                    let value = tables?.probe_metric(position, metric).ok()?.value;
                    if position.to_move() == side { value } else { -value }
                }
            };
            Some(value >= goal)
        };
        // What follows each position by the proof, through every symmetry; nothing where it ends.
        let mut turns: HashMap<Position, Position> = HashMap::new();
        for entry in &proof.entries {
            let position = Position::from_mover(first.board(), entry.own, entry.opponent, side);
            let Ok(position) = position else { continue };
            let list = rules.turns(&position);
            let Some(turn) = list.get(entry.turn as usize) else { continue };
            let after = position.play_unchecked(turn);
            for symmetry in first.board().symmetries() {
                turns.insert(position.transformed(*symmetry), after.transformed(*symmetry));
            }
        }
        let next = |position: &Position| -> Option<Vec<Position>> {
            if position.to_move() == side {
                Some(vec![*turns.get(position)?])
            } else {
                Some(rules.successors(position))
            }
        };
        let mut open = vec![*first];
        let mut reached = HashSet::new();
        while let Some(position) = open.pop() {
            match settled(&position) {
                Some(true) => continue,
                Some(false) => return false,
                None => {}
            }
            if !reached.insert(position) {
                continue;
            }
            let Some(next) = next(&position) else { return false };
            open.extend(next);
        }
        if !proof.wins {
            return true;
        }
        // Play ends if, taking away again and again what leads only to ends, nothing is left.
        loop {
            let before = reached.len();
            let ended: Vec<_> = reached
                .iter()
                .filter(|p| next(p).unwrap().iter().all(|after| !reached.contains(after)))
                .copied()
                .collect();
            ended.iter().for_each(|position| {
                reached.remove(position);
            });
            if reached.is_empty() {
                return true;
            }
            if reached.len() == before {
                return false;
            }
        }
    }
}
