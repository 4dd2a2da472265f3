#!/usr/bin/env python3
"""Takes positions from the games of a match. `proofs.py games` tells how many of them `analyze` settles."""

import argparse
import bisect
import re
from pathlib import Path

from common import PROGRAM, ROOT, answer

POSITIONS = ROOT / "data/positions/games-9x5.txt"
LEAST, MOST = 10, 24


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
    """Takes a position from every second game (the others have the same openings): the first one with a number of
    stones, which goes from 10 to 24 and begins again, or with the next lower number that comes up."""
    found = []
    for turns in list(games(options.games))[::2]:
        def after(number):
            played = ["--after", " ".join(turns[:number])] if number else []
            return answer(options.program, "moves", *played)["position"]

        wanted = LEAST + len(found) % (MOST - LEAST + 1)
        number = bisect.bisect_left(range(len(turns)), -wanted, key=lambda number: -stones(after(number)))
        position = after(number)
        if number < len(turns) and stones(position) >= LEAST and position not in found:
            found.append(position)
        if len(found) == options.positions:
            break
    lines = [f"# {line}" for line in options.note] + found
    POSITIONS.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(found)} positions with {sorted(map(stones, found))} stones")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("games", help="a file of `fanorona match --output`")
    parser.add_argument("--positions", type=int, default=51)
    parser.add_argument("--note", nargs="*", default=[], help="lines at the beginning of the file")
    options = parser.parse_args()
    make(options)


if __name__ == "__main__":
    main()
