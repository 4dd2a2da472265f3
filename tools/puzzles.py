#!/usr/bin/env python3
"""Makes the puzzles of the explorer's page from tables and games.

A puzzle is a position that is won or drawn, and one turn alone keeps that. It goes on while the opponent has a reply,
one that keeps its own value, after which one turn alone keeps the value again. Positions come from games
(`fanorona match --output`), from random points, and from `fanorona find studies`. The values come from tables.

`check` shares no code with what makes them: its rules are those of `reference`, and it reads tables with the C
program in `crates/capi/prober`."""

import ctypes
import http.client
import json
import math
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from common import ROOT, answer, commands, random_position, write_lines

PUZZLES = ROOT / "crates/explorer/web/data/puzzles.json"
BOARD = "9x5"
# Own turns of a puzzle, legal turns that there are at least, and how deep the shallow searches look.
LONGEST, CHOICES, DEPTHS = 5, 4, (1, 2, 4)
# Distances from which a win is long, and up to which it is short: short wins are played to their end.
LONG, SHORT = 25, 9


class Server:
    """`fanorona serve` with the tables, which knows the rules and the values."""

    def __init__(self, program, tables):
        words = [program, "serve", "--port", "0", "--tables", tables]
        self.process = subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True)
        found = re.search(r"http://([\w.:]+)", self.process.stdout.readline())
        if not found:
            raise SystemExit("the server did not start")
        self.connection = http.client.HTTPConnection(found[1], timeout=600)

    def post(self, path, **body):
        # The server closes a connection that has not been used for a while, so each request has its own.
        self.connection.request("POST", f"/api/v1/{path}", json.dumps(body),
                                {"Content-Type": "application/json", "Connection": "close"})
        reply = self.connection.getresponse()
        found = json.loads(reply.read())
        if reply.status != 200:
            raise SystemExit(f"{path}: {found}")
        return found

    def positions(self, texts, detail="turns"):
        """The answers for positions, in their order; none for one that no game can have."""
        step = 100 if detail == "turns" else 1000
        for begin in range(0, len(texts), step):
            body = {"board": BOARD, "positions": texts[begin:begin + step], "detail": detail}
            for each in self.post("positions", **body)["answers"]:
                yield each.get("ok")

    def close(self):
        self.process.terminate()
        self.process.wait()


class Engine:
    """`fanorona ugi` without tables: what a shallow search sees."""

    def __init__(self, program):
        self.process = subprocess.Popen([str(program), "ugi"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.send("ugi", "setoption name MultiPV value 256", "setoption name Draws value none")

    def send(self, *lines):
        self.process.stdin.write("".join(f"{line}\n" for line in lines))
        self.process.stdin.flush()

    def scores(self, position, depth):
        """The score of each turn after a search of some depth. Of turns to the same position, one has a score."""
        self.send("uginewgame", f"position fen {position}", f"go depth {depth}")
        scores = {}
        for line in self.process.stdout:
            found = re.match(r"info depth .* score (cp|mate) (-?\d+) .* pv (\S+)", line)
            if found:
                number = int(found[2])
                won = 30_000 if number > 0 else -30_000
                scores[found[3]] = number if found[1] == "cp" else won - number
            elif line.startswith("bestmove"):
                return scores
        raise SystemExit("the engine ended")

    def close(self):
        self.send("quit")
        self.process.wait()


def stones(position):
    return sum(character in "WB" for character in position)


def cells(position):
    """The ranks of a position, from the top down, as own stones, opponent's stones and free points."""
    board, side = position.split()
    text = re.sub(r"\d", lambda digits: "." * int(digits[0]), board)
    own, other = "WB" if side == "w" else "BW"
    return [rank.replace(own, "o").replace(other, "x") for rank in text.split("/")]


def shape(position):
    """The same for all mirror images of a position, with either side to move."""
    ranks = cells(position)
    return min("/".join(image) for image in (ranks, ranks[::-1], *([rank[::-1] for rank in each]
                                                                   for each in (ranks, ranks[::-1]))))


def swapped(position):
    board, side = position.split()
    return f"{board.translate(str.maketrans('WB', 'BW'))} {'b' if side == 'w' else 'w'}"


def passed(position):
    board, side = position.split()
    return f"{board} {'b' if side == 'w' else 'w'}"


def only_turn(found):
    """The one turn that keeps a win or a draw, or none."""
    if not found or found["value"] not in ("win", "draw"):
        return None
    turns = found["turns"]
    keep = [turn for turn in turns if turn["holds"]]
    if len(keep) != 1 or any(turn["value"] == "unknown" for turn in turns):
        return None
    return keep[0]


def is_hidden(found, turn):
    """Whether nothing gives the turn away: there are enough others, it does not end the game, and another turn takes
    as many stones."""
    others = [each for each in found["turns"] if each is not turn]
    return (len(others) >= CHOICES - 1 and turn.get("source") != "rules"
            and any(len(each["captured"]) >= len(turn["captured"]) for each in others))


def line_from(server, found):
    """The turns of the puzzle that begins with a position, both sides', with the answer before each own turn."""
    line, asked, seen = [], [], set()
    while len(asked) < LONGEST and shape(found["position"]) not in seen:
        seen.add(shape(found["position"]))
        turn = only_turn(found)
        if turn is None or not (is_hidden(found, turn) if not asked else len(found["turns"]) > 1):
            break
        line.append(turn)
        asked.append(found)
        after = next(server.positions([turn["position"]]))
        if after["outcome"]:
            break
        # The reply that asks most: an only turn follows it, from many. The loss that takes longest comes first.
        replies = [reply for reply in after["turns"] if reply["holds"]]
        longest = max((reply.get("dtw", 0) for reply in replies), default=0)
        replies = [reply for reply in replies if reply.get("dtw", 0) >= longest - 2]
        next_asked = zip(replies, server.positions([reply["position"] for reply in replies]))
        is_short = 0 < found.get("dtw", 0) <= SHORT
        hard = [(len(each["turns"]), reply, each) for reply, each in next_asked
                if (only := only_turn(each)) and not each["outcome"] and (is_short or is_hidden(each, only))]
        if not hard:
            break
        _, reply, found = max(hard, key=lambda each: each[0])
        line.append(reply)
    return line[:2 * len(asked) - 1], asked


def captures(found):
    return any(turn["captured"] for turn in found["turns"])


def themes(server, found, turn):
    """What the first turn of a puzzle is about."""
    others = [each for each in found["turns"] if each is not turn]
    after = next(server.positions([turn["position"]]))
    taken = len(turn["captured"])
    if taken and len(turn["path"]) > 2:
        yield "relay"
    if taken and any(each["turn"].startswith(turn["turn"] + "-") for each in others):
        yield "stop"
    if any(each["path"] == turn["path"] for each in others):
        yield "choice"
    if max((len(each["captured"]) for each in after["turns"]), default=0) > taken:
        yield "sacrifice"
    if not captures(after):
        other = next(server.positions([passed(turn["position"])]))
        order = ("loss", "draw", "win")
        if other and not captures(other) and other["value"] != "unknown":
            # With the move, the side that has just moved does worse than when the other side must move.
            if order.index(other["value"]) < order.index(found["value"]):
                yield "zugzwang"
    board, side = found["position"].split()
    own, other = (board.count(colour) for colour in ("WB" if side == "w" else "BW"))
    if found["value"] == "draw" and own < other:
        yield "fortress"
    if found["value"] == "win" and found.get("dtw", 0) >= LONG:
        yield "long"


def false_friends(engine, found, turn):
    """For each depth, how many wrong turns a shallow search likes at least as much as the right one."""
    for depth in DEPTHS:
        scores = engine.scores(found["position"], depth)
        right = scores.get(turn["turn"], -40_000)
        wrong = {each["turn"] for each in found["turns"] if not each["holds"]}
        yield sum(name in wrong and score >= right for name, score in scores.items())


def rating(friends, own_turns, found):
    """How hard a puzzle is, in points like a player's: by the wrong turns that look good, the deep looks more, by its
    length, and by how far the end of the game is."""
    points = 700
    for count, weight in zip(friends, (60, 110, 170)):
        points += weight * min(count, 7) ** 0.6
    return round(points + 90 * (own_turns - 1) + far(found["value"], found.get("dtw")))


def far(value, distance):
    """The points of a puzzle for what cannot be seen on the board: a draw, or a win far off."""
    if value == "draw":
        return 200
    return 300 if distance is None else max(-100, min(300, 100 * math.log2(distance / 6)))


def grade(points):
    """From 1, easy, to 5."""
    return sum(points >= limit for limit in (900, 1150, 1450, 1800)) + 1


def from_games(server, paths, least, most):
    for path in paths:
        for text in Path(path).read_text(encoding="utf-8").split("[Board ")[1:]:
            game = server.post("record", text=f"[Board {text}")
            for each in game["positions"]:
                if least <= stones(each["position"]) <= most and each["value"] != "loss":
                    yield each["position"]


def from_studies(program, tables, slices):
    for name in slices:
        for kind in ("studies", "draw-studies"):
            found = answer(program, "find", kind, "--tables", tables, "--slice", name, "--top", 12)
            yield from (each["position"] for each in found["positions"])


def short_wins(server, texts):
    """The positions that are won soon, but not at once."""
    for found in server.positions(texts, "value"):
        if found and found["value"] == "win" and 3 <= found.get("dtw", 0) <= SHORT:
            yield found["position"]


def puzzle(server, engine, found):
    turn = only_turn(found)
    if turn is None or not is_hidden(found, turn):
        return None
    line, asked = line_from(server, found)
    friends = list(false_friends(engine, found, turn))
    return {"position": found["position"], "line": [each["turn"] for each in line], "value": found["value"],
            "distance": found.get("dtw"), "rating": rating(friends, len(asked), found), "themes": list(themes(server, found, turn)), "friends": friends}


def make(options):
    """Makes puzzles and writes all that were found."""
    chance = random.Random(options.seed)
    server, engine = Server(options.program, options.tables), Engine(options.program)
    candidates = {}

    def add(source, texts):
        for text in texts:
            if chance.random() < 0.5 and source != "game":
                text = swapped(text)
            candidates.setdefault(shape(text), (source, text))

    add("game", from_games(server, options.games, *options.stones))
    add("study", from_studies(options.program, options.tables, options.slices))
    for count in options.random_stones:
        texts = [random_position(chance, BOARD, count) for _ in range(options.random)]
        add("random", short_wins(server, texts) if options.short else texts)
    print(f"{len(candidates)} candidates: {dict(Counter(source for source, _ in candidates.values()))}", flush=True)
    found = []
    wanted = list(candidates.values())
    with open(options.output, "a", encoding="utf-8") as file:
        # The loop asks the server too, so the answers of each chunk are taken first.
        for begin in range(0, len(wanted), 100):
            chunk = wanted[begin:begin + 100]
            texts = [text for _, text in chunk]
            answers = list(server.positions(texts))
            for each in answers:
                made = puzzle(server, engine, each)
                if made:
                    found.append(made)
                    file.write(json.dumps(made) + "\n")
            file.flush()
            print(f"{begin + len(chunk)} of {len(wanted)}: {len(found)} puzzles", flush=True)
    server.close()
    engine.close()


def select(options):
    """Writes the file of the page from what `make` has found: easy ones no more than the others, each position once."""
    chance = random.Random(options.seed)
    found = {}
    for path in options.found:
        for line in Path(path).read_text(encoding="utf-8").splitlines():
            each = json.loads(line)
            found.setdefault(shape(each["position"]), each)
    by_grade = {}
    for each in found.values():
        each["grade"] = grade(each["rating"])
        by_grade.setdefault(each["grade"], []).append(each)
    chosen = []
    for number, each in sorted(by_grade.items()):
        # Those with a theme or several turns first.
        chance.shuffle(each)
        each.sort(key=lambda puzzle: (not puzzle["themes"], -len(puzzle["line"])))
        chosen += each[:options.most]
        print(f"grade {number}: {len(each)} found, {len(each[:options.most])} taken")
    chosen.sort(key=lambda puzzle: (puzzle["rating"], puzzle["position"]))
    fields = ("value", "distance", "rating", "grade", "themes")
    rows = [{"position": each["position"], "line": " ".join(each["line"]),
             **{name: each[name] for name in fields if each[name] is not None}} for each in chosen]
    source = ("tools/puzzles.py, from random positions, games between levels and studies of tables; values by tables, "
              "ratings by shallow searches and by how far the end is")
    write_lines(PUZZLES, {"source": source, "board": BOARD, "rules": "standard", "puzzles": rows})
    counts = {"stones": [stones(each["position"]) for each in rows], "value": [each["value"] for each in rows],
              "themes": [theme for each in rows for theme in each["themes"]],
              "own turns": [len(each["line"].split()) // 2 + 1 for each in rows]}
    for name, values in counts.items():
        print(f"{name}: {dict(sorted(Counter(values).items()))}")


class Prober:
    """Tables, read in C. Values are 1, 0 and -1 for the side to move."""

    class Place(ctypes.Structure):
        _fields_ = [("white", ctypes.c_uint64), ("black", ctypes.c_uint64), ("black_to_move", ctypes.c_int)]

    class Found(ctypes.Structure):
        _fields_ = [("result", ctypes.c_int), ("turns", ctypes.c_int)]

    def __init__(self, directory, tables):
        library = Path(directory) / "fano.so"
        source = ROOT / "crates/capi/prober/fano.c"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source, "-lzstd"], check=True)
        self.library = ctypes.CDLL(str(library))
        self.library.fano_open.restype = self.library.fano_reader_new.restype = ctypes.c_void_p
        message = ctypes.create_string_buffer(256)
        opened = self.library.fano_open(tables.encode(), BOARD.encode(), b"standard", message, ctypes.c_size_t(256))
        if not opened:
            raise SystemExit(f"{tables}: {message.value.decode()}")
        self.reader = ctypes.c_void_p(self.library.fano_reader_new(ctypes.c_void_p(opened), ctypes.c_size_t(4096)))

    def value(self, position):
        """The value, and the distance if the tables have one."""
        white, black = (sum(1 << 9 * rank + file for file, rank in points) for points in (position.white, position.black))
        place, found = self.Place(white, black, position.to_move == "b"), self.Found()
        status = self.library.fano_probe(self.reader, ctypes.byref(place), ctypes.byref(found))
        if status:
            raise SystemExit("a table is missing or damaged")
        return found.result, found.turns if found.turns > 0 else None


def check(options):
    """Checks that each turn of a solver is the only one that keeps the value, each reply one that keeps its own, and
    each distance."""
    sys.path.insert(0, str(ROOT / "tools/reference"))
    from notation import position_text, read_position, turn_text
    from rules import RuleSet, legal_turns
    rules, worth, checked = RuleSet("standard"), {"win": 1, "draw": 0}, Counter()
    with tempfile.TemporaryDirectory() as directory:
        prober = Prober(directory, options.tables)

        def after(turn):
            """The value of a turn for the side that makes it. Without a turn, the other side has lost."""
            return -prober.value(turn.after)[0] if legal_turns(rules, turn.after) else 1

        for puzzle in json.loads(PUZZLES.read_text(encoding="utf-8"))["puzzles"]:
            text, wanted = puzzle["position"], worth[puzzle["value"]]
            position, stone_count = read_position(text), stones(text)
            first = prober.value(position)
            for number, played in enumerate(puzzle["line"].split()):
                turns = {turn_text(turn): turn for turn in legal_turns(rules, position)}
                found = {name: after(turn) for name, turn in turns.items()}
                keeps = wanted if number % 2 == 0 else -wanted
                best = [name for name, value in found.items() if value == max(found.values())]
                if found[played] != keeps or played not in best or (number % 2 == 0 and best != [played]):
                    raise SystemExit(f"{text}: {played} in {position_text(position)}, best {best}")
                position = turns[played].after
            if first[0] != wanted or first[1] not in (None, puzzle.get("distance")):
                raise SystemExit(f"{text}: {first}")
            checked[stone_count] += 1
    print(f"checked, by stones: {dict(sorted(checked.items()))}")


def main():
    parser, part = commands(__doc__)
    command = part(make)
    command.add_argument("--tables", required=True, help="directories of tables, joined as in PATH")
    command.add_argument("--games", nargs="*", default=[])
    command.add_argument("--stones", type=int, nargs=2, default=(4, 8),
                         help="least and most stones of a position from a game")
    command.add_argument("--slices", nargs="*", default=[], help="slices of the studies, as in 2v2")
    command.add_argument("--random-stones", type=int, nargs="*", default=[])
    command.add_argument("--random", type=int, default=2000, help="random positions for each number of stones")
    command.add_argument("--short", action="store_true", help="of the random positions, only wins that are near")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--output", required=True, help="a file that gets a line for each puzzle")
    command = part(select)
    command.add_argument("found", nargs="+", help="files of `make`")
    command.add_argument("--most", type=int, default=140, help="the most puzzles of each grade")
    command.add_argument("--seed", type=int, default=1)
    command = part(check)
    command.add_argument("--tables", required=True, help="directories of tables, joined as in PATH")
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
