#!/usr/bin/env python3
"""Fits the weights of the engine's evaluation of boards other than 9x5, and writes
crates/engine/src/evaluation/weights.rs.

    python3 tools/fit_evaluation.py NOTE FILE...

FILE has the lines that the example 'positions' of fanorona-benches prints, of 9x5: the features are
those of any board. Each file counts the same, however long it is. NOTE says in one line how the files
were made; it goes into the written file, whose head says from which data today's weights come. For
example, with tables up to 6 stones in DIR:

    cargo run --release -p fanorona-benches --example positions -- tables DIR 6 15000 1 > tables.txt
    cargo run --release -p fanorona-benches --example positions -- games 600 1500 1 > games.txt
    python3 tools/fit_evaluation.py "what these commands printed" tables.txt games.txt

The model is logistic regression: the expected result is 1 / (1 + exp(-x)), where x is the sum of
feature * (base + full * phase / 256). A small penalty on the squares of the weights keeps those small
that the data does not determine. Newton's method; the same input gives the same file. Needs Python 3.9.
"""

import sys
from math import exp, log
from pathlib import Path

TARGET = Path(__file__).resolve().parent.parent / "crates/engine/src/evaluation/weights.rs"
PENALTY = 1e-4
ROUNDS = 7
# Features are divided by this, so that one penalty suits all.
SCALE = [1, 1, 10, 1, 1, 1, 1, 1, 1]


def read(path):
    rows = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        result, _, phase, *features = line.split()[: 3 + len(SCALE)]
        if len(features) != len(SCALE) or result not in ("0", "0.5", "1"):
            sys.exit(f"{path}, line {number}: not a line of 'positions'")
        result, phase, *features = map(float, [result, phase, *features])
        scaled = [feature / scale for feature, scale in zip(features, SCALE)]
        rows.append((result, scaled + [feature * phase / 256 for feature in scaled]))
    if not rows:
        sys.exit(f"{path}: no positions")
    return rows


def expected(weights, row):
    x = sum(weight * feature for weight, feature in zip(weights, row))
    return 1 / (1 + exp(-max(-30.0, min(30.0, x))))


def solve(matrix, vector):
    """The solution of a system of linear equations, by Gaussian elimination with pivots."""
    size = len(vector)
    rows = [row + [value] for row, value in zip(matrix, vector)]
    for i in range(size):
        pivot = max(range(i, size), key=lambda j: abs(rows[j][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for j in range(i + 1, size):
            factor = rows[j][i] / rows[i][i]
            rows[j] = [a - factor * b for a, b in zip(rows[j], rows[i])]
    solution = [0.0] * size
    for i in reversed(range(size)):
        rest = sum(rows[i][j] * solution[j] for j in range(i + 1, size))
        solution[i] = (rows[i][size] - rest) / rows[i][i]
    return solution


def loss(weights, files):
    """The mean cross-entropy over files."""
    total = 0.0
    for rows in files:
        for result, row in rows:
            chance = expected(weights, row)
            total -= (result * log(chance) + (1 - result) * log(1 - chance)) / len(rows)
    return total / len(files)


def fit(files):
    size = 2 * len(SCALE)
    weights = [0.0] * size
    for _ in range(ROUNDS):
        gradient = [PENALTY * weight for weight in weights]
        hessian = [[PENALTY if i == j else 0.0 for j in range(size)] for i in range(size)]
        for rows in files:
            share = 1 / (len(rows) * len(files))
            for result, row in rows:
                chance = expected(weights, row)
                error, curve = share * (chance - result), share * chance * (1 - chance)
                used = [i for i in range(size) if row[i]]
                for i in used:
                    gradient[i] += error * row[i]
                    factor = curve * row[i]
                    line = hessian[i]
                    for j in used:
                        line[j] += factor * row[j]
        step = solve(hessian, gradient)
        weights = [weight - change for weight, change in zip(weights, step)]
    return weights


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    note, paths = sys.argv[1], sys.argv[2:]
    files = [read(path) for path in paths]
    weights = fit(files)
    nothing = loss([0.0] * len(weights), files)
    fitted = loss(weights, files)
    half = len(SCALE)
    units = [
        [round(10_000 * weights[i + k * half] / SCALE[i]) for k in range(2)] for i in range(half)
    ]
    lines = "".join(f"    [{base}, {full}],\n" for base, full in units)
    positions = sum(map(len, files))
    TARGET.write_text(f"""\
//! The weights of the evaluation, written by `tools/fit_evaluation.py`.
//!
//! Fitted to {positions} positions: {note}.
//! Mean cross-entropy {fitted:.4f}, and {nothing:.4f} without any knowledge.

/// The weights of the [features](crate::FEATURES): for each one its weight on an empty board, and
/// what is added to it with the [phase](crate::phase), all of it on a full board. The unit is a
/// ten-thousandth of the natural logarithm of the odds.
#[rustfmt::skip]
pub const WEIGHTS: [[i32; 2]; {half}] = [
{lines}];
""")
    print(f"{positions} positions, cross-entropy {fitted:.4f} instead of {nothing:.4f}")


main()
