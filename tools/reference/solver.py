"""Win, draw or loss, and the distance, of every position with few stones; and of single positions by search."""

from itertools import combinations
from random import Random

from board import WHITE, BLACK, Position, other
from notation import position_text
from rules import legal_turns, value_without_turns


def placements(board, own, opponent, to_move):
    """Every position with `own` stones of the side to move and `opponent` stones of the other."""
    for own_points in combinations(board.points, own):
        free = [point for point in board.points if point not in own_points]
        for opponent_points in combinations(free, opponent):
            if to_move == WHITE:
                yield Position(board, own_points, opponent_points, WHITE)
            else:
                yield Position(board, opponent_points, own_points, BLACK)


def key_of(rules, position):
    """A text for use as a dictionary key. When the colours are alike, the side to move is always White."""
    if rules.sides_are_alike() and position.to_move == BLACK:
        position = position.colours_swapped()
    cells = [
        "W" if point in position.white else "B" if point in position.black else "."
        for point in position.board.points
    ]
    return "".join(cells) + position.to_move


def position_of(board, key):
    white = [point for point, cell in zip(board.points, key) if cell == "W"]
    black = [point for point, cell in zip(board.points, key) if cell == "B"]
    return Position(board, white, black, key[-1])


class Solver:
    """`values[key]` is (value, distance); a drawn position has distance None."""

    def __init__(self, rules, board):
        rules.check_board(board)
        self.rules = rules
        self.board = board
        self.values = {}
        self.slices = {}  # (own, opponent, side to move) -> keys

    def solve(self, stones, progress=lambda text: None):
        """Solves every slice with up to `stones` stones, fewest stones first."""
        for total in range(2, stones + 1):
            for family in self.families(total):
                progress("slices " + ", ".join(f"{own}v{opponent} {side}" for own, opponent, side in family))
                self.solve_family(family)

    def families(self, total):
        """The slices with this number of stones, grouped so that a turn without capture stays in its group."""
        seen = set()
        for own in range(1, total):
            opponent = total - own
            if max(own, opponent) > self.board.half:
                continue
            for side in (WHITE,) if self.rules.sides_are_alike() else (WHITE, BLACK):
                reply = side if self.rules.sides_are_alike() else other(side)
                family = sorted({(own, opponent, side), (opponent, own, reply)})
                if family[0] not in seen:
                    seen.add(family[0])
                    yield family

    def solve_family(self, family):
        """One round for each distance. Round n examines a position again only if a successor was decided at
        distance n - 1: nothing else can decide it at distance n."""
        rules, values = self.rules, self.values
        children = {}
        for piece in family:
            self.slices[piece] = []
            for position in placements(self.board, *piece):
                key = key_of(rules, position)
                self.slices[piece].append(key)
                turns = legal_turns(rules, position)
                if turns:
                    children[key] = list({self.child(turn.after) for turn in turns})
                else:
                    result = value_without_turns(rules, position)
                    values[key] = (result, 0 if result == "loss" else None)
                    children[key] = []
        parents = {key: [] for key in children}
        for key, below in children.items():
            for child in below:
                if child in parents:
                    parents[child].append(key)

        rounds = {}  # distance -> positions to examine
        for key, below in children.items():
            if values.get(key) == ("loss", 0):
                rounds.setdefault(1, set()).update(parents[key])
            for child in below:
                if child not in children and values[child][0] != "draw":
                    rounds.setdefault(values[child][1] + 1, set()).add(key)

        while rounds:
            distance = min(rounds)
            decided = {}
            for key in rounds.pop(distance):
                if key not in values:
                    result = self.decide(children[key], distance)
                    if result:
                        decided[key] = (result, distance)
            values.update(decided)
            for key in decided:
                if parents[key]:
                    rounds.setdefault(distance + 1, set()).update(parents[key])

        for key in children:
            values.setdefault(key, ("draw", None))

    def child(self, position):
        """The key of a position after a turn. A finished game has no slice, so it is stored as lost here."""
        key = key_of(self.rules, position)
        if not position.own():
            self.values[key] = ("loss", 0)
        return key

    def decide(self, below, distance):
        """Is a position with these successors won or lost in exactly `distance` turns, if it is not decided
        in fewer? A draw by rule (no turns) has no successors."""
        results = [self.values.get(child, ("draw", None)) for child in below]
        if any(value == "loss" and far <= distance - 1 for value, far in results):
            return "win"
        if results and all(value == "win" and far <= distance - 1 for value, far in results):
            return "loss"
        return None

    def report(self):
        """The counts of each slice, as plain data."""
        slices = []
        for (own, opponent, side), keys in sorted(self.slices.items(), key=lambda it: (it[0][0] + it[0][1], it[0])):
            counts = {"win": 0, "draw": 0, "loss": 0}
            distances = {"win": {}, "loss": {}}
            for key in keys:
                value, distance = self.values[key]
                counts[value] += 1
                if value != "draw":
                    distances[value][distance] = distances[value].get(distance, 0) + 1
            entry = {"own": own, "opponent": opponent}
            if not self.rules.sides_are_alike():
                entry["to_move"] = "white" if side == WHITE else "black"
            entry["positions"] = len(keys)
            entry.update(counts)
            entry["max_win"] = max(distances["win"], default=None)
            entry["max_loss"] = max(distances["loss"], default=None)
            for value in ("win", "loss"):
                entry[value + "_distances"] = {str(d): n for d, n in sorted(distances[value].items())}
            slices.append(entry)
        return slices

    def dump(self, file, sample=None):
        """Every position with its value and distance, one per line; or a random sample of each slice."""
        chance = Random(1)
        for _, keys in sorted(self.slices.items()):
            if sample is not None and sample < len(keys):
                keys = sorted(chance.sample(keys, sample))
            for key in keys:
                value, distance = self.values[key]
                text = position_text(position_of(self.board, key))
                print(text, value, "-" if distance is None else distance, file=file)


class Prover:
    """Can a side force the end within a number of turns? Searches the whole tree and caches each answer."""

    def __init__(self, rules):
        self.rules = rules
        self.won = {}  # key -> (not won within, won within)
        self.lost = {}

    def wins_within(self, position, turns):
        return self._ask(self.won, position, turns, self._wins)

    def loses_within(self, position, turns):
        return self._ask(self.lost, position, turns, self._loses)

    def _ask(self, known, position, turns, answer):
        key = key_of(self.rules, position)
        no, yes = known.get(key, (-1, 1000))
        if turns >= yes:
            return True
        if turns <= no:
            return False
        found = answer(position, turns)
        known[key] = (no, turns) if found else (turns, yes)
        return found

    def _wins(self, position, turns):
        if turns == 0:
            return False
        return any(self.loses_within(turn.after, turns - 1) for turn in legal_turns(self.rules, position))

    def _loses(self, position, turns):
        below = legal_turns(self.rules, position)
        if not below:
            return value_without_turns(self.rules, position) == "loss"
        if turns == 0:
            return False
        return all(self.wins_within(turn.after, turns - 1) for turn in below)

    def value(self, position, most):
        """(value, distance) if it is decided within `most` turns, else None."""
        for turns in range(most + 1):
            if turns % 2 == 0 and self.loses_within(position, turns):
                return ("loss", turns)
            if turns % 2 == 1 and self.wins_within(position, turns):
                return ("win", turns)
        return None
