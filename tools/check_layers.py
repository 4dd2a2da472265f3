#!/usr/bin/env python3
"""Checks the layers: that crates use each other as the page on the architecture says, and that the
files of a crate have no import cycle, nor the folders. Checks the faces: that they compose no value themselves. Checks
the recipes: that everything exists that they name.

    python3 tools/check_layers.py [--graph]

Reads the table of the page, and the `Cargo.toml` and the modules of every crate. A file uses another
one if a path in it leads to an item that is defined there; re-exports are followed to the
definition. So a `mod.rs` may re-export its children, but a child that uses an item of `mod.rs` makes
a cycle if `mod.rs` uses the child. What a file uses outside its folder, the folder uses too, and
folders and files beside each other must not form a cycle either. Code under `#[cfg(test)]` does not
count. `--graph` prints the files with what they use.

In the page of recipes, a code span with a slash is a path from the root of the repository. A span that
is an identifier must be defined in a file that is named before it in its line, which is a list item or a
paragraph. `Type::name` must be in the declaration of the type or in an `impl` of it.

The exit status is 1 if crates and page differ, if there is a cycle, or if something named is missing.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# The page whose table says which crates a crate uses, from the top layer down.
PAGE = ROOT / "crates/cli/docs/ARCHITECTURE.md"

# The page of recipes.
RECIPES = ROOT / "crates/cli/docs/ADDING.md"

# The crates that parse, ask and print. They do not search for proofs, and do not join facts of several
# sources: `engine` and `knowledge` do.
FACES = ("cli", "explorer", "capi", "python", "wasm", "ugi", "cluster")
COMPOSING = ("narrowed_by", "best_first", "analyze_given", "TurnChoice")

# Helps to test, and holds nothing else. Everything may test with it.
TEST_SUPPORT = "tests"

KEYWORDS = {"crate", "self", "super"}


def read_table():
    """For each crate of the page's table, in its order: the crates that it uses, and those that only
    its tests, benchmarks and examples use."""
    rows = {}
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 4 and re.fullmatch(r"`\w+`", cells[0]):
            rows[cells[0].strip("`")] = [set(re.findall(r"`(\w+)`", cell)) for cell in cells[2:]]
    return rows


def check_crates(manifests):
    """Where the uses of other crates are not those of the page."""
    rows = read_table()
    order = list(rows)
    faults = []
    for crate in sorted(rows.keys() ^ manifests.keys()):
        where = "has no such crate" if crate in rows else "lacks the crate"
        faults.append(f"{crate}: the table in {PAGE.relative_to(ROOT)} {where}")
    for crate in rows.keys() & manifests.keys():
        manifest = tomllib.loads(manifests[crate].read_text())
        tables = [manifest, *manifest.get("target", {}).values()]

        def used(*keys):
            names = {name for key in keys for table in tables for name in table.get(key, {})}
            crates = {name for name in names if name.startswith("fanorona-")}
            return {name.removeprefix("fanorona-") for name in crates}

        uses, tests_use = rows[crate]
        by_code = used("dependencies", "build-dependencies")
        by_tests = used("dev-dependencies") - by_code - {TEST_SUPPORT, crate}
        for what, found, right in (("", by_code, uses), (" in tests", by_tests, tests_use)):
            for name in sorted(found - right):
                faults.append(f"{crate} uses {name}{what}, and the page does not say so")
            for name in sorted(right - found):
                faults.append(f"{crate} does not use {name}{what}, and the page says so")
        for name in sorted(uses & rows.keys()):
            if order.index(name) < order.index(crate):
                faults.append(f"{crate} uses {name}, which is above it")
    return faults


def check_faces(manifests):
    """Where a face searches for proofs or joins facts."""
    rows = read_table()
    faults = [f"{face} uses solver; ask engine::inquiry" for face in FACES if "solver" in rows[face][0]]
    for face in FACES:
        for path in sorted((manifests[face].parent / "src").rglob("*.rs")):
            text = without_tests(blank(path.read_text()))
            names = [name for name in COMPOSING if re.search(rf"\b{name}\b", text)]
            where = path.relative_to(ROOT)
            faults += [f"{where} uses {name}; ask engine::inquiry or knowledge" for name in names]
    return faults


def blank(text):
    """Source text without comments and without what is in strings and characters."""
    tokens = re.compile(
        r"//[^\n]*"
        r"|/\*"
        r'|\b(?:br|cr|r)(#*)".*?"\1'
        r'|"(?:\\.|[^"\\])*"'
        r"|'(?:\\u\{[^}]*\}|\\.|[^'\\\n])'",
        re.S,
    )
    parts, at = [], 0
    while match := tokens.search(text, at):
        parts.append(text[at:match.start()])
        at = match.end()
        if match[0] == "/*":
            depth = 1
            while depth and (end := re.compile(r"/\*|\*/").search(text, at)):
                depth += 1 if end[0] == "/*" else -1
                at = end.end()
        parts.append(" ")
    return "".join(parts) + text[at:]


def end_of_item(text, at):
    """Where the item ends that begins at a place: behind its `;` or its block."""
    depth = 0
    while at < len(text):
        char = text[at]
        if char in "([{":
            depth += 1
        elif char in ")]}":
            depth -= 1
            if depth < 0:
                return at
            if depth == 0 and char == "}":
                return at + 1
        elif depth == 0 and char in ";,":
            return at + 1
        at += 1
    return at


def without_tests(text):
    """Source text without the items that only tests have."""
    attribute = re.compile(r"#\[cfg\(test\)\]")
    while match := attribute.search(text):
        at = match.end()
        while more := re.compile(r"\s*#\[").match(text, at):
            at = end_of_brackets(text, more.end() - 1)
        text = text[:match.start()] + text[end_of_item(text, at):]
    return text


def end_of_brackets(text, at):
    depth = 0
    while at < len(text):
        depth += {"[": 1, "]": -1}.get(text[at], 0)
        at += 1
        if depth == 0:
            break
    return at


def leaves(tree, prefix=()):
    """The paths of a `use`, each with the name that it gets here; `*` for all."""
    tree = tree.strip()
    if match := re.fullmatch(r"((?:\w+\s*::\s*)*)(?:::)?\{(.*)\}", tree, re.S):
        prefix = prefix + tuple(re.findall(r"\w+", match[1]))
        depth, start = 0, 0
        inner = match[2] + ","
        for at, char in enumerate(inner):
            depth += {"{": 1, "}": -1}.get(char, 0)
            if char == "," and depth == 0:
                if inner[start:at].strip():
                    yield from leaves(inner[start:at], prefix)
                start = at + 1
        return
    path, _, name = re.sub(r"\s+", " ", tree).partition(" as ")
    segments = prefix + tuple(re.findall(r"\w+|\*", path.removeprefix("r#")))
    if segments[-1:] == ("self",) and len(segments) > 1:
        segments = segments[:-1]
    yield segments, name.strip() or segments[-1]


class Module:
    """A module: its file, its items, its children, and what it imports."""

    def __init__(self, crate, path, file, parent):
        self.crate, self.path, self.file, self.parent = crate, path, file, parent
        self.items, self.children, self.imports, self.globs = set(), {}, {}, []
        self.text = ""

    def read(self, text, folder):
        """Takes the items of source text; `folder` has the files of its children."""
        inline = re.compile(r"\bmod\s+(\w+)\s*\{")
        while match := inline.search(text):
            end = end_of_item(text, match.end() - 1)
            child = Module(self.crate, self.path + (match[1],), self.file, self)
            self.children[match[1]] = child
            child.read(text[match.end():end - 1], folder / match[1])
            text = text[:match.start()] + text[end:]
        for name in re.findall(r"\bmod\s+(\w+)\s*;", text):
            files = [folder / f"{name}.rs", folder / name / "mod.rs"]
            file = next((file for file in files if file.exists()), None)
            if file is None:
                sys.exit(f"{self.file}: there is no file for mod {name}")
            child = Module(self.crate, self.path + (name,), file, self)
            self.children[name] = child
            child.read(without_tests(blank(file.read_text())), folder / name)
        for tree in re.findall(r"\buse\s+([^;]+);", text):
            for path, name in leaves(tree):
                if name == "*":
                    self.globs.append(path[:-1])
                else:
                    self.imports[name] = path
        # Items at the level of the module: those in blocks are nobody else's.
        outer, depth = [], 0
        for char in text:
            depth -= char == "}"
            if depth == 0:
                outer.append(char)
            depth += char == "{"
        declared = re.compile(
            r"\b(?:fn|struct|enum|union|trait|type|static|macro_rules!|const(?!\s+fn\b))"
            r"\s+(?:mut\s+)?(\w+)"
        )
        self.items.update(declared.findall("".join(outer)))
        self.text = text

    def all(self):
        yield self
        for child in self.children.values():
            yield from child.all()

    def find(self, path, seen=frozenset()):
        """The module that defines what a path leads to from here, or None if it leads to another
        crate; a path to a module leads to nothing."""
        first, rest = path[0], path[1:]
        if first == "crate":
            return self.root().walk(rest, seen)
        if first == "self":
            return self.walk(rest, seen)
        if first == "super":
            return self.parent.find(("self", *rest), seen) if self.parent else None
        return self.walk(path, seen)

    def root(self):
        return self.parent.root() if self.parent else self

    def walk(self, path, seen):
        if not path or (self.path, path) in seen:
            return None
        seen = seen | {(self.path, path)}
        first, rest = path[0], path[1:]
        if first == "super":
            return self.parent.walk(rest, seen) if self.parent else None
        if first in self.children:
            return self.children[first].walk(rest, seen)
        if first in self.items:
            return self
        if first in self.imports and self.imports[first][0] != first:
            return self.find(self.imports[first] + rest, seen)
        for glob in self.globs:
            module = self.module(glob)
            if module and module is not self and (found := module.walk(path, seen)):
                return found
        return None

    def module(self, path):
        """The module of this crate that a path leads to from here."""
        first, rest = path[0], path[1:]
        if first == "crate":
            module = self.root()
        elif first in ("self", "super"):
            module = self if first == "self" else self.parent
        else:
            module = self.children.get(first)
        for segment in rest:
            if module is None:
                break
            module = module.parent if segment == "super" else module.children.get(segment)
        return module

    def uses(self):
        """The files that this module uses, each with a path that leads there."""
        text = re.sub(r"\b(?:pub(?:\([^)]*\))?\s+)?use\s+[^;]+;", " ", self.text)
        paths = [tuple(re.split(r"\s*::\s*", found)) for found in
                 re.findall(r"(?<![\w:])\w+(?:\s*::\s*\w+)+", text)]
        paths += self.imports.values()
        used = {}
        for path in paths:
            module = self.find(path)
            if module and module.file != self.file:
                used.setdefault(module.file, "::".join(path))
        return used


def graph_of(root):
    """For each file of a crate the files that it uses, each with a path that leads there."""
    graph = {}
    for module in root.all():
        graph.setdefault(module.file, {}).update(module.uses())
    return graph


def graphs_of_folders(graph, source):
    """For each folder with folders in it, the graph of what is directly in it. The path of a use
    begins with the file that has it."""
    graphs = {}
    for file, used in graph.items():
        for other, path in used.items():
            ours, theirs = file.relative_to(source).parts, other.relative_to(source).parts
            same = next(i for i, (a, b) in enumerate(zip(ours, theirs)) if a != b)
            folder = graphs.setdefault(source.joinpath(*ours[:same]), {})
            ours, theirs = (source.joinpath(*parts[:same + 1]) for parts in (ours, theirs))
            folder.setdefault(theirs, {})
            folder.setdefault(ours, {}).setdefault(theirs, f"{file.name}: {path}")
    return graphs


def cycles(graph):
    """Sets of nodes that use each other (Tarjan's strongly connected components)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for used in graph[node]:
            if used not in index:
                visit(used)
                low[node] = min(low[node], low[used])
            elif used in stack:
                low[node] = min(low[node], index[used])
        if low[node] == index[node]:
            component = []
            while not component or component[-1] != node:
                component.append(stack.pop())
            if len(component) > 1:
                found.append(sorted(component))

    for node in graph:
        if node not in index:
            visit(node)
    return found


def defines(file, name):
    """Whether a file defines an identifier such as `decide_row` or `RuleSet::turn_rule`."""
    text = file.read_text()
    if file.suffix != ".rs":
        declared = r"(?:def|class|function|const|struct|#define|fanorona_status|int|void|Freedom)\s+"
        return re.search(rf"(?m){declared}{name}\b|^{name} = ", text)
    *owner, last = name.split("::")
    text, kinds = blank(text), "fn|struct|enum|trait|const|static|type|macro_rules!"
    declared = rf"\b(?:{kinds})\s+{last}\b"
    if not owner:
        return re.search(declared, text)
    for match in re.finditer(rf"\b(impl|struct|enum|trait)\b[^;{{]*\b{owner[-1]}\b[^;{{]*\{{", text):
        body = text[match.end():end_of_item(text, match.end() - 1)]
        member = rf"|\b{last}\s*[:,({{=}}]" if match[1] in ("struct", "enum") else ""
        if re.search(declared + member, body):
            return True
    return False


def check_recipes():
    """What the page names and does not exist."""
    faults = []
    for number, line in enumerate(RECIPES.read_text().splitlines(), start=1):
        files = []
        for span in re.findall(r"`([^`]+)`", line):
            if "/" in span and " " not in span:
                files.append(ROOT / span)
                fault = not files[-1].exists() and "is not there"
            elif re.fullmatch(r"[A-Za-z_]\w*(?:::\w+)*!?", span):
                found = any(file.is_file() and defines(file, span.rstrip("!")) for file in files)
                fault = not found and "is not defined in the files before it"
            else:
                continue  # A command, or an option of one.
            if fault:
                faults.append(f"{RECIPES.relative_to(ROOT)}:{number}: {span} {fault}")
    return faults


def main():
    show = sys.argv[1:] == ["--graph"]
    if sys.argv[1:] and not show:
        sys.exit(__doc__)
    manifests = {path.parent.name: path for path in sorted(ROOT.glob("crates/*/Cargo.toml"))}
    faults = check_crates(manifests) + check_faces(manifests) + check_recipes()
    files = 0
    for crate, manifest in manifests.items():
        source = manifest.parent / "src"
        for entry in (source / "lib.rs", source / "main.rs"):
            if not entry.exists():
                continue
            root = Module(crate, (), entry, None)
            root.read(without_tests(blank(entry.read_text())), source)
            graph = graph_of(root)
            files += len(graph)
            name = lambda file: str(file.relative_to(source))
            if show:
                for file, used in graph.items():
                    print(f"{crate}/{name(file)}: {' '.join(sorted(map(name, used)))}")
            for of_what, graph in [("files", graph)] + [
                (f"parts of {folder.relative_to(manifest.parent)}", inner)
                for folder, inner in graphs_of_folders(graph, source).items()
            ]:
                for cycle in cycles(graph):
                    if of_what != "files" and not any(node.is_dir() for node in cycle):
                        continue  # It is a cycle of files.
                    faults.append(f"{crate}: {len(cycle)} {of_what} use each other")
                    for node in cycle:
                        for used in cycle:
                            if used in graph[node]:
                                use = f"{name(node)} -> {name(used)}  ({graph[node][used]})"
                                faults.append(f"    {use}")
    for fault in faults:
        print(fault)
    if faults:
        sys.exit(1)
    if not show:
        print(f"{len(manifests)} crates and {files} files, no cycle")


if __name__ == "__main__":
    main()
