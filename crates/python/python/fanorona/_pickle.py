"""Pickles and copies. Those of one version are for the same version."""

import copyreg
from collections.abc import Callable
from operator import attrgetter
from types import SimpleNamespace
from typing import Any

from fanorona import _native


def _result(result: object) -> tuple[Callable[[str, object], object], tuple[str, object]]:
    names = (name for name in dir(result) if not name.startswith("_"))
    attributes = SimpleNamespace(**{name: getattr(result, name) for name in names})
    return _native._restore, (type(result).__name__, attributes)


def _made(value: object) -> tuple[type, tuple[Any, ...]]:
    return type(value), _ARGUMENTS[type(value)](value)


def _game(text: str) -> _native.Game:
    return _native.Game.from_text(text)


for _name in (
    "Analysis Assessment Block BookAnswer CertificateReport Mismatch PlayResult Probes Progress "
    "RankedTurn Ranks SearchProgress SliceCheck SuiteReport"
).split():
    copyreg.pickle(getattr(_native, _name), _result)

# What the classes with a constructor are made of.
_ARGUMENTS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    _native.Board: lambda board: (str(board),),
    _native.Outcome: lambda outcome: (outcome.winner,),
    _native.Position: lambda position: (position.text,),
    _native.RuleSet: lambda rules: (rules.name,),
    _native.Step: attrgetter("origin", "destination", "direction", "kind"),
    _native.TableValue: attrgetter("value", "dtw"),
    _native.Turn: attrgetter("text", "position", "rules"),
    _native.TurnInProgress: attrgetter("position", "rules", "steps"),
}
for _class in _ARGUMENTS:
    copyreg.pickle(_class, _made)
copyreg.pickle(_native.Game, lambda game: (_game, (game.text,)))
