"""Proofs, books, the opponent and games."""

import copy
import functools
import inspect
import json
import math
import os
import pickle
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fanorona
from fanorona import (
    Analysis,
    Board,
    Book,
    BusyError,
    CertificateError,
    DamagedFileError,
    Engine,
    FileError,
    Game,
    IllegalTurnError,
    MissingTableError,
    OtherFileError,
    OtherGameError,
    OutOfMemoryError,
    PlayResult,
    Position,
    SearchProgress,
    Tables,
    Value,
    analyze,
    assess,
    check_certificate,
    random_position,
)


def test_starts_have_the_published_values(data: Path) -> None:
    starts = json.loads((data / "values" / "published.json").read_text())["starts"]
    found = 0
    for line in starts:
        if line["board"] in ("3x3", "5x3", "3x5") and line["rules"] == "standard":
            analysis = analyze(Board(line["board"]).start(), line["rules"])
            assert analysis.value is Value[line["value"].upper()]
            assert analysis.proved and analysis.end == "proved"
            assert analysis.at_least == analysis.at_most == analysis.value
            found += 1
    assert found >= 2


def test_a_game_is_analyzed_position_by_position(telo: Tables) -> None:
    game = Game(Board("3x3").start())
    positions = [game.position]
    while game.end is None and len(game.turns) < 6:
        game.push(game.position.legal_turns()[0])
        positions.append(game.position)
    found = analyze(game, tables=telo, nodes=1000, threads=1)
    for analysis, position in zip(found, positions, strict=True):
        assert analysis.position == position
        alone = analyze(position, tables=telo, nodes=1000, threads=1)
        assert analysis.at_least >= alone.at_least and analysis.at_most <= alone.at_most


def test_searches_agree_with_tables(telo: Tables) -> None:
    for seed in range(60):
        position = random_position("3x3", ("3v3", "2v4", "4v3")[seed % 3], seed)
        expected = telo.probe(position)
        searched = analyze(position, threads=1, memory=1 << 20)
        assert searched.value == expected.value
        probed = analyze(position, tables=telo)
        assert (probed.value, probed.dtw, probed.nodes) == (expected.value, expected.dtw, 0)
        is_over = position.outcome() is not None
        # The rules alone know a turn that ends the game.
        by_rules = is_over or searched.dtw == 1
        # The certificate of the start knows some of them.
        assert searched.source == "rules" if by_rules else searched.source in ("proof", "search")
        assert probed.source == ("rules" if is_over else "table")
        if position.outcome() is None:
            assert probed.ranking is not None and probed.best == probed.ranking[0].turn
            for turn, following in zip(probed.line, probed.line[1:], strict=False):
                assert turn.after == following.position
            if expected.dtw is not None:
                assert probed.line[0].position == position
                assert len(probed.line) == expected.dtw
            # The turn that the search found gets the value.
            if expected.value is not Value.LOSS:
                assert searched.best is not None
                assert telo.probe(searched.best.after).value <= -expected.value


def test_limits_and_progress() -> None:
    start = Board("9x5").start()
    reports: list[SearchProgress] = []
    # A game without a certificate of its start.
    open_game = functools.partial(analyze, start, "free-capture")
    analysis = open_game(time=1.2, memory=16 << 20, progress=reports.append)
    assert analysis.value is None and not analysis.proved and analysis.end == "time"
    assert (analysis.at_least, analysis.at_most) == (Value.LOSS, Value.WIN)
    assert analysis.nodes > 0 and 1 < analysis.seconds < 30
    assert reports and reports[-1].nodes <= analysis.nodes and reports[0].memory_filled <= 1
    assert open_game(nodes=1000, threads=1).end == "nodes"

    for wrong in (-1, float("nan"), -math.inf, 1e10):
        expected = "time is a number of seconds from 0 to 1000000000, not"
        for search in (analyze, Engine().think):
            with pytest.raises(ValueError, match=expected) as raised:
                search(start, time=wrong)
            assert "Duration" not in str(raised.value)

    def stop(_: SearchProgress) -> None:
        raise StopIteration("enough")

    with pytest.raises(StopIteration, match="enough"):
        open_game(progress=stop)
    with pytest.raises(OutOfMemoryError):
        analyze(start, memory=2**60)
    for wrong in [-1.0, float("nan")]:
        with pytest.raises(ValueError, match="time is a number of seconds"):
            analyze(start, time=wrong)
    with pytest.raises(ValueError, match="nodes is a number from 0 to"):
        analyze(start, nodes=-1)
    with pytest.raises(ValueError, match="memory is a number from 0 to"):
        analyze(start, memory=2**64)
    with pytest.raises(fanorona.RuleError):
        analyze(Board("3x3").start(), "vela")


def test_certificates_are_written_and_checked(tmp_path: Path, small: Tables) -> None:
    start = Board("5x3").start()
    path = tmp_path / "proof"
    analysis = analyze(start, certificate=path)
    assert analysis.certificate == path and analysis.value is Value.WIN
    counts: list[int] = []
    report = check_certificate(path, progress=counts.append)
    assert report.position == start and report.value is Value.WIN and report.positions > 0
    assert report.tables == [] and counts[-1] == report.positions
    assert report.rules == fanorona.RuleSet.STANDARD and report.path == path

    with pytest.raises(fanorona.OtherGameError, match="tables are of 5x3 under standard"):
        analyze(start, "free-capture", tables=small)
    with pytest.raises(fanorona.OtherGameError, match="tables are of 5x3"):
        analyze(Board("5x5").start(), tables=small)

    with_tables = tmp_path / "with tables"
    assert analyze(start, tables=small, certificate=with_tables).value is Value.WIN
    report = check_certificate(with_tables, small)
    assert report.tables
    with pytest.raises(MissingTableError, match="rests on"):
        check_certificate(with_tables)
    with Tables(tmp_path, "5x3") as none, pytest.raises(MissingTableError):
        check_certificate(with_tables, none)

    good = path.read_bytes()
    refused = 0
    for offset in range(0, len(good), 3):
        broken = bytearray(good)
        broken[offset] ^= 4
        path.write_bytes(broken)
        with pytest.raises((CertificateError, DamagedFileError)):
            check_certificate(path)
        refused += 1
    assert refused > 50
    with pytest.raises(FileError) as raised:
        check_certificate(tmp_path / "none")
    assert raised.value.errno == 2
    with pytest.raises(FileError):
        analyze(start, certificate=tmp_path / "none" / "proof")
    # Nothing is proved, so there is no certificate.
    unknown = analyze(Board("9x5").start(), nodes=10, certificate=tmp_path / "unknown")
    assert unknown.certificate is None and not (tmp_path / "unknown").exists()


def test_searches_can_be_resumed(tmp_path: Path) -> None:
    # No certificate has the answers under these rules.
    start, rules, file = Board("7x3").start(), "standard+direction-free", tmp_path / "search"
    first = analyze(start, rules, nodes=2000, threads=1, memory=1 << 20, resume=file)
    assert first.end == "nodes" and file.exists()
    second = analyze(start, rules, memory=1 << 20, resume=file)
    assert second.value is Value.WIN and second.nodes > first.nodes
    with pytest.raises(OtherFileError, match="another position"):
        analyze(start.swap_side(), rules, resume=file)
    file.write_bytes(b"hello")
    with pytest.raises(DamagedFileError, match="not a saved search"):
        analyze(start, rules, resume=file)
    with pytest.raises(FileError):
        analyze(start, rules, resume=tmp_path)
    with pytest.warns(RuntimeWarning):
        analyze(Board("3x3").start(), rules, resume=tmp_path / "none" / "search")


def test_books(data: Path, small: Tables, telo: Tables) -> None:
    start = Board("3x3").start()
    book = Book(data / "proofs" / "3x3-standard.proof")
    assert book.board == Board("3x3") and book.rules == fanorona.RuleSet.STANDARD
    assert len(book.paths) == 1
    answer = book.lookup(start)
    assert answer.value is Value.WIN and answer.turn in start.legal_turns()
    # The book wins against every reply.
    position, turns = start, 0
    while position.outcome() is None:
        answer = book.lookup(position)
        assert answer.value is Value.WIN and answer.turn is not None
        position = answer.turn.after
        replies = position.legal_turns()
        if replies:
            position = replies[turns % len(replies)].after
        turns += 1
        assert turns < 30
    unknown = Position("2B/3/W2 w")
    assert book.lookup(unknown).turn is None and book.lookup(unknown).value is None
    assert book.lookup(unknown).source is None
    assert (answer.source, answer.dtw) in [("proof", None), ("rules", 0)]
    by_tables = book.lookup(start, telo)
    assert (by_tables.source, by_tables.value, by_tables.turn) == ("table", Value.WIN, None)
    assert by_tables.dtw == telo.probe(start).dtw and str(by_tables).startswith("win in ")
    finished = Position("2W/3/3 b")
    assert (book.lookup(finished).source, book.lookup(finished).dtw) == ("rules", 0)
    several = Book([str(path) for path in book.paths])
    assert several.lookup(start).turn == book.lookup(start).turn
    with pytest.raises(fanorona.OtherGameError):
        book.lookup(Board("5x5").start())
    with pytest.raises(fanorona.OtherGameError, match="tables are of 5x3"):
        book.lookup(start, small)
    with pytest.raises(ValueError, match="at least one certificate"):
        Book([])
    with pytest.raises(fanorona.OtherGameError, match="not 3x3"):
        Book([book.paths[0], data / "proofs" / "5x3-standard.proof"])
    with pytest.raises(FileError):
        Book("none")
    with pytest.raises(TypeError):
        Book(5)  # type: ignore[arg-type]


def test_the_engine_plays_by_tables(small: Tables) -> None:
    engine = Engine("5x3", tables=small)
    for seed in range(30):
        position = random_position("5x3", "3v2", seed)
        answer = engine.think(position)
        best = small.rank(position)[0]
        # The rules alone know a turn that ends the game.
        assert answer.source == ("rules" if best.dtw == 1 else "table")
        assert answer.value is best.value
        assert answer.ends_within == answer.dtw == best.dtw and answer.estimate is None
        assert answer.line[0] == answer.turn and answer.end == "decided"


def test_levels(small: Tables) -> None:
    start = Board("5x5").start()
    levels: list[int | str] = [*range(1, 8), "beginner", "master"]
    for level in levels:
        answer = Engine("5x5", level=level, memory=1 << 20).think(start)
        assert answer.turn in start.legal_turns()
        assert answer.source == "estimate" and answer.estimate is not None
    same = [Engine("5x5", level=1, seed=7).think(start).turn for _ in range(3)]
    assert same[0] == same[1] == same[2]
    seeds = {Engine("5x5", level=1, seed=seed).think(start).turn for seed in range(30)}
    assert len(seeds) > 1, "the noise depends on the seed"
    wrongs: list[int | str] = [0, 10, -1, "best", 10**20]
    for wrong in wrongs:
        with pytest.raises(ValueError, match="is not a level"):
            Engine(level=wrong)
    with pytest.raises(TypeError, match="a level"):
        Engine(level=1.5)  # type: ignore[arg-type]
    with pytest.raises(fanorona.MissingCertificateError, match="needs a certificate"):
        Engine("9x5", "free-capture", level=9)
    with pytest.raises(MissingTableError, match="lacks tables"):
        Engine(level=9)
    with pytest.raises(fanorona.OtherGameError, match="tables are of 5x3"):
        Engine("5x5", tables=small)
    with pytest.raises(OutOfMemoryError):
        Engine("5x5", memory=2**60)


def test_searches_without_limits_end_as_in_the_program() -> None:
    def watch(now: SearchProgress | PlayResult) -> None:
        if now.seconds > 90:
            raise TimeoutError

    assert Engine(memory=1 << 20).think("9x5", progress=watch).end == "time"
    # A limit that is given is the only one.
    assert Engine("3x3", memory=1 << 20).think("3x3", time=math.inf).end != "time"
    assert analyze("3x3", time=math.inf).end == "proved"
    if os.environ.get("FANORONA_TESTS") == "thorough":  # It takes a minute.
        assert analyze("9x5", memory=1 << 20, progress=watch).end == "time"


def test_full_strength_varies_among_equal_turns() -> None:
    default = inspect.signature(Engine).parameters["contempt"].default
    start = Board("5x5").start()

    def think(**options: Any) -> tuple[object, ...]:
        answer = Engine("5x5", memory=1 << 20, **options).think(start, depth=4)
        return answer.turn, answer.estimate, answer.nodes

    assert think(seed=1) == think(seed=1, contempt=default) != think(seed=1, contempt=0)
    # Analysis does not depend on the seed.
    assert len({think(contempt=0, seed=seed) for seed in range(5)}) == 1
    with pytest.raises(ValueError, match="contempt"):
        Engine("5x5", contempt=101)


def test_the_level_that_cannot_lose(data: Path) -> None:
    by_proof = Engine("7x3", level=9).think(Board("7x3").start(), depth=2)
    assert (by_proof.value, by_proof.source) == (Value.WIN, "proof")
    start = Board("9x5").start()
    known, found = assess(start), analyze(start)
    assert known.value is found.value is Value.DRAW and known.source == found.source == "proof"
    assert found.nodes == 0 and found.ranking is not None and found.best == found.ranking[0].turn
    book = Book(data / "proofs" / "3x3-standard.proof")
    engine = Engine("3x3", level="unbeatable", book=book)
    game = Game(Board("3x3").start())
    turn = 0
    while game.end is None:
        if game.position.to_move is fanorona.Side.WHITE:
            answer = engine.think(game.position, game.earlier, depth=3)
            assert answer.at_least is Value.WIN and answer.turn is not None
            ends_the_game = answer.source == "rules"
            assert ends_the_game or answer.source in ("proof", "search")
            assert answer.dtw == (1 if ends_the_game else None)
            game.push(answer.turn)
        else:
            legal = game.legal_turns()
            game.push(legal[turn % len(legal)])
        turn += 1
    assert game.winner is fanorona.Side.WHITE and game.end == "won"
    assert game.legal_turns() == []


def test_limits_of_the_engine() -> None:
    start = Board("9x5").start()
    engine = Engine(memory=1 << 20, level=8)
    seen: list[PlayResult] = []
    answer = engine.think(start, depth=3, progress=seen.append)
    assert answer.depth == 3 and answer.end == "depth"
    assert [one.depth for one in seen] == [1, 2, 3]
    assert engine.think(start, nodes=2000).end == "nodes"
    timed = engine.think(start, time=0.2)
    assert timed.end == "time" and timed.seconds < 10
    with pytest.raises(TypeError, match="expected a list, not str"):
        engine.think(start, start.text)
    engine.clear()
    over = engine.think(Position("9/9/4W4/9/9 b"))
    assert over.turn is None and over.value is Value.LOSS and over.line == []
    with pytest.raises(fanorona.OtherGameError):
        engine.think(Board("5x5").start())
    with pytest.raises(fanorona.OtherGameError, match="an earlier position"):
        engine.think(start, [Board("5x5").start()])
    with pytest.raises(TypeError):
        engine.think(start, [5])  # type: ignore[list-item]

    def stop(_: PlayResult) -> None:
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        engine.think(start, progress=stop)


def test_an_engine_thinks_about_one_thing_at_a_time() -> None:
    engine = Engine("5x5")
    begun, results = threading.Event(), list[PlayResult]()

    def work() -> None:
        results.append(
            engine.think(Board("5x5").start(), time=1.0, progress=lambda _: begun.set())
        )

    thread = threading.Thread(target=work)
    thread.start()
    assert begun.wait(10)
    with pytest.raises(BusyError, match="already thinking"):
        engine.think(Board("5x5").start(), depth=1)
    with pytest.raises(BusyError):
        engine.clear()
    thread.join()
    assert results[0].end == "time"
    assert engine.think(Board("5x5").start(), depth=1).depth == 1


def test_games() -> None:
    start = Position("B4/5/5/5/4W w")
    game = Game(start)
    for _ in range(2):
        for text in ["e1-e2", "a5-a4", "e2-e1", "a4-a5"]:
            assert game.end is None and game.legal_turns() == game.position.legal_turns()
            game.push(text)
    assert (game.end, game.winner, game.occurrences) == ("threefold", None, 3)
    assert [turn.text for turn in game.turns[:2]] == ["e1-e2", "a5-a4"]
    assert len(game.earlier) == len(game.turns) == 8 and game.earlier[0] == game.start == start
    assert game.undo() and game.end is None
    with pytest.raises(IllegalTurnError):
        game.push("e1-d2")
    while game.turns:
        game.undo()
    assert game.position == start and game.turns == []
    quiet = Game(start, draw_rules="without-capture-3")
    for text in ["e1-e2", "a5-a4", "e2-e1"]:
        assert quiet.end is None
        quiet.push(text)
    assert quiet.end == "without-capture" and quiet.draw_rules == "without-capture-3"
    for rules, end, winner in [("standard", "won", fanorona.Side.BLACK),
                               ("standard+no-turns-draw", "no-turn", None)]:  # fmt: skip
        blocked = Game(Position("3/BB1/WB1 w"), rules)
        assert (blocked.end, blocked.winner) == (end, winner) and blocked.legal_turns() == []
    with pytest.raises(ValueError, match="names no draw rules"):
        Game(start, draw_rules="fifty")
    with pytest.raises(ValueError, match="names no draw rules"):
        Engine("5x5", draw_rules="fifty")
    with pytest.raises(IllegalTurnError):
        Game(start, turns=["e1-e2", "e2-e1"])


@pytest.mark.parametrize(
    "copied",
    [Game.copy, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))],
)
def test_copies_of_games_go_on_alone(copied: Callable[[Game], Game]) -> None:
    game = Game(Position("B4/5/5/5/4W w"), "free-capture", draw_rules="threefold+without-capture-9")
    for text in 2 * ["e1-e2", "a5-a4", "e2-e1", "a4-a5"]:
        game.push(text)
    game.annotate("why?")
    other = copied(game)
    assert other == game and other.text == game.text
    for part in ["start", "rules", "draw_rules", "turns", "earlier", "position", "occurrences", "end"]:
        assert getattr(other, part) == getattr(game, part), part
    other.annotate("mine")
    assert other != game and other.end == "threefold" and other.undo() and other.undo()
    assert (len(other.turns), len(game.turns), game.occurrences) == (6, 8, 3)
    assert Game(game.start, "free-capture", turns=game.turns).end == "threefold"


def test_answers_have_a_text() -> None:
    analysis: Analysis = analyze(Board("3x3").start())
    assert repr(analysis).startswith("<Analysis of 'BBB/B1W/WWW w': win")
    assert repr(Engine("3x3").think(Board("3x3").start(), depth=2)).startswith("<PlayResult ")
    assert "level 8" in repr(Engine("3x3"))


def test_the_interpreter_runs_during_a_search() -> None:
    # The other thread counts only if the search has released the lock.
    done, ticks = threading.Event(), 0

    def tick() -> None:
        nonlocal ticks
        while not done.wait(0.005):
            ticks += 1

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        assert analyze(
            Board("9x5").start(), "free-capture", time=1.0, memory=1 << 20, threads=1
        ).end == "time"
    finally:
        done.set()
        thread.join()
    assert ticks > 10


def test_several_positions_are_analyzed(telo: Tables) -> None:
    texts = [fanorona.random_position("3x3", "2v2", seed).text for seed in range(5)]
    for several in (texts, np.array(texts), (Position(text) for text in texts)):
        found = analyze(several, tables=telo)
        assert [str(analysis.position) for analysis in found] == texts
        assert all(analysis.value == telo.probe(analysis.position).value for analysis in found)
    assert analyze([]) == []
    with pytest.raises(ValueError, match="one position"):
        analyze(texts, resume="file")  # type: ignore[call-overload]
    with pytest.raises(OtherGameError):
        analyze([Position(texts[0]), Position()])
    with pytest.raises(TypeError, match="a Position or its text"):
        analyze(5)  # type: ignore[call-overload]


def test_assessments(telo: Tables, data: Path) -> None:
    start = Board("3x3").start()
    # A game without a certificate of its start.
    known, found = assess(Position(), "free-capture"), assess(start, tables=telo)
    assert (known.value, known.source, known.at_least, known.at_most) == (
        None,
        None,
        Value.LOSS,
        Value.WIN,
    )
    assert (found.value, found.dtw, found.source) == (
        telo.probe(start).value,
        telo.probe(start).dtw,
        "table",
    )
    over = assess("3/1W1/3 b")
    assert (over.value, over.dtw, over.source) == (Value.LOSS, 0, "rules")
    book = fanorona.Book(data / "proofs" / "3x5-standard.proof")
    proved = assess(book.board.start(), book=book)
    assert (proved.value, proved.source) == (Value.WIN, "proof")
    # The package has this certificate.
    assert repr(assess(book.board.start())) == repr(proved)
    with pytest.raises(OtherGameError):
        assess(Position(), tables=telo)
