#!/usr/bin/env python3
"""Proves who wins the vela, the revenge game, from the start position: for each board, each number of stones
that ends the first phase, and each reading of the rules. Runs `analyze --certificate` and two checkers, and
writes data/proofs/vela.json, the certificates below data/proofs/vela, and a table in
crates/solver/docs/RESULTS.md.

    cargo build --release -p fanorona-cli -p fanorona-recheck
    python3 tools/prove_vela.py --memory 8000 --machine "2 cores of an AMD EPYC, 24 GiB"

No endgame tables are used: the proofs go to the end of the game. What stays open can be proved with them:

    fanorona build --board 7x3 --rules RULES --slice 10v10 --metric wdl --tables DIR
    python3 tools/prove_vela.py --machine "as above" --only 7x3 RULES --tables DIR

Such a certificate rests on tables of the second phase. Certificates of more than 100,000 bytes, and
those that leave the value open, are checked but not kept. 7x3 takes most of the time, a quarter of an hour on
two cores with --memory 8000. With less memory, a certificate can take much longer than --time. Needs Python
3.9. Exits with status 1 if a checker does not accept a certificate.
"""

import argparse
import datetime
import itertools
import json
import pathlib
import subprocess
import sys
import time

from prove_starts import DATA, ROOT, confirmed, replace_part, run

# The most stones of a side.
BOARDS = {"3x3": 4, "5x3": 7, "3x5": 7, "7x3": 10}
MAX_BYTES = 100_000
# Whether Black is the victor, whether the challenger must capture, whether a side without a turn draws.
READINGS = list(itertools.product((False, True), repeat=3))


def rules_of(reading, stones):
    """The name of a rule set."""
    black, must_capture, draw = reading
    options = ["no-turns-draw"] * draw + ["victor-black"] * black
    return "+".join(["vela", *options, f"stones-{stones}", *["must-capture"] * must_capture])


def prove(options, board, rules):
    """Finds the value of the start position, and checks the certificate."""
    file = DATA / "vela" / f"{board}-{rules}.proof"
    file.unlink(missing_ok=True)
    begin = time.monotonic()
    tables = ["--tables", options.tables] if options.tables else []
    found, _ = run(options.program, "analyze", "--board", board, "--rules", rules, "--time", options.time,
                   "--memory", options.memory, "--certificate", file, *tables)
    row = {"board": board, "rules": rules, **{key: found[key] for key in ("value", "at_least", "at_most", "nodes")},
           "seconds": round(time.monotonic() - begin, 2)}
    if file.exists():
        check, _ = run(options.program, "check", file, *tables)
        again = subprocess.run([options.recheck, file, *tables], capture_output=True, text=True)
        row |= {"tables": check["tables"]} if check["tables"] else {}
        row |= {"checked": check["ok"], "rechecked": again.returncode == 0, "entries": check["positions"],
                "bytes": file.stat().st_size, "kept": file.stat().st_size <= MAX_BYTES and found["value"] != "unknown"}
        if not row["kept"]:
            file.unlink()
    print(json.dumps(row), flush=True)
    return row


def is_accepted(row):
    """Whether both checkers accept the certificate. Only a search that finds nothing needs none."""
    has_none = row["value"] == "unknown" and "bytes" not in row
    return has_none or (row.get("checked") and row.get("rechecked"))


def winner(row, black, expanded):
    """Who wins, as a link to the certificate if it is kept. White is to move at the start. `expanded` are
    the certificates that were checked without believing tables."""
    first, second = ("challenger", "victor") if black else ("victor", "challenger")
    if row["value"] == "unknown":
        bounds = {("draw", "win"): f"{first} or draw", ("loss", "draw"): f"{second} or draw"}
        return bounds.get((row["at_least"], row["at_most"]), "unknown")
    text = {"win": first, "draw": "draw", "loss": second}[row["value"]]
    file = f"{row['board']}-{row['rules']}.proof"
    text = f"[{text}](../../../data/proofs/vela/{file})" if row.get("kept") else text
    if not row.get("tables"):
        return text
    is_confirmed = f"vela/{row['board']}-{row['rules']}" in expanded
    return f"{text} (tables, confirmed)" if is_confirmed else f"{text} (tables)"


def table(result):
    rows = {(row["board"], row["rules"]): row for row in result["starts"]}
    expanded = confirmed()
    stones = range(1, max(BOARDS.values()))
    lines = ["| board | first turn | challenger must capture | no turn is a "
             f"| {' | '.join(map(str, stones))} |", "|---" * (4 + len(stones)) + "|"]
    for board, reading in itertools.product(BOARDS, READINGS):
        black, must_capture, draw = reading
        found = [rows.get((board, rules_of(reading, number))) for number in stones]
        cells = [board, "challenger" if black else "victor", "yes" if must_capture else "no",
                 "draw" if draw else "loss", *(winner(row, black, expanded) if row else "" for row in found)]
        lines.append(f"| {' | '.join(cells)} |")
    entries = [row["entries"] for row in result["starts"] if "entries" in row]
    searched = [row["nodes"] for row in result["starts"]]
    lines += ["", f"{len(searched)} searches of at most {max(searched):,} positions, and certificates of at most "
              f"{max(entries):,} entries; {result['seconds']:.0f} s with both checks; {result['machine']}; "
              f"{result['date']}."]
    return "\n".join(lines)


def write_table():
    """Writes the table of the page from data/proofs/vela.json."""
    replace_part("vela", table(json.loads((DATA / "vela.json").read_text())))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/fanorona")
    parser.add_argument("--recheck", default=ROOT / "target/release/fanorona-recheck")
    parser.add_argument("--machine", required=True, help="a description of the machine")
    parser.add_argument("--time", type=float, default=120, help="seconds for each search")
    parser.add_argument("--memory", type=int, default=1024, help="MiB for each search")
    parser.add_argument("--only", nargs=2, metavar=("BOARD", "RULES"), help="prove this start, and keep the others")
    parser.add_argument("--tables", help="a directory of tables, for --only")
    options = parser.parse_args()
    (DATA / "vela").mkdir(exist_ok=True)
    begin = time.monotonic()
    if options.only:
        result = json.loads((DATA / "vela.json").read_text())
        row = prove(options, *options.only)
        is_it = lambda other: [other["board"], other["rules"]] == options.only
        rows = [row if is_it(other) else other for other in result["starts"]]
        (DATA / "vela.json").write_text(json.dumps(result | {"starts": rows}, indent=2) + "\n")
        write_table()
        return 0 if is_accepted(row) else 1
    rows = [prove(options, board, rules_of(reading, stones))
            for board, most in BOARDS.items() for reading in READINGS for stones in range(1, most)]
    result = {"source": f"tools/prove_vela.py --time {options.time:g} --memory {options.memory}",
              "machine": options.machine, "date": datetime.date.today().isoformat(),
              "seconds": round(time.monotonic() - begin, 1), "starts": rows}
    (DATA / "vela.json").write_text(json.dumps(result, indent=2) + "\n")
    write_table()
    return 0 if all(map(is_accepted, rows)) else 1


if __name__ == "__main__":
    sys.exit(main())
