"""`session.hello`: what a caller may call and within which limits."""

from collections.abc import Iterable
from typing import Annotated

import msgspec

import ashd
from ashd import errors, limits
from ashd.access.actor import Call, Right
from ashd.access.scope import Scope
from ashd.clock import to_text
from ashd.rpc import discover
from ashd.rpc.app import Session
from ashd.rpc.table import Table
from ashd.search.current_embedder import CurrentEmbedder

PROTOCOL = 1


class HelloParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The client's name for itself; `token`, in the first call, on a socket that requires one."""

    token: str | None = None
    client: Annotated[str, msgspec.Meta(min_length=1, max_length=limits.LABEL_CHARS)] | None = None
    bind: bool = False
    """On the control socket: later calls without a scope act on the scope of this one."""
    read_only: bool = False
    """On the control socket: later calls of methods that change something are denied."""


class HelloResult(msgspec.Struct, frozen=True):
    """The server, its capabilities and limits; and the caller's scope and rights."""

    server: str
    version: str
    protocol: int
    capabilities: list[str]
    limits: dict[str, int | float]
    listener: str
    grant_id: str | None
    scope: Scope
    rights: list[str]
    expires_at: str | None
    embedder: str


async def hello(
    table: Table, embeddings: CurrentEmbedder, session: Session, call: Call, params: HelloParams
) -> HelloResult:
    """Report the server, its capabilities and limits, and the caller's scope and rights."""
    if session.listener == "control" and params.token is not None:
        raise errors.InvalidParams("Only a sandbox shows a token.", "Leave it out.")
    if session.listener == "control" and params.client is not None:
        session.client = params.client
    if session.listener == "control" and params.bind:
        session.scope_bound = call.scope
    if session.listener == "control" and params.read_only:
        session.read_only = True
    return greeting(table, session, call.scope, call.actor.rights, embeddings.state)


def greeting(
    table: Table, session: Session, scope: Scope, rights: Iterable[Right], embedder: str
) -> HelloResult:
    """Return the answer to a session's first call."""
    return HelloResult(
        server="ashd",
        version=ashd.__version__,
        protocol=PROTOCOL,
        capabilities=[method.name for method in discover.callable_by(session, table)],
        limits={
            **msgspec.to_builtins(session.limits),
            "content_chars": limits.CONTENT_CHARS,
            "query_chars": limits.QUERY_CHARS,
            "facts_per_call": limits.FACTS_PER_CALL,
            "results_per_call": limits.RESULTS_PER_CALL,
            "messages_per_call": limits.MESSAGES_PER_CALL,
            **(msgspec.to_builtins(session.meter.quota) if session.meter else {}),
        },
        listener=session.listener,
        grant_id=session.grant.id if session.grant else None,
        scope=scope,
        rights=sorted(rights),
        expires_at=to_text(session.grant.expires_at) if session.grant else None,
        embedder=embedder,
    )
