"""The exceptions of this package."""


class FanoronaError(Exception):
    """The base class of the exceptions of this package."""


class BoardError(FanoronaError, ValueError):
    """A size that no board has, or a point that is not on the board."""


class RuleError(FanoronaError, ValueError):
    """A text that is not a rule set, or a rule set that cannot be used on a board."""


class PositionError(FanoronaError, ValueError):
    """A text or stones that are not a position."""


class TurnError(FanoronaError, ValueError):
    """A text that is not a turn."""


class IllegalTurnError(TurnError):
    """A turn or a step that is not legal."""
