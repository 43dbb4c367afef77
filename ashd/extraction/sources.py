"""Turns that a job reads, each with the account on whose behalf facts from it are stored.

The speaker of a turn is the account that the host named when the turn came in, never anything that
stands in a text. What somebody without an account of their own said is quoted: in a private chat it
is kept by the chat's user, with nobody known as its speaker; in a group it is not learned from.
"""

from typing import Final, NamedTuple

from ashd.access.actor import Actor, Call, Peer
from ashd.access.scope import Scope
from ashd.conversation.extraction_jobs import Range
from ashd.conversation.transcript import Spoken
from ashd.extraction.evidence import Turn
from ashd.store import chats, conversations
from ashd.store.chats import Account
from ashd.store.conversations import Place, Said
from ashd.store.database import Tx

KNOWN_MESSAGES: Final = 4
"""So many messages before the new ones are shown, to understand these by."""
_ROLES: Final = frozenset({"user", "assistant"})


class Source(NamedTuple):
    """A turn, and the call by which facts from it are stored; None where nobody may own them."""

    turn: Turn
    call: Call | None
    is_quoted: bool = False
    account: int | None = None
    """The account that said it, if its owner did."""
    message: int | None = None

    @property
    def speaks(self) -> bool:
        """Whether facts may rest on it."""
        return self.turn.is_source and self.call is not None


def of_conversation(tx: Tx, held: Range) -> list[Source]:
    """The turns of a job, after those by which they are understood; none once it was deleted."""
    place = conversations.place(tx, held.conversation)
    if place is None:
        return []
    first = held.first - KNOWN_MESSAGES
    said = conversations.said_between(tx, held.conversation, first, held.last)
    return [
        _source(tx, place, message, is_new=message.position >= held.first)
        for message in said
        if message.role in _ROLES
    ]


def _source(tx: Tx, place: Place, message: Said, *, is_new: bool) -> Source:
    account = chats.account_by_id(tx, message.account) if message.account is not None else None
    handle = (account.username or account.user_id) if account else message.speaker
    name = message.speaker or (account.display_name if account else None)
    spoken = Spoken(message.role, handle, name, message.content, message.said_at)
    turn = Turn(spoken, is_new)
    owner = account if place.is_group else _owner(tx, place)
    if owner is None or message.role != "user":
        return Source(turn, None)
    call = _call(tx, place, owner, message)
    is_own = account is not None and account.id == owner.id
    return Source(
        turn, call, is_quoted=not is_own, account=owner.id if is_own else None, message=message.id
    )


def _owner(tx: Tx, place: Place) -> Account | None:
    return chats.account_by_id(tx, place.owner) if place.owner is not None else None


def _call(tx: Tx, place: Place, owner: Account, message: Said) -> Call:
    """A call by which the owner would have stored it there."""
    chat = chats.chat_by_id(tx, place.chat)
    named = chat.chat_id is not None
    return Call(
        actor=Actor(
            "operator", None, frozenset({"write"}), Peer(None, None), "background_extraction"
        ),
        scope=Scope(
            provider=owner.provider,
            user_id=owner.user_id,
            chat_id=chat.chat_id,
            chat_type=("group" if place.is_group else "private") if named else None,
            session_id=place.external_id,
            message_id=message.external_id or message.uuid,
        ),
        all_scopes=False,
        turn=None,
        method="extract_facts",
        digest=b"",
    )
