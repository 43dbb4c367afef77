"""The listeners and their connections, with real sockets and a dispatcher that echoes."""

import json
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import anyio.lowlevel
import pytest
from anyio.abc import SocketStream, TaskGroup

from ashd import errors, limits
from ashd.access.grants import Grant
from ashd.access.quota import QuotaParams
from ashd.access.scope import Scope
from ashd.config import Limits
from ashd.eviction import longest_waiting
from ashd.ops.progress import Progress
from ashd.prometheus_text import Requests
from ashd.rpc import dispatch, server
from ashd.rpc.app import Session
from ashd.rpc.connections import Connections
from ashd.rpc.outcomes import Outcomes
from ashd.rpc.server import Server
from ashd.rpc.starting import Starting

PATIENCE_SECONDS = 60


def grant_of(number: int, token: bytes | None = None) -> Grant:
    scope = Scope(provider="p", user_id="u")
    return Grant(f"g{number}", scope, frozenset({"read"}), None, QuotaParams(), token)


class House:
    """A server in a directory of its own; its dispatcher echoes, fails, waits or takes a token."""

    def __init__(self, run: Path, tasks: TaskGroup) -> None:
        self.run = run
        self.tasks = tasks
        self.sessions: list[Session] = []
        self.turned_away: list[str] = []
        self.go_on = anyio.Event()
        starting = Starting(0, "me", Progress())
        self.server = Server(run, None, starting, Outcomes(Requests()), Connections(Limits()))

    async def reply_to(self, _app: Any, session: Session, frame: bytes) -> bytes | None:
        self.sessions.append(session)
        if frame == b"fail":
            raise RuntimeError("my secret")
        if frame == b"quiet":
            return None
        if frame == b"wait":
            await self.go_on.wait()
        if frame.startswith(b"token"):
            self.server.admit(session, grant_of(int(frame[5:]), b"t"))
        return frame + b"\n"

    async def record_turned_away(self, _app: Any, _session: Session, error: Any) -> None:
        self.turned_away.append(error.kind)

    @property
    def inside(self) -> dict[str, int]:
        """The number of connections in each place."""
        return {place: len(found) for place, found in self.server._connections._inside.items()}

    @property
    def control(self) -> Path:
        return self.run / "ashd.sock"


@pytest.fixture
async def house(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    run = Path(tempfile.mkdtemp(prefix="run-"))
    async with anyio.create_task_group() as tasks:
        made = House(run, tasks)
        monkeypatch.setattr(dispatch, "reply_to", made.reply_to)
        monkeypatch.setattr(dispatch, "record_turned_away", made.record_turned_away)
        made.server.serve_control(tasks, await made.server.control_listener(None))
        made.server.started(SimpleNamespace())  # type: ignore[arg-type]
        yield made
        await empty(made.server)
        tasks.cancel_scope.cancel()
    shutil.rmtree(run)


async def until(condition: Callable[[], bool]) -> None:
    """Wait for what comes at once, or not at all."""
    with anyio.fail_after(PATIENCE_SECONDS):
        while not condition():
            await anyio.lowlevel.checkpoint()


async def empty(running: Server) -> None:
    """Wait until every connection has been left: a cancelled read may not meet its data."""
    await until(lambda: not running._connections._inside)


@asynccontextmanager
async def client(path: Path) -> AsyncIterator[SocketStream]:
    async with await anyio.connect_unix(path) as stream:
        yield stream


async def asks(stream: SocketStream, line: bytes) -> Any:
    """The answer to a line: its text, the kind of an error, or None where the daemon hung up."""
    try:
        with anyio.fail_after(PATIENCE_SECONDS):
            await stream.send(line + b"\n")
            answer = (await stream.receive()).rstrip(b"\n")
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return None
    return json.loads(answer)["error"]["data"]["kind"] if answer[:1] == b"{" else answer


async def is_over(stream: SocketStream) -> bool:
    """Wait until the daemon hangs up."""
    try:
        with anyio.fail_after(PATIENCE_SECONDS):
            while True:
                await stream.receive()
    except (anyio.EndOfStream, anyio.BrokenResourceError):
        return True


async def test_sockets_are_for_those_who_may_reach_them(house: House) -> None:
    """The control socket for its owner; a grant's for whoever has its directory."""
    grant = grant_of(1)
    directory, path = await house.server.open(grant)

    def mode(place: Path) -> int:
        return place.stat().st_mode & 0o777

    assert mode(house.control) == 0o600
    assert directory == house.run / "sandbox" / "g1"
    assert [mode(one) for one in (directory.parent, directory, path)] == [0o700, 0o755, 0o666]
    await house.server.close("g1")
    assert not directory.exists()
    async with client(house.control) as stream:
        assert await asks(stream, b"hi") == b"hi"
    assert house.sessions[-1].listener == "control"
    assert house.sessions[-1].limits == limits.CONTROL


async def test_a_connection_has_the_grant_of_its_socket(house: House) -> None:
    """The connection closes with its grant; those of other grants go on."""
    grants = [grant_of(1), grant_of(2)]
    (_, one), (_, two) = [await house.server.open(grant) for grant in grants]
    async with client(one) as first, client(two) as second:
        assert await asks(first, b"a") == b"a"
        assert await asks(second, b"b") == b"b"
        assert [session.grant for session in house.sessions] == grants
        assert house.sessions[0].limits == limits.SANDBOX
        assert house.inside == {"g1": 1, "g2": 1}
        await house.server.close("g1")
        assert await is_over(first)
        assert await asks(second, b"c") == b"c"
    with pytest.raises(OSError, match=r"."):
        await anyio.connect_unix(one)


async def test_a_grant_has_so_many_connections(house: House) -> None:
    """The next one is told so and dropped; there is room again when one goes."""
    _, path = await house.server.open(grant_of(1))
    async with anyio.create_task_group() as opened:
        streams = [await anyio.connect_unix(path) for _ in range(limits.SANDBOX.connections)]
        for stream in streams:
            assert await asks(stream, b"a") == b"a"
        async with client(path) as late:
            assert await asks(late, b"a") == "rate_limited"
            assert await is_over(late)
        assert house.turned_away == ["rate_limited"]
        await streams.pop().aclose()
        await until(lambda: house.inside["g1"] < limits.SANDBOX.connections)
        async with client(path) as next_one:
            assert await asks(next_one, b"a") == b"a"
        for stream in streams:
            await stream.aclose()
        opened.cancel_scope.cancel()
    await empty(house.server)


async def test_a_token_is_shown_with_the_first_call(house: House) -> None:
    """The connection is then the grant's, with its limits; without one it ends."""
    _, path = await house.server.open(grant_of(7, b"t"))
    assert path == house.run / "token" / "rpc.sock"
    assert (await house.server.open(grant_of(8, b"u")))[1] == path

    async with client(path) as stream:
        assert await asks(stream, b"hello") == b"hello"
        assert await is_over(stream)
        assert house.sessions[-1].limits == limits.UNKNOWN
    async with client(path) as stream:
        assert await asks(stream, b"token7") == b"token7"
        assert house.inside == {"g7": 1}
        assert await asks(stream, b"x" * 5_000) == b"x" * 5_000
        assert house.sessions[-1].limits == limits.SANDBOX
    async with client(path) as stream:
        assert await asks(stream, b"x" * 5_000) == "too_large"


async def test_an_idle_connection_gives_way(house: House, monkeypatch: Any) -> None:
    """The client that waits longest without a token is dropped; a grant's own never are."""
    monkeypatch.setattr(
        limits,
        "UNKNOWN",
        limits.UNKNOWN.__class__(
            **{name: getattr(limits.UNKNOWN, name) for name in limits.UNKNOWN.__struct_fields__}
            | {"connections": 2}
        ),
    )
    _, path = await house.server.open(grant_of(7, b"t"))
    async with client(path) as first, client(path) as second:
        await until(lambda: house.inside.get("shared") == 2)
        async with client(path) as third:
            assert await is_over(first)
            assert await asks(third, b"token7") == b"token7"
            assert await asks(second, b"token7") == b"token7"
            assert house.inside == {"g7": 2}


async def test_the_process_with_the_most_gives_way() -> None:
    """The oldest connection of the process is dropped; indistinguishable processes count as one."""
    scopes = [anyio.CancelScope() for _ in range(5)]

    assert longest_waiting(dict(zip(scopes, (1, 2, 3, 2, 1), strict=True))) is scopes[0]
    assert longest_waiting(dict(zip(scopes, (1, 2, 3, 2, 4), strict=True))) is scopes[1]
    assert longest_waiting(dict.fromkeys(scopes)) is scopes[0]


async def test_a_fault_costs_one_connection(
    house: House, capsys: pytest.CaptureFixture[str]
) -> None:
    """The server goes on, and the log has its type alone."""
    async with client(house.control) as stream:
        assert await asks(stream, b"fail") is None
    async with client(house.control) as stream:
        assert await asks(stream, b"a") == b"a"
    logged = capsys.readouterr().err
    assert "RuntimeError" in logged
    assert "secret" not in logged


async def test_a_message_without_an_answer_ends_nothing(house: House) -> None:
    """Blank lines, and notifications."""
    async with client(house.control) as stream:
        await stream.send(b"\n \nquiet\n")
        assert await asks(stream, b"a") == b"a"
    assert len(house.sessions) == 2


async def test_a_line_that_is_too_long_counts_for_its_grant(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bytes read count for the grant, and the connection closes."""
    counted: list[int] = []
    _, path = await house.server.open(grant_of(1))
    async with client(path) as stream:
        assert await asks(stream, b"a") == b"a"
        house.sessions[-1].meter = SimpleNamespace(received=counted.append)  # type: ignore[assignment]
        monkeypatch.setattr(server.Frames, "_require_fitting", _never_fits)
        assert await asks(stream, b"b") == "too_large"
        assert await is_over(stream)
    assert counted == [limits.SANDBOX.request_bytes]


def _never_fits(_frames: Any, _line: bytes) -> None:
    raise errors.TooLarge("No.")


async def test_a_stop_lets_calls_in_flight_finish(house: House) -> None:
    """Later calls get the error that the daemon stops, and new clients are refused."""
    async with client(house.control) as busy, client(house.control) as idle:
        await busy.send(b"wait\nnext\n")
        assert await asks(idle, b"a") == b"a"
        await until(lambda: len(house.sessions) == 2)
        house.server.stop()
        assert await is_over(idle)
        house.go_on.set()
        with anyio.fail_after(PATIENCE_SECONDS):
            answered = b"".join([part async for part in busy])
    assert answered.startswith(b'wait\n{"jsonrpc":"2.0","error":')
    assert b"shutting_down" in answered
    with pytest.raises(OSError, match=r"."):
        await anyio.connect_unix(house.control)


async def test_deleted_sockets_come_back(house: House) -> None:
    """Connections go on; those that are there are left alone."""
    one, two, token = grant_of(1), grant_of(2), grant_of(3, b"t")
    paths = [(await house.server.open(grant))[1] for grant in (one, two, token)]
    async with client(paths[0]) as stream:
        assert await asks(stream, b"a") == b"a"
        before = paths[1].stat().st_ino
        for path in (house.control, paths[0], paths[2]):
            path.unlink()
        await house.server.renew([one, two, token, grant_of(9)])
        assert await asks(stream, b"b") == b"b"
        for path in (house.control, *paths):
            async with client(path) as again:
                assert await asks(again, b"c") == b"c"
        assert paths[1].stat().st_ino == before
        assert not (house.run / "sandbox" / "g9").exists()


async def test_leftovers_of_ended_grants_are_removed(house: House) -> None:
    """Files that others put there stay."""
    for number in (1, 2, 3):
        await house.server.open(grant_of(number))
    (house.run / "sandbox" / "g3" / "file").touch()
    house.server.remove_leftovers({"g2"})

    assert {one.name for one in (house.run / "sandbox").iterdir()} == {"g2", "g3"}


async def test_a_place_that_is_taken_is_named(house: House) -> None:
    """The error says what to do about the path."""
    (house.run / "other" / "ashd.sock").mkdir(parents=True)
    other = Server(
        house.run / "other",
        None,
        house.server._starting,
        house.server._outcomes,
        Connections(Limits()),
    )
    with pytest.raises(errors.StartError, match="--run-dir"):
        await other.control_listener(None)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(errors.StartError, match="tcp_port"):
            await house.server.tcp_listener(port)
    assert house.server.tcp_address is None
    house.server.serve_tcp(await house.server.tcp_listener(port))
    assert house.server.tcp_address == f"127.0.0.1:{port}"
    async with await anyio.connect_tcp("127.0.0.1", port) as stream:
        assert await asks(stream, b"token7") == b"token7"
    assert house.sessions[-1].listener == "sandbox"
    assert house.sessions[-1].peer.pid is None


async def test_while_it_starts_the_daemon_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the status and a greeting are answered; with socket activation other calls wait."""
    run = Path(tempfile.mkdtemp(prefix="run-"))
    starting = Starting(0, "me", Progress())

    async def echo(_app: Any, _session: Session, _frame: bytes) -> bytes:
        return b"started\n"

    monkeypatch.setattr(dispatch, "reply_to", echo)
    async with anyio.create_task_group() as tasks:
        here = Server(run, None, starting, Outcomes(Requests()), Connections(Limits()))
        here.serve_control(tasks, await here.control_listener(None))
        async with client(run / "ashd.sock") as stream:

            async def told(**fields: Any) -> Any:
                frame = json.dumps({"jsonrpc": "2.0", "id": 1, **fields})
                await stream.send(frame.encode() + b"\n")
                found = json.loads(await stream.receive())
                return found["error"]["data"]["kind"] if "error" in found else found["result"]

            assert (await told(method="system.status"))["state"] == "starting"
            hello = {"client": "ash", "read_only": True}
            assert (await told(method="session.hello", params=hello))["embedder"] == "loading"
            for params in ({}, {"client": "ash", "token": "t"}, {"client": 1}, []):
                assert await told(method="session.hello", params=params) == "starting"
            assert await told(method="memory.list") == "starting"
            assert await told(method=1) == "invalid_request"
            await stream.send(b"[]\n")
            assert b"starting" in await stream.receive()
            starting.be_waited_for()
            await stream.send(b'{"jsonrpc":"2.0","id":1,"method":"memory.list"}\n')
            for _ in range(9):
                await anyio.lowlevel.checkpoint()
            here.started(SimpleNamespace())  # type: ignore[arg-type]
            assert await stream.receive() == b"started\n"
        await empty(here)
        tasks.cancel_scope.cancel()
    shutil.rmtree(run)
