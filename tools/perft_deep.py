#!/usr/bin/env python3
"""Counts the turns of the start position of 9x5 deeply, one first turn after the other, and writes
data/perft/deep.json and a part of crates/perft/docs/STARTS.md.

    cargo build --release -p fanorona-cli
    python3 tools/perft_deep.py --rules standard --depth 10 --hash 4096 --machine "2 cores of an AMD EPYC"
    python3 tools/perft_deep.py --rules vela --depth 9 --twice --machine "..."
    python3 tools/perft_deep.py --rules standard --depth 10 --twice --only f2-e3A --machine "..."
    python3 tools/perft_deep.py --check

Each first turn is one run of `fanorona perft`, so an interrupted count goes on with the first turn that is
missing. With --twice, `perft --check` counts everything twice, with hash tables of different keys. A count
replaces one of the same rules if it is deeper. One of the same depth must be equal; with --only, the other first
turns stay as they are. --check counts nothing; it checks the sums, and that the page agrees with the file.

Needs Python 3.9. Exits with status 1 if counts contradict each other, if a command fails, or if the page
differs.
"""

import argparse
import datetime
import json
import subprocess
import sys

from perft_table import DATA as STARTS
from perft_table import PAGE, ROOT, page_with

DATA = ROOT / "data/perft/deep.json"
BEGIN, END = "<!-- tools/perft_deep.py: begin -->\n", "<!-- tools/perft_deep.py: end -->\n"
SOURCE = "fanorona perft, one run for each first turn of the start of 9x5, by tools/perft_deep.py"


def run(program, *words):
    """The JSON object that a command prints."""
    output = subprocess.run([program, *words, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(output.stdout)


def sums(entry):
    """The counts of an entry by depth, from 1."""
    by_turn = [turn["nodes"] for turn in entry["turns"]]
    return [len(by_turn)] + [sum(row) for row in zip(*by_turn)]


def contradictions(entries):
    """What is wrong with the entries."""
    known = {}
    for board in json.loads(STARTS.read_text())["boards"]:
        if board["board"] == "9x5":
            known = {row["depth"]: row["turns"] for row in board["depths"]}
    for entry in entries:
        lengths = {len(turn["nodes"]) for turn in entry["turns"]}
        if len(lengths) != 1:
            yield f"{entry['rules']}: the first turns have counts to different depths"
        if entry["rules"] == "standard":
            for depth, nodes in enumerate(sums(entry), start=1):
                if known.get(depth, nodes) != nodes:
                    yield f"standard, depth {depth}: {nodes} turns, but {known[depth]} in {STARTS.name}"


def count(args):
    """The entry of the rules, with a run for each first turn. Finished runs are kept in a file."""
    partial = DATA.with_suffix(f".{args.rules}-{args.depth}.partial")
    settings = {"rules": args.rules, "depth": args.depth, "twice": args.twice}
    kept = json.loads(partial.read_text()) if partial.exists() else {}
    if {key: kept.get(key) for key in settings} != settings:
        kept = {**settings, "turns": {}}
    twice = ["--check"] if args.twice else []
    turns = [turn["turn"] for turn in run(args.program, "moves", "--rules", args.rules)["turns"]]
    turns = [turn for turn in turns if args.only is None or turn in args.only]
    for turn in turns:
        if turn in kept["turns"]:
            continue
        words = ["--rules", args.rules, "--after", turn, "--hash", str(args.hash), *twice]
        report = run(args.program, "perft", *words, "--depth", str(args.depth - 1))
        kept["turns"][turn] = [int(row["nodes"]) for row in report["depths"]]
        partial.write_text(json.dumps(kept) + "\n")
        print(f"{args.rules} {turn}: {kept['turns'][turn][-1]:,}", file=sys.stderr)
    partial.unlink(missing_ok=True)
    return {
        "rules": args.rules,
        "counted": f"{args.machine}, {datetime.date.today()}",
        "turns": [{"turn": turn, "twice": args.twice, "nodes": kept["turns"][turn]} for turn in turns],
    }


def combined(old, new):
    """The better of two entries of the same rules: the deeper one, or both if they are as deep."""
    if len(sums(old)) != len(sums(new)):
        return max(old, new, key=lambda entry: len(sums(entry)))
    again = {turn["turn"]: turn for turn in new["turns"]}
    turns = []
    for turn in old["turns"]:
        other = again.get(turn["turn"], turn)
        if other["nodes"] != turn["nodes"]:
            sys.exit(f"{old['rules']} {turn['turn']}: {other['nodes']}, but {turn['nodes']} before")
        turns.append({**turn, "twice": turn["twice"] or other["twice"]})
    return {**old, "turns": turns}


def how_often(turns):
    """Which first turns were counted twice."""
    twice = [turn["turn"] for turn in turns if turn["twice"]]
    once = [turn["turn"] for turn in turns if not turn["twice"]]
    if not twice:
        return "counted once"
    if not once:
        return "counted twice, with different keys"
    return f"{', '.join(twice)} counted twice, with different keys, {', '.join(once)} once"


def data_text(entries):
    """JSON with a line for each first turn."""
    parts = []
    for entry in entries:
        opening = json.dumps({key: entry[key] for key in ("rules", "counted")})[:-1]
        lines = ["      " + json.dumps(turn) for turn in entry["turns"]]
        parts.append(f'    {opening}, "turns": [\n' + ",\n".join(lines) + "\n    ]}")
    head = json.dumps({"source": SOURCE, "board": "9x5"}, indent=2)[:-2]
    return head + ',\n  "counts": [\n' + ",\n".join(parts) + "\n  ]\n}\n"


def page_text(entries):
    """A table of all rule sets by depth, and one of the deepest counts by first turn."""
    columns = {entry["rules"]: sums(entry) for entry in entries}
    deepest = max(map(len, columns.values()))
    lines = ["| depth | " + " | ".join(f"`{rules}`" for rules in columns) + " |"]
    lines += ["|--:" * (len(columns) + 1) + "|"]
    for depth in range(deepest):
        row = [f"{nodes[depth]:,}" if depth < len(nodes) else "" for nodes in columns.values()]
        lines.append(f"| {depth + 1} | " + " | ".join(row) + " |")
    lines.append("")
    for entry in entries:
        below = ", ".join(f"{turn['turn']} {turn['nodes'][-1]:,}" for turn in entry["turns"])
        depth = len(entry["turns"][0]["nodes"]) + 1
        lines.append(f"- `{entry['rules']}`: {how_often(entry['turns'])}; {entry['counted']}. Depth {depth} by first turn: {below}.")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default=ROOT / "target/release/fanorona", help="default: the release build")
    parser.add_argument("--rules", default="standard", help="a rule set; default: standard")
    parser.add_argument("--depth", type=int, help="the depth, at least 2")
    parser.add_argument("--hash", type=int, default=1024, help="MiB for the hash table; default: 1024")
    parser.add_argument("--twice", action="store_true", help="count twice, with different keys")
    parser.add_argument("--only", nargs="+", metavar="TURN", help="count these first turns; default: all")
    parser.add_argument("--machine", help="a description of the machine")
    parser.add_argument("--check", action="store_true", help="only check the file and the page")
    args = parser.parse_args()
    entries = json.loads(DATA.read_text())["counts"] if DATA.exists() else []
    if not args.check:
        if args.machine is None or args.depth is None or args.depth < 2:
            parser.error("--machine and --depth, at least 2, are needed")
        try:
            entry = count(args)
        except subprocess.CalledProcessError as error:
            print(error)
            return 1
        same = [other for other in entries if other["rules"] == args.rules]
        if args.only and [len(sums(other)) for other in same] != [args.depth]:
            parser.error("--only needs a count of the other first turns to this depth")
        others = [other for other in entries if other["rules"] != args.rules]
        entries = [*others, combined(same[0], entry) if same else entry]
        entries.sort(key=lambda entry: (entry["rules"] != "standard", entry["rules"]))
    wrong = list(contradictions(entries))
    if wrong:
        print("\n".join(wrong))
        return 1
    if args.check:
        if PAGE.read_text(encoding="utf-8") == page_with(page_text(entries) + "\n", BEGIN, END):
            return 0
        print(f"{PAGE.relative_to(ROOT)} differs from {DATA.relative_to(ROOT)}")
        return 1
    DATA.write_text(data_text(entries), encoding="utf-8")
    PAGE.write_text(page_with(page_text(entries) + "\n", BEGIN, END), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
