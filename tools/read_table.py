#!/usr/bin/env python3
"""Reads a table. It was written from crates/tablebase/docs/FORMAT.md alone, to show that the page is enough.

    python3 tools/read_table.py FILE                    the table's metadata
    python3 tools/read_table.py FILE POSITION...        the stored value of each position
    python3 tools/read_table.py FILE - < positions      the same, a position on each line

Needs Python 3.9 and, for zstd, either the package 'zstandard' or the program 'zstd'. Checksums are
compared if the package 'xxhash' is installed; otherwise it prints a warning.
"""

import shutil
import struct
import subprocess
import sys
from functools import lru_cache
from itertools import combinations
from math import comb

try:
    import xxhash
except ImportError:
    xxhash = None
try:
    import zstandard
except ImportError:
    zstandard = None

MAGIC, VERSIONS, FINISHED = b"FanoTabl", (1, 2, 3), b"DONE"
ZUGZWANGS = ["full", "draw to loss", "win to draw"]


class BadTable(Exception):
    pass


def check(condition, what):
    if not condition:
        raise BadTable(what)


def checksum(data):
    return xxhash.xxh3_64_intdigest(data) if xxhash else None


def unpack(frame, size):
    if zstandard:
        return zstandard.ZstdDecompressor().decompress(frame, max_output_size=size)
    check(shutil.which("zstd"), "install the package 'zstandard' or the program 'zstd'")
    done = subprocess.run(["zstd", "-d", "-c", "-q"], input=frame, capture_output=True)
    check(done.returncode == 0, "a block does not unpack: " + done.stderr.decode().strip())
    return done.stdout


class Fields:
    """Reads one field after the other."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, size):
        check(self.at + size <= len(self.data), "the metadata are too short")
        self.at += size
        return int.from_bytes(self.data[self.at - size : self.at], "little")

    def text(self):
        length = self.number(8)
        check(self.at + length <= len(self.data), "the metadata are too short")
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8")

    def optional_position(self):
        return (self.number(8), self.number(8)) if self.number(1) else None


class Board:
    """Points, links, symmetries and orbits."""

    def __init__(self, width, height):
        self.width, self.height, self.points = width, height, width * height

    def link(self, point, direction):
        """The neighbour of a point in a direction, or None if there is no link."""
        file, rank = point % self.width, point // self.width
        if all(direction) and (file + rank) % 2:
            return None
        file, rank = file + direction[0], rank + direction[1]
        inside = 0 <= file < self.width and 0 <= rank < self.height
        return rank * self.width + file if inside else None

    def can_capture(self, own, opponent):
        for point in own:
            for direction in DIRECTIONS:
                to = self.link(point, direction)
                if to is None or to in own or to in opponent:
                    continue
                behind = self.link(point, (-direction[0], -direction[1]))
                if self.link(to, direction) in opponent or behind in opponent:
                    return True
        return False

    def symmetries(self):
        w, h = self.width - 1, self.height - 1
        maps = [
            lambda f, r: (f, r),
            lambda f, r: (w - f, r),
            lambda f, r: (f, h - r),
            lambda f, r: (w - f, h - r),
            lambda f, r: (r, f),
            lambda f, r: (r, w - f),
            lambda f, r: (h - r, f),
            lambda f, r: (h - r, w - f),
        ]
        images = []
        for function in maps if self.width == self.height else maps[:4]:
            image = {}
            for point in range(self.points):
                file, rank = function(point % self.width, point // self.width)
                image[point] = rank * self.width + file
            images.append(image)
        return images


DIRECTIONS = [(f, r) for f in (-1, 0, 1) for r in (-1, 0, 1) if f or r]



def rank_of(points):
    return sum(comb(point, i) for i, point in enumerate(sorted(points), 1))


class Table:
    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        self.read_header()
        self.sets = None
        self.block = lru_cache(maxsize=64)(self.block)

    def read_header(self):
        data = self.data
        check(len(data) >= 64, "shorter than a prelude")
        magic, version, finished, offsets, metadata, length, tail, _, prelude = struct.unpack(
            "<8sI4sQQQQQQ", data[:64]
        )
        check(magic == MAGIC, "not a table")
        check(version in VERSIONS, f"version {version}, and this reads {VERSIONS}")
        check(checksum(data[:56]) in (None, prelude), "the prelude's checksum differs")
        check(finished == FINISHED, "never finished")
        check(length == len(data), f"{len(data)} bytes, and there should be {length}")
        check(64 <= offsets <= metadata <= length, "parts lie outside the file")
        check(checksum(data[offsets:]) in (None, tail), "the tail's checksum differs")

        fields = Fields(data[metadata:])
        width, height = fields.text().split("x")
        self.board = Board(int(width), int(height))
        self.rules = fields.text()
        self.metric = ["wdl", "dtw"][fields.number(4)]
        self.own, self.opponent = fields.number(1), fields.number(1)
        self.bits = fields.number(1)
        check(self.bits in (2, 8, 16), "no such width of values")
        self.values, self.block_values = fields.number(8), fields.number(4)
        self.captures_stored = bool(fields.number(1))
        self.counts = [fields.number(8) for _ in range(3)]
        self.distances = [fields.number(8) for _ in range(fields.number(8))]
        self.longest_win = fields.optional_position()
        self.longest_loss = fields.optional_position()
        self.zugzwangs = []
        if version >= 2 and fields.number(1):
            for name in ZUGZWANGS:
                self.zugzwangs.append((name, fields.number(8), fields.optional_position()))
        self.is_packed = version < 3 or fields.number(4) == 0
        check(fields.at == len(fields.data), "the metadata do not end with the file")
        self.offsets, self.blocks = offsets, -(-self.values // self.block_values)
        check(metadata - offsets == 12 * self.blocks + 8, "the offset table has another length")

    def block(self, number):
        at = self.offsets + 8 * number
        begin, end = struct.unpack("<QQ", self.data[at : at + 16])
        check(64 <= begin <= end <= self.offsets, "a block lies outside its part")
        frame = self.data[begin:end]
        at = self.offsets + 8 * (self.blocks + 1) + 4 * number
        (expected,) = struct.unpack("<I", self.data[at : at + 4])
        found = checksum(frame)
        check(found is None or found & 0xFFFFFFFF == expected, "a block's checksum differs")
        values = min(self.block_values, self.values - number * self.block_values)
        size = -(-values * self.bits // 8)
        unpacked = unpack(frame, size) if self.is_packed else frame
        check(len(unpacked) == size, "a block has another size")
        return unpacked

    def value(self, place):
        block, j = divmod(place, self.block_values)
        data = self.block(block)
        if self.bits == 2:
            value = data[j // 4] >> 2 * (j % 4) & 3
            check(value < 3, "a value that does not exist")
            return value
        if self.bits == 8:
            return data[j]
        return data[2 * j] | data[2 * j + 1] << 8

    def orbits(self):
        """The row and the symmetry of each set of own points, and the sets of the rows."""
        if self.sets is None:
            symmetries = self.board.symmetries()
            where, representatives = {}, []
            # Ordered by number, that is, by their points from the highest down.
            everything = combinations(range(self.board.points), self.own)
            for points in sorted(everything, key=lambda points: points[::-1]):
                if points in where:
                    continue
                for k, image in enumerate(symmetries):
                    mapped = tuple(sorted(image[point] for point in points))
                    where.setdefault(mapped, (len(representatives), k))
                representatives.append(points)
            self.sets = where, representatives, symmetries
            columns = comb(self.board.points - self.own, self.opponent)
            check(self.values == len(representatives) * columns, "another number of values")
        return self.sets

    def place(self, own, opponent):
        where, representatives, symmetries = self.orbits()
        row, k = where[tuple(sorted(own))]
        undo = {image: point for point, image in symmetries[k].items()}
        taken = representatives[row]
        column = []
        for point in opponent:
            point = undo[point]
            column.append(point - sum(other < point for other in taken))
        columns = comb(self.board.points - self.own, self.opponent)
        return row * columns + rank_of(column)

    def stored_value(self, own, opponent):
        if not self.captures_stored and self.board.can_capture(own, opponent):
            return "not stored: the side to move can capture, so smaller slices decide"
        value = self.value(self.place(own, opponent))
        if value == 0:
            return "draw"
        name = "loss" if value % 2 else "win"
        return name if self.metric == "wdl" else f"{name} in {value - 1}"

    def summary(self):
        win, draw, loss = self.counts
        lines = [
            f"board {self.board.width}x{self.board.height}, rules {self.rules}",
            f"slice {self.own}v{self.opponent}, metric {self.metric}",
            f"{self.values} values of {self.bits} bits in {self.blocks} blocks",
            f"values for positions with a capture: {'yes' if self.captures_stored else 'no'}",
            f"win {win}, draw {draw}, loss {loss}",
        ]
        for distance, count in enumerate(self.distances):
            if count:
                lines.append(f"{'win' if distance % 2 else 'loss'} in {distance}: {count}")
        for name, count, _ in self.zugzwangs:
            lines.append(f"zugzwangs, {name}: {count}")
        return "\n".join(lines)


def read_position(text, table):
    """The mover's points and the opponent's."""
    stones, side = text.split()[:2]
    ranks = stones.split("/")
    check(len(ranks) == table.board.height, f"'{text}' has {len(ranks)} ranks")
    found = {"W": set(), "B": set()}
    for number, rank in enumerate(ranks):
        cells = "".join("." * int(c) if c.isdigit() else c for c in rank)
        check(len(cells) == table.board.width, f"'{rank}' has {len(cells)} points")
        for file, cell in enumerate(cells):
            if cell in found:
                found[cell].add((len(ranks) - 1 - number) * table.board.width + file)
            else:
                check(cell == ".", f"'{cell}' is neither a stone nor an empty point")
    check(side in ("w", "b"), f"'{side}' is no side")
    own, opponent = (found["W"], found["B"]) if side == "w" else (found["B"], found["W"])
    slice_name = f"{len(own)}v{len(opponent)}"
    check((len(own), len(opponent)) == (table.own, table.opponent), f"'{text}' is in {slice_name}")
    return own, opponent


def main(arguments):
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__.strip())
        return 0 if arguments else 2
    if xxhash is None:
        print("read_table: checksums are not compared without the package 'xxhash'", file=sys.stderr)
    try:
        table = Table(arguments[0])
        positions = arguments[1:]
        if not positions:
            print(table.summary())
        elif positions == ["-"]:
            positions = [line.strip() for line in sys.stdin if line.strip()]
        for position in positions:
            print(position, table.stored_value(*read_position(position, table)), sep="\t")
    except (BadTable, OSError, ValueError, IndexError) as error:
        print(f"read_table: {arguments[0]}: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
