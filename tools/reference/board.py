"""The board and its stones. Points are (file, rank) pairs counted from 0."""

WHITE = "w"
BLACK = "b"


def other(side):
    return BLACK if side == WHITE else WHITE


class Board:
    """The points of a width x height board and the links between them."""

    def __init__(self, width, height):
        if width % 2 == 0 or height % 2 == 0 or width < 3 or height < 3:
            raise ValueError(f"board {width}x{height}: both numbers must be odd and at least 3")
        if width * height > 63:
            raise ValueError(f"board {width}x{height}: more than 63 points")
        self.width = width
        self.height = height
        self.points = [(f, r) for r in range(height) for f in range(width)]
        self.half = (width * height - 1) // 2  # stones of one side at the start
        # links[point][direction] is the neighbour of point in that direction
        self.links = {point: {} for point in self.points}
        for f, r in self.points:
            for df in (-1, 0, 1):
                for dr in (-1, 0, 1):
                    if (df, dr) == (0, 0):
                        continue
                    diagonal = df != 0 and dr != 0
                    strong = (f + r) % 2 == 0
                    if diagonal and not strong:
                        continue
                    target = (f + df, r + dr)
                    if target in self.links:
                        self.links[(f, r)][(df, dr)] = target

    @property
    def name(self):
        return f"{self.width}x{self.height}"

    def neighbour(self, point, direction):
        """The neighbour in a direction, or None if there is no link."""
        return self.links[point].get(direction)


BOARDS = {}


def board_of(width, height):
    """The board of that size; always the same object for the same size."""
    if (width, height) not in BOARDS:
        BOARDS[(width, height)] = Board(width, height)
    return BOARDS[(width, height)]


def board_named(text):
    width, x, height = text.partition("x")
    if x != "x" or not width.isdigit() or not height.isdigit():
        raise ValueError(f"board '{text}': expected WIDTHxHEIGHT, for example 9x5")
    return board_of(int(width), int(height))


class Position:
    """Stones and the side to move: nothing else matters to the game."""

    def __init__(self, board, white, black, to_move):
        self.board = board
        self.white = frozenset(white)
        self.black = frozenset(black)
        self.to_move = to_move

    def own(self):
        return self.white if self.to_move == WHITE else self.black

    def enemies(self):
        return self.black if self.to_move == WHITE else self.white

    def after(self, own, enemies):
        """The position after a turn that leaves these stones to the mover and to the other side."""
        if self.to_move == WHITE:
            return Position(self.board, own, enemies, BLACK)
        return Position(self.board, enemies, own, WHITE)

    def all_stones_stand(self):
        return len(self.white) == self.board.half and len(self.black) == self.board.half

    def colours_swapped(self):
        return Position(self.board, self.black, self.white, other(self.to_move))

    def _key(self):
        return (self.board.name, self.white, self.black, self.to_move)

    def __eq__(self, there):
        return self._key() == there._key()

    def __hash__(self):
        return hash(self._key())


def start_position(board):
    """White below, Black above; the comments describe the middle row."""
    middle = board.height // 2
    centre = board.width // 2
    white, black = set(), set()
    for f, r in board.points:
        if r < middle:
            white.add((f, r))
        elif r > middle:
            black.add((f, r))
        elif f < centre:
            # the left half alternates, starting with Black on file a
            (black if f % 2 == 0 else white).add((f, r))
        elif f > centre:
            # the right half is the left half turned by 180 degrees, colours swapped
            turned = board.width - 1 - f
            (white if turned % 2 == 0 else black).add((f, r))
    return Position(board, white, black, WHITE)
