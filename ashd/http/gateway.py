"""Requests for an answer: to the upstream and back, with an agent's memory if one is named.

`POST /v1/chat/completions` and `POST /v1/responses`. Without an agent the request's bytes go on as
they are. With one, memory is put into the messages, and the turn is stored if the client asks for
that. A failure of memory never fails a request: it goes on without, and `X-Ash-Memory` says so.
"""

import json
from collections import OrderedDict
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

import anyio
import httpx2
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from ashd import log
from ashd.http import callers, injection, upstream
from ashd.http.answers import Answer
from ashd.http.callers import Acting, Caller
from ashd.http.injection import Form
from ashd.http.memory import Memory
from ashd.http.problems import HttpProblem
from ashd.http.upstream import Upstream
from ashd_client import fitting
from ashd_client.protocol import AshCallError
from ashd_client.types import MessageIn

MEMORY_SECONDS: Final = 2.0
"""Seconds that a request waits for memory before it goes on without."""
_KEEP_SECONDS: Final = 20.0
_KEPT_BLOCKS: Final = 500
"""Turns whose blocks are cached, so that a loop of tool calls gets the same bytes again."""
_KEPT_ANSWERS: Final = 500
"""Answers that a later request may continue from by their id."""
_STORED: Final = "x-ash-stored"
_KEPT: Final = "kept"
_SPEAKERS: Final = ("user", "assistant")
_CUT: Final = (
    b'\n\ndata: {"error":{"message":"The model\'s endpoint broke off.","type":"ash_error",'
    b'"code":"upstream_cut"}}\n\n'
)


@dataclass(frozen=True, slots=True)
class _Turn:
    """A turn to be stored."""

    acting: Acting
    conversation: str
    name: str
    asked: str


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A request that is under way: its form, the account, and what becomes of its answer."""

    form: Form
    acting: Acting
    conversation: str
    lasting: str
    turn: _Turn | None
    """The turn to be stored."""


class Gateway:
    """Forwards requests for an answer."""

    def __init__(self, memory: Memory, model: Upstream) -> None:
        self._memory = memory
        self._upstream = model
        self._blocks: OrderedDict[tuple[Acting, str], tuple[str, str]] = OrderedDict()
        self._answers: OrderedDict[tuple[Acting, str], _Exchange] = OrderedDict()

    async def answer(self, request: Request, caller: Caller, form: Form) -> Response:
        """Answer a request of a form.

        Raises:
            HttpProblem
        """
        body, state, exchange = await request.body(), "off", None
        acting = caller.acting()
        if acting is not None:
            asked_for = _object_of(body)
            messages = form.messages(asked_for)
            if messages is None:
                state = "unread"  # the upstream reports what is wrong with it
            else:
                before = self._before(acting, asked_for)
                lasting, asked, state = await self._block(acting, messages, asked_for, before)
                if lasting or asked:
                    body = json.dumps(form.injected(asked_for, lasting, asked)).encode()
                conversation = _conversation(request, asked_for, messages, before)
                stores = request.headers.get("x-ash-store", "true" if caller.key.stores else "")
                turn = None
                if stores.lower() == "true":
                    turn = _turn(acting, conversation, asked_for, messages, before)
                exchange = _Exchange(form, acting, conversation, lasting, turn)
        answer = await self._upstream.ask(request, form.path, body, caller)
        if answer is None:
            return Response(status_code=499)  # the client has left
        return await self._returned(answer, state, exchange)

    def _before(self, acting: Acting, request: injection.Request) -> _Exchange | None:
        """Return the exchange whose answer a request continues from, if it was here."""
        return self._answers.get((acting, str(request.get("previous_response_id"))))

    async def _block(
        self,
        acting: Acting,
        messages: injection.Messages,
        request: injection.Request,
        before: _Exchange | None,
    ) -> tuple[str, str, str]:
        """Return the block for the prompt, and the state of memory."""
        at = injection.last_user(messages)
        message = _said(messages, at)
        if at is None and before is not None:  # results of tools, for the question asked before
            return before.lasting, "", "on"
        if at is None or not message.strip():
            return "", "", "nothing asked"
        key = (acting, injection.turn_of(messages, request.get("previous_response_id")))
        # Only a loop of tool calls gets the cached block: what was erased since must not come back.
        if at == len(messages) - 1 or key not in self._blocks:
            try:
                with anyio.fail_after(MEMORY_SECONDS):
                    recent = [one for one in messages[:at] if one.get("role") in _SPEAKERS]
                    self._blocks[key] = await self._memory.context(acting, message, recent)
            except (AshCallError, OSError, TimeoutError) as error:
                log.warning("context_failed", error=getattr(error, "kind", type(error).__name__))
                return "", "", "unavailable"
            if len(self._blocks) > _KEPT_BLOCKS:
                self._blocks.popitem(last=False)
        self._blocks.move_to_end(key)
        return *self._blocks[key], "on"

    async def _returned(
        self, answer: httpx2.Response, state: str, exchange: _Exchange | None
    ) -> Response:
        headers = upstream.returned(answer)
        headers["x-ash-memory"] = state
        is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
        copy = (exchange.form.answer if exchange else Answer)(streamed=is_stream)
        keep = exchange if answer.is_success else None
        if keep is not None and keep.turn is not None and not is_stream:
            return await self._stored(answer, copy, keep, keep.turn, headers)
        return StreamingResponse(
            self._passed_on(answer, copy, keep), answer.status_code, headers=headers
        )

    def _answered(self, exchange: _Exchange, answer: Answer) -> None:
        """Note an answer that a later request may continue from."""
        if answer.id is not None:
            # Only after a call of tools does the turn go on.
            kept = replace(exchange, turn=None) if answer.is_reply else exchange
            self._answers[exchange.acting, answer.id] = kept
            if len(self._answers) > _KEPT_ANSWERS:
                self._answers.popitem(last=False)

    async def _stored(
        self,
        answer: httpx2.Response,
        copy: Answer,
        exchange: _Exchange,
        turn: _Turn,
        headers: dict[str, str],
    ) -> Response:
        """Store the turn of a whole answer, and return the answer with the outcome in a header.

        Raises:
            HttpProblem: the upstream broke off.
        """
        body = b""
        try:
            async for chunk in answer.aiter_raw():
                body += chunk
        except httpx2.HTTPError:
            raise HttpProblem(502, "upstream_cut", "The model's endpoint broke off.") from None
        finally:
            with anyio.CancelScope(shield=True):
                await answer.aclose()
                copy.feed(body)
                copy.end()
                self._answered(exchange, copy)
                headers[_STORED] = await self._keep(turn, copy)
        return Response(body, answer.status_code, headers)

    async def _passed_on(
        self, answer: httpx2.Response, copy: Answer, exchange: _Exchange | None
    ) -> AsyncIterator[bytes]:
        """Yield the answer's bytes as they come; store the turn, however it ends.

        A turn of which not all is stored is followed by a comment that says so.
        """
        is_stream = answer.headers.get("content-type", "").startswith("text/event-stream")
        turn = exchange.turn if exchange is not None else None
        try:
            begun = b""
            async for chunk in answer.aiter_raw():
                copy.feed(chunk)
                # A stream is passed on in whole lines, so that an error event can follow one that
                # broke off.
                whole = (chunk.rfind(b"\n") + 1) if is_stream else len(chunk)
                if whole:
                    yield begun + chunk[:whole]
                    begun = b""
                begun += chunk[whole:]
            if is_stream and answer.is_success and not (copy.is_over or copy.finish or copy.failed):
                yield _CUT
            elif begun:
                yield begun
            copy.end()
            if exchange is not None:
                self._answered(exchange, copy)
            if turn is not None:
                stored, turn = turn, None
                with anyio.CancelScope(shield=True):
                    outcome = await self._keep(stored, copy)
                if outcome != _KEPT:
                    yield f": {_STORED}: {outcome}\n\n".encode()
        except httpx2.HTTPError:
            if not is_stream:
                raise
            # A stream that merely stops would look complete to a client.
            yield _CUT
        finally:
            with anyio.CancelScope(shield=True):
                await answer.aclose()
                if turn is not None:
                    await self._keep(turn, copy)

    async def _keep(self, turn: _Turn, answer: Answer) -> str:
        """Store a turn, and return what became of it."""
        if not answer.is_reply:
            return "no turn"
        texts: dict[Literal["user", "assistant"], str]
        texts = {"user": turn.asked, "assistant": answer.text}
        said: list[MessageIn] = [
            {"role": role, "content": text, "external_id": f"{turn.name}-{role}"}
            for role, text in texts.items()
            if text.strip()
        ]
        try:
            with anyio.fail_after(_KEEP_SECONDS):
                refused = await self._memory.keep(turn.acting, turn.conversation, said)
        except (AshCallError, OSError, TimeoutError) as error:
            log.warning("turn_not_kept", error=getattr(error, "kind", type(error).__name__))
            return "unavailable"
        return f"refused {', '.join(refused)}" if refused else _KEPT


def _object_of(body: bytes) -> injection.Request:
    """Return a request; an empty one if it is no object."""
    try:
        given: Any = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}


def _said(messages: injection.Messages, at: int | None) -> str:
    """Return the text of a message: of content in parts, the text parts."""
    return "" if at is None else fitting.text(messages[at].get("content"))


def _conversation(
    request: Request,
    asked_for: injection.Request,
    messages: injection.Messages,
    before: _Exchange | None,
) -> str:
    """Return the conversation that is named, or continued, or has these first messages."""
    own = asked_for.get("conversation")
    named = own.get("id") if isinstance(own, dict) else own
    return (
        callers.text_of(request.headers, "x-ash-conversation-id")
        or (named if isinstance(named, str) else None)
        or (before.conversation if before is not None else None)
        or injection.conversation_of(messages)
    )


def _turn(
    acting: Acting,
    conversation: str,
    request: injection.Request,
    messages: injection.Messages,
    before: _Exchange | None,
) -> _Turn | None:
    """Return the turn to store; None if the user said nothing.

    Results of tools alone belong to the turn before.
    """
    at = injection.last_user(messages)
    if at is None:
        return before.turn if before is not None else None
    asked = _said(messages, at)
    name = injection.turn_of(messages, request.get("previous_response_id"))
    return _Turn(acting, conversation, name, asked) if asked.strip() else None
