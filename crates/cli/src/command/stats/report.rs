//! The report as JSON has it.

use fanorona_perft::stats::{GameStats, PlyStats};
use serde::Serialize;

use crate::options::Root;

#[derive(Serialize)]
pub(super) struct Report<'a> {
    #[serde(flatten)]
    pub root: Root,
    pub depths: Vec<DepthReport<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<GamesReport<'a>>,
}

#[derive(Serialize)]
pub(super) struct DepthReport<'a> {
    pub depth: u32,
    #[serde(flatten)]
    pub ply: &'a PlyStats,
}

#[derive(Serialize)]
pub(super) struct GamesReport<'a> {
    pub games: u64,
    pub seed: u64,
    pub max_turns: usize,
    #[serde(flatten)]
    pub stats: &'a GameStats,
}
