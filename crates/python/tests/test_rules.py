"""Boards, rule sets, positions and turns."""

import inspect
import pickle
import random
from collections.abc import Callable
from enum import Enum
from pathlib import Path

import pytest

import fanorona
from fanorona import (
    Board,
    BoardError,
    Counting,
    Direction,
    Engine,
    FanoronaError,
    Game,
    IllegalTurnError,
    Metric,
    Outcome,
    Position,
    PositionError,
    RuleError,
    RuleSet,
    Side,
    Step,
    StepKind,
    Symmetry,
    Turn,
    TurnError,
    TurnInProgress,
    Value,
)

from common import Reference

RULES = [
    "standard",
    "first-capture-single",
    "forced-relay",
    "free-capture",
    "standard+direction-strict",
    "free-capture+direction-free+no-turns-draw",
    "vela+stones-3",
    "vela+victor-black+stones-2+must-capture",
]


def random_games(board: str, rules: str, games: int, turns: int) -> list[Position]:
    """Positions of random play, with those in which the game is over."""
    chance = random.Random(f"{board} {rules}")
    found = []
    for _ in range(games):
        position = Board(board).start()
        for _ in range(turns):
            found.append(position)
            legal = position.legal_turns(rules)
            if not legal:
                break
            position = chance.choice(legal).after
    return found


@pytest.mark.parametrize("rules", RULES)
@pytest.mark.parametrize("board", ["3x3", "5x3", "5x5", "7x3"])
def test_turns_are_those_of_the_reference(board: str, rules: str, reference: Reference) -> None:
    positions = random_games(board, rules, games=6, turns=25)
    assert len(positions) > 20
    for position in positions:
        found = {turn.text: turn.after.text for turn in position.legal_turns(rules)}
        assert found == reference.turns(position, rules), position
        outcome = position.outcome(rules)
        assert (outcome is None) == bool(found)
        for turn in position.legal_turns(rules):
            assert turn.after == position.play(turn.text, rules) == position.play(turn, rules)
            assert turn.captured == position.opponent & ~turn.after.own
            assert turn.is_paika == (turn.captured == 0)
            assert turn.rules == RuleSet(rules)


@pytest.mark.parametrize("rules", RULES)
def test_steps_make_the_turns(rules: str) -> None:
    def complete(turn: TurnInProgress) -> list[Turn]:
        assert turn.own | turn.opponent
        ends = [turn.finish()] if turn.may_stop else []
        if not turn.may_stop:
            with pytest.raises(IllegalTurnError):
                turn.finish()
        for step in turn.next_steps():
            longer = turn.copy()
            longer.make(step)
            assert longer.stone == step.destination and longer.visited >> step.origin & 1
            assert longer.steps == (*turn.steps, step) and longer.position == turn.position
            ends += complete(longer)
        return ends

    for position in random_games("5x5", rules, games=4, turns=12):
        found = complete(position.begin(rules))
        assert set(found) == set(position.legal_turns(rules))
        assert len(found) == len(position.legal_turns(rules))
        for turn in found:
            assert turn.steps[0].origin == turn.origin
            assert turn.steps[-1].destination == turn.destination


def test_a_step_that_is_not_legal_says_why() -> None:
    turn = Board("9x5").start().begin()
    step = turn.next_steps()[0]
    for wrong, why in [
        (Step(0, 9, Direction.NORTH, StepKind.PAIKA), "a2 is not empty"),
        (Step(0, 5, "north", "paika"), "no link leads north"),
        (Step(200, 5, "north", "paika"), "no point with the index 200"),
        (Step(step.origin, step.destination, step.direction, "paika"), "captures"),
    ]:
        with pytest.raises(IllegalTurnError, match=why):
            turn.make(wrong)
        assert turn.steps == ()
    turn.make(step)
    with pytest.raises(IllegalTurnError, match="turn is over|not from"):
        turn.make(step)
    with pytest.raises(IllegalTurnError):
        TurnInProgress(turn.position, steps=[step, step])
    assert turn.after() == turn.finish().after
    assert "d2-e3A" in repr(turn)


def test_a_step_has_point_indices() -> None:
    for origin, destination, name in [(300, 5, "origin"), (5, -1, "destination")]:
        with pytest.raises(ValueError, match=f"{name} is a number from 0 to 255"):
            Step(origin, destination, "north", "paika")


def test_texts_are_read_as_in_the_data(data: Path) -> None:
    lines = (data / "positions" / "valid.txt").read_text().splitlines()
    pairs = [line.split(" -> ") for line in lines if line and not line.startswith("#")]
    assert len(pairs) > 10
    for text, normal in pairs:
        assert Position(text).text == normal == str(Position(normal))
    lines = (data / "positions" / "invalid.txt").read_text().splitlines()
    wrong = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert len(wrong) > 10
    for text, _ in wrong:
        with pytest.raises(PositionError):
            Position(text)
    lines = (data / "positions" / "turns.txt").read_text().splitlines()
    turns = [line.split("\t") for line in lines if line and not line.startswith("#")]
    assert len(turns) > 20
    for rules, position, text, normal, *_ in turns:
        if normal == "illegal":
            with pytest.raises(TurnError):
                Turn(text, Position(position), rules)
        else:
            assert Turn(text, Position(position), rules).text == normal


def test_values_are_immutable_and_hashable() -> None:
    start = Board("9x5").start()
    turn = start.legal_turns()[0]
    values = [
        Board("7x3"),
        RuleSet("vela+victor-black+must-capture"),
        *RuleSet.presets(),
        start,
        start.swap_colours(),
        *start.legal_turns(),
        Position("9/9/2W1B4/9/9 w").legal_turns("free-capture")[0],
        turn.steps[0],
        Outcome("white"),
        Outcome(None),
        fanorona.TableValue(Value.WIN, 5),
        fanorona.TableValue(Value.DRAW),
    ]
    names = vars(fanorona)
    for value in values:
        assert eval(repr(value), dict(names)) == value
        with pytest.raises(AttributeError):
            setattr(value, "text", "other")
    assert len(set(values)) == len(values)
    assert start != "text" and turn != start


def test_a_turn_knows_its_position() -> None:
    start = Board("9x5").start()
    turn = start.legal_turns()[0]
    assert turn.position == start and turn in start.legal_turns()
    # The same steps at another position are another turn, and legal only if they fit.
    other = Position("BBBBBBBBB/BBBBBBBBB/BWBW1BWB1/WWWWWWWWW/WWWWWWWWW w")
    assert other.play(turn) == other.play(turn.text)
    assert Turn(turn.text, other) != turn
    with pytest.raises(IllegalTurnError, match="step 1"):
        start.swap_side().play(turn)
    with pytest.raises(IllegalTurnError, match="board 9x5"):
        Board("5x5").start().play(turn)
    with pytest.raises(IllegalTurnError, match="a2 is not empty"):
        start.play("a1-a2")
    with pytest.raises(IllegalTurnError, match="no link joins a1 and c1"):
        start.play("a1-c1")
    for text, why in [("hello", "is not a point"), ("d3-e3", "can be"), ("d3-e9", "no point e9")]:
        with pytest.raises(TurnError, match=why) as raised:
            start.play(text)
        assert not isinstance(raised.value, IllegalTurnError)
    with pytest.raises(TypeError, match="a Turn or its text"):
        start.play(5)  # type: ignore[arg-type]


def test_enums_are_enums() -> None:
    for enum, count in [(Side, 2), (Value, 3), (Direction, 8), (StepKind, 3), (Symmetry, 8),
                        (Metric, 2), (Counting, 4)]:  # fmt: skip
        members = list[Enum](enum)
        assert len(members) == count and issubclass(enum, Enum)
        for member in members:
            assert pickle.loads(pickle.dumps(member)) is member
            assert enum(member.value) is member and enum[member.name] is member
            assert getattr(fanorona, enum.__name__) is enum
        assert enum.__doc__ and enum.__module__ == "fanorona"
    assert Side.WHITE.other is Side.BLACK and Side.BLACK.other is Side.WHITE
    assert Value.LOSS < Value.DRAW < Value.WIN and -Value.LOSS == Value.WIN
    assert Board("9x5").start().to_move is Side.WHITE
    assert Position("3/1W1/2B w").outcome() is None
    assert {step.kind for turn in Board("9x5").start().legal_turns() for step in turn.steps} == {
        StepKind.APPROACH,
        StepKind.WITHDRAWAL,
    }


def test_boards() -> None:
    board = Board("9x5")
    assert board == Board("9x5") == Board("9x5") and str(board) == "9x5"
    assert (board.width, board.height, board.num_points, board.max_stones) == (9, 5, 45, 22)
    assert board.all_points == 2**45 - 1
    assert len(Board.all()) == len(set(Board.all())) and Board("5x5") in Board.all()
    names = [board.name(point) for point in range(45)]
    assert [board.point(name) for name in names] == list(range(45))
    assert names[0] == "a1" and names[44] == "i5" and names[22] == "e3"
    for point in range(45):
        neighbours = board.neighbours(point)
        assert len(neighbours) in (3, 5, 8) or (point % 9 + point // 9) % 2 == 1
        for direction, neighbour in neighbours.items():
            opposite = list(Direction)[(list(Direction).index(direction) + 4) % 8]
            assert board.neighbours(neighbour)[opposite] == point
    assert len(board.symmetries()) == 4 and len(Board("5x5").symmetries()) == 8
    for width, height in [(4, 5), (1, 3), (9, 9), (-3, 3), (10**9, 3), (259, 3)]:
        with pytest.raises(BoardError, match=f"{width}x{height}"):
            Board(f"{width}x{height}")
    for text in ["", "9", "9x", "x5", "9x5x3", "10000000000000000000000x3", "９x5"]:
        with pytest.raises(BoardError):
            Board(text)
    for name in ["", "j1", "a6", "a0", "3a", "e33333333333"]:
        with pytest.raises(BoardError):
            board.point(name)
    for index in [-1, 45, 255, 256, 2**70]:
        with pytest.raises(BoardError, match="indices 0 to 44"):
            board.name(index)
    with pytest.raises(TypeError):
        board.name("e3")  # type: ignore[arg-type]


def test_symmetries_keep_the_game() -> None:
    for position in random_games("5x5", "standard", games=2, turns=10):
        for symmetry in position.board.symmetries():
            image = position.transformed(symmetry)
            assert len(image.legal_turns()) == len(position.legal_turns())
            assert image.board == position.board and image.to_move == position.to_move
        swapped = position.swap_colours()
        assert (swapped.white, swapped.black) == (position.black, position.white)
        assert swapped.swap_colours() == position == position.swap_side().swap_side()
    with pytest.raises(BoardError, match="turn-left is not a symmetry of the board 9x5"):
        Board("9x5").start().transformed("turn-left")


def test_rule_sets() -> None:
    assert RuleSet() == RuleSet.STANDARD == RuleSet("standard")
    assert [rules.name for rules in RuleSet.presets()] == [
        "standard",
        "first-capture-single",
        "forced-relay",
        "free-capture",
        "vela",
    ]
    rules = RuleSet("vela+stones-3+victor-black+no-turns-draw+direction-strict")
    assert rules.name == "vela+direction-strict+no-turns-draw+victor-black+stones-3"
    assert RuleSet(rules) == rules != RuleSet("vela+stones-3")
    for wrong in ["", "chess", "standard+", "standard+victor-black", "vela+stones-x"]:
        with pytest.raises(RuleError):
            RuleSet(wrong)
    # The vela's five stones are for 9x5.
    with pytest.raises(RuleError, match="vela"):
        Board("5x5").start().legal_turns("vela")
    assert Board("9x5").start().legal_turns("vela")
    with pytest.raises(TypeError, match="a RuleSet or its name"):
        Board("5x5").start().legal_turns(3)  # type: ignore[arg-type]
    blocked = Position("3/1W1/3 b")
    assert RuleSet.STANDARD.outcome(blocked) == Outcome(Side.WHITE)
    assert Outcome("white").value_for("black") is Value.LOSS
    assert Outcome(None).value_for(Side.BLACK) is Value.DRAW
    assert RuleSet("first-capture-single").endgame(Position("3/1W1/2B w")) == RuleSet.STANDARD


def test_bitboards() -> None:
    start = Board("9x5").start()
    again = Position.from_bitboards(start.board, start.white, start.black, start.to_move)
    assert again == start == Position.from_bitboards("9x5", start.white, start.black, "white")
    assert start.own == start.white == start.stones("white")
    assert start.opponent == start.black == start.stones(Side.BLACK)
    assert start.empty == 1 << 22
    for white, black, why in [
        (-1, 1, "not a set of points"),
        (2**64, 1, "not a set of points"),
        (10**40, 1, "not a set of points"),
        (1 << 45, 1, "outside the board"),
        (2**63, 1, "outside the board"),
        (3, 2, "same point b1"),
        (2**23 - 1, 1 << 40, "at most 22"),
        (0, 0, "no stone"),
    ]:
        with pytest.raises(PositionError, match=why):
            Position.from_bitboards("9x5", white, black, "white")
    for wrong in ["1", 1.0, None, [1]]:
        with pytest.raises(TypeError, match="integer whose bits are points"):
            Position.from_bitboards("9x5", wrong, 2, "white")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'grey' is not a side"):
        Position.from_bitboards("9x5", 1, 2, "grey")
    with pytest.raises(TypeError, match="Side or its name"):
        Position.from_bitboards("9x5", 1, 2, 0)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "enum", [value for value in vars(fanorona).values() if isinstance(value, type(Side))]
)
def test_a_wrong_member_is_told_the_right_ones(enum: type[Enum]) -> None:
    for wrong in ("red", 7, None):
        with pytest.raises(ValueError) as raised:
            enum(wrong)
        values = ", ".join(repr(member.value) for member in enum)
        assert str(raised.value) == f"{wrong!r} is not a {enum.__name__}: the values are {values}"


def test_messages_name_the_file_and_not_the_system(tmp_path: Path) -> None:
    none = tmp_path / "none"
    file = tmp_path / "file"
    file.write_text("?")
    works: list[Callable[[], object]] = [
        lambda: fanorona.Tables(none),
        lambda: fanorona.Book(none),
        lambda: fanorona.check_certificate(none),
        lambda: fanorona.check_suite(none),
        lambda: fanorona.read_games(none),
        lambda: fanorona.build(file, 2, "3x3"),
        lambda: fanorona.analyze("3x3", certificate=none / "proof"),
        lambda: fanorona.analyze("3x3", "standard+direction-free", resume=tmp_path),
        lambda: fanorona.read_games(file.parent),
    ]
    for work in works:
        with pytest.raises(fanorona.FileError) as raised:
            work()
        text = str(raised.value)
        assert str(tmp_path) in text and "os error" not in text


def test_exceptions_are_of_the_right_kinds() -> None:
    for exception, builtin in [
        (fanorona.BoardError, ValueError),
        (fanorona.BusyError, RuntimeError),
        (fanorona.CertificateError, ValueError),
        (fanorona.DamagedFileError, ValueError),
        (fanorona.FileError, OSError),
        (fanorona.ForkError, RuntimeError),
        (fanorona.GameTextError, ValueError),
        (fanorona.IllegalTurnError, ValueError),
        (fanorona.MissingCertificateError, LookupError),
        (fanorona.MissingTableError, LookupError),
        (fanorona.OtherFileError, ValueError),
        (fanorona.OtherGameError, ValueError),
        (fanorona.OutOfDiskError, OSError),
        (fanorona.OutOfMemoryError, MemoryError),
        (fanorona.PositionError, ValueError),
        (fanorona.RuleError, ValueError),
        (fanorona.SliceError, ValueError),
        (fanorona.SuiteError, ValueError),
        (fanorona.TurnError, ValueError),
    ]:
        assert issubclass(exception, FanoronaError) and issubclass(exception, builtin)
        assert exception.__doc__


def test_defaults_can_be_read() -> None:
    seen: dict[str, object] = {}
    for name in fanorona.__all__:
        thing = getattr(fanorona, name)
        parts = [(name, thing)]
        if inspect.isclass(thing) and not issubclass(thing, (Enum, Exception)):
            parts += [(f"{name}.{part}", value) for part, value in vars(thing).items()]
        for part, value in parts:
            if not callable(value) or isinstance(value, type) and issubclass(value, Enum):
                continue
            try:
                parameters = inspect.signature(value).parameters.values()
            except ValueError:
                continue  # A class without a constructor.
            for parameter in parameters:
                assert parameter.default is not Ellipsis, f"{part}: {parameter}"
                seen[f"{part} {parameter.name}"] = parameter.default
    assert len(seen) > 100
    # They are what the arguments are when they are left out.
    assert Engine("3x3").level == seen["Engine level"]
    assert RuleSet() == RuleSet(str(seen["RuleSet name"])) == Engine().rules
    assert seen["Engine draw_rules"] == seen["Game draw_rules"]
    assert Engine().board == Board(str(seen["Engine board"]))
    assert Game(Board("3x3").start()).draw_rules == seen["Game draw_rules"]
    position = fanorona.random_position("3x3", "2v2", 1)
    assert position.to_move == seen["random_position to_move"]
    assert fanorona.perft(position, 2) == fanorona.perft(
        position, 2, count=str(seen["perft count"]), threads=None
    )


def test_the_names_of_the_package_are_public() -> None:
    for name in fanorona.__all__:
        assert hasattr(fanorona, name), name
    public = {name for name in vars(fanorona) if not name.startswith("_")}
    submodules = {"rl", "open_spiel"}
    assert public - submodules == set(fanorona.__all__) - {"__version__"}
    for name in sorted(public - submodules):
        documented = getattr(fanorona, name)
        assert documented.__doc__, name
        if isinstance(documented, type) and not issubclass(documented, (Enum, Exception)):
            for member, value in vars(documented).items():
                assert member.startswith("_") or value.__doc__, f"{name}.{member}"
