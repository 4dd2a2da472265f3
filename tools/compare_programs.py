#!/usr/bin/env python3
"""Compares two builds of the program, which must give the same answers.

    python3 tools/compare_programs.py OLD NEW work [--only perft wdl dtw search probe]
    python3 tools/compare_programs.py OLD NEW search [--runs 3] -- ARGUMENTS OF ANALYZE
    python3 tools/compare_programs.py OLD NEW count --tables DIR [--stones 14 16]

`work` and `search` run both programs in turn, so that both meet the same load. For each quantity they print the
median of either program, and of the ratio new/old of the pairs with the least and the greatest. `work` does fixed
pieces of work. `search` searches one position. With several threads its number of positions differs from run to
run by a factor of two and more, so compare the processor time of a position.

`count` compares how many positions the programs search, each with one thread, which gives the same count each
time. It draws random positions, or with --first-turns takes those after each first turn of a board and each reply.
An unsolved position counts with the limit. It prints the geometric mean of new/old with its standard error, for two
halves of the positions: tune a search on the first half and judge it by the second. *Of middle size* are the
positions for which the geometric mean of both counts is between 20,000 and the limit; this choice favours neither
program. The count of a single start depends on chance: a change without significance can halve or double it.

Needs Python 3.9. Exits with status 1 if answers differ or a program fails.
"""

import argparse
import hashlib
import json
import math
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import analyze_all, answer, bounds, random_position

WORK = {
    "perft": ["perft", "7", "--threads", "1"],
    "wdl": ["build", "--stones", "{stones}", "--metric", "wdl", "--tables", "{dir}"],
    "dtw": ["build", "--stones", "5", "--metric", "dtw", "--tables", "{dir}"],
    "search": ["analyze", "--board", "7x5", "--nodes", "20000000", "--time", "600", "--threads", "1"],
    "probe": ["probe", "--tables", "{tables}", "--batch", "{positions}"],
}
# For `count`: smaller counts are taken for FLOOR, because their ratios say little.
FLOOR, MIDDLE = 500, 20_000


def used(work):
    """What `work` returns, and the user and the system time of its processes in seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = work()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return result, after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime


def measure(command):
    """The output of a command, and its user, system and wall-clock time in seconds."""
    began = time.monotonic()
    done, user, system = used(lambda: subprocess.run(command, capture_output=True, text=True))
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr}")
    return done.stdout, user, system, time.monotonic() - began


def do_work(name, options, program):
    """One piece of work: what must be the same, and the quantities."""
    with tempfile.TemporaryDirectory() as directory:
        words = {**vars(options), "dir": directory}
        output, user, system, wall = measure([program, *(word.format(**words) for word in WORK[name]), "--json"])
        if name in ("wdl", "dtw"):
            files = sorted(Path(directory).glob("*.fano"))
            same = [(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files]
        elif name == "perft":
            same = [depth["nodes"] for depth in json.loads(output)["depths"]]
        elif name == "search":
            found = json.loads(output)
            same = [*bounds(found).values(), round(found["nodes"], -5)]
        else:
            same = hashlib.sha256(output.encode()).hexdigest()
        return same, {"processor time (s)": user + system, "wall-clock time (s)": wall}


def do_search(options, program):
    """One search: its value, if it is proved, and the quantities."""
    output, user, _, _ = measure([program, "analyze", "--book", "none", "--json", *options.arguments])
    report = json.loads(output)
    line = {"program": "old" if program == options.old else "new",
            "value": report["value"], **bounds(report), "positions": report["nodes"],
            "seconds": round(report["seconds"], 1),
            # The system's time is that of filling memory with zeros, which varies.
            "ns_per_position": round(1e9 * user / max(1, report["nodes"]), 1)}
    print(json.dumps(line), flush=True)
    if options.log:
        with open(options.log, "a", encoding="utf-8") as file:
            file.write(json.dumps({**line, "arguments": options.arguments}) + "\n")
    quantities = {key: line[key] for key in ("positions", "seconds", "ns_per_position")}
    return report["value"] if report["proved"] else None, quantities


def in_turn(title, runs, programs, do):
    """Runs both programs, the other one first each time, and prints medians and ratios."""
    pairs, answers = [], set()
    for run in range(runs):
        found = {program: do(program) for program in (programs if run % 2 == 0 else programs[::-1])}
        answers |= {json.dumps(same) for same, _ in found.values() if same is not None}
        if len(answers) > 1:
            sys.exit(f"{title}: the answers differ")
        pairs.append([found[program][1] for program in programs])
    print(f"{title}, {runs} pairs, same answers")
    for name in pairs[0][0]:
        old, new = ([pair[side][name] for pair in pairs] for side in (0, 1))
        ratios = [after / before for before, after in zip(old, new)]
        print(f"  {name}: median {statistics.median(old):,.2f} and {statistics.median(new):,.2f}, new/old "
              f"{statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f})", flush=True)


def summary(logs):
    """The geometric mean of ratios, with its standard error, from their logarithms."""
    if not logs:
        return "no positions"
    mean = sum(logs) / len(logs)
    variance = sum((log - mean) ** 2 for log in logs) / max(1, len(logs) - 1)
    return f"{math.exp(mean):.3f} (± {100 * math.sqrt(variance / len(logs)):.1f} %) of {len(logs)}"


def count(options):
    """Compares how many positions the programs search."""
    game = ["--board", options.board, "--rules", options.rules]
    if options.first_turns:
        def after(*position):
            return [turn["position"] for turn in answer(options.new, "moves", *game, *position)["turns"]]
        positions = [reply for turn in after() for reply in after(turn)]
    else:
        chance = random.Random(options.seed)
        positions = [random_position(chance, options.board, stones)
                     for stones in options.stones for _ in range(options.positions)]
    words = [*game, "--book", "none", "--nodes", options.nodes, "--time", 3600, "--memory", options.memory, "--threads", 1]
    words += ["--tables", options.tables] if options.tables else []
    counts, values = [], {}
    for program in (options.old, options.new):
        reports, seconds, _ = used(lambda: analyze_all(program, positions, *words))
        counts.append([min(max(report["nodes"], FLOOR), options.nodes) for report in reports])
        solved = {i: report["value"] for i, report in enumerate(reports) if report["proved"]}
        if any(values.get(i, value) != value for i, value in solved.items()):
            sys.exit("the answers differ")
        values |= solved
        print(f"{'new' if len(counts) > 1 else 'old'}: {len(solved)} of {len(positions)} solved, "
              f"{sum(counts[-1]):,} positions, processor time {seconds:.1f} s", flush=True)
    for half in (0, 1):
        pairs = list(zip(*counts))[half::2]
        middle = [pair for pair in pairs if MIDDLE <= math.sqrt(pair[0] * pair[1]) < options.nodes]
        all_of, middle_of = ([math.log(new / old) for old, new in each] for each in (pairs, middle))
        print(f"half {half + 1}: new/old {summary(all_of)}; of middle size {summary(middle_of)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    kinds = parser.add_subparsers(dest="kind", required=True)

    work = kinds.add_parser("work", help="fixed pieces of work")
    work.add_argument("--only", nargs="+", choices=WORK, default=["perft", "wdl", "dtw", "search"])
    work.add_argument("--runs", type=int, default=5)
    work.add_argument("--stones", type=int, default=6, help="for wdl")
    work.add_argument("--tables", help="for probe")
    work.add_argument("--positions", help="for probe: a file with one position a line")

    search = kinds.add_parser("search", help="one search")
    search.add_argument("--runs", type=int, default=3)
    search.add_argument("--log", help="append each run to this file as a line of JSON")
    search.add_argument("arguments", nargs="*", help="arguments of analyze, after --")

    sub = kinds.add_parser("count", help="positions searched, of many searches")
    sub.add_argument("--tables", help="directory of the tables")
    sub.add_argument("--board", default="9x5")
    sub.add_argument("--rules", default="standard")
    sub.add_argument("--stones", type=int, nargs="+", default=[13, 14, 15, 16])
    sub.add_argument("--positions", type=int, default=50, help="positions for each number of stones")
    sub.add_argument("--seed", type=int, default=1)
    sub.add_argument("--nodes", type=int, default=1_000_000, help="limit for each position")
    sub.add_argument("--memory", type=int, default=64, help="MiB for each search")
    sub.add_argument("--first-turns", action="store_true", help="the positions after two turns")

    options = parser.parse_args()
    programs = [options.old, options.new]
    if options.kind == "count":
        return count(options)
    if options.kind == "search":
        return in_turn("search", options.runs, programs, lambda program: do_search(options, program))
    if "probe" in options.only and not (options.tables and options.positions):
        parser.error("probe needs --tables and --positions")
    for name in options.only:
        in_turn(name, options.runs, programs, lambda program: do_work(name, options, program))


if __name__ == "__main__":
    main()
