"""Fanorona: exact rules, endgame tables, proofs and an opponent, written in Rust.

>>> import fanorona
>>> start = fanorona.Board.tsivy().start()
>>> [turn.text for turn in start.turns()]
['d2-e3A', 'e2-e3A', 'f2-e3A', 'd3-e3A', 'd3-e3W']
>>> start.play("d3-e3A").to_move
<Side.BLACK: 'black'>
"""

from fanorona._enums import Counting, Direction, Metric, Side, StepKind, Symmetry, Value
from fanorona._errors import (
    BoardError,
    FanoronaError,
    IllegalTurnError,
    PositionError,
    RuleError,
    TurnError,
)
from fanorona._native import (
    Board,
    Outcome,
    Position,
    RuleSet,
    Step,
    Turn,
    TurnInProgress,
    __version__,
)

__all__ = [
    "Board",
    "BoardError",
    "Counting",
    "Direction",
    "FanoronaError",
    "IllegalTurnError",
    "Metric",
    "Outcome",
    "Position",
    "PositionError",
    "RuleError",
    "RuleSet",
    "Side",
    "Step",
    "StepKind",
    "Symmetry",
    "Turn",
    "TurnError",
    "TurnInProgress",
    "Value",
    "__version__",
]
