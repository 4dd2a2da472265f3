"""What several tests need: the data of the repository, and built tables."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import fanorona
from fanorona import Board, Tables

from common import ROOT, Reference

@pytest.fixture(scope="session")
def data() -> Path:
    """The numbers of the repository to compare with."""
    return ROOT / "data"


@pytest.fixture(scope="session")
def reference() -> Reference:
    return Reference()


@pytest.fixture(scope="session")
def small_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with tables of 3x3 and 5x3, with and without distances."""
    dir = tmp_path_factory.mktemp("tables")
    for board, stones in [("3x3", 8), ("5x3", 5)]:
        for metric in fanorona.Metric:
            fanorona.build(dir, stones, board, metric=metric)
    return dir


@pytest.fixture
def small(small_dir: Path) -> Iterator[Tables]:
    """Tables of 5x3 to 5 stones."""
    with Tables(small_dir, "5x3") as tables:
        yield tables


@pytest.fixture
def telo(small_dir: Path) -> Iterator[Tables]:
    """Tables of all positions of 3x3."""
    with Tables(small_dir, Board("3x3")) as tables:
        yield tables
