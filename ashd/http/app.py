"""The routes of `ashd http`: who may call each, and what it passes on."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any, Final
from urllib.parse import unquote

import anyio
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from ashd.config import Http
from ashd.http import callers, injection, mcp, upstream
from ashd.http.callers import PROVIDER, Acting, Caller
from ashd.http.gateway import Gateway
from ashd.http.guard import Guard
from ashd.http.memory import Memory
from ashd.http.problems import (
    HttpProblem,
    is_notification,
    of_daemon,
    openai_error,
    rpc_error,
)
from ashd.http.shared_keys import SharedKeys
from ashd.http.upstream import Upstream
from ashd.http_server.connections import AllBusy
from ashd.http_server.requests import show_key
from ashd.key_file import ANY_AGENT, KeyFile, KeysUnreadable
from ashd_client.protocol import AshCallError

_INGEST_FIELDS: Final = frozenset(
    {"agent_id", "conversation_id", "turns", "session_date", "skip_extraction"}
)
_ROUTES: Final = (
    "POST /v1/chat/completions, POST /v1/responses, /v1/…, POST /memory/ingest, GET /agents,"
    " POST /rpc, POST /mcp, GET /metrics, GET /healthz"
)

_PASSED_ON: Final = ("GET", "POST", "PUT", "PATCH", "DELETE")

Handler = Callable[[Request, Caller], Awaitable[Response]]


class Routes:
    """The handlers of the routes, each for a caller whose key is good."""

    def __init__(
        self,
        settings: Http,
        keys: KeyFile | SharedKeys,
        memory: Memory,
        model: Upstream | None,
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._memory = memory
        self._upstream = model
        self._gateway = Gateway(memory, model) if model is not None else None

    def app(self) -> Starlette:
        """Return the application."""

        @asynccontextmanager
        async def lifespan(_app: Starlette) -> AsyncIterator[None]:
            yield
            await self._memory.aclose()
            if isinstance(self._keys, SharedKeys):
                await self._keys.aclose()
            if self._upstream is not None:
                await self._upstream.aclose()

        guard = Middleware(
            Guard,
            names=self._settings.host_names(),
            body_seconds=self._settings.body_seconds,
        )
        app = Starlette(
            routes=[
                self._route("/v1/chat/completions", self._asked(injection.CHAT), "POST"),
                self._route("/v1/responses", self._asked(injection.RESPONSES), "POST"),
                self._route("/v1/{path:path}", self._pass_on, *_PASSED_ON),
                self._route("/memory/ingest", self._ingest, "POST"),
                self._route("/agents", self._agents, "GET"),
                self._route("/rpc", self._rpc, "POST"),
                self._route("/mcp", self._mcp, "POST"),
                self._route("/metrics", self._metrics, "GET"),
                Route("/healthz", _alive, methods=["GET"]),
            ],
            middleware=[guard],
            exception_handlers={404: _no_route, 405: _wrong_method},
            lifespan=lifespan,
        )
        app.router.redirect_slashes = False
        return app

    def _route(self, path: str, handler: Handler, *methods: str) -> Route:
        async def endpoint(request: Request) -> Response:
            try:
                if isinstance(self._keys, SharedKeys) and callers.show_key(request.headers):
                    await self._keys.refresh()
                caller = callers.of_request(
                    request.headers, self._keys, is_open=self._settings.open_loopback
                )
                show_key(request.scope, caller.key.id)
                return await handler(request, caller)
            except HttpProblem as problem:
                return openai_error(problem)
            except AllBusy as busy:
                return openai_error(HttpProblem(503, "busy", busy.message, retry_after_s=1))
            except KeysUnreadable as error:
                return openai_error(
                    HttpProblem(503, "keys_unreadable", f"{error.message} {error.hint}")
                )
            except AshCallError as error:
                return openai_error(
                    HttpProblem(
                        error.http_status,
                        error.kind,
                        f"{error} {error.hint}".strip(),
                        retry_after_s=error.retry_after_s,
                    )
                )

        return Route(path, endpoint, methods=methods)

    def _asked(self, form: injection.Form) -> Handler:
        async def answer(request: Request, caller: Caller) -> Response:
            if self._gateway is None:
                raise _no_model()
            return await self._gateway.answer(request, caller, form)

        return answer

    async def _pass_on(self, request: Request, caller: Caller) -> Response:
        """Pass any other request of an OpenAI-compatible client on as it is."""
        if self._upstream is None:
            raise _no_model()
        path = request.scope["raw_path"].decode("ascii", "replace").removeprefix("/v1")
        if ".." in unquote(path).split("/"):
            raise HttpProblem(404, "no_such_route", f"There are: {_ROUTES}.")
        answer = await self._upstream.ask(request, path, await request.body() or None, caller)
        if answer is None:
            return Response(status_code=499)  # the client has left

        async def body() -> AsyncIterator[bytes]:
            try:
                async for chunk in answer.aiter_raw():
                    yield chunk
            finally:
                with anyio.CancelScope(shield=True):
                    await answer.aclose()

        return StreamingResponse(body(), answer.status_code, headers=upstream.returned(answer))

    async def _ingest(self, request: Request, caller: Caller) -> Response:
        """Store turns, in the form that Osaurus' clients send."""
        try:
            given = json.loads(await request.body())
        except (ValueError, RecursionError):
            given = None
        if not isinstance(given, dict) or not isinstance(given.get("agent_id"), str):
            raise HttpProblem(400, "not_json", "Send an object with agent_id and turns.")
        unknown = given.keys() - _INGEST_FIELDS
        if unknown:
            names = ", ".join(sorted(_INGEST_FIELDS))
            raise HttpProblem(400, "unknown_field", f"The fields are: {names}.")
        agent = given.pop("agent_id")
        if not caller.key.may_act_as(agent):
            raise HttpProblem(403, "agent_denied", "This key is not for that agent.")
        scope = Acting(agent, caller.project).scope
        result = await self._memory.call("conversation.ingest", {"scope": scope, **given})
        return JSONResponse(
            {name: result.get(name) for name in ("ingested", "duplicates", "refused", "job_id")}
        )

    async def _agents(self, _request: Request, caller: Caller) -> Response:
        """List the agents that have memories and that the key is good for."""
        agents: list[dict[str, Any]] = []
        cursor: str | None = None
        while True:
            page = {"provider": PROVIDER} | ({"cursor": cursor} if cursor else {})
            found = await self._memory.call("account.list", page)
            agents += [
                {
                    "id": one["user_id"],
                    "name": one["name"],
                    "memory_count": one["memories"],
                    "conversation_count": one["conversations"],
                    "turn_count": one["turns"],
                    "last_active_at": one["last_active_at"],
                }
                for one in found["accounts"]
                if caller.key.may_act_as(one["user_id"])
            ]
            cursor = found["next_cursor"]
            if cursor is None:
                return JSONResponse({"agents": agents})

    async def _rpc(self, request: Request, caller: Caller) -> Response:
        """Pass one JSON-RPC request on, with the agent's rights, as from a sandbox."""
        body = await request.body()
        if not body.strip():  # a blank line is no message, and gets no answer
            return rpc_error(-32700, "There is no message.")
        expects = not is_notification(body)
        try:
            line = await self._memory.forward(caller.must_act(), body, expects_answer=expects)
        except AshCallError as error:
            return of_daemon(error)
        if not line:
            return Response(status_code=202)
        return Response(line, media_type="application/json")

    async def _mcp(self, request: Request, caller: Caller) -> Response:
        return await mcp.answer(request, self._memory, caller.must_act())

    async def _metrics(self, _request: Request, caller: Caller) -> Response:
        """Return the daemon's metrics; they are of everybody's memories."""
        if not caller.key.may_act_as(ANY_AGENT):
            raise HttpProblem(403, "agent_denied", "Metrics need a key for all agents.")
        result = await self._memory.call("system.metrics", {})
        return PlainTextResponse(
            result["text"], media_type="text/plain; version=0.0.4; charset=utf-8"
        )


async def _alive(_request: Request) -> Response:
    return PlainTextResponse("ok\n")


async def _no_route(_request: Request, _error: Exception) -> Response:
    return openai_error(HttpProblem(404, "no_such_route", f"There are: {_ROUTES}."))


async def _wrong_method(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    allow = (error.headers or {}).get("Allow")
    return openai_error(HttpProblem(405, "wrong_method", f"There are: {_ROUTES}.", allow=allow))


def _no_model() -> HttpProblem:
    return HttpProblem(
        503, "no_model", "No language model is configured: name one under [llm] in config.toml."
    )
