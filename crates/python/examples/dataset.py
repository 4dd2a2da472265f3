"""Writes all positions with few stones, with their values, to a file for NumPy.

    python dataset.py [--board 5x5] [--stones 4] [--tables DIR] [--out positions.npz]

Each entry of the file is a position from the side that is to move. The arrays:

    own, opponent   uint64   the stones as bitboards; bit 0 is a1, bit 1 is b1, and so on
    value           int8     1 a win, 0 a draw, -1 a loss for the side to move
    dtw             int32    turns of both sides until the end of the game; -1 in draws
    weight          uint8    placements of the stones that the entry stands for (its mirror images)
    own_stones, opponent_stones   uint8   the numbers of stones

Without --tables, the tables are built in a temporary directory. In pandas and polars:

    pandas.DataFrame(dict(numpy.load("positions.npz")))
    polars.DataFrame(dict(numpy.load("positions.npz"))).write_parquet("positions.parquet")
"""

import argparse
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fanorona import Tables, build

Arrays = dict[str, NDArray[Any]]


@contextmanager
def opened_tables(directory: Path | None, board: str, rules: str, stones: int) -> Iterator[Tables]:
    """The tables of a directory, or new ones in a temporary directory."""
    with tempfile.TemporaryDirectory() as temporary:
        if directory is None:
            build(temporary, stones, board=board, rules=rules)
        with Tables(directory or temporary, board=board, rules=rules) as tables:
            yield tables


def positions(tables: Tables, stones: int) -> Arrays:
    """All positions that the tables have with up to this number of stones, as arrays."""
    parts: list[Arrays] = []
    # A slice has two tables if there is one with distances and one without.
    slices = sorted({(info.own, info.opponent) for info in tables.slices()})
    for own, opponent in slices:
        if own + opponent > stones:
            continue
        for block in tables.blocks((own, opponent)):
            parts.append(
                {
                    "own": block.own,
                    "opponent": block.opponent,
                    "value": block.value,
                    "dtw": block.dtw,
                    "weight": block.weight,
                    "own_stones": np.full(len(block), own, np.uint8),
                    "opponent_stones": np.full(len(block), opponent, np.uint8),
                }
            )
    if not parts:
        raise SystemExit(f"there are no tables with up to {stones} stones in {tables.dir}")
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def main() -> None:
    parser = argparse.ArgumentParser(description="Writes positions with their values")
    parser.add_argument("--board", default="5x5")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--stones", type=int, default=4)
    parser.add_argument("--tables", type=Path, help="a directory with tables")
    parser.add_argument("--out", type=Path, default=Path("positions.npz"))
    options = parser.parse_args()
    with opened_tables(options.tables, options.board, options.rules, options.stones) as tables:
        arrays = positions(tables, options.stones)
    np.savez_compressed(options.out, **arrays)  # type: ignore[arg-type]
    weight = arrays["weight"].astype(np.int64)
    print(f"{options.out}: {len(weight)} entries for {weight.sum()} positions")
    for name, value in (("wins", 1), ("draws", 0), ("losses", -1)):
        print(f"  {name}: {weight[arrays['value'] == value].sum()}")
    print(f"  longest: {arrays['dtw'].max()} turns")


if __name__ == "__main__":
    main()
