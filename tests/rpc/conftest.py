"""Daemons by embedder, shared by the tests of this folder; each test has users of its own."""

from collections.abc import Callable, Iterator

import pytest
from daemons import Daemon
from embedders import minilm_models

Daemons = Callable[[str], Daemon]


@pytest.fixture(scope="session")
def _by_embedder() -> Iterator[Daemons]:
    made: dict[str, Daemon] = {}

    def get(provider: str) -> Daemon:
        if provider not in made:
            folder = {"ASH_MODELS": str(minilm_models())} if provider == "minilm" else {}
            daemon = Daemon(environment=folder)
            daemon.config(f'[embedding]\nprovider = "{provider}"\n')
            made[provider] = daemon
            daemon.start()
        return made[provider]

    yield get
    for daemon in made.values():
        daemon.remove()


@pytest.fixture
def with_embedder(_by_embedder: Daemons) -> Iterator[Daemons]:
    """The daemon whose embedder has that name; a test fails when one logged an unexpected error."""
    used: dict[str, tuple[Daemon, int]] = {}

    def get(provider: str) -> Daemon:
        daemon = _by_embedder(provider)
        used.setdefault(provider, (daemon, len(daemon.log)))
        return daemon

    yield get
    for daemon, before in used.values():
        assert [line for line in daemon.unexpected() if line in daemon.log[before:]] == []


@pytest.fixture(params=["none", "wordllama", "minilm"])
def any_daemon(request: pytest.FixtureRequest, with_embedder: Daemons) -> Daemon:
    """One daemon after the other: without an embedder, with wordllama, with MiniLM."""
    return with_embedder(request.param)


@pytest.fixture
def plain(with_embedder: Daemons) -> Daemon:
    """The daemon with the embedded default, whatever is installed on this machine."""
    return with_embedder("wordllama")
