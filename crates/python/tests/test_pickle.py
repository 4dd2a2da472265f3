"""Pickles and copies of every class."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fanorona as f

# These stand for files or work, or for tables, which are in files.
WITHOUT = {"Blocks", "Book", "BuildReport", "Engine", "Estimate", "SliceInfo"}


def objects(small: f.Tables, dir: Path, data: Path) -> list[Any]:
    progress: list[Any] = []
    start, turn, begun = f.Position("3x3"), f.Position().legal_turns()[0], f.Position().begin()
    begun.make(turn.steps[0])
    suite, proof = dir / "suite", data / "proofs" / "3x5-standard.proof"
    suite.write_text("id one\nrules standard\ncount turns\nposition 3/1W1/2B w\nperft 2 5\n")
    report = f.check_suite(suite)
    own, opponent = f.random_positions("5x3", "2v2", 10, seed=1)
    f.build(dir, 3, "3x3", progress=progress.append)
    f.analyze(f.Position(), "free-capture", time=1, progress=progress.append)
    turns = 2 * ["e1-e2", "a5-a4", "e2-e1", "a4-a5"]
    game = f.Game("B4/5/5/5/4W w", "free-capture", draw_rules="without-capture-9", turns=turns)
    game.annotate("why?", glyph=2, variation="1. e1-d2", after=1)
    game.white, game.date = "Rakoto", "2026-11-22"
    return [
        *(f.Board("7x3"), f.RuleSet("vela+victor-black"), start, turn, turn.steps[0], begun, game),
        *(f.Outcome("white"), f.Outcome(None), f.TableValue(1, 5), f.TableValue(0)),
        *(small, *small.rank("2W2/5/B4 w"), next(small.blocks("2v1"))),
        *(small.probe_many(own, opponent), small.rank_many(own, opponent)),
        *(f.analyze(start, certificate=dir / "proof"), f.analyze("5x3", tables=small)),
        *(f.analyze("9x5", nodes=10), f.assess("5x3", tables=small), f.assess("9x5")),
        *(f.Engine("3x3", level=4).think(start), f.Engine("3x3", level=4).think("3/1W1/3 b")),
        *(f.Book(proof).lookup("3x5"), f.check_certificate(proof)),
        *(report, *report.mismatches, *f.verify(small, how="quick"), *progress),
    ]


def seen(it: Any) -> Any:
    """What can be seen of an object."""
    if isinstance(it, list | tuple | np.ndarray):
        return [seen(part) for part in it]
    if type(it).__module__ != "fanorona" or isinstance(it, str | int):
        return it
    parts = {name: getattr(it, name) for name in dir(it) if not name.startswith("_")}
    # RuleSet.STANDARD has itself.
    kept = {name: seen(part) for name, part in parts.items() if type(part) is not type(it)}
    return type(it), repr(it), {name: part for name, part in kept.items() if not callable(part)}


@pytest.mark.parametrize(
    "again", [lambda it: pickle.loads(pickle.dumps(it)), copy.copy, copy.deepcopy]
)
def test_objects_are_pickled_and_copied(
    again: Callable[[Any], Any], small: f.Tables, tmp_path: Path, data: Path
) -> None:
    tested = set()
    for it in objects(small, tmp_path, data):
        assert seen(again(it)) == seen(it)
        assert "__eq__" not in vars(type(it)) or again(it) == it
        tested.add(type(it).__name__)
    native = {name for name in f._native.__all__ if isinstance(getattr(f._native, name), type)}
    assert tested == native - WITHOUT
