"""Checks the files of data/positions; data/README.md describes them."""

import os

from notation import position_text, read_position, read_turn, turn_text
from rules import RuleSet


def lines_of(path):
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\n")
            if line and not line.startswith("#"):
                yield f"{path}:{number}", line


def reads(function, *args):
    """(the result of the function, None) or (None, its error message)."""
    try:
        return function(*args), None
    except ValueError as error:
        return None, str(error)


def check(folder):
    """Prints what is wrong; returns the number of errors."""
    wrong = total = 0

    def expect(right, place, found):
        nonlocal wrong, total
        total += 1
        if not right:
            wrong += 1
            print(f"{place}: found {found}")

    for place, line in lines_of(os.path.join(folder, "valid.txt")):
        text, normal = line.split(" -> ")
        position, error = reads(read_position, text)
        expect(position and position_text(position) == normal, place, error or position_text(position))
    for place, line in lines_of(os.path.join(folder, "invalid.txt")):
        position, error = reads(read_position, line.split("\t")[0])
        expect(error is not None, place, "nothing wrong")
    for place, line in lines_of(os.path.join(folder, "turns.txt")):
        rules, position, text, normal, _ = (line.split("\t") + [""])[:5]
        turn, error = reads(read_turn, RuleSet(rules), read_position(position), text)
        if normal == "illegal":
            expect(error is not None, place, turn and turn_text(turn))
        else:
            expect(turn and turn_text(turn) == normal, place, error or turn_text(turn))
    print(f"{total} lines checked, {wrong} wrong")
    return wrong
