#!/usr/bin/env python3
"""Prints a log of `fanorona analyze --log FILE` as Markdown tables: proof and disproof numbers over time,
and the final state of each first turn.

    python3 tools/search_log.py FILE [--every MINUTES]

Needs Python 3.9.
"""

import argparse
import json
import pathlib

from common import table


def question(state):
    """Proof and disproof number, or the answer."""
    if state["answer"] is None:
        return f"{state['proof']} / {state['disproof']}"
    return "yes" if state["answer"] else "no"


def clock(seconds):
    """Minutes and seconds, as in 3:48."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--every", type=float, default=1, help="minutes between rows; default: 1")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.file.read_text().splitlines()]
    rows, next_row = [], 0
    for line in lines:
        minutes = line["seconds"] / 60
        if minutes < next_row and line is not lines[-1]:
            continue
        next_row = minutes + options.every - 0.5
        rows.append([clock(line["seconds"]), f"{line['nodes'] / 1e6:,.0f}",
                     f"{line['nodes'] / line['seconds'] / 1e6:.2f}", f"{100 * line['memory_filled']:.0f} %",
                     *map(question, line["questions"])])
    sides = [state["attacker"].capitalize() for state in lines[-1]["questions"]]
    print(table(["time (min:s)", "million positions>", "million/s>", "memory filled>",
                 *(f"{side} wins?>" for side in sides)], rows), end="\n\n")
    turns = []
    for turn in lines[-1]["searched"]:
        row = [turn["turn"]]
        for state in turn["questions"]:
            row += [question(state), f"{state['nodes'] / 1e6:,.0f}"]
        turns.append(row)
    print(table(["turn", *(head for side in sides for head in (f"{side} wins?>", "million positions>"))], turns))


main()
