#!/usr/bin/env python3
"""Measures how many random positions the search can prove, and how fast. Writes
data/proofs/random-BOARD-RULES.json and a table in crates/solver/docs/SEARCH.md.

    cargo build --release -p fanorona-cli
    target/release/fanorona build --stones 8 --metric wdl --tables DIR
    target/release/fanorona unpack --tables DIR
    python3 tools/prove_random.py --tables DIR --stones 9 10 12 14 16 --machine "2 cores of an AMD EPYC, 24 GiB"

For N stones it draws N points and gives each stone a random colour; White is to move. A position with
stones of only one colour is drawn again. So all positions with N stones are equally likely. The same seed
gives the same positions. Needs Python 3.9.
"""

import argparse
import datetime
import json
import pathlib
import random
import subprocess
import tempfile

from prove_starts import DATA, PAGE, ROOT, replace_part

WITHIN = [1, 10, 60]


def draw(chance, width, height, stones):
    """A position's text."""
    points = width * height
    while True:
        cells = ["1"] * points
        for point in chance.sample(range(points), stones):
            cells[point] = chance.choice("WB")
        if "W" in cells and "B" in cells:
            break
    ranks = ["".join(cells[i:i + width]) for i in range(0, points, width)]
    for empty in range(width, 1, -1):
        ranks = [rank.replace("1" * empty, str(empty)) for rank in ranks]
    return "/".join(ranks) + " w"


def search(options, positions):
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(positions) + "\n")
        file.flush()
        command = [options.program, "analyze", "--board", options.board, "--rules", options.rules,
                   "--tables", options.tables, "--batch", file.name, "--time", str(max(WITHIN)),
                   "--memory", str(options.memory), "--threads", str(options.threads), "--json"]
        output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in output.splitlines()]


def row(stones, reports):
    solved = [report["seconds"] for report in reports if report["proved"]]
    values = [report["value"] for report in reports]
    return {
        "stones": stones,
        "positions": len(reports),
        "solved_within": {str(limit): sum(s <= limit for s in solved) for limit in WITHIN},
        "values": {value: values.count(value) for value in ("win", "draw", "loss", "unknown")},
        "nodes": sum(report["nodes"] for report in reports),
        "seconds": round(sum(report["seconds"] for report in reports), 1),
        "open": [report["position"] for report in reports if not report["proved"]],
    }


def table(result):
    limits = " | ".join(f"within {limit} s" for limit in WITHIN)
    lines = [
        f"Rule set `{result['rules']}`, {result['board']}, tables up to {result['tables']} stones, "
        f"{result['threads']} threads, {result['memory']:,} MiB; {result['machine']}; {result['date']}.",
        "",
        f"| stones | positions | {limits} | win | draw | loss | unknown "
        "| positions searched | million/s |",
        "|---:|---:|" + "---:|" * (len(WITHIN) + 6),
    ]
    for row in result["rows"]:
        cells = [row["stones"], row["positions"]]
        cells += [f"{100 * row['solved_within'][str(limit)] / row['positions']:.0f} %" for limit in WITHIN]
        cells += [row["values"][value] for value in ("win", "draw", "loss", "unknown")]
        cells += [f"{row['nodes']:,}", f"{row['nodes'] / max(row['seconds'], 0.1) / 1e6:.1f}"]
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", default=ROOT / "target/release/fanorona")
    parser.add_argument("--tables", type=pathlib.Path, required=True)
    parser.add_argument("--machine", required=True, help="a description of the machine")
    parser.add_argument("--board", default="9x5")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--stones", type=int, nargs="+", default=[9, 10, 12, 14])
    parser.add_argument("--positions", type=int, default=100, help="positions for each number of stones")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--memory", type=int, default=2048, help="MiB for the search")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    width, height = map(int, options.board.split("x"))
    there = subprocess.run([options.program, "tables", "--board", options.board, "--rules", options.rules,
                            "--tables", options.tables, "--json"], check=True, stdout=subprocess.PIPE)
    slices = json.loads(there.stdout)["slices"]
    chance, rows = random.Random(options.seed), []
    for stones in options.stones:
        positions = [draw(chance, width, height, stones) for _ in range(options.positions)]
        rows.append(row(stones, search(options, positions)))
        print(json.dumps(rows[-1]), flush=True)
    result = {
        "source": f"tools/prove_random.py --board {options.board} --rules {options.rules} "
                  f"--seed {options.seed} --positions {options.positions}",
        "machine": options.machine,
        "date": datetime.date.today().isoformat(),
        "board": options.board,
        "rules": options.rules,
        "tables": max(each["own"] + each["opponent"] for each in slices),
        "threads": options.threads,
        "memory": options.memory,
        "rows": rows,
    }
    name = f"random-{options.board}-{options.rules}"
    (DATA / f"{name}.json").write_text(json.dumps(result, indent=2) + "\n")
    replace_part(name, table(result), PAGE.with_name("SEARCH.md"))


if __name__ == "__main__":
    main()
