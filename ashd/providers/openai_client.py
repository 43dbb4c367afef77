"""Shared use of the `openai` client by embedder and language model: its key and its errors.

Invariant: nothing here repeats text of the client or the endpoint, since that may hold the key, the
address or the text that was sent.
"""

import os
from pathlib import Path
from typing import Any, Final

_TRANSIENT_STATUS: Final = frozenset({408, 409, 425, 429})
_REQUEST_STATUS: Final = frozenset({400, 413, 415, 422})
"""Statuses of a working endpoint that refuses one request; other requests may succeed."""
_UNAUTHORISED_STATUS: Final = frozenset({401, 403})
_CRASHED: Final = 500
OPTIONAL_FIELDS: Final = ("temperature", "max_tokens", "stream_options")
"""Fields of a request that some models refuse, and that it can do without."""
_ERROR_CHARS: Final = 200
_WRONG_MODEL: Final = "model_not_found"


class Failure(Exception):
    """The failure of a request: a printable reason, whether to try again, and who is at fault."""

    def __init__(
        self,
        reason: str,
        *,
        transient: bool = False,
        of_request: bool = False,
        unauthorised: bool = False,
        retry_after_seconds: float | None = None,
        is_crash: bool = False,
        refuses: frozenset[str] = frozenset(),
    ) -> None:
        """`refuses` has the names of optional fields that the refusal of a request speaks of."""
        super().__init__(reason)
        self.reason = reason
        self.transient = transient
        self.of_request = of_request
        self.unauthorised = unauthorised
        self.retry_after_seconds = retry_after_seconds
        self.is_crash = is_crash
        self.refuses = refuses


BROKEN_OFF: Final = Failure("broke off its answer", transient=True)


def api_key(file: Path | None) -> str | None:
    """Return the key in `file`, else in OPENAI_API_KEY; None if there is none.

    Raises:
        OSError: the file cannot be read.
        UnicodeDecodeError: it is not text.
    """
    if file is None:
        return os.environ.get("OPENAI_API_KEY") or None
    return file.read_text(encoding="utf-8").strip() or None


def explain(error: Exception) -> Failure:
    """Return the failure for an error of the client."""
    import openai  # noqa: PLC0415  slow to load, but loaded wherever it raised

    match error:
        case openai.APITimeoutError():
            return Failure("did not answer in time", transient=True)
        case openai.APIConnectionError():
            return Failure("cannot be reached", transient=True)
        case openai.APIStatusError(status_code=status) if status in _UNAUTHORISED_STATUS:
            return Failure(f"refused the API key (HTTP {status})", unauthorised=True)
        case openai.APIStatusError(status_code=status):
            return Failure(
                f"answered HTTP {status}",
                transient=status >= 500 or status in _TRANSIENT_STATUS,
                of_request=status in _REQUEST_STATUS and error.code != _WRONG_MODEL,
                retry_after_seconds=_seconds(error.response.headers.get("Retry-After")),
                is_crash=status == _CRASHED,
                refuses=_named(error),
            )
        case ValueError():
            return Failure("sent an answer that is not valid JSON")
        case _:  # a stream raises the transport's own errors
            return BROKEN_OFF


def _named(error: Any) -> frozenset[str]:
    """Return the optional fields that an error names; a long one may repeat the request."""
    words = str(error.param or error.body)[:_ERROR_CHARS]
    return frozenset(name for name in OPTIONAL_FIELDS if name in words)


def _seconds(text: str | None) -> float | None:
    """Parse a Retry-After header as seconds; a date is ignored."""
    return float(text) if text is not None and text.isdecimal() else None
