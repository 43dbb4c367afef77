"""The keys of the changes that a viewer may see (`change_tracker`)."""

from collections.abc import Iterable

from ashd.store import chats
from ashd.store.change_tracker import EVERYTHING, Key
from ashd.store.database import Query, Tx
from ashd.store.visibility import Viewer


def queries(viewer: Viewer) -> list[Query]:
    """Return the queries of `keys_of`."""
    return [] if viewer.everything else [chats.chats_query(viewer.accounts)]


def keys_of(tx: Tx, viewer: Viewer, places: Iterable[int] = ()) -> frozenset[Key]:
    """Return the keys of the viewer's chats, accounts and people, and of `places`."""
    if viewer.everything:
        return frozenset({EVERYTHING})
    seen = {*places, *chats.chats_of(tx, viewer.accounts)}
    if viewer.chat is not None:
        seen.add(viewer.chat)
    return frozenset(
        {
            *(("chat", number) for number in seen),
            *(("account", number) for number in viewer.accounts),
            *(("person", number) for number in (*viewer.persons, *viewer.audience_persons)),
        }
    )
