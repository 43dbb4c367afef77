"""`POST /mcp`: MCP over HTTP. The daemon answers; the headers are compared with the message here.

Proxies route by these headers, so a message that contradicts its headers is refused before anything
is done. Answers are plain JSON: a stream would add nothing.
"""

import base64
import binascii
import json
import math
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ashd import errors
from ashd.http.callers import Acting
from ashd.http.memory import Memory
from ashd.http.problems import of_daemon, rpc_error
from ashd_client.protocol import AshCallError

_VERSION: Final = "io.modelcontextprotocol/protocolVersion"
_STATUS: Final = {
    kind.code: kind.http_status
    for kind in (
        errors.ParseError,
        errors.InvalidRequest,
        errors.MethodNotFound,
        errors.UnsupportedVersion,
    )
}
"""Statuses of the protocol's own errors. Others go with 200, since MCP clients read no error from
an answer that failed."""
_NAMED_BY: Final = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
"""The params that Mcp-Name repeats, by method."""
_ENCODED: Final = ("=?base64?", "?=")
HEADER_MISMATCH: Final = -32020


async def answer(request: Request, memory: Memory, acting: Acting) -> Response:
    """Answer one message."""
    body = await request.body()
    try:
        message = json.loads(body)
    except (ValueError, RecursionError):
        return rpc_error(-32700, "The message is not JSON.")
    if not isinstance(message, dict) or not isinstance(message.get("method"), str):
        return rpc_error(-32600, "Send one request or notification of JSON-RPC 2.0.")
    if "id" not in message:
        return Response(status_code=202)
    if not _is_id(message["id"]):
        return rpc_error(-32600, "The id of a request is a text or a number.")
    wrong = mismatch(request.headers, message)
    if wrong is not None:
        return rpc_error(HEADER_MISMATCH, wrong, identifier=message["id"])
    try:
        reply = json.loads(await memory.forward(acting, body))
    except AshCallError as error:
        return of_daemon(error, identifier=message["id"])
    code = reply.get("error", {}).get("code")
    return JSONResponse(reply, _STATUS.get(code, 200))


def _is_id(value: Any) -> bool:
    """Return whether a request may have this id, and an answer repeat it."""
    if isinstance(value, str):
        return value.isprintable() or value.isascii()
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def mismatch(headers: Mapping[str, str], message: dict[str, Any]) -> str | None:
    """Return how the headers differ from the message; None if they agree.

    Only messages of the revisions since 2026-07-28, which name their revision, need the headers.
    """
    params = message.get("params")
    params = params if isinstance(params, dict) else {}
    meta = params.get("_meta")
    version = meta.get(_VERSION) if isinstance(meta, dict) else None
    named = headers.get("mcp-protocol-version")
    if version is None:
        return None
    if named != version:
        return "MCP-Protocol-Version is not the version of the message."
    if headers.get("mcp-method") != message["method"]:
        return "Mcp-Method is not the method of the message."
    named_by = _NAMED_BY.get(message["method"])
    if named_by is not None and _plain(headers.get("mcp-name")) != params.get(named_by):
        return "Mcp-Name is not the name in the message."
    return None


def _plain(value: str | None) -> str | None:
    """Return a header's value, decoded if it was sent as base64."""
    begin, end = _ENCODED
    if value is None or not (value.startswith(begin) and value.endswith(end)):
        return value
    try:
        return base64.b64decode(value[len(begin) : -len(end)], validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
