"""Shared by the tools: asking the program, writing data files, and filling the tables in pages."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "target/release/fanorona"


def commands(doc):
    """A parser for a program and a command, and what adds a command: a function, whose name and description it takes."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default=PROGRAM, help="default: the release build")
    parts = parser.add_subparsers(dest="command", required=True)

    def command(run, name=None):
        part = parts.add_parser(name or run.__name__, description=run.__doc__, help=run.__doc__.split(". ")[0])
        part.set_defaults(run=run)
        return part

    return parser, command


def answer(program, *words, timeout=None):
    """The JSON object that a command prints. Only `check` may fail, which gives exit status 1 and an object too."""
    command = [str(word) for word in (program, *words, "--json")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    if done.returncode not in ((0, 1) if words[0] == "check" else (0,)):
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


def analyze_all(program, positions, *words):
    """The answers of `analyze --batch`, one for each position."""
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join(positions) + "\n")
        file.flush()
        command = [str(word) for word in (program, "analyze", *words, "--batch", file.name, "--json")]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: exit status {done.returncode}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def bounds(found):
    """The bounds of a value in an answer, which leaves them out where the value is known."""
    return {key: found.get(key, found["value"]) for key in ("at_least", "at_most")}


def random_position(chance, board, stones):
    """The text of a position with White to move: random points, each with a stone of random colour. A position
    is drawn again if a side has no stone or more than at the start, so all others are equally likely."""
    width, height = map(int, board.split("x"))
    points, cells = width * height, []
    while not all(1 <= cells.count(colour) <= points // 2 for colour in "WB"):
        cells = ["1"] * points
        for point in chance.sample(range(points), stones):
            cells[point] = chance.choice("WB")
    ranks = ["".join(cells[i:i + width]) for i in range(0, points, width)]
    for empty in range(width, 1, -1):
        ranks = [rank.replace("1" * empty, str(empty)) for rank in ranks]
    return "/".join(ranks) + " w"


def table(columns, rows):
    """A Markdown table. A column is its head; one that ends with ">" has numbers, flush right."""
    head = [column.removesuffix(">") for column in columns]
    lines = [f"| {' | '.join(head)} |"]
    lines.append("|" + "".join("---:|" if column.endswith(">") else "---|" for column in columns))
    return "\n".join([*lines, *(f"| {' | '.join(map(str, row))} |" for row in rows)])


def fill(page, parts, check=False):
    """Writes each part between the markers of its name in a page, and adds markers that are missing at the end.
    With `check` it writes nothing. Returns whether the page has the parts now."""
    old = text = page.read_text(encoding="utf-8")
    for name, part in parts.items():
        begin, end = (f"<!-- {name}: {word} -->" for word in ("begin", "end"))
        if begin not in text:
            text += f"\n{begin}\n{end}\n"
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{part}\n{end}{rest.split(end)[1]}"
    if check and text != old:
        print(f"{page.relative_to(ROOT)} differs from the data")
    elif text != old:
        page.write_text(text, encoding="utf-8")
    return not check or text == old


def write_lines(path, fields):
    """Writes JSON with a line for each field, and for each object of a list, also where such objects have lists."""
    def text(value, indent):
        if not (isinstance(value, list) and value and isinstance(value[0], dict)):
            return json.dumps(value)
        inner = indent + "  "
        rows = (", ".join(f"{json.dumps(key)}: {text(field, inner)}" for key, field in row.items()) for row in value)
        return "[\n" + ",\n".join(f"{inner}{{{row}}}" for row in rows) + f"\n{indent}]"

    lines = (f"  {json.dumps(key)}: {text(value, '  ')}" for key, value in fields.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
