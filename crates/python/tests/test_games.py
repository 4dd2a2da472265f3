"""Games as text, and what python-chess calls a board with a stack of moves."""

import io
import os
from pathlib import Path
from random import Random

import pytest

from fanorona import (
    Board,
    BoardError,
    FileError,
    Game,
    GameTextError,
    Position,
    PositionError,
    RuleSet,
    Side,
    TurnError,
    analyze,
    read_games,
)

PRESETS = [rules.name for rules in RuleSet.presets()]

FILE = """[Board "5x5"]
[White "Rakoto"]
[Black "Rasoa"]
[Date "2026-11-22"]

{Sunday} 1. b2-c3A! {takes (one)} (1. c2-c3 {too slow}) 1... c5-d4A $14 0-1

[White "Rabe"]
1. d3-e3A; only this
"""


def test_games_are_read_and_written() -> None:
    first, second = read_games(FILE)
    assert (first.white, first.black, first.date, first.result) == (
        "Rakoto",
        "Rasoa",
        "2026-11-22",
        "0-1",
    )
    assert [turn.text for turn in first.turns] == ["b2-c3A", "c5-d4A"] and first.end is None
    assert first.comments == {0: ["Sunday"], 1: ["takes (one)"]}
    assert first.glyphs == {1: [1], 2: [14]}
    assert first.variations == {1: ["1. c2-c3 {too slow}"]}
    assert (second.white, second.black, second.date, second.result) == ("Rabe", None, None, "*")
    assert second.comments == {1: ["only this"]} and second.start == Position()
    for game in (first, second):
        assert Game.from_text(game.text) == game
    assert read_games(first.text + second.text) == [first, second]
    assert read_games("") == []


def test_games_are_read_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "two games.txt"
    path.write_text(FILE, encoding="utf-8")
    expected = read_games(FILE)
    assert len(expected) == 2
    for place in (path, str(path), os.fsencode(path), "two games.txt", Path("two games.txt")):
        assert read_games(place) == expected
    with path.open(encoding="utf-8") as text, path.open("rb") as raw:
        assert read_games(text) == read_games(raw) == expected
    assert read_games(io.StringIO(FILE)) == expected
    with pytest.raises(FileError, match="cannot read .*none") as missing:
        read_games(tmp_path / "none")
    assert missing.value.errno == 2
    # A text that names no file is a text.
    with pytest.raises(GameTextError, match="line 1"):
        read_games("none.txt")
    path.write_bytes(b"[White \"x\"]\n\n1. d3-e3A {\xff} *")
    for unreadable in (path, io.BytesIO(path.read_bytes())):
        with pytest.raises(GameTextError, match="line 3 is not UTF-8"):
            read_games(unreadable)
    with pytest.raises(TypeError, match="PathLike"):
        read_games(5)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="a file of text, not list"):
        read_games(type("Odd", (), {"read": lambda self: []})())


def test_other_boards_and_forms() -> None:
    (game,) = read_games("1. b2-c3A *", "5x5", "forced-relay")
    assert (game.start.board, game.rules.name) == (Board("5x5"), "forced-relay")
    (game,) = read_games("1. d3e3+ d4,d3+ 1-0")
    assert [turn.text for turn in game.turns][0] == "d3-e3A"


@pytest.mark.parametrize("rules", [*PRESETS, "standard+no-turns-draw", "vela+stones-3"])
@pytest.mark.parametrize(
    "draws", ["none", "threefold", "without-capture-2", "threefold+without-capture-7"]
)
def test_any_game_is_read_as_it_is_written(rules: str, draws: str) -> None:
    random = Random(f"{rules} {draws}")
    played_on = 0
    for board in ("9x5",) if rules == "vela" else ("5x3", "5x5", "9x5"):
        game = Game(Board(board).start(), rules, draw_rules=draws)
        # Draws by settings do not end it, and the stones often go to and fro.
        for _ in range(100):
            turns, before = game.position.legal_turns(rules), game.earlier[-2:-1]
            if not turns:
                break
            back = [
                turn
                for turn in turns
                if before and game.position.play(turn, rules).opponent == before[0].own
            ]
            played_on += game.end is not None
            game.push(random.choice(back if back and random.random() < 0.9 else turns))
            read = Game.from_text(game.text)
            assert read == game and read.turns == game.turns and read.end == game.end
        assert read_games(game.text + game.text) == [game, game]
    assert played_on or draws.startswith(("none", "threefold"))


def test_games_have_as_many_turns_as_are_read() -> None:
    game = Game("B4/5/5/5/4W w", draw_rules="none", turns=["e1-e2", "a5-a4", "e2-e1", "a4-a5"] * 2500)
    assert Game.from_text(game.text) == game
    with pytest.raises(ValueError, match="10000 turns at most"):
        game.push("e1-e2")


def test_wrong_texts() -> None:
    text = "1. d3-e3A *\n\n1. d3-e3A d4-d5 *\n\n1. d2-e3A *"
    with pytest.raises(GameTextError, match="line 3, column 11"):
        read_games(text)
    assert len(read_games(text, errors="skip")) == 2
    with pytest.raises(GameTextError, match="line 3"):
        Game.from_text(text)
    with pytest.raises(GameTextError):
        Game.from_text("")
    with pytest.raises(ValueError, match="'raise' or 'skip'"):
        read_games(text, errors="ignore")  # type: ignore[arg-type]


def test_headers_and_annotations_are_set() -> None:
    game = Game(turns=["d3-e3A", "d4-d3A"])
    game.white, game.black, game.date, game.result = "Rakoto", "Rasoa", "2026-11-22", "1-0"
    game.annotate("gives it away", glyph=2, variation="1. d2-e3A", after=1)
    game.annotate("resigns")
    assert game.text.endswith(
        "1. d3-e3A? {gives it away} (1. d2-e3A) 1... d4-d3A {resigns} 1-0\n"
    )
    assert Game.from_text(game.text.replace("none", "threefold")) == game
    game.white = None
    assert '[White "?"]' in game.text
    for name, wrong in [
        ("white", "x" * 101),
        ("black", "two\nlines"),
        ("date", "yesterday"),
        ("result", "2-0"),
    ]:
        with pytest.raises(ValueError):
            setattr(game, name, wrong)
    with pytest.raises(ValueError, match="after"):
        game.annotate("too far", after=3)
    with pytest.raises(ValueError):
        game.annotate(variation="(open")
    # Without its turn there is no comment on it, and nobody has resigned.
    assert game.undo() and game.comments == {1: ["gives it away"]} and game.result == "*"
    over = Game("9/9/2W1B4/9/9 w", turns=["c3-d3A"])
    assert over.result == "1-0"
    with pytest.raises(ValueError, match="1-0"):
        over.result = "0-1"


def test_turns_are_taken_back() -> None:
    game = Game(turns=(turn for turn in ["d3-e3A", "d4-d3A"]))
    played = game.turns
    assert [game.undo(), game.undo()] == played[::-1] and game == Game()
    with pytest.raises(IndexError, match="no turn to take back"):
        game.undo()
    assert game == Game()
    for wrong in ("d3-e3A", 5):
        with pytest.raises(TypeError, match="expected a list, not"):
            Game(turns=wrong)  # type: ignore[arg-type]


def test_games_compare_by_value() -> None:
    game, other = Game(), Game()
    assert game == other
    game.push("d3-e3A")
    assert game != other
    other.push("d3-e3A")
    assert game == other
    other.annotate("why?")
    assert game != other
    assert Game(draw_rules="none") != Game() != Game(Position().swap_side())
    with pytest.raises(TypeError, match="unhashable"):
        hash(game)


def test_texts_stand_for_positions_and_turns() -> None:
    assert Game().position == Position() == Position(Position()) == Board().start()
    assert Board(Board("5x5")) == Board("5x5") != Board()
    start = Board("3x3").start()
    assert Position("3x3") == Position(" 3X3") == Position(Board("3x3")) == Game("3x3").start == start
    assert analyze("3x3").position == start and len(analyze(("3x3", start))) == 2
    with pytest.raises(BoardError, match="no board 4x4"):
        Position("4x4")
    with pytest.raises(PositionError, match="'five' is not a position: .* a board, as in 9x5"):
        Position("five")
    game = Game("B4/5/5/5/4W w")
    assert game.is_legal("e1-e2") and game.is_legal(game.legal_turns()[0])
    assert not game.is_legal("e1-c3") and not game.is_legal("e1")
    with pytest.raises(TypeError):
        game.is_legal(5)  # type: ignore[arg-type]
    position = Position("9/9/1B1WB4/9/9 w")
    with pytest.raises(TurnError):
        position.play("d3-c3")
    assert position.is_legal("d3-c3A") and not position.is_legal("d3-c3")
    assert ~Side.WHITE is Side.BLACK and ~Side.BLACK is Side.WHITE
