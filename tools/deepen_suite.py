#!/usr/bin/env python3
"""Adds deeper counts to suite files, using the program `fanorona`.

    cargo build --release -p fanorona-cli
    python3 tools/deepen_suite.py data/perft/*.perft
    python3 tools/deepen_suite.py --list data/perft/*.perft

Each entry gets all further depths whose counts are within a limit (LIMITS, one for each kind of count).
The line `reference` is not changed: it is the deepest depth that tools/reference has counted. --list adds
nothing; it compares the existing counts of `turns` with `fanorona stats`, which lists every turn, while
`fanorona perft` counts many at once.

Needs Python 3.11. Exits with status 1 if something differs.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tools/reference"))
from suite import read_suite, write_suite

# The largest count of an entry. With these, checking all suites takes well under a minute.
LIMITS = {"turns": 20_000_000, "steps": 20_000_000, "positions": 5_000_000, "unique": 2_000_000}

# Counts that grow slowly, as on 3x3, would otherwise go very deep.
DEEPEST = 20


def run(program, command, entry, depth, *more):
    words = [command, "--board", entry.position.board.name, "--rules", entry.fields["rules"]]
    words += ["--position", entry.fields["position"], "--depth", str(depth), *more, "--json"]
    output = subprocess.run([program, *words], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(output.stdout)["depths"]


def counts(program, entry, depth):
    """The counts for depths 1 to `depth`; fewer if the game ends before."""
    report = run(program, "perft", entry, depth, "--count", entry.fields["count"])
    return {row["depth"]: int(row["nodes"]) for row in report}


def is_over(entry):
    return 0 in entry.counts.values()


def expected_next(entry):
    """An estimate of the next count. It uses the larger of the last two growth factors, because the two
    sides can have very different numbers of turns."""
    last = max(entry.counts)
    count = lambda depth: entry.counts.get(depth, 1)
    growth = max(count(d) / count(d - 1) for d in (last, last - 1) if d >= 1)
    return count(last) * growth


def deepen(program, entry, limit):
    """Adds depths; returns whether the program agrees with all existing counts."""
    while not is_over(entry) and max(entry.counts) < DEEPEST and expected_next(entry) <= 4 * limit:
        found = counts(program, entry, max(entry.counts) + 1)
        if any(found[depth] != nodes for depth, nodes in entry.counts.items()):
            print(f"{entry.fields['id']}: {entry.counts} in the file, {found} found")
            return False
        if found[max(found)] > limit:
            break
        entry.counts = found
    return True


def listed(program, entry):
    """Whether listing all turns gives the same counts."""
    found = {row["depth"]: row["turns"] for row in run(program, "stats", entry, max(entry.counts))}
    if found == entry.counts:
        return True
    print(f"{entry.fields['id']}: perft counts {entry.counts}, stats lists {found}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--program", default=ROOT / "target/release/fanorona", help="default: the release build")
    parser.add_argument("--list", action="store_true", help="add nothing, compare with lists of turns")
    args = parser.parse_args()
    right = True
    for path in args.files:
        head, entries = read_suite(path)
        for entry in entries:
            counting = entry.fields["count"]
            if not args.list:
                right &= deepen(args.program, entry, LIMITS[counting])
            elif counting == "turns":
                right &= listed(args.program, entry)
        if not args.list:
            write_suite(path, head, entries)
        print(f"{path}: {sum(len(entry.counts) for entry in entries)} counts of {len(entries)} positions")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
