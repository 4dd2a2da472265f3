"""Building, unpacking and verifying tables."""

from pathlib import Path

import pytest

import fanorona
from fanorona import (
    BusyError,
    OutOfMemoryError,
    Progress,
    SliceCheck,
    SliceError,
    Tables,
    build,
    estimate,
    unpack,
    verify,
)


def test_a_build_reports_its_progress(tmp_path: Path) -> None:
    seen: list[Progress] = []
    report = build(tmp_path, 4, "5x3", progress=seen.append, threads=2)
    names = [info.slice for info in report.tables]
    assert names == ["1v1", "2v1", "1v2", "2v2", "3v1", "1v3"] and report.written == 6
    finished = [now.unit for now in seen if now.phase == "finished"]
    assert finished == names
    phases = {now.phase for now in seen}
    assert {"captures", "write"} <= phases and any(p.startswith("round") for p in phases)
    assert all(now.done <= now.entries for now in seen if now.phase == "finished")
    assert repr(seen[0]).startswith("<Progress 1v1:")
    assert report.unsaved_checkpoints == []
    # A second build has nothing to do.
    again = build(str(tmp_path), 4, "5x3")
    assert again.written == 0 and len(again.tables) == 6


def test_a_slice_is_built_with_what_it_leads_to(tmp_path: Path) -> None:
    wanted = estimate(tmp_path, "3v1", "5x5", metric="wdl")
    assert wanted.slices == wanted.missing
    assert wanted.memory > 0 and wanted.disk > 0 and wanted.seconds > 0
    assert 0 < wanted.least_memory <= wanted.memory <= wanted.most_memory
    report = build(tmp_path, (3, 1), "5x5", metric="wdl")
    assert {info.slice for info in report.tables} == set(wanted.slices)
    after = estimate(tmp_path, "3v1", "5x5", metric="wdl")
    assert after.missing == [] and after.slices == wanted.slices
    # Positions without symmetry: 25 * 24 and so on.
    assert estimate(tmp_path, "1v1", "5x5").positions == 25 * 24


def test_an_estimate_says_how_slices_are_solved(tmp_path: Path) -> None:
    assert estimate(tmp_path, 6).method == "rows"
    assert estimate(tmp_path, 20, "7x3").method == "dense"


def test_an_exception_in_the_callback_stops_the_build(tmp_path: Path) -> None:
    class Enough(Exception):
        pass

    def stop(now: Progress) -> None:
        if now.phase == "finished":
            raise Enough(now.unit)

    with pytest.raises(Enough, match="1v1"):
        build(tmp_path, 6, "5x5", metric="wdl", progress=stop)
    written = len(list(tmp_path.glob("*.fano")))
    everything = len(estimate(tmp_path, 6, "5x5", metric="wdl").slices)
    assert 1 <= written < everything
    # What was built stays, and the next build goes on.
    report = build(tmp_path, 3, "5x5", metric="wdl")
    assert len(report.tables) == 3


def test_what_cannot_be_built(tmp_path: Path) -> None:
    with pytest.raises(OutOfMemoryError, match="building .* needs .* MiB of memory"):
        build(tmp_path, 5, "9x5", memory=1000)
    for goal in [100, 44, 2**32 - 1]:
        with pytest.raises((OutOfMemoryError, SliceError, fanorona.OutOfDiskError)):
            build(tmp_path, goal, "9x5")
    for wrong in [-1, 2**32, 10**30]:
        with pytest.raises(ValueError, match="out of range"):
            build(tmp_path, wrong, "9x5")
    for wrong_type in [None, 3.5, [3]]:
        with pytest.raises(TypeError, match="a number of stones or a slice"):
            build(tmp_path, wrong_type, "9x5")  # type: ignore[arg-type]
    with pytest.raises(SliceError):
        build(tmp_path, "three", "9x5")
    with pytest.raises(ValueError, match="'dtm' is not a metric"):
        build(tmp_path, 2, "9x5", metric="dtm")
    for seconds in [-1.0, float("nan"), float("inf"), 1e300]:
        with pytest.raises(ValueError, match="checkpoint is a number of seconds"):
            build(tmp_path, 2, "9x5", checkpoint=seconds)
    with pytest.raises(ValueError, match="threads is a number from 1"):
        build(tmp_path, 2, "9x5", threads=0)
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(fanorona.FileError):
        build(file, 2, "3x3")
    with pytest.raises(TypeError):
        build(tmp_path, 2, "3x3", progress=5)  # type: ignore[arg-type]


def test_one_build_at_a_time(tmp_path: Path) -> None:
    raised: list[BaseException] = []

    def nested(now: Progress) -> None:
        if not raised:
            try:
                build(tmp_path, 2, "5x5")
            except BusyError as error:
                raised.append(error)

    build(tmp_path, 4, "5x5", progress=nested)
    assert len(raised) == 1 and "another build is running" in str(raised[0])


def test_unpacked_tables_have_the_same_values(tmp_path: Path) -> None:
    build(tmp_path, 4, "5x3")
    finished: list[str] = []
    assert unpack(tmp_path, "5x3", progress=lambda now: finished.append(now.phase)) == 6
    assert finished.count("finished") == 6
    assert unpack(tmp_path, "5x3", stones=3, metric="dtw", threads=1) == 0
    with Tables(tmp_path, "5x3") as fast, Tables(tmp_path, "5x3", unpacked=False) as packed:
        for info in packed.slices():
            for one, other in zip(fast.blocks(info.slice), packed.blocks(info.slice), strict=True):
                for name in ["own", "opponent", "value", "dtw", "weight"]:
                    assert (getattr(one, name) == getattr(other, name)).all()
    with pytest.raises(fanorona.MissingTableError):
        unpack(tmp_path, "5x3", stones=6)


def test_verify_finds_what_is_wrong(tmp_path: Path) -> None:
    build(tmp_path, 3, "5x3")
    with Tables(tmp_path, "5x3") as tables:
        for how in ["quick", "sample", "full"]:
            seen: list[SliceCheck] = []
            checks = verify(tables, how=how, progress=seen.append)  # type: ignore[arg-type]
            assert [check.slice for check in checks] == ["1v1", "2v1", "1v2"]
            assert all(check.ok and check.fault is None for check in checks)
            assert [check.slice for check in seen] == ["1v1", "2v1", "1v2"]
            positions = {info.slice: info.positions for info in tables.slices()}
            for check in checks:
                expected = {"quick": 0, "sample": 1000, "full": positions[check.slice]}
                assert check.checked == expected[how] and not check.unpacked
        assert len(verify(tables, stones=2, sample=10, seed=5, threads=1)) == 1
        for how in ["quick", "sample", "full"]:
            some = verify(tables, how=how, slices=["1v2"])  # type: ignore[arg-type]
            assert [check.slice for check in some] == ["1v2"]
        both = verify(tables, stones=2, slices=[(1, 2)], sample=10)
        assert [check.slice for check in both] == ["1v1", "1v2"]
        with pytest.raises(fanorona.MissingTableError, match="3v2"):
            verify(tables, slices=["1v2", "3v2"])
        with pytest.raises(SliceError, match="8v1 is not on the board 5x3"):
            verify(tables, slices=["8v1"])
        with pytest.raises(ValueError, match="slices is empty"):
            verify(tables, slices=[])
        with pytest.raises(TypeError):
            verify(tables, slices="1v2")
        with pytest.raises(ValueError, match="how is 'quick'"):
            verify(tables, how="fast")  # type: ignore[arg-type]
    (file,) = tmp_path.glob("*2v1*")
    broken = bytearray(file.read_bytes())
    broken[len(broken) // 2] ^= 1
    file.unlink()
    file.write_bytes(broken)
    with Tables(tmp_path, "5x3") as tables:
        assert all(check.ok for check in verify(tables, how="quick", slices=["1v1", "1v2"]))
        wrong = [check for check in verify(tables, how="quick") if not check.ok]
        assert [check.slice for check in wrong] == ["2v1"] and "damaged" in str(wrong[0].fault)
        assert "damaged" in repr(wrong[0])
