"""Endgame tables: probes, ranks, blocks and statistics."""

import json
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import fanorona
from fanorona import (
    Board,
    DamagedFileError,
    FileError,
    Metric,
    MissingTableError,
    OutOfMemoryError,
    Position,
    PositionError,
    SliceError,
    Tables,
    TableValue,
    Value,
    random_position,
    random_positions,
)

from common import Reference


def positions_of(tables: Tables, stones: int) -> tuple[Any, Any]:
    """Bitboards of all entries of all slices with up to a number of stones."""
    blocks = [
        block
        for info in tables.slices()
        if info.metric is Metric.DTW and info.own + info.opponent <= stones
        for block in tables.blocks(info.slice, "dtw", size=1000)
    ]
    own = np.concatenate([block.own for block in blocks])
    return own, np.concatenate([block.opponent for block in blocks])


def position(board: Board, own: int, opponent: int) -> Position:
    return Position.from_bitboards(board, int(own), int(opponent), "white")


def as_numbers(found: TableValue) -> tuple[int, int]:
    return int(found.value), -1 if found.dtw is None else found.dtw


def test_values_are_those_of_the_reference(telo: Tables, reference: Reference) -> None:
    # The reference solves all of 3x3 from the rules, position by position.
    solver = reference.solver.Solver(
        reference.rules.RuleSet("standard"), reference.board.board_named("3x3")
    )
    solver.solve(4)
    compared = 0
    for slice_keys in solver.slices.values():
        for key in slice_keys:
            value, distance = solver.values[key]
            at = reference.solver.position_of(solver.board, key)
            found = telo.probe(Position(reference.notation.position_text(at)))
            assert found == TableValue(Value[value.upper()], distance)
            compared += 1
    assert compared > 2000


def test_counts_are_those_of_the_data(telo: Tables, small: Tables, data: Path) -> None:
    for tables, name in [(telo, "3x3-standard"), (small, "5x3-standard")]:
        expected = json.loads((data / "values" / f"{name}.json").read_text())
        infos = {info.slice: info for info in tables.slices() if info.metric is Metric.DTW}
        compared = 0
        for line in expected["slices"]:
            info = infos.get(f"{line['own']}v{line['opponent']}")
            if info is None:
                assert line["own"] + line["opponent"] > 5
                continue
            for key in ["positions", "win", "draw", "loss"]:
                assert getattr(info, key) == line[key]
            assert info.win_distances is not None and info.loss_distances is not None
            for name in ["win_distances", "loss_distances"]:
                assert {str(n): count for n, count in getattr(info, name).items()} == line[name]
            assert info.max_win == line["max_win"] and info.max_loss == line["max_loss"]
            for at, distance in [
                (info.max_win_position, info.max_win),
                (info.max_loss_position, info.max_loss),
            ]:
                assert at is None or tables.probe(at).dtw == distance
            assert info.path.exists() and info.bytes == info.path.stat().st_size
            compared += 1
        assert compared == len(infos) > 5


def test_probe_many_is_probe(small: Tables) -> None:
    own, opponent = positions_of(small, 4)
    assert len(own) > 5000
    found = small.probe_many(own, opponent)
    assert found.value.dtype == np.int8 and found.dtw.dtype == np.int32
    chosen = np.random.default_rng(1).choice(len(own), 3000)
    for i in chosen:
        one = small.probe(position(small.board, own[i], opponent[i]))
        assert as_numbers(one) == (found.value[i], found.dtw[i])
    # The colours do not matter.
    swapped = Position.from_bitboards("5x3", int(opponent[0]), int(own[0]), "black")
    assert as_numbers(small.probe(swapped)) == (found.value[0], found.dtw[0])


def test_arrays_need_not_be_contiguous(small: Tables) -> None:
    own, opponent = positions_of(small, 3)
    whole = small.probe_many(own, opponent)
    strided = small.probe_many(own[::-3], opponent[::-3])
    assert (strided.value == whole.value[::-3]).all() and (strided.dtw == whole.dtw[::-3]).all()
    both = np.stack([own, opponent], axis=1)
    columns = small.probe_many(both[:, 0], both[:, 1])
    assert (columns.value == whole.value).all()
    for layout in ["u8,u8,u4", "u1,u8,u8"]:
        records = np.zeros(len(own), dtype=layout)
        fields = [name for name in records.dtype.names or () if records.dtype[name] == np.uint64]
        records[fields[0]], records[fields[1]] = own, opponent
        in_fields = small.probe_many(records[fields[0]], records[fields[1]])
        assert (in_fields.value == whole.value).all() and (in_fields.dtw == whole.dtw).all()
    read_only = own.copy()
    read_only.flags.writeable = False
    assert (small.probe_many(read_only, opponent).value == whole.value).all()
    empty = np.array([], dtype=np.uint64)
    assert small.probe_many(empty, empty).value.shape == (0,)
    assert small.rank_many(empty, empty).offsets.tolist() == [0]


def test_rank_many_is_rank(small: Tables) -> None:
    own, opponent = positions_of(small, 3)
    own, opponent = own[::7], opponent[::7]
    ranks = small.rank_many(own, opponent)
    assert ranks.offsets[0] == 0 and ranks.offsets[-1] == len(ranks.value)
    assert not ranks.missing.any()
    for i, (mine, theirs) in enumerate(zip(own, opponent, strict=True)):
        at = position(small.board, mine, theirs)
        ranked = small.rank(at)
        part = slice(ranks.offsets[i], ranks.offsets[i + 1])
        assert [r.turn.origin for r in ranked] == ranks.origin[part].tolist()
        assert [r.turn.destination for r in ranked] == ranks.destination[part].tolist()
        assert [r.turn.captured for r in ranked] == ranks.captured[part].tolist()
        assert [int(r.value) for r in ranked] == ranks.value[part].tolist()
        assert [-1 if r.dtw is None else r.dtw for r in ranked] == ranks.dtw[part].tolist()
        assert [r.after.own for r in ranked] == ranks.own[part].tolist()
        assert [r.after.opponent for r in ranked] == ranks.opponent[part].tolist()
        assert {r.turn for r in ranked} == set(at.legal_turns())
        if ranked:
            best = small.probe(at)
            assert (ranked[0].value, ranked[0].dtw) == (best.value, best.dtw)
            for r in ranked:
                after = small.get(r.after)
                assert after is not None and after.value == -r.value


def test_distances_are_found_one_turn_later(small: Tables, tmp_path: Path) -> None:
    """Where the table of a turn has no distances, but the tables of all that follow have."""
    fanorona.build(tmp_path, 5, "5x3", metric="wdl")
    fanorona.build(tmp_path, 4, "5x3", metric="dtw")
    found = 0
    with Tables(tmp_path, "5x3") as mixed:
        own, opponent = random_positions("5x3", "3v2", 300, seed=5)
        ranks = mixed.rank_many(own, opponent)
        for i, (mine, theirs) in enumerate(zip(own, opponent, strict=True)):
            at = position(small.board, mine, theirs)
            ranked, exact = mixed.rank(at), {r.turn: r for r in small.rank(at)}
            assert [r.turn.destination for r in ranked] == (
                ranks.destination[ranks.offsets[i] : ranks.offsets[i + 1]].tolist()
            )
            for r in ranked:
                assert r.value is exact[r.turn].value
                assert r.dtw is None or r.dtw == exact[r.turn].dtw
                if r.source == "table" and r.dtw is not None:
                    found += mixed.probe(r.after).dtw is None
    assert found > 20


@pytest.mark.parametrize("metric", list(Metric))
def test_blocks_are_the_whole_slice(small: Tables, metric: Metric) -> None:
    infos = [info for info in small.slices() if info.metric is metric]
    for info in infos:
        blocks = list(small.blocks(info.slice, metric, size=777))
        assert [block.first for block in blocks] == list(range(0, info.entries, 777))
        assert sum(map(len, blocks)) == info.entries
        weights = np.concatenate([block.weight for block in blocks]).astype(np.uint64)
        values = np.concatenate([block.value for block in blocks])
        for value, count in [(1, info.win), (0, info.draw), (-1, info.loss)]:
            assert weights[values == value].sum() == count
        distances = np.concatenate([block.dtw for block in blocks])
        if metric is Metric.WDL:
            assert (distances == -1).all() and info.win_distances is None
            continue
        counted = np.bincount(distances + 1, weights=weights)[1:].astype(int).tolist()
        assert info.win_distances is not None and info.loss_distances is not None
        expected = info.win_distances | info.loss_distances
        assert {n: count for n, count in enumerate(counted) if count} == expected
        own = np.concatenate([block.own for block in blocks])
        opponent = np.concatenate([block.opponent for block in blocks])
        found = small.probe_many(own, opponent)
        assert (found.value == values).all() and (found.dtw == distances).all()
        assert len(set(zip(own.tolist(), opponent.tolist(), strict=True))) == info.entries
    (only,) = small.blocks("1v1")
    assert len(only) == infos[0].entries
    blocks_left = small.blocks("2v1", size=10)
    before = blocks_left.__length_hint__()
    next(blocks_left)
    assert blocks_left.__length_hint__() == before - 1
    with pytest.raises(MissingTableError, match="no wdl or dtw table|no dtw or wdl table"):
        small.blocks("5v5")
    for size in [-1, 0, 2**25, 2**40, 2**70]:
        with pytest.raises(ValueError, match="size is a number from 1 to"):
            small.blocks("1v1", size=size)


def test_statistics_are_columns(small: Tables) -> None:
    columns = small.statistics()
    infos = small.slices()
    assert all(len(column) == len(infos) for column in columns.values())
    for i, info in enumerate(infos):
        for name in ["slice", "own", "opponent", "positions", "canonical", "entries", "win",
                     "draw", "loss", "bytes", "metric"]:  # fmt: skip
            assert columns[name][i] == getattr(info, name)
        assert columns["stones"][i] == info.own + info.opponent
        assert columns["max_win"][i] == (-1 if info.max_win is None else info.max_win)
        found = info.zugzwangs
        assert found is not None and columns["zugzwangs"][i] == found["total"]
        assert found["total"] == found["full"] + found["draw_to_loss"] + found["win_to_draw"]
        assert len(found["examples"]) <= 3 and bool(found["examples"]) == (found["total"] > 0)
        for example in found["examples"]:
            assert Position(example["position"]).board == info.board


def test_statistics_of_no_tables(tmp_path: Path) -> None:
    with Tables(tmp_path, "5x5") as tables:
        assert tables.slices() == []
        columns = tables.statistics()
        assert columns["slice"].dtype.kind == "U" and len(columns["win"]) == 0


def test_a_missing_table_names_the_call_that_builds_it(tmp_path: Path) -> None:
    dir = tmp_path / "it's \"here\""
    proof = tmp_path / "5x3.proof"
    dir.mkdir()
    position = random_position("5x3", "2v2", seed=1)

    def call(work: Callable[[], object]) -> str:
        with pytest.raises(MissingTableError) as raised:
            work()
        said, found = str(raised.value).split("build them with ")
        assert found.startswith("fanorona.build(")
        return found

    with Tables(dir, "5x3") as none:
        for work in (
            lambda: none.probe(position),
            lambda: none.rank(position),
            lambda: none.probe_many([position.own], [position.opponent]),
            lambda: none.rank_many([position.own], [position.opponent]),
            lambda: none.blocks("2v2"),
            lambda: fanorona.verify(none, slices=["2v2"]),
        ):
            assert call(work).startswith(f"fanorona.build({str(dir)!r}, ")
        assert call(lambda: none.probe(position)).endswith(", 4, '5x3', 'standard')")
        found = call(lambda: none.blocks("2v2", "wdl"))
    assert found == f"fanorona.build({str(dir)!r}, 4, '5x3', 'standard', metric='wdl')"
    eval(found)
    with Tables(dir, "5x3") as tables:
        assert tables.probe(position)
        fanorona.analyze("5x3", tables=tables, certificate=proof)
    assert call(lambda: fanorona.check_certificate(proof)).startswith("fanorona.build('tables', ")
    with Tables(tmp_path, "5x3") as none:
        start = f"fanorona.build({str(tmp_path)!r}, "
        assert call(lambda: fanorona.check_certificate(proof, none)).startswith(start)
        book = fanorona.Book(proof)
        engine = call(lambda: fanorona.Engine("5x3", level=9, tables=none, book=book))
        assert engine.startswith(start)


def test_what_is_missing(small: Tables) -> None:
    start = small.board.start()
    with pytest.raises(MissingTableError, match="no wdl or dtw table for slice"):
        small.probe(start)
    with pytest.raises(LookupError):
        small.rank(start)
    assert small.get(start) is None and small.get(start, "unknown") == "unknown"
    known = random_position("5x3", "2v1", seed=3)
    assert small.get(known, "unknown") == small.probe(known)
    own = np.array([start.own, known.own], dtype=np.uint64)
    opponent = np.array([start.opponent, known.opponent], dtype=np.uint64)
    with pytest.raises(MissingTableError):
        small.probe_many(own, opponent)
    found = small.probe_many(own, opponent, missing="mark")
    assert (int(found.value[0]), int(found.dtw[0])) == (-128, -1)
    assert as_numbers(small.probe(known)) == (found.value[1], found.dtw[1])
    ranks = small.rank_many(own, opponent, missing="mark")
    assert ranks.missing.tolist() == [True, False] and ranks.offsets[1] == 0
    with pytest.raises(ValueError, match="missing is 'raise' or 'mark'"):
        small.probe_many(own, opponent, missing="ignore")  # type: ignore[arg-type]


def test_arrays_that_cannot_be_used(small: Tables) -> None:
    good = np.array([1, 2], dtype=np.uint64)
    for own, opponent, why in [
        (good, good[:1], r"own has the shape \(2,\), and opponent has the shape \(1,\)"),
        (good.reshape(2, 1), good.reshape(2, 1), r"shape \(2, 1\)"),
        (np.array(1, np.uint64), np.array(2, np.uint64), r"shape \(\)"),
    ]:
        with pytest.raises(ValueError, match=why):
            small.probe_many(own, opponent)
    for dtype in ["float64", "bool", "object"]:
        with pytest.raises(TypeError, match="expected own to be integers"):
            small.probe_many(good.astype(dtype), good)
    for wrong in [None, "text", [1.0, 2.0]]:
        with pytest.raises(TypeError, match="expected opponent to be integers"):
            small.probe_many(good, wrong)  # type: ignore[arg-type]
    with pytest.raises(PositionError, match="own.0. = 0xf"):
        small.probe_many([-1], [1])
    for mine, theirs, why in [
        (1, 1, "same point a1"),
        (1 << 15, 1, "outside the board"),
        (2**64 - 1, 1, "outside the board"),
        (0, 0, "no stone"),
        (0b11111111, 1 << 14, "at most 7"),
    ]:
        own = np.array([1] * 1000 + [mine], dtype=np.uint64)
        opponent = np.array([2] * 1000 + [theirs], dtype=np.uint64)
        with pytest.raises(PositionError, match=rf"own\[1000\].*{why}"):
            small.probe_many(own, opponent)
    # A side without stones has lost.
    none = np.array([0], dtype=np.uint64)
    found = small.probe_many(none, good[:1])
    assert (found.value[0], found.dtw[0]) == (-1, 0)


def test_integers_of_any_kind(small: Tables) -> None:
    own, opponent = random_positions("5x3", "2v2", 100, seed=1)
    expected = small.probe_many(own, opponent)
    mine: Any
    theirs: Any
    for mine, theirs in [
        (own.astype(np.int64), opponent.astype(np.int64)),
        (own.astype("int32"), opponent.astype(">u8")),
        (own.tolist(), tuple(opponent.tolist())),
    ]:
        found = small.probe_many(mine, theirs)
        assert (found.value == expected.value).all() and (found.dtw == expected.dtw).all()
        assert (small.rank_many(mine, theirs).own == small.rank_many(own, opponent).own).all()
    assert len(small.probe_many([], []).value) == 0


def test_no_distances_from_tables_without_them(tmp_path: Path) -> None:
    fanorona.build(tmp_path, 3, "5x3", metric="wdl")
    blocked = Position.from_bitboards("5x3", 0, 1, "white")
    with Tables(tmp_path, "5x3") as tables:
        assert tables.probe(blocked) == TableValue(Value.LOSS)
        found = tables.probe_many([0, 1], [1, 1 << 14])
        assert found.dtw.tolist() == [-1, -1] and found.value[0] == -1
        # A turn that ends the game has a distance all the same.
        assert tables.rank("5/1WB2/5 w")[0].dtw == 1


def test_many_probes_in_random_order(small: Tables) -> None:
    """More positions than are probed together on a thread, of all slices, and some of them twice."""
    own, opponent = positions_of(small, 5)
    chosen = np.random.default_rng(1).integers(len(own), size=30_000)
    found = small.probe_many(own[chosen], opponent[chosen])
    for block in [block for info in small.slices() if info.metric is Metric.DTW
                  for block in small.blocks(info.slice, "dtw")]:  # fmt: skip
        values = dict(zip(zip(block.own.tolist(), block.opponent.tolist()), zip(block.value, block.dtw)))
        for place, at in enumerate(chosen):
            key = (int(own[at]), int(opponent[at]))
            if key in values:
                assert values[key] == (found.value[place], found.dtw[place])


FORKED = """
import os, sys
import fanorona
own, opponent = fanorona.random_positions("9x5", "3v2", 10, 1)
if os.fork() == 0:
    try:
        fanorona.random_positions("9x5", "3v2", 10, 1)
    except fanorona.ForkError as error:
        assert "spawn" in str(error)
        os._exit(7)
    os._exit(0)
assert os.waitstatus_to_exitcode(os.wait()[1]) == 7
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_process_gets_a_clear_error() -> None:
    subprocess.run([sys.executable, "-c", FORKED], check=True, timeout=60)


def test_both_phases_of_the_vela(small_dir: Path) -> None:
    fanorona.build(small_dir, 3, "5x3", "free-capture")
    second = random_position("5x3", "1v1", seed=1)
    first = random_position("5x3", "2v1", seed=1)
    with Tables(small_dir, "5x3", "vela+stones-1") as vela:
        assert vela.get(first) is None
    fanorona.build(small_dir, 3, "5x3", "vela+stones-1")
    with Tables(small_dir, "5x3", "vela+stones-1") as vela:
        best = max(turn.value for turn in vela.rank(first))
        assert vela.probe(first).value == best
        own = np.array([second.own, first.own], dtype=np.uint64)
        opponent = np.array([second.opponent, first.opponent], dtype=np.uint64)
        found = vela.probe_many(own[:1], opponent[:1])
        assert found.value.tolist() == [int(vela.probe(second).value)]
        # A side of two stones can be the victor, and bitboards have no colours.
        with pytest.raises(fanorona.PositionError, match="colours"):
            vela.probe_many(own, opponent)


def test_closed_tables(small_dir: Path) -> None:
    with Tables(small_dir, "5x3") as tables:
        assert not tables.closed
        blocks = tables.blocks("2v2", size=100)
        next(blocks)
        engine = fanorona.Engine("5x3", tables=tables)
    assert tables.closed and "closed" in repr(tables)
    tables.close()
    one = np.array([1], dtype=np.uint64)
    at = random_position("5x3", "2v1", seed=1)
    for use in [
        lambda: tables.probe(at),
        lambda: tables.get(at),
        lambda: tables.rank(at),
        lambda: tables.probe_many(one, one * np.uint64(2)),
        lambda: tables.rank_many(one, one * np.uint64(2)),
        lambda: tables.slices(),
        lambda: tables.statistics(),
        lambda: tables.blocks("1v1"),
        lambda: fanorona.analyze(at, tables=tables),
        lambda: fanorona.verify(tables),
        lambda: fanorona.Engine("5x3", tables=tables),
        lambda: tables.__enter__(),
    ]:
        with pytest.raises(ValueError, match="the tables are closed"):
            use()
    # Who uses them already goes on.
    assert len(next(blocks)) == 100
    assert engine.think(fanorona.Position("B4/5/4W w")).source == "table"


def test_directories_and_paths(small_dir: Path, tmp_path: Path) -> None:
    at = random_position("3x3", "2v1", seed=1)
    expected = Tables(small_dir, "3x3").probe(at)
    assert Tables(str(small_dir), "3x3").probe(at) == expected
    assert Tables(str(small_dir).encode(), "3x3").probe(at) == expected
    assert Tables(small_dir, "3x3", memory_map=True, cache_mib=0).probe(at) == expected
    # The second directory has the tables.
    (tmp_path / "empty").mkdir()
    with Tables([tmp_path / "empty", str(small_dir)], "3x3") as several:
        assert several.probe(at) == expected and several.dir == tmp_path / "empty"
        assert " or " in repr(several)
        assert pickle.loads(pickle.dumps(several)).probe(at) == expected
    with pytest.raises(FileError, match="directory"):
        Tables([], "3x3")
    # A name that is not UTF-8.
    strange = tmp_path / "t\udcff\udcfe"
    strange.mkdir()
    fanorona.build(bytes(strange), 3, "3x3")
    with Tables(bytes(strange), "3x3") as tables:
        assert tables.dir == strange and tables.probe(at) == expected
        assert tables.slices()[0].path.parent == strange
        assert tables.board == Board("3x3") and tables.rules == fanorona.RuleSet.STANDARD
    file = tmp_path / "file"
    file.touch()
    for path, errno in [(tmp_path / "none", 2), (file, 20)]:
        with pytest.raises(FileError, match="cannot open the table directory") as raised:
            Tables(path)
        assert isinstance(raised.value, OSError) and raised.value.errno in (errno, None)
    with pytest.raises(TypeError):
        Tables(5)  # type: ignore[arg-type]
    with pytest.raises(FileError, match="NUL"):
        Tables("null\0character")
    with pytest.raises(fanorona.OtherGameError, match="tables are for the board 3x3"):
        Tables(small_dir, "3x3").probe(Board("5x5").start())


def test_tables_are_pickled(small_dir: Path, small: Tables) -> None:
    with Tables(small_dir, "5x3", cache_mib=3, unpacked=False, memory_map=True) as tables:
        reduced = tables.__reduce__()
        again = pickle.loads(pickle.dumps(tables))
    assert reduced[0].keywords == {"cache_mib": 3, "unpacked": False, "memory_map": True}
    # It was opened anew, so it is not closed with the other one.
    at = random_position("5x3", "3v2", seed=2)
    assert (again.dir, again.board, again.rules) == (small_dir, small.board, small.rules)
    assert again.probe(at) == small.probe(at)
    with pytest.raises(ValueError, match="the tables are closed"):
        pickle.dumps(tables)
    ranked = again.rank(at)
    assert ranked == small.rank(at) and len(set(ranked)) == len(ranked)
    again.close()


def test_processes_share_a_directory(small: Tables) -> None:
    positions = [random_position("5x3", "3v2", seed) for seed in range(4)]
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        # A worker gets the tables, and returns ranked turns.
        assert pool.map(small.rank, positions) == [small.rank(at) for at in positions]


def test_damaged_files(tmp_path: Path) -> None:
    fanorona.build(tmp_path, 3, "5x3")
    (file,) = tmp_path.glob("*2v1*")
    good = file.read_bytes()
    damaged = 0
    for offset in range(0, len(good), 7):
        broken = bytearray(good)
        broken[offset] ^= 0x10
        file.unlink()
        file.write_bytes(broken)
        with Tables(tmp_path, "5x3") as tables:
            try:
                list(tables.blocks("2v1"))
            except DamagedFileError as error:
                assert file.name in str(error)
                damaged += 1
    assert damaged == len(range(0, len(good), 7))
    for content in [b"", good[:100], good + b"x", b"hello"]:
        file.write_bytes(content)
        with Tables(tmp_path, "5x3") as tables, pytest.raises(DamagedFileError):
            list(tables.blocks("2v1"))


def test_threads_share_tables(small_dir: Path) -> None:
    with Tables(small_dir, "5x3") as tables:
        own, opponent = positions_of(tables, 4)
        expected = tables.probe_many(own, opponent)
        failures: list[BaseException] = []

        def work(seed: int) -> None:
            try:
                chosen = np.random.default_rng(seed).permutation(len(own))[:5000]
                for _ in range(3):
                    found = tables.probe_many(own[chosen], opponent[chosen])
                    assert (found.value == expected.value[chosen]).all()
                for i in chosen[:200]:
                    one = tables.probe(position(tables.board, own[i], opponent[i]))
                    assert as_numbers(one) == (expected.value[i], expected.dtw[i])
                assert sum(map(len, tables.blocks("2v2"))) > 0
            except BaseException as error:
                failures.append(error)

        threads = [threading.Thread(target=work, args=(seed,)) for seed in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert failures == []
        # One iterator in several threads gives each block once.
        blocks = tables.blocks("3v2", "dtw", size=500)
        firsts: list[int] = []
        takers = [
            threading.Thread(target=lambda: firsts.extend(block.first for block in blocks))
            for _ in range(4)
        ]
        for thread in takers:
            thread.start()
        for thread in takers:
            thread.join()
        (info,) = [i for i in tables.slices() if i.slice == "3v2" and i.metric is Metric.DTW]
        assert sorted(firsts) == list(range(0, info.entries, 500))


def test_random_positions() -> None:
    own, opponent = random_positions("9x5", "4v3", 5000, 7)
    again = random_positions(Board("9x5"), (4, 3), 5000, 7)
    assert (own == again[0]).all() and (opponent == again[1]).all()
    other = random_positions("9x5", "4v3", 5000, 8)
    assert (own != other[0]).any()
    assert all(int(o).bit_count() == 4 for o in own)
    assert all(int(o).bit_count() == 3 for o in opponent)
    assert not (own & opponent).any() and (own | opponent).max() < 2**45
    first = random_position("9x5", "4v3", 7)
    assert (first.own, first.opponent) == (own[0], opponent[0])
    black = random_position("9x5", "4v3", 7, to_move="black")
    assert black == first.swap_colours()
    # Each point has a stone in 7 of 45 positions. The standard deviation is 0.5 %.
    for point in range(45):
        share = ((own | opponent) >> np.uint64(point) & np.uint64(1)).mean()
        assert abs(share - 7 / 45) < 5 * 0.0052
    assert random_positions("9x5", "4v3", 0, 7)[0].shape == (0,)
    for count in [10**12, 10**18, 2**62, 2**64 - 1]:
        with pytest.raises(OutOfMemoryError):
            random_positions("9x5", "4v3", count, 7)
    for count in [-1, 2**64, 10**30]:
        with pytest.raises(ValueError, match=f"count is a number from 0 to .*, not {count}"):
            random_positions("9x5", "4v3", count, 7)
    for seed in [-1, 2**64]:
        with pytest.raises(ValueError, match=f"seed is a number from 0 to {2**64 - 1}, not {seed}"):
            random_position("9x5", "4v3", seed)
    wrongs: list[str | tuple[int, int]] = ["", "4", "0v1", "4v", "1v32", "-1v2", (0, 1), (-1, 2),
                                           (2**70, 1)]  # fmt: skip
    for wrong in wrongs:
        with pytest.raises(SliceError):
            random_positions("9x5", wrong, 1, 7)
    with pytest.raises(SliceError, match="each side has 1 to 4 stones"):
        random_position("3x3", "5v1", 1)
    for wrong_type in [5, None, (1, 2, 3), [1.5, 2]]:
        with pytest.raises(TypeError, match="a slice"):
            random_position("3x3", wrong_type, 1)  # type: ignore[arg-type]


def test_table_values() -> None:
    assert str(TableValue(Value.WIN, 5)) == "win in 5" and str(TableValue(0)) == "draw"
    for value in [5, -2, 10**9]:
        with pytest.raises(ValueError, match=f"value is a number from -1 to 1, not {value}"):
            TableValue(value)
    for dtw in [-1, 70_000]:
        with pytest.raises(ValueError, match=f"dtw is a number from 0 to 65535, not {dtw}"):
            TableValue(1, dtw)
    with pytest.raises(TypeError):
        TableValue("win")  # type: ignore[arg-type]


def test_a_part_of_the_tables_says_nothing_else_than_all(small_dir: Path, tmp_path: Path) -> None:
    """An answer may say less than complete tables, but nothing else."""
    random = Random(56)
    distances = without = 0

    def check(told: Any, so: TableValue, at_least: Value, at_most: Value) -> None:
        nonlocal distances, without
        assert at_least <= so.value <= at_most
        assert told.dtw is None or (at_least == at_most and told.dtw == so.dtw)
        distances += told.dtw is not None
        without += told.dtw is None and so.dtw is not None and at_least == at_most

    with Tables(small_dir, "5x3") as complete:
        for part in range(60):
            dir = tmp_path / str(part)
            dir.mkdir()
            metrics = random.choice([[".wdl."], [".dtw."], [".wdl.", ".dtw."]])
            kept = random.choice([0.1, 0.3, 0.6, 0.9])
            for file in sorted(small_dir.glob("5x3_*.fano")):
                if random.random() < kept and any(metric in file.name for metric in metrics):
                    os.link(file, dir / file.name)
            with Tables(dir, "5x3") as some:
                for number in range(12):
                    slice = random.choice(["1v2", "2v1", "2v2", "3v1", "1v3", "3v2", "2v3", "4v1"])
                    position = random_position("5x3", slice, 100 * part + number)
                    if position.outcome() is not None:
                        continue
                    so = complete.probe(position)
                    known = fanorona.assess(position, tables=some)
                    check(known, so, known.at_least, known.at_most)
                    found = fanorona.analyze(position, tables=some, nodes=100, threads=1)
                    check(found, so, found.at_least, found.at_most)
                    if found.best is not None:
                        assert -complete.probe(position.play(found.best)).value >= found.at_least
                    try:
                        value, ranked = some.probe(position), some.rank(position)
                    except MissingTableError:
                        continue
                    check(value, so, value.value, value.value)
                    assert ranked[0].value == so.value
                    for turn in ranked:
                        reply = complete.probe(turn.after)
                        there = TableValue(
                            -reply.value, None if reply.dtw is None else reply.dtw + 1
                        )
                        check(turn, there, turn.value, turn.value)
    assert distances > 300 and without > 100
