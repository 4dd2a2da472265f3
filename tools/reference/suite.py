"""Suite files: positions with their perft counts. data/README.md describes the format."""

from notation import position_text, read_position
from perft import COUNTS, Budget, TooMany, perft
from rules import RuleSet

KEYS = ("id", "rules", "count", "position", "why", "source")


class Entry:
    def __init__(self, place, fields, counts):
        self.place = place  # file and line, for messages
        self.fields = fields
        self.counts = counts  # depth -> nodes
        for key in KEYS:
            if key not in fields:
                raise ValueError(f"{place}: no line '{key}'")
        if fields["count"] not in COUNTS:
            raise ValueError(f"{place}: count '{fields['count']}' is unknown")
        self.rules = RuleSet(fields["rules"])
        self.position = read_position(fields["position"])
        if position_text(self.position) != fields["position"]:
            raise ValueError(f"{place}: position is not in its normal form")

    def nodes(self, depth, max_nodes):
        """The count, or None if it takes more than `max_nodes`."""
        try:
            return perft(self.rules, self.position, self.fields["count"], depth, Budget(max_nodes))
        except TooMany:
            return None

    def text(self):
        lines = [f"{key} {self.fields[key]}" for key in KEYS]
        lines += [f"perft {depth} {nodes}" for depth, nodes in sorted(self.counts.items())]
        return "\n".join(lines) + "\n"


def read_suite(path):
    """The comment at the head of the file, and its entries."""
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
            raise ValueError(f"{path}:{number}: key '{key}' is unknown or stands twice")
    return head, entries


def check(paths, max_nodes):
    """Prints what differs; returns how much is wrong."""
    checked = skipped = failed = 0
    ids = set()
    for path in paths:
        for entry in read_suite(path)[1]:
            name = entry.fields["id"]
            if name in ids:
                print(f"{entry.place}: id {name} stands twice")
                failed += 1
            ids.add(name)
            if sorted(entry.counts) != list(range(1, len(entry.counts) + 1)):
                print(f"{name}: the depths do not run from 1 on")
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
    """Adds the depths that are missing, each as long as it stays within `max_nodes`."""
    head, entries = read_suite(path)
    for entry in entries:
        for depth in range(1, max_depth + 1):
            if depth not in entry.counts:
                nodes = entry.nodes(depth, max_nodes)
                if nodes is None:
                    break
                entry.counts[depth] = nodes
            if entry.counts[depth] == 0:
                break  # nothing comes after a finished game
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(head) + "\n\n" + "\n".join(entry.text() for entry in entries))
