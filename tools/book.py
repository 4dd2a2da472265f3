#!/usr/bin/env python3
"""Makes one book of the pages, and checks their links.

    python3 tools/book.py            gather the pages in target/book/src, and run mdbook if it is installed
    python3 tools/book.py --check    only check links, and that the book has every page

crates/cli/docs/SUMMARY.md lists the pages, by reader. Links between them lead from page to page in the
book; links to other files lead to the repository. Needs Python 3.11, and mdbook for the book. Exits with status 1 if a link leads nowhere, or if a page is not in the summary.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

from common import ROOT

SUMMARY = ROOT / "crates/cli/docs/SUMMARY.md"
BOOK = ROOT / "target/book"
# A link or a picture, in Markdown or HTML; code is left alone.
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.M | re.S)
LINK = re.compile(r'(\]\(|\b(?:src|href)=")([^)"\s]+)')
PICTURES = {".svg", ".png", ".webp"}


def pages():
    """Every page of the repository."""
    listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    paths = [ROOT / line for line in listed.stdout.splitlines()]
    return [path for path in paths if path.exists() and path != SUMMARY]


def is_apart(path):
    """Whether a page is not for the book: a form, and READMEs of crates, which only name other pages."""
    path = path.relative_to(ROOT)
    return path.match("crates/*/README.md") or path.name == "pull_request_template.md"


def links(text):
    """The links of a page: where their target stands, and the target."""
    hidden = CODE.sub(lambda match: " " * len(match[0]), text)
    for match in LINK.finditer(hidden):
        if not re.match(r"[a-z]+:", match[2]):
            yield match.start(2), match[2]


def anchors(text):
    """The anchors of a page's headings, as GitHub and mdBook make them."""
    found = []
    for heading in re.findall(r"^#+ +(.*)$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        anchor = "".join("-" if char == " " else char for char in plain if char.isalnum() or char in " -_")
        same = sum(other == anchor or re.fullmatch(re.escape(anchor) + r"-\d+", other) is not None for other in found)
        found.append(f"{anchor}-{same}" if same else anchor)
    return found


def faults(summary):
    """Links that lead nowhere, and pages that the summary lacks or has twice."""
    listed = [target for _, target in links(SUMMARY.read_text(encoding="utf-8"))]
    for page in [*pages(), SUMMARY]:
        for _, target in links(page.read_text(encoding="utf-8")):
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            where = f"{page.relative_to(ROOT)}: {target}"
            if not file.exists():
                yield f"{where}: there is no such file"
            elif anchor and file.suffix == ".md" and anchor not in anchors(file.read_text(encoding="utf-8")):
                yield f"{where}: there is no such heading"
    for page in pages():
        if page not in summary and not is_apart(page):
            yield f"{page.relative_to(ROOT)} is not in {SUMMARY.relative_to(ROOT)}"
    for target in sorted({target for target in listed if listed.count(target) > 1}):
        yield f"{SUMMARY.relative_to(ROOT)} has {target} twice"


def in_book(path):
    """The path of a page in the book. mdBook begins a directory with index.md."""
    path = path.relative_to(ROOT)
    return path.with_name("index.md") if path.name == "README.md" else path


def gather(summary, repository):
    """Copies the pages and their pictures, and changes their links."""
    shutil.rmtree(BOOK, ignore_errors=True)
    source = BOOK / "src"
    for page in [*summary, SUMMARY]:
        place = Path("SUMMARY.md") if page == SUMMARY else in_book(page)
        text = page.read_text(encoding="utf-8")
        for at, target in reversed([*links(text)]):
            path, hash_, anchor = target.partition("#")
            if not path:
                continue
            file = (page.parent / path).resolve()
            if file in summary or file.suffix in PICTURES:
                new = os.path.relpath(in_book(file), place.parent) + hash_ + anchor
                if file.suffix in PICTURES:
                    (source / in_book(file)).parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(file, source / in_book(file))
            else:
                kind = "tree" if file.is_dir() else "blob"
                new = f"{repository}/{kind}/main/{file.relative_to(ROOT)}{hash_}{anchor}"
            text = text[:at] + new + text[at + len(target):]
        (source / place).parent.mkdir(parents=True, exist_ok=True)
        (source / place).write_text(text, encoding="utf-8")
    shutil.copy(SUMMARY.with_name("book.toml"), BOOK)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing")
    options = parser.parse_args()
    targets = (target for _, target in links(SUMMARY.read_text(encoding="utf-8")))
    summary = list(dict.fromkeys((SUMMARY.parent / target).resolve() for target in targets))
    found = [*faults(summary)]
    if found:
        sys.exit("\n".join(found))
    print(f"{len(pages())} pages, {len(summary)} of them in the book; every link leads somewhere")
    if not options.check:
        manifest = tomllib.loads((ROOT / "Cargo.toml").read_text())
        gather(summary, manifest["workspace"]["package"]["repository"])
        if shutil.which("mdbook"):
            subprocess.run(["mdbook", "build", BOOK], check=True)
        else:
            print(f"mdbook is not installed; the pages are in {BOOK.relative_to(ROOT)}/src")


if __name__ == "__main__":
    main()
