"""Errors of the HTTP interface, and their form in each dialect."""

import json
from typing import Any, Final

from starlette.responses import JSONResponse

from ashd.client.protocol import AshCallError


class HttpProblem(Exception):
    """A request that is refused: a status, a short code and a sentence with the remedy."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


STATUS_OF_KIND: Final = {
    "invalid_params": 400,
    "content_refused": 422,
    "denied": 403,
    "not_found": 404,
    "method_not_found": 404,
    "too_large": 413,
    "rate_limited": 429,
    "unavailable": 503,
}
"""Statuses for the kinds of the daemon's errors; 502 for all others."""


def of_daemon(error: AshCallError, *, identifier: Any = None) -> JSONResponse:
    """Return a failed call to the daemon as a JSON-RPC error."""
    return JSONResponse(
        {"jsonrpc": "2.0", "error": error.to_json(), "id": identifier},
        STATUS_OF_KIND.get(error.kind, 502),
    )


def is_notification(body: bytes) -> bool:
    """Return whether a body is a request that wants no answer."""
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return False
    return isinstance(message, dict) and "method" in message and "id" not in message


def openai_error(problem: HttpProblem) -> JSONResponse:
    """Return an error in OpenAI's form; only a temporary one is marked as worth a retry."""
    body = {"error": {"message": problem.message, "type": "ash_error", "code": problem.code}}
    headers = {} if problem.status in (429, 503) else {"x-should-retry": "false"}
    return JSONResponse(body, problem.status, headers)


def rpc_error(
    code: int, message: str, *, identifier: Any = None, status: int = 400, **data: Any
) -> JSONResponse:
    """Return an error in JSON-RPC's form."""
    error = {"code": code, "message": message, "data": data}
    return JSONResponse({"jsonrpc": "2.0", "error": error, "id": identifier}, status)
