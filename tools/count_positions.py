#!/usr/bin/env python3
"""Compares how many positions two builds of the program search for the same answers.

    python3 tools/count_positions.py OLD NEW --tables DIR [--board 9x5] [--stones N ...] [--nodes N]

For each number of stones it draws positions as `prove_random.py` does, and searches each with both
programs and one thread, which gives the same count each time. An unsolved position counts with the
limit. Both programs must give the same answers, or the comparison ends with status 1.

It prints the geometric mean of NEW / OLD with its standard error, for two halves of the positions:
tune a search on the first half and judge it by the second. *Of middle size* are the positions for which
the geometric mean of both counts is between 20,000 and the limit; this choice favours neither
program. For each program it prints how many positions are solved, and the processor time.

The count of a single start depends on chance: a change without significance can halve or double it.
`--first-turns` takes the positions after each first turn of a board and each reply instead of random
ones. Needs Python 3.9.
"""

import argparse
import json
import math
import random
import resource
import subprocess
import sys
import tempfile

from prove_random import draw

# Smaller counts are taken for this: their ratios say little.
FLOOR = 500

# From this count on, a position is of middle size.
MIDDLE = 20_000


def run(command):
    """The output of a program, and its processor time in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return output, after.ru_utime - before.ru_utime


def turns_of(options, position=None):
    """The positions after each turn."""
    command = [options.new, "moves", "--board", options.board, "--rules", options.rules, "--json"]
    output, _ = run(command + (["--position", position] if position else []))
    return [turn["position"] for turn in json.loads(output)["turns"]]


def search(options, program, positions):
    """The reports of a program on positions."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(positions) + "\n")
        file.flush()
        command = [program, "analyze", "--board", options.board, "--rules", options.rules,
                   "--batch", file.name, "--nodes", str(options.nodes), "--time", "3600",
                   "--memory", str(options.memory), "--threads", "1", "--json"]
        tables = ["--tables", options.tables] if options.tables else []
        output, seconds = run(command + tables)
    return [json.loads(line) for line in output.splitlines()], seconds


def summary(logs):
    """The geometric mean of ratios, with its standard error, from their logarithms."""
    if not logs:
        return "no positions"
    mean = sum(logs) / len(logs)
    variance = sum((log - mean) ** 2 for log in logs) / max(1, len(logs) - 1)
    return f"{math.exp(mean):.3f} (± {100 * math.sqrt(variance / len(logs)):.1f} %) of {len(logs)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--tables", help="directory of the tables")
    parser.add_argument("--board", default="9x5")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--stones", type=int, nargs="+", default=[13, 14, 15, 16])
    parser.add_argument("--positions", type=int, default=50, help="positions for each number of stones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--nodes", type=int, default=1_000_000, help="limit for each position")
    parser.add_argument("--memory", type=int, default=64, help="MiB for each search")
    parser.add_argument("--first-turns", action="store_true", help="the positions after two turns")
    options = parser.parse_args()
    if options.first_turns:
        positions = [after for turn in turns_of(options) for after in turns_of(options, turn)]
    else:
        width, height = map(int, options.board.split("x"))
        chance = random.Random(options.seed)
        positions = [draw(chance, width, height, stones)
                     for stones in options.stones for _ in range(options.positions)]
    counts = []
    for name, program in (("old", options.old), ("new", options.new)):
        reports, seconds = search(options, program, positions)
        counts.append([min(max(report["nodes"], FLOOR), options.nodes) for report in reports])
        solved = {i: report["value"] for i, report in enumerate(reports) if report["proved"]}
        if name == "old":
            values = solved
        elif any(values.get(i, value) != value for i, value in solved.items()):
            sys.exit("the answers differ")
        print(f"{name}: {len(solved)} of {len(positions)} solved, {sum(counts[-1]):,} positions, "
              f"processor time {seconds:.1f} s", flush=True)
    for half in (0, 1):
        pairs = list(zip(*counts))[half::2]
        middle = [pair for pair in pairs if MIDDLE <= math.sqrt(pair[0] * pair[1]) < options.nodes]
        all_of, middle_of = ([math.log(new / old) for old, new in each] for each in (pairs, middle))
        print(f"half {half + 1}: new/old {summary(all_of)}; of middle size {summary(middle_of)}")


if __name__ == "__main__":
    main()
