#!/usr/bin/env python3
"""Checks that arrows between crates go down only, and that the files of a crate import each other
without cycles.

    python3 tools/check_layers.py

It reads `use` lines and paths that start with `crate::` or `super::`, as text. That a file declares
modules with `mod`, and exports their names again, is no import. Tests inside files are left out.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# What each crate may use, besides crates from outside.
ALLOWED = {
    "core": set(),
    "storage": set(),
    "perft": {"core"},
    "tablebase": {"core", "storage"},
    "proof": {"core", "storage", "tablebase"},
    "solver": {"core", "storage", "perft", "tablebase", "proof"},
    "cli": {"core", "storage", "perft", "tablebase", "proof", "solver"},
}


def crate_arrows():
    """Messages about crates that use what they may not."""
    for name, allowed in ALLOWED.items():
        manifest = tomllib.loads((ROOT / "crates" / name / "Cargo.toml").read_text())
        used = {dep.removeprefix("fanorona-") for dep in manifest.get("dependencies", {})
                if dep.startswith("fanorona-")}
        for other in sorted(used - allowed):
            yield f"crates/{name} uses {other}, which is not below it"


def module_of(source, path):
    """The path of a file's module, as a tuple of names."""
    parts = list(path.relative_to(source).with_suffix("").parts)
    if parts[-1] in ("mod", "lib", "main"):
        parts.pop()
    return tuple(parts)


def without_tests(text):
    """The text up to a module of tests, which stands last in a file."""
    return text.split("#[cfg(test)]\nmod tests {")[0]


def expand(tree):
    """The paths of a `use` tree such as `a::{b, c::{self, d}}`."""
    tree = tree.strip()
    brace = tree.find("{")
    if brace < 0:
        yield tree.split(" as ")[0].strip()
        return
    head, depth, start = tree[:brace], 0, brace + 1
    for i in range(brace, len(tree)):
        if tree[i] == "{":
            depth += 1
        elif tree[i] == "}":
            depth -= 1
        if (tree[i] == "," and depth == 1) or (tree[i] == "}" and depth == 0):
            part = tree[start:i].strip()
            start = i + 1
            if part:
                for path in expand(part):
                    yield head + path
        if depth == 0 and i > brace:
            return


def imports(text):
    """The paths inside the crate that a file names."""
    text = re.sub(r"//[^\n]*", "", without_tests(text))
    for tree in re.findall(r"\buse\s+((?:crate|super|self)::[^;]+);", text):
        yield from expand(tree)
    text = re.sub(r"\buse\s+[^;]+;", "", text)
    yield from re.findall(r"\b(?:crate|super)(?:::\w+)+", text)


def file_arrows(source):
    """For each file of a crate, the files that it imports from."""
    files = {module_of(source, path): path for path in sorted(source.rglob("*.rs"))}
    arrows = {path: set() for path in files.values()}
    for module, path in files.items():
        for name in imports(path.read_text()):
            parts = name.replace(" ", "").split("::")
            target = [] if parts[0] == "crate" else list(module)
            for part in parts:
                if part == "super":
                    target.pop()
                elif part not in ("crate", "self"):
                    target.append(part)
            # The longest module that the path begins with. Names that a parent exports again are
            # charged to the parent.
            while target and tuple(target) not in files:
                target.pop()
            other = files.get(tuple(target))
            is_child = tuple(target)[: len(module)] == module
            if other and other != path and not (is_child and module != tuple(target)):
                arrows[path].add(other)
    return arrows


def cycles(arrows):
    """The groups of files that reach each other, by Tarjan's algorithm."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        on_stack.add(node)
        for other in arrows[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in on_stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            group = []
            while True:
                member = stack.pop()
                on_stack.discard(member)
                group.append(member)
                if member == node:
                    break
            if len(group) > 1:
                found.append(sorted(group))

    for node in arrows:
        if node not in index:
            visit(node)
    return found


def main():
    problems = list(crate_arrows())
    for name in ALLOWED:
        for group in cycles(file_arrows(ROOT / "crates" / name / "src")):
            listed = "".join(f"\n  {path.relative_to(ROOT)}" for path in group)
            problems.append(f"these files of crates/{name} import each other in a cycle:{listed}")
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
