//! The backend by rows: what it can build, and what it takes.

use fanorona_core::Board;
use fanorona_tablebase::index::num_entries;
use fanorona_tablebase::{Metric, Result, Slice, Unit};

use super::kernel::check_columns;
use super::memory::{Matrices, RowsMemory};
use super::solver::RowsSolver;
use crate::backend::{Backend, Plan, Solver};
use crate::context::BuildContext;
use crate::memory::Memory;
use crate::work::{Step, Work};

/// Solves rows of positions with the same own set.
pub(crate) struct Rows;

impl Backend for Rows {
    fn can(&self, work: Work<'_>) -> bool {
        work.is_by_rows()
    }

    fn check(&self, board: Board, slice: Slice) -> Result<()> {
        check_columns(board, slice)
    }

    fn plan(&self, work: Work<'_>, steps: &[Step], available: Option<u64>) -> Box<dyn Plan> {
        let Work { board, metric, processes, .. } = work;
        let matrices = Matrices::new(work);
        let memory = RowsMemory::new(work, steps, &matrices, available);
        Box::new(RowsPlan { board, metric, processes, matrices, memory })
    }
}

struct RowsPlan {
    board: Board,
    metric: Metric,
    /// The number of processes.
    processes: usize,
    matrices: Matrices,
    memory: RowsMemory,
}

impl Plan for RowsPlan {
    fn memory(&self) -> Memory {
        self.memory.memory
    }

    /// Nanoseconds for each entry, each place of a matrix and each row, the sum over all rounds. On a
    /// full board, most places are no positions: the opponent's set overlaps the own set.
    ///
    /// Measured on 9x5 at 7, 8 and 9 stones, per entry: 30, 29 and 28 without distances, 140 and 160 with
    /// them at 7 and 8. `data/notes/builds.md` compares 5x5 and 7x3 with the dense builder.
    ///
    /// In the first phase of the vela, the paikas of a row are found in each round, and against one stone
    /// it has only one word. Measured on 2026-11-25 without distances, in CPU seconds: 21, 155 and 203
    /// for 6v1, 7v1 and 6v2 of 9x5, whose estimates are 25, 137 and 197. Small boards take a fifth of
    /// their estimate, because there are fewer rounds: 0.2 for 7v7 of 5x3. With distances 0.08 for 3v1
    /// of 9x5 and 0.21 for 5v5 of 5x3; larger ones were not measured.
    fn seconds(&self, slice: Slice) -> f64 {
        let [of_entry, of_place, of_row] = match (slice.role, self.metric.has_distances()) {
            (None, false) => [18.0, 10.0, 0.0],
            (None, true) => [90.0, 42.0, 0.0],
            (Some(_), false) => [0.0, 42.0, 8_000.0],
            (Some(_), true) => [0.0, 200.0, 10_000.0],
        };
        let entries = num_entries(self.board, slice) as f64 * of_entry;
        let places = self.matrices.places(slice) as f64 * of_place;
        (entries + places + self.matrices.orbits(slice.own) as f64 * of_row) * 1e-9
    }

    fn checkpoint(&self, unit: Unit) -> u64 {
        self.memory.checkpoint(unit).saturating_mul(self.processes as u64)
    }

    fn start<'a>(&'a self, context: BuildContext<'a>) -> Box<dyn Solver + 'a> {
        Box::new(RowsSolver::new(context, &self.memory))
    }
}
