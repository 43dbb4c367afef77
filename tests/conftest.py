"""Fixtures: the daemon, fresh scopes, and a clock that does not move."""

import itertools
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))

from daemons import ENCRYPTED, Daemon, fork_daemons, running
from postgres import DATABASES

if ENCRYPTED:
    from ashd.ops.database_key import File
    from ashd.store import encryption

    encryption.use(File(Path(ENCRYPTED)).load())

# A shell lets what it starts in the background ignore Ctrl-C, as would all commands of the tests.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A busy machine is no failure. The profile of the place, as on CI, stays as it is otherwise.
settings.register_profile("untimed", parent=settings.default, deadline=None)
settings.load_profile("untimed")

_users = itertools.count(1)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """The daemon's event loop, which coroutines of tests run on."""
    return "asyncio"


@pytest.fixture(scope="session")
def _daemon() -> Iterator[Daemon]:
    yield from running()


@pytest.fixture
def daemon(_daemon: Daemon) -> Iterator[Daemon]:
    """The suite's daemon; a test fails if the daemon logged an unexpected error.

    Tests share it: each uses its own users (`scope`).
    """
    before = len(_daemon.log)
    yield _daemon
    assert [line for line in _daemon.unexpected() if line in _daemon.log[before:]] == [], "\n".join(
        _daemon.log[before:]
    )


@pytest.fixture
def new_daemon() -> Iterator[Callable[..., Daemon]]:
    """Makes daemons, not started, that the test may start, stop and kill."""
    made: list[Daemon] = []

    def make(*args: Any, **options: Any) -> Daemon:
        made.append(Daemon(*args, **options))
        return made[-1]

    yield make
    for one in made:
        one.remove()
    for one in made:
        assert one.unexpected() == []


@pytest.fixture(autouse=DATABASES is not None)
def _databases() -> Iterator[None]:
    """Over PostgreSQL, drops the databases of the test; larger fixtures and daemons keep theirs."""
    assert DATABASES is not None
    before = DATABASES.names()
    yield
    DATABASES.drop_others(before)


@pytest.fixture
def scope() -> Callable[..., dict[str, Any]]:
    """Makes the scope of a fresh user; the same `user` gives the same scope."""

    def make(user: str | None = None, **fields: Any) -> dict[str, Any]:
        return {"provider": "test", "user_id": user or f"user-{next(_users)}", **fields}

    return make


class _Failures:
    """Names each test that fails when it fails; pytest prints only a letter until the end."""

    def __init__(self, terminal: pytest.TerminalReporter) -> None:
        self._terminal = terminal

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Print a failed test and the line of its error."""
        if report.failed:
            message = getattr(getattr(report.longrepr, "reprcrash", None), "message", "")
            self._terminal.ensure_newline()
            self._terminal.write_line(f"FAILED {report.nodeid}: {message.partition(chr(10))[0]}")


class _AboutTheFile:
    """Leaves out the tests of SQLite's file where there is none, and says how many they were."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._left_out = 0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Deselect what is marked `sqlite_file`."""
        left_out = [item for item in items if item.get_closest_marker("sqlite_file")]
        items[:] = [item for item in items if not item.get_closest_marker("sqlite_file")]
        self._config.hook.pytest_deselected(items=left_out)
        self._left_out = len(left_out)

    def pytest_sessionfinish(self) -> None:
        """Tell the number to the process with the terminal, if this is a worker of xdist."""
        if hasattr(self._config, "workeroutput"):
            self._config.workeroutput["sqlite_file"] = self._left_out

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Take the number from a worker; all of them collect the same tests."""
        self._left_out = getattr(node, "workeroutput", {}).get("sqlite_file", self._left_out)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the number."""
        terminalreporter.write_line(
            f"over PostgreSQL; {self._left_out} tests of SQLite's file were left out"
        )


@pytest.hookimpl(trylast=True)  # after the terminal is there
def pytest_configure(config: pytest.Config) -> None:
    """Name failing tests at once, where the terminal is: not in a worker of xdist."""
    fork_daemons(may=True)
    if DATABASES is not None:
        config.pluginmanager.register(_AboutTheFile(config))
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_Failures(terminal))


def pytest_unconfigure() -> None:
    """Drop what fixtures of a larger scope had."""
    fork_daemons(may=False)
    if DATABASES is not None:
        DATABASES.drop_others(set())
