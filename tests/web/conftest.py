"""Fixtures: `ash web` in front of a daemon, and a visitor who has signed in."""

from collections.abc import Iterator

import pytest
from daemons import Daemon
from sites import Site, Visitor, opened


@pytest.fixture(scope="session")
def _visitor() -> Iterator[Visitor]:
    daemon = Daemon()
    try:
        daemon.start()
        with opened(daemon) as site:
            yield site.log_in()
    finally:
        daemon.remove()
    assert daemon.unexpected() == []


@pytest.fixture
def visitor(_visitor: Visitor) -> Visitor:
    """A visitor of the suite's page, who looks as the local user."""
    _visitor.post("/viewing", back="/")
    return _visitor


@pytest.fixture
def site(visitor: Visitor) -> Site:
    """The suite's page itself."""
    return visitor.site
