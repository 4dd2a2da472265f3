"""Compares Tables.probe_many with the Rust function below it, in paired runs with equal answers.

    cargo build --release -p fanorona-tablebase --example probe_many
    python crates/python/benches/probe_many.py target/release/examples/probe_many tables

Each round starts one process of either kind, in turn. Both open the tables, probe the same positions
twice, and report the seconds of each run. On a busy machine only the processor time of the whole
processes says much. The time of Python includes the checks of the arrays, the
positions made of them and the arrays of the result; that of Rust begins with positions. The package
must have been built with optimization (pip does).
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from math import comb
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import fanorona


def worker(directory: str, positions: Path, values: Path) -> None:
    """What the Rust program does."""
    stones = np.fromfile(positions, dtype="<u8").reshape(-1, 2).astype(np.uint64)
    begun = time.perf_counter()
    with fanorona.Tables(directory) as tables:
        found = tables.probe_many(stones[:, 0], stones[:, 1])
        cold = time.perf_counter() - begun
        begun = time.perf_counter()
        again = tables.probe_many(stones[:, 0], stones[:, 1])
        print(cold, time.perf_counter() - begun)
    assert (found.value == again.value).all()
    (found.value + 1).astype(np.uint8).tofile(values)


def random_stones(count: int, stones: int, seed: int) -> NDArray[np.uint64]:
    """Positions of all slices up to a number of stones, each slice with its share of them."""
    board = fanorona.Board("9x5")
    pairs = [(a, n - a) for n in range(2, stones + 1) for a in range(1, n)]
    points = board.num_points
    sizes = [comb(points, own) * comb(points - own, opponent) for own, opponent in pairs]
    chance = np.random.default_rng(seed)
    shares = chance.multinomial(count, np.array(sizes) / sum(sizes))
    parts = [
        np.stack(fanorona.random_positions(board, pair, share, seed), axis=1)
        for pair, share in zip(pairs, shares, strict=True)
    ]
    return chance.permutation(np.concatenate(parts))


def run(command: list[str]) -> tuple[float, float, float]:
    """The seconds of the two runs, and the processor time of the whole process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    cold, warm = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user, system = after.ru_utime - before.ru_utime, after.ru_stime - before.ru_stime
    return float(cold), float(warm), user + system


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("program", help="the Rust example probe_many")
    parser.add_argument("tables", help="a directory with tables of 9x5, standard rules")
    parser.add_argument("--positions", type=int, default=1_000_000)
    parser.add_argument("--stones", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as directory:
        positions = Path(directory, "positions")
        of_rust, of_python = Path(directory, "rust"), Path(directory, "python")
        random_stones(args.positions, args.stones, args.seed).astype("<u8").tofile(positions)
        here = [sys.executable, __file__, "--worker"]
        ratios: list[list[float]] = []
        for number in range(args.rounds):
            rust = [args.program, args.tables, str(positions), str(of_rust)]
            python = [*here, args.tables, str(positions), str(of_python)]
            order = [rust, python] if number % 2 == 0 else [python, rust]
            first, second = (run(command) for command in order)
            rust_times, python_times = (first, second) if order[0] is rust else (second, first)
            assert of_rust.read_bytes() == of_python.read_bytes(), "the values differ"
            ratios.append([mine / its for mine, its in zip(python_times, rust_times, strict=True)])
            texts = [
                f"{name} {cold:.3f} s, then {warm:.3f} s, processor {processor:.3f} s"
                for name, (cold, warm, processor) in [("Rust", rust_times), ("Python", python_times)]
            ]
            print(f"round {number + 1}: " + "; ".join(texts), flush=True)
        for index, name in enumerate(["first run", "second run", "processor time"]):
            found = [ratio[index] for ratio in ratios]
            print(
                f"{name}, Python / Rust: median {statistics.median(found):.3f} "
                f"({min(found):.3f} to {max(found):.3f}), equal values of {args.positions} positions"
            )


if __name__ == "__main__":
    if sys.argv[1:2] == ["--worker"]:
        worker(sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4]))
    else:
        main()
