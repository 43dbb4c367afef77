"""A reader's filters, apart from words, as a filter of the store: types, tags, people, times."""

from dataclasses import replace
from typing import Annotated

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.memory.model import GivenType, Short, Tag, stored_type
from ashd.people import resolve
from ashd.people.reference_candidates import Speaker
from ashd.store.database import Tx
from ashd.store.filters import MemoryFilter
from ashd.store.visibility import Viewer
from ashd.wire_times import When, micros


class Notice(msgspec.Struct, frozen=True):
    """A remark about the answer, for the reader."""

    kind: str
    message: str


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """The filters that a search and a list share."""

    about: Short | None = None
    types: list[GivenType] | None = None
    tags: Annotated[list[Tag], msgspec.Meta(max_length=limits.TAGS_PER_FACT)] | None = None
    include_superseded: bool = False
    include_expired: bool = False


def resolved(
    tx: Tx, call: Call, viewer: Viewer, filters: Filters, *, if_nobody: str
) -> tuple[MemoryFilter, list[Notice]]:
    """Return the filter for the store, with `about` as a person; and notices.

    `if_nobody` is the sentence for the notice if `about` means nobody known: what the caller does
    then.

    Raises:
        errors.Denied: a sandbox asks for what has expired.
        errors.Ambiguous: `about` fits several people.
    """
    if filters.include_expired and call.actor.kind == "sandbox":
        raise errors.Denied(
            "What has expired is shown on the host only.", "Leave include_expired out."
        )
    wanted = MemoryFilter(
        types=tuple(stored_type(given) for given in filters.types or ()),
        tags=tuple(filters.tags or ()),
    )
    if filters.about is None:
        return wanted, []
    speaker = resolve.speaker_of(tx, viewer, call.speaker(tx, viewer))
    person = resolve.resolve(tx, speaker, filters.about, create=False)
    if person is None:
        return wanted, [Notice("about_not_found", _nobody(tx, speaker, filters.about, if_nobody))]
    return replace(wanted, about=person.person), []


def _nobody(tx: Tx, speaker: Speaker, about: str, outcome: str) -> str:
    """Return a notice that a reference means nobody, with similar names and a remedy."""
    message = f"Nobody is known by this name: {outcome}."
    if similar := resolve.similar(tx, speaker, about):
        return f"{message} Similar: {similar}. Give the id of the one you mean."
    return f"{message} `ash person list` shows who is known; an id works as well."


def known_at(as_of: When | None) -> int | None:
    """Return the last moment at which the wanted memories were known and valid (D9)."""
    moment, end = micros(as_of, "as_of"), micros(as_of, "as_of", end_of_day=True)
    if end is None:
        return None
    return end if end == moment else end - 1  # the last moment of the day
