"""Wrong rules, to see whether a suite notices them. Each is a mistake that is easily made."""

import re
from contextlib import contextmanager

import rules as the_rules
from board import other
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
    """Neighbours by point number only, so that a line wraps around the left or right edge."""
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
    """If a step could capture both ways, the same one is always chosen."""

    def steps(board, own, enemies, start):
        found = RIGHT["capturing_steps"](board, own, enemies, start)
        chosen = {step.end for step in found if step.kind == kind}
        return [step for step in found if step.kind == kind or step.end not in chosen]

    return steps


def both_at_once(board, own, enemies, start):
    """If a step could capture both ways, it captures both lines."""
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
    """Relays of at most `length` steps."""

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


def with_methods(**methods):
    """The same rule set with some of its methods replaced; each gets the rule set first."""

    def turns(rules, position):
        copy = the_rules.RuleSet(rules.name)
        for name, method in methods.items():
            setattr(copy, name, method.__get__(copy))
        return legal_turns(copy, position)

    return turns


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


def victor_keeps_from_capturing(rules, position):
    """The victor's moves in phase 1 are paikas, as if those that could capture were illegal."""
    if position.to_move != rules.victor:
        return RIGHT["vela_phase_one_turns"](rules, position)
    captures = RIGHT["first_captures"](position)
    return [Turn(position, [step]) for step in RIGHT["paikas"](position, captures)]


def challenger_captures(whole_line, relays):
    """The challenger of phase 1 captures whole lines, or goes on."""

    def turns(rules, position):
        right = RIGHT["vela_phase_one_turns"](rules, position)
        if position.to_move == rules.victor:
            return right
        found = [turn for turn in right if not turn.taken]
        for step in RIGHT["first_captures"](position):
            if not whole_line:
                step = Step(step.start, step.end, step.kind, step.taken[:1])
            found += RIGHT["with_relays"](rules, position, [step]) if relays else [Turn(position, [step])]
        return found

    return turns


def phase_two_begins_with(difference):
    """One stone of the victor more or less."""

    def turns(rules, position):
        stones = 5 if rules.victor_stones is None else rules.victor_stones
        return with_rules(victor_stones=stones + difference)(rules, position)

    return turns


def has_captured(side_with_fewer):
    """Whether a side's stones are fewer than at the start."""
    return lambda rules, position: len(side_with_fewer(position)) < position.board.half


def mutants(preset):
    """(what is wrong, function that gives the turns of a position under the wrong rule), for a preset."""
    return {
        "standard": standard_mutants,
        "first-capture-single": first_capture_single_mutants,
        "forced-relay": forced_relay_mutants,
        "free-capture": free_capture_mutants,
        "vela": vela_mutants,
    }[preset]()


def standard_mutants():
    taken_before = RIGHT["taken_points"]
    return [
        ("a relay may come back to its starting point",
         by_functions(visited_points=lambda steps: {step.end for step in steps})),
        ("a relay may come back to a point on its way",
         by_functions(visited_points=lambda steps: {steps[0].start, steps[-1].end})),
        ("a relay may go on in the same direction", with_rules(direction="free")),
        ("no direction may come twice in a turn", with_rules(direction="strict")),
        ("stones taken in this relay still stand", by_functions(taken_points=lambda steps: set())),
        ("only the stones of the last step are gone",
         by_functions(taken_points=lambda steps: taken_before(steps[-1:]))),
        ("a line goes on behind a gap", by_functions(line_of=line_with_gaps)),
        ("only the nearest stone is taken", by_functions(line_of=nearest_only)),
        ("approach goes before withdrawal", by_functions(capturing_steps=one_kind_first("A"))),
        ("withdrawal goes before approach", by_functions(capturing_steps=one_kind_first("W"))),
        ("a step takes both lines", by_functions(capturing_steps=both_at_once)),
        ("there is no withdrawal", by_functions(capturing_steps=only_kind("A"))),
        ("there is no approach", by_functions(capturing_steps=only_kind("W"))),
        ("there are no relays", by_functions(next_steps=at_most(1))),
        ("relays end after 3 steps", by_functions(next_steps=at_most(3))),
        ("relays end after 8 steps", by_functions(next_steps=at_most(8))),
        ("relays end after 12 steps", by_functions(next_steps=at_most(12))),
        ("a relay goes on while it can", with_rules(preset="forced-relay")),
        ("a paika is legal beside a capture", with_rules(preset="free-capture")),
        ("every point has diagonals", by_links(links_with_parity, None)),
        ("the weak points have the diagonals", by_links(links_with_parity, 1)),
        ("the board has no left and right edge", by_links(links_by_number)),
        ("turns with the same result count once", one_for_each_result),
        ("a blocked side may pass", a_pass_when_blocked),
        ("room for 256 turns", at_most_turns(256)),
        ("room for 1024 turns", at_most_turns(1024)),
        ("room for 4096 turns", at_most_turns(4096)),
    ]


def first_capture_single_mutants():
    return [
        ("a first capture may go on", with_methods(relay_allowed=lambda rules, position: True)),
        ("no capture may go on", with_methods(relay_allowed=lambda rules, position: False)),
        ("it is about the first turn of the game alone",
         with_methods(relay_allowed=lambda rules, position: not position.all_stones_stand())),
        ("a side has captured when it has lost stones itself",
         with_methods(relay_allowed=has_captured(lambda position: position.own()))),
        ("a side has captured when any stone is gone",
         with_methods(relay_allowed=lambda rules, position: has_captured(lambda p: p.own())(rules, position)
                      or has_captured(lambda p: p.enemies())(rules, position))),
    ]


def forced_relay_mutants():
    return [
        ("a relay may stop although it can go on", with_methods(relay_forced=lambda rules: False)),
        ("a relay has to go on with its first two steps alone",
         by_functions(may_stop=lambda rules, position, steps: len(steps) > 2
                      or RIGHT["may_stop"](rules, position, steps))),
        ("a relay has to be as long as any",
         lambda rules, position: longest_only(legal_turns(rules, position))),
        ("a relay has to take as many stones as any",
         lambda rules, position: most_stones_only(legal_turns(rules, position))),
    ]


def longest_only(turns):
    longest = max((len(turn.steps) for turn in turns), default=0)
    return [turn for turn in turns if len(turn.steps) == longest]


def most_stones_only(turns):
    most = max((len(turn.taken) for turn in turns), default=0)
    return [turn for turn in turns if len(turn.taken) == most]


def free_capture_mutants():
    return [
        ("the first turn of the game need not capture",
         with_methods(paika_although_capture=lambda rules, position: True)),
        ("a paika is illegal beside a capture",
         with_methods(paika_although_capture=lambda rules, position: False)),
        ("the first turn of each side has to capture",
         with_methods(paika_although_capture=has_captured(lambda position: position.enemies()))),
        ("a step that could capture may capture nothing",
         by_functions(paikas=lambda position, captures: RIGHT["quiet_moves"](position))),
        ("a stone that can capture may not play a paika",
         by_functions(paikas=lambda position, captures: [
             step for step in RIGHT["paikas"](position, captures)
             if step.start not in {capture.start for capture in captures}])),
    ]


def vela_mutants():
    return [
        ("the victor captures in phase 1",
         with_methods(vela_phase_one=lambda rules, position: position.to_move != rules.victor
                      and the_rules.RuleSet.vela_phase_one(rules, position))),
        ("the victor keeps from steps that could capture",
         by_functions(vela_phase_one_turns=victor_keeps_from_capturing)),
        ("the challenger takes whole lines",
         by_functions(vela_phase_one_turns=challenger_captures(whole_line=True, relays=False))),
        ("the challenger may go on",
         by_functions(vela_phase_one_turns=challenger_captures(whole_line=False, relays=True))),
        ("the challenger has to capture", with_rules(must_capture=True)),
        ("the challenger may play any quiet move",
         by_functions(paikas=lambda position, captures: RIGHT["quiet_moves"](position))),
        ("phase 2 begins one stone too early", phase_two_begins_with(1)),
        ("phase 2 begins one stone too late", phase_two_begins_with(-1)),
        ("the other side is the victor",
         lambda rules, position: with_rules(victor=other(rules.victor))(rules, position)),
        ("there is no phase 2", with_rules(victor_stones=0)),
        ("phase 2 has to capture", with_methods(paika_although_capture=lambda rules, position: False)),
    ]


# If a position or its successors have more turns than this, only its own turns are compared.
FEW = 60


def noticed(rules, position):
    """The wrong rules under which the position has another number of turns, as {name: number}; where
    the difference shows only after one turn, the number of turns there, as text."""
    first = legal_turns(rules, position)
    second = sum(len(legal_turns(rules, turn.after)) for turn in first[:FEW])
    found = {}
    for name, turns in mutants(rules.preset):
        wrong = turns(rules, position)
        if len(wrong) != len(first):
            found[name] = len(wrong)
        elif max(len(first), second) <= FEW:
            number = sum(len(turns(rules, turn.after)) for turn in wrong)
            if number != second:
                found[name] = f"{number} after a turn"
    return found


NUMBERS = {"no": 0, "one": 1, "two": 2, "three": 3}


def claims(why):
    """What a reason like '5 turns; 4 if a line goes on behind a gap' claims: the number of turns, and
    {mistake: number}. (None, {}) if it claims nothing of that kind."""
    number = r"([0-9,]+|no|one|two|three)"
    read = lambda text: NUMBERS[text] if text in NUMBERS else int(text.replace(",", ""))
    right = re.search(rf"(?:^|: ){number} turns?; ", why)
    if right is None:
        return None, {}
    wrong = re.findall(rf"; {number} if ([^;,]+)", why)
    return read(right[1]), {name: read(found) for found, name in wrong}
