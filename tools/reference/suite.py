"""Suite files: positions with their perft counts. data/perft/README.md describes the format."""

from notation import position_text, read_position
from perft import COUNTS, Budget, TooMany, perft
from rules import RuleSet
from themes import themes

NEEDED = ("id", "rules", "count", "position", "why", "source")
KEYS = ("id", "rules", "count", "position", "why", "themes", "source", "reference")


class Entry:
    def __init__(self, place, fields, counts):
        self.place = place  # file and line, for messages
        self.fields = fields
        self.counts = counts  # depth -> nodes
        for key in NEEDED:
            if key not in fields:
                raise ValueError(f"{place}: no line '{key}'")
        if fields["count"] not in COUNTS:
            raise ValueError(f"{place}: count '{fields['count']}' is unknown")
        self.rules = RuleSet(fields["rules"])
        self.position = read_position(fields["position"])
        if position_text(self.position) != fields["position"]:
            raise ValueError(f"{place}: position is not in its normal form")

    @property
    def reached(self):
        """The deepest depth that this program has counted."""
        return int(self.fields.get("reference", 0))

    def nodes(self, depth, max_nodes):
        """The count, or None if it takes more than `max_nodes`."""
        try:
            return perft(self.rules, self.position, self.fields["count"], depth, Budget(max_nodes))
        except TooMany:
            return None

    def text(self):
        lines = [f"{key} {self.fields[key]}" for key in KEYS if key in self.fields]
        lines += [f"perft {depth} {nodes}" for depth, nodes in sorted(self.counts.items())]
        return "\n".join(lines) + "\n"


def read_suite(path):
    """The comment at the beginning of the file, and its entries."""
    head, entries, fields, counts = [], [], {}, {}
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n") + [""]
    for number, line in enumerate(lines, 1):
        if line.startswith("#"):
            if not entries and not fields:
                head.append(line)
            continue
        if line.strip() == "":
            if fields:
                entries.append(Entry(f"{path}:{number}", fields, counts))
            fields, counts = {}, {}
            continue
        key, _, value = line.partition(" ")
        if key == "perft":
            depth, nodes = value.split()
            counts[int(depth)] = int(nodes)
        elif key in KEYS and key not in fields:
            fields[key] = value
        else:
            raise ValueError(f"{path}:{number}: key '{key}' is unknown or occurs twice")
    return head, entries


def check(paths, max_nodes):
    """Compares the counts up to `max_nodes`, and the themes of positions with at most that many turns.
    Prints the differences; returns their number."""
    checked = skipped = failed = 0
    ids = set()
    for path in paths:
        for entry in read_suite(path)[1]:
            name = entry.fields["id"]
            if name in ids:
                print(f"{entry.place}: id {name} occurs twice")
                failed += 1
            ids.add(name)
            if sorted(entry.counts) != list(range(1, len(entry.counts) + 1)):
                print(f"{name}: the depths do not run from 1 on")
                failed += 1
            if entry.counts[1] <= max_nodes and (found := " ".join(themes(entry.rules, entry.position))):
                if found != entry.fields.get("themes"):
                    print(f"{name}: the themes are {found}")
                    failed += 1
            for depth, expected in sorted(entry.counts.items()):
                found = entry.nodes(depth, max_nodes) if expected <= max_nodes else None
                if found is None:
                    skipped += 1
                    continue
                checked += 1
                if found != expected:
                    print(f"{name} depth {depth}: expected {expected}, found {found}")
                    failed += 1
    print(f"{len(ids)} positions: {checked} counts checked, {failed} wrong, {skipped} beyond --max-nodes")
    return failed


def fill(path, max_nodes, max_depth):
    """Counts the depths that this program has not counted yet, as long as they stay within `max_nodes`.
    Adds missing depths, prints different counts, and writes to `reference` the depth up to which the
    file and this program agree. Returns the number of different counts."""
    head, entries = read_suite(path)
    failed = 0
    for entry in entries:
        for depth in range(entry.reached + 1, max_depth + 1):
            expected = entry.counts.get(depth)
            if expected is not None and expected > max_nodes:
                break
            if depth > 1 and entry.counts[depth - 1] == 0:
                break  # nothing comes after a finished game
            nodes = entry.nodes(depth, max_nodes)
            if nodes is None:
                break
            if expected not in (None, nodes):
                print(f"{entry.fields['id']} depth {depth}: expected {expected}, found {nodes}")
                failed += 1
                break
            entry.counts[depth] = nodes
            entry.fields["reference"] = str(depth)
    write_suite(path, head, entries)
    return failed


def write_themes(path):
    """Writes the themes of every entry."""
    head, entries = read_suite(path)
    for entry in entries:
        entry.fields.pop("themes", None)
        if found := themes(entry.rules, entry.position):
            entry.fields["themes"] = " ".join(found)
    write_suite(path, head, entries)


def write_suite(path, head, entries):
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(head) + "\n\n" + "\n".join(entry.text() for entry in entries))
