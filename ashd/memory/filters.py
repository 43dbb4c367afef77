"""What a reader asks for besides words: types, tags, people, times; as conditions of the store."""

from typing import Annotated, Any

import msgspec

from ashd import errors, limits
from ashd.access.actor import Call
from ashd.memory.model import GivenType, Short, Tag, stored_type
from ashd.people import resolve
from ashd.store import memories
from ashd.store.database import Tx
from ashd.store.visibility import Viewer
from ashd.wire_times import When, micros


class Notice(msgspec.Struct, frozen=True):
    """Something that the reader should know about the answer."""

    kind: str
    message: str


class Filters(msgspec.Struct, frozen=True, kw_only=True):
    """The filters that a search and a list share."""

    about: Short | None = None
    types: list[GivenType] | None = None
    tags: Annotated[list[Tag], msgspec.Meta(max_length=limits.TAGS_PER_FACT)] | None = None
    include_superseded: bool = False
    include_expired: bool = False


def condition(
    tx: Tx, call: Call, viewer: Viewer, filters: Filters
) -> tuple[str, dict[str, Any], list[Notice]]:
    """(condition on `m`, its parameters, notices) of the filters.

    Raises:
        errors.Denied: a sandbox asks for what has expired.
        errors.Ambiguous: `about` fits several people.
    """
    if filters.include_expired and call.actor.kind == "sandbox":
        raise errors.Denied(
            "What has expired is shown on the host only.", "Leave include_expired out."
        )
    parts = ["true"]
    params: dict[str, Any] = {}
    notices = []
    if filters.types:
        parts.append("m.memory_type in (select value from json_each(:types))")
        params["types"] = msgspec.json.encode(
            [stored_type(given) for given in filters.types]
        ).decode()
    if filters.tags:
        parts.append(
            "not exists (select 1 from json_each(:tags) wanted where wanted.value not in"
            " (select value from json_each(m.tags)))"
        )
        params["tags"] = msgspec.json.encode(filters.tags).decode()
    if filters.about is not None:
        speaker = resolve.speaker_of(tx, viewer, call.speaker(tx, viewer))
        person = resolve.resolve(tx, speaker, filters.about, create=False)
        if person is None:
            notices.append(
                Notice("about_not_found", "Nobody is known by this name: nothing was filtered.")
            )
        else:
            parts.append(memories.ABOUT)
            params["about"] = person.person
    return " and ".join(parts), params, notices


def known_at(as_of: When | None) -> tuple[str, dict[str, Any]]:
    """The condition on what was known and valid at a time (D9)."""
    parts, params = ["true"], dict[str, Any]()
    if as_of is not None:
        parts.append(
            "coalesce(m.observed_at, m.created_at) <= :as_of"
            # What took its place counts from when it was observed, for as long as it stands.
            " and not exists (select 1 from memories w where w.id = m.superseded_by"
            "  and coalesce(w.observed_at, w.created_at) <= :as_of and w.ends_at > :as_of"
            "  and (w.archived_at is null or w.archived_at > :as_of"
            "   or w.archive_reason = 'superseded'))"
            " and (m.archived_at is null or m.archived_at > :as_of)"
            " and m.ends_at > :as_of"
            " and (m.valid_from is null or m.valid_from <= :as_of)"
            " and (m.valid_until is null or m.valid_until > :as_of)"
        )
        moment, end = micros(as_of, "as_of"), micros(as_of, "as_of", end_of_day=True)
        assert end is not None
        params["as_of"] = end if end == moment else end - 1  # a day: its last moment
    return " and ".join(parts), params
