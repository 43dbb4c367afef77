"""The error tree: one class per kind, with its code, its statuses and what may be tried again.

`kind` is the contract (`rpc` puts it into ``error.data``); the message and the hint are for
whoever reads them and never hold content, SQL or a path of the host.
"""

from typing import Any, ClassVar, Literal

LlmReason = Literal[
    "not_configured", "unauthorised", "ceiling", "unreachable", "refused", "malformed"
]
"""The reasons why the language model gave no answer."""


class AshError(Exception):
    """A request that the daemon refuses or cannot fulfil."""

    code: ClassVar[int] = -32603
    kind: ClassVar[str] = "internal_error"
    exit_status: ClassVar[int] = 7
    http_status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str] = "A fault of the daemon; its log has the details."

    def __init__(self, message: str, hint: str | None = None, **data: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint
        self.data = data

    def begin_with(self, subject: str) -> None:
        """Put a subject before the message, if a call acts on several."""
        self.message = f"{subject}: {self.message}"
        self.args = (self.message,)

    def to_data(self) -> dict[str, Any]:
        """Return ``error.data`` of the wire: kind, hint, retryable and the error's own fields."""
        return {"kind": self.kind, "hint": self.hint, "retryable": self.retryable, **self.data}


class ParseError(AshError):
    """The frame is not JSON."""

    code = -32700
    kind = "parse_error"
    exit_status = 2
    http_status = 400
    default_hint = "Send one JSON-RPC 2.0 request as one line of UTF-8 JSON."


class InvalidRequest(AshError):
    """JSON, but not a JSON-RPC 2.0 request."""

    code = -32600
    kind = "invalid_request"
    exit_status = 2
    http_status = 400
    default_hint = 'A request has "jsonrpc": "2.0", "method" and "id"; params go by name.'


class MethodNotFound(AshError):
    """No such method for this caller."""

    code = -32601
    kind = "method_not_found"
    exit_status = 2
    http_status = 404
    default_hint = "See `--help`; `rpc.discover` gives a program the methods that it may call."


class InvalidParams(AshError):
    """A parameter is missing, unknown, of the wrong type or out of range."""

    code = -32602
    kind = "invalid_params"
    exit_status = 2
    http_status = 400
    default_hint = "See `--help`; `rpc.discover` gives a program the parameters of each method."


class UnsupportedVersion(AshError):
    """A revision of the Model Context Protocol that the daemon does not speak."""

    code = -32022
    kind = "unsupported_protocol_version"
    exit_status = 2
    http_status = 400
    default_hint = "Ask again in one of the revisions that are supported."


class InternalError(AshError):
    """A fault of the daemon's own."""


class Denied(AshError):
    """The grant lacks a right."""

    code = 100
    kind = "denied"
    exit_status = 4
    http_status = 403
    default_hint = "The person on the host can open a grant with this right (`ash grant create`)."


class GrantExpired(AshError):
    """The grant has expired."""

    code = 101
    kind = "grant_expired"
    exit_status = 4
    http_status = 403
    default_hint = "Ask the person on the host for a new grant (`ash grant create`)."


class GrantRevoked(AshError):
    """The grant was revoked."""

    code = 102
    kind = "grant_revoked"
    exit_status = 4
    http_status = 403
    default_hint = "Ask the person on the host for a new grant (`ash grant create`)."


class ScopeIsBound(AshError):
    """A sandbox tried to name the scope it works on."""

    code = 103
    kind = "scope_is_bound"
    exit_status = 4
    http_status = 403
    default_hint = "Leave the field out: the socket decides whose memories these are."


class NotFound(AshError):
    """Nothing that the caller may see."""

    code = 200
    kind = "not_found"
    exit_status = 3
    http_status = 404
    default_hint = "Check the id; a search or a list shows what there is."


class Ambiguous(AshError):
    """Several things match; the candidates are in ``data``."""

    code = 201
    kind = "ambiguous"
    exit_status = 9
    http_status = 409
    default_hint = "Name one of the candidates, or give more of the id."


class ContentRefused(AshError):
    """The text may not be stored."""

    code = 202
    kind = "content_refused"
    exit_status = 8
    http_status = 422
    default_hint = "Store the fact without the secret: say where it is kept, not what it is."


class Conflict(AshError):
    """The state differs from the one that the caller knew."""

    code = 203
    kind = "conflict"
    exit_status = 1
    http_status = 409
    default_hint = "Read the memory again and repeat the change on what it is now."


class TooLarge(AshError):
    """A size limit was exceeded."""

    code = 300
    kind = "too_large"
    exit_status = 5
    http_status = 413
    default_hint = "Send less, or in several calls; a program gets the limits by `session.hello`."


class RateLimited(AshError):
    """Too many calls in too short a time."""

    code = 301
    kind = "rate_limited"
    exit_status = 5
    http_status = 429
    retryable = True
    default_hint = "Wait a moment and try again."


class QuotaExceeded(AshError):
    """A quota of the grant is used up."""

    code = 302
    kind = "quota_exceeded"
    exit_status = 5
    http_status = 429
    default_hint = "The person on the host can open a grant with a larger quota."


class TimedOut(AshError):
    """A call took longer than its caller may wait; an operator's change may still take effect."""

    code = 303
    kind = "timed_out"
    exit_status = 5
    http_status = 504
    default_hint = (
        "The change may go on: look whether it took effect before you repeat it, or repeat it with"
        " the same idempotency_key."
    )


class EmbeddingUnavailable(AshError):
    """There is no vector, and the call needs one."""

    code = 400
    kind = "embedding_unavailable"
    exit_status = 6
    http_status = 503
    retryable = True
    default_hint = 'Search with mode "lexical", or try again later.'


class TextRefused(EmbeddingUnavailable):
    """The embedder answered, and refused a text."""


class LlmUnavailable(AshError):
    """No language model is configured, or it does not answer."""

    code = 401
    kind = "llm_unavailable"
    exit_status = 6
    http_status = 503
    retryable = True
    default_hint = "Configure [llm] in config.toml; everything else works without it."

    def __init__(
        self, message: str, hint: str | None = None, *, reason: LlmReason, asked: bool = True
    ) -> None:
        super().__init__(message, hint, reason=reason)
        self.reason = reason
        self.asked = asked
        """Whether the endpoint was asked: not during a pause after failures, nor at the ceiling."""

    @property
    def of_request(self) -> bool:
        """Return whether the fault is this request's alone: another one may well be answered."""
        return self.reason in {"refused", "malformed"}

    @property
    def unauthorised(self) -> bool:
        """Return whether the endpoint refused the key (401, 403): it will until the key changes."""
        return self.reason == "unauthorised"


class MalformedAnswer(LlmUnavailable):
    """The language model answered twice in a wrong form."""

    default_hint = "Name a model in [llm] that can follow a JSON schema."

    def __init__(self, message: str, hint: str | None = None, *, retryable: bool = True) -> None:
        super().__init__(message, hint, reason="malformed")
        self.data["retryable"] = retryable


class StorageError(AshError):
    """The database failed; nothing was changed, unless the message says otherwise."""

    code = 500
    kind = "storage_error"
    exit_status = 7
    retryable = True
    default_hint = "Nothing was changed. Look for a full or read-only disk on the host."


class DatabaseDamaged(StorageError):
    """The requested data is damaged and cannot be read; trying again does not help."""

    retryable = False
    default_hint = (
        "Nothing was changed. The person on the host sees what is hurt, and how to repair it, by"
        " `ash doctor`."
    )


class ShuttingDown(AshError):
    """The daemon is stopping."""

    code = 900
    kind = "shutting_down"
    exit_status = 6
    http_status = 503
    retryable = True
    default_hint = "Try again in a few seconds."


class Starting(AshError):
    """The daemon is starting."""

    code = 901
    kind = "starting"
    exit_status = 6
    http_status = 503
    retryable = True
    default_hint = "Try again in a moment; `ash status` shows what takes long."


class StartError(Exception):
    """The daemon cannot start; the message says why and what to do. Never crosses the wire."""


def all_kinds() -> list[type[AshError]]:
    """Return every error class of the wire, by code, for the documentation and tests."""
    return sorted(AshError.__subclasses__(), key=lambda cls: cls.code)
