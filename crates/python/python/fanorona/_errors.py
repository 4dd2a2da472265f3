"""The exceptions of this package."""


class FanoronaError(Exception):
    """The base class of the exceptions of this package."""


class BoardError(FanoronaError, ValueError):
    """A size that no board has, a point that is not on the board, or a position or tables of
    another board."""


class RuleError(FanoronaError, ValueError):
    """A text that is not a rule set, a rule set that cannot be used on a board, or tables of
    another rule set."""


class PositionError(FanoronaError, ValueError):
    """A text or stones that are not a position."""


class TurnError(FanoronaError, ValueError):
    """A text that is not a turn, or that fits more than one."""


class IllegalTurnError(TurnError):
    """A turn or a step that is not legal."""


class SuiteError(FanoronaError, ValueError):
    """A file that is not a perft suite."""


class SliceError(FanoronaError, ValueError):
    """A text that is not a slice, or a slice that the board or a table cannot have."""


class MissingTableError(FanoronaError, LookupError):
    """A table that is needed does not exist."""


class DamagedTableError(FanoronaError, ValueError):
    """A file that is damaged, or is not the table that its name says."""


class TableReadError(FanoronaError, OSError):
    """A directory or a file that cannot be read or written."""


class OutOfMemoryError(FanoronaError, MemoryError):
    """Work that needs more memory than is available, or than it may use."""


class OutOfDiskError(FanoronaError, OSError):
    """Work that needs more disk space than is available. It was not started."""


class BusyError(FanoronaError, RuntimeError):
    """Another build is running in the directory, or the engine is already thinking."""


class CertificateError(FanoronaError, ValueError):
    """A certificate that is damaged, does not hold, or is of another game, or that level 9 needs
    and does not have."""


class CertificateReadError(FanoronaError, OSError):
    """A certificate that cannot be read or written."""


class SearchError(FanoronaError, ValueError):
    """A saved search that is damaged or of another position, rule set or set of tables."""


class SearchReadError(FanoronaError, OSError):
    """A saved search that cannot be read or written."""
