#!/usr/bin/env python3
"""Records built tables: writes data/tables/BOARD-RULES-METRIC.json from the output of `fanorona tables`
and updates the rows of crates/tablebase/docs/RESULTS.md.

    python3 tools/record_tables.py --program target/release/fanorona --tables DIR --metric wdl \\
        --source "fanorona build --stones 8 --metric wdl, 2026-11-21"

Needs Python 3.9. Run `tools/check_counts.py` afterwards: it checks the sums and the page.
"""

import argparse
import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "crates/tablebase/docs/RESULTS.md"
FIELDS = (
    "own", "opponent", "positions", "win", "draw", "loss", "max_win", "max_loss",
    "max_win_position", "max_loss_position", "zugzwang", "bytes", "checksum",
    "win_distances", "loss_distances",
)


def number(value):
    return "–" if value is None else f"{value:,}"


def row(slice_, metric):
    """The row of the page. The last two cells are all zugzwangs and full zugzwangs."""
    cells = [f"{slice_['own']}v{slice_['opponent']}"]
    cells += [number(slice_[key]) for key in ("win", "draw", "loss")]
    if metric == "wdl":
        cells.append(f"{100 * slice_['draw'] / slice_['positions']:.2f} %")
    else:
        cells += [number(slice_[key]) for key in ("max_win", "max_loss")]
    zugzwang = slice_["zugzwang"]
    cells += [number(slice_["bytes"]), number(zugzwang["total"]), number(zugzwang["full"])]
    return f"| {' | '.join(cells)} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default="fanorona")
    parser.add_argument("--tables", required=True)
    parser.add_argument("--board", default="9x5")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--metric", choices=("wdl", "dtw"), required=True)
    parser.add_argument("--source", required=True, help="the command that built them and the date")
    args = parser.parse_args()

    command = [args.program, "tables", "--json", "--tables", args.tables, "--board", args.board,
               "--rules", args.rules]
    found = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["slices"]
    slices = [s for s in found if s["metric"] == args.metric]
    head = {
        "source": args.source + "; crates/tablebase/docs/RESULTS.md says how it was checked",
        "board": args.board,
        "rules": args.rules,
        "metric": args.metric,
        "stones": max(s["own"] + s["opponent"] for s in slices),
    }
    lines = [f"  {json.dumps(key)}: {json.dumps(value)}," for key, value in head.items()]
    kept = [{key: s[key] for key in FIELDS if key in s} for s in slices]
    rows = ",\n".join("    " + json.dumps(s, ensure_ascii=False) for s in kept)
    path = ROOT / f"data/tables/{args.board}-{args.rules}-{args.metric}.json"
    path.write_text("{\n" + "\n".join(lines) + '\n  "slices": [\n' + rows + "\n  ]\n}\n")

    page = PAGE.read_text()
    for s in slices:
        old = rf"^\| {s['own']}v{s['opponent']} \| {number(s['win'])} \| {number(s['draw'])} \|.*\|$"
        is_wdl = args.metric == "wdl"
        of_metric = lambda line: ("%" in line) == is_wdl
        replace = lambda m: row(s, args.metric) if of_metric(m.group()) else m.group()
        page, count = re.subn(old, replace, page, flags=re.MULTILINE)
        if count == 0:
            print(f"the page has no row for {s['own']}v{s['opponent']}")
    PAGE.write_text(page)
    print(f"{path.relative_to(ROOT)}: {len(slices)} slices")


main()
