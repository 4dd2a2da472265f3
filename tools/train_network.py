#!/usr/bin/env python3
"""Trains the network of the engine's evaluation and writes crates/engine/src/evaluation/network.bin.

    python3 tools/train_network.py [--epochs N] [--seed N] [--weight-of-results X] FILE...

FILE has the lines that the example 'positions' of fanorona-benches prints. data/notes/player.md has
the commands that made today's network. Needs Python 3.9 and NumPy.

The target of a position is a mean of its result and of the expected result by its score, where it has
one. The loss is the cross-entropy. Each batch is mirrored at random, as the board allows. A twentieth
of the positions, whole stretches of each file, is kept apart to measure the loss.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

TARGET = Path(__file__).resolve().parent.parent / "crates/engine/src/evaluation/network.bin"

# As in crates/engine/src/evaluation/network.rs.
WIDTH, HEIGHT = 9, 5
POINTS = WIDTH * HEIGHT
SETS = 6
HIDDEN = 128
PHASES = 9
ONE, ONE_OUT = 128, 64
# The product of a hidden unit and its weight has 16 bits.
LARGEST = 127 / ONE_OUT
SCALE = 100

BATCH = 4096


def read(path):
    """The sets of points, results and scores (NaN if there is none) of a file."""
    sets, results, scores = [], [], []
    for number, line in enumerate(Path(path).open(), 1):
        fields = line.split()
        if len(fields) != 2 + SETS or fields[0] not in ("1", "0.5", "0"):
            sys.exit(f"{path}, line {number}: not a line of 'positions'")
        results.append(float(fields[0]))
        scores.append(float("nan") if fields[1] == "-" else float(fields[1]))
        sets.append([int(field, 16) for field in fields[-SETS:]])
    return np.array(sets, np.uint64), np.array(results, np.float32), np.array(scores, np.float32)


def inputs(sets):
    """The sets as rows of zeros and ones."""
    bits = (sets[:, :, None] >> np.arange(POINTS, dtype=np.uint64)) & np.uint64(1)
    return bits.astype(np.float32).reshape(len(sets), SETS * POINTS)


def mirrors():
    """For each symmetry of the board, the order of the inputs."""
    points = np.arange(POINTS).reshape(HEIGHT, WIDTH)
    boards = [points[::rows, ::files] for rows in (1, -1) for files in (1, -1)]
    return [np.concatenate([board.ravel() + POINTS * i for i in range(SETS)]) for board in boards]


def phases(sets):
    stones = np.bitwise_count(sets[:, 0]) + np.bitwise_count(sets[:, 1])
    return np.minimum((stones.astype(np.int64) - 1) // 4, PHASES - 1)


def forward(parameters, x, phase):
    first, bias, second, output_bias = parameters
    sums = x @ first + bias
    hidden = np.clip(sums, 0, 1) ** 2
    return sums, hidden, np.einsum("ij,ij->i", hidden, second[phase]) + output_bias[phase]


def loss(odds, target):
    return np.mean(np.logaddexp(0, odds) - target * odds)


def gradients(parameters, x, phase, target):
    first, _, second, output_bias = parameters
    sums, hidden, odds = forward(parameters, x, phase)
    error = ((1 / (1 + np.exp(-odds)) - target) / len(x)).astype(np.float32)
    to_second, to_output_bias = np.zeros_like(second), np.zeros_like(output_bias)
    np.add.at(to_output_bias, phase, error)
    for i in range(PHASES):
        chosen = phase == i
        to_second[i] = error[chosen] @ hidden[chosen]
    inside = (sums > 0) & (sums < 1)
    to_sums = error[:, None] * second[phase] * (2 * np.clip(sums, 0, 1)) * inside
    return loss(odds, target), [x.T @ to_sums, to_sums.sum(0), to_second, to_output_bias]


def quantised(parameters):
    first, bias, second, output_bias = parameters
    scales = (ONE, ONE, ONE_OUT, ONE_OUT)
    rounded = [np.rint(p * s) for p, s in zip((first, bias, second, output_bias), scales)]
    largest = (np.abs(rounded[0]).sum(0) + np.abs(rounded[1])).max()
    if largest > 32_767:
        sys.exit(f"a sum could be too large for 16 bits: {largest}")
    return rounded, scales


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--weight-of-results", type=float, default=0.6)
    parser.add_argument("--output", type=Path, default=TARGET)
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    parts = [read(path) for path in arguments.files]
    apart = np.concatenate([np.arange(len(part[0])) % 20_000 >= 19_000 for part in parts])
    sets, results, scores = (np.concatenate(column) for column in zip(*parts))
    share = np.where(np.isnan(scores), 1, arguments.weight_of_results)
    expected = 1 / (1 + np.exp(-np.nan_to_num(scores) / SCALE))
    targets = (share * results + (1 - share) * expected).astype(np.float32)

    random = np.random.default_rng(arguments.seed)
    uniform = lambda shape, size: random.uniform(-size, size, shape).astype(np.float32)
    parameters = [
        uniform((SETS * POINTS, HIDDEN), 0.15),
        np.full(HIDDEN, 0.3, np.float32),
        uniform((PHASES, HIDDEN), 0.2),
        np.zeros(PHASES, np.float32),
    ]
    means = [np.zeros_like(p) for p in parameters]
    squares = [np.zeros_like(p) for p in parameters]
    orders = mirrors()
    training = np.flatnonzero(~apart)
    steps = arguments.epochs * (len(training) // BATCH)
    print(f"{len(training)} positions, {apart.sum()} apart", flush=True)

    held = [(sets[i], targets[i], results[i]) for i in np.array_split(np.flatnonzero(apart), 20)]

    def measured(parameters):
        found = [
            (loss(odds, target), loss(odds, result), len(sets))
            for sets, target, result in held
            for odds in [forward(parameters, inputs(sets), phases(sets))[2]]
        ]
        return np.average([f[:2] for f in found], axis=0, weights=[f[2] for f in found])

    step = 0
    for epoch in range(arguments.epochs):
        random.shuffle(training)
        sums = []
        for batch in np.array_split(training, max(1, len(training) // BATCH)):
            step += 1
            x = inputs(sets[batch])[:, orders[random.integers(len(orders))]]
            found, slopes = gradients(parameters, x, phases(sets[batch]), targets[batch])
            sums.append(found)
            # Adam, with a rate that falls as a cosine does.
            rate = 2e-3 * (0.5 + 0.5 * np.cos(np.pi * min(1, step / max(1, steps)))) + 1e-5
            for p, slope, mean, square in zip(parameters, slopes, means, squares):
                mean += 0.1 * (slope - mean)
                square += 0.001 * (slope * slope - square)
                p -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
            np.clip(parameters[2], -LARGEST, LARGEST, out=parameters[2])
        of_target, of_result = measured(parameters)
        print(f"epoch {epoch + 1}: loss {np.mean(sums):.4f}, apart {of_target:.4f}, of results {of_result:.4f}", flush=True)

    rounded, scales = quantised(parameters)
    of_target, of_result = measured([(r / s).astype(np.float32) for r, s in zip(rounded, scales)])
    print(f"as integers: {of_target:.4f}, of results {of_result:.4f}")
    data = b"".join(numbers.astype("<i2").tobytes() for numbers in rounded)
    arguments.output.write_bytes(data)
    print(f"{arguments.output.name}: {len(data)} bytes")


if __name__ == "__main__":
    main()
