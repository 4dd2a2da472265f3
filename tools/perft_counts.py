#!/usr/bin/env python3
"""Counts with `fanorona perft` and `stats`, and writes the counts into data/perft and crates/perft/docs/STARTS.md.

    cargo build --release -p fanorona-cli
    python3 tools/perft_counts.py starts --minutes 60 --machine "2 cores of an AMD EPYC, 24 GiB"
    python3 tools/perft_counts.py starts --minutes 20 --boards 9x5 --hash 1024 --machine "..."
    python3 tools/perft_counts.py deep --rules vela --depth 9 --machine "..."
    python3 tools/perft_counts.py suites data/perft/*.perft
    python3 tools/perft_counts.py pages --check

Each subcommand has --help. Needs Python 3.11. Exits with status 1 if counts contradict each other or a page
differs.
"""

import datetime
import json
import sys
import time

from common import ROOT, answer, commands, fill, table, write_lines

STARTS = ROOT / "data/perft/starts.json"
DEEP = ROOT / "data/perft/deep.json"
PAGE = ROOT / "crates/perft/docs/STARTS.md"

BOARDS = {"3x3": "Telo", "5x3": None, "3x5": None, "5x5": "Dimy", "7x5": None, "9x5": "Tsivy"}
COLUMNS = ["turns", "positions", "unique", "canonical", "captures", "longest_relay"]
DECREASING = COLUMNS[:4]
# On 3x3, further depths take almost no time and show nothing new.
DEEPEST = 30
# The page shows the counts to this depth.
SHOWN = 10

# The largest count of an entry of a suite. With these, checking all suites takes well under a minute.
SUITE_LIMITS = {"turns": 20_000_000, "steps": 20_000_000, "positions": 5_000_000, "unique": 2_000_000}
# Counts that grow slowly, as on 3x3, would otherwise go very deep.
SUITE_DEEPEST = 20


def growth(counts):
    """The predicted ratio of the next count to the last one: the larger of the last two ratios, because the two
    sides can have very different numbers of turns. The first count is that of depth 0."""
    return max((after / before for before, after in zip(counts[-3:], counts[-2:])), default=1)


class Task:
    """One way of counting on one board, depth after depth."""

    def __init__(self, options, board, kind):
        self.program, self.board, self.kind = options.program, board, kind
        room = options.memory if kind == "unique" else options.hash
        self.words = ["stats", "--depth"] if kind == "stats" else ["perft", "--count", kind, "--hash", room]
        self.depth, self.seconds = 0, 0.0
        self.nodes = [1]

    def next_seconds(self):
        return self.seconds * growth(self.nodes)

    def next(self):
        """Counts one depth more and returns the report, which has all depths up to it."""
        started = time.monotonic()
        report = answer(self.program, *self.words, self.depth + 1, "--board", self.board)
        self.seconds = time.monotonic() - started
        self.depth += 1
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
                sys.exit(f"{place}: {column} is both {row[column]} and {value}")
        counts = [row[column] for column in DECREASING if column in row]
        if counts != sorted(counts, reverse=True):
            sys.exit(f"{place}: {', '.join(DECREASING)} must not increase: {counts}")


def save_starts(boards):
    """Writes the counts, if each board has some."""
    if all("position" in board for board in boards):
        write_lines(STARTS, {
            "source": "fanorona perft and fanorona stats, which lists every turn, run by tools/perft_counts.py starts",
            "rules": "standard",
            "boards": [{
                **{key: board[key] for key in ("board", "position", "counted")},
                "depths": [{"depth": depth, **{column: row[column] for column in COLUMNS if column in row}}
                           for depth, row in sorted(board["rows"].items())],
            } for board in boards],
        })
        write_page()


def starts(options):
    """Counts the start positions of six boards. The cheapest count comes next, whatever its board and kind, until
    no remaining count fits into the time. The limit is depth 30. The time for a depth is predicted from the depth
    before. Finished counts are kept, also after Ctrl-C. With --boards, counts are added to those in the file."""
    end = time.monotonic() + 60 * options.minutes
    boards = {board: {"board": board, "counted": [], "rows": {}} for board in BOARDS}
    if options.boards:
        for board in json.loads(STARTS.read_text())["boards"]:
            rows = {row.pop("depth"): row for row in board.pop("depths")}
            boards[board["board"]] = {**board, "rows": rows}
    limits = [f"--{name} {getattr(options, name):g}" for name in ("minutes", "memory", "hash")]
    command = " ".join(["tools/perft_counts.py starts", *limits, *(["--boards", *options.boards] if options.boards else [])])
    chosen = options.boards or BOARDS
    for board in chosen:
        boards[board]["counted"].append(f"`{command}` on {options.machine}, {datetime.date.today()}")
    tasks = [Task(options, board, kind) for board in chosen for kind in ("turns", "positions", "unique", "stats")]
    try:
        while tasks:
            task = min(tasks, key=Task.next_seconds)
            if task.next_seconds() > end - time.monotonic() or task.depth == DEEPEST:
                tasks.remove(task)
                continue
            take(boards[task.board], task.kind, task.next())
            print(f"{task.board} {task.kind} {task.depth}: {task.nodes[-1]:,}, {task.seconds:.1f} s", file=sys.stderr)
            save_starts(boards.values())
    except KeyboardInterrupt:
        sys.exit("interrupted; finished counts are kept")
    return True


def starts_part():
    """The tables, one for each board, to depth SHOWN."""
    boards = json.loads(STARTS.read_text())["boards"]
    columns = [column for column in COLUMNS if any(column in row for board in boards for row in board["depths"])]
    parts = []
    for board in boards:
        name = BOARDS[board["board"]]
        rows = ([row["depth"], *(f"{row[column]:,}" if column in row else "" for column in columns)]
                for row in board["depths"] if row["depth"] <= SHOWN)
        heads = ["depth>", *(f"{column.replace('_', ' ')}>" for column in columns)]
        parts += [f"### {board['board']}{f', {name}' if name else ''}", f"`{board['position']}`", table(heads, rows)]
    return "\n" + "\n\n".join(parts) + "\n"


def sums(entry):
    """The counts of an entry of deep.json by depth, from 1."""
    by_turn = [turn["nodes"] for turn in entry["turns"]]
    return [len(by_turn)] + [sum(row) for row in zip(*by_turn)]


def contradictions(entries):
    """What is wrong with the entries of deep.json."""
    boards = {board["board"]: board["depths"] for board in json.loads(STARTS.read_text())["boards"]}
    known = {row["depth"]: row["turns"] for row in boards["9x5"] if "turns" in row}
    for entry in entries:
        if len({len(turn["nodes"]) for turn in entry["turns"]}) != 1:
            yield f"{entry['rules']}: the first turns have counts to different depths"
        for depth, nodes in enumerate(sums(entry), start=1):
            if entry["rules"] == "standard" and known.get(depth, nodes) != nodes:
                yield f"standard, depth {depth}: {nodes} turns, but {known[depth]} in {STARTS.name}"


def count_deep(options):
    """The entry of the rules, with a run for each first turn. Finished runs are kept in a file."""
    partial = DEEP.with_suffix(f".{options.rules}-{options.depth}.partial")
    settings = {"rules": options.rules, "depth": options.depth}
    kept = json.loads(partial.read_text()) if partial.exists() else {}
    if {key: kept.get(key) for key in settings} != settings:
        kept = {**settings, "turns": {}}
    turns = [turn["turn"] for turn in answer(options.program, "moves", "--rules", options.rules)["turns"]]
    turns = [turn for turn in turns if options.only is None or turn in options.only]
    for turn in turns:
        if turn in kept["turns"]:
            continue
        report = answer(options.program, "perft", options.depth - 1, "--rules", options.rules, "--after", turn,
                        "--hash", options.hash)
        kept["turns"][turn] = [int(row["nodes"]) for row in report["depths"]]
        partial.write_text(json.dumps(kept) + "\n")
        print(f"{options.rules} {turn}: {kept['turns'][turn][-1]:,}", file=sys.stderr)
    partial.unlink(missing_ok=True)
    return {
        "rules": options.rules,
        "counted": f"{options.machine}, {datetime.date.today()}",
        "turns": [{"turn": turn, "nodes": kept["turns"][turn]} for turn in turns],
    }


def combined(old, new):
    """The deeper of two entries of the same rules, or the old one, if both are as deep and agree."""
    if len(sums(old)) != len(sums(new)):
        return max(old, new, key=lambda entry: len(sums(entry)))
    before = {turn["turn"]: turn["nodes"] for turn in old["turns"]}
    for turn in new["turns"]:
        if turn["nodes"] != before[turn["turn"]]:
            sys.exit(f"{old['rules']} {turn['turn']}: {turn['nodes']}, but {before[turn['turn']]} before")
    return old


def deep(options):
    """Counts the turns of the start position of 9x5 deeply. Each first turn is one run of `fanorona perft`, so an
    interrupted count goes on with the first turn that is missing. A count replaces one of the same rules if it is
    deeper. One of the same depth must be equal; with --only, the other first turns stay as they are."""
    entries = json.loads(DEEP.read_text())["counts"]
    same = [entry for entry in entries if entry["rules"] == options.rules]
    if options.depth < 2 or options.only and [len(sums(entry)) for entry in same] != [options.depth]:
        sys.exit("--depth must be at least 2; --only needs a count of the other first turns to this depth")
    entry = count_deep(options)
    entries = [other for other in entries if other["rules"] != options.rules]
    entries.append(combined(same[0], entry) if same else entry)
    entries.sort(key=lambda entry: (entry["rules"] != "standard", entry["rules"]))
    wrong = list(contradictions(entries))
    if wrong:
        sys.exit("\n".join(wrong))
    source = "fanorona perft, one run for each first turn of the start of 9x5, by tools/perft_counts.py deep"
    write_lines(DEEP, {"source": source, "board": "9x5", "counts": entries})
    return write_page()


def deep_part(entries):
    """A table of all rule sets by depth, and a list of how they were counted."""
    columns = {entry["rules"]: sums(entry) for entry in entries}
    rows = ([depth + 1, *(f"{nodes[depth]:,}" if depth < len(nodes) else "" for nodes in columns.values())]
            for depth in range(max(map(len, columns.values()))))
    lines = [table(["depth>", *(f"`{rules}`>" for rules in columns)], rows), ""]
    for entry in entries:
        lines.append(f"- `{entry['rules']}`: {entry['counted']}.")
    return "\n" + "\n".join(lines) + "\n"


def write_page(check=False):
    """Writes the tables of the page, or with `check` only compares them. Returns whether it has them now."""
    parts = {"starts": starts_part(), "deep": deep_part(json.loads(DEEP.read_text())["counts"])}
    return fill(PAGE, parts, check)


def pages(options):
    """Writes the tables of the page again from data/perft, or with --check only compares them, and checks sums."""
    wrong = list(contradictions(json.loads(DEEP.read_text())["counts"]))
    print("\n".join(wrong), end="\n" if wrong else "")
    return write_page(options.check) and not wrong


def depths(program, entry, *words):
    """The rows of a report about an entry of a suite, by depth. They are fewer if the game ends before."""
    report = answer(program, *words, entry.fields["position"], "--board", entry.position.board.name,
                    "--rules", entry.fields["rules"])
    return {row["depth"]: row for row in report["depths"]}


def deepen(program, entry, limit):
    """Adds depths; returns whether the program agrees with all existing counts."""
    while 0 not in entry.counts.values() and max(entry.counts) < SUITE_DEEPEST:
        counts = [1, *(entry.counts[depth] for depth in sorted(entry.counts) if depth)]
        if counts[-1] * growth(counts) > 4 * limit:
            break
        found = depths(program, entry, "perft", "--count", entry.fields["count"], max(entry.counts) + 1)
        found = {depth: int(row["nodes"]) for depth, row in found.items()}
        if any(found[depth] != nodes for depth, nodes in entry.counts.items()):
            print(f"{entry.fields['id']}: {entry.counts} in the file, {found} found")
            return False
        if found[max(found)] > limit:
            break
        entry.counts = found
    return True


def listed(program, entry):
    """Whether listing all turns gives the same counts."""
    found = depths(program, entry, "stats", "--depth", max(entry.counts))
    found = {depth: row["turns"] for depth, row in found.items()}
    if found != entry.counts:
        print(f"{entry.fields['id']}: perft counts {entry.counts}, stats lists {found}")
    return found == entry.counts


def suites(options):
    """Adds deeper counts to suite files. Each entry gets all further depths whose counts are within a limit, one for
    each kind of count. The line `reference` is not changed: it is the deepest depth that tools/reference has
    counted. With --list it adds nothing, and compares the existing counts of `turns` with `fanorona stats`, which
    lists every turn, while `fanorona perft` counts many at once."""
    sys.path.insert(0, str(ROOT / "tools/reference"))
    from suite import read_suite, write_suite

    right = True
    for path in options.files:
        head, entries = read_suite(path)
        for entry in entries:
            counting = entry.fields["count"]
            if not options.list:
                right &= deepen(options.program, entry, SUITE_LIMITS[counting])
            elif counting == "turns":
                right &= listed(options.program, entry)
        if not options.list:
            write_suite(path, head, entries)
        print(f"{path}: {sum(len(entry.counts) for entry in entries)} counts of {len(entries)} positions")
    return right


def main():
    parser, command = commands(__doc__)
    sub = command(starts)
    sub.add_argument("--minutes", type=float, required=True, help="the time for all counts together")
    sub.add_argument("--machine", required=True, help="a description of the machine")
    sub.add_argument("--memory", type=int, default=1024, help="MiB for lists of unique positions; more go to disk")
    sub.add_argument("--hash", type=int, default=64, help="MiB for the hash table; default: 64")
    sub.add_argument("--boards", nargs="+", choices=BOARDS, help="default: all, counted from the beginning")

    sub = command(deep)
    sub.add_argument("--rules", default="standard", help="a rule set; default: standard")
    sub.add_argument("--depth", type=int, required=True, help="at least 2")
    sub.add_argument("--machine", required=True, help="a description of the machine")
    sub.add_argument("--hash", type=int, default=1024, help="MiB for the hash table; default: 1024")
    sub.add_argument("--only", nargs="+", metavar="TURN", help="count these first turns; default: all")

    sub = command(suites)
    sub.add_argument("files", nargs="+")
    sub.add_argument("--list", action="store_true", help="add nothing, compare with lists of turns")

    command(pages).add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    return 0 if options.run(options) else 1


if __name__ == "__main__":
    sys.exit(main())
