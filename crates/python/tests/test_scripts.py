"""Six small scripts as users write them, from the documentation alone."""

import functools
import multiprocessing
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from fanorona import (
    Board,
    Engine,
    Game,
    Position,
    Side,
    StepKind,
    Tables,
    analyze,
    divide,
    perft,
    planes,
    random_positions,
    read_games,
)


def own_turns(position: Position, kinds: set[StepKind]) -> Iterator[Position]:
    """A generator of one's own: the positions after all turns, found step by step with sets."""
    board, side = position.board, position.to_move
    links = [board.neighbours(point) for point in range(board.num_points)]
    points = range(board.num_points)
    mine, theirs = ({p for p in points if stones >> p & 1} for stones in (position.own, position.opponent))

    def after(own: set[int], opponent: set[int]) -> Position:
        sides = {side: sum(1 << p for p in own), ~side: sum(1 << p for p in opponent)}
        return Position.from_bitboards(board, sides[Side.WHITE], sides[Side.BLACK], ~side)

    def captures(own: set[int], opponent: set[int], at: int, seen: set[int], last: str) -> Iterator[Position]:
        for way, to in links[at].items():
            if to in own | opponent | seen or way == last:
                continue
            opposite = next(d for d, p in links[to].items() if p == at)
            for kind, begin, on in ((StepKind.APPROACH, to, way), (StepKind.WITHDRAWAL, at, opposite)):
                taken, point = set[int](), links[begin].get(on)
                while point in opponent and point is not None:
                    taken.add(point)
                    point = links[point].get(on)
                if taken and kind in kinds:
                    moved, left = own - {at} | {to}, opponent - taken
                    yield after(moved, left)
                    yield from captures(moved, left, to, seen | {at}, way)

    found = [turn for stone in mine for turn in captures(mine, theirs, stone, set(), "")]
    empty = set(points) - mine - theirs
    paikas = (after(mine - {a} | {b}, theirs) for a in mine for b in links[a].values() if b in empty)
    yield from found or (paikas if theirs else ())


def test_perft_of_an_own_generator() -> None:
    def own_perft(position: Position, depth: int, kinds: set[StepKind]) -> int:
        after = own_turns(position, kinds)
        return 1 if depth == 0 else sum(own_perft(each, depth - 1, kinds) for each in after)

    start, good = Position(), set(StepKind)
    assert [own_perft(start, depth, good) for depth in range(4)] == [perft(start, d) for d in range(4)]
    # One that forgets withdrawals: the first turns whose counts differ show where to look.
    bad = {StepKind.APPROACH}
    wrong = [turn.text for turn, nodes in divide(start, 2) if own_perft(turn.after, 1, bad) != nodes]
    assert wrong and own_perft(start, 2, bad) != perft(start, 2)


def test_valued_positions_as_parquet(small: Tables, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
    own, opponent = random_positions("5x3", "3v2", 1_000_000, seed=1)
    found = small.probe_many(own, opponent)
    columns = {"own": own, "opponent": opponent, "value": found.value, "dtw": found.dtw}
    table = parquet.pa.table(columns)
    parquet.write_table(table, tmp_path / "positions.parquet")
    assert parquet.read_table(tmp_path / "positions.parquet").equals(table)


def test_a_plot(small: Tables, tmp_path: Path) -> None:
    plt = pytest.importorskip("matplotlib.pyplot", reason="matplotlib is not installed")
    plt.switch_backend("agg")
    rows = small.statistics()
    has_distances = rows["metric"] == "dtw"
    plt.bar(rows["slice"][has_distances], (rows["win"] / rows["positions"])[has_distances])
    plt.ylabel("share of wins")
    plt.savefig(tmp_path / "wins.svg")
    assert ElementTree.parse(tmp_path / "wins.svg").getroot().tag.endswith("svg")


def test_ten_games_are_saved_and_loaded(tmp_path: Path) -> None:
    games = []
    for number in range(10):
        game = Game(Board("5x5").start(), draw_rules="threefold+without-capture-20")
        players = [Engine("5x5", level=level, seed=number, memory=1 << 20) for level in (1, 2)]
        game.white, game.black = "level 1", "level 2"
        while game.end is None:
            turn = players[len(game.turns) % 2].think(game.position, game.earlier).turn
            assert turn is not None
            game.push(turn)
        game.annotate(f"It ended by {game.end}.")
        games.append(game)
    file = tmp_path / "games.txt"
    file.write_text("\n".join(game.text for game in games), encoding="utf-8")
    assert read_games(file.read_text(encoding="utf-8")) == games


def test_a_list_is_analyzed_by_processes() -> None:
    texts = ["BBB/BW1/WWW w", "B1B/3/1W1 w", "1B1/3/W1W b"]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        found = pool.map(functools.partial(analyze, memory=1 << 20, threads=1), texts)
    assert [one.value for one in found] == [analyze(text).value for text in texts]
    assert [one.position.text for one in found] == texts


def test_a_small_model(small: Tables) -> None:
    own, opponent = random_positions("5x3", "2v2", 20_000, seed=1)
    value = small.probe_many(own, opponent).value
    inputs = planes(own, opponent, "5x3").reshape(len(own), -1).astype(float)
    inputs = np.hstack([inputs, (inputs[:, :, None] * inputs[:, None, :]).reshape(len(own), -1)])
    train, test = slice(0, 15_000), slice(15_000, None)
    weights, *_ = np.linalg.lstsq(inputs[train], value[train], rcond=None)
    right = np.mean(np.sign(inputs[test] @ weights) == np.sign(value[test]))
    assert right > max(np.mean(value[test] == each) for each in (-1, 0, 1))
