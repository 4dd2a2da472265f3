#!/usr/bin/env python3
"""Counts what the vela's first phase is worth, from tables: the challenger has all its stones, as in a game,
and the victor has more than the number that ends the phase. Builds the tables of small boards in a temporary
directory, compares the values of start positions with those that were proved (data/proofs/vela.json), and
writes data/tables/vela-first-phase.json and a part of crates/tablebase/docs/RESULTS.md.

    cargo build --release -p fanorona-cli
    python3 tools/vela_tables.py --machine "2 cores of an AMD EPYC, 24 GiB"

Needs Python 3.9 and less than a minute. Exits with status 1 if a
value differs from the proved one.

    python3 tools/vela_tables.py --machine "2 cores of an AMD EPYC, 24 GiB" --endgames DIR

counts the tables of the first phase of 9x5 that are in a directory instead, and writes
data/tables/vela-first-phase-9x5.json and another part of the page.
"""

import argparse
import datetime
import json
import subprocess
import sys
import tempfile

from prove_starts import DATA, ROOT, replace_part

PAGE = ROOT / "crates/tablebase/docs/RESULTS.md"
FILE = ROOT / "data/tables/vela-first-phase.json"
# The most stones of a side. 3x5 is 5x3, turned.
BOARDS = {"3x3": 4, "5x3": 7}
READINGS = (False, True)
ENDGAMES = ROOT / "data/tables/vela-first-phase-9x5.json"


def run(program, *arguments):
    command = [program, *map(str, arguments), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def counts(slice_, mover):
    """The challenger's wins, draws and losses in a slice."""
    win, draw, loss = (slice_[key] for key in ("win", "draw", "loss"))
    return {"to_move": mover, "win": win, "draw": draw, "loss": loss} if mover == "challenger" else {
        "to_move": mover, "win": loss, "draw": draw, "loss": win}


def rules_of(stones, must_capture, black=False):
    """The name of a rule set. `black` says whether Black is the victor."""
    return "+".join(["vela", *["victor-black"] * black, f"stones-{stones}", *["must-capture"] * must_capture])


def starts_of(program, board, stones, must_capture, directory):
    """The value of the start position if White is the victor, and if Black is."""
    for black in (False, True):
        rules = rules_of(stones, must_capture, black)
        found = run(program, "probe", "--board", board, "--rules", rules, "--tables", directory)
        yield {"board": board, "rules": rules, "value": found["value"]}


def differing(starts):
    """The start positions whose proved value is another one."""
    proved = json.loads((DATA / "vela.json").read_text())["starts"]
    proved = {(row["board"], row["rules"]): row["value"] for row in proved}
    known = lambda row: proved.get((row["board"], row["rules"]), "unknown")
    return [row for row in starts if known(row) not in (row["value"], "unknown")]


def rows_of(program, board, most, stones, must_capture, directory):
    """A row for each number of the victor's stones and each side to move. `stones` is the number that ends the
    first phase; if it is `most`, the game is free-capture from the start."""
    rules = rules_of(stones, must_capture)
    built = run(program, "build", "--board", board, "--rules", rules, "--slice", f"{most}v{most}",
                "--metric", "wdl", "--tables", directory)["slices"]
    for slice_ in built:
        for mover in ("victor", "challenger"):
            victor, challenger = ("own", "opponent") if mover == "victor" else ("opponent", "own")
            if slice_[challenger] != most or slice_.get("role", mover) != mover:
                continue
            # In the second phase, all numbers of stones that end the first one give the same counts.
            if "role" in slice_ or stones == most:
                row = {"board": board, "ends_at": stones, "must_capture": must_capture,
                       "victor": slice_[victor], "challenger": most}
                yield row | counts(slice_, mover)


def score(rows):
    """The challenger's points for each position, in percent: a win is one point, a draw half of one."""
    sums = [sum(row[key] for row in rows) for key in ("win", "draw", "loss")]
    return f"{100 * (sums[0] + sums[1] / 2) / sum(sums):.1f}"


def table(rows, board, most, must_capture):
    """The table of a board and a reading: a row for each number of the victor's stones."""
    head = ["victor's stones", "second phase", *(f"first phase, to {stones}" for stones in range(1, most))]
    lines = [f"| {' | '.join(head)} |", f"|{'---:|' * len(head)}"]
    for victor in range(most, 0, -1):
        cells = [str(victor)]
        for stones in (most, *range(1, most)):
            found = [row for row in rows if (row["board"], row["ends_at"], row["victor"]) == (board, stones, victor)
                     and (stones == most or row["must_capture"] == must_capture)]
            is_first_phase = stones < victor
            cells.append(score(found) if is_first_phase or stones == most else "")
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def page_part(rows):
    parts = []
    for board, most in BOARDS.items():
        for must_capture in READINGS:
            duty = "must capture" if must_capture else "need not capture"
            parts.append(f"{board}, {most} stones of the challenger, who {duty}:\n\n"
                         + table(rows, board, most, must_capture))
    return "\n\n".join(parts)


def endgames(program, directory):
    """A row for each table of the first phase of 9x5 in a directory."""
    found = run(program, "tables", "--rules", "vela", "--tables", directory)["slices"]
    for slice_ in found:
        if "role" in slice_ and slice_["metric"] == "wdl":
            mover = slice_["role"]
            victor, challenger = ("own", "opponent") if mover == "victor" else ("opponent", "own")
            row = {"board": "9x5", "ends_at": 5, "must_capture": False,
                   "victor": slice_[victor], "challenger": slice_[challenger]}
            yield row | counts(slice_, mover) | {key: slice_[key] for key in ("zugzwang", "bytes", "checksum")}


def endgames_part(rows):
    lines = ["| victor's stones | challenger's stones | to move | challenger wins | draws | victor wins "
             "| challenger's score | bytes |", f"|---:|---:|---|{'---:|' * 5}"]
    for row in rows:
        cells = [row["victor"], row["challenger"], row["to_move"],
                 *(f"{row[key]:,}" for key in ("win", "draw", "loss")), score([row]), f"{row['bytes']:,}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def write(path, source, machine, **lists):
    head = {
        "source": f"{source}; counted by tools/vela_tables.py",
        "date": datetime.date.today().isoformat(),
        "machine": machine,
        "counted": "the challenger's wins, draws and losses over all placements",
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    texts = [f'  "{name}": [\n' + ",\n".join("    " + json.dumps(row) for row in found) + "\n  ]"
             for name, found in lists.items()]
    path.write_text("{\n" + "\n".join(lines) + "\n" + ",\n".join(texts) + "\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=str(ROOT / "target/release/fanorona"))
    parser.add_argument("--machine", required=True, help="for the record")
    parser.add_argument("--tables", help="directory of the tables, which are kept; default: a temporary one")
    parser.add_argument("--endgames", help="directory of tables of 9x5 that are counted instead")
    options = parser.parse_args()
    if options.endgames:
        rows = list(endgames(options.program, options.endgames))
        most = max(f"{row['victor']}v{row['challenger']}" for row in rows)
        write(ENDGAMES, f"fanorona build --rules vela --metric wdl --slice of each pair of numbers, as {most}",
              options.machine, rows=rows)
        replace_part("vela-9x5", endgames_part(rows), PAGE)
        print(f"{ENDGAMES.relative_to(ROOT)}: {len(rows)} rows")
        return 0
    rows, starts = [], []
    for board, most in BOARDS.items():
        with tempfile.TemporaryDirectory() as temporary:
            directory = options.tables or temporary
            for must_capture in READINGS:
                for stones in range(1, most):
                    rows += rows_of(options.program, board, most, stones, must_capture, directory)
                    starts += starts_of(options.program, board, stones, must_capture, directory)
            rows += rows_of(options.program, board, most, most, False, directory)
    write(FILE, "fanorona build --metric wdl of all slices that the start position can lead to",
          options.machine, starts=starts, rows=rows)
    replace_part("vela", page_part(rows), PAGE)
    wrong = differing(starts)
    print(f"{FILE.relative_to(ROOT)}: {len(rows)} rows, {len(starts)} starts, proved otherwise: {wrong}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
