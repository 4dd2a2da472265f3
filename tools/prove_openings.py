#!/usr/bin/env python3
"""Proves the values of the positions after each first turn, and after each reply to the turns that keep the
value of the start position. Runs `analyze --book --certificate` and `check`, and writes
data/proofs/openings/BOARD-RULES.json, the certificates beside it, and a table in
crates/solver/docs/RESULTS.md.

The book is the certificate of the start, data/proofs/BOARD-RULES.proof, and those of the openings so far. What
it proves is not searched again and is not in the new certificates.

    cargo build --release -p fanorona-cli
    python3 tools/prove_openings.py --board 5x5 --tables DIR --machine "2 cores of an AMD EPYC, 24 GiB"
    python3 tools/prove_openings.py --board 9x5 --tables DIR --machine ... --time 1200 --memory 6144

DIR has the endgame tables; unpacked ones are faster. Positions that were proved before are not searched
again, nor those that had as much time: remove the JSON file to begin anew. Values are for White. Needs
Python 3.9. Exits with status 1 if a certificate does not pass the check.
"""

import argparse
import datetime
import json
import pathlib
import sys

from prove_starts import DATA, ROOT, confirmed, replace_part, run

OPENINGS = DATA / "openings"

# Better values for White have higher numbers.
ORDER = {"loss": 0, "draw": 1, "win": 2}
SWAPPED = {"loss": "win", "draw": "draw", "win": "loss"}


def prove(options, turns):
    """Searches the position after some turns, and checks the certificate."""
    game = ["--board", options.board, "--rules", options.rules, "--tables", options.tables]
    file = OPENINGS / f"{options.board}-{options.rules}-{'-then-'.join(turns)}.proof"
    file.unlink(missing_ok=True)
    start = DATA / f"{options.board}-{options.rules}.proof"
    book = [path for path in [start, *sorted(OPENINGS.glob(f"{options.board}-{options.rules}-*.proof"))] if path.exists()]
    after = ["--after", " ".join(turns), "--time", options.time, "--memory", options.memory]
    found, seconds = run(options.program, "analyze", *game, *after, "--certificate", file,
                         *(["--book", *book] if book else []))
    # Without a search, the book is the answer.
    from_book = found.get("book") if "questions" in found else found
    at_least, at_most = for_white(found, turns)
    row = {"turns": turns, "position": found["position"], "at_least": at_least, "at_most": at_most,
           "nodes": found["nodes"], "searching": round(seconds, 1), "time": options.time,
           "machine": options.machine, "date": datetime.date.today().isoformat()}
    if from_book:
        row["book"] = dict(zip(("at_least", "at_most"), for_white(from_book, turns)))
        if "file" in from_book:
            row["book"]["certificate"] = pathlib.Path(from_book["file"]).relative_to(DATA).as_posix()
    if file.exists():
        check, checking = run(options.program, "check", file, "--tables", options.tables)
        row |= {"certificate": file.name, "checked": check["ok"], "tables": check["tables"],
                "entries": check["positions"], "bytes": file.stat().st_size, "checking": round(checking, 1)}
    print(json.dumps(row), flush=True)
    return row


def for_white(found, turns):
    """The bounds of a position for White, which moves after an even number of turns."""
    bounds = [found["at_least"], found["at_most"]]
    return bounds if len(turns) % 2 == 0 else [SWAPPED[bound] for bound in reversed(bounds)]


def value(row):
    """The value for White, or None if it is not proved."""
    return row["at_least"] if row["at_least"] == row["at_most"] else None


def value_text(row):
    if value(row):
        return value(row)
    if row["at_least"] != "loss":
        return f"at least {row['at_least']}"
    return f"at most {row['at_most']}" if row["at_most"] != "win" else "unknown"


def known_before(row):
    """What the book proves, in words."""
    if "book" not in row:
        return "–"
    at_least, at_most = row["book"]["at_least"], row["book"]["at_most"]
    if at_least == at_most:
        return at_least
    return f"at least {at_least}" if at_most == "win" else f"at most {at_most}"


def table(rows):
    lines = ["| turns | value | by the book | positions searched | search (s) | tables | entries | bytes "
             "| check (s) | date |", "|---|---|---|---:|---:|---:|---:|---:|---:|---|"]
    expanded = confirmed()
    for row in rows:
        proof = ["–"] * 4
        text, file = value_text(row), None
        if value(row) and "certificate" not in row and "certificate" in row.get("book", {}):
            file = row["book"]["certificate"]
        if "certificate" in row:
            file = f"openings/{row['certificate']}"
            proof = [str(row["tables"]), f"{row['entries']:,}", f"{row['bytes']:,}",
                     f"{row['checking']:.1f}" if row["checked"] else "**does not hold**"]
        if file:
            note = " (confirmed)" if file.removesuffix(".proof") in expanded else ""
            text = f"[{text}](../../../data/proofs/{file}){note}"
        cells = [" ".join(row["turns"]), text, known_before(row), f"{row['nodes']:,}", f"{row['searching']:,.1f}",
                 *proof, row["date"]]
        lines.append(f"| {' | '.join(cells)} |")
    machines = sorted({row["machine"] for row in rows})
    return "\n".join([*lines, "", f"Values are for White. Machine: {'; '.join(machines)}."])


def write_tables():
    """Writes the tables of all boards and rule sets again."""
    for path in sorted(OPENINGS.glob("*.json")):
        replace_part(f"openings-{path.stem}", table(json.loads(path.read_text())["openings"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/fanorona")
    parser.add_argument("--board", default="9x5")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--tables", type=pathlib.Path, required=True)
    parser.add_argument("--machine", required=True, help="a description of the machine")
    parser.add_argument("--time", type=float, default=600, help="seconds for each search")
    parser.add_argument("--memory", type=int, default=1024, help="MiB for each search")
    parser.add_argument("--only", help="search only after these turns, as in \"d2-e3A f3-f4W-g5W\"")
    parser.add_argument("--first-turns", action="store_true", help="leave out the replies")
    options = parser.parse_args()
    path = OPENINGS / f"{options.board}-{options.rules}.json"
    path.parent.mkdir(exist_ok=True)
    known = {}
    if path.exists():
        known = {tuple(row["turns"]): row for row in json.loads(path.read_text())["openings"]}

    def after(turns):
        """The rows of the positions after each turn that can follow `turns`."""
        moves, _ = run(options.program, "moves", "--board", options.board, "--rules", options.rules,
                       *(["--after", " ".join(turns)] if turns else []))
        for turn in moves["turns"]:
            key = (*turns, turn["turn"])
            row = known.get(key)
            is_open = row is None or value(row) is None and row["time"] < options.time
            if is_open and options.only in (None, " ".join(key)):
                known[key] = prove(options, list(key))
            # What is known is kept if the next search is interrupted.
            rows = sorted(known.values(), key=lambda row: len(row["turns"]))
            source = f"tools/prove_openings.py --board {options.board} --rules {options.rules}"
            path.write_text(json.dumps({"source": source, "openings": rows}, indent=2) + "\n")
            replace_part(f"openings-{path.stem}", table(rows))
        keys = [(*turns, turn["turn"]) for turn in moves["turns"]]
        return [known[key] for key in keys if key in known]

    first = after([])
    best = max((ORDER[value(row)] for row in first if value(row)), default=None)
    for row in first:
        if not options.first_turns and value(row) and ORDER[value(row)] == best:
            after(row["turns"])
    return 0 if all(row.get("checked", True) for row in known.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
