"""The readers of a statement in the graph, compared with those of another.

A statement changes an earlier one in place, or ends it, only if everybody who may see the earlier
one may see it too: otherwise the change would show them that something was said.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from ashd.access import disclosure
from ashd.store import chats
from ashd.store.database import Tx
from ashd.store.graph import Entity, Provenance, Relation
from ashd.store.visibility import Viewer


class Spoken(NamedTuple):
    """The turn that a statement was taken from: its time, and the protection that it asks for."""

    said_at: int
    sensitivity: str | None
    portable: bool
    account: int | None = None
    """The account that said it, which heard it on the roster or not."""
    has_other_hearers: bool = False
    """Whether somebody was present then to whom it may not have been said."""


Stated: TypeAlias = Entity | Relation | Provenance


def protection(row: Stated) -> tuple[int, bool]:
    """Return how protected a row is: the rank of its label, and whether it is not portable."""
    return disclosure.STRICTNESS[row.sensitivity], not row.portable


def keeps(tx: Tx, one: Stated, other: Stated) -> bool:
    """Return whether everybody who may see a statement may see another one of its scope."""
    if other.project not in {None, one.project}:
        return False
    pairs = zip(protection(other), protection(one), strict=True)
    if not all(ours <= theirs for ours, theirs in pairs):
        return False
    if one.learned_type == "private":
        return True
    is_public = protection(one)[0] == disclosure.STRICTNESS["public"]
    return is_public or _readers(tx, one) <= _readers(tx, other)


def is_same(tx: Tx, one: Stated, other: Stated) -> bool:
    """Return whether the same people may see two statements of one scope."""
    return keeps(tx, one, other) and keeps(tx, other, one)


def heard_in_all(
    tx: Tx, viewer: Viewer, turns: Sequence[Spoken]
) -> tuple[Spoken, frozenset[int | None]]:
    """Return one turn for several, of which any may state it; and who heard all of them.

    It is protected as each of them is, and was said when only those were present who heard them
    all. If no turn was, it is for its speaker alone, unless it is public.
    """
    heard = [
        {turn.account, *chats.present_at(tx, viewer.chat, turn.said_at)} - {None} for turn in turns
    ]
    hearers = frozenset(heard[0].intersection(*heard))
    times = [turn.said_at for turn, by in zip(turns, heard, strict=True) if by == hearers]
    return (
        Spoken(
            times[-1] if times else turns[-1].said_at,
            disclosure.stricter(*(turn.sensitivity for turn in turns)),
            portable=all(turn.portable for turn in turns),
            has_other_hearers=viewer.group and not times,
        ),
        hearers,
    )


def _readers(tx: Tx, row: Stated) -> set[int | None]:
    """Return the accounts that may see what is not public: its own, and those who were present."""
    own = {row.owner, row.stated_by}
    if protection(row)[0] >= disclosure.STRICTNESS["sensitive"]:
        return own
    return own | chats.present_at(tx, row.learned_in, row.said_at)
