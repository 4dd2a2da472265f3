"""Environments for reinforcement learning, with the interfaces of PettingZoo and Gymnasium.

It needs the extra packages of `pip install fanorona[rl]`. The page docs/RL.md describes actions,
observations, rewards and draws.

>>> from fanorona import rl
>>> env = rl.env(board="5x5")
>>> env.reset(seed=1)
>>> for agent in env.agent_iter():
...     observation, reward, termination, truncation, info = env.last()
...     done = termination or truncation
...     mask = None if done else observation["action_mask"]
...     env.step(None if done else env.action_space(agent).sample(mask))
>>> env.agents
[]
"""

import copy
from collections.abc import Callable, Sequence
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from fanorona import (
    Board,
    Direction,
    Engine,
    Game,
    IllegalTurnError,
    Position,
    RuleSet,
    Side,
    Step,
    StepKind,
    Tables,
    Turn,
    TurnInProgress,
)
from fanorona._svg import points, progress_svg

try:
    import gymnasium
    from gymnasium import spaces
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env import AECEnv
except ModuleNotFoundError as _error:
    raise ModuleNotFoundError(
        f"fanorona.rl needs {_error.name}: install fanorona[rl]", name=_error.name
    ) from _error

__all__ = ["Actions", "AgainstEngine", "FanoronaEnv", "Observation", "PLANES", "env", "raw_env"]

PLANES = (
    "own stones",
    "opponent's stones",
    "moving stone",
    "visited points",
    "origin of the last step",
    "strong points",
    "own side is White",
    "earlier occurrences",
    "turns without capture",
)
"""What the planes of an observation show, in their order."""

# The order in which the package fanorona-aec counts directions and kinds.
_DIRECTIONS = (
    Direction.SOUTH_WEST,
    Direction.SOUTH,
    Direction.SOUTH_EAST,
    Direction.WEST,
    Direction.EAST,
    Direction.NORTH_WEST,
    Direction.NORTH,
    Direction.NORTH_EAST,
)
_KINDS = (StepKind.PAIKA, StepKind.APPROACH, StepKind.WITHDRAWAL)
_PER_POINT = len(_DIRECTIONS) * len(_KINDS)


class Observation(TypedDict):
    """What an agent sees: the planes, and a one for each legal action."""

    observation: NDArray[np.float32]
    action_mask: NDArray[np.int8]


class Actions:
    """The numbers of the actions on a board.

    A step has the number `(point * 8 + direction) * 3 + kind`. `point` is the index of the point
    where it begins. Directions count from 0: south-west, south, south-east, west, east, north-west,
    north, north-east. Kinds: 0 paika, 1 approach, 2 withdrawal. The last number ends the turn.

    >>> actions = Actions("9x5")
    >>> actions.count, actions.end_turn
    (1081, 1080)
    >>> actions.step(518)
    Step(21, 22, 'east', 'withdrawal')
    """

    def __init__(self, board: Board | str) -> None:
        self.board = Board(board)
        self.end_turn = self.board.num_points * _PER_POINT
        self.count = self.end_turn + 1
        self._steps: dict[int, Step] = {}
        self._numbers: dict[Step, int] = {}
        for point in range(self.board.num_points):
            for direction, neighbour in self.board.neighbours(point).items():
                for kind in _KINDS:
                    step = Step(point, neighbour, direction, kind)
                    number = point * _PER_POINT + _DIRECTIONS.index(direction) * len(_KINDS)
                    number += _KINDS.index(kind)
                    self._steps[number], self._numbers[step] = step, number

    def number(self, step: Step) -> int:
        """The number of a step. Raises ValueError if the board has no such link."""
        try:
            return self._numbers[step]
        except KeyError:
            raise ValueError(f"{step!r} follows no link of the board {self.board}") from None

    def step(self, action: int) -> Step | None:
        """The step with a number; None for the action that ends the turn.

        Raises ValueError if no step has the number: some name a direction without a link.
        """
        if action == self.end_turn:
            return None
        try:
            return self._steps[action]
        except KeyError:
            raise ValueError(f"the action {action} is no step on the board {self.board}") from None

    def of_turn(self, turn: Turn) -> list[int]:
        """The actions that play a turn, with the end of the turn if the relay could go on.

        >>> position = Position("B5B2/7B1/9/4W4/4B4 w")
        >>> Actions("9x5").of_turn(Turn("e2-e3W-f4A", position))
        [332, 550, 1080]
        """
        progress = turn.position.begin(turn.rules)
        for step in turn.steps:
            progress.make(step)
        numbers = [self.number(step) for step in turn.steps]
        return [*numbers, self.end_turn] if progress.next_steps() else numbers


class FanoronaEnv(AECEnv[str, Any, Any]):
    """The environment without wrappers. Actions that are not legal raise IllegalTurnError.

    `player_0` is White and `player_1` is Black. A relay is several actions of the same agent: its
    steps, then the end of the turn, unless the stone cannot capture further.

    board           the board or its name, for example "5x5"
    rules           the rule set or its name
    start           the position where games start, or a function that returns one for a random
                    generator of NumPy; without it the start of the board
    repetition      whether the third occurrence of a position is a draw
    without_capture a draw after this number of turns of both sides without a capture; or None
    max_turns       the episode is truncated after this number of turns of both sides
    tables          endgame tables; the game ends after a turn to a position that they have, with
                    its exact value
    render_mode     "human" (prints each turn), "ansi" (text), "svg" (the text of an SVG file) or None
    """

    metadata: dict[str, Any] = {
        "name": "fanorona_v1",
        "render_modes": ["human", "ansi", "svg"],
        "is_parallelizable": False,
    }

    def __init__(
        self,
        board: Board | str = "9x5",
        rules: RuleSet | str = "standard",
        *,
        start: Position | str | Callable[[np.random.Generator], Position] | None = None,
        repetition: bool = True,
        without_capture: int | None = 50,
        max_turns: int | None = None,
        tables: Tables | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.actions = Actions(board)
        self.board = self.actions.board
        self.rules = RuleSet(rules)
        for name, number in (("without_capture", without_capture), ("max_turns", max_turns)):
            if number is not None and number < 1:
                raise ValueError(f"{name} is {number}; it must be at least 1, or None")
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            modes = ", ".join(self.metadata["render_modes"])
            raise ValueError(f"there is no render mode '{render_mode}'; write one of {modes}")
        if tables is not None and tables.board != self.board:
            raise ValueError(f"the tables are for the board {tables.board}, not {self.board}")
        if tables is not None and tables.rules != self.rules:
            raise ValueError(f"the tables are for the rules {tables.rules}, not {self.rules}")
        draws = ["threefold"] if repetition else []
        draws += [f"without-capture-{without_capture}"] if without_capture is not None else []
        self.draw_rules, self.without_capture = "+".join(draws) or "none", without_capture
        self.max_turns, self.tables, self.render_mode = max_turns, tables, render_mode
        self._start = start
        self._random = np.random.default_rng()

        shape = (self.board.height, self.board.width, len(PLANES))
        self.possible_agents = ["player_0", "player_1"]
        self._sides = dict(zip(self.possible_agents, (Side.WHITE, Side.BLACK), strict=True))
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.float32),
                    "action_mask": spaces.Box(0, 1, (self.actions.count,), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(self.actions.count) for agent in self.possible_agents
        }
        every = range(self.board.num_points)
        self._strong = sum(1 << point for point in every if self._is_strong(point))

    # What the environment is

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the observations; the same for both agents."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the actions; the same for both agents."""
        return self.action_spaces[agent]

    @property
    def position(self) -> Position:
        """The position where the turn in play began, or where the game ended."""
        return self._progress.position

    @property
    def progress(self) -> TurnInProgress:
        """A copy of the turn in play."""
        return self._progress.copy()

    @property
    def turns(self) -> Sequence[Turn]:
        """The turns played since the last reset."""
        return tuple(self._game.turns)

    @property
    def earlier(self) -> Sequence[Position]:
        """The positions of the game before this one, oldest first."""
        return tuple(self._game.earlier)

    # Episodes

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a game. The option `start` is a position for this game; others are ignored."""
        if seed is not None:
            self._random = np.random.default_rng(seed)
        position = self._start_position((options or {}).get("start", self._start))
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}
        # What PettingZoo keeps while it removes the agents of a game that is over.
        vars(self).pop("_skip_agent_selection", None)
        self._game = Game(position, self.rules, draw_rules=self.draw_rules)
        self._played = self._quiet = 0
        self._begin_turn(position)
        self._show()

    def step(self, action: int | None) -> None:
        """Plays an action of the selected agent; None if the game is over for it."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise IllegalTurnError("the game goes on, so an action must be a number")
        self._make(int(action))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if action == self.actions.end_turn or not self._legal:
            self._end_turn()
            self._show()
        self._accumulate_rewards()

    def _start_position(
        self, start: Position | str | Callable[[np.random.Generator], Position] | None
    ) -> Position:
        if callable(start):
            start = start(self._random)
        position = Position(start) if isinstance(start, str) else start or self.board.start()
        if position.board != self.board:
            raise ValueError(f"the position {position} is not on the board {self.board}")
        if position.outcome(self.rules) is not None:
            raise ValueError(f"the game is already over in the position {position}")
        return position

    def _begin_turn(self, position: Position) -> None:
        self._progress = position.begin(self.rules)
        self._legal = self._legal_steps()
        self.agent_selection = self.possible_agents[position.to_move is Side.BLACK]

    def _legal_steps(self) -> list[int]:
        return [self.actions.number(step) for step in self._progress.next_steps()]

    def _make(self, action: int) -> None:
        """Makes a step of the turn in play, or checks that it may end."""
        if action == self.actions.end_turn:
            if not self._progress.steps or not self._progress.may_stop:
                raise IllegalTurnError(f"the turn cannot end now: {self._progress}")
        elif action in self._legal:
            step = self.actions.step(action)
            assert step is not None
            self._progress.make(step)
            self._legal = self._legal_steps()
        else:
            raise IllegalTurnError(f"the action {action} is not legal: {self._progress}")

    def _end_turn(self) -> None:
        turn = self._progress.finish()
        self._game.push(turn)
        self._played += 1
        self._quiet = self._quiet + 1 if turn.is_paika else 0
        self._begin_turn(turn.after)
        end, winner = self._game.end, self._game.winner
        if end is None and (known := self._known_value(turn.after)) is not None:
            mover = turn.after.to_move
            end, winner = "tables", {1: mover, 0: None, -1: mover.other}[known]
        if end is not None:
            self.terminations = dict.fromkeys(self.agents, True)
        elif self.max_turns is not None and self._played >= self.max_turns:
            end = "max-turns"
            self.truncations = dict.fromkeys(self.agents, True)
        else:
            return
        if winner is not None:
            for agent in self.agents:
                self.rewards[agent] = 1.0 if self._sides[agent] is winner else -1.0
        self._legal = []
        self.infos = {agent: {"end": end} for agent in self.agents}

    def _known_value(self, position: Position) -> int | None:
        known = None if self.tables is None else self.tables.get(position)
        return None if known is None else known.value

    # Copies

    def __deepcopy__(self, memo: dict[int, Any]) -> "FanoronaEnv":
        """A copy for searching ahead, which shares the tables."""
        for shared in (self.tables, self.actions):
            memo[id(shared)] = shared
        other = type(self).__new__(type(self))
        memo[id(self)] = other
        vars(other).update(copy.deepcopy(vars(self), memo))
        return other

    # What agents see

    def observe(self, agent: str) -> Observation:
        """What an agent sees. The mask has no ones while the other agent is to act."""
        mask = np.zeros(self.actions.count, np.int8)
        if agent == self.agent_selection and self._legal:
            mask[self._legal] = 1
            mask[self.actions.end_turn] = bool(self._progress.steps) and self._progress.may_stop
        return {"observation": self._planes(self._sides[agent]), "action_mask": mask}

    def _planes(self, side: Side) -> NDArray[np.float32]:
        progress, board = self._progress, self.board
        own, opponent = progress.own, progress.opponent
        if side is not progress.position.to_move:
            own, opponent = opponent, own
        moving = origin = 0
        if (stone := progress.stone) is not None:
            moving, origin = 1 << stone, 1 << progress.steps[-1].origin
        bitboards = np.array(
            [own, opponent, moving, progress.visited, origin, self._strong], dtype="<u8"
        )
        bits = np.unpackbits(bitboards.view(np.uint8).reshape(-1, 8), axis=1, bitorder="little")
        planes = np.empty((board.num_points, len(PLANES)), np.float32)
        planes[:, : len(bitboards)] = bits[:, : board.num_points].T
        planes[:, 6] = side is Side.WHITE
        planes[:, 7] = min(self._game.occurrences - 1, 2) / 2
        planes[:, 8] = self._quiet / self.without_capture if self.without_capture else 0
        return planes.reshape(board.height, board.width, len(PLANES))

    def _is_strong(self, point: int) -> bool:
        rank, file = divmod(point, self.board.width)
        return (file + rank) % 2 == 0

    # Pictures

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The position as text or as an SVG file, as `render_mode` says; "human" prints the text."""
        if self.render_mode == "svg":
            return progress_svg(self._progress)
        if self.render_mode == "ansi":
            return self.text()
        if self.render_mode == "human":
            print(self.text())
            return None
        gymnasium.logger.warn("the environment has no render mode, so render() shows nothing")
        return None

    def text(self) -> str:
        """The board drawn as text, with the side to move."""
        progress = self._progress
        at = "" if progress.stone is None else f", relay at {self.board.name(progress.stone)}"
        return f"{progress.diagram}\n{progress.position.to_move.value} to move{at}\n"

    def close(self) -> None:
        """Nothing is open, so nothing is closed; tables stay with their owner."""


class AgainstEngine(gymnasium.Env[Observation, int]):
    """Games of one agent against a level of the engine, with the interface of Gymnasium.

    Actions, observations and other arguments are those of FanoronaEnv. The engine answers at once, so
    the agent is always to act. An action that is not legal ends the game with the reward -1.

    level  the level of the engine, 1 to 8
    side   the side of the agent: "white", "black", or None for a random one in each game
    depth  the depth of the engine's search; level 8 needs it

    >>> env = AgainstEngine("5x5", level=2)
    >>> observation, info = env.reset(seed=1)
    >>> terminated = False
    >>> while not terminated:
    ...     action = env.action_space.sample(env.action_masks())
    ...     observation, reward, terminated, truncated, info = env.step(action)
    >>> reward in {-1.0, 0.0, 1.0}
    True
    """

    metadata = {"render_modes": FanoronaEnv.metadata["render_modes"]}

    def __init__(
        self,
        board: Board | str = "9x5",
        rules: RuleSet | str = "standard",
        *,
        level: int = 1,
        side: Side | str | None = None,
        depth: int | None = None,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        self.game = FanoronaEnv(board, rules, render_mode=render_mode, **settings)
        if level >= 8 and depth is None:
            raise ValueError("level 8 searches without end: give a depth")
        self.level, self.depth, self.render_mode = level, depth, render_mode
        self.side = None if side is None else Side(side)
        self.observation_space = self.game.observation_space("player_0")
        self.action_space = self.game.action_space("player_0")

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Starts a game. The option `start` is a position for this game; others are ignored."""
        super().reset(seed=seed)
        seeds = [int(number) for number in self.np_random.integers(2**32, size=3)]
        side = self.side or list(Side)[seeds[0] % 2]
        self._agent = self.game.possible_agents[side is Side.BLACK]
        self._engine = Engine(
            self.game.board,
            self.game.rules,
            level=self.level,
            seed=seeds[1],
            draw_rules=self.game.draw_rules,
            tables=self.game.tables,
        )
        self.game.reset(seed=seeds[2], options=options)
        self._answer()
        if not self.action_masks().any():
            raise ValueError(f"the engine ends the game at once: {self.game.position}")
        return self._seen()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Plays an action, and the engine's turn if it is then to move."""
        try:
            self.game.step(int(action))
        except IllegalTurnError:
            return self._seen()[0], -1.0, True, False, {}
        self._answer()
        agent = self._agent
        over = self.game.terminations[agent], self.game.truncations[agent]
        observation, info = self._seen()
        return observation, self.game.rewards[agent] if any(over) else 0.0, *over, info

    def action_masks(self) -> NDArray[np.int8]:
        """A one for each legal action, by the name that MaskablePPO of sb3-contrib asks for."""
        return self.game.observe(self._agent)["action_mask"]

    def render(self) -> str | None:
        """As that of FanoronaEnv."""
        return self.game.render()

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        return self.game.observe(self._agent), self.game.infos[self._agent]

    def _answer(self) -> None:
        game = self.game
        while game.agent_selection != self._agent and not any(game.terminations.values()):
            if any(game.truncations.values()):
                return
            answer = self._engine.think(game.position, game.earlier, depth=self.depth)
            assert answer.turn is not None
            for action in game.actions.of_turn(answer.turn):
                game.step(action)


def raw_env(*args: Any, **kwargs: Any) -> FanoronaEnv:
    """The environment without wrappers, by the name that PettingZoo uses. See FanoronaEnv."""
    return FanoronaEnv(*args, **kwargs)


def env(*args: Any, **kwargs: Any) -> AECEnv[str, Any, Any]:
    """The environment with the usual wrappers of PettingZoo. The arguments are of FanoronaEnv.

    An action that is not legal ends the game: its agent gets -1, the other 0. An action out of
    range raises AssertionError.
    """
    wrapped: AECEnv[str, Any, Any] = FanoronaEnv(*args, **kwargs)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=-1)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)
