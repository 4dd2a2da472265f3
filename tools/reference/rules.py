"""Rule sets, and the legal turns of a position."""

from board import WHITE, BLACK


class RuleSet:
    """A preset and its options, read from a name such as `standard+direction-strict`."""

    PRESETS = ("standard", "first-capture-single", "forced-relay", "free-capture", "vela")

    def __init__(self, name):
        preset, *parts = name.split("+")
        if preset not in self.PRESETS:
            raise ValueError(f"rules '{name}': no preset '{preset}'; there are " + ", ".join(self.PRESETS))
        self.name = name
        self.preset = preset
        self.direction = "default"  # or strict, or free
        self.no_turns = "loss"  # or draw
        self.victor = WHITE  # only of meaning in the vela, as the next two
        self.victor_stones = None  # None: 5, and only on 9x5
        self.must_capture = False
        order = []
        for part in parts:
            order.append(self._option(part))
        if order != sorted(set(order)):
            raise ValueError(
                f"rules '{name}': the order is direction, no-turns, victor, stones, must-capture, each once"
            )

    def _option(self, part):
        """Sets one option; returns its index in the order of options."""
        vela = self.preset == "vela"
        if part in ("direction-strict", "direction-free"):
            self.direction = part.removeprefix("direction-")
            return 1
        if part == "no-turns-draw":
            self.no_turns = "draw"
            return 2
        if vela and part == "victor-black":
            self.victor = BLACK
            return 3
        if vela and part.startswith("stones-") and part.removeprefix("stones-").isdigit():
            self.victor_stones = int(part.removeprefix("stones-"))
            return 4
        if vela and part == "must-capture":
            self.must_capture = True
            return 5
        raise ValueError(f"rules '{self.name}': no option '{part}' for {self.preset}")

    # What the rule set says about a position or a turn.

    def sides_are_alike(self):
        """Does the game stay the same when the colours are swapped?"""
        return self.preset != "vela"

    def check_board(self, board):
        if self.preset == "vela" and self.victor_stones is None and board.name != "9x5":
            raise ValueError(f"rules 'vela' on {board.name}: needs the option stones-N")

    def vela_phase_one(self, position):
        if self.preset != "vela":
            return False
        self.check_board(position.board)
        limit = 5 if self.victor_stones is None else self.victor_stones
        victors = position.white if self.victor == WHITE else position.black
        return len(victors) > limit

    def paika_although_capture(self, position):
        """May a paika be played although another step could capture?"""
        if self.preset == "free-capture" or self.preset == "vela":
            return not position.all_stones_stand()  # the first turn of the game captures
        return False

    def relay_allowed(self, position):
        """May a capturing turn have more than one step?"""
        if self.preset == "first-capture-single":
            has_captured = len(position.enemies()) < position.board.half
            return has_captured
        return True

    def relay_forced(self):
        return self.preset == "forced-relay"

    def direction_allowed(self, direction, used):
        """May a relay whose steps went in the directions `used` go on in `direction`?"""
        if self.direction == "free":
            return True
        if self.direction == "strict":
            return direction not in used
        return not used or direction != used[-1]


class Step:
    """One stone, one link; kind is A (approach), W (withdrawal) or empty (captures nothing)."""

    def __init__(self, start, end, kind, taken):
        self.start = start
        self.end = end
        self.kind = kind
        self.taken = taken


class Turn:
    def __init__(self, position, steps):
        self.steps = steps
        self.taken = [point for step in steps for point in step.taken]
        own = (position.own() - {steps[0].start}) | {steps[-1].end}
        self.after = position.after(own, position.enemies() - set(self.taken))


def line_of(enemies, board, first, direction):
    """The unbroken line of enemy stones from the point `first` on; `first` may be None."""
    line = []
    point = first
    while point is not None and point in enemies:
        line.append(point)
        point = board.neighbour(point, direction)
    return line


def capturing_steps(board, own, enemies, start):
    """Every capturing step of the stone on `start`, without regard to relays."""
    steps = []
    for direction, end in board.links[start].items():
        if end in own or end in enemies:
            continue
        back = (-direction[0], -direction[1])
        approached = line_of(enemies, board, board.neighbour(end, direction), direction)
        if approached:
            steps.append(Step(start, end, "A", approached))
        left = line_of(enemies, board, board.neighbour(start, back), back)
        if left:
            steps.append(Step(start, end, "W", left))
    return steps


def direction_of(step):
    return (step.end[0] - step.start[0], step.end[1] - step.start[1])


def visited_points(steps):
    return {steps[0].start} | {step.end for step in steps}


def taken_points(steps):
    return {point for step in steps for point in step.taken}


def next_steps(rules, position, steps):
    """The capturing steps with which a relay that already has `steps` can go on."""
    if not rules.relay_allowed(position):
        return []
    visited = visited_points(steps)
    used = [direction_of(step) for step in steps]
    own = position.own() - {steps[0].start}
    enemies = position.enemies() - taken_points(steps)
    return [
        step
        for step in capturing_steps(position.board, own, enemies, steps[-1].end)
        if step.end not in visited and rules.direction_allowed(direction_of(step), used)
    ]


def may_stop(rules, position, steps):
    """May a capturing turn end here?"""
    return not rules.relay_forced() or not next_steps(rules, position, steps)


def with_relays(rules, position, steps):
    """Every legal capturing turn that begins with `steps`."""
    turns = []
    if may_stop(rules, position, steps):
        turns.append(Turn(position, steps))
    for step in next_steps(rules, position, steps):
        turns += with_relays(rules, position, steps + [step])
    return turns


def first_captures(position):
    own, enemies = position.own(), position.enemies()
    return [step for start in sorted(own) for step in capturing_steps(position.board, own, enemies, start)]


def quiet_moves(position):
    """Every move of one stone to an empty neighbour without capturing."""
    own, enemies = position.own(), position.enemies()
    return [
        Step(start, end, "", [])
        for start in sorted(own)
        for end in position.board.links[start].values()
        if end not in own and end not in enemies
    ]


def paikas(position, captures):
    """The moves that could capture nothing; `captures` are the capturing first steps."""
    capturing = {(step.start, step.end) for step in captures}
    return [step for step in quiet_moves(position) if (step.start, step.end) not in capturing]


def game_is_over(position):
    return not position.white or not position.black


def legal_turns(rules, position):
    """Every legal turn; none if the game is over or the side to move is blocked."""
    rules.check_board(position.board)
    if game_is_over(position):
        return []
    if rules.vela_phase_one(position):
        return vela_phase_one_turns(rules, position)
    captures = first_captures(position)
    turns = []
    for step in captures:
        turns += with_relays(rules, position, [step])
    if not captures or rules.paika_although_capture(position):
        turns += [Turn(position, [step]) for step in paikas(position, captures)]
    return turns


def vela_phase_one_turns(rules, position):
    if position.to_move == rules.victor:
        return [Turn(position, [step]) for step in quiet_moves(position)]
    captures = first_captures(position)
    turns = []
    for step in captures:
        nearest = Step(step.start, step.end, step.kind, step.taken[:1])
        turns.append(Turn(position, [nearest]))
    if not rules.must_capture:
        turns += [Turn(position, [step]) for step in paikas(position, captures)]
    return turns


def value_without_turns(rules, position):
    """The value, `loss` or `draw`, of a position whose side to move has no legal turn."""
    if not position.own():
        return "loss"
    if not position.enemies():
        return "win"  # the other side has lost; no turn leads here
    challenger_failed = (
        rules.must_capture and rules.vela_phase_one(position) and position.to_move != rules.victor
    )
    if rules.no_turns == "draw" and not challenger_failed:
        return "draw"
    return "loss"
