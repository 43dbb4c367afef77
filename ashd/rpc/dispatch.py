"""Turn a frame into a reply: identify the caller, check its rights, run the handler, answer.

The only user of jsonrpcserver, which looks the method up, calls it and forms the response. It gets
one decoded and checked request at a time, so that it makes no task of each; and no exception ever
reaches it, since it would put the text into the reply.
"""

import inspect
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, Final

import anyio
import anyio.lowlevel
import msgspec

from ashd import errors
from ashd.access import actor as calls
from ashd.access import param_secrets, sensitivity
from ashd.access import scope as scopes
from ashd.access.actor import OPERATOR_RIGHTS, Actor, Call
from ashd.access.grants import GrantListeners
from ashd.access.quota import owner_of
from ashd.access.scope import Scope
from ashd.context.tools import CallResult
from ashd.conversation.ingest import IngestResult
from ashd.ended_calls import Connection
from ashd.fair_turns import OWNER
from ashd.memory.add_result import AddResult
from ashd.ops import allocator
from ashd.rpc import call_scope, decoding, envelope, idempotency
from ashd.rpc.app import App, Session
from ashd.rpc.decoding import Decoded
from ashd.rpc.jsonrpc_library import (
    NOCONTEXT,
    NOID,
    Error,
    Request,
    Success,
    dispatch_request,
    to_response,
    to_serializable,
)
from ashd.rpc.methods import TABLE
from ashd.rpc.outcomes import CANCELLED, OK
from ashd.rpc.table import Method, Table
from ashd.store.database import Tx

_OF_THE_DAEMON: Final = "system."
_OF_GRANTS: Final = "grant."
_SOURCE_OF_CLIENT: Final = {"ash": "cli", "ash web": "web"}
"""Sources of what the person's own programs store; what any other stores is from "rpc"."""
_AUDITED_DENIALS: Final = (
    errors.Denied,
    errors.GrantExpired,
    errors.GrantRevoked,
    errors.ScopeIsBound,
    errors.ContentRefused,
    errors.RateLimited,
    errors.QuotaExceeded,
)
_SIGNATURE: Final = inspect.signature(lambda: None)
"""The signature of every handler that the library calls."""


async def reply_to(app: App, session: Session, frame: bytes) -> bytes | None:
    """Return the reply to a frame, as one line; None if there is none. Never raises."""
    reply: list[Any] | dict[str, Any] | None
    try:
        if session.grant is not None and session.meter is None:
            grant = session.grant
            session.meter = await app.quotas.meter(grant.id, grant.scope, grant.quota)
        if session.meter is not None:
            session.meter.receive(len(frame))
    except errors.StorageError as error:
        reply = _refuse(app, session, error, envelope.leading_id(frame))
    except errors.AshError as error:
        await _deny(app, _unknown(app, session), error)
        reply = _refuse(app, session, error, envelope.leading_id(frame))
    else:
        if envelope.is_batch(frame):
            reply = await _batch(app, session, frame)
        else:
            reply = await _run(app, session, await decoding.single(app, session, frame))
    if reply is None:
        return None
    line = envelope.encode(reply)
    if len(line) > session.limits.reply_bytes:
        identifier = reply.get("id") if isinstance(reply, dict) else None
        too_large = errors.TooLarge(
            f"The answer has more than {session.limits.reply_bytes} bytes.",
            "Ask for less: a smaller limit, a filter.",
        )
        line = envelope.encode(_refuse(app, session, too_large, identifier))
    if session.meter is not None:
        session.meter.replied(len(line))
    return line


async def record_turned_away(app: App, session: Session, error: errors.AshError) -> None:
    """Record a refused connection in the audit."""
    call = _unknown(app, session, "(connection)")
    await app.denials.record(call, error.kind, app.clock.now())


def _refuse(app: App, session: Session, error: errors.AshError, identifier: Any) -> dict[str, Any]:
    """Return the reply to a message that is refused before it is a call; log its kind."""
    app.outcomes.refused(session.caller, decoding.UNKNOWN, error.kind)
    return envelope.error_reply(error, identifier)


async def _batch(app: App, session: Session, frame: bytes) -> list[Any] | dict[str, Any] | None:
    try:
        if not session.limits.batch:
            raise errors.InvalidRequest(
                "This socket takes no batches.", "Send one request per line."
            )
        frames = await decoding.batch(app, session, frame)
    except errors.AshError as error:
        return _refuse(app, session, error, None)
    replies = []
    for one in frames:
        await anyio.lowlevel.checkpoint()  # others have their turn between two calls
        replies.append(await _run(app, session, one))
    return [reply for reply in replies if reply is not None] or None


async def _run(app: App, session: Session, frame: decoding.Frame) -> dict[str, Any] | None:
    if not isinstance(frame, Decoded):
        app.outcomes.refused(session.caller, decoding.UNKNOWN, frame["error"]["data"]["kind"])
        return frame
    name, identifier = frame.request.method, frame.request.id
    is_notification = identifier is msgspec.UNSET
    # The params wait in the handler.
    request = Request(name, [], NOID if is_notification else identifier)
    handlers = {name: _handler(app, session, frame)}
    answered = await dispatch_request(handlers, NOCONTEXT, request)
    if is_notification:
        return None
    response = to_serializable(to_response(*answered))
    assert isinstance(response, dict)
    return response


def _handler(app: App, session: Session, decoded: Decoded) -> Callable[[], Awaitable[Any]]:
    """Return the function that the library calls for a request, whatever its method."""

    async def run() -> Any:
        begun, outcome = time.monotonic(), CANCELLED
        try:
            result = await _answer(app, session, decoded)
        except errors.AshError as error:
            outcome = error.kind
            return Error(error.code, error.message, error.to_data())
        except Exception as fault:  # noqa: BLE001  a fault must cost one reply, not the daemon
            outcome = errors.InternalError.kind
            app.outcomes.faulted(session.caller, decoded.name, fault)
            own = errors.InternalError("The daemon failed at this call.")
            return Error(own.code, own.message, own.to_data())
        else:
            outcome = OK
            return Success(result)
        finally:
            taken = time.monotonic() - begun
            app.outcomes.answered(session.caller, decoded.name, outcome, taken)

    run.__signature__ = _SIGNATURE  # type: ignore[attr-defined]  # the library asks each time
    return run


async def _answer(app: App, session: Session, decoded: Decoded) -> Any:
    request, method, params = decoded.request, decoded.method, decoded.params
    call = _call(app, session, decoded.name, decoded.digest, params)
    try:
        if session.listener == "sandbox" or decoded.name.startswith(_OF_GRANTS):
            await app.others.catch_up()
        if session.listener == "sandbox":
            await _require_grant(app, session, decoded)
            call = _call(app, session, decoded.name, decoded.digest, params)
        OWNER.set(owner_of(call.scope))  # in the queues of threads they take turns
        if method is None or (session.listener == "sandbox" and not method.sandbox):
            if method is not None:
                await app.denials.record(call, errors.MethodNotFound.kind, app.clock.now())
            raise errors.MethodNotFound("There is no method of that name here.")
        if session.listener == "sandbox":
            call = replace(call, scope=call_scope.of_sandbox(call.scope, params))
        if session.read_only and method.changes:
            raise errors.Denied(
                "This connection only reads.", "Change it on one that was not opened to read only."
            )
        if method.right is not None:
            call.require(method.right)
        if isinstance(request.params, list):
            raise errors.InvalidParams("Params go by name.", "Send them as an object.")
        if method.stores:
            call.require_memory()
        if request.id is msgspec.UNSET:
            # The caller cannot tell whether the call took effect; the audit will show it.
            await app.denials.record(call, "ignored_notification", app.clock.now())
            return None
        typed = decoded.arguments()
        if method.changes or decoded.cost.writes:
            param_secrets.check(typed)
            if not sensitivity.is_loaded():
                await anyio.to_thread.run_sync(_load_labels)
        await _observe(app, session, call, method)
        key = idempotency.key_of(params) if idempotency.takes_key(method) else None
        call = replace(call, key=key)
        run = partial(_in_time, app, session, call, decoded, method)
        result = await (run() if key is None else idempotency.once(app.db, call, method, key, run))
    except errors.AshError as error:
        await _deny(app, call, error)
        raise
    if _holds_refused_secret(result):
        await app.denials.record(call, errors.ContentRefused.kind, app.clock.now())
    return result


def _load_labels() -> None:
    """Load what labels need before the first change: they are read on the event loop too."""
    sensitivity.load()
    allocator.give_back()


async def _in_time(app: App, session: Session, call: Call, decoded: Decoded, method: Method) -> Any:
    """Run the handler within the time limit, and return its result.

    Raises:
        errors.TimedOut: it took longer than this socket allows.
    """
    try:
        with anyio.fail_after(None if method.lasts else session.limits.call_seconds):
            given = _given(app, session, call, decoded, method)
            if call.meter is None:
                return await method.function(*given)
            await call.meter.admit(decoded.cost)
            async with call.meter.one_at_a_time(decoded.cost):
                return await method.function(*given)
    except TimeoutError:
        # A sandbox's call is cancelled as a whole: what it began to write is undone. It is no fault
        # of its own that it took so long: others may have kept the daemon busy.
        if session.listener == "control" and method.changes:
            raise errors.TimedOut("The call took too long.") from None
        raise errors.TimedOut(
            "The call took too long.",
            "Ask or send less in a call, or try again in a moment. Of many facts some may be"
            " stored: send them again, the same words are stored once.",
            retryable=True,
        ) from None


def _given(app: App, session: Session, call: Call, decoded: Decoded, method: Method) -> list[Any]:
    """Return the arguments of the method's function, each by its type."""
    of_call: dict[type, Any] = {
        method.params: decoded.typed,
        Call: call,
        Session: session,
        Connection: session.connection,
        GrantListeners: session.listeners,
        Table: TABLE,
    }
    return [of_call[kind] if kind in of_call else app.services[kind] for kind in method.takes]


async def _deny(app: App, call: Call, error: errors.AshError) -> None:
    """Put a denial on record, where it is one."""
    if isinstance(error, _AUDITED_DENIALS):
        with suppress(errors.StorageError):  # refused it is, whether or not that can be written
            await app.denials.record(call, error.kind, app.clock.now())


async def _require_grant(app: App, session: Session, decoded: Decoded) -> None:
    """Let a sandbox's call pass if it has a grant that holds; the first may show its token.

    Raises:
        errors.Denied, errors.ScopeIsBound, errors.GrantExpired, errors.GrantRevoked
        errors.QuotaExceeded: nothing more is answered today.
    """
    if session.grant is None:
        _take_token(app, session, decoded.name, decoded.params)
    elif decoded.name == "session.hello" and "token" in decoded.params:
        raise errors.ScopeIsBound("This connection has its grant; it takes no token.")
    grant = session.grant
    assert grant is not None
    try:
        grant.check(app.clock.now())
    except errors.GrantExpired:
        await app.grants.note_expired(grant)
        raise
    if session.meter is None:
        session.meter = await app.quotas.meter(grant.id, grant.scope, grant.quota)
    session.meter.require_replies()


def _take_token(app: App, session: Session, name: str, params: dict[str, Any]) -> None:
    """Let whoever shows a token first be its grant; the connection of anybody else ends.

    Raises:
        errors.Denied, errors.RateLimited
    """
    token = params.get("token")
    if name != "session.hello" or not isinstance(token, str):
        raise errors.Denied(
            "This socket wants a token first.",
            "Call session.hello with the token of your grant, once a connection.",
        )
    session.listeners.admit(session, app.grants.with_token(token))


def _unknown(
    app: App, session: Session, name: str = decoding.UNKNOWN, digest: bytes | None = None
) -> Call:
    """Return a call whose params were not read, for the audit."""
    return _call(app, session, name, digest or calls.digest(app.audit_key, name, {}), {})


def _call(app: App, session: Session, name: str, digest: bytes, params: dict[str, Any]) -> Call:
    """Return the call, with its actor. Of a sandbox's params, it holds only their digest."""
    if session.listener == "sandbox":
        grant = session.grant
        nobody = Actor("sandbox", None, frozenset(), session.peer, "rpc")
        return Call(
            actor=grant.actor(session.peer) if grant else nobody,
            scope=grant.scope if grant else Scope(provider=""),
            all_scopes=False,
            turn=grant.turn if grant else None,
            method=name,
            digest=digest,
            meter=session.meter,
            memory_on=app.memory_on,
        )
    source = _SOURCE_OF_CLIENT.get(session.client, "rpc")
    return Call(
        actor=Actor("operator", None, OPERATOR_RIGHTS, session.peer, source),
        scope=call_scope.of_operator(app, session, name, params),
        all_scopes=params.get("all_scopes") is True,
        turn=None,
        method=name,
        digest=digest,
        scope_given=call_scope.is_given(session, params),
        memory_on=app.memory_on,
    )


async def _observe(app: App, session: Session, call: Call, method: Method) -> None:
    """Record the scope of a call whose method does not, and audit a look at everybody's data."""
    # Methods about the daemon act on nobody's behalf, and must answer without its database.
    if call.actor.kind != "operator" or method.name.startswith(_OF_THE_DAEMON):
        return
    scope = call.scope
    may_be_new = app.memory_on and not method.changes and not session.read_only
    if may_be_new and scopes.may_need_entry(scope):
        try:
            if await app.db.read(lambda tx: scopes.needs_entry(tx, scope)):
                await app.db.write(partial(_note, call=call), scoped=True)
        except errors.StorageError:
            # Reads go on while nothing can be written, but not before an outdated audience.
            if scope.participants is not msgspec.UNSET:
                raise
    if call.all_scopes:
        await app.db.write(lambda tx: call.record(tx, "all_scopes"), quiet=True)
    elif method.everybody == "always" or (method.everybody == "unscoped" and not call.is_scoped):
        await app.looks.record(call, app.clock.now())


def _note(tx: Tx, call: Call) -> None:
    scopes.note(tx, call.scope)
    call.record(tx, "scope_seen")


def _holds_refused_secret(result: Any) -> bool:
    """Return whether part of a call was not stored because it seemed to hold a secret."""
    match result:
        case AddResult():
            return any(_is_refusal(entry.error) for entry in result.memories)
        case IngestResult():
            return any(message.kind == errors.ContentRefused.kind for message in result.refused)
        case CallResult():
            return _is_refusal(result.error) or _holds_refused_secret(result.result)
    return False


def _is_refusal(error: Any) -> bool:
    return isinstance(error, dict) and error["data"]["kind"] == errors.ContentRefused.kind
