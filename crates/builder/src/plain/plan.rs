//! The plain backend: what it can build, and what it takes.

use fanorona_core::Board;
use fanorona_tablebase::index::num_entries;
use fanorona_tablebase::{Result, Slice};

use super::solver::PlainSolver;
use crate::backend::{Backend, Plan, Solver};
use crate::context::BuildContext;
use crate::memory::{MEMORY_AT_LEAST, Memory, sets, sum};
use crate::work::{Step, Work};

/// Solves one position at a time.
pub(crate) struct Plain;

impl Backend for Plain {
    fn can(&self, work: Work<'_>) -> bool {
        work.processes == 1
    }

    fn check(&self, _: Board, _: Slice) -> Result<()> {
        Ok(())
    }

    fn plan(&self, Work { board, .. }: Work<'_>, steps: &[Step], _: Option<u64>) -> Box<dyn Plan> {
        let memory = |step: &Step| memory(board, step.before.iter().chain(&step.slices).copied());
        let memory = Memory::without_files(steps.iter().map(memory).max().unwrap_or(0));
        Box::new(PlainPlan { board, memory })
    }
}

struct PlainPlan {
    board: Board,
    memory: Memory,
}

impl Plan for PlainPlan {
    fn memory(&self) -> Memory {
        self.memory
    }

    /// Nanoseconds per entry, the sum over all rounds. Measured on 9x5
    /// at 5 stones.
    ///
    /// In the first phase of the vela, open boards take longer, because positions have more turns and there
    /// are more rounds. Measured on 2026-11-24 without distances, in nanoseconds per entry: 2000 to 3000 on
    /// 5x3 with 11 to 14 stones, 1700 to 10,000 on 7x3 with 19 and 20, 54,000 on 5x5 with 7 (4v3), 21,000
    /// to 40,000 on 9x5 with 4 and 5.
    fn seconds(&self, slice: Slice) -> f64 {
        let nanoseconds = match slice.role {
            None => 5000.0,
            Some(_) => {
                let points = f64::from(self.board.num_points());
                let free = points - f64::from(slice.stones());
                2500.0 + 45_000.0 * free / points
            }
        };
        num_entries(self.board, slice) as f64 * (nanoseconds * 1e-9)
    }

    fn start<'a>(&'a self, context: BuildContext<'a>) -> Box<dyn Solver + 'a> {
        Box::new(PlainSolver::new(context))
    }
}

/// Bytes of memory per entry of each slice.
const MEMORY_PER_ENTRY: u64 = 2;

fn memory(board: Board, slices: impl Iterator<Item = Slice>) -> u64 {
    let (mut entries, mut most) = (0u64, 0);
    for slice in slices {
        entries = entries.saturating_add(num_entries(board, slice));
        most = slice.own.max(slice.opponent).max(most);
    }
    let values = entries.saturating_mul(MEMORY_PER_ENTRY);
    sum([values, sets(board, most.into()), MEMORY_AT_LEAST].into_iter())
}
