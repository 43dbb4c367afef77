"""Shared, socket-free parts of both clients: frames, replies, errors, socket paths.

Nothing in here reads or writes a socket. Paths are strings, and `ash` is why: `pathlib` would be a
tenth of what a command costs. A reply is either the method's result (always an object)
or an `AshCallError`; there is no third outcome.
"""

import json
import math
import os
from collections.abc import Mapping
from typing import Any, Final

from ashd_client.wire_values import EXIT_STATUS, HTTP_STATUS

UNAVAILABLE: Final = "unavailable"
"""The kind of a call without an answer: no daemon, a refused or a lost connection."""

_UNAVAILABLE_CODE: Final = -32_000  # the first of the codes that JSON-RPC leaves to programs
_UNKNOWN_EXIT: Final = 1  # the code of a kind that only a newer daemon has
SOCKET_NAME: Final = "ashd.sock"
SYSTEM_RUN_DIR: Final = "/run/ash"

_UNKNOWN_HTTP: Final = 502


class AshCallError(Exception):
    """A call that failed.

    `kind` is what to decide on, `hint` the remedy, `retryable` whether the same call may succeed
    later. `code` is JSON-RPC's. `data` is the whole ``error.data``.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        code: int,
        hint: str = "",
        retryable: bool = False,
        data: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        if hint:
            self.add_note(hint)  # a traceback shows it
        self.message = message
        self.kind = kind
        self.hint = hint
        self.code = code
        self.retryable = retryable
        self.data: dict[str, Any] = dict(data or {})

    @property
    def exit_status(self) -> int:
        """The exit status of a command that ends with this error."""
        return EXIT_STATUS.get(self.kind, _UNKNOWN_EXIT)

    @property
    def http_status(self) -> int:
        """The status of an HTTP answer with this error."""
        return HTTP_STATUS.get(self.kind, _UNKNOWN_HTTP)

    @property
    def retry_after_s(self) -> int | None:
        """Seconds after which the same call may succeed; None if it will not by waiting."""
        wait = self.data.get("retry_after_ms")
        if isinstance(wait, int | float) and wait > 0:
            return math.ceil(wait / 1000)
        return 1 if self.retryable else None

    def to_json(self) -> dict[str, Any]:
        """Return the error as on the wire: ``{"code", "message", "data": {"kind", "hint", …}}``."""
        own = {"kind": self.kind, "hint": self.hint, "retryable": self.retryable}
        return {"code": self.code, "message": self.message, "data": {**self.data, **own}}


def unavailable(message: str, hint: str) -> AshCallError:
    """Return the error of a call that no daemon answered."""
    return AshCallError(
        message, kind=UNAVAILABLE, code=_UNAVAILABLE_CODE, hint=hint, retryable=True
    )


def lost(reason: str) -> AshCallError:
    """Return the error of a connection that was lost between a call and its reply."""
    return unavailable(
        f"The connection to the daemon ended before its answer: {reason}.",
        "The call may have taken effect: look before you repeat it.",
    )


def timed_out(method: str, timeout_s: float) -> AshCallError:
    """Return the error of a call that ran out of time."""
    return unavailable(
        f"The daemon did not answer {method} within {timeout_s:g} seconds.",
        "The call may still take effect: look before you repeat it, or give it more time.",
    )


def candidates(
    environ: Mapping[str, str], *, socket: str | None = None, home: str | None = None
) -> list[str]:
    """Return the possible paths of the control socket, in the order to try.

    A named socket or run directory is the only place: falling back to another daemon would read and
    write somebody else's memories. A named home is looked in first.
    """
    join, expanded = os.path.join, os.path.expanduser
    if named := named_socket(environ, socket):
        return [named]
    named_home = home or expanded(environ.get("ASH_HOME", ""))
    in_home = join(named_home or expanded("~/.ash"), "run")
    runtime = expanded(environ.get("XDG_RUNTIME_DIR", ""))
    in_session = [join(runtime, "ash")] if runtime else []
    first = [in_home, *in_session] if named_home else [*in_session, in_home]
    return [join(directory, SOCKET_NAME) for directory in [*first, SYSTEM_RUN_DIR]]


def named_socket(environ: Mapping[str, str], socket: str | None = None) -> str:
    """Return the control socket that an option or the environment names; empty if none does."""
    named = socket or os.path.expanduser(environ.get("ASHD_SOCKET", ""))
    run_dir = os.path.expanduser(environ.get("ASH_RUN_DIR", ""))
    return named or (os.path.join(run_dir, SOCKET_NAME) if run_dir else "")


def no_daemon(tried: Mapping[str, OSError]) -> AshCallError:
    """The error when no candidate answered: each place with its cause, and the remedy.

    A socket that exists and refuses says more than a missing one, so it comes first.
    """
    there = {path: error for path, error in tried.items() if not _missing(error)}
    if not there:
        places = ", ".join(tried)
        return unavailable(
            f"No daemon runs here: there is no socket at {places}.",
            "Start it with `ashd serve`, or name its socket with --socket or ASHD_SOCKET.",
        )
    path, error = next(iter(there.items()))
    if isinstance(error, PermissionError):
        return unavailable(
            f"The socket {path} does not let you in (permission denied).",
            "Run as the daemon's own user, or ask its operator to add you to its group.",
        )
    return unavailable(
        f"No daemon answers at {path} ({error.strerror or error}).",
        "It has stopped or is starting: start it with `ashd serve`, or try again in a moment.",
    )


def write_request(request_id: int, method: str, params: Mapping[str, Any]) -> bytes:
    """Encode one call as one line. Raises `AshCallError` for text that is not Unicode."""
    message = {"jsonrpc": "2.0", "id": request_id, "method": method, "params": params}
    try:
        text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return text.encode() + b"\n"
    except (ValueError, TypeError) as error:
        raise AshCallError(
            f"The parameters of {method} cannot be sent: they are no valid JSON in UTF-8.",
            kind="invalid_params",
            code=-32_602,
            hint="Give text in UTF-8, finite numbers, lists and dicts.",
        ) from error


def read_reply(line: bytes, request_id: int) -> dict[str, Any]:
    """Return the reply in one line. Raises `AshCallError` if it does not answer this call.

    The reply to a frame that the daemon could not read has the id null.
    """
    if not line.endswith(b"\n"):
        raise lost("it was closed")
    try:
        reply = json.loads(line)
    except ValueError as error:
        raise lost("what came back is no JSON") from error
    if isinstance(reply, dict):
        answers = reply.get("id") == request_id
        if answers and isinstance(reply.get("result"), dict):
            return reply
        if isinstance(reply.get("error"), dict) and (answers or reply.get("id") is None):
            return reply
    raise lost("what came back is no reply to this call")


def result_of(reply: dict[str, Any]) -> dict[str, Any]:
    """The result in a reply of `read_reply`. Raises `AshCallError` where it holds an error."""
    if "error" in reply:
        raise _error_of(reply["error"])
    result: dict[str, Any] = reply["result"]
    return result


def _error_of(error: dict[str, Any]) -> AshCallError:
    code = error.get("code")
    raw = error.get("data")
    data: dict[str, Any] = raw if isinstance(raw, dict) else {}
    return AshCallError(
        str(error.get("message") or "The daemon refused without saying why."),
        kind=str(data.get("kind") or "internal_error"),
        code=code if isinstance(code, int) else _UNAVAILABLE_CODE,
        hint=str(data.get("hint") or ""),
        retryable=data.get("retryable") is True,
        data=data,
    )


def _missing(error: OSError) -> bool:
    return isinstance(error, FileNotFoundError | NotADirectoryError)
