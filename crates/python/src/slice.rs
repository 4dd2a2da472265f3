//! Slices as arguments, and random positions of them.

use fanorona_core::{Side, SplitMix64};
use fanorona_tablebase::{Slice, memory_available};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::args::{BoardArg, Number, wrong_type};
use crate::classes::Position;
use crate::enums::Named;
use crate::errors::Exception;
use crate::interrupt::run_quietly;

/// A slice: its text such as `"3v2"`, or a pair of numbers of stones.
#[derive(Clone, Copy)]
pub(crate) struct SliceArg(pub(crate) Slice);

impl FromPyObject<'_, '_> for SliceArg {
    type Error = PyErr;

    fn extract(object: Borrowed<'_, '_, PyAny>) -> PyResult<Self> {
        let text = match object.cast::<PyString>() {
            Ok(text) => text.to_cow()?.into_owned(),
            Err(_) => match object.extract::<(Number<i64>, Number<i64>)>() {
                Ok((own, opponent)) => format!("{own}v{opponent}"),
                Err(_) => {
                    return Err(wrong_type(&object, "a slice, such as '3v2' or the pair (3, 2)"));
                }
            },
        };
        let slice = text.parse().map(Self);
        slice.map_err(|error: fanorona_tablebase::ParseSliceError| Exception::Slice.of(&error))
    }
}

impl SliceArg {
    /// The slice, if a board has it.
    pub(crate) fn on(self, board: fanorona_core::Board) -> PyResult<Slice> {
        if self.0.is_on(board) {
            return Ok(self.0);
        }
        Err(Exception::Slice.because(format!(
            "slice {} is not on the board {board}, where each side has 1 to {} stones",
            self.0,
            board.max_stones()
        )))
    }
}

/// A random position of a slice: all placements of the stones are equally likely. The same seed
/// gives the same position on every machine.
///
/// >>> random_position("9x5", "3v2", seed=1)
/// Position('5WB2/5W3/B6W1/9/9 w')
#[pyfunction]
#[pyo3(
    signature = (board, slice, seed, *, to_move = Named(Side::White)),
    text_signature = "(board, slice, seed, *, to_move='white')"
)]
pub(crate) fn random_position(
    board: BoardArg,
    slice: SliceArg,
    seed: Number<u64>,
    to_move: Named<Side>,
) -> PyResult<Position> {
    let (board, slice) = (board.0, slice.on(board.0)?);
    let seed = seed.within("seed", 0..=u64::MAX)?;
    let position = slice.random_position(board, to_move.0, &mut SplitMix64::new(seed));
    Ok(Position(position.expect("the slice is on the board")))
}

type Arrays<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

/// Random positions of a slice, as two arrays of bitboards: the stones of the side to move, and
/// those of the opponent. All placements of the stones are equally likely, and positions can repeat.
/// The same seed gives the same positions on every machine; the first is that of random_position.
///
/// >>> own, opponent = random_positions("9x5", "3v2", 1000, seed=1)
/// >>> own.shape, own.dtype
/// ((1000,), dtype('uint64'))
#[pyfunction]
pub(crate) fn random_positions<'py>(
    py: Python<'py>,
    board: BoardArg,
    slice: SliceArg,
    count: Number<usize>,
    seed: Number<u64>,
) -> PyResult<Arrays<'py>> {
    let (board, slice) = (board.0, slice.on(board.0)?);
    let count = count.within("count", 0..=usize::MAX)?;
    let seed = seed.within("seed", 0..=u64::MAX)?;
    let bytes = 16 * count as u128;
    let too_much = || {
        Exception::OutOfMemory
            .because(format!("{count} positions need {} MiB of memory", bytes.div_ceil(1 << 20)))
    };
    if memory_available().is_some_and(|available| bytes > available.into()) {
        return Err(too_much());
    }
    let (mut own, mut opponent) = (Vec::new(), Vec::new());
    own.try_reserve_exact(count).map_err(|_| too_much())?;
    opponent.try_reserve_exact(count).map_err(|_| too_much())?;
    let mut random = SplitMix64::new(seed);
    let (own, opponent) = run_quietly(py, |stop| {
        for _ in 0..count {
            if stop.load(std::sync::atomic::Ordering::Relaxed) {
                break;
            }
            let position = slice.random_position(board, Side::White, &mut random);
            let position = position.expect("the slice is on the board");
            own.push(position.own().bits());
            opponent.push(position.opponent().bits());
        }
        (own, opponent)
    })?;
    Ok((own.into_pyarray(py), opponent.into_pyarray(py)))
}
