#!/usr/bin/env python3
"""Draws the boards of the rules page as SVG files.

    python3 tools/pictures.py            write crates/core/docs/pictures/*.svg
    python3 tools/pictures.py --check    compare the files with what would be written

A picture is a position and, mostly, a turn. The rules come from tools/reference: which stones a turn
captures is computed, a turn that is not legal is an error, and a step that a picture shows as
forbidden must be forbidden by the rules of relays and by nothing else.

Needs Python 3.11, as tools/reference does. Exit status: 0 done; 1 with --check, if a file differs, is
missing or has no entry here; 2 if a picture or the arguments are wrong.
"""

import argparse
import pathlib
import sys
from dataclasses import dataclass
from xml.sax.saxutils import escape

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "reference"))

from board import WHITE, board_named, start_position  # noqa: E402
from notation import point_text, position_text, read_position, read_turn, turn_text  # noqa: E402
from rules import RuleSet, capturing_steps, game_is_over, legal_turns  # noqa: E402

DIRECTORY = pathlib.Path(__file__).resolve().parent.parent / "crates/core/docs/pictures"

CELL, STONE = 44, 14  # the distance between neighbours, and a stone's radius
LEFT, RIGHT, TOP, BOTTOM = 46, 26, 26, 44  # margins; coordinates stand on the left and at the bottom

WOOD, LINE, INK = "#e8d3a5", "#6b4a1f", "#222222"
STONES = {"white": "#ffffff", "black": INK}
ARROW, CAPTURE = "#0b4f9e", "#b3001b"


@dataclass(frozen=True)
class Picture:
    name: str
    title: str
    position: str  # the text of a position, or a board's size for an empty board
    turn: str = ""  # drawn with numbered arrows; what it captures is marked
    forbidden: str = ""  # "c3-d3A": a capturing step that `turn` may not go on with
    every_paika: bool = False  # an arrow for each legal paika
    strong_points: bool = False  # a dot on each
    rules: str = "standard"


PICTURES = [
    Picture("board", "The empty 9x5 board; dots mark the strong points", "9x5", strong_points=True),
    Picture("start", "The start position on 9x5", position_text(start_position(board_named("9x5")))),
    Picture("start-3x3", "The start position on 3x3", position_text(start_position(board_named("3x3")))),
    Picture("start-5x5", "The start position on 5x5", position_text(start_position(board_named("5x5")))),
    Picture("paika", "Every paika of two stones", "8B/9/2W6/6W2/9 w", every_paika=True),
    Picture("approach", "A capture by approach", "9/9/1W1BBB3/9/9 w", turn="b3-c3A"),
    Picture("withdrawal", "A capture by withdrawal", "9/9/BBBW5/9/9 w", turn="d3-e3W"),
    Picture("choice-approach", "One step, two captures: approach", "9/9/1BBW1BB2/9/9 w", turn="d3-e3A"),
    Picture("choice-withdrawal", "One step, two captures: withdrawal", "9/9/1BBW1BB2/9/9 w", turn="d3-e3W"),
    Picture("line-gap", "A line ends at an empty point", "9/9/1W1BB1BB1/9/9 w", turn="b3-c3A"),
    Picture("line-own-stone", "A line ends at an own stone", "9/9/1W1BBWBB1/9/9 w", turn="b3-c3A"),
    Picture("relay", "A relay of three steps", "B5B2/7B1/9/4W4/4B4 w", turn="e2-e3W-f4A-g4A"),
    Picture(
        "relay-back",
        "A relay does not return to a point",
        "9/9/2BW1B3/9/9 w",
        turn="d3-e3A",
        forbidden="e3-d3A",
    ),
    Picture(
        "relay-straight",
        "A relay does not go straight on",
        "9/9/BW2B2BB/9/9 w",
        turn="b3-c3W",
        forbidden="c3-d3A",
    ),
    Picture("relay-directions", "East, north, east again", "2B6/4B4/1W1B5/9/9 w", turn="b3-c3A-c4A-d4A"),
    Picture("blocked", "White has a stone and no turn", "BBB6/WBB6/BBB6/9/9 w"),
    Picture("draw", "Two against two: a draw", "B7B/9/9/9/W7W w"),
    Picture(
        "vela", "The vela: only the nearest stone", "7WW/8W/1B1WWW3/9/9 b", turn="b3-c3A", rules="vela"
    ),
]


class Wrong(Exception):
    """A picture that is not true."""


class Drawing:
    """Collects the elements of one SVG file."""

    def __init__(self, picture):
        self.picture, self.parts = picture, []
        self.rules = RuleSet(picture.rules)
        if "/" in picture.position:
            self.position = read_position(picture.position)
            self.board = self.position.board
            if position_text(self.position) != picture.position:
                raise Wrong(f"write the position as {position_text(self.position)}")
        else:
            self.position, self.board = None, board_named(picture.position)
        self.turn = read_turn(self.rules, self.position, picture.turn) if picture.turn else None
        if self.turn and turn_text(self.turn) != picture.turn:
            raise Wrong(f"write the turn as {turn_text(self.turn)}")
        self.forbidden = self.read_forbidden() if picture.forbidden else None
        self.paikas = []
        if picture.every_paika:
            self.paikas = [turn.steps[0] for turn in legal_turns(self.rules, self.position)]
            if any(step.kind for step in self.paikas):
                raise Wrong("a stone can capture, so there is no paika")

    def read_forbidden(self):
        """The step that the rules of relays forbid; an error if anything else does, or nothing."""
        steps, end = self.turn.steps, self.turn.steps[-1].end
        own = self.position.own() - {steps[0].start}
        enemies = self.position.enemies() - set(self.turn.taken)
        for step in capturing_steps(self.board, own, enemies, end):
            if f"{point_text(end)}-{point_text(step.end)}{step.kind}" == self.picture.forbidden:
                longer = turn_text(self.turn) + self.picture.forbidden.removeprefix(point_text(end))
                if longer in map(turn_text, legal_turns(self.rules, self.position)):
                    raise Wrong(f"{longer} is legal")
                return step
        raise Wrong(f"{self.picture.forbidden} would capture nothing")

    # Geometry

    def at(self, point):
        return LEFT + CELL * point[0], TOP + CELL * (self.board.height - 1 - point[1])

    def size(self):
        width = LEFT + CELL * (self.board.width - 1) + RIGHT
        return width, TOP + CELL * (self.board.height - 1) + BOTTOM

    # Elements

    def add(self, text):
        self.parts.append(text)

    def path(self, data, colour, width, more=""):
        self.add(f'<path d="{data}" stroke="{colour}" stroke-width="{width}" fill="none"{more}/>')

    def lines(self):
        """The board's lines, each drawn from end to end once."""
        data = []
        for point in self.board.points:
            for direction in ((1, 0), (0, 1), (1, 1), (1, -1)):
                back = (-direction[0], -direction[1])
                if self.board.neighbour(point, back) is not None:
                    continue
                end = point
                while (following := self.board.neighbour(end, direction)) is not None:
                    end = following
                if end != point:
                    (x, y), (x2, y2) = self.at(point), self.at(end)
                    data.append(f"M{x} {y}L{x2} {y2}")
        self.path("".join(data), LINE, 2, ' stroke-linecap="round"')

    def coordinates(self):
        labels = []
        for file in range(self.board.width):
            x, y = self.at((file, 0))
            labels.append(f'<text x="{x}" y="{y + 37}">{point_text((file, 0))[0]}</text>')
        for rank in range(self.board.height):
            x, y = self.at((0, rank))
            labels.append(f'<text x="{x - 31}" y="{y + 5}">{rank + 1}</text>')
        self.add(f'<g fill="{INK}">' + "".join(labels) + "</g>")

    def strong(self):
        for point in self.board.points:
            if sum(point) % 2 == 0:
                x, y = self.at(point)
                self.add(f'<circle cx="{x}" cy="{y}" r="6" fill="{LINE}"/>')

    def stones(self):
        for colour in ("white", "black"):
            circles = []
            for point in ordered(getattr(self.position, colour)):
                x, y = self.at(point)
                circles.append(f'<circle cx="{x}" cy="{y}" r="{STONE}"/>')
            fill = STONES[colour]
            self.add(f'<g fill="{fill}" stroke="{INK}" stroke-width="1.5">' + "".join(circles) + "</g>")

    def captured(self, point):
        """A ring around the stone and a cross over it."""
        x, y = self.at(point)
        r, arm = STONE + 4, 9
        cross = f"M{x - arm} {y - arm}L{x + arm} {y + arm}M{x - arm} {y + arm}L{x + arm} {y - arm}"
        self.add(
            f'<circle cx="{x}" cy="{y}" r="{r}" fill="none" stroke="{CAPTURE}" stroke-width="2.5" '
            'stroke-dasharray="5 3"/>'
        )
        self.path(cross, "#ffffff", 6, ' stroke-linecap="round"')
        self.path(cross, CAPTURE, 3, ' stroke-linecap="round"')

    def arrow(self, start, end, colour, from_stone, dashed=False):
        (x, y), (x2, y2) = self.at(start), self.at(end)
        length = ((x2 - x) ** 2 + (y2 - y) ** 2) ** 0.5
        dx, dy = (x2 - x) / length, (y2 - y) / length
        begin = STONE + 1 if from_stone else 7
        x, y, x2, y2 = x + begin * dx, y + begin * dy, x2 - 3 * dx, y2 - 3 * dy
        neck_x, neck_y = x2 - 9 * dx, y2 - 9 * dy
        head = (
            f"M{x2:.1f} {y2:.1f}L{neck_x - 6 * dy:.1f} {neck_y + 6 * dx:.1f}"
            f"L{neck_x + 6 * dy:.1f} {neck_y - 6 * dx:.1f}Z"
        )
        shaft = f"M{x:.1f} {y:.1f}L{neck_x:.1f} {neck_y:.1f}"
        self.path(shaft, WOOD, 8)
        self.path(shaft, colour, 4, ' stroke-dasharray="5 3"' if dashed else "")
        self.add(f'<path d="{head}" fill="{colour}" stroke="{WOOD}" stroke-width="1.5"/>')

    def badge(self, x, y, text, colour):
        self.add(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="#ffffff" stroke="{colour}" stroke-width="1.5"/>'
            f'<text x="{x:.1f}" y="{y + 4:.1f}" font-size="11" fill="{colour}">{text}</text>'
        )

    def beside(self, step):
        """The two places beside the middle of an arrow."""
        (x, y), (x2, y2) = self.at(step.start), self.at(step.end)
        aside = 13 / ((x2 - x) ** 2 + (y2 - y) ** 2) ** 0.5
        middle_x, middle_y, dx, dy = (x + x2) / 2, (y + y2) / 2, aside * (y2 - y), aside * (x2 - x)
        return (middle_x + dx, middle_y - dy), (middle_x - dx, middle_y + dy)

    def step_badges(self):
        """Each beside its arrow, on the side that is farther from the other arrows and stones."""
        stones = self.position.white | self.position.black
        for number, step in enumerate(self.turn.steps, 1):
            others = [self.at(point) for point in stones]
            for other in self.turn.steps:
                if other is not step:
                    (x, y), (x2, y2) = self.at(other.start), self.at(other.end)
                    others.append(((x + x2) / 2, (y + y2) / 2))

            def room(place):
                return min((place[0] - x) ** 2 + (place[1] - y) ** 2 for x, y in others)

            self.badge(*max(self.beside(step), key=room), number, ARROW)

    def turn_marks(self):
        steps = self.turn.steps
        for number, step in enumerate(steps, 1):
            for point in step.taken:
                self.captured(point)
                if len(steps) > 1:
                    x, y = self.at(point)
                    self.badge(x + 15, y - 15, number, CAPTURE)
        for number, step in enumerate(steps, 1):
            self.arrow(step.start, step.end, ARROW, from_stone=number == 1)
        if len(steps) > 1:
            self.step_badges()
        if self.forbidden:
            self.forbidden_mark()

    def forbidden_mark(self):
        """A dashed arrow with a sign beside it; an arc if there is an arrow the other way already."""
        step = self.forbidden
        (x, y), (x2, y2) = self.at(step.start), self.at(step.end)
        if step.end == self.turn.steps[-1].start:
            middle = (x + x2) / 2
            data = f"M{x} {y + 8}Q{middle} {y + 60} {x2 + 5} {y2 + STONE + 12}"
            self.path(data, WOOD, 8)
            self.path(data, CAPTURE, 4, ' stroke-dasharray="5 3"')
            tip = y2 + STONE + 3
            head = f"M{x2 + 1} {tip}L{x2 + 14} {tip + 7}L{x2 + 3} {tip + 14}Z"
            self.add(f'<path d="{head}" fill="{CAPTURE}"/>')
            self.no_entry(middle, y + 53)
        else:
            self.arrow(step.start, step.end, CAPTURE, from_stone=False, dashed=True)
            self.no_entry(*self.beside(step)[0])

    def no_entry(self, x, y):
        self.add(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="9" fill="#ffffff" stroke="{CAPTURE}" stroke-width="3"/>'
            f'<path d="M{x - 6:.1f} {y - 6:.1f}L{x + 6:.1f} {y + 6:.1f}" stroke="{CAPTURE}" '
            'stroke-width="3"/>'
        )

    # The whole

    def description(self):
        if self.position is None:
            strong = [point for point in self.board.points if sum(point) % 2 == 0]
            return f"Board {self.board.name}. Strong points: {points_text(strong)}."
        said = [f"Board {self.board.name}."]
        for colour in ("white", "black"):
            said.append(f"{colour.capitalize()} stones: {points_text(getattr(self.position, colour))}.")
        mover = "White" if self.position.to_move == WHITE else "Black"
        over = not game_is_over(self.position) and not legal_turns(self.rules, self.position)
        said.append(f"{mover} to move" + (", without a legal turn." if over else "."))
        if self.paikas:
            for start in ordered({step.start for step in self.paikas}):
                ends = [step.end for step in self.paikas if step.start == start]
                said.append(f"Arrows from {point_text(start)} to {points_text(ends)}.")
        if self.turn:
            said.append(f"Turn {turn_text(self.turn)}.")
            for step in self.turn.steps:
                kind = {"A": "approach", "W": "withdrawal"}[step.kind]
                said.append(
                    f"The step from {point_text(step.start)} to {point_text(step.end)} captures "
                    f"{points_text(step.taken)} by {kind}."
                )
        if self.forbidden:
            said.append(
                f"The step from {point_text(self.forbidden.start)} to {point_text(self.forbidden.end)}, "
                f"which would capture {points_text(self.forbidden.taken)}, is forbidden."
            )
        return " ".join(said)

    def svg(self):
        width, height = self.size()
        name, picture = self.picture.name, self.picture
        self.add(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
            f'height="{height}" role="img" aria-labelledby="{name}-title {name}-desc" '
            'font-family="sans-serif" font-size="14" text-anchor="middle">'
        )
        self.add(f'<title id="{name}-title">{escape(picture.title)}</title>')
        self.add(f'<desc id="{name}-desc">{escape(self.description())}</desc>')
        self.add(f'<rect width="{width}" height="{height}" rx="6" fill="{WOOD}"/>')
        self.lines()
        self.coordinates()
        if picture.strong_points:
            self.strong()
        if self.position:
            self.stones()
        for step in self.paikas:
            self.arrow(step.start, step.end, ARROW, from_stone=True)
        if self.turn:
            self.turn_marks()
        self.add("</svg>")
        return "\n".join(self.parts) + "\n"


def ordered(points):
    """Files first, as people read them: a1, a2, b1."""
    return sorted(points)


def points_text(points):
    return ", ".join(map(point_text, ordered(points))) or "none"


def draw_all():
    drawn = {}
    for picture in PICTURES:
        try:
            drawn[f"{picture.name}.svg"] = Drawing(picture).svg()
        except (Wrong, ValueError) as error:
            raise Wrong(f"{picture.name}: {error}") from None
    if len(drawn) < len(PICTURES):
        raise Wrong("two pictures have the same name")
    return drawn


def compare(drawn):
    """The names of files that differ from what is drawn, are missing, or belong to no picture."""
    there = {path.name: path.read_text(encoding="utf-8") for path in DIRECTORY.glob("*.svg")}
    return sorted(name for name in drawn.keys() | there.keys() if drawn.get(name) != there.get(name))


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args()
    try:
        drawn = draw_all()
    except Wrong as error:
        print(f"pictures: {error}", file=sys.stderr)
        return 2
    if options.check:
        differing = compare(drawn)
        for name in differing:
            print(f"pictures: {name} is not what tools/pictures.py draws; run it", file=sys.stderr)
        if not differing:
            print(f"{len(drawn)} pictures are up to date")
        return 1 if differing else 0
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for name, text in drawn.items():
        (DIRECTORY / name).write_text(text, encoding="utf-8")
    print(f"{len(drawn)} pictures written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
