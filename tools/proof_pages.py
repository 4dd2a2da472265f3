"""The tables in the page of results of fanorona-solver that show data/proofs. `proofs.py` writes them."""

import itertools
import json

from common import ROOT, fill, table

DATA = ROOT / "data/proofs"
RESULTS = ROOT / "crates/solver/docs/RESULTS.md"

# For start positions: the stones up to which tables are built (0: none), and MiB for the search.
BOARDS = {
    "3x3": (0, 16), "5x3": (0, 16), "3x5": (0, 16), "7x3": (0, 64), "3x7": (0, 64), "9x3": (5, 256),
    "3x9": (5, 256), "5x5": (6, 256), "7x5": (7, 1024), "5x7": (7, 1024), "9x5": (8, 4096),
}
# For the vela: the most stones of a side.
VELA_BOARDS = {"3x3": 4, "5x3": 7, "3x5": 7, "7x3": 10}
# Readings of its rules: is Black the victor, must the challenger capture, is it a draw to have no turn?
# Readings that differ only in the last share a row if all winners are the same.
VELA_READINGS = list(itertools.product((False, True), repeat=3))
# Seconds within which random positions are proved.
WITHIN = [1, 10, 60]
# Searches of fewer positions are left out, and smaller checks share a row.
LEAST_SEARCH, LEAST_RECHECK, LEAST_EXPANSION = 10_000_000, 1_000_000, 10_000_000


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


def machines(rows):
    """The machines, and during how many of the rows other programs were running."""
    texts = [row["machine"] for row in rows]
    busy = ["running" in text for text in texts]
    names = sorted({", ".join(text.split(", ")[:2]) for text in texts})
    others = ", other programs running" if all(busy) else ", other programs running during some" if any(busy) else ""
    return f"Machine: {'; '.join(names)}{others}."


def vela_rules(reading, stones):
    """The name of a rule set."""
    black, must_capture, draw = reading
    options = ["no-turns-draw"] * draw + ["victor-black"] * black
    return "+".join(["vela", *options, f"stones-{stones}", *["must-capture"] * must_capture])


def known_starts(results):
    """For each board and rule set the search that says most: the last one, or the last with a certificate."""
    known = {}
    for result in sorted(results, key=lambda result: result["date"]):
        for row in result["boards"]:
            key = row["board"], result["rules"]
            if key not in known or "entries" in row or "entries" not in known[key]:
                known[key] = {**row, "date": result["date"], "machine": result["machine"]}
    return known


def searches_part(known):
    found = [(key, row) for key, row in known.items() if row["nodes"] >= LEAST_SEARCH]
    found.sort(key=lambda item: -item[1]["nodes"])
    rows = []
    for (board, rules), row in found:
        rows.append([board, f"`{rules}`", value_text(row), tables_text(row) or "–", f"{row['nodes']:,}",
                     f"{row['searching']:,.1f}", f"{row['entries']:,}" if "entries" in row else "–", row["date"]])
    columns = ["board", "rules", "value", "tables to", "positions searched>", "search (s)>", "entries>", "date"]
    return f"{table(columns, rows)}\n\n{machines(row for _, row in found)}"


def answers_part(known, confirmed):
    """The values of all boards under all presets, with links to the certificates."""
    known = {key: row for key, row in known.items() if "+" not in key[1]}

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
        if row["at_least"] == row["at_most"]:
            file = row.get("book", {}).get("certificate")
        if "certificate" in row:
            file = f"openings/{row['certificate']}"
        if file:
            file = file.removesuffix(".proof")
            text = link(text, file) + " (not confirmed)" * (file not in confirmed)
        rows.append([" ".join(row["turns"]), text, f"{row['nodes']:,}"])
    dates = sorted({row["date"] for row in openings})
    when = " and ".join(dict.fromkeys([dates[0], dates[-1]]))
    columns = ["turns", "value", "positions searched>"]
    return f"{table(columns, rows)}\n\nValues are for White. {machines(openings)} {when}."


def winner(row, black, confirmed):
    """Who wins the vela. White is to move at the start."""
    first, second = ("challenger", "victor") if black else ("victor", "challenger")
    if row["value"] == "unknown":
        bounds = {("draw", "win"): f"{first} or draw", ("loss", "draw"): f"{second} or draw"}
        return bounds.get((row["at_least"], row["at_most"]), "unknown")
    name = f"vela/{row['board']}-{row['rules']}"
    return ({"win": first, "draw": "draw", "loss": second}[row["value"]]
            + (" (tables, confirmed)" if name in confirmed else " (tables)") * bool(row.get("tables")))


def runs(winners):
    """Neighbours with the same winner together, as "1 to 3 victor, 4 draw"."""
    parts = []
    for text, same in itertools.groupby(winners, key=lambda item: item[1]):
        numbers = [number for number, _ in same]
        parts.append(f"{' to '.join(map(str, dict.fromkeys([numbers[0], numbers[-1]])))} {text}")
    return ", ".join(parts)


def vela_part(result, confirmed):
    starts = result["starts"]
    found = {(row["board"], row["rules"]): row for row in starts}
    stones, rows = range(1, max(VELA_BOARDS.values())), []
    for board, (black, must_capture) in itertools.product(VELA_BOARDS, itertools.product((False, True), repeat=2)):
        answers = {}
        for draw, name in (False, "loss"), (True, "draw"):
            cells = ((number, found.get((board, vela_rules((black, must_capture, draw), number)))) for number in stones)
            text = runs((number, winner(row, black, confirmed)) for number, row in cells if row)
            answers.setdefault(text, []).append(name)
        for text, names in answers.items():
            rows.append([board, "challenger" if black else "victor", "yes" if must_capture else "no",
                         " or ".join(names), text])
    columns = ["board", "first turn", "challenger must capture", "no turn is a", "stones that end phase 1, and who wins"]
    entries = max(row["entries"] for row in starts if "entries" in row)
    return (f"{table(columns, rows)}\n\n{len(starts)} searches of at most {max(row['nodes'] for row in starts):,} "
            f"positions, and certificates of at most {entries:,} entries; {result['seconds']:.0f} s with both "
            f"checks; {result['machine']}; {result['date']}.")


def searches_of(rows, first):
    """The rows of searches of many positions, which differ in what `first` names."""
    lines = []
    for row in rows:
        solved = (f"{100 * row['solved_within'][str(limit)] / row['positions']:.0f} %" for limit in WITHIN)
        lines.append([row[first], row["positions"], *solved, *row["values"].values(), f"{row['nodes']:,}",
                      f"{row['nodes'] / max(row['seconds'], 0.1) / 1e6:.1f}"])
    columns = [f"{first}>", "positions>", *(f"within {limit} s>" for limit in WITHIN), "win>", "draw>", "loss>",
               "unknown>", "positions searched>", "million/s>"]
    return table(columns, lines)


def randoms_part(result):
    return (f"Rule set `{result['rules']}`, {result['board']}, tables up to {result['tables']} stones, "
            f"{result['threads']} threads, {result['memory']:,} MiB; {result['machine']}; {result['date']}.\n\n"
            f"{searches_of(result['rows'], 'stones')}")


def game_positions():
    """The positions from games, of `game_positions.py`."""
    lines = (ROOT / "data/positions/games-9x5.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def numbers(answers):
    """How many of the searches, each with its value, seconds and positions searched, found a value, and how fast."""
    values = [value for value, *_ in answers]
    solved = [seconds for value, seconds, _ in answers if value != "unknown"]
    return {
        "positions": len(answers),
        "solved_within": {str(limit): sum(seconds <= limit for seconds in solved) for limit in WITHIN},
        "values": {value: values.count(value) for value in ("win", "draw", "loss", "unknown")},
        "nodes": sum(nodes for *_, nodes in answers),
        "seconds": round(sum(seconds for _, seconds, _ in answers), 1),
    }


def games_part(rows):
    """How many of the positions from games are proved with each directory of tables."""
    lines = [{"tables": name, **numbers(row["answers"].values())} for name, row in rows.items()]
    how = {f"`--threads {row['threads']}`, {row['memory']:,} MiB; {row['machine']}; {row['date']}" for row in rows.values()}
    return f"{'; '.join(sorted(how))}.\n\n{searches_of(lines, 'tables')}"


def draw_games(rows):
    """Draws which share of the positions from games is proved, by number of stones, as a picture beside the page."""
    import matplotlib
    matplotlib.rcParams |= {"svg.hashsalt": "fanorona", "svg.fonttype": "none"}
    from matplotlib import pyplot

    stones = {position: sum(character in "WB" for character in position) for position in game_positions()}
    groups = range(min(stones.values()), max(stones.values()) + 1, 3)
    _, panels = pyplot.subplots(1, len(WITHIN), figsize=(9, 3), sharey=True, layout="constrained")
    for panel, limit in zip(panels, WITHIN):
        panel.set(title=f"within {limit} s", xlabel="stones", xticks=range(10, 31, 5), ylim=(0, 103))
        for name, row in rows.items():
            shares = []
            for least in groups:
                solved = [value != "unknown" and seconds <= limit
                          for position, (value, seconds, _) in row["answers"].items()
                          if least <= stones[position] < least + 3]
                shares.append(100 * sum(solved) / max(len(solved), 1))
            panel.plot([least + 1 for least in groups], shares, marker="o", label=f"tables {name}")
    panels[0].set(ylabel="settled (%)")
    panels[0].legend()
    pyplot.savefig(RESULTS.parent / "pictures/games-9x5.svg", metadata={"Date": None})


def with_others(rows, key, least, keys):
    """The rows with at least so many, the largest first, and one for the greatest numbers of all others."""
    large = sorted((row for row in rows if row[key] >= least), key=lambda row: -row[key])
    small = [row for row in rows if row[key] < least]
    most = {key: max(row[key] for row in small) for key in keys}
    return [*large, {"name": f"{len(small)} others, each up to", "value": "", **most}]


def expansions_part(expansions):
    keys = "positions", "replies", "seconds", "memory", "date"
    rows = [[row["name"], row["value"], f"{row['positions']:,}", f"{row['replies']:,}", f"{row['seconds']:,.1f}",
             f"{-(-row['memory'] // 2**20):,}", row["date"]]
            for row in with_others(expansions, "positions", LEAST_EXPANSION, keys)]
    columns = ["certificate", "value", "positions>", "replies>", "time (s)>", "memory (MiB)>", "date"]
    return (f"{table(columns, rows)}\n\n{machines(expansions)} Command: `fanorona check FILE... --trust-no-table "
            "--memory MIB --tables DIR`, run by `tools/proofs.py expand`.")


def rechecks_part(rechecks):
    keys = "entries", "tables", "seconds", "memory", "date"
    rows = [[row["name"], f"{row['entries']:,}", row["tables"], f"{row['seconds']:.1f}", f"{row['memory']:,.0f}",
             row["date"]] for row in with_others(rechecks, "entries", LEAST_RECHECK, keys)]
    columns = ["certificate", "entries>", "tables>", "CPU time (s)>", "memory (MB)>", "date"]
    return f"{table(columns, rows)}\n\n{machines(rechecks)} Command: `tools/proofs.py recheck`."


def write_pages(check=False):
    """Writes all tables, or with `check` only compares them. Returns whether the page has them now."""
    files = {path.stem: json.loads(path.read_text()) for path in sorted(DATA.glob("*.json"))}
    # Certificates that were checked without belief in tables, as in `openings/5x5-standard-b3-c3A`.
    confirmed = {name for row in files["expansions"] for name in row["certificates"]}
    known = known_starts(result for result in files.values() if "boards" in result)
    parts = {"answers": answers_part(known, confirmed), "searches": searches_part(known)}
    parts["openings"] = openings_part(load("openings/9x5-standard")["openings"], confirmed)
    parts["vela"] = vela_part(files["vela"], confirmed)
    parts["expansions"] = expansions_part(files["expansions"])
    parts["rechecks"] = rechecks_part(files["rechecks"])
    parts |= {name: randoms_part(result) for name, result in files.items() if name.startswith("random-")}
    parts["games-9x5"] = games_part(files["games-9x5"]["rows"])
    return fill(RESULTS, parts, check)
