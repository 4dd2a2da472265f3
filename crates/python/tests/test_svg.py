"""Pictures: what they show is read back from the SVG text and compared with the position."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from typing import cast
from xml.etree import ElementTree

import pytest

from fanorona import Analysis, Board, Engine, Game, IllegalTurnError, Position, Tables, Turn, Value, analyze, build
from fanorona._svg import analysis_text, progress_svg, svg

from common import ROOT

SVG = "{http://www.w3.org/2000/svg}"
PICTURES = ROOT / "crates/core/docs/pictures"
RELAY = Position("B5B2/7B1/9/4W4/4B4 w")
WHITE, BLACK, CAPTURE, ARROW = "#ffffff", "#222222", "#b3001b", "#0b4f9e"


class Seen:
    """A picture, read."""

    def __init__(self, text: str) -> None:
        self.root = ElementTree.fromstring(text)
        left, top, self.width, self.height = map(float, self.root.attrib["viewBox"].split())
        assert (left, top) == (0, 0)

    def groups(self, fill: str) -> list[ElementTree.Element]:
        return [group for group in self.root.iter(f"{SVG}g") if group.get("fill") == fill]

    def stones(self, fill: str) -> set[tuple[float, float]]:
        circles = [circle for group in self.groups(fill) for circle in group.iter(f"{SVG}circle")]
        places = {(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in circles}
        assert len(places) == len(circles)
        return places

    def rings(self, stroke: str, dashed: bool) -> set[tuple[float, float]]:
        return {
            (float(c.attrib["cx"]), float(c.attrib["cy"]))
            for c in self.root.iter(f"{SVG}circle")
            if c.get("fill") == "none"
            and c.get("stroke") == stroke
            and (c.get("stroke-dasharray") is not None) == dashed
        }

    def texts(self) -> list[str]:
        return [element.text or "" for element in self.root.iter(f"{SVG}text")]

    def said(self, tag: str) -> str:
        (element,) = self.root.findall(f"{SVG}{tag}")
        return element.text or ""

    def lines(self) -> list[tuple[float, float, float, float]]:
        """The lines of the board, from the first path."""
        path = self.root.find(f"{SVG}path")
        assert path is not None
        number = r"(-?[\d.]+)"
        found = re.findall(rf"M{number} {number}L{number} {number}", path.attrib["d"])
        return [(float(a), float(b), float(c), float(d)) for a, b, c, d in found]

    def places(self, board: Board) -> dict[int, tuple[float, float]]:
        """The place of each point, from the ends of the horizontal and vertical lines."""
        xs = sorted({x for x, _, x2, _ in self.lines() if x == x2})
        ys = sorted({y for _, y, _, y2 in self.lines() if y == y2}, reverse=True)
        assert (len(xs), len(ys)) == (board.width, board.height)
        return {
            rank * len(xs) + file: (x, y) for rank, y in enumerate(ys) for file, x in enumerate(xs)
        }


def bits(bitboard: int) -> list[int]:
    return [index for index in range(64) if bitboard >> index & 1]


@pytest.mark.parametrize("board", Board.all(), ids=str)
def test_boards(board: Board) -> None:
    position = board.start()
    seen = Seen(svg(position))
    places = seen.places(board)
    assert seen.stones(WHITE) == {places[point] for point in bits(position.white)}
    assert seen.stones(BLACK) == {places[point] for point in bits(position.black)}
    assert seen.texts() == [
        *(board.name(file)[0] for file in range(board.width)),
        *(str(rank + 1) for rank in range(board.height)),
        "White to move",
    ]
    # Each link is on one line, and each line has only links.
    point_at = {place: point for point, place in places.items()}
    drawn: Counter[frozenset[int]] = Counter()
    cell = abs(places[0][0] - places[1][0])
    for x, y, x2, y2 in seen.lines():
        length = round(max(abs(x2 - x), abs(y2 - y)) / cell)
        on_line = []
        for step in range(length + 1):
            place = x + (x2 - x) * step / length, y + (y2 - y) * step / length
            (point,) = (
                point
                for (a, b), point in point_at.items()
                if abs(a - place[0]) < 0.1 and abs(b - place[1]) < 0.1
            )
            on_line.append(point)
        drawn.update(frozenset(pair) for pair in pairwise(on_line))
    links = {
        frozenset((point, neighbour))
        for point in range(board.num_points)
        for neighbour in board.neighbours(point).values()
    }
    assert set(drawn) == links
    assert set(drawn.values()) == {1}
    inside(seen)


def inside(seen: Seen) -> None:
    """Everything is within the picture."""
    for circle in seen.root.iter(f"{SVG}circle"):
        x, y, r = (float(circle.attrib[name]) for name in ("cx", "cy", "r"))
        assert r <= x <= seen.width - r and r <= y <= seen.height - r
    for text in seen.root.iter(f"{SVG}text"):
        x, y = float(text.attrib["x"]), float(text.attrib["y"])
        # A letter of the caption is narrower than two thirds of its height.
        half = len(text.text or "") * float(seen.root.attrib["font-size"]) * 0.33
        assert half <= x <= seen.width - half and 0 <= y <= seen.height


@pytest.mark.parametrize("size", [40, 360, 1000])
def test_size(size: int) -> None:
    for text in ("9x5", "3x3", "3x21", "21x3", "7x7"):
        board = Board(text)
        seen = Seen(svg(board.start(), size=size))
        xs, ys = zip(*seen.places(board).values(), strict=True)
        assert max(max(xs) - min(xs), max(ys) - min(ys)) < size
        assert seen.width <= size + 0.01
        assert seen.root.attrib["width"] == seen.root.attrib["viewBox"].split()[2]


@pytest.mark.parametrize("size", [0, -5])
def test_wrong_size(size: int) -> None:
    with pytest.raises(ValueError, match=str(size)):
        svg(RELAY, size=size)


def test_colours_are_those_of_the_rules_page() -> None:
    ours, theirs = svg(Board("9x5").start()), (PICTURES / "start.svg").read_text()
    for pattern in (r'<rect [^>]*fill="(#\w+)"', r'<path [^>]*stroke="(#\w+)"'):
        assert re.findall(pattern, ours)[0] == re.findall(pattern, theirs)[0]
    assert set(re.findall(r'<g fill="(#\w+)"', ours)) == set(
        re.findall(r'<g fill="(#\w+)"', theirs)
    )
    relay = (PICTURES / "relay.svg").read_text()
    assert CAPTURE in relay and ARROW in relay


def test_marks() -> None:
    seen = Seen(svg(Board("9x5").start(), marks=["a1", "a2"]))
    places = seen.places(Board("9x5"))
    assert seen.rings(ARROW, dashed=False) == {places[0], places[9]}
    assert "Marked: a1, a2." in seen.said("desc")


def test_arrows() -> None:
    plain, pointed = svg("9/9/2W1B4/9/9 w"), svg("9/9/2W1B4/9/9 w", arrows=[("a1", "b2"), ("i5", "i4")])
    assert pointed.count(f'fill="{ARROW}"') == plain.count(f'fill="{ARROW}"') + 2
    assert "Arrow from a1 to b2. Arrow from i5 to i4." in Seen(pointed).said("desc")
    with pytest.raises(ValueError, match="j1"):
        svg(RELAY, arrows=[("a1", "j1")])


def test_games_show_their_last_turn() -> None:
    game = Game()
    assert svg(game) == svg(Position())
    game.push("d3-e3A")
    assert svg(game) == svg(Position(), "d3-e3A") == game._repr_svg_()
    assert svg(game.position) == svg(game.position.text) != svg(game)
    assert svg(game, "d4-d3A") == svg(game.position, "d4-d3A")
    with pytest.raises(IllegalTurnError):
        svg(game, "d3-e3A")


def test_words() -> None:
    seen = Seen(svg(RELAY))
    assert seen.said("title") == "Fanorona position B5B2/7B1/9/4W4/4B4 w"
    assert seen.said("desc") == (
        "Board 9x5. White stones: e2. Black stones: a5, e1, g5, h4. White to move."
    )
    assert seen.root.attrib["role"] == "img"


@pytest.mark.parametrize(
    ("text", "captured"),
    [
        ("e2-e3W", [("e1",)]),
        ("e2-e3W-f4A", [("e1",), ("g5",)]),
        ("e2-e3W-f4A-g4A", [("e1",), ("g5",), ("h4",)]),
    ],
)
def test_turns(text: str, captured: list[tuple[str, ...]]) -> None:
    turn = Turn(text, RELAY)
    seen = Seen(svg(RELAY, turn))
    board = RELAY.board
    places = seen.places(board)
    assert seen.rings(CAPTURE, dashed=True) == {
        places[board.point(name)] for names in captured for name in names
    }
    numbers = [str(number) for number in range(1, len(captured) + 1)] if len(captured) > 1 else []
    shown = seen.texts()[board.width + board.height :]
    assert sorted(shown) == sorted([*numbers, *numbers, f"White plays {text}"])
    # The arrows lead from point to point.
    heads = [p for p in seen.root.iter(f"{SVG}path") if p.get("fill") == ARROW]
    assert len(heads) == len(captured)
    for step, head in zip(turn.steps, heads, strict=True):
        found = re.match(r"M(-?[\d.]+) (-?[\d.]+)", head.attrib["d"])
        assert found is not None
        x, y = places[step.destination]
        assert abs(float(found[1]) - x) < 5 and abs(float(found[2]) - y) < 5
    said = seen.said("desc")
    assert f"White plays {text}." in said
    for names in captured:
        assert f"captures {', '.join(names)} by" in said
    assert turn._repr_svg_() == svg(RELAY, turn)


def test_paika() -> None:
    position = Position("8B/9/2W6/9/9 w")
    seen = Seen(svg(position, Turn("c3-c4", position)))
    assert "The step from c3 to c4 captures nothing." in seen.said("desc")
    assert not seen.rings(CAPTURE, dashed=True)


def test_long_captions_are_broken() -> None:
    """A relay of nine steps."""
    position = Position("BBBBBB1BB/4W1BBB/BWBW1B1BW/WWWW1WW1W/WWWWWWWW1 b")
    longest = Turn("f3-f4W-e3A-e2W-f2A-g3W-g2A-h2A-g1W-f1W", position)
    seen = Seen(svg(position, longest))
    inside(seen)
    caption = [text for text in seen.texts() if len(text) > 2]
    assert len(caption) > 1
    said = f"Black plays {longest.text}"
    assert "".join(caption).replace(" ", "") == said.replace(" ", "")


def test_turns_in_play() -> None:
    progress = RELAY.begin()
    assert progress_svg(progress) == svg(RELAY)
    for step in Turn("e2-e3W-f4A", RELAY).steps:
        progress.make(step)
    seen = Seen(progress_svg(progress))
    board = RELAY.board
    places = seen.places(board)
    assert seen.rings(CAPTURE, dashed=True) == {places[board.point(name)] for name in ("e1", "g5")}
    assert seen.texts()[-1] == "White has moved to f4"
    assert not progress.finish().is_paika  # The picture has left the turn as it was.


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tables]:
    directory = tmp_path_factory.mktemp("tables")
    build(directory, 4, board="5x3")
    with Tables(directory, board="5x3") as tables:
        yield tables


@pytest.mark.parametrize(
    ("position", "caption"),
    [
        ("W3W/4B/3B1 w", ["White plays e3-d2", "White wins in {} turns (proved)"]),
        ("W3W/4B/3B1 b", None),
        ("5/5/W2B1 w", None),
        ("4W/1W3/B4 b", None),
        ("5/2W2/5 b", ["Black to move", "White wins in 0 turns (proved)"]),
    ],
)
def test_analyses(position: str, caption: list[str] | None, tables: Tables) -> None:
    read = Position(position)
    analysis = analyze(read, tables=tables)
    seen = Seen(analysis._repr_svg_())
    value = tables.probe(read)
    shown = [text for text in seen.texts() if len(text) > 2]
    if caption is not None:
        assert shown == [line.format(value.dtw) for line in caption]
    winner = {1: read.to_move, 0: None, -1: read.to_move.other}[value.value]
    said = f"{winner.value.capitalize()} wins in {value.dtw} turn" if winner else "Draw (proved)"
    assert shown[1].startswith(said)
    if analysis.best is not None:
        assert f"plays {analysis.best.text}." in seen.said("desc")
    assert seen.said("title") == f"Analysis of {position}: {shown[1]}"


def test_analyses_that_are_not_finished() -> None:
    """Every pair of bounds, because a search cannot be made to end with each of them."""

    class Bounds:
        def __init__(self, at_least: Value, at_most: Value, to_move: str) -> None:
            self.at_least, self.at_most, self.dtw = at_least, at_most, None
            self.value = at_least if at_least is at_most else None
            self.position = Position(f"W3W/4B/3B1 {to_move}")

    shown = {
        (int(low), int(high), side): analysis_text(cast(Analysis, Bounds(low, high, side)))
        for low in Value
        for high in Value
        if low <= high
        for side in "wb"
    }
    assert shown == {
        (-1, -1, "w"): "Black wins (proved)",
        (-1, -1, "b"): "White wins (proved)",
        (-1, 0, "w"): "Black wins or draws (not decided)",
        (-1, 0, "b"): "White wins or draws (not decided)",
        (-1, 1, "w"): "Not decided",
        (-1, 1, "b"): "Not decided",
        (0, 0, "w"): "Draw (proved)",
        (0, 0, "b"): "Draw (proved)",
        (0, 1, "w"): "White wins or draws (not decided)",
        (0, 1, "b"): "Black wins or draws (not decided)",
        (1, 1, "w"): "White wins (proved)",
        (1, 1, "b"): "Black wins (proved)",
    }
    seen = Seen(analyze(Board("9x5").start(), "free-capture", nodes=100)._repr_svg_())
    assert seen.texts()[-2:] == ["White to move", "Not decided"]


def test_thoughts() -> None:
    thought = Engine("9x5", level=4, seed=1).think(Position("5W3/9/1B1BB4/2W6/9 b"), depth=2)
    seen = Seen(thought._repr_svg_())
    assert thought.turn is not None
    assert f"Black plays {thought.turn.text}" in seen.texts()
    assert f"for Black: {thought.score}" in seen.texts()


def test_notebooks_get_the_picture() -> None:
    assert RELAY._repr_svg_() == svg(RELAY)


def test_arrows_point_to_their_ends() -> None:
    pairs = [("a1", "b2"), ("i5", "i4"), ("c3", "a1")]
    seen = Seen(svg("9/9/2W1B4/9/9 w", arrows=pairs))
    board = Board("9x5")
    places = seen.places(board)
    heads = [path.attrib["d"] for path in seen.root.iter(f"{SVG}path") if path.get("fill") == ARROW]
    for (_, end), head in zip(pairs, heads, strict=True):
        found = re.match(r"M(-?[\d.]+) (-?[\d.]+)", head)
        assert found is not None
        x, y = places[board.point(end)]
        assert abs(float(found[1]) - x) < 5 and abs(float(found[2]) - y) < 5, head
