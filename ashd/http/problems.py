"""Errors of the HTTP interface, and their form in each dialect."""

import json
from typing import Any, Final

from starlette.responses import JSONResponse

from ashd_client.protocol import AshCallError

_NO_KEY: Final = 401


class HttpProblem(Exception):
    """A request that is refused: a status, a short code and a sentence with the remedy.

    `retry_after_s` is set if the same request may succeed after that time, and `allow` names the
    methods of a route that was asked with another one.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        retry_after_s: int | None = None,
        allow: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.retry_after_s = retry_after_s
        self.allow = allow


def of_daemon(error: AshCallError, *, identifier: Any = None) -> JSONResponse:
    """Return a failed call to the daemon as a JSON-RPC error."""
    return JSONResponse(
        {"jsonrpc": "2.0", "error": error.to_json(), "id": identifier},
        error.http_status,
        _retry_headers(error.retry_after_s),
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
    headers = _retry_headers(problem.retry_after_s) or {"x-should-retry": "false"}
    if problem.status == _NO_KEY:
        headers["www-authenticate"] = "Bearer"
    if problem.allow is not None:
        headers["allow"] = problem.allow
    return JSONResponse(body, problem.status, headers)


def _retry_headers(seconds: int | None) -> dict[str, str]:
    return {} if seconds is None else {"retry-after": str(seconds)}


def rpc_error(
    code: int, message: str, *, identifier: Any = None, status: int = 400, **data: Any
) -> JSONResponse:
    """Return an error in JSON-RPC's form."""
    error = {"code": code, "message": message, "data": data}
    return JSONResponse({"jsonrpc": "2.0", "error": error, "id": identifier}, status)
