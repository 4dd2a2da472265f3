"""Pickles and copies of every class."""

import copy
import inspect
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fanorona
from fanorona import (
    Board,
    Book,
    Engine,
    Game,
    Outcome,
    Position,
    RuleSet,
    Tables,
    TableValue,
    Value,
    analyze,
    assess,
    check_certificate,
    check_suite,
    random_positions,
    verify,
)

# What has threads or files, or is a step on the way.
WITHOUT = {"Blocks", "Book", "BuildReport", "Engine", "Estimate", "SliceInfo"}


def objects(small: Tables, dir: Path, data: Path) -> list[Any]:
    progress: list[Any] = []
    start, small_start = Board.telo().start(), small.board.start()
    turn, begun = Position().legal_turns()[0], Position().begin()
    begun.make(turn.steps[0])
    suite, proof = dir / "suite", data / "proofs" / "3x5-standard.proof"
    suite.write_text("id one\nrules standard\ncount turns\nposition 3/1W1/2B w\nperft 1 1\nperft 2 5\n")
    own, opponent = random_positions("5x3", "2v2", 10, seed=1)
    report = check_suite(suite)
    fanorona.build(dir, 3, "3x3", progress=progress.append)
    analyze(Position(), "free-capture", time=1, progress=progress.append)
    game = Game("B4/5/5/5/4W w", "free-capture", draw_rules="threefold+without-capture-9")
    for text in 2 * ["e1-e2", "a5-a4", "e2-e1", "a4-a5"]:
        game.push(text)
    game.annotate("why?", glyph=2, variation="1. e1-d2", after=1)
    game.white, game.date = "Rakoto", "2026-11-22"
    return [
        Board("7x3"),
        RuleSet("vela", victor="black", must_capture=True),
        Position().swap_colours(),
        turn,
        turn.steps[0],
        begun,
        *(Outcome("white"), Outcome(None), TableValue(Value.WIN, 5), TableValue(0), game),
        *(small, *small.rank("2W2/5/B4 w"), next(small.blocks("2v1"))),
        *(small.probe_many(own, opponent), small.rank_many(own, opponent)),
        analyze(start, certificate=dir / "proof"),
        *(analyze(small_start, tables=small), analyze(Position(), nodes=10)),
        *(assess(small_start, tables=small), assess(Position())),
        *(Engine("3x3", level=4).think(start), Engine("3x3", level=4).think("3/1W1/3 b")),
        *(Book(proof).lookup("3x5"), check_certificate(proof)),
        *(report, *report.mismatches, *verify(small, how="quick"), *progress),
    ]


def seen(it: Any) -> Any:
    """What can be seen of an object."""
    if isinstance(it, list | tuple | np.ndarray):
        return [seen(part) for part in it]
    if type(it).__module__ != "fanorona" or isinstance(it, str | int):
        return it
    names = (name for name in dir(it) if not name.startswith("_"))
    found = {name: getattr(it, name) for name in names}
    parts = {name: part for name, part in found.items() if not callable(part)}
    return type(it), repr(it), {
        name: seen(part) for name, part in parts.items() if type(part) is not type(it)
    }


@pytest.mark.parametrize(
    "again", [lambda it: pickle.loads(pickle.dumps(it)), copy.copy, copy.deepcopy]
)
def test_objects_are_pickled_and_copied(
    again: Callable[[Any], Any], small: Tables, tmp_path: Path, data: Path
) -> None:
    tested = set()
    for it in objects(small, tmp_path, data):
        assert seen(again(it)) == seen(it)
        if "__eq__" in vars(type(it)):
            assert again(it) == it
            assert type(it).__hash__ is None or hash(again(it)) == hash(it)
        tested.add(type(it).__name__)
    classes = {
        name
        for name, kind in vars(fanorona).items()
        if inspect.isclass(kind) and hasattr(fanorona._native, name) and name not in WITHOUT
    }
    assert tested == classes
