"""Pickles and copies. Those of one version are for the same version."""

import copyreg
from operator import attrgetter
from types import SimpleNamespace

from fanorona import _native


def _result(result):
    names = (name for name in dir(result) if not name.startswith("_"))
    attributes = SimpleNamespace(**{name: getattr(result, name) for name in names})
    return _native._restore, (type(result).__name__, attributes)


def _game(text):
    return _native.Game.from_text(text)


for _name in (
    "Analysis Assessment Block BookAnswer CertificateReport Mismatch PlayResult Probes Progress "
    "RankedTurn Ranks SearchProgress SliceCheck SuiteReport"
).split():
    copyreg.pickle(getattr(_native, _name), _result)

# The classes that are made from arguments.
for _class, _arguments in {
    _native.Board: lambda board: (str(board),),
    _native.Outcome: lambda outcome: (outcome.winner,),
    _native.Position: lambda position: (position.text,),
    _native.RuleSet: lambda rules: (rules.name,),
    _native.Step: attrgetter("origin", "destination", "direction", "kind"),
    _native.TableValue: attrgetter("value", "dtw"),
    _native.Turn: attrgetter("text", "position", "rules"),
    _native.TurnInProgress: attrgetter("position", "rules", "steps"),
}.items():
    copyreg.pickle(_class, lambda it, arguments=_arguments: (type(it), arguments(it)))

copyreg.pickle(_native.Game, lambda game: (_game, (game.text,)))
