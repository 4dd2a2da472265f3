"""Compares Tables.probe_many with a loop of probes, in paired runs with equal answers.

    python crates/python/benches/loop.py tables [slice] [positions]

Tables are of 9x5, standard rules. Each round opens them twice and probes the same positions twice, with
an empty cache and with a full one. On a busy machine only processor times say much.
"""

import resource
import sys
import time
from collections.abc import Callable
from typing import TypeVar

import fanorona

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[T, float, float]:
    """The result, the seconds, and the processor time."""

    def processor() -> float:
        used = resource.getrusage(resource.RUSAGE_SELF)
        return used.ru_utime + used.ru_stime

    before, begun = processor(), time.perf_counter()
    result = work()
    return result, time.perf_counter() - begun, processor() - before


def main(directory: str, slice: str = "5v3", count: str = "500000") -> None:
    own, opponent = fanorona.random_positions("9x5", slice, int(count), 1)
    positions = [
        fanorona.Position.from_bitboards("9x5", mine, theirs, "white")
        for mine, theirs in zip(own.tolist(), opponent.tolist(), strict=True)
    ]
    for _ in range(3):
        one, many = fanorona.Tables(directory), fanorona.Tables(directory)
        for tables in (one, many):
            tables.probe_many(own[:100], opponent[:100])  # Computes the orbits.
        for cache in ("empty", "full"):
            looped, seconds, work = timed(lambda: [one.probe(each) for each in positions])
            together, fewer, less = timed(lambda: many.probe_many(own, opponent))
            assert [int(found.value) for found in looped] == together.value.tolist()
            per = 1e6 / len(positions)
            print(
                f"{cache} cache: loop {seconds * per:.2f} µs (processor {work * per:.2f}), "
                f"probe_many {fewer * per:.2f} µs ({less * per:.2f}): {seconds / fewer:.1f} times "
                f"as fast, {work / less:.1f} times less work",
                flush=True,
            )


if __name__ == "__main__":
    main(*sys.argv[1:4])
