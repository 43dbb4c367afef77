"""Fixtures: `ashd http` in front of a daemon, and an upstream behind it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from daemons import Daemon
from gateways import Gateway, Reply, started


@pytest.fixture(scope="session")
def start_gateway() -> Iterator[Callable[[], Gateway]]:
    """Makes gateways, each with a daemon and an upstream of its own."""
    with ExitStack() as running:
        yield lambda: running.enter_context(started(Daemon()))


@pytest.fixture(scope="session")
def _gateway(start_gateway: Callable[[], Gateway]) -> Gateway:
    return start_gateway()


@pytest.fixture
def gateway(_gateway: Gateway) -> Gateway:
    """The suite's gateway, with an upstream that was asked nothing yet."""
    _gateway.upstream.asked.clear()
    _gateway.upstream.left.clear()
    _gateway.upstream.reply = Reply((b"{}",))
    return _gateway
