#!/usr/bin/env python3
"""Proves the values of start positions and checks the proofs. For each board it builds and unpacks
endgame tables, runs `analyze --certificate` and `check`, and writes data/proofs/NAME.json and the table in
crates/solver/docs/RESULTS.md, with the table of all answers there. NAME is the rule set, preceded by the
boards if --boards is given.

    cargo build --release -p fanorona-cli
    python3 tools/prove_starts.py --work DIR --machine "2 cores of an AMD EPYC, 24 GiB"
    python3 tools/prove_starts.py --work DIR --machine ... --boards 9x5 --time 3600

9x5 takes a quarter of an hour on two cores, 8 GiB of memory and 5 GB of disk, so it is not a default board.
Tables go into DIR, which is not removed; existing tables are used. Certificates go into data/proofs. Needs
Python 3.9. Exits with status 1 if a certificate does not pass the check.
"""

import argparse
import datetime
import json
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "data/proofs"
PAGE = ROOT / "crates/solver/docs/RESULTS.md"
# The stones up to which tables are built (0: none), and MiB for the search.
BOARDS = {
    "3x3": (0, 16), "5x3": (0, 16), "3x5": (0, 16), "7x3": (0, 64), "3x7": (0, 64), "9x3": (5, 256),
    "3x9": (5, 256), "5x5": (6, 256), "7x5": (7, 1024), "5x7": (7, 1024), "9x5": (8, 4096),
}
SMALL = [board for board in BOARDS if board != "9x5"]


def run(program, *args):
    """A command's JSON output and its time in seconds. Status 1 also comes with output."""
    begin = time.monotonic()
    done = subprocess.run([program, *map(str, args), "--json"], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(map(str, args))}: {done.stderr}")
    return json.loads(done.stdout), time.monotonic() - begin


def prove(program, work, board, options):
    stones, memory = BOARDS[board]
    stones = stones if options.stones is None else options.stones
    game = ["--board", board, "--rules", options.rules]
    tables = work / f"{board}-{options.rules}"
    tables.mkdir(parents=True, exist_ok=True)
    where = ["--tables", tables]
    begin = time.monotonic()
    if stones:
        run(program, "build", *game, *where, "--stones", stones, "--metric", "wdl")
        run(program, "unpack", *game, *where, "--stones", stones)
    for size in options.slices:
        run(program, "build", *game, *where, "--slice", size, "--metric", "wdl")
    building = time.monotonic() - begin
    file = work / f"{board}-{options.rules}.proof"
    file.unlink(missing_ok=True)
    found, proving = run(program, "analyze", *game, *where, "--time", options.time,
                         "--memory", options.memory or memory, "--certificate", file)
    row = {key: found[key] for key in ("position", "value", "at_least", "at_most", "nodes")}
    row |= {"board": board, "tables": stones, "building": round(building, 2),
            "searching": round(found["seconds"], 2), "proving": round(proving, 2)}
    row |= {"slices": options.slices} if options.slices else {}
    if file.exists():
        check, checking = run(program, "check", file, *where)
        row |= {"checked": check["ok"], "entries": check["positions"],
                "bytes": file.stat().st_size, "checking": round(checking, 2)}
        shutil.copy(file, DATA)
    return row


def duration(seconds):
    """Seconds as people write them."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def value_text(row):
    """The value, or the bound if only a bound is proved."""
    if row["value"] == "unknown":
        if row["at_least"] != "loss":
            return f"at least {row['at_least']}"
        if row["at_most"] != "win":
            return f"at most {row['at_most']}"
    return row["value"]


def tables_text(row):
    """The tables that the search had: up to a number of stones, and single slices."""
    return ", ".join([str(row["tables"]), *row.get("slices", ())]) if row["tables"] else ""


def table(result):
    lines = [
        f"Rule set `{result['rules']}`; {result['machine']}; {result['date']}; "
        f"{duration(result['seconds'])} in total.",
        "",
        "| board | value | tables up to | build (s) | positions searched | search (s) "
        "| search and certificate (s) | entries | bytes | check (s) |",
        "|---|---|---:|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for row in result["boards"]:
        cells = [row["board"], value_text(row), tables_text(row) or "–", f"{row['building']:.1f}",
                 f"{row['nodes']:,}", f"{row['searching']:.1f}", f"{row['proving']:.1f}"]
        if "entries" in row:
            cells += [f"{row['entries']:,}", f"{row['bytes']:,}",
                      f"{row['checking']:.1f}" if row["checked"] else "**does not hold**"]
        else:
            cells += ["–"] * 3
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def replace_part(name, text, path=PAGE):
    """Replaces the text between the markers of this name; adds them at the end if they are missing."""
    page = path.read_text()
    first, last = (f"<!-- {name}: {word} -->" for word in ("begin", "end"))
    if first not in page:
        page += f"\n{first}\n{last}\n"
    before, rest = page.split(first)
    after = rest.split(last)[1]
    path.write_text(f"{before}{first}\n{text}\n{last}{after}")


def results():
    """All results under data/proofs, the older ones first."""
    found = []
    for path in sorted(DATA.glob("*.json")):
        result = json.loads(path.read_text())
        if isinstance(result, dict) and "boards" in result:
            found.append(result)
    return sorted(found, key=lambda result: result["date"])


def confirmed():
    """The names of the certificates that were checked without believing tables, as in `openings/5x5-standard-b3-c3A`."""
    rows = json.loads((DATA / "expansions.json").read_text())
    return {name for row in rows for name in row["certificates"]}


def answers():
    """The table of all boards and presets, with links to the certificates."""
    expanded = confirmed()
    known, rules = {}, []
    for result in results():
        if "+" in result["rules"]:
            continue
        if result["rules"] not in rules:
            rules.append(result["rules"])
        for row in result["boards"]:
            key = row["board"], result["rules"]
            if key not in known or "entries" in row:
                known[key] = row
    # The standard rules first, then the rule set with the most answers.
    def order(name):
        return name != "standard", -sum("entries" in known.get((board, name), ()) for board in BOARDS), name

    rules.sort(key=order)

    def cell(board, name):
        row = known.get((board, name))
        if row is None:
            return "–"
        file = f"{board}-{name}"
        if not (DATA / f"{file}.proof").exists():
            return value_text(row)
        notes = [f"tables to {tables_text(row)}"] if row["tables"] else []
        notes += ["confirmed"] if file in expanded else []
        text = f"[{value_text(row)}](../../../data/proofs/{file}.proof)"
        return f"{text} ({', '.join(notes)})" if notes else text

    lines = [f"| board | {' | '.join(f'`{name}`' for name in rules)} |", "|---" * (len(rules) + 1) + "|"]
    lines += [f"| {board} | {' | '.join(cell(board, name) for name in rules)} |" for board in BOARDS]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/fanorona")
    parser.add_argument("--work", type=pathlib.Path, required=True)
    parser.add_argument("--machine", required=True, help="a description of the machine")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--boards", nargs="+", choices=BOARDS, help="default: all but 9x5")
    parser.add_argument("--time", type=float, default=120, help="seconds for each search")
    parser.add_argument("--memory", type=int, help="MiB for each search; default: depends on the board")
    parser.add_argument("--stones", type=int, help="tables up to N stones; default: depends on the board")
    parser.add_argument("--slices", nargs="+", default=[], help="build these slices too, as in 5v4 4v5")
    options = parser.parse_args()
    begin, rows = time.monotonic(), []
    for board in options.boards or SMALL:
        rows.append(prove(options.program, options.work, board, options))
        print(json.dumps(rows[-1]), flush=True)
    result = {
        "source": " ".join(["tools/prove_starts.py --rules", options.rules, "--time", f"{options.time:g}",
                            *(["--memory", str(options.memory)] if options.memory else []),
                            *(["--boards", *options.boards] if options.boards else []),
                            *(["--stones", str(options.stones)] if options.stones is not None else []),
                            *(["--slices", *options.slices] if options.slices else [])]),
        "machine": options.machine,
        "date": datetime.date.today().isoformat(),
        "rules": options.rules,
        "seconds": round(time.monotonic() - begin, 1),
        "boards": rows,
    }
    name = "-".join([*(options.boards or []), options.rules])
    path = DATA / f"{name}.json"
    path.write_text(json.dumps(result, indent=2) + "\n")
    replace_part(name, table(result))
    replace_part("answers", answers())
    return 0 if all(row.get("checked", True) for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
