#!/usr/bin/env python3
"""Checks the counts in data/tables/*.json; needs no tables. It compares sums with the numbers of
placements, slices with data/values where both have them, and rows with the page of results.

    python3 tools/check_counts.py

Needs Python 3.9. Exits with status 1 if something differs.
"""

import json
import sys
from math import comb
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
KEYS = (
    "win", "draw", "loss", "max_win", "max_loss", "win_distances", "loss_distances", "zugzwang",
)
wrong = []
done = 0


def check(what, found, expected):
    global done
    done += 1
    if found != expected:
        wrong.append(f"{what}: {found}, not {expected}")


def read(path):
    return json.loads(path.read_text())


published = read(ROOT / "data/values/published.json")
page = (ROOT / "crates/tablebase/docs/RESULTS.md").read_text()

vela = ROOT / "data/tables/vela-first-phase.json"
vela_9x5 = ROOT / "data/tables/vela-first-phase-9x5.json"
runs = sorted(set((ROOT / "data/tables").glob("*.json")) - {vela, vela_9x5})
for path in runs:
    run = read(path)
    width, height = map(int, run["board"].split("x"))
    points, stones = width * height, run["stones"]
    same_game = lambda other: (other["board"], other["rules"]) == (run["board"], run["rules"])
    slices = {(s["own"], s["opponent"]): s for s in run["slices"]}

    most = (points - 1) // 2
    wanted = {(own, n - own) for n in range(2, stones + 1) for own in range(1, n)
              if max(own, n - own) <= most}
    check(f"{path.name}: slices", sorted(slices), sorted(wanted))
    for (own, opponent), s in slices.items():
        name = f"{path.name} {own}v{opponent}"
        check(f"{name}: positions", s["positions"], comb(points, own) * comb(points - own, opponent))
        check(f"{name}: win + draw + loss", s["win"] + s["draw"] + s["loss"], s["positions"])
        row = [f"{s[key]:,}" for key in ("win", "draw", "loss")]
        if run["metric"] == "wdl":
            row.append(f"{100 * s['draw'] / s['positions']:.2f} %")
        else:
            row += ["–" if s[key] is None else str(s[key]) for key in ("max_win", "max_loss")]
        if "bytes" in s:
            row.append(f"{s['bytes']:,}")
        if "zugzwang" in s:
            row += [f"{s['zugzwang'][key]:,}" for key in ("total", "full")]
        row = f"| {own}v{opponent} | {' | '.join(row)} |"
        check(f"{name}: rows of RESULTS.md '{row}'", page.count(row), 1)

    for total in filter(lambda p: p["board"] == run["board"], published["placements"]):
        first, _, last = str(total["stones"]).rpartition("-")
        first, last = int(first or last), int(last)
        if last <= stones:
            found = sum(s["positions"] for k, s in slices.items() if first <= sum(k) <= last)
            check(f"{path.name}: {total['stones']} stones", found, total["positions"])

    others = [s for s in published["slices"] if same_game(s)]
    for other in (ROOT / "data/values").glob("*.json"):
        other = read(other)
        if "slices" in other and "board" in other and same_game(other):
            others += other["slices"]
    for other in map(read, runs):
        others += other["slices"] if same_game(other) else []
    for other in others:
        s = slices.get((other["own"], other["opponent"]), {})
        for key in KEYS:
            if key in s and key in other:
                check(f"{path.name} {other['own']}v{other['opponent']}: {key}", s[key], other[key])

proved = {(s["board"], s["rules"]): s["value"] for s in read(ROOT / "data/proofs/vela.json")["starts"]}
for start in read(vela)["starts"]:
    name = (start["board"], start["rules"])
    if proved.get(name, "unknown") != "unknown":
        check(f"{vela.name}: start of {' '.join(name)}", start["value"], proved[name])
for row in read(vela)["rows"] + read(vela_9x5)["rows"]:
    width, height = map(int, row["board"].split("x"))
    points, victor = width * height, row["victor"]
    check(f"{vela.name}: {row}", row["win"] + row["draw"] + row["loss"],
          comb(points, victor) * comb(points - victor, row["challenger"]))

print(f"{done} comparisons, {len(wrong)} wrong")
sys.exit("\n".join(wrong) or 0)
