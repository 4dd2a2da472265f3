"""The environment: PettingZoo's own tests, and the rules of tools/reference as a second source."""

import copy
import importlib
import pickle
import random
import subprocess
import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test.api_test import api_test
from pettingzoo.test.render_test import collect_render_results, render_test
from pettingzoo.test.seed_test import seed_test

from fanorona import (
    Board,
    IllegalTurnError,
    Position,
    RuleSet,
    Side,
    Tables,
    Turn,
    TurnInProgress,
    build,
    rl,
)

from common import Reference

# The order in which docs/RL.md lists the directions, as (file, rank).
DIRECTIONS = [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)]

GAMES = [
    ("9x5", "standard"),
    ("9x5", "first-capture-single"),
    ("9x5", "forced-relay"),
    ("9x5", "free-capture"),
    ("9x5", "vela"),
    ("9x5", "standard+direction-strict"),
    ("7x5", "standard+direction-free"),
    ("5x5", "standard"),
    ("5x5", "vela+victor-black+stones-3+must-capture"),
    ("3x7", "forced-relay+no-turns-draw"),
    ("3x3", "standard+no-turns-draw"),
]


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    """All values of 5x3 with up to 5 stones."""
    directory = tmp_path_factory.mktemp("tables")
    build(directory, 5, board="5x3")
    with Tables(directory, board="5x3") as tables:
        yield tables


def checked(what: Any, *args: Any, **kwargs: Any) -> None:
    """Runs one of PettingZoo's tests, whose warnings are errors.

    Three of its warnings are for every environment with a mask that is not in a list of names.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for usual in (
            "Observation space for each agent probably should be",
            "Observation is not a NumPy array",
            "Action mask numpy array is all zeros",
        ):
            warnings.filterwarnings("ignore", message=usual)
        what(*args, **kwargs)


def mask_of(environment: Any) -> set[int]:
    observation = environment.observe(environment.agent_selection)
    return set(np.flatnonzero(observation["action_mask"]).tolist())


def play(environment: Any, *actions: int) -> None:
    for action in actions:
        environment.step(action)


def play_turn(environment: Any, text: str) -> None:
    turn = Turn(text, environment.position, environment.rules)
    play(environment, *environment.actions.of_turn(turn))


@pytest.mark.parametrize(("board", "rules"), GAMES)
def test_pettingzoo(board: str, rules: str) -> None:
    # Several whole games: with max_turns, none is longer than the cycles.
    settings = {"board": board, "rules": rules, "max_turns": 40}
    checked(api_test, rl.env(**settings), num_cycles=400)
    checked(api_test, rl.raw_env(**settings), num_cycles=400)
    checked(seed_test, lambda: rl.env(**settings), num_cycles=400)


def test_pettingzoo_with_a_random_start() -> None:
    def start(generator: np.random.Generator) -> Position:
        stones = generator.permutation(25)
        white, black = (
            sum(1 << int(point) for point in some) for some in (stones[:4], stones[4:8])
        )
        return Position.from_bitboards("5x5", white, black, "black")

    checked(seed_test, lambda: rl.env("5x5", start=start), num_cycles=200)
    checked(api_test, rl.env("5x5", start=start), num_cycles=200)
    environment = rl.raw_env("5x5", start=start)
    starts = []
    for seed in (1, 2, 1):
        environment.reset(seed=seed)
        starts.append(environment.position)
    assert starts[0] == starts[2] != starts[1]
    environment.reset()
    assert environment.position not in starts


def test_pictures(capsys: pytest.CaptureFixture[str]) -> None:
    svg = {"svg": lambda text: text.startswith("<svg ")}
    checked(render_test, lambda **settings: rl.env(**settings), custom_tests=svg)
    assert capsys.readouterr().out.startswith(" 5 B---B---B")
    for mode in ("ansi", "svg"):
        environment: Any = rl.env(render_mode=mode)
        pictures = collect_render_results(environment)  # type: ignore[no-untyped-call]
        assert len(set(pictures)) == len(pictures) == 5
        environment.close()


def test_people_see_each_turn(capsys: pytest.CaptureFixture[str]) -> None:
    environment = rl.raw_env("5x3", start="B2B1/W4/1B1W1 w", render_mode="human")
    environment.reset()
    assert capsys.readouterr().out.endswith("white to move\n\n")
    play_turn(environment, environment.position.legal_turns()[0].text)
    assert capsys.readouterr().out.endswith("black to move\n\n")


def test_the_text_of_a_position() -> None:
    environment = rl.raw_env("5x3", start="B2B1/W4/1B1W1 w", render_mode="ansi")
    environment.reset()
    assert environment.render() == (
        " 3 B---.---.---B---.\n"
        "   | \\ | / | \\ | / |\n"
        " 2 W---.---.---.---.\n"
        "   | / | \\ | / | \\ |\n"
        " 1 .---B---.---W---.\n"
        "   a   b   c   d   e\n"
        "white to move\n"
    )


def test_no_render_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(gymnasium.logger, "warn", said.append)
    environment = rl.env()
    environment.reset()
    assert environment.render() is None
    assert len(said) == 1


@pytest.mark.parametrize(("board", "rules"), GAMES)
def test_masks_are_those_of_the_reference(board: str, rules: str, reference: Reference) -> None:
    """The reference lists whole turns; a step is legal if a turn begins with it."""
    chooser = random.Random(f"{board} {rules}")
    theirs = reference.rules.RuleSet(rules)
    environment = rl.raw_env(board, rules, repetition=False, without_capture=None, max_turns=40)
    actions = environment.actions

    def number(step: Any) -> int:
        direction = (step.end[0] - step.start[0], step.end[1] - step.start[1])
        point = step.start[1] * environment.board.width + step.start[0]
        return int(point * 8 + DIRECTIONS.index(direction)) * 3 + ["", "A", "W"].index(step.kind)

    relays = 0
    for _ in range(6):
        environment.reset()
        while True:
            position = reference.notation.read_position(environment.position.text)
            turns = {
                tuple(map(number, turn.steps)): turn
                for turn in reference.rules.legal_turns(theirs, position)
            }
            if environment.terminations[environment.agent_selection]:
                assert not turns
                break
            if environment.truncations[environment.agent_selection]:
                break
            played: tuple[int, ...] = ()
            before, agent = environment.position, environment.agent_selection
            while True:
                expected = {
                    turn[len(played)]
                    for turn in turns
                    if len(turn) > len(played) and turn[: len(played)] == played
                }
                if played and not expected:
                    break  # The turn has ended by itself.
                stop = {actions.end_turn} if played in turns else set()
                assert mask_of(environment) == expected | stop
                assert environment.agent_selection == agent
                action = chooser.choice(sorted(expected | stop))
                environment.step(action)
                if action == actions.end_turn:
                    break
                played += (action,)
                relays += len(played) > 1
            turn = turns[played]
            assert environment.position.text == reference.notation.position_text(turn.after)
            assert environment.turns[-1].text == reference.notation.turn_text(turn)
            assert before.play(environment.turns[-1], rules) == environment.position
    assert relays or "single" in rules or "vela" in rules


def test_action_numbers() -> None:
    for board in ("3x3", "9x5", "21x3", "7x9"):
        actions = rl.Actions(board)
        points = Board(board).num_points
        assert (actions.count, actions.end_turn) == (points * 24 + 1, points * 24)
        steps = []
        for action in range(actions.end_turn):
            try:
                steps.append(actions.step(action))
            except ValueError:
                continue
            step = steps[-1]
            assert step is not None and actions.number(step) == action
        links = sum(len(Board(board).neighbours(point)) for point in range(points))
        assert len(set(steps)) == len(steps) == links * 3
        assert actions.step(actions.end_turn) is None
        for wrong in (-1, actions.count):
            with pytest.raises(ValueError, match=str(wrong)):
                actions.step(wrong)


def test_the_start_has_the_numbers_of_fanorona_aec() -> None:
    """The numbers that fanorona-aec 3.0.2 has in its mask at the start."""
    environment = rl.env()
    environment.reset()
    assert mask_of(environment) == {310, 331, 352, 517, 518}


def test_planes(reference: Reference) -> None:
    environment = rl.raw_env(start="B5B2/7B1/9/4W4/4B4 w", without_capture=4)
    environment.reset()
    board = environment.board

    def shown(agent: str, plane: str) -> set[str]:
        values = environment.observe(agent)["observation"][:, :, rl.PLANES.index(plane)]
        return {board.name(rank * board.width + file) for rank, file in np.argwhere(values == 1)}

    assert shown("player_0", "own stones") == {"e2"}
    assert shown("player_0", "opponent's stones") == {"a5", "g5", "h4", "e1"}
    assert shown("player_1", "own stones") == {"a5", "g5", "h4", "e1"}
    assert shown("player_0", "moving stone") == shown("player_0", "visited points") == set()
    points = [(file, rank) for file in range(9) for rank in range(5)]
    strong = {reference.notation.point_text(point) for point in points if sum(point) % 2 == 0}
    assert shown("player_1", "strong points") == strong
    assert len(shown("player_0", "own side is White")) == 45
    assert shown("player_1", "own side is White") == set()

    (turn,) = (turn for turn in environment.position.legal_turns() if turn.text == "e2-e3W-f4A")
    actions = environment.actions.of_turn(turn)
    assert actions[2:] == [environment.actions.end_turn]
    play(environment, *actions[:2])
    assert shown("player_0", "own stones") == {"f4"} == shown("player_0", "moving stone")
    assert shown("player_0", "opponent's stones") == {"a5", "h4"}
    assert shown("player_0", "visited points") == {"e2", "e3", "f4"}
    assert shown("player_0", "origin of the last step") == {"e3"}
    onwards = ((3 * 9 + 5) * 8 + 4) * 3 + 1  # f4-g4A
    assert mask_of(environment) == {onwards, environment.actions.end_turn}
    assert not environment.observe("player_1")["action_mask"].any()
    environment.step(environment.actions.end_turn)
    assert environment.agent_selection == "player_1"
    assert shown("player_1", "moving stone") == set()


def test_counters_in_the_planes() -> None:
    environment = rl.raw_env("5x5", start="B4/5/5/5/4W w", without_capture=10)
    environment.reset()

    def counters() -> tuple[float, float]:
        planes = environment.observe(environment.agent_selection)["observation"]
        assert (planes[:, :, 7:] == planes[0, 0, 7:]).all()
        return float(planes[0, 0, 7]), float(planes[0, 0, 8])

    seen = [counters()]
    for text in ["e1-e2", "a5-a4", "e2-e1", "a4-a5"] * 2:
        play_turn(environment, text)
        seen.append(counters())
    assert [earlier for earlier, _ in seen] == [0, 0, 0, 0, 0.5, 0.5, 0.5, 0.5, 1]
    assert [round(quiet * 10) for _, quiet in seen] == list(range(9))
    assert environment.infos["player_0"] == {"end": "threefold"}


def run(environment: Any, chooser: random.Random) -> tuple[dict[str, float], str]:
    """Plays to the end; the sums of the rewards, and why the game ended."""
    sums, end = {"player_0": 0.0, "player_1": 0.0}, ""
    for agent in environment.agent_iter():
        _, reward, termination, truncation, info = environment.last()
        sums[agent] += reward
        if termination or truncation:
            end = info["end"]
            environment.step(None)
        else:
            environment.step(chooser.choice(sorted(mask_of(environment))))
    return sums, end


@pytest.mark.parametrize(
    "settings",
    [
        {"board": "3x3"},
        {"board": "5x3", "rules": "standard+no-turns-draw"},
        {"board": "5x5", "without_capture": 5},
        {"board": "5x5", "repetition": False, "without_capture": 12},
        {"board": "5x5", "max_turns": 15},
        {"board": "9x5"},
    ],
)
def test_results_follow_from_the_turns(settings: dict[str, Any]) -> None:
    """Plays the turns of each game again, with a slow count of repetitions."""
    chooser, ends = random.Random(str(settings)), Counter[str]()
    environment = rl.raw_env(**settings)
    repetition = settings.get("repetition", True)
    without_capture = settings.get("without_capture", 50)
    for _ in range(30):
        environment.reset()
        sums, end = run(environment, chooser)
        ends[end] += 1
        positions = [environment.board.start()]
        why: list[str] = []
        for number, turn in enumerate(environment.turns, 1):
            assert not why, "the game went on after its end"
            positions.append(positions[-1].play(turn, environment.rules))
            outcome = positions[-1].outcome(environment.rules)
            last = environment.turns[max(number - without_capture, 0) : number]
            if outcome is not None:
                why.append("won" if outcome.winner else "no-turn")
                expected = {None: 0.0, Side.WHITE: 1.0, Side.BLACK: -1.0}[outcome.winner]
            elif repetition and positions.count(positions[-1]) == 3:
                why.append("threefold")
            elif len(last) == without_capture and all(turn.captured == 0 for turn in last):
                why.append("without-capture")
            elif number == settings.get("max_turns"):
                why.append("max-turns")
            if why and why != ["won"]:
                expected = 0.0
        assert [end] == why
        assert sums == {"player_0": expected, "player_1": -expected}
    assert len(ends) > 1 or end == "won"


def test_an_episode_that_is_cut_is_truncated() -> None:
    environment = rl.env(max_turns=1)
    environment.reset()
    environment.step(310)
    assert environment.terminations == {"player_0": False, "player_1": False}
    assert environment.truncations == {"player_0": True, "player_1": True}


def test_tables_end_the_game_with_the_exact_value(tables: Tables) -> None:
    chooser, ends = random.Random(1), Counter[str]()
    environment = rl.raw_env("5x3", tables=tables)
    for _ in range(40):
        environment.reset()
        sums, end = run(environment, chooser)
        ends[end] += 1
        counts = [
            turn.after.white.bit_count() + turn.after.black.bit_count()
            for turn in environment.turns
        ]
        assert all(count > 5 for count in counts[:-1])
        if end == "tables":
            assert counts[-1] <= 5
            value = int(tables.probe(environment.position).value)
            white = value if environment.position.to_move is Side.WHITE else -value
            assert sums == {"player_0": float(white), "player_1": float(-white)}
    assert ends["tables"] > 10
    checked(api_test, rl.env("5x3", tables=tables), num_cycles=200)


def test_a_start_in_the_tables_is_one_turn(tables: Tables) -> None:
    environment = rl.raw_env("5x3", tables=tables, start="W3W/4B/3B1 w")
    environment.reset()
    ranked = {ranked.turn.text: int(ranked.value) for ranked in tables.rank(environment.position)}
    turns = environment.position.legal_turns()
    assert set(ranked.values()) == {-1, 0, 1}
    assert set(ranked) == {turn.text for turn in turns}
    for turn in turns:
        environment.reset()
        play(environment, *environment.actions.of_turn(turn))
        assert environment.infos["player_0"] == {"end": "tables"}
        assert environment.rewards["player_0"] == ranked[turn.text]


def test_copies_have_tables(tables: Tables) -> None:
    environment = rl.raw_env("5x3", tables=tables)
    environment.reset()
    assert copy.deepcopy(environment).tables is tables
    other = pickle.loads(pickle.dumps(environment))
    assert other.tables is not tables and other.tables.dir == tables.dir
    assert run(other, random.Random(2)) == run(environment, random.Random(2))


def test_other_tables_are_refused(tables: Tables) -> None:
    with pytest.raises(ValueError, match="5x3"):
        rl.env("5x5", tables=tables)
    with pytest.raises(ValueError, match="forced-relay"):
        rl.env("5x3", "forced-relay", tables=tables)


@pytest.mark.parametrize("action", [0, 1080, 309])
def test_illegal_actions(action: int) -> None:
    raw = rl.raw_env()
    raw.reset()
    with pytest.raises(IllegalTurnError):
        raw.step(action)
    assert raw.position == raw.board.start() and not raw.progress.steps
    with pytest.raises(IllegalTurnError):
        raw.step(None)
    wrapped = rl.env()
    wrapped.reset()
    wrapped.step(action)
    assert wrapped.rewards == {"player_0": -1.0, "player_1": 0.0}
    assert all(wrapped.terminations.values()) and all(wrapped.truncations.values())
    assert all("end" not in info for info in wrapped.infos.values())
    for _ in range(2):
        wrapped.step(None)
    assert not wrapped.agents


def test_a_reset_while_agents_are_removed() -> None:
    environment: Any = rl.env("5x5")
    for _ in range(3):
        environment.reset(seed=1)
        assert environment.agents == ["player_0", "player_1"]
        environment.step(0)  # Not legal.
        environment.step(None)
        assert len(environment.agents) == 1
    environment.reset(seed=1)
    sums, end = run(environment, random.Random(1))
    assert end and sum(sums.values()) == 0
    assert not environment.agents


def test_illegal_actions_in_a_relay() -> None:
    raw = rl.raw_env("9x5", "forced-relay", start="B5B2/7B1/9/4W4/4B4 w")
    raw.reset()
    (action,) = mask_of(raw)
    raw.step(action)
    with pytest.raises(IllegalTurnError, match="end"):
        raw.step(raw.actions.end_turn)
    with pytest.raises(IllegalTurnError):
        raw.step(action)
    assert len(raw.progress.steps) == 1


@pytest.mark.parametrize("action", [-1, 1081])
def test_actions_out_of_range(action: int) -> None:
    environment = rl.env()
    environment.reset()
    with pytest.raises(AssertionError):
        environment.step(action)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"board": "4x4"}, "4x4"),
        ({"rules": "chess"}, "chess"),
        ({"without_capture": 0}, "without_capture is 0"),
        ({"max_turns": -3}, "max_turns is -3"),
        ({"render_mode": "rgb_array"}, "rgb_array"),
    ],
)
def test_wrong_settings(settings: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        rl.env(**settings)


@pytest.mark.parametrize(
    ("start", "said"),
    [
        ("B2/3/2W w", "not on the board"),
        ("9/9/4W4/9/9 w", "already over"),
        ("BBB6/WBB6/BBB6/9/9 w", "already over"),
        ("nonsense", "'nonsense' is not a position"),
    ],
)
def test_wrong_starts(start: str, said: str) -> None:
    environment = rl.env()
    with pytest.raises(ValueError, match=said):
        environment.reset(options={"start": start})


def test_the_start_of_one_game() -> None:
    environment = rl.raw_env(start="9/9/2W1B4/9/9 w")
    environment.reset(options={"start": Position("9/9/2W1B4/9/9 b"), "other": 1})
    assert environment.agent_selection == "player_1"
    assert environment.position.to_move is Side.BLACK
    environment.reset()
    assert environment.agent_selection == "player_0"


def test_the_turn_in_play_is_a_copy() -> None:
    environment = rl.raw_env()
    environment.reset()
    progress: TurnInProgress = environment.progress
    progress.make(progress.next_steps()[0])
    assert not environment.progress.steps


def test_copies_with_wrappers() -> None:
    environment: Any = rl.env("5x5")
    environment.reset(seed=1)
    other = copy.deepcopy(environment)
    other.step(min(mask_of(other)))
    assert other.unwrapped.turns and not environment.unwrapped.turns


@pytest.mark.parametrize("missing", ["gymnasium", "pettingzoo"])
def test_without_the_extra_packages(missing: str) -> None:
    code = f"import sys; sys.modules['{missing}'] = None; import fanorona.rl"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    said = done.stderr.splitlines()[-1]
    assert said.startswith(f"ModuleNotFoundError: fanorona.rl needs {missing}")
    assert said.endswith(": install fanorona[rl]")


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_alone(copied: Any) -> None:
    environment = rl.raw_env("5x5", RuleSet.STANDARD)
    chooser = random.Random(3)
    environment.reset(seed=5)
    for _ in range(9):
        environment.step(chooser.choice(sorted(mask_of(environment))))
    other = copied(environment)
    assert other.progress.steps == environment.progress.steps
    assert mask_of(other) == mask_of(environment)
    before = environment.position, environment.progress.steps
    first = run(other, random.Random(8))
    assert (environment.position, environment.progress.steps) == before
    assert run(environment, random.Random(8)) == first
    assert other.turns == environment.turns


def test_gymnasium(tables: Tables) -> None:
    for settings in ({"level": 1}, {"level": 8, "depth": 1, "tables": tables}, {"side": "black"}):
        environment = rl.AgainstEngine("5x3", max_turns=30, **settings)
        with warnings.catch_warnings():
            # It warns about spaces of actions and observations that are as they should be.
            warnings.simplefilter("ignore")
            check_env(environment, skip_render_check=True)


def test_games_against_the_engine() -> None:
    results = Counter[float]()
    for seed in range(12):
        environment = rl.AgainstEngine("5x5", level=1 + seed % 3, render_mode="ansi")
        observation, _ = environment.reset(seed=seed)
        actions = environment.action_space
        actions.seed(seed)
        ended, reward = False, 0.0
        for _ in range(1000):
            mask = environment.action_masks()
            assert (mask == observation["action_mask"]).all() and mask.any()
            agent = environment.game.agent_selection
            observation, reward, terminated, truncated, info = environment.step(
                int(actions.sample(mask))
            )
            if ended := terminated or truncated:
                break
            assert reward == 0 and environment.game.agent_selection == agent
        assert ended and info["end"] and not environment.action_masks().any()
        won = environment.game.terminations and environment.game.rewards[agent]
        assert reward == won
        results[reward] += 1
        assert isinstance(environment.render(), str)
    # Random play loses against any level, nearly always.
    assert results[-1.0] > 6, results


def test_an_agent_of_either_side() -> None:
    black = rl.AgainstEngine("5x5", side="black")
    black.reset(seed=1)
    assert len(black.game.turns) == 1 and black.game.agent_selection == "player_1"
    white = rl.AgainstEngine("5x5", side=Side.WHITE)
    white.reset(seed=1)
    assert len(white.game.turns) == 0 and white.game.agent_selection == "player_0"
    assert white.step(white.game.actions.end_turn)[1:4] == (-1.0, True, False)
    sides = set()
    either = rl.AgainstEngine("5x5")
    for seed in range(10):
        either.reset(seed=seed)
        sides.add(either.game.agent_selection)
    assert len(sides) == 2
    with pytest.raises(ValueError, match="depth"):
        rl.AgainstEngine(level=8)


def test_openspiel() -> None:
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is not installed")
    importlib.import_module("fanorona.open_spiel")
    for name in ("python_fanorona(board=5x3)", "python_fanorona(board=3x3,rules=free-capture)"):
        game = pyspiel.load_game(name)
        pyspiel.random_sim_test(game, num_sims=3, serialize=False, verbose=False)
        state = game.new_initial_state()
        chance = random.Random(name)
        while not state.is_terminal():
            before = str(state)
            clone = state.clone()
            action = chance.choice(state.legal_actions())
            assert state.action_to_string(state.current_player(), action)
            state.apply_action(action)
            assert str(clone) == before
        assert sum(state.returns()) == 0 and state.current_player() == pyspiel.PlayerId.TERMINAL
