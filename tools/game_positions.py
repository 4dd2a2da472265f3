#!/usr/bin/env python3
"""Takes positions from the games of a match. `proofs.py games` tells how many of them `analyze` settles."""

import argparse
import bisect
import functools
import re
from pathlib import Path

from common import PROGRAM, ROOT, answer

POSITIONS = ROOT / "data/positions/games-9x5.txt"
LEAST, MOST, STEP = 10, 30, 4


def games(path):
    """The turns of each game in a file of `fanorona match --output`."""
    blocks = Path(path).read_text(encoding="utf-8").split("\n\n")
    for block in blocks:
        if not block.lstrip().startswith("["):
            words = block.split()
            yield [word for word in words if re.fullmatch(r"([a-i][1-5])(-[a-i][1-5][AW]?)+", word)]


def stones(position):
    return sum(character in "WB" for character in position)


def make(options):
    """Takes from each game the first position with at most 30, 26, 22 ... stones, from the next game with at most
    29, 25, 21 ..., and so on, down to 10."""
    found = []
    for number, turns in enumerate(games(options.games)):
        @functools.cache
        def after(played):
            words = ["--after", " ".join(turns[:played])] if played else []
            return answer(options.program, "moves", *words)["position"]

        for wanted in range(MOST - number % STEP, LEAST - 1, -STEP):
            played = bisect.bisect_left(range(len(turns)), -wanted, key=lambda played: -stones(after(played)))
            position = after(played)
            if played < len(turns) and stones(position) >= LEAST and position not in found:
                found.append(position)
    found = sorted(found[:options.positions], key=stones)
    lines = [f"# {line}" for line in options.note] + found
    POSITIONS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(found)} positions with {sorted(map(stones, found))} stones")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("games", help="a file of `fanorona match --output`")
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--note", nargs="*", default=[], help="lines at the beginning of the file")
    options = parser.parse_args()
    make(options)


if __name__ == "__main__":
    main()
