"""Ctrl-C stops long work."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROGRAM = """
import sys, threading, time
import fanorona
from fanorona import Board

def started(*_):
    # Once only.
    if not started.done:
        started.done = True
        print("started", flush=True)
started.done = False

start = Board("9x5").start()
try:
    {work}
except KeyboardInterrupt:
    print("interrupted", flush=True)
else:
    print("finished", flush=True)
"""

PROBES = """import numpy as np
    fanorona.build({dir!r}, 4)
    tables = fanorona.Tables({dir!r})
    few = fanorona.random_positions('9x5', '2v2', 2_000_000, 1)
    many = [np.tile(stones, 10) for stones in few]
    """

LATER = "threading.Timer(0.3, started).start()"


@pytest.mark.skipif(os.name != "posix", reason="signals are sent as on POSIX")
@pytest.mark.parametrize(
    "work",
    [
        "fanorona.build({dir!r}, 6, progress=started)",
        "fanorona.analyze(start, 'free-capture', memory=1 << 24, progress=started)",
        "fanorona.Engine(memory=1 << 20).think(start, progress=started)",
        f"{LATER}; fanorona.perft(start, 20)",
        f"{LATER}; fanorona.perft(start, 20, count='unique')",
        f"{LATER}; fanorona.divide(start, 20, threads=1)",
        f"{LATER}; fanorona.random_positions('9x5', '3v3', 50_000_000, 1)",
        PROBES + "" + LATER + "; tables.probe_many(*many)",
        PROBES + "" + LATER + "; tables.rank_many(*many)",
    ],
    ids=["build", "analyze", "think", "perft", "unique", "divide", "random", "probes", "ranks"],
)
def test_ctrl_c_raises_keyboard_interrupt(work: str, tmp_path: Path) -> None:
    source = PROGRAM.format(work=work.format(dir=str(tmp_path)))
    process = subprocess.Popen(
        [sys.executable, "-c", source],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Python may have been started with the signal ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n", process.communicate()[1]
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=60)
    finally:
        process.kill()
    assert out == "interrupted\n" and process.returncode == 0, (out, errors)
    assert time.monotonic() - begun < 30
    # A stopped build leaves complete files only.
    for file in tmp_path.glob("*.fano"):
        assert file.stat().st_size > 100
