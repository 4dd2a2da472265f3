#!/usr/bin/env python3
"""Takes positions of 10 to 30 stones from games of the player against itself, for `proofs.py games`.

Each game begins with six random turns after which neither side is far ahead. The same seed and program give the same
positions.
"""

import argparse
import random
import re
import subprocess
from pathlib import Path

from common import PROGRAM, ROOT

POSITIONS = ROOT / "data/positions/games-9x5.txt"
LEAST, MOST, STEP = 10, 30, 4
OPENING, QUIET = 6, 20


class Player:
    """The program as an engine, with one thread and without tables."""

    def __init__(self, program):
        command = [program, "ugi"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)

    def ask(self, *lines, end):
        """The answer to some lines, up to the line that matches `end`."""
        for line in lines:
            self.process.stdin.write(line + "\n")
        answer = []
        for line in self.process.stdout:
            answer.append(line)
            if re.match(end, line):
                return "".join(answer)
        raise SystemExit(f"the program ended after {lines}")

    def at(self, turns):
        """The position after some turns, and the turns from there."""
        text = self.ask("position startpos" + (f" moves {' '.join(turns)}" if turns else ""), "d", end=".*turns:")
        return re.search(r"(\S+/\S+ [wb])\n", text)[1], text.rsplit("turns:", 1)[1].split()

    def best(self, nodes):
        """The best turn of the position, and its score."""
        text = self.ask(f"go nodes {nodes}", end="bestmove")
        score = re.findall(r"score (cp|mate) (\S+)", text)[-1]
        return text.split()[-1], int(score[1]) if score[0] == "cp" else 10_000


def stones(position):
    return sum(character in "WB" for character in position)


def game(player, chance, nodes):
    """The positions of a game, until few stones are left or nobody has captured for some turns. None if the opening
    is not balanced."""
    turns, positions = [], []
    player.ask("ugi", "uginewgame", "setoption name Seed value 1", "isready", end="readyok")
    while True:
        position, legal = player.at(turns)
        positions.append(position)
        is_quiet = len(positions) > QUIET and stones(positions[-1 - QUIET]) == stones(position)
        if not legal or is_quiet or stones(position) < LEAST:
            return positions
        best, score = player.best(nodes if len(turns) > OPENING else 20_000)
        if len(turns) == OPENING and abs(score) > 50:
            return []
        if best not in legal:
            # Drawn by repetition.
            return positions
        turns.append(chance.choice(legal) if len(turns) < OPENING else best)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--program", type=Path, default=PROGRAM)
    parser.add_argument("--positions", type=int, default=500)
    parser.add_argument("--nodes", type=int, default=3_000_000, help="for each turn: a second on one thread")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance, player, found, number = random.Random(options.seed), Player(options.program), [], 0
    while len(found) < options.positions:
        if not (positions := game(player, chance, options.nodes)):
            continue
        # The first one with at most 30, 26, 22 ... stones, in the next game with at most 29, 25, 21 ...
        for wanted in range(MOST - number % STEP, LEAST - 1, -STEP):
            position = next((each for each in positions if stones(each) <= wanted), None)
            if position and stones(position) >= LEAST and position not in found:
                found.append(position)
        number += 1
        print(f"{number} games, {len(found)} positions", flush=True)
    found = sorted(found[:options.positions], key=stones)
    note = f"# tools/game_positions.py --nodes {options.nodes} --seed {options.seed}: {number} games, standard rules"
    POSITIONS.write_text("\n".join([note, *found]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
