"""Trains a small evaluation on the values of tables, with NumPy alone.

    python train.py [--board 5x5] [--stones 5] [--tables DIR] [--epochs 8]

A network with one hidden layer learns win, draw or loss from the stones. The script prints how
often it is right on positions that it was not trained on, and how often two rules of thumb are.

The split is honest: all mirror images of a position are on the same side of it. Otherwise the
network would be tested on positions that it has seen in a mirror. Training then uses random mirror
images of its own positions. Accuracies are over all placements of the stones. The same arguments
give the same split and, on one machine, the same numbers.
"""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from dataset import Arrays, opened_tables, positions
from numpy.typing import NDArray

from fanorona import Board, Position, Side, planes

Bits = NDArray[np.uint8]
Floats = NDArray[np.float32]
Integers = NDArray[np.int64]


def mirrors(board: Board) -> list[Integers]:
    """For each symmetry of the board, where it takes each point."""
    return [
        np.array(
            [
                Position.from_bitboards(board, 1 << point, 0, Side.WHITE)
                .transformed(symmetry)
                .white.bit_length()
                - 1
                for point in range(board.num_points)
            ]
        )
        for symmetry in board.symmetries()
    ]


def bits(arrays: Arrays, board: Board) -> tuple[Bits, Bits]:
    """One column a point, for the stones of either side."""
    both = planes(arrays["own"], arrays["opponent"], board)
    own, opponent = both.reshape(-1, 2, board.num_points).transpose(1, 0, 2)
    return own, opponent


def classes(own: Bits, opponent: Bits, maps: list[Integers]) -> Integers:
    """A number for each position; two have the same one if a symmetry maps one to the other."""
    powers = np.uint64(1) << np.arange(own.shape[1], dtype=np.uint64)
    best = np.full((len(own), 2), np.iinfo(np.uint64).max, np.uint64)
    for to in maps:
        image = np.stack([stones.astype(np.uint64) @ powers[to] for stones in (own, opponent)], 1)
        less = image[:, 0] < best[:, 0]
        less |= (image[:, 0] == best[:, 0]) & (image[:, 1] < best[:, 1])
        best[less] = image[less]
    _, numbers = np.unique(best, axis=0, return_inverse=True)
    return numbers.reshape(-1).astype(np.int64)


class Network:
    """Stones in, the probabilities of loss, draw and win out; trained with Adam."""

    def __init__(self, inputs: int, hidden: int, random: np.random.Generator) -> None:
        def layer(rows: int, columns: int) -> list[Floats]:
            weights = random.normal(0, (2 / rows) ** 0.5, (rows, columns)).astype(np.float32)
            return [weights, np.zeros(columns, np.float32)]

        self.weights = layer(inputs, hidden) + layer(hidden, 3)
        self.means = [np.zeros_like(weight) for weight in self.weights]
        self.squares = [np.zeros_like(weight) for weight in self.weights]
        self.steps = 0

    def forward(self, inputs: Floats) -> tuple[Floats, Floats]:
        first, bias, second, last_bias = self.weights
        hidden = np.maximum(inputs @ first + bias, 0)
        scores = hidden @ second + last_bias
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return hidden, scores / scores.sum(axis=1, keepdims=True)

    def train(self, inputs: Floats, targets: Integers, weights: Floats, rate: float) -> None:
        """One step of Adam for the weighted cross-entropy."""
        hidden, error = self.forward(inputs)
        error[np.arange(len(targets)), targets] -= 1
        error *= (weights / weights.sum())[:, None]
        below = (error @ self.weights[2].T) * (hidden > 0)
        gradients = [inputs.T @ below, below.sum(axis=0), hidden.T @ error, error.sum(axis=0)]
        self.steps += 1
        for index, gradient in enumerate(gradients):
            self.means[index] += 0.1 * (gradient - self.means[index])
            self.squares[index] += 0.001 * (gradient**2 - self.squares[index])
            mean = self.means[index] / (1 - 0.9**self.steps)
            square = self.squares[index] / (1 - 0.999**self.steps)
            self.weights[index] -= rate * mean / (np.sqrt(square) + 1e-8)

    def predict(self, inputs: Floats) -> Integers:
        """0 loss, 1 draw, 2 win."""
        chosen = [
            self.forward(inputs[first : first + 65536])[1].argmax(axis=1)
            for first in range(0, len(inputs), 65536)
        ]
        return np.concatenate(chosen)


def accuracy(predicted: Integers, targets: Integers, weights: Floats) -> float:
    return float(np.average(predicted == targets, weights=weights.astype(np.float64)))


def commonest(targets: Integers, weights: Floats) -> int:
    return int(np.bincount(targets, weights, 3).argmax())


def experiment(
    arrays: Arrays, board: Board, epochs: int, seed: int, log: Callable[[str], Any] = print
) -> dict[str, float]:
    """Trains and tests; the accuracies on the positions that are held out."""
    random = np.random.default_rng(seed)
    maps = mirrors(board)
    own, opponent = bits(arrays, board)
    targets = arrays["value"].astype(np.int64) + 1
    weights = arrays["weight"].astype(np.float32)
    material = arrays["own_stones"].astype(np.int64) * 64 + arrays["opponent_stones"]

    numbers = classes(own, opponent, maps)
    held_out = (random.permutation(numbers.max() + 1) < (numbers.max() + 1) // 5)[numbers]
    train, test = np.flatnonzero(~held_out), np.flatnonzero(held_out)
    if not len(test):
        raise SystemExit("there are too few positions to hold some out")
    log(f"{numbers.max() + 1} positions up to symmetry, a fifth of them held out")

    def tested(predicted: Integers) -> float:
        return accuracy(predicted, targets[test], weights[test])

    always = np.full(len(test), commonest(targets[train], weights[train]))
    by_material = np.empty(len(test), np.int64)
    for number in np.unique(material):
        alike = train[material[train] == number]
        value = commonest(targets[alike], weights[alike]) if len(alike) else int(always[0])
        by_material[material[test] == number] = value
    results = {"commonest value": tested(always), "commonest by stones": tested(by_material)}
    for name, result in results.items():
        log(f"  {name}: {result:.1%} right")

    stones = np.concatenate([own, opponent], axis=1).astype(np.float32)
    network = Network(stones.shape[1], 128, random)
    for epoch in range(epochs):
        rate = 0.003 * (1 - epoch / epochs)
        order = random.permutation(train)
        for first in range(0, len(order), 512):
            batch = order[first : first + 512]
            to = maps[int(random.integers(len(maps)))]
            image = np.empty((len(batch), stones.shape[1]), np.float32)
            image[:, np.concatenate([to, to + board.num_points])] = stones[batch]
            network.train(image, targets[batch], weights[batch], rate)
        results["network"] = tested(network.predict(stones[test]))
        log(f"  network after epoch {epoch + 1}: {results['network']:.1%} right")
    return results


def main() -> None:
    parser = argparse.ArgumentParser(description="Trains a network on the values of tables")
    parser.add_argument("--board", default="5x5")
    parser.add_argument("--rules", default="standard")
    parser.add_argument("--stones", type=int, default=5)
    parser.add_argument("--tables", type=Path, help="a directory with tables")
    parser.add_argument("--epochs", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with opened_tables(options.tables, options.board, options.rules, options.stones) as tables:
        arrays = positions(tables, options.stones)
    experiment(arrays, Board(options.board), options.epochs, options.seed)


if __name__ == "__main__":
    main()
