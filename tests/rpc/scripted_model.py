"""Daemons whose language model is the scripted endpoint."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

from daemons import Daemon

from tests.endpoint import Endpoint


@contextmanager
def running_endpoint() -> Iterator[Endpoint]:
    """Run an endpoint."""
    endpoint = Endpoint()
    try:
        yield endpoint
    finally:
        endpoint.end()


@contextmanager
def daemon_with_model(
    endpoint: Endpoint,
    settings: str = "",
    *,
    embedder: str = "wordllama",
    wait_for: str = "embedder_ready",
) -> Iterator[Daemon]:
    """Run a daemon with that model; an unexpected error in its log fails the tests."""
    daemon = Daemon()
    daemon.config(f'[embedding]\nprovider = "{embedder}"\n{endpoint.llm_config}{settings}')
    try:
        yield daemon.start(wait_for=wait_for)
        assert daemon.unexpected() == []
    finally:
        daemon.remove()


class ModelWorld:
    """A daemon with a language model, and the endpoint that answers as the model."""

    def __init__(self, daemon: Daemon, endpoint: Endpoint) -> None:
        self.daemon = daemon
        self.endpoint = endpoint

    @classmethod
    @contextmanager
    def running(cls) -> Iterator[Self]:
        """Run both."""
        with running_endpoint() as endpoint, daemon_with_model(endpoint) as daemon:
            yield cls(daemon, endpoint)
