"""Plots how many positions are won, lost and drawn, and in how many turns.

    python plot_distances.py [--board 5x5] [--stones 5] [--tables DIR] [--out FILE]

Needs `pip install fanorona[examples]` for matplotlib. The left picture has a bar for each slice:
3v2 is three stones of the side to move against two. The right one counts positions by the number
of turns until the end of the game. Counts are over all placements of the stones.
"""

import argparse
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from dataset import Arrays, opened_tables, positions
from matplotlib.figure import Figure

COLOURS = {"win": "#0b4f9e", "draw": "#b9a27a", "loss": "#b3001b"}
VALUES = {"win": 1, "draw": 0, "loss": -1}


def figure(arrays: Arrays, title: str) -> Figure:
    weight = arrays["weight"].astype(np.float64)
    value, dtw = arrays["value"], arrays["dtw"]
    made, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    made.suptitle(title)

    slices = sorted(
        set(zip(arrays["own_stones"].tolist(), arrays["opponent_stones"].tolist(), strict=True)),
        key=lambda slice: (sum(slice), slice),
    )
    bottom = np.zeros(len(slices))
    for name, number in VALUES.items():
        shares = []
        for own, opponent in slices:
            inside = (arrays["own_stones"] == own) & (arrays["opponent_stones"] == opponent)
            shares.append(weight[inside & (value == number)].sum() / weight[inside].sum())
        left.bar(
            [f"{own}v{opponent}" for own, opponent in slices],
            shares,
            bottom=bottom,
            color=COLOURS[name],
            label=name,
        )
        bottom += shares
    left.set_ylabel("share of the positions")
    left.set_xlabel("stones of the side to move v opponent")
    left.tick_params(axis="x", labelrotation=60 if len(slices) > 8 else 0)
    left.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=3, frameon=False)

    for name in ("win", "loss"):
        chosen = value == VALUES[name]
        counts = np.bincount(dtw[chosen], weight[chosen])
        turns = np.flatnonzero(counts)
        right.plot(turns, counts[turns], ".-", color=COLOURS[name], label=name)
    right.set_yscale("log")
    right.set_xlabel("turns until the end of the game (dtw)")
    right.set_ylabel("positions")
    right.grid(alpha=0.3)
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description="Plots the values and distances of tables")
    parser.add_argument("--board", default="5x5")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--stones", type=int, default=5)
    parser.add_argument("--tables", type=Path, help="a directory with tables")
    parser.add_argument("--out", type=Path, default=Path("distances.svg"))
    options = parser.parse_args()
    with opened_tables(options.tables, options.board, options.rules, options.stones) as tables:
        arrays = positions(tables, options.stones)
    title = f"{options.board}, {options.rules}, up to {options.stones} stones"
    plt.switch_backend("agg")
    figure(arrays, title).savefig(options.out)
    print(f"{options.out}: {int(arrays['weight'].sum(dtype=np.int64))} positions")


if __name__ == "__main__":
    main()
