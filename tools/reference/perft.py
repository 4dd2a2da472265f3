"""The four ways to count the game tree: turns, positions, steps, unique."""

from rules import Turn, legal_turns, may_stop, next_steps

COUNTS = ("turns", "positions", "steps", "unique")


class TooMany(Exception):
    """The count exceeded the budget."""


class Budget:
    def __init__(self, nodes=None):
        self.left = nodes

    def spend(self, nodes):
        if self.left is not None:
            self.left -= nodes
            if self.left < 0:
                raise TooMany()


def perft(rules, position, count, depth, budget=None):
    budget = budget or Budget()
    if count == "turns":
        return count_turns(rules, position, depth, budget)
    if count == "positions":
        return count_positions(rules, position, depth, budget)
    if count == "steps":
        return count_steps(rules, position, [], depth, budget)
    if count == "unique":
        return count_unique(rules, position, depth, budget)
    raise ValueError(f"count '{count}': there are " + ", ".join(COUNTS))


def count_turns(rules, position, depth, budget):
    if depth == 0:
        return 1
    turns = legal_turns(rules, position)
    budget.spend(len(turns))
    if depth == 1:
        return len(turns)
    return sum(count_turns(rules, turn.after, depth - 1, budget) for turn in turns)


def count_positions(rules, position, depth, budget):
    if depth == 0:
        return 1
    turns = legal_turns(rules, position)
    budget.spend(len(turns))
    results = {turn.after for turn in turns}
    if depth == 1:
        return len(results)
    return sum(count_positions(rules, result, depth - 1, budget) for result in results)


def count_unique(rules, position, depth, budget):
    level = {position}
    for _ in range(depth):
        following = set()
        for here in level:
            turns = legal_turns(rules, here)
            budget.spend(len(turns))
            following |= {turn.after for turn in turns}
        level = following
    return len(level)


def count_steps(rules, position, steps, depth, budget):
    """`steps` are the steps of the relay in progress at this node; empty if there is none."""
    if depth == 0:
        return 1
    budget.spend(1)
    total = 0
    if steps:
        if may_stop(rules, position, steps):
            total += count_steps(rules, Turn(position, steps).after, [], depth - 1, budget)
        for step in next_steps(rules, position, steps):
            total += count_after_step(rules, position, steps + [step], depth - 1, budget)
        return total
    first = {}
    for turn in legal_turns(rules, position):
        step = turn.steps[0]
        first[(step.start, step.end, step.kind)] = step
    for step in first.values():
        total += count_after_step(rules, position, [step], depth - 1, budget)
    return total


def count_after_step(rules, position, steps, depth, budget):
    single = steps[-1].kind == "" or rules.vela_phase_one(position)
    if single or not next_steps(rules, position, steps):
        return count_steps(rules, Turn(position, steps).after, [], depth, budget)
    return count_steps(rules, position, steps, depth, budget)
