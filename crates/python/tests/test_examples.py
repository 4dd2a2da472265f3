"""Runs the examples, in reduced size, and checks what they write."""

import importlib
import importlib.util
import itertools
import subprocess
import sys
from math import comb
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from fanorona import Board, Position, Side, Tables, build

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def run(directory: Path, script: str, *args: str) -> str:
    """Runs a script in a directory; what it printed. A warning is an error."""
    command = [sys.executable, "-W", "error", str(EXAMPLES / script), *args]
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported(monkeypatch: pytest.MonkeyPatch, name: str) -> ModuleType:
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module(name)


def test_dataset(tmp_path: Path) -> None:
    build(tmp_path / "tables", 4, board="5x3")
    args = "--board 5x3 --stones 4 --tables tables --out a.npz"
    printed = run(tmp_path, "dataset.py", *args.split())
    with np.load(tmp_path / "a.npz") as file:
        arrays: dict[str, Any] = dict(file)
    weight = arrays["weight"].astype(int)
    slices = [(own, opponent) for own in (1, 2, 3) for opponent in (1, 2, 3) if own + opponent <= 4]
    for own, opponent in slices:
        inside = (arrays["own_stones"] == own) & (arrays["opponent_stones"] == opponent)
        assert weight[inside].sum() == comb(15, own) * comb(15 - own, opponent)
    total = sum(comb(15, own) * comb(15 - own, opponent) for own, opponent in slices)
    assert f"a.npz: {len(weight)} entries for {total} positions" in printed
    with Tables(tmp_path / "tables", board="5x3") as tables:
        for index in np.random.default_rng(1).choice(len(weight), 200, replace=False):
            stones = int(arrays["own"][index]), int(arrays["opponent"][index])
            value = tables.probe(Position.from_bitboards("5x3", *stones, Side.WHITE))
            assert arrays["value"][index] == value.value
            assert arrays["dtw"][index] == (-1 if value.dtw is None else value.dtw)
            assert stones[0].bit_count() == arrays["own_stones"][index]
            assert stones[1].bit_count() == arrays["opponent_stones"][index]


def test_dataset_with_its_own_tables(tmp_path: Path) -> None:
    printed = run(tmp_path, "dataset.py", "--board", "3x3", "--stones", "3")
    assert "positions.npz" in printed and (tmp_path / "positions.npz").exists()


def test_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="the plot is not tested: matplotlib is not installed")
    args = "--board 3x3 --stones 4 --out plot.svg"
    printed = run(tmp_path, "plot_distances.py", *args.split())
    total = sum(
        comb(9, own) * comb(9 - own, opponent)
        for own, opponent in itertools.product((1, 2, 3), repeat=2)
        if own + opponent <= 4
    )
    assert printed == f"plot.svg: {total} positions\n"
    assert ElementTree.parse(tmp_path / "plot.svg").getroot().tag.endswith("svg")


def test_training(tmp_path: Path) -> None:
    args = "train.py", "--board", "5x3", "--stones", "5", "--epochs", "2"
    first, second = run(tmp_path, *args), run(tmp_path, *args)
    assert first == second
    shares = [float(line.split(": ")[1].split("%")[0]) for line in first.splitlines()[1:]]
    commonest, by_stones, network = shares[0], shares[1], shares[-1]
    assert len(shares) == 2 + 2
    assert commonest <= by_stones < network < 100


def test_mirror_images_are_one_class(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The split of the training example, compared with the symmetries of positions."""
    train, dataset = imported(monkeypatch, "train"), imported(monkeypatch, "dataset")
    for text in ("3x3", "5x3"):
        board = Board(text)
        with dataset.opened_tables(None, text, "standard", 3) as tables:
            arrays = dataset.positions(tables, 3)
        own, opponent = train.bits(arrays, board)
        numbers = train.classes(own, opponent, train.mirrors(board))
        seen: dict[frozenset[Position], int] = {}
        for row in range(len(numbers)):
            stones = int(arrays["own"][row]), int(arrays["opponent"][row])
            position = Position.from_bitboards(board, *stones, Side.WHITE)
            images = frozenset(position.transformed(symmetry) for symmetry in board.symmetries())
            assert seen.setdefault(images, int(numbers[row])) == numbers[row]
        assert len(set(seen.values())) == len(seen) == numbers.max() + 1


def test_comparison_with_fanorona_aec(tmp_path: Path) -> None:
    if importlib.util.find_spec("env") is None:
        pytest.skip("not compared with fanorona-aec: pip install fanorona-aec==3.0.2")
    args = "--games 2 --pairs 1 --actions 400"
    printed = run(tmp_path, "compare_fanorona_aec.py", *args.split())
    lines = printed.splitlines()
    assert lines[0].startswith("2 random games, seed 1: ")
    # The only difference in the rules of steps is the end of a relay.
    assert lines[1].startswith("  fanorona-aec asks for an end of turn that cannot be avoided: ")
    assert lines[2].startswith("BBB6/WBB6/BBB6/9/9 w: ")
    assert lines[-1].startswith("random actions a second of processor time: ")
