"""The enums. Their members are made from the names that the Rust crates give to the values."""

from enum import IntEnum, StrEnum

from fanorona._native import _enum_names


def _members(enum):
    return [(name.upper().replace("-", "_"), name) for name in _enum_names(enum)]


class _Named:
    @classmethod
    def _missing_(cls, value):
        values = ", ".join(repr(member.value) for member in cls)
        raise ValueError(f"{value!r} is not a {cls.__name__}: the values are {values}")


class _Side(_Named, StrEnum):
    """A player, by the colour of the stones. White moves first."""

    @property
    def other(self):
        """The opponent."""
        first, second = type(self)
        return second if self is first else first

    def __invert__(self):
        return self.other


class _Value(_Named, IntEnum):
    """The value of a position for the side to move if both sides play perfectly."""


class _Direction(_Named, StrEnum):
    """The direction of a step, seen from White's side of the board."""


class _StepKind(_Named, StrEnum):
    """Whether a step captures, and how."""


class _Symmetry(_Named, StrEnum):
    """A symmetry of a board. The last four are for square boards only."""


class _Metric(_Named, StrEnum):
    """The kind of values in a table: win, draw or loss, or also the distance to win."""


class _Counting(_Named, StrEnum):
    """What perft counts."""


def _enum(base, members):
    made = base(base.__name__.removeprefix("_"), members, module="fanorona")
    made.__doc__ = base.__doc__
    return made


Side = _enum(_Side, _members("Side"))
# A loss is -1, a draw 0 and a win 1.
Value = _enum(
    _Value, [(name, number) for number, (name, _) in enumerate(_members("Value"), start=-1)]
)
Direction = _enum(_Direction, _members("Direction"))
StepKind = _enum(_StepKind, _members("StepKind"))
Symmetry = _enum(_Symmetry, _members("Symmetry"))
Metric = _enum(_Metric, _members("Metric"))
Counting = _enum(_Counting, _members("Counting"))
