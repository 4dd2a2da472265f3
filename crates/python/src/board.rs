//! Boards.

use fanorona_core::Coordinates;
use pyo3::prelude::*;

use crate::args::{BoardArg, PointIndex};
use crate::attributes::attributes;
use crate::classes::{Board, Position};
use crate::enums::Named;
use crate::errors::Exception;

attributes! {
    of Board, self:
    /// The number of files.
    width: u8 = self.0.width();
    /// The number of ranks.
    height: u8 = self.0.height();
    /// The number of points.
    num_points: u32 = self.0.num_points();
    /// The number of stones that each side starts with. No side ever has more.
    max_stones: u32 = self.0.max_stones();
    /// All points, as a bitboard.
    all_points: u64 = self.0.all_points().bits();

    methods:
    #[new]
    #[pyo3(signature = (board = BoardArg::TSIVY), text_signature = "(board='9x5')")]
    fn new(board: BoardArg) -> Self {
        Self(board.0)
    }

    /// Every board, by width, then height.
    #[staticmethod]
    fn all() -> Vec<Self> {
        fanorona_core::Board::all().map(Self).collect()
    }

    /// The position at the start of the game. White is to move.
    fn start(&self) -> Position {
        Position(self.0.start())
    }

    /// The index of the point with a name such as ``e3``. Raises BoardError if the board has no
    /// such point.
    fn point(&self, name: &str) -> PyResult<usize> {
        let at: Coordinates = name
            .parse()
            .map_err(|error: fanorona_core::ParsePointError| Exception::Board.of(&error))?;
        let point = self.0.point(at);
        point.map(fanorona_core::Point::index).ok_or_else(|| {
            Exception::Board.because(format!("the board {} has no point {at}", self.0))
        })
    }

    /// The name of the point with an index. Raises BoardError if the board has no such point.
    fn name(&self, point: PointIndex) -> PyResult<String> {
        Ok(self.0.coordinates(point.on(self.0)?).to_string())
    }

    /// The neighbours of a point that a link leads to, by direction.
    ///
    /// >>> {str(d): Board("3x3").name(p) for d, p in Board("3x3").neighbours(0).items()}
    /// {'east': 'b1', 'north-east': 'b2', 'north': 'a2'}
    fn neighbours<'py>(
        &self,
        py: Python<'py>,
        point: PointIndex,
    ) -> PyResult<Bound<'py, pyo3::types::PyDict>> {
        let point = point.on(self.0)?;
        let found = pyo3::types::PyDict::new(py);
        for direction in fanorona_core::Direction::ALL {
            if let Some(neighbour) = self.0.neighbour(point, direction) {
                found.set_item(Named(direction), neighbour.index())?;
            }
        }
        Ok(found)
    }

    /// The symmetries of this board: four, or eight if it is square.
    fn symmetries(&self) -> Vec<Named<fanorona_core::Symmetry>> {
        self.0.symmetries().iter().copied().map(Named).collect()
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.0)
    }
}
