"""Store entities and relations inside a transaction: known ones are reused, others created.

An existing entity is reused only if it was stated as openly as it is now; otherwise a new one is
stored, so that no relation is more restricted than it was stated. Used by the methods and by
extraction.
"""

from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import msgspec

from ashd import errors
from ashd.access import disclosure, sensitivity
from ashd.access.actor import Call
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import one_line
from ashd.graph import audience, model, persons, succession, wire
from ashd.graph.audience import Spoken
from ashd.graph.model import Name, Period, RelationView
from ashd.memory.model import Sensitivity
from ashd.people import by_hand
from ashd.store import graph, graph_changes
from ashd.store.database import Tx
from ashd.store.graph import End, Entity, EntityType, Provenance, Relation
from ashd.store.visibility import Viewer
from ashd.wire_times import When, micros, require_order


class DisclosureParams(msgspec.Struct, frozen=True, kw_only=True):
    """The fields that decide the disclosure of a statement, the same as a memory's."""

    shared: bool = False
    sensitivity: Sensitivity | None = None
    portable: bool = True


class RelateParams(DisclosureParams, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The relation of `source` to `target`.

    An unknown end is created, with the type given, or else the usual one for the relation.
    `single`: whether the relation has one value at a time, if that is not known already.
    """

    source: Name
    relation: Name
    target: Name
    source_type: EntityType | None = None
    target_type: EntityType | None = None
    confidence: Annotated[float, msgspec.Meta(ge=0, le=1)] | None = None
    valid_from: When | None = None
    valid_until: When | None = None
    single: bool | None = None


class RelateResult(msgspec.Struct, frozen=True):
    """The relation; `revived` when it had ended before; `ended` are the values that it replaced."""

    outcome: Literal["added", "known", "revived"]
    relation: RelationView
    ended: list[str]


class Stated(NamedTuple):
    """A relation to store, checked."""

    params: RelateParams
    names: tuple[str, str]
    relation: str
    period: Period
    label: Sensitivity | None
    """The given label, else the one that its words ask for."""


def read_relation(params: RelateParams) -> Stated:
    """Check a relation without the database.

    Raises:
        errors.InvalidParams, errors.ContentRefused
    """
    names = (checked(params.source, "source"), checked(params.target, "target"))
    relation = model.relation_key(checked(params.relation, "relation"))
    # A secret may be in the sentence although neither name is one.
    sentence = f"{names[0]} {relation} {names[1]}"
    require_no_secret(sentence, "relation")
    period = Period(
        micros(params.valid_from, "valid_from"),
        micros(params.valid_until, "valid_until", end_of_day=True),
    )
    require_order(*period)
    label = params.sensitivity or sensitivity.classify(sentence)
    return Stated(params, names, relation, period, label)


def relate(
    tx: Tx, call: Call, viewer: Viewer, stated: Stated, spoken: Spoken | None = None
) -> RelateResult:
    """Store a relation that the call's speaker states.

    `spoken` is the turn that states it, if that was read later.

    Raises:
        errors.InvalidParams
        errors.Ambiguous: an end's name is that of entities of several types.
    """
    params, names, relation, period, _ = stated
    viewer = replace(viewer, everything=False)
    origin = origin_of(tx, call, viewer, params, stated.label, spoken)
    kind = model.kind_of(relation)
    types = (params.source_type, params.target_type)
    # Joined accounts keep entities of their own, so that they can be parted.
    with by_hand.apart(tx, viewer) as alone:
        source, target = (
            _end(tx, call, alone.viewer, name, said, usual, origin)
            for name, said, usual in zip(names, types, kind[:2], strict=True)
        )
    before = graph.stated_alike(tx, source.entity, relation, origin)
    same_target = graph.same_things(tx, [target.entity.id])
    same = [entry for entry in before if entry.target in same_target]
    others = [entry for entry in before if entry.target not in same_target]
    held_then = [
        entry for entry in same if not model.is_over(succession.period(entry), origin.said_at)
    ]
    active = [entry for entry in held_then if audience.is_same(tx, entry, origin)]
    is_labelled = params.sensitivity is not None or not params.portable
    if not active and not is_labelled and period == Period(None, None):
        # Everybody who hears it may see it already: the others must not notice the repetition.
        known = next((one for one in held_then if audience.keeps(tx, origin, one)), None)
        if known is not None:
            return RelateResult("known", wire.relation(tx, viewer, known), [])
    if active:
        number = active[0].id
        _assert_again(tx, active[0], params.confidence, period, origin.said_at)
    else:
        number = graph.insert_relation(
            *(tx, source, relation, target),
            1.0 if params.confidence is None else params.confidence,
            period,
            origin,
        )
        for entry in held_then if is_labelled else ():
            if audience.protection(entry) < audience.protection(origin):
                graph_changes.remove_relation(tx, entry.id)  # from now on it is held closer
    ended = []
    if kind.single if params.single is None else params.single:
        ended = succession.settle(tx, others, number)
    over = len(held_then) < len(same)
    outcome: Literal["added", "known", "revived"] = "added"
    if active:
        outcome = "known"
    elif over:
        outcome = "revived"
    return RelateResult(outcome, wire.relation(tx, viewer, graph.relation(tx, number)), ended)


def _assert_again(
    tx: Tx, known: Relation, confidence: float | None, period: Period, said_at: int
) -> None:
    """Record that a relation was stated again; an older statement adds only when it began.

    Raises:
        errors.InvalidParams: it would end before it begins.
    """
    start, end = succession.period(known)
    if said_at >= known.asserted_at:
        given = Period(
            start if period.start is None else period.start,
            end if period.end is None else period.end,
        )
        require_order(*given)
        is_sure = known.confidence if confidence is None else confidence
        graph_changes.assert_again(tx, known.id, said_at, is_sure, given)
    elif start is None and period.start is not None and (end is None or period.start < end):
        given = Period(period.start, end)
        graph_changes.assert_again(tx, known.id, known.asserted_at, known.confidence, given)


def _end(
    tx: Tx,
    call: Call,
    viewer: Viewer,
    name: str,
    said: EntityType | None,
    usual: EntityType,
    origin: Provenance,
) -> End:
    meant = persons.stated(tx, call, viewer, name)
    # An unknown relation connects concepts, unless its end is a known person.
    wanted = "person" if usual == "concept" and meant is not None else usual
    found, _ = find_or_make(
        tx, viewer, name, _type_of(tx, viewer, name, said, wanted), origin, meant
    )
    key = model.key(name)
    # An end stated by an alias keeps it: the entity's name may be more restricted.
    return End(found, found.name if key == found.key else name, key)


def checked(text: str, field: str) -> str:
    """Return a name, checked, on one line.

    Raises:
        errors.InvalidParams, errors.ContentRefused
    """
    cleaned = one_line(text)
    if not cleaned:
        raise errors.InvalidParams(f"{field} is empty.", "Give it words.")
    require_no_secret(cleaned, field)
    return cleaned


def origin_of(
    tx: Tx,
    call: Call,
    viewer: Viewer,
    params: DisclosureParams,
    label: str | None,
    spoken: Spoken | None,
) -> Provenance:
    """Return the origin of the speaker's statement with this label.

    Of a turn that was `spoken` before it has the time, and is protected at least as the turn is.

    Raises:
        errors.InvalidParams: it is shared where there is nobody to share it with.
    """
    if params.shared and not viewer.group:
        raise errors.InvalidParams(
            "shared belongs to a group.", "Leave it out in a private chat: what is told is yours."
        )
    account = call.speaker(tx, viewer)
    is_chats = params.shared or viewer.account is None
    assert viewer.chat is not None
    if spoken is None:
        spoken = Spoken(tx.now, None, portable=True)
    label = disclosure.stricter(label, spoken.sensitivity)
    if spoken.has_other_hearers and disclosure.STRICTNESS[label]:
        label = "sensitive"
    return Provenance(
        owner=None if is_chats else viewer.account,
        chat=viewer.chat if is_chats else None,
        learned_in=viewer.chat,
        learned_type="group" if viewer.group else "private",
        stated_by=account.id if account else None,
        said_at=min(spoken.said_at, tx.now),  # who joins until a time to come was not present
        sensitivity=label,
        portable=params.portable and spoken.portable,
        project=call.scope.told_in.id if call.scope.told_in else None,
    )


def find_or_make(
    tx: Tx, viewer: Viewer, name: str, kind: EntityType, origin: Provenance, meant: int | None
) -> tuple[Entity, bool]:
    """Return (the entity of this type and name, whether it is new); a known person by any name."""
    person = meant if kind == "person" else None
    rows = persons.one(tx, person)
    for known in graph.called_here(tx, viewer, model.key(name)):
        is_other = person is not None and known.person is not None and known.person not in rows
        if known.type == kind and not is_other and audience.keeps(tx, origin, known):
            if person is not None and known.person is None:
                graph.link(tx, known.id, person)
            return known._replace(person=known.person or person), False
    for known in graph.persons_here(tx, viewer, rows):
        if audience.keeps(tx, origin, known):
            return known, False
    return graph.insert_entity(tx, kind, name, model.key(name), origin, person), True


def _type_of(
    tx: Tx, viewer: Viewer, name: str, said: EntityType | None, usual: EntityType
) -> EntityType:
    """Return the type of an end: as stated, else that of a known entity of this name."""
    if said is not None:
        return said
    known = {entity.type for entity in graph.called_here(tx, viewer, model.key(name))}
    if not known or usual in known:
        return usual
    if len(known) > 1:
        raise errors.Ambiguous(
            "Several kinds of things are called so.",
            "Say which with source_type or target_type.",
            candidates=[{"name": name, "type": kind} for kind in sorted(known)],
        )
    return known.pop()
