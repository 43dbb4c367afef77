"""The model's endpoint: requests and answers are passed on unchanged."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import anyio
import httpx2
from starlette.requests import Request

from ashd.config import Llm
from ashd.http.callers import Caller
from ashd.http.problems import HttpProblem

_DEFAULT_BASE: Final = "https://api.openai.com/v1"
_CONNECT_SECONDS: Final = 10.0
_POOL_SECONDS: Final = 5.0
_MOST_CONNECTIONS: Final = 256
_READ_SECONDS: Final = 600.0
"""As long as the clients themselves wait: some models think for minutes before the first word."""
_OURS: Final = frozenset(
    {
        *("host", "content-length", "connection", "keep-alive", "transfer-encoding", "te"),
        *("trailer", "upgrade", "proxy-authorization", "proxy-connection", "expect", "cookie"),
        *("authorization", "accept-encoding", "origin", "referer"),
    }
)
"""Headers between two neighbours, and headers that this server sets itself."""
_OUR_PREFIXES: Final = ("x-ash-", "x-osaurus-", "sec-fetch-")
_NOT_BACK: Final = frozenset(
    {"connection", "keep-alive", "transfer-encoding", "content-length", "set-cookie", "date"}
)


class Upstream:
    """The endpoint of `[llm]`."""

    def __init__(self, settings: Llm) -> None:
        self._settings = settings
        base = settings.base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_BASE
        self._base = base.rstrip("/")
        self._client = httpx2.AsyncClient(
            timeout=httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS, pool=_POOL_SECONDS),
            limits=httpx2.Limits(max_connections=_MOST_CONNECTIONS),
            follow_redirects=False,
        )

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def ask(
        self, request: Request, path: str, body: bytes | None, caller: Caller
    ) -> httpx2.Response | None:
        """Send a request on; return None if the client hangs up before the answer begins.

        The caller reads the answer's body, and closes it.

        Raises:
            HttpProblem: the endpoint cannot be reached.
        """
        answer: httpx2.Response | None = None
        problem: HttpProblem | None = None
        async with anyio.create_task_group() as tasks:

            async def watch() -> None:
                while (await request.receive())["type"] != "http.disconnect":
                    pass
                tasks.cancel_scope.cancel()

            tasks.start_soon(watch)
            try:
                answer = await self._open(request, path, body, caller)
            except HttpProblem as error:
                problem = error
            tasks.cancel_scope.cancel()
        if problem is not None:
            raise problem
        return answer

    async def _open(
        self, request: Request, path: str, body: bytes | None, caller: Caller
    ) -> httpx2.Response:
        headers = _forwarded(request.headers, caller.token)
        if authorization := caller.authorization or self._own_authorization():
            headers["authorization"] = authorization
        # An answer that is passed on byte by byte must not be compressed for this server alone.
        headers["accept-encoding"] = "identity"
        url = f"{self._base}{path}"
        if request.url.query:
            url += f"?{request.url.query}"
        # As the bytes that came: many clients send UTF-8, of which nothing is an error.
        raw = {name.encode(): value.encode("latin-1", "replace") for name, value in headers.items()}
        asked = self._client.build_request(request.method, url, headers=raw, content=body)
        try:
            return await self._client.send(asked, stream=True)
        except httpx2.PoolTimeout:
            message = "Too many chats wait for the model's endpoint. Try again in a moment."
            raise HttpProblem(503, "upstream_busy", message, retry_after_s=1) from None
        except httpx2.TimeoutException:
            raise HttpProblem(
                504, "upstream_timeout", "The model's endpoint was too slow."
            ) from None
        except httpx2.HTTPError:
            raise HttpProblem(
                502, "upstream_unreachable", "The model's endpoint ([llm] base_url) did not answer."
            ) from None

    def _own_authorization(self) -> str:
        file = self._settings.api_key_file
        try:
            key = key_path(file).read_text(encoding="utf-8").strip() if file else None
        except (OSError, UnicodeDecodeError):
            raise HttpProblem(
                502, "key_unreadable", "The file of [llm] api_key_file cannot be read."
            ) from None
        key = key or os.environ.get("OPENAI_API_KEY")
        return f"Bearer {key}" if key else ""


def key_path(file: str) -> Path:
    """Return the place of `api_key_file`, as this process sees it.

    The settings are the daemon's too, and may name a credential of its unit. Of systemd's
    credentials a unit sees only its own: that of the same name is used.
    """
    path = Path(file).expanduser()
    folder = os.environ.get("CREDENTIALS_DIRECTORY")
    if folder and path.parent.parent == Path(folder).parent:
        own = Path(folder, path.name)
        return own if own.exists() else path
    return path


def returned(response: httpx2.Response) -> dict[str, str]:
    """Return the headers of an answer that go back to the client, byte by byte."""
    response.headers.encoding = "latin-1"  # in which they are written again
    return {name: value for name, value in response.headers.items() if name not in _NOT_BACK}


def _forwarded(headers: Mapping[str, str], token: str | None) -> dict[str, str]:
    """Return the headers to pass on: the chat's, without any that holds the caller's key."""
    return {
        name: value
        for name, value in headers.items()
        if name not in _OURS
        and not name.startswith(_OUR_PREFIXES)
        and not (token and token in value)
    }
