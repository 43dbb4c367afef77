"""Filters: which memories, messages or relations a reader asks for, and their SQL.

A filter is a value: the domain makes it, caches are keyed by it, and only this package turns it
into a condition. It never widens what the viewer may see; the disclosure policy is added to it.
"""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from ashd.store.dialect import text_list

Condition: TypeAlias = tuple[str, dict[str, Any]]
"""SQL, and the values of its named parameters."""

_PARAMETER: Final = re.compile(r":(\w+)")
_ABOUT: Final = (
    "(exists (select 1 from memory_subjects s where s.memory = m.id and s.person = :about)"
    " or m.first_person = 1 and not exists"
    " (select 1 from memory_subjects s where s.memory = m.id and s.is_read = 0) and exists"
    " (select 1 from accounts a where a.id = m.stated_by and a.person = :about))"
)
"""A memory whose caller named nobody is about the "I" in it, too."""
_MAY_BE_ABOUT: Final = (
    "select memory as id from memory_subjects where person = :about",
    (
        "select m.id from accounts a cross join memories m on m.stated_by = a.id"
        " where a.person = :about"
    ),
)
_OF_GRANT: Final = ("select id from memories where grant_id = :grant_id",)
_HAS_TAGS: Final = (
    f"not exists (select 1 from {text_list(':tags')} wanted where wanted.value not in"
    f" (select value from {text_list('m.tags')}))"
)
_KNOWN_AT: Final = (
    "coalesce(m.observed_at, m.created_at) <= :as_of"
    " and (m.archived_at is null or m.archived_at > :as_of or m.archive_reason = 'superseded')"
    " and m.ends_at > :as_of"
    " and (m.valid_from is null or m.valid_from <= :as_of)"
    " and (m.valid_until is null or m.valid_until > :as_of)"
)
_VALID: Final = (
    "(m.valid_from is null or m.valid_from <= :at)"
    " and (m.valid_until is null or m.valid_until > :at)"
)
Side: TypeAlias = Literal["out", "in"]
_TOUCHES: Final[dict[Side, str]] = {
    "out": "m.source in (select value from json_each(:ends))",
    "in": "m.target in (select value from json_each(:ends))",
}


@dataclass(frozen=True, slots=True)
class MemoryFilter:
    """A reader's filter of memories, apart from words; None and () are no condition."""

    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Tags that it must all have."""
    about: int | None = None
    """A person, by row number."""
    known_at: int | None = None
    """Time at which a memory was known and valid (D9); `Chains.known_at` takes out the superseded.
    """
    source: str | None = None
    session_id: str | None = None
    grant_id: str | None = None
    project: str | None = None
    """The project that it belongs to."""
    stored_from: int | None = None
    stored_before: int | None = None


@dataclass(frozen=True, slots=True)
class ConversationFilter:
    """A filter of messages, or of what was made of them, by their conversation."""

    conversation_id: str | None = None
    id: str | None = None
    """The id that the daemon gave it."""


Filter: TypeAlias = MemoryFilter | ConversationFilter


@dataclass(frozen=True, slots=True)
class RelationFilter:
    """Relations between entities; None is no condition."""

    relation: str | None = None
    valid_at: int | None = None
    created_by: int | None = None
    """Stated at that time or before it."""
    ends: frozenset[int] | None = None
    """Entities; a relation must have one of them as an end, on one of the `sides`."""
    sides: tuple[Side, ...] = ("out", "in")
    id_prefix: str | None = None


def condition(wanted: Filter) -> Condition:
    """Return the condition of a filter on `m` (a row of memories) or `c` (of conversations)."""
    if isinstance(wanted, ConversationFilter):
        return _all_of(
            ("c.external_id = :conversation_id", wanted.conversation_id),
            ("c.uuid = :id", wanted.id),
        )
    return _all_of(
        (f"m.memory_type in (select value from {text_list(':types')})", _array(wanted.types)),
        (_HAS_TAGS, _array(wanted.tags)),
        (_ABOUT, wanted.about),
        (_KNOWN_AT, wanted.known_at),
        ("m.source = :source", wanted.source),
        ("m.source_session_id = :session_id", wanted.session_id),
        ("m.grant_id = :grant_id", wanted.grant_id),
        ("m.project = :of_project", wanted.project),
        ("m.created_at >= :stored_from", wanted.stored_from),
        ("m.created_at < :stored_before", wanted.stored_before),
    )


def indexed(wanted: MemoryFilter) -> tuple[str, ...]:
    """Return queries by indexes that together find the `id` of every memory that may match.

    The queries have the parameters of `condition`. The list is empty if no index helps.
    """
    if wanted.grant_id is not None:
        return _OF_GRANT
    return () if wanted.about is None else _MAY_BE_ABOUT


def relation_condition(wanted: RelationFilter) -> Condition:
    """Return the condition of a filter on `m`, a row of relations."""
    touches = " or ".join(_TOUCHES[side] for side in wanted.sides)
    where, values = _all_of(
        ("m.relation = :relation", wanted.relation),
        (_VALID, wanted.valid_at),
        ("m.created_at <= :created_by", wanted.created_by),
        (touches, None if wanted.ends is None else json.dumps(sorted(wanted.ends))),
    )
    if wanted.id_prefix is None:
        return where, values
    prefixed, more = prefix_condition(wanted.id_prefix)
    return f"{where} and {prefixed}", values | more


def prefix_condition(prefix: str) -> Condition:
    """Return the condition that the id of `m` has a prefix; characters of ids are below "g"."""
    return "m.uuid >= :low and m.uuid < :high", {"low": prefix, "high": prefix + "g"}


def _array(values: tuple[str, ...]) -> str | None:
    return json.dumps(values) if values else None


def _all_of(*parts: tuple[str, object]) -> Condition:
    """Return the conditions whose value is given, each with one named parameter for it."""
    given = [(sql, value) for sql, value in parts if value is not None]
    where = " and ".join(f"({sql})" for sql, _ in given) or "true"
    return where, {_PARAMETER.findall(sql)[0]: value for sql, value in given}
