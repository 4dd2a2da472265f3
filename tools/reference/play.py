"""Positions from random play."""

from rules import legal_turns


def random_positions(rules, start, chance, games, turns):
    """The last position of each of so many random games of up to so many turns; games that end before
    are left out, and no position comes twice."""
    seen = set()
    for _ in range(games):
        position = start
        for _ in range(turns):
            choices = legal_turns(rules, position)
            if not choices:
                break
            position = chance.choice(choices).after
        else:
            if position not in seen:
                seen.add(position)
                yield position
