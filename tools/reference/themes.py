"""Themes: what the turns of a position show that generators get wrong. data/perft/README.md describes
each theme."""

import rules as the_rules
from rules import capturing_steps, direction_of, legal_turns, quiet_moves, visited_points

THEMES = (
    "relay",
    "ten-steps",
    "both-ways",
    "line-to-edge",
    "line-to-own",
    "line-to-gap",
    "back-to-start",
    "back-to-way",
    "same-direction",
    "weak-relay",
    "weak-diagonal",
    "same-result",
    "thousand-turns",
    "last-stone",
    "no-turn",
    "first-turn",
    "captures-only",
    "paika-beside-capture",
    "single-first-capture",
    "must-go-on",
    "giving",
    "taking",
    "nearest-only",
    "between-phases",
    "phase-two",
)


def themes(rules, position):
    """The position's themes, in the order of THEMES."""
    turns = legal_turns(rules, position)
    found = set()
    if not turns and position.white and position.black:
        found.add("no-turn")
    if position.all_stones_stand():
        found.add("first-turn")
    if len(turns) > 1024:
        found.add("thousand-turns")
    if len({turn.after for turn in turns}) < len(turns):
        found.add("same-result")
    if any(len(turn.steps) >= 10 for turn in turns):
        found.add("ten-steps")
    if any(len(turn.steps) > 1 and len(turn.taken) == len(position.enemies()) for turn in turns):
        found.add("last-stone")
    found |= of_choice(position, turns)
    found |= of_vela(rules, position, turns)
    kinds = {}  # of the steps that can follow the same steps from the same point to the same
    for turn in turns:
        for number, step in enumerate(turn.steps):
            if step.kind:
                before = tuple((s.start, s.end, s.kind) for s in turn.steps[:number])
                kinds.setdefault((before, step.start, step.end), set()).add(step.kind)
        for number in range(1, len(turn.steps) + 1):
            if turn.steps[0].kind:
                found |= of_relay(rules, position, turn.steps[:number])
        if len(turn.steps) > 1:
            found.add("relay")
    if {"A", "W"} in kinds.values():
        found.add("both-ways")
    if any(weak_diagonal(position, own, position.own(), position.enemies()) for own in position.own()):
        found.add("weak-diagonal")
    return [theme for theme in THEMES if theme in found]


def of_choice(position, turns):
    """The themes of positions with captures, paikas or both."""
    captures = any(turn.taken for turn in turns)
    paikas = any(not turn.taken for turn in turns)
    if captures and paikas:
        return {"paika-beside-capture"}
    capturing = {(step.start, step.end) for step in the_rules.first_captures(position)}
    quiet = any((step.start, step.end) not in capturing for step in quiet_moves(position))
    return {"captures-only"} if captures and quiet else set()


def of_vela(rules, position, turns):
    if rules.preset != "vela":
        return set()
    if not rules.vela_phase_one(position):
        return {"phase-two"}
    if position.to_move == rules.victor:
        return {"giving"}
    found = {"taking"}
    if any(not rules.vela_phase_one(turn.after) for turn in turns):
        found.add("between-phases")
    if any(len(step.taken) > 1 for step in the_rules.first_captures(position)):
        found.add("nearest-only")
    return found


def of_relay(rules, position, steps):
    """What the last of these steps shows, and the point that it leads to."""
    board, last = position.board, steps[-1]
    start, at = steps[0].start, last.end
    taken_before = the_rules.taken_points(steps[:-1])
    own = position.own() - {start}
    enemies = position.enemies() - taken_before
    found = set()

    direction = direction_of(last)
    if last.kind == "W":
        direction = (-direction[0], -direction[1])
    end = board.neighbour(last.taken[-1], direction)
    if end is None:
        found.add("line-to-edge")
    elif end not in enemies:
        behind = board.neighbour(end, direction)
        if behind in enemies:
            found.add("line-to-own" if end in own else "line-to-gap")

    # The rest is about going on with a relay.
    if rules.vela_phase_one(position):
        return found
    enemies = enemies - set(last.taken)
    following = capturing_steps(board, own, enemies, at)
    visited = visited_points(steps)
    used = [direction_of(step) for step in steps]
    going_on = [
        step
        for step in following
        if step.end not in visited and rules.direction_allowed(direction_of(step), used)
    ]
    if not rules.relay_allowed(position):
        return found | ({"single-first-capture"} if going_on else set())
    if going_on and rules.relay_forced():
        found.add("must-go-on")
    weak = (at[0] + at[1]) % 2 == 1
    if going_on and weak:
        found.add("weak-relay")
    if weak_diagonal(position, at, own, enemies):
        found.add("weak-diagonal")
    for step in following:
        allowed = rules.direction_allowed(direction_of(step), used)
        if step.end not in visited and not allowed:
            found.add("same-direction")
        if allowed and len(steps) > 1 and step.end == start:
            found.add("back-to-start")
        if allowed and len(steps) > 1 and step.end in visited - {start}:
            found.add("back-to-way")
    return found


def weak_diagonal(position, at, own, enemies):
    """Whether a stone on a weak point would capture along a diagonal, if there were one."""
    (f, r), points = at, position.board.links
    if (f + r) % 2 == 0:
        return False
    for df in (-1, 1):
        for dr in (-1, 1):
            end = (f + df, r + dr)
            if end in points and end not in own and end not in enemies:
                if (f + 2 * df, r + 2 * dr) in enemies or (f - df, r - dr) in enemies:
                    return True
    return False
