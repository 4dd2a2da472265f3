#!/usr/bin/env python3
"""Compares the speed of two builds of the program in paired runs.

    python3 tools/paired.py OLD NEW [--runs N] [--work NAME ...] [--tables DIR --positions FILE]

Runs each piece of work with both programs in turn, N times (5), and prints the processor time and
the wall-clock time of NEW divided by those of OLD: the median of the pairs, the least and the
greatest. A machine with other load changes both of a pair. Each run must give the same answer, and
tables the same bytes, or the comparison ends with status 1.

The work: perft, wdl, dtw, search, probe. `probe` needs tables, in DIR, and a file of positions.
"""

import argparse
import hashlib
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORK = {
    "perft": ["perft", "--depth", "7", "--threads", "1", "--json"],
    "wdl": ["build", "--stones", "{stones}", "--metric", "wdl", "--tables", "{dir}", "--json"],
    "dtw": ["build", "--stones", "5", "--metric", "dtw", "--tables", "{dir}", "--json"],
    "search": ["analyze", "--board", "7x5", "--nodes", "20000000", "--time", "600",
               "--threads", "1", "--json"],
    "probe": ["probe", "--tables", "{tables}", "--batch", "{positions}", "--json"],
}


def answer(work, output, directory):
    """What both programs must agree on."""
    if work in ("wdl", "dtw"):
        files = sorted(directory.glob("*.fano"))
        return [(file.name, hashlib.sha256(file.read_bytes()).hexdigest()) for file in files]
    if work == "perft":
        return [depth["nodes"] for depth in json.loads(output)["depths"]]
    if work == "search":
        found = json.loads(output)
        return [found["at_least"], found["at_most"], round(found["nodes"], -5)]
    return hashlib.sha256(output.encode()).hexdigest()


def measure(program, work, options):
    """One run: processor time and wall-clock time in seconds, and the answer."""
    with tempfile.TemporaryDirectory() as name:
        words = {"dir": name, "stones": options.stones, "tables": options.tables,
                 "positions": options.positions}
        command = [str(program.resolve()), *(word.format(**words) for word in WORK[work])]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.monotonic()
        done = subprocess.run(command, cwd=name, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        wall = time.monotonic() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return cpu, wall, answer(work, done.stdout, Path(name))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--work", nargs="+", choices=WORK, default=["perft", "wdl", "dtw", "search"])
    parser.add_argument("--stones", type=int, default=6, help="for wdl (6)")
    parser.add_argument("--tables", type=Path, help="for probe")
    parser.add_argument("--positions", type=Path, help="for probe: a file with one position a line")
    options = parser.parse_args()
    if "probe" in options.work and not (options.tables and options.positions):
        parser.error("probe needs --tables and --positions")
    for work in options.work:
        pairs, answers, seconds = [], set(), []
        for run in range(options.runs):
            # Who goes first changes from pair to pair.
            order = [options.old, options.new] if run % 2 == 0 else [options.new, options.old]
            found = {program: measure(program, work, options) for program in order}
            old, new = found[options.old], found[options.new]
            pairs.append((new[0] / old[0], new[1] / old[1]))
            seconds.append((old[1], new[1]))
            answers.update(json.dumps(each[2]) for each in found.values())
        if len(answers) != 1:
            sys.exit(f"{work}: the answers differ")
        print(f"{work}, {options.runs} pairs, same answers")
        for name, ratios in zip(["processor time", "wall-clock time"], zip(*pairs)):
            middle = statistics.median(ratios)
            print(f"  {name}: new/old {middle:.3f} ({min(ratios):.3f} to {max(ratios):.3f})")
        old, new = (statistics.median(each) for each in zip(*seconds))
        print(f"  medians: old {old:.2f} s, new {new:.2f} s", flush=True)


if __name__ == "__main__":
    main()
