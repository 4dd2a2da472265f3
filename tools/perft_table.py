#!/usr/bin/env python3
"""Counts the start positions of six boards and writes data/perft/starts.json and the tables in
crates/perft/docs/STARTS.md.

    cargo build --release -p fanorona-cli
    python3 tools/perft_table.py --minutes 60 --machine "2 cores of an AMD EPYC, 24 GiB"
    python3 tools/perft_table.py --minutes 20 --boards 9x5 --hash 1024 --machine "..."
    python3 tools/perft_table.py --check

The cheapest count comes next, whatever its board and kind, until no remaining count fits into the time.
The limit is depth 30. The time for a depth is predicted from the depth before. Finished counts are kept,
also after Ctrl-C. With --boards, counts are added to those in the file. Unique positions that do not fit
into --memory are sorted on disk. --check counts nothing; it checks that the page agrees with the file.

Needs Python 3.9. Exits with status 1 if counts contradict each other, if a command fails, or if the page
differs.
"""

import argparse
import datetime
import json
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data/perft/starts.json"
PAGE = ROOT / "crates/perft/docs/STARTS.md"
BEGIN, END = "<!-- tools/perft_table.py: begin -->\n", "<!-- tools/perft_table.py: end -->\n"

BOARDS = ["3x3", "5x3", "3x5", "5x5", "7x5", "9x5"]
NAMES = {"3x3": "Telo", "5x5": "Dimy", "9x5": "Tsivy"}
COUNTINGS = ["turns", "positions", "unique"]
COLUMNS = ["turns", "positions", "unique", "canonical", "captures", "longest_relay"]
DECREASING = COLUMNS[:4]

# On 3x3, further depths take almost no time and show nothing new.
DEEPEST = 30


class Contradiction(Exception):
    """Two counts that cannot both be right."""


class Task:
    """One way of counting on one board, depth after depth."""

    def __init__(self, args, board, kind):
        self.program, self.board, self.kind = args.program, board, kind
        if kind == "stats":
            self.words = ["stats"]
        else:
            room = ["--memory", str(args.memory)] if kind == "unique" else ["--hash", str(args.hash)]
            self.words = ["perft", "--count", kind, *room]
        self.depth, self.seconds = 0, 0.0
        self.nodes = [1]

    def command(self, depth):
        return [self.program, *self.words, "--board", self.board, "--depth", str(depth), "--json"]

    def growth(self):
        """The predicted ratio of the next count to this one: the larger of the last two ratios, because the
        two sides can have very different numbers of turns."""
        ratios = [after / before for before, after in zip(self.nodes[-3:], self.nodes[-2:])]
        return max(ratios, default=1)

    def next_seconds(self):
        return self.seconds * self.growth()

    def next(self):
        """Counts one depth more and returns the report, which has all depths up to it."""
        started = time.monotonic()
        output = subprocess.run(self.command(self.depth + 1), check=True, stdout=subprocess.PIPE, text=True)
        self.seconds = time.monotonic() - started
        self.depth += 1
        report = json.loads(output.stdout)
        key = "turns" if self.kind == "stats" else "nodes"
        self.nodes = [1] + [int(row[key]) for row in report["depths"]]
        return report


def cells(kind, found):
    """The values in a report's row, by column."""
    if kind == "unique":
        return {kind: int(found["nodes"]), "canonical": int(found["canonical"])}
    if kind != "stats":
        return {kind: int(found["nodes"])}
    longest = max(map(int, found["relay_lengths"]), default=0)
    return {"turns": found["turns"], "captures": found["captures"], "longest_relay": longest}


def take(board, kind, report):
    """Adds a report's counts to the rows of its board. A count that is already there must be equal, and
    turns >= positions >= unique >= canonical must hold."""
    board["position"] = report["position"]
    for found in report["depths"]:
        row = board["rows"].setdefault(found["depth"], {})
        place = f"{board['board']}, depth {found['depth']}"
        for column, value in cells(kind, found).items():
            if row.setdefault(column, value) != value:
                raise Contradiction(f"{place}: {column} is both {row[column]} and {value}")
        counts = [row[column] for column in DECREASING if column in row]
        if counts != sorted(counts, reverse=True):
            raise Contradiction(f"{place}: {', '.join(DECREASING)} must not increase: {counts}")


def count(args, save):
    """Counts until the time is up and calls `save` with the boards after every depth."""
    end = time.monotonic() + 60 * args.minutes
    boards = {board: {"board": board, "counted": [], "rows": {}} for board in BOARDS}
    if args.boards:
        for board in json.loads(DATA.read_text())["boards"]:
            rows = {row.pop("depth"): row for row in board.pop("depths")}
            boards[board["board"]] = {**board, "rows": rows}
    for board in args.boards or BOARDS:
        boards[board]["counted"].append(args.counted)
    tasks = [Task(args, board, kind) for board in args.boards or BOARDS for kind in [*COUNTINGS, "stats"]]
    while tasks:
        task = min(tasks, key=Task.next_seconds)
        too_long = task.next_seconds() > end - time.monotonic()
        if too_long or task.depth == DEEPEST:
            tasks.remove(task)
            continue
        take(boards[task.board], task.kind, task.next())
        print(f"{task.board} {task.kind} {task.depth}: {task.nodes[-1]:,}, {task.seconds:.1f} s", file=sys.stderr)
        save(list(boards.values()))


def data_text(head, boards):
    """JSON with a line for each depth."""
    parts = []
    for board in boards:
        lines = []
        for depth, row in sorted(board["rows"].items()):
            in_order = {column: row[column] for column in COLUMNS if column in row}
            lines.append("      " + json.dumps({"depth": depth, **in_order}))
        opening = json.dumps({key: board[key] for key in ("board", "position", "counted")})[:-1]
        parts.append(f'    {opening}, "depths": [\n' + ",\n".join(lines) + "\n    ]}")
    return json.dumps(head, indent=2)[:-2] + ',\n  "boards": [\n' + ",\n".join(parts) + "\n  ]\n}\n"


def page_text(data):
    """The tables, one for each board."""
    lines = []
    rows = [row for board in data["boards"] for row in board["depths"]]
    columns = [column for column in COLUMNS if any(column in row for row in rows)]
    for board in data["boards"]:
        name = NAMES.get(board["board"])
        title = f"{board['board']}, {name}" if name else board["board"]
        lines += [f"### {title}", "", f"`{board['position']}`", ""]
        lines += ["| depth | " + " | ".join(columns).replace("_", " ") + " |"]
        lines += ["|--:" * (len(columns) + 1) + "|"]
        for row in board["depths"]:
            counts = [f"{row[column]:,}" if column in row else "" for column in columns]
            lines.append(f"| {row['depth']} | " + " | ".join(counts) + " |")
        lines += ["", f"Source: {'; '.join(board['counted'])}.", ""]
    return "\n".join(lines)


def page_with(text, begin=BEGIN, end=END):
    """The page with this text between two markers."""
    page = PAGE.read_text(encoding="utf-8")
    before, found, rest = page.partition(begin)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{PAGE.relative_to(ROOT)}: missing '{begin.strip()}' or '{end.strip()}'")
    return f"{before}{begin}\n{text}\n{end}{after}"


def limits(args):
    """The arguments that the numbers depend on."""
    values = {"--minutes": args.minutes, "--memory": args.memory, "--hash": args.hash}
    boards = ["--boards", *args.boards] if args.boards else []
    return [f"{name} {value:g}" for name, value in values.items()] + boards


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--program", default=ROOT / "target/release/fanorona", help="default: the release build")
    parser.add_argument("--minutes", type=float, help="the time for all counts together")
    parser.add_argument("--machine", help="a description of the machine")
    parser.add_argument("--memory", type=int, default=1024, help="MiB for the lists of `unique` positions; default: 1024")
    parser.add_argument("--hash", type=int, default=64, help="MiB for the hash table; default: 64")
    parser.add_argument("--check", action="store_true", help="only check that the page agrees with the data")
    parser.add_argument("--boards", nargs="+", choices=BOARDS, help="default: all, counted from the beginning")
    args = parser.parse_args()
    if args.check:
        if PAGE.read_text(encoding="utf-8") == page_with(page_text(json.loads(DATA.read_text()))):
            return 0
        print(f"{PAGE.relative_to(ROOT)} differs from {DATA.relative_to(ROOT)}")
        return 1
    if args.minutes is None or args.machine is None:
        parser.error("--minutes and --machine are needed")

    head = {
        "source": "fanorona perft and fanorona stats, which lists every turn, run by tools/perft_table.py",
        "rules": "standard",
    }
    command = " ".join(["tools/perft_table.py", *limits(args)])
    args.counted = f"`{command}` on {args.machine}, {datetime.date.today()}"

    def save(boards):
        if all("position" in board for board in boards):
            text = data_text(head, boards)
            DATA.write_text(text, encoding="utf-8")
            PAGE.write_text(page_with(page_text(json.loads(text))), encoding="utf-8")

    try:
        count(args, save)
    except KeyboardInterrupt:
        print("interrupted; finished counts are kept", file=sys.stderr)
        return 130
    except (Contradiction, subprocess.CalledProcessError) as error:
        print(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
