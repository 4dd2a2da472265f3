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
    """A text that is not a turn, or that fits more than one."""


class IllegalTurnError(TurnError):
    """A turn or a step that is not legal."""


class GameTextError(FanoronaError, ValueError):
    """A text that is not a game."""


class SuiteError(FanoronaError, ValueError):
    """A file that is not a perft suite."""


class SliceError(FanoronaError, ValueError):
    """A text that is not a slice, or a slice that the board or a table cannot have."""


class OtherGameError(FanoronaError, ValueError):
    """A position, tables or certificates of another board or rule set."""


class MissingTableError(FanoronaError, LookupError):
    """A table that is needed does not exist. The message has the call of build that makes it."""


class MissingCertificateError(FanoronaError, LookupError):
    """A certificate that level 9 needs does not exist."""


class FileError(FanoronaError, OSError):
    """A file or a directory that cannot be read or written."""


class DamagedFileError(FanoronaError, ValueError):
    """A table, a certificate or a saved search that is damaged, or a file that is none."""


class OtherFileError(FanoronaError, ValueError):
    """A file that is intact, but not the one that is needed: a table that is not what its name
    says, or not the one that a certificate names; a saved search of another position, rule set or
    set of tables."""


class CertificateError(FanoronaError, ValueError):
    """A certificate that does not hold, or that cannot be made."""


class OutOfMemoryError(FanoronaError, MemoryError):
    """Work that needs more memory or threads than are available, or than it may use."""


class OutOfDiskError(FanoronaError, OSError):
    """Work that needs more disk space than is available."""


class BusyError(FanoronaError, RuntimeError):
    """Another build is running in the directory, or the engine is already thinking."""


class ForkError(FanoronaError, RuntimeError):
    """Work in a forked process, which does not have the threads of its parent."""
