#!/usr/bin/env python3
"""Times two builds of the program in turn on the same search.

    python3 tools/pair_searches.py [--runs 3] [--json FILE] OLD NEW ARGUMENTS OF ANALYZE

Runs `OLD analyze ARGUMENTS`, `NEW analyze ARGUMENTS`, and so on, so that both meet the same load. All
runs must give the same value, or it ends with status 1. A run that ends at a limit has no value, and
says how far it came.

With several threads the number of positions differs from run to run, by a factor of two and more. So
compare the processor time of a position, and read positions and seconds as examples. Needs Python 3.9.
"""

import argparse
import json
import resource
import statistics
import subprocess
import sys


def search(program, arguments):
    """The report of one search, with its processor time for each position, in nanoseconds."""
    command = [program, "analyze", "--json", *arguments]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(output)
    # The system's time is that of filling memory with zeros, which varies.
    report["ns"] = 1e9 * (after.ru_utime - before.ru_utime) / max(1, report["nodes"])
    return report


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--runs", type=int, default=3, help="runs of each program")
    parser.add_argument("--json", help="append each run to this file as a line of JSON")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="arguments of analyze")
    options = parser.parse_args()
    runs = {"old": [], "new": []}
    values = set()
    for number in range(options.runs):
        for name, program in (("old", options.old), ("new", options.new)):
            report = search(program, options.arguments)
            runs[name].append(report)
            if report["proved"]:
                values.add(report["value"])
            line = {"program": name, "run": number + 1, "value": report["value"],
                    "at_least": report["at_least"], "at_most": report["at_most"],
                    "positions": report["nodes"], "seconds": round(report["seconds"], 1),
                    "ns_per_position": round(report["ns"], 1)}
            print(json.dumps(line), flush=True)
            if options.json:
                with open(options.json, "a", encoding="utf-8") as file:
                    file.write(json.dumps({**line, "arguments": options.arguments}) + "\n")
            if len(values) > 1:
                sys.exit("the values differ")
    for what, unit in (("nodes", "positions"), ("seconds", "s"), ("ns", "ns of CPU time for a position")):
        both = [[report[what] for report in runs[name]] for name in runs]
        old, new = map(statistics.median, both)
        print(f"median {old:,.1f} and {new:,.1f} {unit}: new/old {new / old:.3f} "
              f"(old {min(both[0]):,.1f} to {max(both[0]):,.1f}, new {min(both[1]):,.1f} to {max(both[1]):,.1f})")


if __name__ == "__main__":
    main()
