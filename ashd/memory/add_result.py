"""The result of storing facts, as the caller sees it."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, Literal

import msgspec

from ashd import errors
from ashd.memory import model, wire
from ashd.memory.model import Memory
from ashd.memory.verdicts import Linked
from ashd.people import model as people_model
from ashd.people.alternatives import MayBe
from ashd.people.resolve import Resolved
from ashd.store import memories, memory_links
from ashd.store.database import Tx
from ashd.store.memories import Record
from ashd.store.visibility import Viewer
from ashd.wire_schemas import error_object


class PersonNamed(msgspec.Struct, frozen=True):
    """A subject of a fact, whether the fact created the person, and who else could be meant."""

    id: str
    name: str
    created: bool
    may_be: list[MayBe]


class MayReplace(msgspec.Struct, frozen=True):
    """An earlier memory that the new one may replace; `memory.supersede` settles it."""

    id: str
    content: str
    likelihood: float


class Added(msgspec.Struct, frozen=True, omit_defaults=True):
    """The outcome of one fact."""

    outcome: Literal["added", "duplicate", "refused"]
    memory: Memory | None
    superseded: list[str]
    may_replace: list[MayReplace]
    """The likeliest conflict, if it is likelier than not and a single fact was added."""
    repeats: list[str]
    people: list[PersonNamed]
    not_kept: list[str] = []
    """The fields of a duplicate that the memory did not take over; `memory.update` changes them,
    all but `observed_at`.
    """
    job_id: str | msgspec.UnsetType = msgspec.UNSET
    """The job in which a language model judges what the rule left open."""
    error: Annotated[dict[str, Any], error_object] | msgspec.UnsetType = msgspec.UNSET


class AddResult(msgspec.Struct, frozen=True):
    """One entry per fact, in order.

    `degraded` if facts are judged later: "embedder" with their vectors, "judge" when there is time.
    """

    memories: list[Added]
    degraded: list[str]


def added(
    tx: Tx,
    viewer: Viewer,
    outcome: Literal["added", "duplicate"],
    record: Record,
    superseded: list[str],
    created: set[int],
    may_be: Mapping[int, Sequence[MayBe]] = MappingProxyType({}),
    asked: Linked | None = None,
) -> Added:
    """Return the entry of a stored fact.

    By row number: `created` are the people it created, `may_be` those who could be meant instead.
    `asked` is the conflict to ask about.
    """
    about = model.subjects(record)
    linked = memory_links.older_than(tx, record.id)
    older = memories.by_ids(tx, viewer, [link.older for link in linked])
    shown = [(link.kind, older[link.older]) for link in linked if link.older in older]
    names = people_model.names_for(tx, viewer, {number for number, _ in about})
    memory = wire.memory(tx, viewer, record)
    return Added(
        outcome=outcome,
        memory=memory,
        superseded=superseded,
        may_replace=[
            MayReplace(one.uuid, one.content, round(asked.likelihood, 2))
            for kind, one in shown
            if kind == "may_replace" and asked is not None and one.id == asked.record.id
        ],
        repeats=[one.uuid for kind, one in shown if kind == "repeats"],
        people=[
            PersonNamed(uuid, names[number], number in created, list(may_be.get(number, ())))
            for (number, _), uuid in zip(about, memory.subject_person_ids, strict=True)
        ],
    )


def named(tx: Tx, viewer: Viewer, found: Sequence[Resolved]) -> list[PersonNamed]:
    """Return the people that references meant, as the viewer knows them, and alternatives."""
    known = people_model.load(tx, viewer, {one.person for one in found})
    return [
        PersonNamed(known[number].known_as.uuid, known[number].name, one.created, list(one.may_be))
        for number, one in {one.person: one for one in found}.items()
    ]


def refused(error: errors.AshError) -> Added:
    """Return the entry of a fact that was not stored, with the reason."""
    data = {"code": error.code, "message": error.message, "data": error.to_data()}
    return refused_with(data)


def refused_with(error: dict[str, Any]) -> Added:
    """Return the entry of a fact that was not stored, with its error as on the wire."""
    return Added(
        outcome="refused",
        memory=None,
        superseded=[],
        may_replace=[],
        repeats=[],
        people=[],
        error=error,
    )
