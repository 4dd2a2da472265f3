"""Wrong rules, to see whether a suite notices them. Each is a mistake that a program can easily make."""

from contextlib import contextmanager

import rules as the_rules
from rules import Step, Turn, legal_turns

RIGHT = {name: getattr(the_rules, name) for name in dir(the_rules) if callable(getattr(the_rules, name))}


@contextmanager
def replaced(**functions):
    """The rules with some of their functions replaced."""
    try:
        for name, function in functions.items():
            setattr(the_rules, name, function)
        yield
    finally:
        for name in functions:
            setattr(the_rules, name, RIGHT[name])


@contextmanager
def other_links(board, links):
    right = board.links
    try:
        board.links = links
        yield
    finally:
        board.links = right


def links_by_number(board):
    """Neighbours by counting points only, so that a line runs round the left or right edge."""
    links = {}
    for number, (f, r) in enumerate(board.points):
        links[(f, r)] = {}
        for df in (-1, 0, 1):
            for dr in (-1, 0, 1):
                target = number + df + dr * board.width
                diagonal_on_weak = df != 0 and dr != 0 and (f + r) % 2 == 1
                if (df, dr) != (0, 0) and not diagonal_on_weak and 0 <= target < len(board.points):
                    links[(f, r)][(df, dr)] = board.points[target]
    return links


def links_with_parity(board, parity):
    """Diagonals from the points of one parity, or from all."""
    links = {}
    for f, r in board.points:
        links[(f, r)] = {}
        for df in (-1, 0, 1):
            for dr in (-1, 0, 1):
                target = (f + df, r + dr)
                diagonal = df != 0 and dr != 0
                if (df, dr) == (0, 0) or target not in board.links:
                    continue
                if not diagonal or parity is None or (f + r) % 2 == parity:
                    links[(f, r)][(df, dr)] = target
    return links


def line_with_gaps(enemies, board, first, direction):
    """A line that goes on behind empty points and own stones."""
    line = []
    if first in enemies:
        point = first
        while point is not None:
            if point in enemies:
                line.append(point)
            point = board.neighbour(point, direction)
    return line


def nearest_only(enemies, board, first, direction):
    return RIGHT["line_of"](enemies, board, first, direction)[:1]


def one_kind_first(kind):
    """Where a step could do both, always the same is chosen."""

    def steps(board, own, enemies, start):
        found = RIGHT["capturing_steps"](board, own, enemies, start)
        chosen = {step.end for step in found if step.kind == kind}
        return [step for step in found if step.kind == kind or step.end not in chosen]

    return steps


def both_at_once(board, own, enemies, start):
    """Where a step could do both, it takes both lines."""
    found = RIGHT["capturing_steps"](board, own, enemies, start)
    by_end = {}
    for step in found:
        by_end.setdefault(step.end, []).append(step)
    return [
        Step(start, end, steps[0].kind, [point for step in steps for point in step.taken])
        for end, steps in by_end.items()
    ]


def only_kind(kind):
    def steps(board, own, enemies, start):
        return [step for step in RIGHT["capturing_steps"](board, own, enemies, start) if step.kind == kind]

    return steps


def at_most(length):
    """Relays of at most so many steps."""

    def steps(rules, position, before):
        return RIGHT["next_steps"](rules, position, before) if len(before) < length else []

    return steps


def one_for_each_result(rules, position):
    found = {turn.after: turn for turn in legal_turns(rules, position)}
    return list(found.values())


def a_pass_when_blocked(rules, position):
    found = legal_turns(rules, position)
    if not found and position.white and position.black:
        stone = sorted(position.own())[0]
        return [Turn(position, [Step(stone, stone, "", [])])]
    return found


def at_most_turns(number):
    return lambda rules, position: legal_turns(rules, position)[:number]


def with_rules(**changes):
    """The same rule set with some fields changed."""

    def turns(rules, position):
        copy = the_rules.RuleSet(rules.name)
        for name, value in changes.items():
            setattr(copy, name, value)
        return legal_turns(copy, position)

    return turns


def mutants():
    """(what is wrong, function that counts the turns of a position under the wrong rule)."""

    def by_functions(**functions):
        def turns(rules, position):
            with replaced(**functions):
                return legal_turns(rules, position)

        return turns

    def by_links(make, *args):
        def turns(rules, position):
            with other_links(position.board, make(position.board, *args)):
                return legal_turns(rules, position)

        return turns

    taken_before = RIGHT["taken_points"]
    return [
        ("a relay may come back to its starting point",
         by_functions(visited_points=lambda steps: {step.end for step in steps})),
        ("a relay may come back to a point on its way",
         by_functions(visited_points=lambda steps: {steps[0].start, steps[-1].end})),
        ("a relay may go on in the same direction", with_rules(direction="free")),
        ("no direction twice in a whole relay", with_rules(direction="strict")),
        ("stones taken in this relay still stand", by_functions(taken_points=lambda steps: set())),
        ("only the stones of the last step are gone",
         by_functions(taken_points=lambda steps: taken_before(steps[-1:]))),
        ("a line goes on behind a gap", by_functions(line_of=line_with_gaps)),
        ("only the nearest stone is taken", by_functions(line_of=nearest_only)),
        ("approach where both are possible", by_functions(capturing_steps=one_kind_first("A"))),
        ("withdrawal where both are possible", by_functions(capturing_steps=one_kind_first("W"))),
        ("both lines where both are possible", by_functions(capturing_steps=both_at_once)),
        ("no withdrawal", by_functions(capturing_steps=only_kind("A"))),
        ("no approach", by_functions(capturing_steps=only_kind("W"))),
        ("no relays", by_functions(next_steps=at_most(1))),
        ("relays of at most 3 steps", by_functions(next_steps=at_most(3))),
        ("relays of at most 8 steps", by_functions(next_steps=at_most(8))),
        ("relays of at most 12 steps", by_functions(next_steps=at_most(12))),
        ("a relay goes on while it can", with_rules(preset="forced-relay")),
        ("a paika although there are captures", with_rules(preset="free-capture")),
        ("diagonals from every point", by_links(links_with_parity, None)),
        ("diagonals from the weak points", by_links(links_with_parity, 1)),
        ("lines round the left and right edge", by_links(links_by_number)),
        ("turns with the same result count once", one_for_each_result),
        ("a blocked side passes", a_pass_when_blocked),
        ("room for 256 turns", at_most_turns(256)),
        ("room for 1024 turns", at_most_turns(1024)),
        ("room for 4096 turns", at_most_turns(4096)),
    ]


def noticed(rules, position):
    """The wrong rules under which the position has another number of turns, as {name: number}."""
    right = len(legal_turns(rules, position))
    found = {}
    for name, turns in mutants():
        number = len(turns(rules, position))
        if number != right:
            found[name] = number
    return found
