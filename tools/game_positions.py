#!/usr/bin/env python3
"""Positions from games: `make` takes them from the games of a match, and `measure` tells how many of them
`analyze` settles, and how fast."""

import argparse
import bisect
import datetime
import json
import re
from pathlib import Path

from common import PROGRAM, ROOT, analyze_all, answer, write_lines

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


def measure(options):
    """Analyzes the positions with each limit of time, and adds what is settled to data/proofs/games-9x5.json."""
    path = ROOT / "data/proofs/games-9x5.json"
    lines = POSITIONS.read_text(encoding="utf-8").splitlines()
    positions = [line for line in lines if not line.startswith("#")]
    slices = answer(options.program, "tables", "--tables", options.tables)["slices"]
    rows = json.loads(path.read_text(encoding="utf-8"))["rows"] if path.exists() else []
    for limit in options.time:
        reports = analyze_all(options.program, positions, "--tables", options.tables, "--time", limit,
                              "--threads", options.threads)
        values = [report["value"] for report in reports]
        rows.append({
            "tables": max(each["own"] + each["opponent"] for each in slices), "limit": limit,
            "threads": options.threads, "positions": len(reports),
            "settled": sum(report["proved"] for report in reports),
            "bounded": sum(report["value"] == "unknown" and "source" in report for report in reports),
            "values": {value: values.count(value) for value in ("win", "draw", "loss", "unknown")},
            "nodes": sum(report["nodes"] for report in reports),
            "seconds": round(sum(report["seconds"] for report in reports), 1),
            "machine": options.machine, "date": datetime.date.today().isoformat(),
        })
        print(json.dumps(rows[-1]), flush=True)
        write_lines(path, {"source": "tools/game_positions.py measure", "rows": rows})


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", type=Path, default=PROGRAM)
    commands = parser.add_subparsers(required=True)
    command = commands.add_parser("make", help=make.__doc__)
    command.add_argument("games", help="a file of `fanorona match --output`")
    command.add_argument("--positions", type=int, default=51)
    command.add_argument("--note", nargs="*", default=[], help="lines at the beginning of the file")
    command.set_defaults(run=make)
    command = commands.add_parser("measure", help=measure.__doc__)
    command.add_argument("--tables", required=True)
    command.add_argument("--time", type=float, nargs="+", default=[1, 10, 60], help="limits in seconds")
    command.add_argument("--threads", type=int, default=2)
    command.add_argument("--machine", required=True, help="what the numbers were measured on")
    command.set_defaults(run=measure)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
