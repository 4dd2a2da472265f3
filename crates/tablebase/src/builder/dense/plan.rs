//! The dense backend: what it can build, and what it takes.

use fanorona_core::Board;

use super::memory::{DenseMemory, check_dense, dense_places};
use super::state::DenseSolver;
use crate::builder::backend::{Backend, Plan, Solver};
use crate::builder::context::BuildContext;
use crate::builder::memory::{Memory, sum};
use crate::builder::work::Work;
use crate::error::Result;
use crate::index::num_entries;
use crate::slice::{PhaseSlice, Slice, Unit};
use crate::value::Metric;

/// Solves rows of positions with the same occupied points.
pub(in crate::builder) struct Dense;

impl Backend for Dense {
    fn name(&self) -> &'static str {
        "dense"
    }

    fn has_first_phase(&self) -> bool {
        false
    }

    fn check(&self, board: Board, slice: Slice) -> Result<()> {
        check_dense(board, slice)
    }

    fn effort(&self, work: Work<'_>) -> Option<f64> {
        let slices = work.to_process.iter().flat_map(|unit| unit.slices());
        let places = slices.map(|slice| dense_places(work.board, slice) as f64).sum::<f64>();
        Some(places * SECONDS_OF_PLACE)
    }

    fn plan(&self, work: Work<'_>, available: Option<u64>) -> Box<dyn Plan> {
        let Work { board, metric, .. } = work;
        Box::new(DensePlan { board, metric, memory: DenseMemory::new(work, available) })
    }
}

/// The seconds that a place of a row counts in a comparison of backends: 8 times those of the backend
/// by rows. Measured without distances on single units: 6.2 to 7.5 on 7x3, where both take about as long
/// (6v5, 6v6, 8v4), and 9.5 on 5x5 (6v5). `docs/BUILDING.md` has all measurements. Not measured with
/// distances.
const SECONDS_OF_PLACE: f64 = 8.0 * 33e-9;

struct DensePlan {
    board: Board,
    metric: Metric,
    memory: DenseMemory,
}

impl Plan for DensePlan {
    fn memory(&self) -> Memory {
        self.memory.memory
    }

    /// Nanoseconds per entry, the sum over all rounds, which copy what they find to all images. Measured
    /// on all of 7x3: 68 without distances and 290 with them. On all of 5x5, with twice as many
    /// symmetries, it was 125 without distances.
    fn seconds(&self, PhaseSlice { slice, .. }: PhaseSlice) -> f64 {
        let of_image = match self.metric {
            Metric::Wdl => 17.0,
            Metric::Dtw => 74.0,
        };
        let nanoseconds = of_image * self.board.symmetries().len() as f64;
        num_entries(self.board, slice) as f64 * (nanoseconds * 1e-9)
    }

    /// The bits of a place without compression.
    fn checkpoint(&self, unit: Unit) -> u64 {
        let bits = match self.metric {
            Metric::Wdl => 3,
            Metric::Dtw => 11,
        };
        let bytes = |slice| (dense_places(self.board, slice) / 8).saturating_mul(bits);
        sum(unit.slices().map(bytes))
    }

    fn start<'a>(&'a self, context: BuildContext<'a>) -> Box<dyn Solver + 'a> {
        Box::new(DenseSolver::new(context, &self.memory))
    }
}
