"""The parts of a block that are not searched for the message, read in one snapshot."""

from collections.abc import Collection
from typing import Final, NamedTuple

from ashd.access.actor import Call
from ashd.context import overrides
from ashd.conversation import profile
from ashd.conversation.summaries import Summaries, SummaryView
from ashd.graph import search as graph
from ashd.people import listing
from ashd.people.directory import Acquaintance, PeopleDirectory
from ashd.store import watched
from ashd.store.change_tracker import Key
from ashd.store.database import Tx

_MOST_PEOPLE: Final = 50
_MOST_RELATIONS: Final = 30
_RECENT_SUMMARIES: Final = 5


class Lasting(NamedTuple):
    """The latest summaries, and what is known of the user and the people around."""

    summaries: list[SummaryView]
    people: list[Acquaintance]
    pinned: list[tuple[str, str, int]]
    """The overrides as (id, content, time)."""
    profile: str | None
    relations: list[str]
    keys: frozenset[Key]
    """The chats, accounts and people whose changes may change the block."""


def read(
    tx: Tx,
    call: Call,
    summaries: Summaries,
    directory: PeopleDirectory,
    wanted: Collection[str],
    message: str,
) -> Lasting:
    """Return these parts; summaries and people only if wanted sections need them."""
    viewer = call.look(tx)
    # The memories are chosen by the household, too.
    are_needed = not {"people", "memories"}.isdisjoint(wanted)
    tx.ask_ahead(
        *(listing.queries(viewer) if are_needed else ()),
        *overrides.queries(viewer),
        *profile.queries(viewer),
        *graph.queries(tx, viewer, _MOST_RELATIONS),
        *watched.queries(viewer),
    )
    return Lasting(
        summaries.latest_in(tx, call, _RECENT_SUMMARIES) if "summaries" in wanted else [],
        directory.known(tx, call, _MOST_PEOPLE, message) if are_needed else [],
        overrides.for_viewer(tx, viewer),
        profile.text_for(tx, viewer),
        graph.relations_for(tx, viewer, _MOST_RELATIONS),
        watched.keys_of(tx, viewer),
    )
