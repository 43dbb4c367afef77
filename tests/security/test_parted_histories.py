"""Parted accounts read what they would had they never been joined, history for history. 60 s."""

from collections.abc import Iterator

import pytest
from daemons import Daemon
from joined_histories import compare


@pytest.fixture(scope="module")
def plain() -> Iterator[Daemon]:
    """A daemon without an embedder."""
    daemon = Daemon()
    daemon.config('[embedding]\nprovider = "none"\n')
    daemon.start()
    yield daemon
    daemon.remove()
    assert daemon.unexpected() == []


@pytest.mark.parametrize("seed", range(24))
def test_a_history_with_a_join_ends_as_the_one_without(plain: Daemon, seed: int) -> None:
    """Both accounts and the members of their groups read the same, but for ids and times."""
    assert compare(plain, seed, 16) == []
