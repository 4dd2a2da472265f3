"""The tables in the pages of fanorona-solver that show data/proofs. `proofs.py` writes them."""

import itertools
import json

from common import ROOT, fill, table

DATA = ROOT / "data/proofs"
RESULTS = ROOT / "crates/solver/docs/RESULTS.md"
SEARCH = ROOT / "crates/solver/docs/SEARCH.md"

# For start positions: the stones up to which tables are built (0: none), and MiB for the search.
BOARDS = {
    "3x3": (0, 16), "5x3": (0, 16), "3x5": (0, 16), "7x3": (0, 64), "3x7": (0, 64), "9x3": (5, 256),
    "3x9": (5, 256), "5x5": (6, 256), "7x5": (7, 1024), "5x7": (7, 1024), "9x5": (8, 4096),
}
# For the vela: the most stones of a side.
VELA_BOARDS = {"3x3": 4, "5x3": 7, "3x5": 7, "7x3": 10}
# Readings of its rules: is Black the victor, must the challenger capture, is it a draw to have no turn?
VELA_READINGS = list(itertools.product((False, True), repeat=3))
# Seconds within which random positions are proved.
WITHIN = [1, 10, 60]
# Certificates with fewer entries share a row of the second checker.
LARGE = 50_000


def load(name):
    return json.loads((DATA / f"{name}.json").read_text())


def value_text(row):
    """The value, or the bound that is proved."""
    least, most = row["at_least"], row["at_most"]
    if least == most:
        return least
    return f"at least {least}" if least != "loss" else f"at most {most}" if most != "win" else "unknown"


def link(text, name):
    return f"[{text}](../../../data/proofs/{name}.proof)"


def tables_text(row):
    """The tables that a search had: up to a number of stones, and single slices."""
    return ", ".join([str(row["tables"]), *row.get("slices", ())]) if row["tables"] else ""


def verdict(row):
    """The seconds of a check that accepted the certificate."""
    return f"{row['checking']:.1f}" if row["checked"] else "**does not hold**"


def machines(rows):
    return f"Machine: {'; '.join(sorted({row['machine'] for row in rows}))}."


def vela_rules(reading, stones):
    """The name of a rule set."""
    black, must_capture, draw = reading
    options = ["no-turns-draw"] * draw + ["victor-black"] * black
    return "+".join(["vela", *options, f"stones-{stones}", *["must-capture"] * must_capture])


def starts_part(result):
    minutes, rest = divmod(round(result["seconds"]), 60)
    duration = f"{minutes} min {rest} s" if minutes else f"{rest} s"
    rows = []
    for row in result["boards"]:
        proof = [f"{row['entries']:,}", f"{row['bytes']:,}", verdict(row)] if "entries" in row else ["–"] * 3
        rows.append([row["board"], value_text(row), tables_text(row) or "–", f"{row['building']:.1f}",
                     f"{row['nodes']:,}", f"{row['searching']:.1f}", f"{row['proving']:.1f}", *proof])
    columns = ["board", "value", "tables up to>", "build (s)>", "positions searched>", "search (s)>",
               "search and certificate (s)>", "entries>", "bytes>", "check (s)>"]
    return (f"Rule set `{result['rules']}`; {result['machine']}; {result['date']}; {duration} in total.\n\n"
            + table(columns, rows))


def answers_part(results, confirmed):
    """The values of all boards under all presets, with links to the certificates."""
    known = {}
    for result in sorted(results, key=lambda result: result["date"]):
        for row in result["boards"] if "+" not in result["rules"] else ():
            key = row["board"], result["rules"]
            if key not in known or "entries" in row:
                known[key] = row

    def order(name):
        """The standard rules first, then the rule set with the most answers."""
        return name != "standard", -sum("entries" in known.get((board, name), ()) for board in BOARDS), name

    def cell(board, name):
        row = known.get((board, name))
        if row is None:
            return "–"
        file = f"{board}-{name}"
        if not (DATA / f"{file}.proof").exists():
            return value_text(row)
        notes = [f"tables to {tables_text(row)}"] if row["tables"] else []
        notes += ["confirmed"] if file in confirmed else []
        return link(value_text(row), file) + (f" ({', '.join(notes)})" if notes else "")

    names = sorted({name for _, name in known}, key=order)
    rows = ([board, *(cell(board, name) for name in names)] for board in BOARDS)
    return table(["board", *(f"`{name}`" for name in names)], rows)


def openings_part(openings, confirmed):
    rows = []
    for row in openings:
        text, file = value_text(row), None
        proof = ["–"] * 4
        if row["at_least"] == row["at_most"]:
            file = row.get("book", {}).get("certificate")
        if "certificate" in row:
            file = f"openings/{row['certificate']}"
            proof = [row["tables"], f"{row['entries']:,}", f"{row['bytes']:,}", verdict(row)]
        if file:
            file = file.removesuffix(".proof")
            text = link(text, file) + " (confirmed)" * (file in confirmed)
        book = value_text(row["book"]) if "book" in row else "–"
        rows.append([" ".join(row["turns"]), text, book, f"{row['nodes']:,}", f"{row['searching']:,.1f}",
                     *proof, row["date"]])
    columns = ["turns", "value", "by the book", "positions searched>", "search (s)>", "tables>", "entries>",
               "bytes>", "check (s)>", "date"]
    return f"{table(columns, rows)}\n\nValues are for White. {machines(openings)}"


def winner(row, black, confirmed):
    """Who wins the vela, as a link to the certificate if it is kept. White is to move at the start."""
    first, second = ("challenger", "victor") if black else ("victor", "challenger")
    if row["value"] == "unknown":
        bounds = {("draw", "win"): f"{first} or draw", ("loss", "draw"): f"{second} or draw"}
        return bounds.get((row["at_least"], row["at_most"]), "unknown")
    text = {"win": first, "draw": "draw", "loss": second}[row["value"]]
    name = f"vela/{row['board']}-{row['rules']}"
    text = link(text, name) if row.get("kept") else text
    return text + (" (tables, confirmed)" if name in confirmed else " (tables)") * bool(row.get("tables"))


def vela_part(result, confirmed):
    starts = result["starts"]
    found = {(row["board"], row["rules"]): row for row in starts}
    stones, rows = range(1, max(VELA_BOARDS.values())), []
    for board, (black, must_capture, draw) in itertools.product(VELA_BOARDS, VELA_READINGS):
        cells = (found.get((board, vela_rules((black, must_capture, draw), number))) for number in stones)
        rows.append([board, "challenger" if black else "victor", "yes" if must_capture else "no",
                     "draw" if draw else "loss", *(winner(row, black, confirmed) if row else "" for row in cells)])
    columns = ["board", "first turn", "challenger must capture", "no turn is a", *map(str, stones)]
    entries = max(row["entries"] for row in starts if "entries" in row)
    return (f"{table(columns, rows)}\n\n{len(starts)} searches of at most {max(row['nodes'] for row in starts):,} "
            f"positions, and certificates of at most {entries:,} entries; {result['seconds']:.0f} s with both "
            f"checks; {result['machine']}; {result['date']}.")


def random_part(result):
    rows = []
    for row in result["rows"]:
        solved = (f"{100 * row['solved_within'][str(limit)] / row['positions']:.0f} %" for limit in WITHIN)
        rows.append([row["stones"], row["positions"], *solved, *row["values"].values(), f"{row['nodes']:,}",
                     f"{row['nodes'] / max(row['seconds'], 0.1) / 1e6:.1f}"])
    columns = ["stones>", "positions>", *(f"within {limit} s>" for limit in WITHIN), "win>", "draw>", "loss>",
               "unknown>", "positions searched>", "million/s>"]
    return (f"Rule set `{result['rules']}`, {result['board']}, tables up to {result['tables']} stones, "
            f"{result['threads']} threads, {result['memory']:,} MiB; {result['machine']}; {result['date']}.\n\n"
            + table(columns, rows))


def expansions_part(expansions):
    rows = [[row["name"], row["value"], f"{row['entries']:,}", f"{row['positions']:,}", f"{row['replies']:,}",
             f"{row['seconds']:,.1f}", f"{-(-row['memory'] // 2**20):,}", row["date"]] for row in expansions]
    columns = ["certificate", "value", "entries>", "positions>", "replies>", "time (s)>", "memory (MiB)>", "date"]
    return (f"{table(columns, rows)}\n\n{machines(expansions)} Command: `fanorona check FILE... --trust-no-table "
            "--memory MIB --tables DIR`, run by `tools/proofs.py expand`.")


def rechecks_part(rechecks):
    large = sorted((row for row in rechecks if row["entries"] >= LARGE), key=lambda row: -row["entries"])
    small = [row for row in rechecks if row["entries"] < LARGE]
    if small:
        most = {key: max(row[key] for row in small) for key in ("entries", "tables", "seconds", "memory", "date")}
        large.append({"name": f"{len(small)} others, each up to", **most})
    rows = [[row["name"], f"{row['entries']:,}", row["tables"], f"{row['seconds']:.1f}", f"{row['memory']:,.0f}",
             row["date"]] for row in large]
    columns = ["certificate", "entries>", "tables>", "CPU time (s)>", "memory (MB)>", "date"]
    return f"{table(columns, rows)}\n\n{machines(rechecks)} Command: `tools/proofs.py recheck`."


def write_pages(check=False):
    """Writes all tables, or with `check` only compares them. Returns whether the pages have them now."""
    files = {path.stem: json.loads(path.read_text()) for path in sorted(DATA.glob("*.json"))}
    # Certificates that were checked without belief in tables, as in `openings/5x5-standard-b3-c3A`.
    confirmed = {name for row in files["expansions"] for name in row["certificates"]}
    starts = {name: result for name, result in files.items() if "boards" in result}
    parts = {name: starts_part(result) for name, result in starts.items()}
    parts["answers"] = answers_part(starts.values(), confirmed)
    for path in sorted(DATA.glob("openings/*.json")):
        parts[f"openings-{path.stem}"] = openings_part(load(f"openings/{path.stem}")["openings"], confirmed)
    parts["vela"] = vela_part(files["vela"], confirmed)
    parts["expansions"] = expansions_part(files["expansions"])
    parts["rechecks"] = rechecks_part(files["rechecks"])
    random = {name: random_part(result) for name, result in files.items() if name.startswith("random-")}
    return fill(RESULTS, parts, check) & fill(SEARCH, random, check)
