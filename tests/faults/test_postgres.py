"""A daemon on PostgreSQL loses and doubles nothing when the server or a link fails."""

import itertools
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from daemons import CallFailed, Daemon
from kill_writers import Eraser, Forgetter, Joiner, Tally
from mounts import small_disk
from postgres_server import PostgresServer, needed
from starts import failed_start
from streams import Stream
from waiting import until

psycopg = pytest.importorskip("psycopg")

ROUNDS = 3
CALLS_BETWEEN = 5
"""Calls that each writer gets acknowledged between two faults."""
ME = {"provider": "test", "user_id": "me"}

Fault = Callable[["Place"], None]
_numbers = itertools.count(1)


class Place:
    """Daemons, the server that they are on, and their database there."""

    def __init__(
        self, server: PostgresServer, new_daemon: Callable[..., Daemon], daemons: int = 1
    ) -> None:
        self.server = server
        self.database = f"ash_{next(_numbers)}"
        with self.admin() as admin:
            admin.execute(f"create database {self.database}")
        url = server.url_of(self.database)
        self.daemons = [new_daemon(environment={"ASH_STORAGE_URL": url}) for _ in range(daemons)]
        self._asked = itertools.cycle(self.daemons)
        for daemon in self.daemons:
            daemon.config('[embedding]\nprovider = "none"\n')
            # Work that nobody waits for, while the server is away: it is tried again.
            daemon.expect_error("again_in_seconds=")
            daemon.expect_error("traces_left error=StorageError")

    @property
    def daemon(self) -> Daemon:
        """The only daemon; of several each in turn."""
        return next(self._asked)

    def admin(self) -> Any:
        """A connection to another database of the server."""
        return psycopg.connect(self.server.url, autocommit=True)

    def backends(self) -> list[int]:
        """The server's processes for the daemon; the first is what writes."""
        with self.admin() as admin:
            found = admin.execute(
                "select pid from pg_stat_activity where datname = %s order by backend_start",
                (self.database,),
            ).fetchall()
        return [pid for (pid,) in found]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with needed() as made:
        yield made


@pytest.fixture
def place(server: PostgresServer, new_daemon: Callable[..., Daemon]) -> Place:
    return Place(server, new_daemon)


# The faults ---------------------------------------------------------------------------------------


def _end_connections(place: Place) -> None:
    """An operator, or a pooler in between, closes every connection."""
    with place.admin() as admin:
        for pid in place.backends():
            admin.execute("select pg_terminate_backend(%s)", (pid,))


def _kill_a_backend(place: Place) -> None:
    """The server closes all connections and recovers from its log, as it does after a crash."""
    with suppress(ProcessLookupError):
        os.kill(place.backends()[0], signal.SIGKILL)


def _crash_the_server(place: Place) -> None:
    place.server.stop(signal.SIGQUIT)
    place.server.start()


def _restart_the_server(place: Place) -> None:
    place.server.stop(signal.SIGINT)
    place.server.start()


def _kill_the_daemon(place: Place) -> None:
    place.daemon.kill()
    place.daemon.start(wait_for="daemon_ready")


@pytest.mark.parametrize(
    "fault",
    [_end_connections, _kill_a_backend, _crash_the_server, _restart_the_server, _kill_the_daemon],
    ids=lambda fault: fault.__name__.strip("_"),
)
def test_faults_under_load_lose_and_double_nothing(place: Place, fault: Fault) -> None:
    """Calls that fail are repeated with their keys; the daemon goes on by itself."""
    place.daemon.start(wait_for="daemon_ready")
    _write_through(place, fault)


def _write_through(place: Place, fault: Fault) -> None:
    """Send the calls of writers through faults; nothing is lost, and nothing done twice."""
    tally = Tally()
    writers = [kind(kind.__name__.lower(), 5, tally) for kind in (Eraser, Forgetter, Joiner)]
    streams = [Stream(lambda: place.daemon, writer) for writer in writers]
    for stream in streams:
        stream.start()
    for _ in range(ROUNDS):
        for stream in streams:
            stream.has_called(CALLS_BETWEEN)
        fault(place)
    for stream in streams:
        stream.has_called(2 * CALLS_BETWEEN)
    for stream in streams:
        stream.end()

    for writer in writers:
        with place.daemon.client() as client:
            writer.compare(client)
    assert (tally.lost, tally.doubled, tally.others) == ([], [], [])
    assert sum(tally.repeated.values()) > 0, "nothing was interrupted"


def test_callers_go_on_at_another_daemon(
    server: PostgresServer, new_daemon: Callable[..., Daemon]
) -> None:
    """Calls whose daemon was killed are repeated with their keys at the other one."""
    place = Place(server, new_daemon, daemons=2)
    for daemon in place.daemons:
        daemon.start(wait_for="daemon_ready")

    def kill_one(place: Place) -> None:
        daemon = place.daemon
        daemon.kill()
        daemon.start(wait_for="daemon_ready")

    _write_through(place, kill_one)


def test_calls_say_that_the_server_is_away_until_it_is_back(place: Place) -> None:
    """Reads and writes fail, with what to do; nobody has to restart the daemon."""
    daemon = place.daemon.start(wait_for="daemon_ready")
    add = {"scope": ME, "content": "The shed is red", "idempotency_key": "once"}
    before = daemon.call("memory.add", scope=ME, content="The boat is called Heron")
    place.server.stop()

    for method, params in (("memory.add", add), ("memory.list", {"scope": ME})):
        for _ in range(2):
            with pytest.raises(CallFailed) as failed:
                daemon.call(method, **params)
            assert failed.value.kind == "storage_error"
            assert failed.value.data["retryable"]
            assert "PostgreSQL server does not answer" in failed.value.error["message"]

    place.server.start()
    first = until(lambda: _answer(daemon, "memory.add", **add))
    assert daemon.call("memory.add", **add) == first
    listed = until(lambda: _answer(daemon, "memory.list", scope=ME))["memories"]
    assert [one["id"] for one in listed] == [
        first["memories"][0]["memory"]["id"],
        before["memories"][0]["memory"]["id"],
    ]


def _answer(daemon: Daemon, method: str, **params: Any) -> Any:
    """The result of a call; None while the server seems to be away."""
    with suppress(CallFailed):
        return daemon.call(method, **params)


def test_a_full_disk_of_the_server_is_said_until_there_is_space(
    server: PostgresServer, new_daemon: Callable[..., Daemon]
) -> None:
    """Acknowledged writes are there, reads go on, and writes by themselves later."""
    owner = server.folder.stat()
    with small_disk(server.folder / "disk", "32m") as disk:
        os.chown(disk, owner.st_uid, owner.st_gid)
        place = Place(server, new_daemon)
        with psycopg.connect(
            host=str(server.folder), user="ash_admin", dbname="postgres", autocommit=True
        ) as admin:
            admin.execute(f"create tablespace small location '{disk}'")
            admin.execute(f"alter database {place.database} set tablespace small")
        try:
            _fill(place.daemon.start(wait_for="daemon_ready"), disk)
            place.daemon.stop()
        finally:
            with place.admin() as admin:
                admin.execute(f"drop database {place.database} with (force)")
            with psycopg.connect(
                host=str(server.folder), user="ash_admin", dbname="postgres", autocommit=True
            ) as admin:
                admin.execute("drop tablespace small")


def _fill(daemon: Daemon, disk: Path) -> None:
    """Fill the disk but for a little, add until it is full, and free it."""
    free = os.statvfs(disk)
    ballast = disk / "ballast"
    ballast.write_bytes(bytes(free.f_bavail * free.f_frsize - 65_536))
    stored: list[str] = []
    with pytest.raises(CallFailed) as failed:
        _add_until_it_fails(daemon, stored)
    assert failed.value.kind == "storage_error"
    assert "disk of the PostgreSQL server is full" in failed.value.error["message"]
    until(lambda: _warned_after_adding(daemon, stored))
    assert daemon.call("memory.list", scope=ME)["total"] == len(stored)

    ballast.unlink()
    daemon.call("memory.add", scope=ME, content="The boat is called Heron")
    assert daemon.call("memory.list", scope=ME)["total"] == len(stored) + 1
    assert _warned(daemon) == []


def _warned_after_adding(daemon: Daemon, stored: list[str]) -> bool:
    """Whether the full disk is said; a small write of the daemon's own may fit, and ends that."""
    with pytest.raises(CallFailed):
        _add_until_it_fails(daemon, stored)
    return "disk_full" in _warned(daemon)


def _add_until_it_fails(daemon: Daemon, stored: list[str]) -> None:
    while True:
        text = f"Parcel {len(stored)} {'is in the shed ' * 200}"
        daemon.call("memory.add", scope=ME, content=text)
        stored.append(text)


def _warned(daemon: Daemon) -> list[str]:
    return [one["name"] for one in daemon.call("system.status")["warnings"]]


def test_a_start_without_the_server_says_so(place: Place) -> None:
    """The daemon ends with a line that says why and what to do."""
    place.server.stop()
    try:
        done = failed_start(place.daemon)
    finally:
        place.server.start()

    assert done.returncode == 1, done.stderr
    assert "ashd cannot start: There is no way to the PostgreSQL server" in done.stderr
    assert str(place.server.folder) in done.stderr
    assert "Traceback" not in done.stderr
    assert place.daemon.start(wait_for="daemon_ready").call("session.hello")


def test_a_sandbox_hears_that_the_server_is_away_at_its_first_call(place: Place) -> None:
    """It is a failure that passes, not a fault of the daemon, and no denial."""
    daemon = place.daemon.start(wait_for="daemon_ready")
    socket = daemon.call("grant.create", scope=ME)["socket"]
    place.server.stop()
    try:
        with daemon.client(socket) as sandbox, pytest.raises(CallFailed) as failed:
            sandbox.call("session.hello")
    finally:
        place.server.start()

    assert failed.value.kind == "storage_error"
    assert failed.value.data["retryable"]
    until(lambda: _answer(daemon, "session.hello"))
    assert daemon.call("audit.list", outcome="storage_error")["entries"] == []
