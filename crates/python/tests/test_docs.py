"""Runs the examples of the pages and of the docstrings."""

import doctest
import inspect
import re
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fanorona
from fanorona import _svg, rl

PACKAGE = Path(__file__).resolve().parents[1]
PAGES = [PACKAGE / "README.md", *sorted((PACKAGE / "docs").glob("*.md"))]
OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def examples(text: str) -> str:
    """The Python blocks of a page, with the other lines left empty, so that line numbers fit."""
    lines, inside = [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = line == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    return "\n".join(lines)


def run(test: doctest.DocTest) -> None:
    said: list[str] = []
    failed, tried = doctest.DocTestRunner(optionflags=OPTIONS).run(test, out=said.append)
    assert not failed, "".join(said)
    assert tried


def documented() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every docstring with examples: its name, its text and the names that it can use."""
    for module in (fanorona, rl, _svg):
        known = vars(module)
        things = {module.__name__: module} | {
            f"{module.__name__}.{name}": thing
            for name, thing in known.items()
            if inspect.getmodule(thing) is module or (module is fanorona and name in module.__all__)
            if not isinstance(thing, types.ModuleType)
        }
        for name, thing in things.items():
            parts = {name: thing}
            if inspect.isclass(thing):
                parts |= {f"{name}.{part}": value for part, value in vars(thing).items()}
            for part, value in parts.items():
                text = value.__doc__ if isinstance(getattr(value, "__doc__", None), str) else None
                if text and ">>>" in text:
                    yield part, text, {**known, **vars(fanorona)}


DOCSTRINGS = list(documented())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = examples(page.read_text(encoding="utf-8"))
    run(doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0))


@pytest.mark.parametrize("name", [name for name, _, _ in DOCSTRINGS])
def test_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ((text, known),) = [(text, known) for part, text, known in DOCSTRINGS if part == name]
    run(doctest.DocTestParser().get_doctest(inspect.cleandoc(text), dict(known), name, None, 0))


def test_that_there_are_docstrings_to_run() -> None:
    names = {name for name, _, _ in DOCSTRINGS}
    assert {"fanorona", "fanorona.rl", "fanorona.rl.Actions.of_turn"} <= names
    assert any(name.startswith("fanorona.T") for name in names)  # Natives.


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    """Every link to a file leads to one."""
    links = re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8"))
    here = [link for link in links if "://" not in link]
    assert here
    for link in here:
        assert (page.parent / link).exists(), link


def test_a_wrong_example_is_noticed() -> None:
    with pytest.raises(AssertionError, match="Got"):
        text = examples("```python\n>>> 1 + 1\n3\n```\n")
        run(doctest.DocTestParser().get_doctest(text, {}, "wrong", None, 0))
