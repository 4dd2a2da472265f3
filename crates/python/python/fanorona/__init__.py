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
    BusyError,
    DamagedTableError,
    FanoronaError,
    IllegalTurnError,
    MissingTableError,
    OutOfDiskError,
    OutOfMemoryError,
    PositionError,
    RuleError,
    SliceError,
    TableReadError,
    TurnError,
)
from fanorona._native import (
    Block,
    Blocks,
    Board,
    Outcome,
    Position,
    Probes,
    RankedTurn,
    Ranks,
    RuleSet,
    SliceInfo,
    Step,
    TableValue,
    Tables,
    Turn,
    TurnInProgress,
    random_position,
    random_positions,
    __version__,
)

__all__ = [
    "Block",
    "Blocks",
    "Board",
    "BoardError",
    "BusyError",
    "Counting",
    "DamagedTableError",
    "Direction",
    "FanoronaError",
    "IllegalTurnError",
    "Metric",
    "MissingTableError",
    "OutOfDiskError",
    "OutOfMemoryError",
    "Outcome",
    "Position",
    "PositionError",
    "Probes",
    "RankedTurn",
    "Ranks",
    "RuleError",
    "RuleSet",
    "Side",
    "SliceError",
    "SliceInfo",
    "Step",
    "StepKind",
    "Symmetry",
    "TableReadError",
    "TableValue",
    "Tables",
    "Turn",
    "TurnError",
    "TurnInProgress",
    "Value",
    "random_position",
    "random_positions",
    "__version__",
]
