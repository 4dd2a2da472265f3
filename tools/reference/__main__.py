"""The commands; `python3 tools/reference --help` lists them."""

import argparse
import json
import random
import sys

import notation_check
import suite
from board import board_named, start_position
from notation import point_text, position_text, read_position, read_turn, turn_text
from perft import COUNTS, perft
from play import random_positions
from rules import RuleSet, legal_turns
from solver import Prover, Solver


def rule_set(name):
    try:
        return RuleSet(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(error) from None


def position_asked(args):
    if args.position is None:
        return start_position(board_named(args.board or "9x5"))
    position = read_position(args.position)
    if args.board and args.board != position.board.name:
        raise ValueError(f"position '{args.position}' is on {position.board.name}, not on {args.board}")
    return position


def command_moves(args):
    for turn in sorted(legal_turns(args.rules, position_asked(args)), key=turn_text):
        taken = " ".join(point_text(point) for point in sorted(turn.taken))
        print(turn_text(turn), position_text(turn.after), taken or "-", sep="\t")


def command_perft(args):
    for depth in range(1, args.depth + 1):
        print(depth, perft(args.rules, position_asked(args), args.count, depth), flush=True)


def command_turn(args):
    turn = read_turn(args.rules, position_asked(args), args.text)
    print(turn_text(turn), position_text(turn.after), sep="\t")


def command_value(args):
    value = Prover(args.rules).value(position_asked(args), args.within)
    print(*(value or ("unknown", f"not decided within {args.within} turns")))


def command_solve(args):
    board = board_named(args.board or "9x5")
    solver = Solver(args.rules, board)
    solver.solve(args.stones, lambda text: print(text, file=sys.stderr))
    if args.dump:
        with open(args.dump, "w", encoding="utf-8") as file:
            solver.dump(file, args.sample)
    print(
        values_json(
            {
                "source": "the Python reference under tools/reference",
                "board": board.name,
                "rules": args.rules.name,
                "metric": "dtw",
                "stones": args.stones,
                "slices": solver.report(),
            }
        )
    )


def values_json(data):
    """JSON with a line for each slice."""
    slices = ",\n    ".join(json.dumps(piece) for piece in data["slices"])
    rest = {key: value for key, value in data.items() if key != "slices"}
    return json.dumps(rest, indent=2)[:-2] + ',\n  "slices": [\n    ' + slices + "\n  ]\n}"


def command_random(args):
    chance = random.Random(args.seed)
    start = position_asked(args)
    for position in random_positions(args.rules, start, chance, args.games, args.turns):
        print(position_text(position))


def command_suite(args):
    return 1 if suite.check(args.files, args.max_nodes) else 0


def command_suite_fill(args):
    failed = [suite.fill(path, args.max_nodes, args.max_depth) for path in args.files]
    return 1 if any(failed) else 0


def command_suite_themes(args):
    for path in args.files:
        suite.write_themes(path)


def command_notation(args):
    return 1 if notation_check.check(args.folder) else 0


def main():
    parser = argparse.ArgumentParser(prog="reference", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name, function, text, position=False):
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(function=function)
        if position or name == "solve":
            sub.add_argument("--board", help="WIDTHxHEIGHT; default 9x5, or the position's")
            sub.add_argument("--rules", default="standard", type=rule_set, help="preset+option-value+...")
        if position:
            sub.add_argument("--position", help="default: the start of the board")
        return sub

    command("moves", command_moves, "the legal turns: turn, position after it, points taken", True)
    sub = command("perft", command_perft, "counts the tree for every depth up to --depth", True)
    sub.add_argument("--count", choices=COUNTS, default="turns")
    sub.add_argument("--depth", type=int, required=True)
    sub = command("turn", command_turn, "reads one turn and writes it in its normal form", True)
    sub.add_argument("text")
    sub = command("value", command_value, "the value of one position, if decided within --within turns", True)
    sub.add_argument("--within", type=int, default=9)
    sub = command("solve", command_solve, "solves every slice of up to --stones stones")
    sub.add_argument("--stones", type=int, required=True)
    sub.add_argument("--dump", help="writes 'position value dtw' for every position to this file")
    sub.add_argument("--sample", type=int, help="writes only N random positions of each slice", metavar="N")
    sub = command("random", command_random, "positions from random games, one of each game", True)
    sub.add_argument("--games", type=int, default=10)
    sub.add_argument("--turns", type=int, default=20, help="the maximum number of turns played")
    sub.add_argument("--seed", type=int, default=1)
    sub = command("suite", command_suite, "checks suite files; status 1 if a count or a theme differs")
    sub.add_argument("files", nargs="+")
    sub.add_argument("--max-nodes", type=int, default=20000)
    sub = command("suite-fill", command_suite_fill, "adds missing depths to suite files and writes the deepest depth counted")
    sub.add_argument("files", nargs="+")
    sub.add_argument("--max-nodes", type=int, default=20000)
    sub.add_argument("--max-depth", type=int, default=30)
    sub = command("suite-themes", command_suite_themes, "writes the themes of every entry of suite files")
    sub.add_argument("files", nargs="+")
    sub = command("notation", command_notation, "checks the files of data/positions")
    sub.add_argument("folder", nargs="?", default="data/positions")

    args = parser.parse_args()
    try:
        return args.function(args) or 0
    except (ValueError, OSError) as error:
        print(f"reference: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
