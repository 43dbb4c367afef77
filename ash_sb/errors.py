"""The one exception of `ash-sb`, with a kind, and the exit status of each kind.

The kinds are the wire's; `unavailable` is added for a daemon that cannot be reached.
"""

from __future__ import annotations

from ash_sb.wire_values import CODE_OF_KIND, EXIT_OF_KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EXIT_OTHER = 1
EXIT_INTERRUPTED = 130
EXIT_BROKEN_PIPE = 141

_CODE_UNAVAILABLE = -32000  # the first of the codes that JSON-RPC leaves to implementations
_KINDS_TRIED_AGAIN = ("shutting_down",)

RETRIES_WHILE_RESTARTING = 6
"""How often a call is repeated while the daemon restarts; `client.WAITS_S` has as many waits."""


class Failure(Exception):
    """An error to show: `kind` and `hint` as on the wire, `retries` how often to try again."""

    def __init__(
        self,
        kind: str,
        message: str,
        hint: str = "",
        *,
        code: int | None = None,
        data: dict[str, Any] | None = None,
        retries: int = 0,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.hint = hint
        self.code = CODE_OF_KIND.get(kind, _CODE_UNAVAILABLE) if code is None else code
        self.data = data or {}
        self.retries = retries

    @property
    def exit_status(self) -> int:
        """The process's exit status for this kind."""
        return exit_of(self.kind)

    def to_wire(self) -> dict[str, Any]:
        """The error object as JSON-RPC writes it, for `--json`."""
        data = {"retryable": self.retries > 0, **self.data, "kind": self.kind, "hint": self.hint}
        return {"code": self.code, "message": self.message, "data": data}


def exit_of(kind: object) -> int:
    """Return the exit status of a kind; a kind of a newer daemon counts as a plain failure."""
    return EXIT_OF_KIND.get(kind, EXIT_OTHER) if isinstance(kind, str) else EXIT_OTHER


def usage(message: str, hint: str = "") -> Failure:
    """Return the error for a command line that cannot be understood."""
    return Failure("invalid_params", message, hint)


def from_reply(error: Any) -> Failure:
    """The daemon's error object as a Failure; a malformed one is an internal error."""
    if not isinstance(error, dict):
        return Failure("internal_error", "the daemon sent an error of an unknown form")
    data = error.get("data")
    data = data if isinstance(data, dict) else {}
    kind = str(data.get("kind", "internal_error"))
    code = error.get("code")
    return Failure(
        kind,
        str(error.get("message", "")),
        str(data.get("hint") or ""),
        code=code if isinstance(code, int) else None,
        data=data,
        retries=RETRIES_WHILE_RESTARTING if kind in _KINDS_TRIED_AGAIN else 0,
    )
