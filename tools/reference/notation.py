"""Reading and writing positions and turns."""

import re

from board import WHITE, BLACK, Position, board_of
from rules import legal_turns


def point_text(point):
    return "abcdefghijklmnopqrstu"[point[0]] + str(point[1] + 1)


def turn_text(turn):
    text = point_text(turn.steps[0].start)
    for step in turn.steps:
        text += "-" + point_text(step.end) + step.kind
    return text


def position_text(position):
    """The normal form: runs of empty points as digits, each run with as few digits as possible."""
    ranks = []
    for r in reversed(range(position.board.height)):
        rank, empty = "", 0
        for f in range(position.board.width):
            if (f, r) in position.white or (f, r) in position.black:
                rank += run_text(empty) + ("W" if (f, r) in position.white else "B")
                empty = 0
            else:
                empty += 1
        ranks.append(rank + run_text(empty))
    return "/".join(ranks) + " " + position.to_move


def run_text(empty):
    """A digit is at most 9, so a longer run has several digits, the nines first."""
    return "9" * (empty // 9) + (str(empty % 9) if empty % 9 else "")


def read_position(text):
    """The position that `text` describes, with its board. Raises ValueError if the text is not valid."""
    # Bytes are split at spaces of ASCII only.
    fields = [field.decode() for field in text.encode().split()]
    if not fields:
        raise ValueError("empty text")
    ranks = [read_rank(rank) for rank in fields[0].split("/")]
    width, height = len(ranks[0]), len(ranks)
    for number, rank in enumerate(ranks):
        if len(rank) != width:
            raise ValueError(f"rank {height - number} has {len(rank)} points, the top rank {width}")
    board = board_of(width, height)
    stones = {"W": set(), "B": set()}
    for number, rank in enumerate(ranks):
        for f, what in enumerate(rank):
            if what != ".":
                stones[what].add((f, height - 1 - number))
    if not stones["W"] and not stones["B"]:
        raise ValueError("no stone on the board")
    for colour, points in stones.items():
        if len(points) > board.half:
            raise ValueError(f"{len(points)} stones {colour}, at most {board.half} fit a game")
    if len(fields) < 2:
        raise ValueError("no side to move")
    if fields[1] not in (WHITE, BLACK):
        raise ValueError(f"side to move '{fields[1]}', expected w or b")
    return Position(board, stones["W"], stones["B"], fields[1])


def read_rank(text):
    rank = ""
    for letter in text:
        if letter in "WBwb.":
            rank += letter.upper()
        elif letter in "123456789":
            rank += "." * int(letter)
        else:
            raise ValueError(f"'{letter}' is no stone, no empty point and no digit from 1 to 9")
    return rank


def read_turn(rules, position, text):
    """The legal turn that `text` describes. Dashes and unnecessary letters may be missing."""
    plain = normal_letters(text)
    if not re.fullmatch(r"[a-u][0-9]+(-?[a-u][0-9]+[AW]?)+", plain):
        raise ValueError(f"turn '{text}' is not readable")
    words = re.findall(r"([a-u][0-9]+)([AW]?)", plain)
    fitting = [turn for turn in legal_turns(rules, position) if fits(turn, words)]
    if len(fitting) > 1:
        raise ValueError(f"turn '{text}' could be " + " or ".join(sorted(map(turn_text, fitting))))
    if not fitting:
        raise ValueError(f"turn '{text}' is not legal here")
    return fitting[0]


def normal_letters(text):
    """Small letters for files, A and W for captures, and no number of the turn."""
    text = re.sub(r"^[0-9]+[.…]+\s*", "", text.strip()).lower()
    if not re.search(r"-[a-u]", text):
        text = re.sub(r"-(?=,|$)", "W", text)
    text = re.sub(r"(?<=[0-9])[aw](?![0-9])", lambda letter: letter[0].upper(), text)
    return re.sub(r",\s*", "-", text.replace("+", "A"))


def fits(turn, words):
    if len(words) != len(turn.steps) + 1 or words[0] != (point_text(turn.steps[0].start), ""):
        return False
    for step, (point, kind) in zip(turn.steps, words[1:]):
        if point != point_text(step.end):
            return False
        if kind and kind != step.kind:
            return False
    return True
