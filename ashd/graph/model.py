"""The kinds of relations: which have one value at a time, and the types of their ends.

A name is compared by its key, a relation by its words. Pure.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Final, NamedTuple

import msgspec

from ashd import limits
from ashd.access.text_cleaning import one_line
from ashd.clock import to_text
from ashd.language.folding import fold_entity
from ashd.store.graph import EntityType, Relation

Name = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.NAME_CHARS)]

_ARTICLE: Final = re.compile(r"^the (?=.)")
_DAY_CHARS: Final = len("2026-11-20")
_AROUND: Final = " \"'.,;:!?()"


class Kind(NamedTuple):
    """The default types of a relation's ends, and whether it has one value at a time."""

    source: EntityType
    target: EntityType
    single: bool = False


_UNKNOWN: Final = Kind("concept", "concept")
_KINDS: Final[dict[str, Kind]] = {
    "works at": Kind("person", "company", single=True),
    "works for": Kind("person", "company", single=True),
    "employed by": Kind("person", "company", single=True),
    "lives in": Kind("person", "place", single=True),
    "lives at": Kind("person", "place", single=True),
    "based in": Kind("company", "place", single=True),
    "headquartered in": Kind("company", "place", single=True),
    "located in": Kind("place", "place", single=True),
    "born in": Kind("person", "place", single=True),
    "reports to": Kind("person", "person", single=True),
    "married to": Kind("person", "person", single=True),
    "engaged to": Kind("person", "person", single=True),
    "studies at": Kind("person", "place", single=True),
    "leads": Kind("person", "project"),
    "manages": Kind("person", "person"),
    "knows": Kind("person", "person"),
    "founded": Kind("person", "company"),
    "owns": Kind("person", "concept"),
    "works on": Kind("person", "project"),
    "uses": Kind("person", "tool"),
    "depends on": Kind("project", "tool"),
    "part of": Kind("concept", "concept"),
    "attended": Kind("person", "event"),
    "visited": Kind("person", "place"),
}


class EndView(msgspec.Struct, frozen=True):
    """One end of a relation, with the name that was used when it was stated."""

    id: str
    type: EntityType
    name: str


class RelationView(msgspec.Struct, frozen=True):
    """A relation. It holds from `valid_from` to before `valid_until`.

    `stated_by` is a user id, null for an account that the viewer never met. `said_at` is when it
    was first said, `asserted_at` when it was last said.
    """

    id: str
    source: EndView
    relation: str
    target: EndView
    confidence: float
    valid_from: str | None
    valid_until: str | None
    stated_by: str | None
    said_at: str
    created_at: str
    asserted_at: str


class EntityView(msgspec.Struct, frozen=True):
    """An entity, with its other names; `person_id` if it is a person known here."""

    id: str
    type: EntityType
    name: str
    aliases: list[str]
    person_id: str | None


class Period(NamedTuple):
    """The time span in which something holds, excluding `end`; None if unknown or unbounded."""

    start: int | None
    end: int | None


def key(name: str) -> str:
    """Return the key by which names of entities compare.

    Case, the accents of Latin letters, a leading article and punctuation around a name do not
    count.
    """
    text = fold_entity(one_line(name))
    bare = text.strip(_AROUND)
    return _ARTICLE.sub("", bare) or text


def relation_key(text: str) -> str:
    """Return a relation as it is stored: `WORKS_AT` and "works  at" are the same."""
    return one_line(text.replace("_", " ")).casefold()


def kind_of(relation: str) -> Kind:
    """Return the kind of a relation; an unknown one connects concepts and has many values."""
    return _KINDS.get(relation, _UNKNOWN)


def settle(older: Period, newer: Period, now: int) -> tuple[Period, Period]:
    """Settle two values of a relation that has one at a time: the earlier ends at the later.

    The newer one was said at `now`. A value that has ended already ends nothing.
    """
    if newer.end is not None and newer.end <= now:
        return older, newer
    if older.start is not None and newer.start is not None and older.start > newer.start:
        return older, Period(newer.start, _earlier(newer.end, older.start))
    begins = now if newer.start is None else newer.start
    return Period(older.start, _earlier(older.end, begins)), newer


def replaced(older: Period, newer: Period, said_at: int) -> Period:
    """Return the period of a value that is read after another, which was said later at `said_at`.

    A value that had ended by then ends nothing. The newer one stays as it is.
    """
    if is_over(newer, said_at):
        return older
    begins = newer.start
    if begins is None or (older.start is not None and begins <= older.start):
        begins = said_at
    return Period(older.start, _earlier(older.end, begins))


def _earlier(one: int | None, other: int) -> int:
    return other if one is None else min(one, other)


def is_over(period: Period, now: int) -> bool:
    """Return whether it no longer holds."""
    return period.end is not None and period.end <= now


def to_wire(found: Relation, user_ids: Mapping[int | None, str]) -> RelationView:
    """Return the relation as the wire shows it, by the accounts that the viewer may know of."""
    return RelationView(
        id=found.uuid,
        source=EndView(found.source_uuid, found.source_type, found.source_name),
        relation=found.relation,
        target=EndView(found.target_uuid, found.target_type, found.target_name),
        confidence=found.confidence,
        valid_from=to_text(found.valid_from),
        valid_until=to_text(found.valid_until),
        stated_by=user_ids.get(found.stated_by),
        said_at=to_text(found.said_at) or "",
        created_at=to_text(found.created_at) or "",
        asserted_at=to_text(found.asserted_at) or "",
    )


def line(found: RelationView) -> str:
    """Return the relation as a sentence: from when to when, or when it was last said."""
    dates = [
        f"{word} {at[:_DAY_CHARS]}"
        for word, at in (("since", found.valid_from), ("until", found.valid_until))
        if at is not None
    ]
    when = ", ".join(dates) or f"said {found.asserted_at[:_DAY_CHARS]}"
    return f"{found.source.name} {found.relation} {found.target.name} ({when})"
