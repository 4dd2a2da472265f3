"""Pictures of positions, turns and analyses, as the text of SVG files.

The native classes call these functions from `_repr_svg_`, so notebooks show the pictures. A picture
brings its own background and can be read on light and on dark pages.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape

from fanorona._enums import Value
from fanorona._native import (
    Analysis,
    Board,
    Game,
    PlayResult,
    Position,
    RuleSet,
    Step,
    Turn,
    TurnInProgress,
)

# The colours of the pictures in crates/core/docs.
_WOOD, _LINE, _INK = "#e8d3a5", "#6b4a1f", "#222222"
_ARROW, _CAPTURE, _MARK = "#0b4f9e", "#b3001b", "#0b4f9e"
_STONES = {"white": "#ffffff", "black": _INK}
_KINDS = {"approach": "by approach", "withdrawal": "by withdrawal"}

# The radius of a stone, as a part of the distance between points.
_RADIUS = 0.32

# A caption may be broken after a space and after the dash of a turn.
_BREAKS = re.compile(r"[^\s-]*(?:-|\s+|$)")

_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


@dataclass(frozen=True)
class _Arrow:
    """A step and the stones that it captures, as a bitboard."""

    step: Step
    captured: int


@dataclass
class _Picture:
    """What is on a picture. Bitboards have one bit for each point, as everywhere."""

    board: Board
    white: int
    black: int
    size: int
    title: str
    caption: tuple[str, ...] = ()
    said: list[str] = field(default_factory=list)
    arrows: list[_Arrow] = field(default_factory=list)
    links: list[tuple[int, int]] = field(default_factory=list)
    marks: int = 0

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size {self.size}: a picture has at least 1 pixel")
        # Labels have the same size on every board. The distance between points fills the rest, up
        # to a limit, because a 3x3 board would have huge stones otherwise. Rings around stones at
        # the edge touch neither the frame nor the labels.
        self.scale = scale = self.size / 360
        self.font = 11 * scale
        self.margin, self.label = 20 * scale, 14 * scale
        longer = max(self.board.width, self.board.height) - 1
        room, ring, gap = self.size - self.label, 1.4 * _RADIUS, 5 * scale
        self.cell = min(
            (room - 2 * self.margin) / longer, (room - 2 * gap) / (longer + 2 * ring), self.size / 7
        )
        self.radius = _RADIUS * self.cell
        self.edge = max(self.margin, ring * self.cell + gap)
        board_width = self.edge * 2 + self.label + self.cell * (self.board.width - 1)
        self.width = max(board_width, 130 * scale)
        self.left = (self.width - board_width) / 2 + self.edge + self.label
        self.lines_below = self.wrapped()
        self.foot = self.edge + self.cell * (self.board.height - 1)
        self.line_height = 1.5 * self.font
        self.height = (
            self.foot
            + self.edge
            + self.label
            + (len(self.lines_below) * self.line_height + 3 * scale if self.caption else 0)
        )

    def wrapped(self) -> list[tuple[str, bool]]:
        """The lines of the caption, broken where they are too wide, and whether they are bold."""
        fitting = max(int((self.width - 8 * self.scale) / (0.66 * self.font)), 12)
        lines = []
        for number, text in enumerate(self.caption):
            line = ""
            for word in _BREAKS.findall(text):
                if line and len(line) + len(word.rstrip()) > fitting:
                    lines.append((line.rstrip(), number == 0))
                    line = ""
                line += word
            lines.append((line.rstrip(), number == 0))
        return lines

    def at(self, point: int) -> tuple[float, float]:
        """The place of a point."""
        rank, file = divmod(point, self.board.width)
        return self.left + self.cell * file, self.foot - self.cell * rank

    # Elements

    def lines(self) -> str:
        """The links, each line of the board drawn once from end to end."""
        width, height = self.board.width, self.board.height
        inside = {(file, rank) for file in range(width) for rank in range(height)}
        data = []
        for file, rank in sorted(inside):
            for right, up in _DIRECTIONS:
                if (file - right, rank - up) in inside or (right and up and (file + rank) % 2):
                    continue
                length = 0
                while (file + right * (length + 1), rank + up * (length + 1)) in inside:
                    length += 1
                if length:
                    x, y = self.at(rank * width + file)
                    x2, y2 = self.at((rank + up * length) * width + file + right * length)
                    data.append(f"M{_n(x)} {_n(y)}L{_n(x2)} {_n(y2)}")
        return _path("".join(data), _LINE, max(self.cell * 0.045, 0.8 * self.scale))

    def labels(self) -> str:
        texts = []
        for file in range(self.board.width):
            x, _ = self.at(file)
            texts.append(
                self.text(x, self.foot + self.edge + 0.5 * self.font, self.board.name(file)[0])
            )
        for rank in range(self.board.height):
            _, y = self.at(rank * self.board.width)
            x = self.left - self.edge - 0.1 * self.font
            texts.append(self.text(x, y + 0.36 * self.font, str(rank + 1)))
        return f'<g fill="{_INK}">{"".join(texts)}</g>'

    def text(self, x: float, y: float, text: str, more: str = "") -> str:
        return f'<text x="{_n(x)}" y="{_n(y)}"{more}>{escape(text)}</text>'

    def stones(self) -> Iterator[str]:
        for colour, stones in (("white", self.white), ("black", self.black)):
            circles = []
            for point in points(stones):
                x, y = self.at(point)
                circles.append(f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(self.radius)}"/>')
            if circles:
                yield (
                    f'<g fill="{_STONES[colour]}" stroke="{_INK}" '
                    f'stroke-width="{_n(self.radius * 0.11)}">{"".join(circles)}</g>'
                )

    def mark(self, point: int) -> str:
        x, y = self.at(point)
        return (
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(self.radius * 1.28)}" fill="none" '
            f'stroke="{_MARK}" stroke-width="{_n(self.radius * 0.2)}"/>'
        )

    def cross(self, point: int) -> str:
        """A dashed ring around a captured stone and a cross over it."""
        x, y = self.at(point)
        r = self.radius
        arm, dash = 0.64 * r, f' stroke-dasharray="{_n(0.36 * r)} {_n(0.21 * r)}"'
        data = (
            f"M{_n(x - arm)} {_n(y - arm)}L{_n(x + arm)} {_n(y + arm)}"
            f"M{_n(x - arm)} {_n(y + arm)}L{_n(x + arm)} {_n(y - arm)}"
        )
        return (
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(1.28 * r)}" fill="none" '
            f'stroke="{_CAPTURE}" stroke-width="{_n(0.18 * r)}"{dash}/>'
            + _path(data, "#ffffff", 0.43 * r)
            + _path(data, _CAPTURE, 0.22 * r)
        )

    def arrow(self, origin: int, destination: int, first: bool) -> str:
        (x, y), (x2, y2) = self.at(origin), self.at(destination)
        dx, dy = _unit(x2 - x, y2 - y)
        r = self.radius
        start = r * (1.07 if first else 0.5)
        x, y, x2, y2 = x + start * dx, y + start * dy, x2 - 0.2 * r * dx, y2 - 0.2 * r * dy
        neck_x, neck_y, half = x2 - 0.66 * r * dx, y2 - 0.66 * r * dy, 0.43 * r
        shaft = f"M{_n(x)} {_n(y)}L{_n(neck_x)} {_n(neck_y)}"
        head = (
            f"M{_n(x2)} {_n(y2)}L{_n(neck_x - half * dy)} {_n(neck_y + half * dx)}"
            f"L{_n(neck_x + half * dy)} {_n(neck_y - half * dx)}Z"
        )
        return (
            _path(shaft, _WOOD, 0.57 * r, cap="butt")
            + _path(shaft, _ARROW, 0.28 * r, cap="butt")
            + f'<path d="{head}" fill="{_ARROW}" stroke="{_WOOD}" stroke-width="{_n(0.1 * r)}"/>'
        )

    def badge(self, x: float, y: float, number: int, colour: str) -> str:
        """The number of a step in a small disc."""
        r = min(0.58 * self.radius, 8 * self.scale)
        more = f' font-size="{_n(1.38 * r)}" fill="{colour}"'
        return (
            f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(r)}" fill="#ffffff" stroke="{colour}" '
            f'stroke-width="{_n(0.18 * r)}"/>' + self.text(x, y + 0.48 * r, str(number), more)
        )

    def step_badge(self, number: int, arrow: _Arrow) -> str:
        """A badge beside an arrow, on the side with more room."""
        (x, y), (x2, y2) = self.at(arrow.step.origin), self.at(arrow.step.destination)
        dx, dy = _unit(x2 - x, y2 - y)
        aside = 0.95 * self.radius
        middle_x, middle_y = (x + x2) / 2, (y + y2) / 2
        others = [self.at(point) for point in points(self.white | self.black)]
        for other in self.arrows:
            if other is not arrow:
                (a, b), (a2, b2) = self.at(other.step.origin), self.at(other.step.destination)
                others.append(((a + a2) / 2, (b + b2) / 2))

        def room(place: tuple[float, float]) -> float:
            return min((place[0] - a) ** 2 + (place[1] - b) ** 2 for a, b in others)

        sides = [(middle_x + s * aside * dy, middle_y - s * aside * dx) for s in (1, -1)]
        return self.badge(*max(sides, key=room), number, _ARROW)

    def turn(self) -> Iterator[str]:
        relay = len(self.arrows) > 1
        numbered = list(enumerate(self.arrows, 1))
        for _, arrow in numbered:
            for point in points(arrow.captured):
                yield self.cross(point)
        for number, arrow in numbered:
            yield self.arrow(arrow.step.origin, arrow.step.destination, number == 1)
        if relay:
            for number, arrow in numbered:
                yield self.step_badge(number, arrow)
                for point in points(arrow.captured):
                    x, y = self.at(point)
                    aside = 1.02 * self.radius
                    yield self.badge(x + aside, y - aside, number, _CAPTURE)

    def captions(self) -> str:
        """The lines below the board."""
        top = self.foot + self.edge + self.label + self.font
        lines = []
        for number, (line, bold) in enumerate(self.lines_below):
            more = ' font-weight="bold"' if bold else ""
            y = top + number * self.line_height
            lines.append(self.text(self.width / 2, y, line, more))
        return f'<g fill="{_INK}">{"".join(lines)}</g>'

    # The whole

    def description(self) -> str:
        said = [f"Board {self.board.width}x{self.board.height}."]
        for colour, stones in (("White", self.white), ("Black", self.black)):
            said.append(f"{colour} stones: {names(self.board, stones)}.")
        return " ".join(said + self.said)

    def svg(self) -> str:
        width, height = _n(self.width), _n(self.height)
        parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'width="{width}" height="{height}" role="img" font-family="sans-serif" '
            f'font-size="{_n(self.font)}" text-anchor="middle">',
            f"<title>{escape(self.title)}</title>",
            f"<desc>{escape(self.description())}</desc>",
            f'<rect width="{width}" height="{height}" rx="{_n(5 * self.scale)}" fill="{_WOOD}"/>',
            self.lines(),
            self.labels(),
            *self.stones(),
            *(self.mark(point) for point in points(self.marks)),
            *self.turn(),
            *(self.arrow(start, end, True) for start, end in self.links),
        ]
        if self.caption:
            parts.append(self.captions())
        parts.append("</svg>")
        return "\n".join(parts)


def svg(
    shown: Position | str | Game,
    turn: Turn | str | None = None,
    *,
    arrows: Iterable[tuple[str, str]] = (),
    marks: Iterable[str] = (),
    size: int = 360,
) -> str:
    """A picture of a position, or of the position of a game now, as the text of an SVG file.

    `turn` is a legal turn, shown with its steps and the stones that it captures. Without one, a game
    shows its last turn, and the position before it. `arrows` are pairs of points, and `marks` points
    that get a ring. `size` is the length of the longer side of the board in pixels, margins included.

    >>> svg("9/9/2W1B4/9/9 w", "c3-d3A", arrows=[("a1", "b2")]).startswith("<svg ")
    True
    """
    rules = shown.rules if isinstance(shown, Game) else RuleSet()
    if isinstance(shown, Game) and turn is None and shown.turns:
        turn = shown.turns[-1]
        position = turn.position
    else:
        position = shown.position if isinstance(shown, Game) else Position(shown)
    board = position.board
    if turn is None:
        picture = _with_position(position, size)
    else:
        turn = Turn(turn, position, rules) if isinstance(turn, str) else turn
        caption = f"{_mover(position)} plays {turn.text}"
        picture = _with_turn(position, turn, size, caption, (caption,))
    picture.links = [(board.point(start), board.point(end)) for start, end in arrows]
    picture.said += [
        f"Arrow from {board.name(start)} to {board.name(end)}." for start, end in picture.links
    ]
    for point in marks:
        picture.marks |= 1 << board.point(point)
    if picture.marks:
        picture.said.append(f"Marked: {names(board, picture.marks)}.")
    return picture.svg()


def progress_svg(progress: TurnInProgress, *, size: int = 360) -> str:
    """A picture of a turn that is still being made. Before its first step it is the position."""
    position = progress.position
    if not progress.steps:
        return svg(position, size=size)
    caption = f"{_mover(position)} has moved to {position.board.name(_last(progress))}"
    picture = _Picture(
        position.board, position.white, position.black, size, caption, caption=(caption,)
    )
    _add_steps(picture, TurnInProgress(position, progress.rules), progress.steps)
    return picture.svg()


def analysis_svg(analysis: Analysis, *, size: int = 360) -> str:
    """A picture of a position with the best turn, and whether its value is proved."""
    return _judged(analysis.position, analysis.best, analysis_text(analysis), size)


def play_svg(played: PlayResult, *, size: int = 360) -> str:
    """A picture of a position with the turn that the engine plays, and its score."""
    value = f"for {_mover(played.position)}: {played.score}"
    return _judged(played.position, played.turn, value, size)


def analysis_text(found: Analysis) -> str:
    """What is known of the value, for people: "White wins in 7 turns (proved)"."""
    mover, other = _mover(found.position), found.position.to_move.other.value.capitalize()
    if found.value is not None:
        result = {Value.WIN: f"{mover} wins", Value.DRAW: "Draw", Value.LOSS: f"{other} wins"}
        length = "" if found.dtw is None else f" in {found.dtw} turn{'s' * (found.dtw != 1)}"
        return f"{result[found.value]}{length} (proved)"
    if found.at_least is Value.DRAW:
        return f"{mover} wins or draws (not decided)"
    if found.at_most is Value.DRAW:
        return f"{other} wins or draws (not decided)"
    return "Not decided"


def points(bitboard: int) -> list[int]:
    """The indices of the bits, ascending."""
    return [index for index in range(bitboard.bit_length()) if bitboard >> index & 1]


def names(board: Board, bitboard: int) -> str:
    """The names of points, files first, as people read them."""
    return ", ".join(sorted(board.name(point) for point in points(bitboard))) or "none"


def _judged(position: Position, turn: Turn | None, value: str, size: int) -> str:
    """A position with its value, and with a turn if there is one."""
    title = f"Analysis of {position.text}: {value}"
    if turn is None:
        caption = (f"{_mover(position)} to move", value)
        picture = _Picture(
            position.board, position.white, position.black, size, title, caption=caption
        )
    else:
        caption = (f"{_mover(position)} plays {turn.text}", value)
        picture = _with_turn(position, turn, size, title, caption)
    picture.said.append(f"Value: {value}.")
    return picture.svg()


def _with_position(position: Position, size: int) -> _Picture:
    mover = f"{_mover(position)} to move"
    title = f"Fanorona position {position.text}"
    stones = position.white, position.black
    return _Picture(position.board, *stones, size, title, caption=(mover,), said=[f"{mover}."])


def _with_turn(
    position: Position, turn: Turn, size: int, title: str, caption: tuple[str, ...]
) -> _Picture:
    picture = _Picture(position.board, position.white, position.black, size, title, caption=caption)
    picture.said.append(f"{_mover(position)} plays {turn.text}.")
    _add_steps(picture, position.begin(turn.rules), turn.steps)
    return picture


def _add_steps(picture: _Picture, progress: TurnInProgress, steps: tuple[Step, ...]) -> None:
    """Makes the steps, so that each gets the stones that it captures."""
    for step in steps:
        before = progress.opponent
        progress.make(step)
        captured = before & ~progress.opponent
        picture.arrows.append(_Arrow(step, captured))
        board = picture.board
        moved = f"The step from {board.name(step.origin)} to {board.name(step.destination)}"
        if captured:
            kind = _KINDS[step.kind.value]
            picture.said.append(f"{moved} captures {names(board, captured)} {kind}.")
        else:
            picture.said.append(f"{moved} captures nothing.")


def _last(progress: TurnInProgress) -> int:
    return progress.steps[-1].destination


def _mover(position: Position) -> str:
    return position.to_move.value.capitalize()


def _unit(dx: float, dy: float) -> tuple[float, float]:
    length = (dx * dx + dy * dy) ** 0.5
    return dx / length, dy / length


def _n(number: float) -> str:
    """A number with two decimals, without zeros at its end."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _path(data: str, colour: str, width: float, *, cap: str = "round") -> str:
    return (
        f'<path d="{data}" stroke="{colour}" stroke-width="{_n(width)}" fill="none" '
        f'stroke-linecap="{cap}"/>'
    )
