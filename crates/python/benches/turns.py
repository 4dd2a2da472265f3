"""Measures what listing turns costs in Python, in microseconds a turn.

    python crates/python/benches/turns.py

The package must have been built with optimization (pip does).
"""

import random
import timeit

from fanorona import Board, Position


def games(count: int) -> list[Position]:
    """Positions of random games from the start of 9x5."""
    chance = random.Random(1)
    found = []
    for _ in range(count):
        position = Board("9x5").start()
        while legal := position.legal_turns():
            found.append(position)
            position = chance.choice(legal).after
    return found


def main() -> None:
    positions = games(50)
    turns = sum(len(position.legal_turns()) for position in positions)
    for name, work in [
        ("list the turns", lambda: [position.legal_turns() for position in positions]),
        ("and play each", lambda: [[turn.after for turn in p.legal_turns()] for p in positions]),
        ("and write each", lambda: [[turn.text for turn in p.legal_turns()] for p in positions]),
    ]:
        seconds = min(timeit.repeat(work, number=5, repeat=5)) / 5
        print(f"{name}: {1e6 * seconds / turns:.2f} µs a turn ({turns} turns)")


if __name__ == "__main__":
    main()
