"""Turns that a job reads, each with the account on whose behalf facts from it are stored.

The speaker of a turn is the account that the host named when the turn came in; no text can change
that. Words of somebody without an account are quoted: in a private chat they belong to the chat's
user, with no known speaker; in a group nothing is learned from them.

A model gets turns together only if the same people heard them: whatever it takes from one to
explain another was said to everybody who hears of that.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from ashd.access.actor import Actor, Call, Peer
from ashd.access.scope import Project, Scope
from ashd.conversation.extraction_jobs import Range
from ashd.extraction.evidence import Turn
from ashd.store import chats, transcripts
from ashd.store.chats import Account
from ashd.store.database import Tx
from ashd.store.transcripts import Known, Place, Said

SOURCE: Final = "background_extraction"
"""The source of memories that were learned from a conversation."""
KNOWN_MESSAGES: Final = 4
"""Number of earlier messages that are shown to make the new ones clear."""


class Source(NamedTuple):
    """A turn, and the call by which facts from it are stored; None if nobody may own them."""

    turn: Turn
    call: Call | None
    is_quoted: bool = False
    account: int | None = None
    """The account that said it, if it was its owner's."""
    message: int | None = None
    said_at: int = 0
    """The time of the turn, by which presence is decided."""
    roster: tuple[int, ...] = ()
    """The changes of the group's roster until the turn was said, and until it was stored.

    Who speaks for the first time may join only when that is stored.
    """
    project: str | None = None
    """The project that the turn belongs to."""

    @property
    def speaks(self) -> bool:
        """Return whether facts may be based on this turn."""
        return self.turn.is_source and self.call is not None


def of_conversation(tx: Tx, held: Range) -> list[Source]:
    """Return the turns of a job after some earlier ones; none once the conversation was deleted."""
    place = transcripts.place(tx, held.conversation)
    if place is None:
        return []
    first = max(held.first - KNOWN_MESSAGES, 0)
    said = transcripts.said(tx, held.conversation, first=first, limit=held.last - first + 1)
    known = transcripts.known_of(tx, held.conversation, first, held.last)
    found = []
    for one in said:
        if one.position <= held.last:
            of_one = known[one.position]
            source = _source(tx, place, one, of_one, is_new=one.position >= held.first)
            times = (of_one.heard_at, of_one.stored_at) if place.is_group else ()
            found.append(
                source._replace(roster=roster(tx, place.chat, *times), project=of_one.project)
            )
    return found


def roster(tx: Tx, chat: int, *times: int) -> tuple[int, ...]:
    """Return the changes of a group's roster until each of some times."""
    return tuple(chats.changes_until(tx, chat, at) for at in times)


def heard_alike(read: Sequence[Source]) -> Iterator[tuple[int, list[Source]]]:
    """Return the runs of turns that the same people heard, each with the index of its first.

    A run is of one project: nothing of another may explain it.
    """
    first = 0
    for _, run in groupby(read, key=lambda source: (source.roster, source.project)):
        turns = list(run)
        yield first, turns
        first += len(turns)


def _source(tx: Tx, place: Place, said: Said, known: Known, *, is_new: bool) -> Source:
    turn = Turn(said, is_new)
    account = chats.account_by_id(tx, known.account) if known.account is not None else None
    owner = account if place.is_group else _owner(tx, place)
    if owner is None or said.role != "user":
        return Source(turn, None, said_at=known.heard_at)
    call = _call(tx, place, owner, known)
    is_own = account is not None and account.id == owner.id
    return Source(
        *(turn, call),
        is_quoted=not is_own,
        account=owner.id if is_own else None,
        message=known.id,
        said_at=known.heard_at,
    )


def _owner(tx: Tx, place: Place) -> Account | None:
    return chats.account_by_id(tx, place.owner) if place.owner is not None else None


def _call(tx: Tx, place: Place, owner: Account, known: Known) -> Call:
    """Return a call by which the owner would have stored it there."""
    chat = chats.chat_by_id(tx, place.chat)
    named = chat.chat_id is not None
    return Call(
        actor=Actor("operator", None, frozenset({"write"}), Peer(None, None), SOURCE),
        scope=Scope(
            provider=owner.provider,
            user_id=owner.user_id,
            chat_id=chat.chat_id,
            chat_type=("group" if place.is_group else "private") if named else None,
            session_id=place.external_id,
            message_id=known.name,
            project=Project(known.project, known.project_name) if known.project else None,
        ),
        all_scopes=False,
        turn=None,
        method="extract_facts",
        digest=b"",
    )
