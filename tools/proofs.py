#!/usr/bin/env python3
"""Proves values with the program, checks the certificates, and records both in data/proofs and in the tables of
crates/solver/docs/RESULTS.md.

    cargo build --release -p fanorona-cli -p fanorona-recheck
    python3 tools/proofs.py starts --work DIR --machine "2 cores of an AMD EPYC, 24 GiB"
    python3 tools/proofs.py openings --board 5x5 --tables DIR --machine "..."
    python3 tools/proofs.py pages --check

Each subcommand has --help. Needs Python 3.9. Exits with status 1 if a certificate does not pass its check, or
if a page differs.
"""

import datetime
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

from common import ROOT, analyze_all, answer, bounds, commands, random_position
from proof_pages import (
    BOARDS, DATA, VELA_BOARDS, VELA_READINGS, WITHIN, draw_games, game_positions, load, numbers, value_text,
    vela_rules, write_pages,
)

OPENINGS = DATA / "openings"
# Certificates of the vela of more bytes are checked but not kept.
MAX_BYTES = 100_000
# Better values have higher numbers.
ORDER = {"loss": 0, "draw": 1, "win": 2}
SWAPPED = {"loss": "win", "draw": "draw", "win": "loss"}


def save(name, result):
    """Writes a file of data/proofs, and the pages again. Lists without lists or objects take a line."""
    text = re.sub(r"\[[^][{}]*\]", lambda found: " ".join(found[0].split()), json.dumps(result, indent=2))
    (DATA / f"{name}.json").write_text(text + "\n")
    write_pages()


def stamp(options):
    return {"machine": options.machine, "date": datetime.date.today().isoformat()}


def source(options, *names):
    """The command, with those of its options that were given and that matter for the result."""
    words = ["tools/proofs.py", options.command]
    for name in names:
        value = getattr(options, name)
        if value not in (None, []):
            values = value if isinstance(value, list) else [f"{value:g}" if isinstance(value, float) else value]
            words += [f"--{name}", *map(str, values)]
    return " ".join(words)


def timed(*command):
    """The answer of a command, and its seconds."""
    begin = time.monotonic()
    found = answer(*command)
    return found, time.monotonic() - begin


def start(options, board):
    """Proves the value of a board's start position."""
    stones, memory = BOARDS[board]
    stones = stones if options.stones is None else options.stones
    game = ["--board", board, "--rules", options.rules]
    tables = options.work / f"{board}-{options.rules}"
    tables.mkdir(parents=True, exist_ok=True)
    where = ["--tables", tables]
    begin = time.monotonic()
    if stones:
        answer(options.program, "build", *game, *where, "--stones", stones, "--metric", "wdl")
        answer(options.program, "unpack", *game, *where, "--stones", stones)
    for size in options.slices:
        answer(options.program, "build", *game, *where, "--slice", size, "--metric", "wdl")
    building = time.monotonic() - begin
    file = options.work / f"{board}-{options.rules}.proof"
    file.unlink(missing_ok=True)
    found, proving = timed(options.program, "analyze", *game, *where, "--time", options.time,
                           "--memory", options.memory or memory, "--certificate", file)
    row = {"position": found["position"], "value": found["value"], **bounds(found), "nodes": found["nodes"]}
    row |= {"board": board, "tables": stones, "building": round(building, 2),
            "searching": round(found["seconds"], 2), "proving": round(proving, 2)}
    row |= {"slices": options.slices} if options.slices else {}
    if file.exists():
        check, checking = timed(options.program, "check", file, *where)
        row |= {"checked": check["ok"], "entries": check["positions"],
                "bytes": file.stat().st_size, "checking": round(checking, 2)}
        shutil.copy(file, DATA)
    print(json.dumps(row), flush=True)
    return row


def starts(options):
    """Proves the values of start positions. For each board it builds and unpacks endgame tables, searches, and
    checks the certificate. Writes data/proofs/NAME.json, where NAME is the rule set, preceded by the boards if
    --boards is given. 9x5 takes a quarter of an hour on two cores, 8 GiB of memory and 5 GB of disk, so it is
    not a default board."""
    begin = time.monotonic()
    rows = [start(options, board) for board in options.boards or BOARDS if options.boards or board != "9x5"]
    save("-".join([*options.boards, options.rules]), {
        "source": source(options, "rules", "time", "memory", "boards", "stones", "slices"), **stamp(options),
        "rules": options.rules, "seconds": round(time.monotonic() - begin, 1), "boards": rows,
    })
    return all(row.get("checked", True) for row in rows)


def for_white(found, turns):
    """The bounds of a position for White, which moves after an even number of turns."""
    least, most = bounds(found).values()
    return [least, most] if len(turns) % 2 == 0 else [SWAPPED[most], SWAPPED[least]]


def opening(options, game, turns):
    """Searches the position after some turns, and checks the certificate."""
    file = OPENINGS / f"{options.board}-{options.rules}-{'-then-'.join(turns)}.proof"
    file.unlink(missing_ok=True)
    name = f"{options.board}-{options.rules}"
    book = [path for path in [DATA / f"{name}.proof", *sorted(OPENINGS.glob(f"{name}-*.proof"))] if path.exists()]
    found, seconds = timed(options.program, "analyze", *game, "--after", " ".join(turns), "--tables",
                           options.tables, "--time", options.time, "--memory", options.memory,
                           "--certificate", file, *(["--book", *book] if book else []))
    from_book = found.get("book")
    at_least, at_most = for_white(found, turns)
    row = {"turns": turns, "position": found["position"], "at_least": at_least, "at_most": at_most,
           "nodes": found["nodes"], "searching": round(seconds, 1), "time": options.time, **stamp(options)}
    if from_book:
        row["book"] = dict(zip(("at_least", "at_most"), for_white(from_book, turns)))
        if "file" in from_book:
            row["book"]["certificate"] = pathlib.Path(from_book["file"]).relative_to(DATA).as_posix()
    if file.exists():
        check, checking = timed(options.program, "check", file, "--tables", options.tables)
        row |= {"certificate": file.name, "checked": check["ok"], "tables": check["tables"],
                "entries": check["positions"], "bytes": file.stat().st_size, "checking": round(checking, 1)}
    print(json.dumps(row), flush=True)
    return row


def value(row):
    """The value for White, or None if it is not proved."""
    return row["at_least"] if row["at_least"] == row["at_most"] else None


def openings(options):
    """Proves the values of the positions after each first turn, and after each reply to the turns that keep the
    value of the start position. Values are for White. What the certificates of the start and of earlier openings
    prove is not searched again and is not in the new ones. Positions that were proved, or had as much time, are
    not searched again: remove data/proofs/openings/BOARD-RULES.json to begin anew."""
    name = f"openings/{options.board}-{options.rules}"
    game = ["--board", options.board, "--rules", options.rules]
    there = (DATA / f"{name}.json").exists()
    known = {tuple(row["turns"]): row for row in (load(name)["openings"] if there else [])}

    def after(turns):
        """The rows of the positions after each turn that can follow `turns`."""
        played = ["--after", " ".join(turns)] if turns else []
        keys = [(*turns, turn["turn"]) for turn in answer(options.program, "moves", *game, *played)["turns"]]
        for key in keys:
            row = known.get(key)
            is_open = row is None or value(row) is None and row["time"] < options.time
            if is_open and options.only in (None, " ".join(key)):
                known[key] = opening(options, game, list(key))
                # What is known is kept if the next search is interrupted.
                rows = sorted(known.values(), key=lambda row: len(row["turns"]))
                save(name, {"source": source(options, "board", "rules"), "openings": rows})
        return [known[key] for key in keys if key in known]

    first = after([])
    best = max((ORDER[value(row)] for row in first if value(row)), default=None)
    for row in first:
        if not options.first_turns and value(row) and ORDER[value(row)] == best:
            after(row["turns"])
    return all(row.get("checked", True) for row in known.values())


def revenge(options, board, rules):
    """Finds the value of the start position of the vela, and checks the certificate."""
    file = DATA / "vela" / f"{board}-{rules}.proof"
    file.unlink(missing_ok=True)
    tables = ["--tables", options.tables] if options.tables else []
    found, seconds = timed(options.program, "analyze", "--board", board, "--rules", rules, "--time", options.time,
                           "--memory", options.memory, "--certificate", file, *tables)
    row = {"board": board, "rules": rules, "value": found["value"], **bounds(found), "nodes": found["nodes"],
           "seconds": round(seconds, 2)}
    if file.exists():
        check = answer(options.program, "check", file, *tables)
        row |= {"tables": check["tables"]} if check["tables"] else {}
        status = second_check(options.recheck, file, tables)[0]
        row |= {"checked": check["ok"], "rechecked": status == 0, "entries": check["positions"],
                "bytes": file.stat().st_size, "kept": file.stat().st_size <= MAX_BYTES and found["value"] != "unknown"}
        if not row["kept"]:
            file.unlink()
    print(json.dumps(row), flush=True)
    return row


def vela(options):
    """Proves who wins the vela, the revenge game, from the start position: for each board, each number of stones
    that ends the first phase, and each reading of the rules. Two programs check the certificates, which are below
    data/proofs/vela. Long ones, and those that leave the value open, are not kept. No endgame tables are used; what
    stays open can be proved with --only and tables of the second phase. 7x3 takes most of the time, a quarter of an
    hour on two cores with --memory 8000. With less memory, a certificate can take much longer than --time."""
    begin = time.monotonic()
    if options.only:
        rows = [revenge(options, *options.only)]
        is_it = lambda other: [other["board"], other["rules"]] == options.only
        result = load("vela")
        result["starts"] = [rows[0] if is_it(other) else other for other in result["starts"]]
    else:
        rows = [revenge(options, board, vela_rules(reading, stones))
                for board, most in VELA_BOARDS.items() for reading in VELA_READINGS for stones in range(1, most)]
        result = {"source": source(options, "time", "memory"), **stamp(options),
                  "seconds": round(time.monotonic() - begin, 1), "starts": rows}
    save("vela", result)
    # Only a search that finds nothing needs no certificate.
    return all(row["checked"] and row["rechecked"] if "bytes" in row else row["value"] == "unknown" for row in rows)


def searches(options, positions, game):
    """Searches the positions without certificates: the value, seconds and positions searched of each."""
    reports = analyze_all(options.program, positions, *game, "--time", max(WITHIN),
                          "--memory", options.memory, "--threads", options.threads, "--book", "none")
    return [[report["value"], round(report["seconds"], 2), report["nodes"]] for report in reports]


def most_stones(options, game):
    """The number of stones up to which there are tables."""
    return max(each["own"] + each["opponent"] for each in answer(options.program, "tables", *game)["slices"])


def randoms(options):
    """Measures how many random positions with White to move can be proved, and how fast. All positions with a
    number of stones are equally likely, and the same seed gives the same ones. Writes
    data/proofs/random-BOARD-RULES.json."""
    game = ["--board", options.board, "--rules", options.rules, "--tables", options.tables]
    chance, rows = random.Random(options.seed), []
    for stones in options.stones:
        positions = [random_position(chance, options.board, stones) for _ in range(options.positions)]
        answers = searches(options, positions, game)
        unknown = [position for position, (value, *_) in zip(positions, answers) if value == "unknown"]
        rows.append({"stones": stones, **numbers(answers), "open": unknown})
        print(json.dumps(rows[-1]), flush=True)
    save(f"random-{options.board}-{options.rules}", {
        "source": source(options, "board", "rules", "seed", "positions"), **stamp(options),
        "board": options.board, "rules": options.rules, "tables": most_stones(options, game),
        "threads": options.threads, "memory": options.memory, "rows": rows,
    })
    return True


def games(options):
    """Measures how many of the positions from games in data/positions can be proved with one directory of tables.
    Writes data/proofs/games-9x5.json after every few positions, goes on where it was stopped, and draws the
    picture, for which it needs matplotlib."""
    found = load("games-9x5")
    row = found["rows"].setdefault(options.name, {"threads": options.threads, "memory": options.memory,
                                                  **stamp(options), "answers": {}})
    answers = row["answers"]
    # In random order, so that a search that is stopped has answered a random sample.
    positions = random.Random(1).sample(game_positions(), len(game_positions()))
    while missing := [position for position in positions if position not in answers][:10]:
        answers.update(zip(missing, searches(options, missing, ["--tables", options.tables])))
        save("games-9x5", found)
        print(f"{options.name}: {len(answers)} positions", flush=True)
    draw_games(found["rows"])
    return True


def expansion(options, label, names, found):
    """The row of a check of certificates without belief in tables."""
    certificates = found.get("certificates", [found])

    def common(key):
        values = {certificate[key] for certificate in certificates}
        return values.pop() if len(values) == 1 else "several"

    expansion = found["expansion"]
    kinds = {"wins" if proof["claim"].endswith("wins") else "draws" for proof in expansion["proofs"]}
    return {
        "name": label, "certificates": names,
        "value": value_text(certificates[0]) if len(certificates) == 1 else " and ".join(sorted(kinds)),
        "rules": common("rules"), "board": common("board"),
        "tables": max(certificate["tables"] for certificate in certificates),
        "entries": sum(certificate["positions"] for certificate in certificates),
        "positions": expansion["positions"], "replies": expansion["replies"],
        "seconds": round(expansion["seconds"], 1), "memory": expansion["memory_bytes"],
        **stamp(options), "proofs": expansion["proofs"],
    }


def expand(options):
    """Checks certificates with `check --trust-no-table`, and records what it took in data/proofs/expansions.json.
    Certificates that rest on no tables are left out. The tables of all boards and rule sets must be in --tables;
    unpack them first, or it takes much longer. What was recorded before and is not checked again stays."""
    names = options.only or sorted(path.stem for path in DATA.glob("*.proof"))
    is_good = True
    for label, group in [(options.together, names)] if options.together else [(name, [name]) for name in names]:
        files = [DATA / f"{name}.proof" for name in group]
        try:
            found = answer(options.program, "check", *files, "--tables", options.tables, "--trust-no-table",
                           "--memory", options.memory, timeout=options.timeout)
        except subprocess.TimeoutExpired:
            print(f"{label}: not done after {options.timeout:g} s", flush=True)
            continue
        parts = found.get("certificates", [found])
        if not found["ok"]:
            is_good = False
            print(f"{label}: {'; '.join(sorted({part['error'] for part in parts if 'error' in part}))}", flush=True)
        elif any(part["tables"] for part in parts):
            new = expansion(options, label, group, found)
            print(json.dumps(new), flush=True)
            # Read only now: another run may have written meanwhile.
            rows = [new, *(other for other in load("expansions") if other["name"] != label)]
            save("expansions", sorted(rows, key=lambda row: row["name"]))
    return is_good


def second_check(program, file, tables):
    """Runs `fanorona-recheck`: its exit status, what it printed, CPU time in seconds and memory in MB."""
    command = [program, file, *map(str, tables)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    output = process.stdout.read().strip()
    _, status, used = os.wait4(process.pid, 0)
    return os.waitstatus_to_exitcode(status), output, used.ru_utime + used.ru_stime, used.ru_maxrss / 1000


def recheck(options):
    """Checks the certificates of starts and openings with `fanorona-recheck`, and records what it took in
    data/proofs/rechecks.json. The packed tables that they name must be in one of the directories. A certificate
    whose tables are missing is left out; if it was recorded before, its row stays."""
    known = {row["name"]: row for row in load("rechecks")}
    tables = [word for directory in options.tables for word in ("--tables", directory)]
    is_good = True
    for path in sorted([*DATA.glob("*.proof"), *OPENINGS.glob("*.proof")]):
        name = str(path.relative_to(DATA).with_suffix(""))
        status, text, seconds, memory = second_check(options.recheck, path, tables)
        found = re.search(r"(.+), proved by ([\d,]+) positions? and (\d+) tables?$", text)
        if status != 0 or not found:
            is_good &= status == 2
            print(f"{name}: {text}", flush=True)
            continue
        known[name] = {"name": name, "value": found[1], "entries": int(found[2].replace(",", "")),
                       "tables": int(found[3]), "seconds": round(seconds, 2), "memory": round(memory, 1),
                       **stamp(options)}
    save("rechecks", [known[name] for name in sorted(known)])
    return is_good


def pages(options):
    """Writes the tables of the pages again from data/proofs, or with --check only compares them."""
    return write_pages(options.check)


def main():
    parser, part = commands(__doc__)

    def command(run, name=None, time=None, memory=None, game=None):
        """A subcommand with the options that several have; `game` is the default board."""
        sub = part(run, name)
        if run is pages:
            return sub
        sub.add_argument("--machine", required=True, help="a description of the machine")
        sub.add_argument("--recheck", default=ROOT / "target/release/fanorona-recheck")
        if time:
            sub.add_argument("--time", type=float, default=float(time), help="seconds for each search")
        if memory:
            sub.add_argument("--memory", type=int, default=memory, help="MiB for each search or check")
        if game:
            sub.add_argument("--board", default=game)
            sub.add_argument("--rules", default="standard")
        return sub

    sub = command(starts, time=120)
    sub.add_argument("--work", type=pathlib.Path, required=True, help="directory of tables, which are kept")
    sub.add_argument("--rules", default="standard")
    sub.add_argument("--boards", nargs="+", choices=BOARDS, default=[], help="default: all but 9x5")
    sub.add_argument("--memory", type=int, help="MiB for each search; default: depends on the board")
    sub.add_argument("--stones", type=int, help="tables up to N stones; default: depends on the board")
    sub.add_argument("--slices", nargs="+", default=[], help="build these slices too, as in 5v4 4v5")

    sub = command(openings, time=600, memory=1024, game="9x5")
    sub.add_argument("--tables", required=True, help="directory of tables; unpacked ones are faster")
    sub.add_argument("--only", help="search only after these turns, as in \"d2-e3A f3-f4W-g5W\"")
    sub.add_argument("--first-turns", action="store_true", help="leave out the replies")

    sub = command(vela, time=120, memory=1024)
    sub.add_argument("--only", nargs=2, metavar=("BOARD", "RULES"), help="prove this start, and keep the others")
    sub.add_argument("--tables", help="directory of tables, for --only")

    sub = command(randoms, "random", memory=2048, game="9x5")
    sub.add_argument("--tables", required=True)
    sub.add_argument("--stones", type=int, nargs="+", default=[9, 10, 12, 14])
    sub.add_argument("--positions", type=int, default=100, help="positions for each number of stones")
    sub.add_argument("--seed", type=int, default=1)
    sub.add_argument("--threads", type=int, default=2)

    sub = command(games, memory=2048)
    sub.add_argument("--tables", required=True)
    sub.add_argument("--name", required=True, help="what the tables are, as in \"to 8 stones\"")
    sub.add_argument("--threads", type=int, default=2)

    sub = command(expand, memory=6000)
    sub.add_argument("--tables", default="tables")
    sub.add_argument("--timeout", type=float, help="seconds for each check; what needs more is left out")
    sub.add_argument("--only", nargs="+", help="names, as in 5x5-standard or openings/5x5-standard-b2-c3A")
    sub.add_argument("--together", metavar="LABEL", help="check these together, in one row")

    sub = command(recheck)
    sub.add_argument("--tables", nargs="+", default=[])

    command(pages).add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    return 0 if options.run(options) else 1


if __name__ == "__main__":
    sys.exit(main())
