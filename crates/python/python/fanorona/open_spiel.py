"""The game `python_fanorona` of OpenSpiel: importing this module registers it.

It needs `pip install fanorona[rl] open_spiel`. Actions, draws and observations are those of
fanorona.rl.FanoronaEnv.

    >>> import pyspiel, fanorona.open_spiel
    >>> game = pyspiel.load_game("python_fanorona(board=5x5)")
    >>> state = game.new_initial_state()
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyspiel

from fanorona.rl import PLANES, FanoronaEnv

__all__ = ["FanoronaGame", "FanoronaState"]

_WITHOUT_CAPTURE = 50

_TYPE = pyspiel.GameType(
    short_name="python_fanorona",
    long_name="Fanorona",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"board": "9x5", "rules": "standard"},
)


class FanoronaGame(pyspiel.Game):  # type: ignore[misc]
    """A board and a rule set."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        params = dict(params or {})
        board = str(params.get("board", "9x5"))
        self.env = FanoronaEnv(
            board, str(params.get("rules", "standard")), without_capture=_WITHOUT_CAPTURE
        )
        # Each capturing step takes a stone, and may be followed by the end of the turn.
        most = 2 * self.env.board.max_stones * (_WITHOUT_CAPTURE + 2) + _WITHOUT_CAPTURE
        info = pyspiel.GameInfo(self.env.actions.count, 0, 2, -1.0, 1.0, 0.0, most)
        super().__init__(_TYPE, info, params)

    def new_initial_state(self) -> "FanoronaState":
        """The start of the board."""
        return FanoronaState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "_Observer":
        """Observations of the player to move, as those of the environment."""
        if params:
            raise ValueError(f"the observer has no parameters: {params}")
        board = self.env.board
        return _Observer((board.height, board.width, len(PLANES)))


class FanoronaState(pyspiel.State):  # type: ignore[misc]
    """A game in play."""

    def __init__(self, game: FanoronaGame) -> None:
        super().__init__(game)
        self.env = FanoronaEnv(
            game.env.board, game.env.rules, without_capture=game.env.without_capture
        )
        self.env.reset()

    def current_player(self) -> int:
        """The player to act, White first, or that the game is over."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        return self.env.possible_agents.index(self.env.agent_selection)

    def _legal_actions(self, player: int) -> list[int]:
        mask = self.env.observe(self.env.possible_agents[player])["action_mask"]
        return [int(action) for action in np.flatnonzero(mask)]

    def _apply_action(self, action: int) -> None:
        self.env.step(action)

    def _action_to_string(self, player: int, action: int) -> str:
        step = self.env.actions.step(action)
        if step is None:
            return "end"
        name = self.env.board.name
        kind = {"paika": "", "approach": "A", "withdrawal": "W"}[step.kind]
        return f"{name(step.origin)}-{name(step.destination)}{kind}"

    def is_terminal(self) -> bool:
        """Whether the game is over."""
        return any(self.env.terminations.values())

    def returns(self) -> list[float]:
        """1 for the winner, -1 for the loser, 0 in a draw and while the game goes on."""
        return [self.env.rewards[agent] for agent in self.env.possible_agents]

    def __str__(self) -> str:
        return self.env.text()


class _Observer:
    def __init__(self, shape: tuple[int, int, int]) -> None:
        self.tensor = np.zeros(np.prod(shape), np.float32)
        self.dict = {"observation": self.tensor.reshape(shape)}

    def set_from(self, state: FanoronaState, player: int) -> None:
        seen = state.env.observe(state.env.possible_agents[player])["observation"]
        self.dict["observation"][:] = seen

    def string_from(self, state: FanoronaState, player: int) -> str:
        return str(state)


pyspiel.register_game(_TYPE, FanoronaGame)
