"""Positions from random play."""

from rules import legal_turns


def random_positions(rules, start, chance, games, turns):
    """The positions after `turns` random turns, from `games` games. Games that end earlier are left out,
    and each position is given once."""
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
