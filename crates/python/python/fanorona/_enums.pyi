from enum import IntEnum, StrEnum
from typing import final

@final
class Side(StrEnum):
    WHITE = "white"
    BLACK = "black"
    @property
    def other(self) -> Side: ...
    def __invert__(self) -> Side: ...

@final
class Value(IntEnum):
    LOSS = -1
    DRAW = 0
    WIN = 1

@final
class Direction(StrEnum):
    EAST = "east"
    NORTH_EAST = "north-east"
    NORTH = "north"
    NORTH_WEST = "north-west"
    WEST = "west"
    SOUTH_WEST = "south-west"
    SOUTH = "south"
    SOUTH_EAST = "south-east"

@final
class StepKind(StrEnum):
    PAIKA = "paika"
    APPROACH = "approach"
    WITHDRAWAL = "withdrawal"

@final
class Symmetry(StrEnum):
    IDENTITY = "identity"
    MIRROR_FILES = "mirror-files"
    MIRROR_RANKS = "mirror-ranks"
    HALF_TURN = "half-turn"
    MIRROR_DIAGONAL = "mirror-diagonal"
    TURN_RIGHT = "turn-right"
    TURN_LEFT = "turn-left"
    MIRROR_ANTIDIAGONAL = "mirror-antidiagonal"

@final
class Metric(StrEnum):
    WDL = "wdl"
    DTW = "dtw"

@final
class Counting(StrEnum):
    TURNS = "turns"
    POSITIONS = "positions"
    STEPS = "steps"
    UNIQUE = "unique"
