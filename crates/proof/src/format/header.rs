//! The header of a certificate.

use std::fmt::Display;
use std::str::FromStr;

use fanorona_core::{Board, Position, RuleSet, Side};
use fanorona_tablebase::{Metric, Slice};

use crate::claim::{Bounds, Claim, ClaimKind};

/// The entries of a block that is written, which are the most that a block may have. That limits the
/// memory for reading one.
pub(crate) const BLOCK_ENTRIES: u32 = 1 << 16;

/// A table that a certificate needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct NamedTable {
    pub slice: Slice,
    pub metric: Metric,
    /// XXH3 with 64 bits, of the whole file.
    pub checksum: u64,
}

impl NamedTable {
    /// The order in which tables are named. Each slice occurs once.
    pub(crate) fn order(&self) -> (u32, u8) {
        (self.slice.stones(), self.slice.own)
    }
}

/// A proof of a certificate: its claim and size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say it")]
pub struct ProofSummary {
    pub claim: Claim,
    /// The number of its entries: positions in which the prover is to move.
    pub positions: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Header {
    pub rules: RuleSet,
    /// The first position.
    pub position: Position,
    /// Smaller slices first, all of one metric.
    pub tables: Vec<NamedTable>,
    /// One proof; or two that each side has at least a draw, that of the side to move first.
    pub proofs: Vec<ProofSummary>,
    /// Entries per block. The last block of a proof may have fewer.
    pub block_entries: u32,
}

/// The header as in the file, where it is the metadata of a container: board, rules, position, tables,
/// proofs, and the entries of a block.
pub(super) type RawHeader = (String, String, String, Vec<RawTable>, Vec<RawProof>, u32);

/// Own stones, the opponent's stones, metric and checksum.
type RawTable = (u8, u8, u32, u64);

/// Whether the prover is the side to move in the first position, whether it wins, and the number of
/// entries. If it does not win, it has at least a draw.
type RawProof = (bool, bool, u64);

impl NamedTable {
    fn to_raw(self) -> RawTable {
        let metric = match self.metric {
            Metric::Wdl => 0,
            Metric::Dtw => 1,
        };
        (self.slice.own, self.slice.opponent, metric, self.checksum)
    }

    fn from_raw((own, opponent, metric, checksum): RawTable, board: Board) -> Result<Self, String> {
        let metric = match metric {
            0 => Metric::Wdl,
            1 => Metric::Dtw,
            other => return Err(format!("there is no metric {other}")),
        };
        let slice = Slice::new(own, opponent);
        if !slice.is_on(board) {
            return Err(format!("{board} has no slice {slice}"));
        }
        Ok(Self { slice, metric, checksum })
    }
}

impl ProofSummary {
    fn from_raw((by_mover, wins, positions): RawProof, mover: Side) -> Self {
        let side = if by_mover { mover } else { mover.other() };
        let kind = if wins { ClaimKind::Wins } else { ClaimKind::Holds };
        Self { claim: Claim { side, kind }, positions }
    }
}

impl Header {
    pub(crate) fn board(&self) -> Board {
        self.position.board()
    }

    /// The bounds of the first position's value that the proofs claim together.
    pub(crate) fn bounds(&self) -> Bounds {
        let mover = self.position.to_move();
        Claim::to_bounds(&self.claims(), mover).expect("the claims of a header go together")
    }

    fn claims(&self) -> Vec<Claim> {
        self.proofs.iter().map(|proof| proof.claim).collect()
    }

    pub(crate) fn blocks(&self, proof: &ProofSummary) -> u64 {
        proof.positions.div_ceil(self.block_entries.into())
    }

    pub(super) fn to_raw(&self) -> RawHeader {
        let mover = self.position.to_move();
        let [board, rules, position] =
            [self.board().to_string(), self.rules.to_string(), self.position.to_string()];
        let tables = self.tables.iter().map(|table| table.to_raw()).collect();
        let proof = |ProofSummary { claim, positions }: &ProofSummary| {
            (claim.side == mover, claim.is_win(), *positions)
        };
        let proofs = self.proofs.iter().map(proof).collect();
        (board, rules, position, tables, proofs, self.block_entries)
    }

    /// Checks the header of a certificate. The error is a message.
    pub(super) fn from_raw(raw: RawHeader) -> Result<Self, String> {
        let (board, rules, position, tables, proofs, block_entries) = raw;
        let board: Board = read(&board)?;
        let rules: RuleSet = read(&rules)?;
        let position: Position = read(&position)?;
        rules.check(board).map_err(in_words)?;
        if position.board() != board {
            return Err(format!("the position {position} is not on {board}"));
        }
        if !(1..=BLOCK_ENTRIES).contains(&block_entries) {
            return Err(format!("a block cannot have {block_entries} entries"));
        }
        let tables = tables.into_iter().map(|table| NamedTable::from_raw(table, board));
        let tables = tables.collect::<Result<Vec<_>, _>>()?;
        if !tables.is_sorted_by(|a, b| a.order() < b.order() && a.metric == b.metric) {
            return Err("the tables are out of order or have different metrics".to_owned());
        }
        let mover = position.to_move();
        let proofs = proofs.into_iter().map(|proof| ProofSummary::from_raw(proof, mover)).collect();
        let header = Self { rules, position, tables, proofs, block_entries };
        let claims = header.claims();
        if claims.is_empty() || Claim::to_bounds(&claims, mover).is_none() {
            return Err("no certificate has these claims together".to_owned());
        }
        Ok(header)
    }
}

fn in_words(error: impl ToString) -> String {
    error.to_string()
}

/// Reads a text that is in its normal form, which is the only one that files have.
fn read<T: FromStr<Err: Display> + Display>(text: &str) -> Result<T, String> {
    let found: T = text.parse().map_err(in_words)?;
    let normal = found.to_string();
    if normal == text {
        return Ok(found);
    }
    Err(format!("'{text}' is not in its normal form, '{normal}'"))
}
