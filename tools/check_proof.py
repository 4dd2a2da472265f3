#!/usr/bin/env python3
"""Checks a certificate. It was written from crates/proof/docs/CERTIFICATE.md alone and uses the rules of
tools/reference, so it shares no code with the crates: neither the rules nor the file reader.

    python3 tools/check_proof.py FILE                   a certificate that names no tables
    python3 tools/check_proof.py FILE --tables DIR      one that uses the packed tables in DIR
    python3 tools/check_proof.py FILE --list            its entries too, one on each line

Prints the position, the rules and the claim. Exits with status 0 if the proof holds, 1 if it does not, and
2 if the file, a table or the arguments are unusable. It is slow and keeps all entries and tables in memory,
so it is for small boards. It reads both versions of the format. --list lists the entries in the order of the
file, which is the order of discovery in version 2. Needs Python 3.11 and either the package 'zstandard' or the program 'zstd'.
Checksums are compared if the package 'xxhash' is installed; otherwise it prints a warning.
"""

import argparse
import graphlib
import itertools
import operator
import pathlib
import struct
import sys

import read_table

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "reference"))

from board import BLACK, WHITE, Position, board_named, other  # noqa: E402
from notation import position_text, read_position, turn_text  # noqa: E402
from rules import RuleSet, first_captures, legal_turns, value_without_turns  # noqa: E402

MAGIC, FINISHED = b"FanoCert", b"DONE"
HEADER_LIMIT = 1_048_576
# By version: the bytes of the index for each block, the most entries of a block, and its most bytes.
ROW = {1: 32, 2: 16}
BLOCK_ENTRIES = {1: 4096, 2: 65_536}
BLOCK_BYTES = {1: 245_760, 2: 655_360}
METRICS = ("wdl", "dtw")
WORTH = {"loss": 0, "draw": 1, "win": 2}
OTHER_SIDES = {"loss": "win", "draw": "draw", "win": "loss"}
# What follows for the side to move, by the proofs' (by mover, wins).
CLAIMS = {
    ((1, 1),): "win",
    ((0, 1),): "loss",
    ((1, 0),): "draw or better",
    ((0, 0),): "draw or worse",
    ((1, 0), (0, 0)): "draw",
}
# The generator's order: counter-clockwise, beginning with the next file.
DIRECTIONS = [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)]
KINDS = ["A", "W", ""]


class Unusable(Exception):
    """The file, or a table, cannot be used."""


class Refused(Exception):
    """The file can be read, and does not prove what it claims."""


def usable(condition, what):
    if not condition:
        raise Unusable(what)


def same_checksum(data, expected):
    """True too if there is nothing to compare checksums with."""
    return read_table.checksum(data) in (None, expected)


class Proof:
    def __init__(self, by_mover, wins, count):
        self.by_mover, self.wins, self.count = by_mover, wins, count
        self.entries = {}  # (own set, opponent's set): (turn, distance)
        # Version 2: the turns one after the other, read when they are asked for. The entries are discovered.
        self.turns = None


class Certificate:
    """What stands in the file; nothing of it is proved yet."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.read_prelude()
        try:
            self.read_header()
        except (read_table.BadTable, UnicodeDecodeError) as error:
            raise Unusable(f"the header: {error}") from None
        self.read_blocks()

    def read_prelude(self):
        data = self.data
        usable(len(data) >= 64, "shorter than a prelude")
        magic, self.version, finished, self.index, self.header, length, tail, reserved, prelude = struct.unpack(
            "<8sI4sQQQQQQ", data[:64]
        )
        usable(magic == MAGIC, "not a certificate")
        usable(self.version in ROW, f"version {self.version}, and this reads 1 and 2")
        usable(finished == FINISHED, "never finished")
        usable(same_checksum(data[:56], prelude), "the prelude's checksum differs")
        usable(reserved == 0, "reserved bytes are not 0")
        usable(length == len(data), f"{len(data)} bytes, and there should be {length}")
        usable(64 <= self.index <= self.header <= length, "parts lie outside the file")
        usable(same_checksum(data[self.index :], tail), "the tail's checksum differs")

    def read_header(self):
        header = self.data[self.header :]
        usable(len(header) <= HEADER_LIMIT, "the header is too long")
        fields = read_table.Fields(header)
        board, rules, position = fields.text(), fields.text(), fields.text()
        try:
            self.board, self.rules = board_named(board), RuleSet(rules)
            self.position = read_position(position)
            self.rules.check_board(self.board)
        except ValueError as error:
            raise Unusable(str(error)) from None
        usable(self.board.name == board, f"board '{board}' has another name")
        usable(self.position.board is self.board, f"'{position}' is not on {board}")
        usable(position_text(self.position) == position, f"'{position}' is not written as it should be")

        self.tables, self.metric = {}, None
        order = []
        for _ in range(fields.number(8)):
            own, opponent, metric, checksum = (fields.number(size) for size in (1, 1, 4, 8))
            usable(own and opponent and own + opponent <= len(self.board.points), f"table {own}v{opponent}")
            usable(metric < len(METRICS), f"metric {metric}")
            usable(self.metric in (None, METRICS[metric]), "tables of two metrics")
            self.metric = METRICS[metric]
            order.append((own + opponent, own))
            self.tables[own, opponent] = checksum
        usable(order == sorted(set(order)), "tables are not in order")

        self.proofs = []
        for _ in range(fields.number(8)):
            by_mover, wins, count = (fields.number(size) for size in (1, 1, 8))
            self.proofs.append(Proof(by_mover, wins, count))
        kinds = tuple((proof.by_mover, proof.wins) for proof in self.proofs)
        usable(kinds in CLAIMS, "proofs that do not go together")
        self.claim = CLAIMS[kinds]
        self.block_entries = fields.number(4)
        usable(1 <= self.block_entries <= BLOCK_ENTRIES[self.version], f"{self.block_entries} entries a block")
        usable(fields.at == len(header), "the header does not end with the file")

    def read_blocks(self):
        row = ROW[self.version]
        blocks = sum(-(-proof.count // self.block_entries) for proof in self.proofs)
        length = self.header - self.index
        usable(length == row * blocks, "the length of the index does not match the number of blocks")
        rows = list(struct.iter_unpack(f"<{row // 8}Q", self.data[self.index : self.header]))
        begins = [row[0] for row in rows] + [self.index]
        usable(begins[0] == 64 and begins == sorted(begins), "blocks do not follow each other")
        longest = max((end - begin for begin, end in zip(begins, begins[1:])), default=0)
        usable(longest <= BLOCK_BYTES[self.version], f"a block has {longest} bytes")
        first = 0
        for proof in self.proofs:
            numbers = range(first, first + -(-proof.count // self.block_entries))
            first = numbers.stop
            blocks = self.blocks(proof, numbers, rows, begins)
            if self.version == 1:
                read_entries(proof, blocks)
            else:
                proof.turns = (turn for _, _, columns in blocks for turn in columns[0])

    def blocks(self, proof, numbers, rows, begins):
        """The blocks of a proof: the number, the row of the index and the columns of each."""
        if self.version == 1:
            widths, bytes_per_entry = (64, 64, 32) + (32,) * proof.wins, 30
        else:
            widths, bytes_per_entry = (32,), 5
        left = proof.count
        for number in numbers:
            size = min(self.block_entries, left)
            left -= size
            try:
                data = unpack_block(
                    self.data[begins[number] : begins[number + 1]], rows[number][1], bytes_per_entry * size
                )
                yield number, rows[number], read_columns(data, size, widths)
            except Unusable as error:
                raise Unusable(f"block {number}: {error}") from None


def read_entries(proof, blocks):
    """Reads the entries of version 1, which are sorted."""
    last_place = None
    for number, (_, _, *first), columns in blocks:
        own, opponent = ([*itertools.accumulate(column, operator.xor)] for column in columns[:2])
        usable([own[0], opponent[0]] == first, f"block {number}: its first entry is not the index's")
        distances = columns[3] if proof.wins else [None] * len(own)
        for key, turn, distance in zip(zip(own, opponent), columns[2], distances):
            # More stones come first.
            place = (-stones_of(key), *key)
            if last_place is not None and place <= last_place:
                raise Refused(f"the entries of block {number} are not in order")
            last_place = place
            proof.entries[key] = turn, distance


def frame_length(data):
    """How long the zstd frame is at the beginning of the data, by RFC 8878. What unpacks it might take
    more frames than one, or leave bytes behind it alone."""
    usable(len(data) > 4 and data[:4] == b"\x28\xb5\x2f\xfd", "it is no zstd frame")
    descriptor = data[4]
    usable(descriptor & 3 == 0, "it needs a dictionary")
    one_segment = descriptor >> 5 & 1
    content_size = (one_segment, 2, 4, 8)[descriptor >> 6]
    at = 5 + (1 - one_segment) + content_size
    last = False
    while not last:
        usable(at + 3 <= len(data), "its frame is cut off")
        block = int.from_bytes(data[at : at + 3], "little")
        last, kind, size = block & 1, block >> 1 & 3, block >> 3
        at += 3 + (1 if kind == 1 else size)  # one byte that is repeated
    return at + (4 if descriptor >> 2 & 1 else 0)


def unpack_block(frame, checksum, limit):
    usable(frame, "it is empty")
    usable(same_checksum(frame, checksum), "its checksum differs")
    usable(frame_length(frame) == len(frame), "it is not one zstd frame")
    try:
        data = read_table.unpack(frame, limit)
    except Exception as error:  # the package's own error is no common one
        raise Unusable(str(error)) from None
    usable(len(data) <= limit, "it unpacks to too much")
    return data


def read_columns(data, size, widths):
    """The columns of a block, each with `size` numbers. `widths` are their most bits."""
    at = 0

    def column(bits):
        nonlocal at
        numbers = []
        for _ in range(size):
            number = shift = 0
            while True:
                usable(at < len(data), "it ends too early")
                byte, at = data[at], at + 1
                number |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
                usable(shift < bits, "a number is too long")
            usable(byte or shift == 7, "a number has more bytes than it needs")
            usable(number < 1 << bits, "a number is too great")
            numbers.append(number)
        return numbers

    columns = [column(bits) for bits in widths]
    usable(at == len(data), "it does not end with its entries")
    return columns


class Tables:
    """The tables that a certificate names; and which of them have been asked."""

    def __init__(self, certificate, folder):
        self.rules, self.board, self.metric = certificate.rules, certificate.board, certificate.metric
        self.named, self.folder = certificate.tables, folder
        usable(folder or not self.named, f"it names {len(self.named)} tables: pass their directory with --tables")
        self.opened = {numbers: self.open(*numbers) for numbers in self.named}
        self.asked, self.values = set(), {}

    def settle(self, position):
        return slice_of(position) in self.named and not self.rules.vela_phase_one(position)

    def name(self, own, opponent):
        """The file's name: under the simplest rule set that has the same turns with so few stones."""
        preset, *options = self.rules.name.split("+")
        if preset == "vela":
            preset = "free-capture"
            options = [option for option in options if option.startswith(("direction-", "no-turns-"))]
        half = self.board.half
        if preset == "first-capture-single" and own < half and opponent < half:
            preset = "standard"
        rules = "+".join([preset, *options])
        return rules, f"{self.board.name}_{rules}_{own}v{opponent}.{self.metric}.fano"

    def open(self, own, opponent):
        rules, name = self.name(own, opponent)
        try:
            table = read_table.Table(self.folder / name)
        except (read_table.BadTable, ValueError, IndexError) as error:
            raise Unusable(f"{name}: {error}") from None
        size = f"{table.board.width}x{table.board.height}"
        said = (size, table.rules, table.own, table.opponent, table.metric)
        expected = (self.board.name, rules, own, opponent, self.metric)
        usable(said == expected, f"{name} is the table of something else")
        named = self.named[own, opponent]
        usable(same_checksum(table.data, named), f"{name} has another checksum than is named")
        return table

    def value(self, position):
        """The value for the side to move of a position that the tables settle."""
        self.asked.add(slice_of(position))
        key = tuple(sorted(position.own())), tuple(sorted(position.enemies()))
        if key not in self.values:
            self.values[key] = self.look_up(position)
        return self.values[key]

    def look_up(self, position):
        numbers = slice_of(position)
        if numbers not in self.named:
            raise Refused(f"a capture leads to slice {slice_name(numbers)}, whose table is not named")
        table = self.opened[numbers]
        if not table.captures_stored and first_captures(position):
            # Not stored; every turn captures, so that smaller slices decide.
            values = [OTHER_SIDES[self.value_after(turn.after)] for turn in legal_turns(self.rules, position)]
            return max(values, key=WORTH.get)
        own, enemies = (
            [number_of(point, self.board) for point in side]
            for side in (position.own(), position.enemies())
        )
        try:
            return table.stored_value(own, enemies).split()[0]
        except read_table.BadTable as error:
            raise Unusable(f"{self.name(*numbers)[1]}: {error}") from None

    def value_after(self, position):
        return self.value(position) if position.own() else "loss"

    def compare_named(self):
        """Are the tables exactly those that were asked, and those that may be needed for their captures?"""
        needed, waiting = set(), list(self.asked)
        while waiting:
            numbers = waiting.pop()
            if numbers in needed:
                continue
            needed.add(numbers)
            own, opponent = numbers
            if numbers in self.named and not self.opened[numbers].captures_stored:
                waiting += [(left, own) for left in range(1, opponent)]
        for numbers in sorted(needed ^ set(self.named)):
            said = "named and not" if numbers in self.named else "not named and"
            raise Refused(f"table {slice_name(numbers)} is {said} needed")


def number_of(point, board):
    return point[1] * board.width + point[0]


def slice_of(position):
    return len(position.own()), len(position.enemies())


def slice_name(numbers):
    return "{}v{}".format(*numbers)


class Checker:
    def __init__(self, certificate, tables):
        self.certificate, self.tables = certificate, tables
        self.rules, self.board = certificate.rules, certificate.board
        # For each symmetry, the bit that each point goes to.
        self.images = [
            {point: 1 << image[number_of(point, self.board)] for point in self.board.points}
            for image in read_table.Board(self.board.width, self.board.height).symmetries()
        ]
        self.positions = 0

    def check(self):
        for number, proof in enumerate(self.certificate.proofs, 1):
            try:
                self.check_proof(proof)
            except Refused as error:
                raise Refused(f"proof {number}: {error}") from None
            self.positions += len(proof.entries)
        self.tables.compare_named()

    def begin(self, proof):
        self.proof = proof
        start = self.certificate.position
        self.prover = start.to_move if proof.by_mover else other(start.to_move)
        self.claim = "win" if proof.wins else "draw"

    def check_proof(self, proof):
        self.begin(proof)
        start = self.certificate.position
        self.discovered = []  # the entries in the order of discovery, in version 2
        seen = self.provers_move([start]) if proof.by_mover else self.others_move(start)
        if proof.turns is not None:
            self.follow_turns(proof)
            return
        waiting = list(seen)
        while waiting:
            key = waiting.pop()
            following = self.check_entry(key) - seen
            waiting += following
            seen |= following
        unseen = len(proof.entries) - len(seen)
        if unseen:
            raise Refused(f"{unseen} entries never come up")

    def follow_turns(self, proof):
        """Version 2: takes the turns for the entries as they are discovered, and computes distances."""
        as_many = {}
        for key in self.discovered:  # it grows meanwhile
            turn = next(proof.turns)  # there are no more entries than turns
            proof.entries[key] = turn, None
            following = self.follow(key)
            if proof.wins:
                as_many[key] = {other for other in following if stones_of(other) == stones_of(key)}
        left = proof.count - len(self.discovered)
        if left:
            raise Refused(f"{left} turns are left, and no entry is left to take them")
        try:
            for key in graphlib.TopologicalSorter(as_many).static_order():
                distances = [proof.entries[other][1] for other in as_many[key]]
                proof.entries[key] = proof.entries[key][0], max(distances, default=-1) + 1
        except graphlib.CycleError as error:
            position = position_text(self.position_of(error.args[1][0]))
            raise Refused(f"{position} can come up again and again without a capture") from None

    def check_entry(self, key):
        """Follows the turn of an entry and compares its distance; returns the entries that can come up next."""
        following = self.follow(key)
        if self.proof.wins:
            distance = self.proof.entries[key][1]
            as_many = [other_key for other_key in following if stones_of(other_key) == stones_of(key)]
            distances = [self.proof.entries[other_key][1] for other_key in as_many]
            expected = max(distances, default=-1) + 1
            if distance != expected:
                position = position_text(self.position_of(key))
                raise Refused(f"{position} has distance {distance}, and it should be {expected}")
        return following

    def follow(self, key):
        """Follows the turn of an entry; returns the entries that can come up next."""
        number = self.proof.entries[key][0]
        position = self.position_of(key)
        if self.tables.settle(position):
            raise Refused(f"{position_text(position)} is an entry, and a table has it")
        turns = self.turns(position)
        if number >= len(turns):
            raise Refused(f"{position_text(position)} has {len(turns)} turns, and no turn {number}")
        after = turns[number].after
        if any(turn.after == after for turn in turns[:number]):
            raise Refused(f"{position_text(position)}: a turn before turn {number} leads there too")
        return self.others_move(after)

    def turns(self, position):
        """The legal turns in the order by which a certificate numbers them."""
        return sorted(legal_turns(self.rules, position), key=self.place_of_turn)

    def lines(self, proof):
        """A text of the entries of a proof that has been checked: a heading, then one line for each."""
        self.begin(proof)
        side = "White" if self.prover == WHITE else "Black"
        does = "wins" if proof.wins else "has at least a draw"
        yield f"{side} {does}: {len(proof.entries)} entries"
        numbers = {key: number for number, key in enumerate(proof.entries)}
        rows = [("entry", "position", "turn") + ("distance",) * proof.wins + ("then",)]
        for key, (turn, distance) in proof.entries.items():
            position = self.position_of(key)
            then = sorted(numbers[following] for following in self.check_entry(key))
            row = str(numbers[key]), position_text(position), turn_text(self.turns(position)[turn])
            row += (str(distance),) * proof.wins + (" ".join(map(str, then)) or "-",)
            rows.append(row)
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip()

    def others_move(self, position):
        """The entries that the other side's turns lead to."""
        if self.tables.settle(position):
            self.compare(position, self.tables.value(position))
            return set()
        turns = legal_turns(self.rules, position)
        if not turns:
            self.compare(position, value_without_turns(self.rules, position))
            return set()
        # In the order of discovery.
        return self.provers_move(sorted({turn.after for turn in turns}, key=self.sets_of))

    def provers_move(self, positions):
        """Those of the positions that are entries; the others must be settled, and good enough."""
        found = set()
        for position in positions:
            key = self.key_of(position)
            if key in self.proof.entries:
                # That it is not settled is seen when its turn is followed.
                found.add(key)
            elif self.tables.settle(position):
                self.compare(position, self.tables.value(position))
            elif not legal_turns(self.rules, position):
                self.compare(position, value_without_turns(self.rules, position))
            elif self.proof.turns is not None and len(self.discovered) < self.proof.count:
                self.proof.entries[key] = None, None
                self.discovered.append(key)
                found.add(key)
            else:
                raise Refused(f"{position_text(position)} comes up and has no entry")
        return found

    def compare(self, position, value):
        """Is a settled value, for the side to move, no worse for the prover than the claim?"""
        provers = value if position.to_move == self.prover else OTHER_SIDES[value]
        if WORTH[provers] < WORTH[self.claim]:
            raise Refused(f"{position_text(position)} is a {value}, so the prover has no {self.claim}")

    def sets_of(self, position):
        """Own and opponent's set on the board."""
        return tuple(
            sum(1 << number_of(point, self.board) for point in side)
            for side in (position.own(), position.enemies())
        )

    def key_of(self, position):
        """Own and opponent's set, of all images the lowest."""
        own, enemies = position.own(), position.enemies()
        return min(
            (sum(image[point] for point in own), sum(image[point] for point in enemies))
            for image in self.images
        )

    def position_of(self, key):
        own, opponent = (
            [point for point in self.board.points if side >> number_of(point, self.board) & 1] for side in key
        )
        if self.prover == WHITE:
            return Position(self.board, own, opponent, WHITE)
        return Position(self.board, opponent, own, BLACK)

    def place_of_turn(self, turn):
        """Turns in this order are as the generator lists them; a turn that stops comes before those that
        go on from it."""
        first = turn.steps[0].start
        steps = []
        for step in turn.steps:
            direction = (step.end[0] - step.start[0], step.end[1] - step.start[1])
            steps.append((DIRECTIONS.index(direction), KINDS.index(step.kind)))
        return number_of(first, self.board), steps


def stones_of(key):
    return key[0].bit_count() + key[1].bit_count()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file", type=pathlib.Path)
    parser.add_argument("--tables", type=pathlib.Path, metavar="DIR", help="the directory of the tables")
    parser.add_argument(
        "--list",
        action="store_true",
        help="print every entry: its position, its turn, its distance to conversion if the proof is of a win, "
        "and the entries that the other side's replies lead to (- if every reply, or the turn itself, decides "
        "the game)",
    )
    options = parser.parse_args()
    if read_table.xxhash is None:
        print("check_proof: checksums are not compared without the package 'xxhash'", file=sys.stderr)
    try:
        certificate = Certificate(options.file)
        checker = Checker(certificate, Tables(certificate, options.tables))
        checker.check()
    except Refused as error:
        print(f"check_proof: {options.file}: it does not hold: {error}", file=sys.stderr)
        return 1
    except Unusable as error:
        print(f"check_proof: {options.file}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"check_proof: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    print(
        f"{position_text(certificate.position)}, {certificate.rules.name}: {certificate.claim}, "
        f"proved by {checker.positions} positions and {len(certificate.tables)} tables"
    )
    if options.list:
        for proof in certificate.proofs:
            print("", *checker.lines(proof), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
