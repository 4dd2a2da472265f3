"""Counts."""

import json
from pathlib import Path

import pytest

from fanorona import Board, Counting, FileError, Position, SuiteError, check_suite, divide, perft

from common import Reference


def test_counts_of_the_starts(data: Path) -> None:
    counted = json.loads((data / "perft" / "starts.json").read_text())
    compared = 0
    for entry in counted["boards"]:
        start = Board(entry["board"]).start()
        assert start.text == entry["position"]
        for line in entry["depths"]:
            for count in ["turns", "positions", "unique"]:
                if count in line and int(line.get("turns", 10**6)) < 200_000:
                    assert perft(start, line["depth"], count=count) == int(line[count])
                    compared += 1
    assert compared > 50


def test_lines_add_up(reference: Reference) -> None:
    start = Board("5x5").start()
    for count in Counting:
        lines = divide(start, 4, count=count)
        whole = perft(start, 4, count=count)
        sum_of_lines = sum(nodes for _, nodes in lines)
        assert (sum_of_lines == whole) or count in (Counting.POSITIONS, Counting.UNIQUE)
    lines = divide(start, 2, "free-capture")
    for turn, nodes in lines:
        assert nodes == len(reference.turns(turn.after, "free-capture"))
    assert perft(start, 0) == 1 and divide(start, 0) == []
    assert perft(start, 5, threads=2) == perft(start, 5, threads=1)


def test_what_cannot_be_counted() -> None:
    position = Position("9/9/9/9/W7B w")
    for depth in [-1, 256, 300]:
        with pytest.raises(ValueError, match=f"depth is a number from 0 to 255, not {depth}"):
            perft(position, depth)
        with pytest.raises(ValueError, match="depth is a number from 0 to 255"):
            divide(position, depth)
    with pytest.raises(ValueError, match="'moves' is not a way of counting"):
        perft(position, 1, count="moves")
    for threads in [-1, 0, 10**6, 10**30]:
        with pytest.raises(ValueError, match="from 1 to 1024"):
            perft(position, 1, threads=threads)


def test_suites(data: Path, tmp_path: Path) -> None:
    checked: list[str] = []
    for name in ["standard-small", "vela", "options", "countings"]:
        path = data / "perft" / f"{name}.perft"
        report = check_suite(path, 2_000, progress=checked.append)
        assert report.ok and report.mismatches == [] and report.checked > 50
    assert len(checked) > 200
    wrong = tmp_path / "wrong.perft"
    position = "3/1W1/2B w"
    wrong.write_text(
        f"id one\nrules standard\ncount turns\nposition {position}\nperft 1 1\nperft 2 {2**70}\n"
    )
    report = check_suite(wrong)
    assert not report.ok and report.checked == 2
    (mismatch,) = report.mismatches
    assert (mismatch.id, mismatch.depth, mismatch.found) == ("one", 2, 0)
    assert mismatch.expected == 2**70, "integers are wider than 64 bits"
    assert mismatch.position.text == position and mismatch.count is Counting.TURNS
    report = check_suite(wrong, 100)
    assert report.ok and (report.checked, report.skipped) == (1, 1)
    wrong.write_text("id one\nhello\n")
    with pytest.raises(SuiteError, match="line 2|hello"):
        check_suite(wrong)
    with pytest.raises(FileError, match="cannot read .*none") as raised:
        check_suite(tmp_path / "none")
    assert raised.value.errno == 2
    wrong.write_bytes(b"id one\nrules \xff\n")
    with pytest.raises(SuiteError, match="wrong.perft: line 2 is not UTF-8"):
        check_suite(wrong)


def test_a_callback_that_raises_stops_the_work(data: Path) -> None:
    class Enough(Exception):
        pass

    def stop(_: str) -> None:
        raise Enough

    with pytest.raises(Enough):
        check_suite(data / "perft" / "standard-9x5.perft", progress=stop)
