#!/usr/bin/env python3
"""Checks that any number of processes builds the same tables as one program, byte for byte.

    tools/compare_ranks.py --log data/runs/ranks.log

Builds the tables of each case with `fanorona build`, which chooses its method, and with
`mpirun -n R fanorona-mpi build` for some numbers of processes R, with one thread each. Then compares all
files. Without a case, these are 3x3 and 5x3 to the last stone under every preset and under random
options, 5x5 to 8 stones, and 9x5 to 6 stones, all with both metrics. A case is a board, a rule set, a
number of stones, a metric and the numbers of processes:

    tools/compare_ranks.py --case 9x5 standard 7 wdl 2

Exit status: 0 if all files are equal; 1 if not; 2 if a build failed. Needs only the standard library,
and mpirun.
"""

import argparse
import filecmp
import itertools
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

PRESETS = ["standard", "forced-relay", "first-capture-single", "free-capture", "vela+stones-2"]


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--program", default="target/release/fanorona")
    parser.add_argument("--mpi", default="target/release/fanorona-mpi")
    parser.add_argument("--case", nargs="+", action="append", help="see above")
    parser.add_argument("--seed", type=int, default=1, help="seed of the random options")
    parser.add_argument("--options", type=int, default=4, help="the number of random options")
    parser.add_argument("--dir", help="where to make directories")
    parser.add_argument("--log", help="a file for the log, in addition to standard output")
    return parser.parse_args()


def random_rules(chance):
    """A preset with random options."""
    rules = chance.choice(PRESETS)
    rules += chance.choice(["", "+no-turns-draw"])
    return rules + chance.choice(["", "+direction-strict", "+direction-free"])


def all_cases(options):
    chance = random.Random(options.seed)
    rules = PRESETS + [random_rules(chance) for _ in range(options.options)]
    for metric in ["wdl", "dtw"]:
        for (board, points), name in itertools.product([("3x3", 9), ("5x3", 15)], rules):
            yield board, name, points - 1, metric, [1, 2, 4, 7]
        yield "5x5", "standard", 8, metric, [2, 4]
        yield "9x5", "standard", 6, metric, [1, 2, 4, 7]


def run(command):
    # Open MPI refuses to run as root without these.
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    began = time.monotonic()
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        print(" ".join(command), done.stdout, done.stderr, sep="\n", file=sys.stderr)
        sys.exit(2)
    return time.monotonic() - began


def main():
    options = arguments()
    log_file = open(options.log, "w", encoding="utf-8") if options.log else None

    def log(line):
        for file in filter(None, [sys.stdout, log_file]):
            print(line, file=file, flush=True)

    cases = all_cases(options)
    if options.case:
        cases = [
            (board, rules, int(stones), metric, [int(count) for count in ranks])
            for board, rules, stones, metric, *ranks in options.case
        ]
    ok = True
    for board, rules, stones, metric, counts in cases:
        with tempfile.TemporaryDirectory(dir=options.dir) as directory:
            alone = pathlib.Path(directory, "alone")
            build = ["build", "--board", board, "--rules", rules, "--stones", str(stones)]
            build += ["--metric", metric, "--checkpoint", "never", "--tables"]
            seconds = run([options.program, *build, str(alone)])
            names = sorted(file.name for file in alone.iterdir())
            size = sum(file.stat().st_size for file in alone.iterdir())
            results = []
            for count in counts:
                together = pathlib.Path(directory, f"ranks-{count}")
                mpirun = ["mpirun", "--oversubscribe", "-n", str(count), options.mpi]
                run([*mpirun, *build, str(together), "--threads", "1"])
                same = sorted(file.name for file in together.iterdir()) == names and all(
                    filecmp.cmp(alone / name, together / name, shallow=False) for name in names
                )
                results.append(f"{count} {'equal' if same else 'DIFFERENT'}")
                ok &= same
            log(
                f"{board} {rules} {stones} stones {metric}: {len(names)} files, {size:,} bytes, "
                f"{seconds:.1f} s alone; processes: {', '.join(results)}"
            )
    log("all files are equal" if ok else "FILES DIFFER")
    sys.exit(0 if ok else 1)


if __name__ == "__main__":
    main()
