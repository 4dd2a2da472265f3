#!/usr/bin/env python3
"""Finds phrases in text and comments that have a plainer standard wording.

    python3 tools/check_text.py [FILE ...]

Without files it reads every Markdown, Rust and Python file that git tracks. The exit status is 1 if
a phrase is found.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# A phrase, and what to write instead. Case does not matter.
PHRASES = [
    (r"\bso many\b", "the number itself, or 'up to N'"),
    (r"\b(tells?|told)\b", "prints, reports, says, returns, or passive: 'is known by'"),
    (r"\btaken up again\b", "resumed"),
    (r"\b(look|looks|looked|looking) into\b", "probe"),
    (r"\bshall\b", "must, or will"),
    (r"[,;] for (it|they|that|then|there|these|those|no|what|he|she|we|all|each|only|some)\b", "because"),
    (r"\bgo(es|ing)? round in (a )?circles?\b|\bin a circle\b", "cycle"),
    (r"\bas many as\b.{0,20}\bas\b", "up to"),
    (r"\bno such\b.{0,20}\bas\b", "a shorter sentence"),
    (r"\bthat there (is|are)\b", "existing, or leave it out"),
    (r"\b(herein|thereof|therein|whereof|hitherto|lest)\b", "a modern word"),
]

# Where the words mean something else, or are quoted.
EXEMPT = {"tools/check_text.py"}


def tracked():
    listed = subprocess.run(
        ["git", "ls-files", "*.md", "*.rs", "*.py", "*.toml", "*.yml"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.split("\n")
    return [name for name in listed if name and name not in EXEMPT]


def prose(path, text):
    """The lines of a file with their numbers; code blocks of pages are left out, because they show
    what programs print."""
    in_block = False
    for number, line in enumerate(text.split("\n"), 1):
        if path.suffix == ".md" and line.startswith("```"):
            in_block = not in_block
        elif not in_block:
            yield number, line


def main():
    names = sys.argv[1:] or tracked()
    found = 0
    for name in names:
        path = ROOT / name
        if not path.exists():
            continue
        for number, line in prose(path, path.read_text(encoding="utf-8")):
            for phrase, better in PHRASES:
                match = re.search(phrase, line, re.IGNORECASE)
                if match:
                    found += 1
                    print(f"{name}:{number}: '{match.group(0)}': write {better}")
    if found:
        print(f"{found} phrases")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
