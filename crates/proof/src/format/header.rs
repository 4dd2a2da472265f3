//! What a certificate says of itself.

use fanorona_core::{Board, Position, RuleSet, Value};
use fanorona_tablebase::{Metric, Slice};
use serde::{Deserialize, Serialize};

use crate::claim::{Bounds, Claim, ClaimKind};

/// A table that a certificate rests on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct NamedTable {
    /// The slice.
    pub slice: Slice,
    /// What its values are.
    pub metric: Metric,
    /// The checksum of the whole file: xxh3, 64 bits.
    pub checksum: u64,
}

impl NamedTable {
    /// Tables are named in this order.
    pub(crate) fn order(&self) -> (u32, u8) {
        (self.slice.stones(), self.slice.own)
    }
}

/// What is proved, and by how many entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct ProofHeader {
    /// Whether the side that proves is to move at the first position.
    pub by_mover: bool,
    /// Whether it wins; otherwise it has at least a draw.
    pub wins: bool,
    /// The number of entries.
    pub entries: u64,
}

/// The header: what is proved under which rules, and what it rests on.
///
/// In the file this is bincode of version 2, little endian with integers of fixed width; the page
/// on the format spells out every byte.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Header {
    /// The board, as `9x5`.
    pub board: Board,
    /// The rule set's name.
    pub rules: RuleSet,
    /// The first position.
    pub position: Position,
    /// The tables, smaller slices first, of one metric.
    pub tables: Vec<NamedTable>,
    /// One proof, or that both sides have at least a draw, the side to move first.
    pub proofs: Vec<ProofHeader>,
    /// How many entries a block has; the last of a proof may have fewer.
    pub block_entries: u32,
}

/// The most entries that a block may have, so that a damaged number cannot ask for all memory.
const BLOCK_LIMIT: u32 = 1 << 12;

/// Headers larger than this are refused before they are read.
pub(super) const HEADER_LIMIT: usize = 1 << 20;

/// How headers are written and read.
fn form() -> impl bincode::config::Config {
    bincode::config::standard()
        .with_little_endian()
        .with_fixed_int_encoding()
        .with_limit::<HEADER_LIMIT>()
}

impl Header {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        bincode::serde::encode_to_vec(self, form()).expect("headers are small and have a form")
    }

    /// Reads a header, or says what is wrong with it.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let (header, length): (Self, usize) = bincode::serde::decode_from_slice(bytes, form())
            .map_err(|error| format!("the header makes no sense: {error}"))?;
        if length != bytes.len() {
            return Err("there are bytes behind the header".to_owned());
        }
        header.check()?;
        Ok(header)
    }

    /// Whether all goes together, or what does not.
    pub(crate) fn check(&self) -> Result<(), String> {
        self.rules.check(self.board).map_err(|error| error.to_string())?;
        if self.position.board() != self.board {
            return Err(format!("the position {} is not on {}", self.position, self.board));
        }
        if self.block_entries == 0 || self.block_entries > BLOCK_LIMIT {
            return Err("blocks have a size that there is not".to_owned());
        }
        if !self.tables.is_sorted_by(|a, b| a.order() < b.order() && a.metric == b.metric) {
            return Err("tables are not in order, or of several metrics".to_owned());
        }
        if let Some(table) = self.tables.iter().find(|table| !table.slice.is_on(self.board)) {
            return Err(format!("{} has no slice {}", self.board, table.slice));
        }
        match self.proofs[..] {
            [_] => Ok(()),
            [first, second]
                if first.by_mover && !second.by_mover && !first.wins && !second.wins =>
            {
                Ok(())
            }
            _ => Err("the proofs do not go together".to_owned()),
        }
    }

    /// What a proof says.
    pub(crate) fn claim(&self, proof: &ProofHeader) -> Claim {
        let mover = self.position.to_move();
        let side = if proof.by_mover { mover } else { mover.other() };
        let kind = if proof.wins { ClaimKind::Wins } else { ClaimKind::Holds };
        Claim { side, kind }
    }

    /// What the proofs together say of the value.
    pub(crate) fn bounds(&self) -> Bounds {
        let mut bounds = Bounds::UNKNOWN;
        for proof in &self.proofs {
            let value = if proof.wins { Value::Win } else { Value::Draw };
            if proof.by_mover {
                bounds.at_least = value;
            } else {
                bounds.at_most = -value;
            }
        }
        bounds
    }

    /// The number of blocks of a proof.
    pub(crate) fn blocks(&self, proof: &ProofHeader) -> u64 {
        proof.entries.div_ceil(self.block_entries.into())
    }
}
