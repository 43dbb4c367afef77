"""Calls to the daemon: find the socket, send a line, read a line, try again where that is safe.

A connection lives for one call, but for `Connection`. A repeated call is the same bytes, so that an
idempotency key in it makes the daemon answer from the first one. `_socket` is the C half of
`socket`; the other half costs as much to import as the whole call.
"""

from __future__ import annotations

from _socket import AF_UNIX, SOCK_STREAM, getaddrinfo, socket
from posix import environ, stat, strerror
from time import sleep

from ash_sb import project_of_call, wire
from ash_sb.errors import RETRIES_WHILE_RESTARTING, Failure, from_reply, usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEFAULT_SOCKET = "/run/ash/rpc.sock"
MAX_REQUEST_BYTES = 4 * 1024 * 1024
MAX_REPLY_BYTES = 64 * 1024 * 1024
CONNECT_TIMEOUT_S = 5.0
REPLY_TIMEOUT_S = 30.0
EXTRACTION_TIMEOUT_S = 180.0
WAITS_S = (0.05, 0.1, 0.2, 0.4, 0.6, 0.6)
RETRIES_WHILE_ABSENT = 2

# A second try of these would see what the first one did and report a failure.
_NOT_REPEATABLE = frozenset(("memory.update", "memory.delete", "memory.extract"))

_NOT_RUNNING = "Ask the user to start it (`systemctl --user start ashd`, or `ashd serve`)"
_NO_GRANT = (
    "Ask the person on the host to open this sandbox with a grant "
    "(`ash grant create` prints how), or set ASH_RPC_SOCKET"
)


def call(
    method: str, params: dict[str, Any], project: dict[str, str] | None = None
) -> dict[str, Any]:
    """Call a method and return its result; in a project, unless the grant is bound to one or none.

    Raises:
        Failure: the daemon's error, or why it cannot be asked.
    """
    frame = _frame(method, params)
    within = _frame(method, {**params, "scope": {"project": project}}) if project else frame
    attempt = 0
    while True:
        try:
            return _attempt(frame, within, method)
        except Failure as failure:
            if attempt >= min(failure.retries, len(WAITS_S)):
                raise
        sleep(WAITS_S[attempt])
        attempt += 1


class Connection:
    """A connection for many requests: made when it is needed, and anew once it broke."""

    def __init__(self) -> None:
        self._socket: socket | None = None

    def ask(self, frame: bytes) -> bytes:
        """Return the line that answers a request, which is sent again if the connection broke.

        Raises:
            Failure: the daemon cannot be asked, or refuses the token or the scope.
        """
        if self._socket is not None:
            try:
                return _line(self._socket, frame, repeatable=True)
            except Failure:
                self.close()
        self._socket = _connect()
        try:
            self._introduce(self._socket)
            return _line(self._socket, frame, repeatable=True)
        except Failure:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _introduce(self, connection: socket) -> None:
        """Send the token, or the scope that the operator acts for, if the environment has one."""
        connection.settimeout(REPLY_TIMEOUT_S)
        token, scope = _variable(b"ASH_CONTEXT_TOKEN"), _variable(b"ASH_SCOPE")
        if token:
            _exchange(connection, _frame("session.hello", {"token": token}), repeatable=True)
        elif scope:
            params = {"scope": wire.decode(scope), "bind": True}
            _exchange(connection, _frame("session.hello", params), repeatable=True)


def endpoint() -> str:
    """Return the address of the daemon: a socket's path or `tcp HOST:PORT`."""
    path = _variable(b"ASH_RPC_SOCKET")
    host = _variable(b"ASH_RPC_HOST")
    if path or not host:
        return path or DEFAULT_SOCKET
    return f"tcp {host}:{_variable(b'ASH_RPC_PORT')}"


def _variable(name: bytes) -> str:
    return environ.get(name, b"").decode(errors="surrogateescape")


def _frame(method: str, params: dict[str, Any]) -> bytes:
    try:
        frame = wire.request(method, params)
    except UnicodeEncodeError:
        raise usage("the text is not UTF-8", "Give it as UTF-8") from None
    if len(frame) > MAX_REQUEST_BYTES:
        raise Failure(
            "too_large",
            f"the call has {len(frame)} bytes, at most {MAX_REQUEST_BYTES} are sent",
            "Shorten the text or split it over several calls",
        )
    return frame


def _attempt(frame: bytes, within: bytes, method: str) -> dict[str, Any]:
    repeatable = method not in _NOT_REPEATABLE
    timeout_s = EXTRACTION_TIMEOUT_S if method == "memory.extract" else REPLY_TIMEOUT_S
    token = _variable(b"ASH_CONTEXT_TOKEN")
    connection = _connect()
    try:
        connection.settimeout(timeout_s)
        hello = _frame("session.hello", {"token": token} if token else {})
        if token and method == "session.hello":
            frame = hello
        elif token or within != frame:
            greeting = _exchange(connection, hello, repeatable=True)
            frame = frame if project_of_call.is_bound(greeting) else within
        return _exchange(connection, frame, repeatable=repeatable)
    finally:
        connection.close()


def _exchange(connection: socket, frame: bytes, *, repeatable: bool) -> dict[str, Any]:
    try:
        reply = wire.reply(_line(connection, frame, repeatable=repeatable))
    except ValueError:
        raise Failure(
            "internal_error",
            "the answer is not JSON-RPC",
            f"Is it ashd that listens at {endpoint()}?",
        ) from None
    if "error" in reply:
        raise from_reply(reply["error"])
    result = reply.get("result")
    if not isinstance(result, dict):
        raise Failure("internal_error", "the answer has no result", "Is the daemon a newer one?")
    return result


def _line(connection: socket, frame: bytes, *, repeatable: bool) -> bytes:
    """The line that answers a frame.

    Raises:
        Failure: none came.
    """
    try:
        try:
            connection.sendall(frame)
        except (BrokenPipeError, ConnectionResetError):
            # A daemon that refuses a frame half-way has written why; it can still be read.
            connection.settimeout(CONNECT_TIMEOUT_S)
        line = _read_line(connection)
    except TimeoutError:
        raise _unanswered("did not answer in time", repeatable=repeatable) from None
    except OSError:
        line = None
    if line is None:
        raise _unanswered(
            "closed the connection without an answer",
            repeatable=repeatable,
            retries=RETRIES_WHILE_RESTARTING if repeatable else 0,
        )
    return line


def _read_line(connection: socket) -> bytes | None:
    """The first line that arrives; None when the connection ends before it does."""
    received = bytearray()
    while len(received) <= MAX_REPLY_BYTES:
        chunk = connection.recv(65536)
        if not chunk:
            return None
        received += chunk
        if b"\n" in chunk:
            return bytes(received[: received.index(b"\n")])
    return None


def _unanswered(what: str, *, repeatable: bool, retries: int = 0) -> Failure:
    hint = "Try again" if repeatable else "Look with `ash-sb memory list` whether it was done"
    return Failure("unavailable", f"the daemon at {endpoint()} {what}", hint, retries=retries)


def _connect() -> socket:
    if not _variable(b"ASH_RPC_SOCKET") and _variable(b"ASH_RPC_HOST"):
        return _connect_tcp(_variable(b"ASH_RPC_HOST"), _variable(b"ASH_RPC_PORT"))
    path = endpoint()
    connection = socket(AF_UNIX, SOCK_STREAM)
    try:
        connection.settimeout(CONNECT_TIMEOUT_S)
        connection.connect(path)
    except OSError as error:
        connection.close()
        raise _no_socket(path, error) from None
    return connection


def _connect_tcp(host: str, port: str) -> socket:
    if not (port.isascii() and port.isdigit()):
        raise usage("ASH_RPC_HOST is set without a port", "Set ASH_RPC_PORT to its number")
    why = "no address"
    retries = 0
    try:
        addresses = getaddrinfo(host, int(port), 0, SOCK_STREAM)
    except (OSError, OverflowError):
        addresses = []
    for family, kind, protocol, _, address in addresses:
        connection = socket(family, kind, protocol)
        try:
            connection.settimeout(CONNECT_TIMEOUT_S)
            connection.connect(address)
        except OSError as error:
            connection.close()
            why = _reason(error)
            retries = RETRIES_WHILE_RESTARTING if isinstance(error, ConnectionRefusedError) else 0
        else:
            return connection
    raise Failure(
        "unavailable",
        f"no daemon at {host} port {port} ({why})",
        "Check ASH_RPC_HOST and ASH_RPC_PORT, or ask the person on the host to start ashd",
        retries=retries,
    )


def _no_socket(path: str, error: OSError) -> Failure:
    """Return the reason why a Unix socket cannot be reached, with the remedy that fits."""
    if isinstance(error, ConnectionRefusedError):
        return Failure(
            "unavailable",
            f"nobody listens at {path}: ashd is stopped or restarting",
            "Try again in some seconds, or ask the person on the host to start ashd",
            retries=RETRIES_WHILE_RESTARTING,
        )
    if isinstance(error, FileNotFoundError) and _variable(b"ASH_ON_HOST"):
        return Failure("unavailable", f"no socket at {path}: ashd is not running", _NOT_RUNNING)
    if isinstance(error, FileNotFoundError):
        directory = path.rpartition("/")[0] or "."
        try:
            stat(directory)
        except OSError:
            return Failure("unavailable", f"{directory} is not mounted in this sandbox", _NO_GRANT)
        return Failure(
            "unavailable",
            f"no socket at {path}: ashd is stopped, or the grant of this sandbox has ended",
            "Ask the person on the host to start ashd or to open a new grant",
            retries=RETRIES_WHILE_ABSENT,
        )
    if isinstance(error, PermissionError):
        return Failure(
            "unavailable", f"no permission to open {path}", "Ask the person on the host to check it"
        )
    return Failure("unavailable", f"cannot connect to {path} ({_reason(error)})", _NO_GRANT)


def _reason(error: OSError) -> str:
    if isinstance(error, TimeoutError):
        return "timed out"
    return strerror(error.errno).lower() if error.errno else str(error)
