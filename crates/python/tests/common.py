"""The repository, and its independent implementation of the rules."""

import sys
from pathlib import Path
from typing import Any

from fanorona import Position

ROOT = Path(__file__).resolve().parents[3]


class Reference:
    """The slow implementation of the rules in tools/reference, which shares nothing with Rust."""

    def __init__(self) -> None:
        sys.path.insert(0, str(ROOT / "tools" / "reference"))
        try:
            import board
            import notation
            import rules
            import solver
        finally:
            sys.path.pop(0)
        self.board: Any = board
        self.notation: Any = notation
        self.rules: Any = rules
        self.solver: Any = solver

    def turns(self, position: Position, rules: str) -> dict[str, str]:
        """The legal turns, and the positions after them."""
        read = self.notation.read_position(position.text)
        turns = self.rules.legal_turns(self.rules.RuleSet(rules), read)
        text, after = self.notation.turn_text, self.notation.position_text
        return {text(turn): after(turn.after) for turn in turns}
