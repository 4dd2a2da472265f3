//! Positions.

use fanorona_core::{PointSet, Setup, Side, Symmetry};
use pyo3::prelude::*;

use crate::args::{Bits, BoardArg, PositionArg, RulesArg, TurnArg};
use crate::attributes::attributes;
use crate::classes::{Board, Position, Turn};
use crate::enums::Named;
use crate::errors::{Exception, exception};
use crate::rules::Outcome;
use crate::stepwise::TurnInProgress;

attributes! {
    of Position, self:
    /// The text.
    text: String = self.0.to_string();
    /// The board drawn as lines of text, with its links, and with a ``.`` for each empty point.
    diagram: String = self.0.diagram();
    /// The board.
    board: Board = Board(self.0.board());
    /// White's stones, as a bitboard.
    white: u64 = self.0.stones(Side::White).bits();
    /// Black's stones, as a bitboard.
    black: u64 = self.0.stones(Side::Black).bits();
    /// The stones of the side to move, as a bitboard.
    own: u64 = self.0.own().bits();
    /// The stones of the side that is not to move, as a bitboard.
    opponent: u64 = self.0.opponent().bits();
    /// The points without a stone, as a bitboard.
    empty: u64 = self.0.empty().bits();

    methods:
    #[new]
    #[pyo3(signature = (text = None))]
    fn new(text: Option<PositionArg>) -> Self {
        Self(text.map_or_else(|| fanorona_core::Board::tsivy().start(), |position| position.0))
    }

    /// The position with the given stones, as bitboards. Raises PositionError if it is not one.
    ///
    /// >>> Position.from_bitboards(Board("3x3"), white=0b1, black=0b100_000_000, to_move="white")
    /// Position('2B/3/W2 w')
    #[staticmethod]
    fn from_bitboards(
        board: BoardArg,
        white: Bits,
        black: Bits,
        to_move: Named<Side>,
    ) -> PyResult<Self> {
        let set = |bits: Bits| PointSet::from_bits(bits.0);
        let setup =
            Setup { board: board.0, white: set(white), black: set(black), to_move: to_move.0 };
        let position = fanorona_core::Position::try_from(setup);
        position.map(Self).map_err(exception)
    }

    /// The side to move.
    #[getter(to_move)]
    fn mover(&self) -> Named<Side> {
        Named(self.0.to_move())
    }

    /// The stones of a side, as a bitboard.
    fn stones(&self, side: Named<Side>) -> u64 {
        self.0.stones(side.0).bits()
    }

    /// The legal turns. A finished game has none.
    #[pyo3(
        signature = (rules = RulesArg::STANDARD),
        text_signature = "($self, rules='standard')"
    )]
    fn legal_turns(&self, rules: RulesArg) -> PyResult<Vec<Turn>> {
        Ok(self.list_turns(rules.on(self.0.board())?))
    }

    /// Whether a turn, given as a Turn or as its text, is legal here. A text that fits more than one
    /// turn is not.
    #[pyo3(
        signature = (turn, rules = RulesArg::STANDARD),
        text_signature = "($self, turn, rules='standard')"
    )]
    fn is_legal(&self, py: Python<'_>, turn: TurnArg, rules: RulesArg) -> PyResult<bool> {
        turn.is_legal(py, self.0, rules)
    }

    /// The position after a turn, given as a Turn or as its text. Raises IllegalTurnError if it is
    /// not legal here, and TurnError if the text is not a turn or fits more than one.
    #[pyo3(
        signature = (turn, rules = RulesArg::STANDARD),
        text_signature = "($self, turn, rules='standard')"
    )]
    fn play(&self, turn: TurnArg, rules: RulesArg) -> PyResult<Self> {
        Ok(turn.at(self.0, rules)?.position_after())
    }

    /// The result of the game; None if it is not over.
    #[pyo3(
        signature = (rules = RulesArg::STANDARD),
        text_signature = "($self, rules='standard')"
    )]
    fn outcome(&self, rules: RulesArg) -> PyResult<Option<Outcome>> {
        Ok(rules.on(self.0.board())?.outcome(&self.0).map(Outcome))
    }

    /// A turn at this position before its first step, for making it step by step.
    #[pyo3(
        signature = (rules = RulesArg::STANDARD),
        text_signature = "($self, rules='standard')"
    )]
    fn begin(&self, rules: RulesArg) -> PyResult<TurnInProgress> {
        Ok(TurnInProgress::new(self.0, rules.on(self.0.board())?))
    }

    /// The image under a symmetry. Raises BoardError if it is not a symmetry of the board.
    ///
    /// >>> Position("B7B/9/9/9/W7W w").transformed("mirror-ranks")
    /// Position('W7W/9/9/9/B7B w')
    fn transformed(&self, symmetry: Named<Symmetry>) -> PyResult<Self> {
        self.0.transformed(symmetry.0).map(Self).ok_or_else(|| {
            let (symmetry, board) = (symmetry.0, self.0.board());
            Exception::Board.because(format!("{symmetry} is not a symmetry of the board {board}"))
        })
    }

    /// Every stone with the other colour, and the other side to move.
    fn swap_colours(&self) -> Self {
        Self(self.0.with_colours_swapped())
    }

    /// The same stones with the other side to move.
    fn swap_side(&self) -> Self {
        Self(self.0.with_other_to_move())
    }

    fn __str__(&self) -> String {
        self.0.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.0)
    }

    /// The position as a picture, for notebooks.
    fn _repr_svg_(slf: &Bound<'_, Self>) -> PyResult<String> {
        crate::svg::draw(slf.py(), "svg", (slf,))
    }
}
