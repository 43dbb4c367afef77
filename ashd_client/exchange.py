"""The steps of a call, the same for both clients: connect, greet, send a line, read a line.

A call is a generator of steps; a client takes each step in its own way and sends back the outcome,
or throws the error. A failed or cancelled call closes its connection, so that a late reply is never
taken for that of another call. `_socket` is the C half of `socket`, whose other half would be a
twentieth of what a command of `ash` costs.
"""

from __future__ import annotations

import _socket
import contextlib
import os
import select
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ashd_client import protocol
from ashd_client.protocol import AshCallError

if TYPE_CHECKING:  # importing the shapes of results takes as long as a whole call
    from collections.abc import Callable, Generator
    from typing import Literal

    from ashd_client.types import Scope

CONNECT_TIMEOUT_S: Final = 5.0
CALL_TIMEOUT_S: Final = 60.0
_LOOK_AGAIN_S: Final = 0.1
_READ_BYTES: Final = 65_536
_SHORTEST_S: Final = 0.001
"""The time of a step when a call's time is over: 0 would mean not to wait at all."""


class Step(NamedTuple):
    """The next act of a client: a method of the socket with its argument, or to sleep."""

    does: Literal["connect", "sendall", "recv", "sleep"]
    socket: _socket.socket | None
    value: Any
    seconds: float | None
    """The time for it; None for as long as it takes."""


class Exchange:
    """One connection, opened by the first call and opened anew after it was lost.

    `socket` names the control socket, or a sandbox socket; without it the places of
    `protocol.candidates` are tried in turn. `scope` is sent with every call that has none. `name`
    tells the daemon which program asks. `timeout_s` bounds one call; None waits for ever. `wait_s`
    is how long to wait for a daemon that is starting. With `read_only` the daemon denies every
    change on this client's connections.
    """

    _new_lock: Callable[[], Any]
    """Makes the lock that a call holds."""

    def __init__(
        self,
        socket: str | os.PathLike[str] | None = None,
        *,
        home: str | os.PathLike[str] | None = None,
        scope: Scope | None = None,
        name: str | None = None,
        timeout_s: float | None = CALL_TIMEOUT_S,
        wait_s: float = 0,
        read_only: bool = False,
    ) -> None:
        self._path = None if socket is None else os.fspath(socket)
        self._home = None if home is None else os.fspath(home)
        self.scope = scope
        self._greeting: dict[str, Any] = {}
        if name is not None:
            self._greeting["client"] = name
        if read_only:
            self._greeting["read_only"] = True
        self._timeout_s = timeout_s
        self._wait_s = wait_s
        self._lock = self._new_lock()
        self._process = os.getpid()
        self._connection: _socket.socket | None = None
        self._last_id = 0

    def _own_lock(self) -> Any:
        """Return the lock that a call holds.

        A forked process leaves lock and connection to the one before: on a shared connection each
        would read the other's replies, and a lock that another thread held is never released.
        """
        if self._process != os.getpid():
            self._process, self._lock = os.getpid(), self._new_lock()
            self._drop()
        return self._lock

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    def _steps(self, method: str, params: dict[str, Any]) -> Generator[Step, Any, dict[str, Any]]:
        """Yield the steps of a call; return its result. Raises `AshCallError`."""
        if self.scope is not None:
            params.setdefault("scope", self.scope)
        if self._connection is None or _is_over(self._connection):
            self._drop()
            yield from self._connect()
        return (yield from self._exchange(method, params))

    def _connect(self) -> Generator[Step, Any, None]:
        until = monotonic() + self._wait_s
        while True:
            try:
                return (yield from self._try_to_connect())
            except AshCallError as error:
                if error.kind != protocol.UNAVAILABLE or monotonic() >= until:
                    raise
            yield Step("sleep", None, _LOOK_AGAIN_S, None)

    def _try_to_connect(self) -> Generator[Step, Any, None]:
        tried: dict[str, OSError] = {}
        for path in protocol.candidates(os.environ, socket=self._path, home=self._home):
            connection = self._connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
            try:
                yield Step("connect", connection, path, CONNECT_TIMEOUT_S)
                if self._greeting:
                    yield from self._exchange("session.hello", self._greeting)
            except OSError as error:
                self._drop()
                tried[path] = error
            except BaseException:
                self._drop()
                raise
            else:
                return
        raise protocol.no_daemon(tried)

    def _exchange(
        self, method: str, params: dict[str, Any]
    ) -> Generator[Step, Any, dict[str, Any]]:
        connection = self._connection
        assert connection is not None
        self._last_id += 1
        request = protocol.write_request(self._last_id, method, params)
        until = None if self._timeout_s is None else monotonic() + self._timeout_s
        reply = None
        try:
            # A daemon that refuses half a request has already answered: read the answer.
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
                yield Step("sendall", connection, request, _left(until))
            parts = []
            # All that comes is the reply, for nothing follows it.
            while part := (yield Step("recv", connection, _READ_BYTES, _left(until))):
                parts.append(part)
                if part.endswith(b"\n"):
                    break
            reply = protocol.read_reply(b"".join(parts), self._last_id)
        except TimeoutError as error:
            raise protocol.timed_out(method, self._timeout_s or 0) from error
        except OSError as error:
            raise protocol.lost(error.strerror or "the socket failed") from error
        finally:
            if reply is None:
                self._drop()
        return protocol.result_of(reply)


def _left(until: float | None) -> float | None:
    return None if until is None else max(until - monotonic(), _SHORTEST_S)


def _is_over(connection: _socket.socket) -> bool:
    """Return whether an idle connection can carry no call: closed, as after the daemon's restart.

    Nothing is sent between calls, so anything to read there is an end.
    """
    poll = select.poll()
    poll.register(connection, select.POLLIN)
    return bool(poll.poll(0))
