#!/usr/bin/env python3
"""Records the counts of built tables in data/tables and in crates/tablebase/docs/RESULTS.md, and checks them.

    python3 tools/table_counts.py record --tables DIR --metric wdl \\
        --source "fanorona build --stones 8 --metric wdl, 2026-11-21"
    python3 tools/table_counts.py vela --machine "2 cores of an AMD EPYC, 24 GiB"
    python3 tools/table_counts.py endgames --tables DIR --machine "..."
    python3 tools/table_counts.py check

Each subcommand has --help. Needs Python 3.9. Exits with status 1 if something differs.
"""

import datetime
import json
import sys
import tempfile
from math import comb

from common import ROOT, answer, commands, fill, table, write_lines

DATA = ROOT / "data/tables"
PAGE = ROOT / "crates/tablebase/docs/RESULTS.md"
VELA = DATA / "vela-first-phase.json"
ENDGAMES = DATA / "vela-first-phase-9x5.json"
FIELDS = (
    "own", "opponent", "positions", "win", "draw", "loss", "max_win", "max_loss",
    "max_win_position", "max_loss_position", "zugzwangs", "bytes", "checksum",
    "win_distances", "loss_distances",
)
COMPARED = ("win", "draw", "loss", "max_win", "max_loss", "win_distances", "loss_distances", "zugzwangs")
# For the vela: the most stones of a side. 3x5 is 5x3, turned. The page shows the larger board.
BOARDS = {"3x3": 4, "5x3": 7}
SHOWN = "5x3"


def read(path):
    return json.loads(path.read_text())


def slices_part(wdl, dtw):
    """A row for each slice of 9x5, with distances where they are known."""
    number = lambda value: "–" if value is None else f"{value:,}"
    known = {(each["own"], each["opponent"]): each for each in dtw}
    rows = []
    for each in wdl:
        far = known.get((each["own"], each["opponent"]))
        longest = [number(far[key]) for key in ("max_win", "max_loss")] if far else ["", ""]
        rows.append([f"{each['own']}v{each['opponent']}", *(number(each[key]) for key in ("win", "draw", "loss")),
                     *longest, *(number(each["zugzwangs"][key]) for key in ("total", "full"))])
    return table(["slice", "win>", "draw>", "loss>", "longest win>", "longest loss>", "zugzwangs>", "full>"], rows)


def stones_part(slices):
    """A row for each number of stones: its positions, and their values in percent."""
    rows = []
    for stones in sorted({each["own"] + each["opponent"] for each in slices}):
        same = [each for each in slices if each["own"] + each["opponent"] == stones]
        total = lambda key: sum(each[key] for each in same)
        shares = (f"{100 * total(key) / total('positions'):.2f}" for key in ("win", "draw", "loss"))
        rows.append([stones, f"{total('positions'):,}", *shares, f"{total('bytes'):,}"])
    return table(["stones>", "positions>", "win>", "draw>", "loss>", "bytes>"], rows)


def complete(points, slices):
    """The number of stones up to which all slices are there, given by their numbers of stones."""
    sides = range(1, (points - 1) // 2 + 1)
    missing = {(own, opponent) for own in sides for opponent in sides} - slices.keys()
    return min(map(sum, missing), default=points) - 1


def record(options):
    """Writes data/tables/BOARD-RULES-METRIC.json and the page, from the tables in a directory. Recorded slices whose
    tables are not in it stay."""
    found = answer(options.program, "tables", "--tables", options.tables, "--board", options.board,
                   "--rules", options.rules)["slices"]
    path = DATA / f"{options.board}-{options.rules}-{options.metric}.json"
    old = read(path) if path.exists() else {"slices": []}
    known = {(each["own"], each["opponent"]): each for each in old["slices"]}
    for each in found:
        if each["metric"] == options.metric:
            known[each["own"], each["opponent"]] = {key: each[key] for key in FIELDS if key in each}
    width, height = map(int, options.board.split("x"))
    write_lines(path, {
        "source": options.source + "; crates/tablebase/docs/RESULTS.md says how it was checked",
        "board": options.board,
        "rules": options.rules,
        "metric": options.metric,
        "stones": complete(width * height, known),
        "slices": sorted(known.values(), key=lambda each: (each["own"] + each["opponent"],
                                                           max(each["own"], each["opponent"]), -each["own"])),
    })
    print(f"{path.relative_to(ROOT)}: {len(known)} slices")
    return write_page() and check(options)


def vela_rules(stones, must_capture, black=False):
    """The name of a rule set. `black` says whether Black is the victor."""
    return "+".join(["vela", *["victor-black"] * black, f"stones-{stones}", *["must-capture"] * must_capture])


def vela_row(board, slice_, mover, ends_at, must_capture):
    """The challenger's wins, draws and losses in a slice."""
    victor, challenger = ("own", "opponent") if mover == "victor" else ("opponent", "own")
    win, loss = ("loss", "win") if mover == "victor" else ("win", "loss")
    return {"board": board, "ends_at": ends_at, "must_capture": must_capture, "victor": slice_[victor],
            "challenger": slice_[challenger], "to_move": mover, "win": slice_[win], "draw": slice_["draw"],
            "loss": slice_[loss]}


def vela_rows(program, board, most, stones, must_capture, directory):
    """A row for each number of the victor's stones and each side to move. `stones` is the number that ends the
    first phase; if it is `most`, the game is free-capture from the start."""
    built = answer(program, "build", "--board", board, "--rules", vela_rules(stones, must_capture),
                   "--slice", f"{most}v{most}", "--metric", "wdl", "--tables", directory)["slices"]
    for slice_ in built:
        for mover in ("victor", "challenger"):
            row = vela_row(board, slice_, mover, stones, must_capture)
            # In the second phase, all numbers of stones that end the first one give the same counts.
            is_asked = "role" in slice_ or stones == most
            if row["challenger"] == most and slice_.get("role", mover) == mover and is_asked:
                yield row


def score(rows):
    """The challenger's points for each position, in percent: a win is one point, a draw half of one."""
    win, draw, loss = (sum(row[key] for row in rows) for key in ("win", "draw", "loss"))
    return f"{100 * (win + draw / 2) / (win + draw + loss):.1f}"


def vela_part(rows):
    """For each reading a table, with a row for each number of the victor's stones."""
    parts, most = [], BOARDS[SHOWN]
    for must_capture in (False, True):
        def cell(victor, stones):
            found = [row for row in rows if (row["board"], row["ends_at"], row["victor"]) == (SHOWN, stones, victor)
                     and (stones == most or row["must_capture"] == must_capture)]
            return score(found) if stones < victor or stones == most else ""

        duty = "must capture" if must_capture else "need not capture"
        columns = ["victor's stones>", "second phase>", *(f"first phase, to {stones}>" for stones in range(1, most))]
        lines = ([victor, *(cell(victor, stones) for stones in (most, *range(1, most)))]
                 for victor in range(most, 0, -1))
        parts.append(f"{SHOWN}, {most} stones of the challenger, who {duty}:\n\n{table(columns, lines)}")
    return "\n\n".join(parts)


def write_vela(path, source, machine, **lists):
    write_lines(path, {
        "source": f"{source}; counted by tools/table_counts.py",
        "date": datetime.date.today().isoformat(),
        "machine": machine,
        "counted": "the challenger's wins, draws and losses over all placements",
        **lists,
    })
    print(f"{path.relative_to(ROOT)}: {len(lists['rows'])} rows")


def vela(options):
    """Counts what the first phase of the vela is worth: the challenger has all its stones, as in a game, and the
    victor has more than the number that ends the phase. Builds the tables of small boards, which takes less than a
    minute, and writes data/tables/vela-first-phase.json and the page. The values of the start positions must be
    those that were proved (data/proofs/vela.json)."""
    rows, starts = [], []
    for board, most in BOARDS.items():
        with tempfile.TemporaryDirectory() as temporary:
            directory = options.tables or temporary
            for must_capture in (False, True):
                for stones in range(1, most):
                    rows += vela_rows(options.program, board, most, stones, must_capture, directory)
                    for rules in (vela_rules(stones, must_capture, black) for black in (False, True)):
                        found = answer(options.program, "probe", "--board", board, "--rules", rules, "--tables", directory)
                        starts.append({"board": board, "rules": rules, "value": found["value"]})
            rows += vela_rows(options.program, board, most, most, False, directory)
    write_vela(VELA, "fanorona build --metric wdl of all slices that the start position can lead to",
               options.machine, starts=starts, rows=rows)
    return write_page() and check(options)


def endgames(options):
    """Counts the tables of the first phase of the vela on 9x5 that are in a directory, and writes
    data/tables/vela-first-phase-9x5.json."""
    found = answer(options.program, "tables", "--rules", "vela", "--tables", options.tables)["slices"]
    rows = [vela_row("9x5", each, each["role"], 5, False) | {key: each[key] for key in ("zugzwangs", "bytes", "checksum")}
            for each in found if "role" in each and each["metric"] == "wdl"]
    most = max(f"{row['victor']}v{row['challenger']}" for row in rows)
    write_vela(ENDGAMES, f"fanorona build --rules vela --metric wdl --slice of each pair of numbers, as {most}",
               options.machine, rows=rows)
    return check(options)


def write_page(check=False):
    """Writes the tables of the page, or with `check` only compares them. Returns whether the page has them now."""
    slices = lambda name: read(DATA / f"{name}.json")["slices"]
    parts = {
        "9x5": slices_part(slices("9x5-standard-wdl"), slices("9x5-standard-dtw")),
        "5x5": stones_part(slices("5x5-standard-wdl")),
        "vela": vela_part(read(VELA)["rows"]),
    }
    return fill(PAGE, parts, check)


def comparisons():
    """What is compared: a name, what is found and what is expected."""
    published = read(ROOT / "data/values/published.json")
    values = [other for other in map(read, (ROOT / "data/values").glob("*.json")) if "slices" in other and "board" in other]
    runs = {path.name: read(path) for path in sorted(set(DATA.glob("*.json")) - {VELA, ENDGAMES})}
    for path, run in runs.items():
        width, height = map(int, run["board"].split("x"))
        points, stones = width * height, run["stones"]
        slices = {(each["own"], each["opponent"]): each for each in run["slices"]}
        yield f"{path}: stones", stones, complete(points, slices)
        for (own, opponent), each in slices.items():
            name = f"{path} {own}v{opponent}"
            yield f"{name}: positions", each["positions"], comb(points, own) * comb(points - own, opponent)
            yield f"{name}: win + draw + loss", each["win"] + each["draw"] + each["loss"], each["positions"]
        for total in published["placements"]:
            first, _, last = str(total["stones"]).rpartition("-")
            if total["board"] == run["board"] and int(last) <= stones:
                found = sum(each["positions"] for key, each in slices.items() if int(first or last) <= sum(key) <= int(last))
                yield f"{path}: {total['stones']} stones", found, total["positions"]
        same_game = lambda other: (other["board"], other["rules"]) == (run["board"], run["rules"])
        others = [*filter(same_game, published["slices"])]
        others += [each for other in (*values, *runs.values()) if same_game(other) for each in other["slices"]]
        for other in others:
            each = slices.get((other["own"], other["opponent"]), {})
            for key in COMPARED:
                if key in each and key in other:
                    yield f"{path} {other['own']}v{other['opponent']}: {key}", each[key], other[key]
    proved = {(start["board"], start["rules"]): start["value"] for start in read(ROOT / "data/proofs/vela.json")["starts"]}
    for start in read(VELA)["starts"]:
        name = (start["board"], start["rules"])
        if proved.get(name, "unknown") != "unknown":
            yield f"{VELA.name}: start of {' '.join(name)}", start["value"], proved[name]
    for row in read(VELA)["rows"] + read(ENDGAMES)["rows"]:
        width, height = map(int, row["board"].split("x"))
        placements = comb(width * height, row["victor"]) * comb(width * height - row["victor"], row["challenger"])
        yield f"{VELA.name}: {row}", row["win"] + row["draw"] + row["loss"], placements


def check(_options):
    """Checks the counts in data/tables, without any table: sums with the numbers of placements, slices with data/values
    where both have them, start positions of the vela with their proofs, and the page with the data."""
    compared = [*comparisons()]
    wrong = [f"{name}: {found}, not {expected}" for name, found, expected in compared if found != expected]
    print(f"{len(compared)} comparisons, {len(wrong)} wrong", *wrong, sep="\n")
    return write_page(check=True) and not wrong


def main():
    parser, command = commands(__doc__)
    sub = command(record)
    sub.add_argument("--tables", required=True)
    sub.add_argument("--board", default="9x5")
    sub.add_argument("--rules", default="standard")
    sub.add_argument("--metric", choices=("wdl", "dtw"), required=True)
    sub.add_argument("--source", required=True, help="the command that built them and the date")
    sub = command(vela)
    sub.add_argument("--machine", required=True, help="for the record")
    sub.add_argument("--tables", help="directory of the tables, which are kept; default: a temporary one")
    sub = command(endgames)
    sub.add_argument("--machine", required=True, help="for the record")
    sub.add_argument("--tables", required=True)
    command(check)
    options = parser.parse_args()
    return 0 if options.run(options) else 1


if __name__ == "__main__":
    sys.exit(main())
