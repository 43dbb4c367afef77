"""Messages that a caller handed over to be read: as they wait in the queue, and as turns.

Their facts belong to the call's scope: a sandbox's bound scope, or the operator's. A message that a
sandbox ascribes to somebody else is quoted; its speaker counts as unknown.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

import msgspec

from ashd import errors
from ashd.access.actor import Actor, Call, Peer, Right, Turn
from ashd.access.scope import Scope
from ashd.extraction import sources
from ashd.extraction.evidence import Turn as Shown
from ashd.extraction.sources import Source
from ashd.store import chats, grants
from ashd.store.database import Tx
from ashd.store.transcripts import Said


class Message(msgspec.Struct, frozen=True):
    """A message as it waits in the queue."""

    role: str
    content: str
    user_id: str | None
    handle: str | None
    name: str | None
    at: int


class Handed(msgspec.Struct, frozen=True):
    """The payload of the job: the messages, and the caller who handed them over.

    The first `known` messages were read before: they are context.
    """

    messages: list[Message]
    scope: Scope
    actor: Literal["operator", "sandbox"]
    grant_id: str | None
    rights: list[Right]
    spoken_by: tuple[str | None, str | None, str | None] | None
    """The speaker at that time, in a group's grant: user, session and message."""
    known: int = 0

    def call(self) -> Call:
        """Return the call that handed them over, as far as it matters for storing."""
        return Call(
            actor=Actor(
                *(self.actor, self.grant_id, frozenset(self.rights), Peer(None, None)),
                "extraction",
            ),
            scope=self.scope,
            all_scopes=False,
            turn=Turn(*self.spoken_by) if self.spoken_by else None,
            method="memory.extract",
            digest=b"",
        )


def narrowed(payload: Mapping[str, Any], first: int, last: int) -> dict[str, Any]:
    """Return the changed fields of a payload for some of its messages, after earlier ones."""
    begin = max(first - sources.KNOWN_MESSAGES, 0)
    return {"messages": payload["messages"][begin : last + 1], "known": first - begin}


def sources_of(tx: Tx, handed: Handed, handed_at: int) -> list[Source]:
    """Return the messages as turns, each with the call by which facts from it are stored.

    A sandbox does not choose when they were said: that is when they were handed over.

    Raises:
        errors.GrantRevoked: the grant was taken back since.
        errors.Denied: its user has left the chat since.
    """
    call = handed.call()
    if handed.grant_id is not None:
        grant = grants.by_id(tx, handed.grant_id)
        if grant is None or grant.revoked_at is not None:
            raise errors.GrantRevoked("The grant was revoked.")
    viewer = call.look(tx)
    account = call.speaker(tx, viewer)
    found = []
    for position, message in enumerate(handed.messages):
        own = message.role == "user" and (
            message.user_id == handed.scope.user_id
            if message.user_id is not None
            else message.handle is None and message.name is None
        )
        handle, name = message.handle or message.user_id, message.name
        if own and account is not None:
            handle = account.username or account.user_id
            name = account.display_name
        said = Said(
            *(position, message.role, name, handle, name),
            *(message.content, message.at, 0),
        )
        at = handed_at if handed.actor == "sandbox" else message.at
        by = None
        if message.role == "user":
            by = call if own else _of_other(tx, handed, call, message)
        found.append(
            Source(
                Shown(said, is_new=position >= handed.known),
                by,
                is_quoted=not own and by is call,
                account=account.id if own and account is not None else None,
                said_at=at,
                roster=sources.roster(tx, viewer.chat, at) if viewer.chat and viewer.group else (),
            )
        )
    return found


def _of_other(tx: Tx, handed: Handed, call: Call, message: Message) -> Call | None:
    """Return the call to store somebody else's words with, if any; an operator says who it was."""
    scope = handed.scope
    if handed.actor == "sandbox" or not scope.is_group:
        return call
    if message.user_id is None or chats.account(tx, scope.provider, message.user_id) is None:
        return None
    return replace(call, scope=msgspec.structs.replace(scope, user_id=message.user_id))
