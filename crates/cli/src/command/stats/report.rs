//! The report as JSON has it.

use std::collections::BTreeMap;

use fanorona_perft::stats::{Branching, GameStats, PlyStats};
use serde::Serialize;

use crate::options::Root;

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    pub root: Root,
    pub depths: Vec<DepthReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<GamesReport>,
}

#[derive(Serialize)]
pub(super) struct DepthReport {
    pub depth: u32,
    pub turns: u64,
    pub captures: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capture_share: Option<f64>,
    pub paikas: u64,
    pub approaches: u64,
    pub withdrawals: u64,
    pub relay_lengths: BTreeMap<usize, u64>,
    pub stones_taken: BTreeMap<usize, u64>,
    pub without_turn: u64,
    pub finished: u64,
    pub branching: BranchingReport,
}

#[derive(Serialize)]
pub(super) struct BranchingReport {
    pub positions: u64,
    pub turns: u64,
    pub min: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    pub max: u64,
}

#[derive(Serialize)]
pub(super) struct GamesReport {
    pub games: u64,
    pub seed: u64,
    pub max_turns: usize,
    pub results: Results,
    pub length: LengthReport,
    pub branching: Vec<StonesReport>,
}

#[derive(Serialize)]
pub(super) struct Results {
    pub white: u64,
    pub black: u64,
    pub draw: u64,
    pub unfinished: u64,
}

/// The lengths of finished games, in turns.
#[derive(Serialize)]
pub(super) struct LengthReport {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<usize>,
    pub games: BTreeMap<usize, u64>,
}

#[derive(Serialize)]
pub(super) struct StonesReport {
    pub stones: usize,
    #[serde(flatten)]
    pub branching: BranchingReport,
}

impl DepthReport {
    pub(super) fn new(depth: u32, ply: &PlyStats) -> Self {
        Self {
            depth,
            turns: ply.turns,
            captures: ply.captures(),
            capture_share: ply.capture_share(),
            paikas: ply.paikas,
            approaches: ply.approaches,
            withdrawals: ply.withdrawals,
            relay_lengths: ply.relay_lengths.iter().collect(),
            stones_taken: ply.stones_taken.iter().collect(),
            without_turn: ply.without_turn,
            finished: ply.finished,
            branching: ply.branching.into(),
        }
    }
}

impl GamesReport {
    pub(super) fn new(games: &GameStats, seed: u64, max_turns: usize) -> Self {
        let lengths = &games.lengths;
        Self {
            games: games.games(),
            seed,
            max_turns,
            results: Results {
                white: games.white,
                black: games.black,
                draw: games.drawn,
                unfinished: games.unfinished,
            },
            length: LengthReport {
                min: lengths.iter().next().map(|(length, _)| length),
                mean: lengths.mean(),
                max: lengths.iter().next_back().map(|(length, _)| length),
                games: lengths.iter().collect(),
            },
            branching: games
                .branching()
                .map(|(stones, b)| StonesReport { stones, branching: b.into() })
                .collect(),
        }
    }
}

impl From<Branching> for BranchingReport {
    fn from(branching: Branching) -> Self {
        let Branching { positions, turns, fewest, most } = branching;
        Self { positions, turns, min: fewest, mean: branching.mean(), max: most }
    }
}
