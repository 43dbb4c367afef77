"""The people that a caller knows: `person.resolve`, `person.list`, `person.get`."""

import builtins
from collections.abc import Set as AbstractSet
from typing import Annotated, NamedTuple

import msgspec

from ashd import errors, limits
from ashd.access import sensitivity
from ashd.access.actor import Call
from ashd.access.quota import Cost
from ashd.access.sensitivity import Label
from ashd.ids import RowId, find_one
from ashd.language.word_patterns import LETTERS_AND_DIGITS
from ashd.people import hint_reading, listing, model, resolve, told
from ashd.people.alternatives import MayBe
from ashd.people.listing import ListParams, ListResult
from ashd.people.model import Known, PersonView, RelationshipView
from ashd.people.resolve import Resolved
from ashd.store import merges, people
from ashd.store.database import Database, Tx
from ashd.store.people import Relationship
from ashd.store.visibility import Viewer

Reference = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.NAME_CHARS)]
PersonId = RowId


class ResolveParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The reference to resolve; `content_hint` is the sentence that contains it."""

    reference: Reference
    content_hint: Annotated[str, msgspec.Meta(max_length=limits.CONTENT_CHARS)] | None = None
    create: bool = True

    def cost(self) -> Cost:
        """Creating a person is a write."""
        return Cost(int(self.create))


class ResolveResult(msgspec.Struct, frozen=True):
    """The person that was meant, and how it was found."""

    person_id: str
    person_name: str
    created: bool
    matched_by: str
    may_be: builtins.list[MayBe]
    """Other people whom the reference could mean."""


class Acquaintance(NamedTuple):
    """A person with the speaker's own word for their relationship."""

    person: PersonView
    relationship: str | None


class IdParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One person."""

    id: PersonId


class PersonResult(msgspec.Struct, frozen=True):
    """One person."""

    person: PersonView


class GetParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One person; `related` adds the people with a relationship to this person."""

    id: PersonId
    related: bool = False


class RelatedView(RelationshipView, frozen=True, kw_only=True):
    """A relationship of another person, `id`, to this one."""

    id: str
    name: str


class GetResult(PersonResult, frozen=True, omit_defaults=True):
    """One person; with `related`, also the latest relationships of others to this person.

    `related_total` counts them all. `can_split`: there is a merge that the caller may undo.
    """

    related: list[RelatedView] | msgspec.UnsetType = msgspec.UNSET
    related_total: int | msgspec.UnsetType = msgspec.UNSET
    can_split: bool | msgspec.UnsetType = msgspec.UNSET


class PeopleDirectory:
    """Finds people."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def resolve(self, call: Call, params: ResolveParams) -> ResolveResult:
        """Find the person that a reference means; creating one needs the right to write.

        New details in the reference are stored if the caller may write.

        Raises:
            errors.NotFound: nobody, and `create` is off.
            errors.Ambiguous: several people fit.
            errors.Denied: nobody, and the grant may not write, or memory is off.
        """
        held = None
        if params.content_hint:
            held = await self._db.compute(_read_hint, params.content_hint)
        if params.create and call.memory_on and "write" in call.actor.rights:
            kept = await self._db.write(
                lambda tx: _resolve(tx, call, params, held, keep=True),
                scoped=True,
                seconds=call.writer_seconds,
            )
            assert kept is not None
            return kept
        try:
            seen = await self._db.read(lambda tx: _resolve(tx, call, params, held, keep=False))
        except errors.InvalidParams as error:
            if call.memory_on:
                raise
            raise errors.InvalidParams(
                "Memory is switched off, so nobody is known whom this could mean.",
                "The person on the host can switch it on: [memory] enabled = true in config.toml.",
            ) from error
        if seen is None and not params.create:
            raise errors.NotFound(
                "Nobody is known by this name.", "Create the person, or ask who it is."
            )
        if seen is None:
            call.require("write")
            call.require_memory()
        assert seen is not None
        return seen

    async def list(self, call: Call, params: ListParams) -> ListResult:
        """List the people known here, page by page; by default the most recently active first."""
        return await self._db.read(lambda tx: listing.page(tx, call, params))

    def known(
        self, tx: Tx, call: Call, limit: int, message: str = ""
    ) -> "builtins.list[Acquaintance]":
        """Return the people most recently spoken of, without the speaker (B10).

        Those whom a message names are among them, however long ago they were spoken of.
        """
        viewer = call.look(tx)
        account = call.speaker(tx, viewer)
        own = account.person if account else None
        others = [known for known in listing.shown(tx, viewer) if known.person.id != own]
        words = set(LETTERS_AND_DIGITS.findall(message.lower()))
        named = [known for known in others[limit:] if _is_named(known, words)][:limit]
        return [
            Acquaintance(model.to_wire(tx, known, viewer), _word_of(known, own))
            for known in (*others[: limit - len(named)], *named)
        ]

    async def get(self, call: Call, params: GetParams) -> GetResult:
        """Show a person."""
        return await self._db.read(lambda tx: _get(tx, call, params))


def _is_named(known: Known, words: AbstractSet[str]) -> bool:
    """Return whether one of these words is of a name of the person."""
    names = (known.name, *(alias.value for alias in known.aliases))
    return any(not words.isdisjoint(LETTERS_AND_DIGITS.findall(name.lower())) for name in names)


def _read_hint(hint: str) -> Label:
    """Read a hint before the transaction; return its sensitivity label."""
    hint_reading.read_ahead(hint)
    return sensitivity.classify(hint)


def _resolve(
    tx: Tx, call: Call, params: ResolveParams, held: Label, *, keep: bool
) -> ResolveResult | None:
    viewer = call.enter(tx) if keep else call.look(tx)
    speaker = resolve.speaker_of(tx, viewer, call.speaker(tx, viewer), held)
    reference, hint = params.reference, params.content_hint
    found: Resolved | None
    if keep:
        found = told.resolve(tx, speaker, reference, hint=hint, is_stored=False).found
    else:
        found = resolve.resolve(tx, speaker, reference, hint=hint, create=False, is_stored=False)
    if found is None:
        return None
    if keep and (found.created or found.tells):
        call.record(tx)
    known = model.load(tx, viewer, {found.person})[found.person]
    return ResolveResult(
        person_id=known.known_as.uuid,
        person_name=known.name,
        created=found.created,
        matched_by=found.matched_by,
        may_be=list(found.may_be),
    )


def _word_of(known: Known, own: int | None) -> str | None:
    """Return the latest active word ("wife") for the person's relationship to the speaker."""
    words = [
        claim.relationship
        for claim in known.relationships
        if claim.to_person == own and claim.ended_at is None
    ]
    return words[-1] if words else None


def _get(tx: Tx, call: Call, params: GetParams) -> GetResult:
    viewer = call.look(tx)
    number = find(tx, viewer, params.id)
    shown = view(tx, viewer, number)
    if not params.related:
        return GetResult(shown)
    claims = _claims_on(tx, viewer, number)
    latest = sorted(claims, key=lambda pair: pair[1].created_at)[-limits.RESULTS_PER_CALL :]
    by_person = {known.person.id: model.to_wire(tx, known, viewer) for known, _ in latest}
    related = [
        _related(by_person[known.person.id], known.relationships.index(claim))
        for known, claim in latest
    ]
    return GetResult(shown, related, len(claims), _can_split(tx, viewer, number))


def _can_split(tx: Tx, viewer: Viewer, number: int) -> bool:
    """Return whether the caller may undo the latest merge into this person (`person.split`)."""
    merged = merges.latest_into(tx, number)
    if merged is None or viewer.everything:
        return merged is not None
    is_own = people.by_id(tx, merged.loser).created_by in viewer.accounts
    return is_own and not merges.moved_accounts(merged)


def _claims_on(tx: Tx, viewer: Viewer, number: int) -> list[tuple[Known, Relationship]]:
    """Return the relationships to this person of people whom the viewer knows here."""
    others = people.related(tx, {number}, ended=True) & model.listed(tx, viewer)
    return [
        (other, claim)
        for other in model.load(tx, viewer, others).values()
        for claim in other.relationships
        if claim.to_person == number
    ]


def _related(shown: PersonView, place: int) -> RelatedView:
    claim = msgspec.structs.asdict(shown.relationships[place])
    return RelatedView(id=shown.id, name=shown.name, **claim)


def known(tx: Tx, viewer: Viewer, number: int) -> Known:
    """Return the person with that row number as the viewer knows it."""
    return model.load(tx, viewer, {number})[number]


def view(tx: Tx, viewer: Viewer, number: int) -> PersonView:
    """Return the person with that row number in the form of the wire."""
    return model.to_wire(tx, known(tx, viewer, number), viewer)


def find(tx: Tx, viewer: Viewer, person_id: str) -> int:
    """Return the person with this id, or unique prefix of an id, if the viewer knows it here.

    A merged person is found as the one it was merged into.

    Raises:
        errors.NotFound, errors.Ambiguous
    """
    listed = model.listed(tx, viewer)

    def lookup(prefix: str) -> list[tuple[str, int]]:
        return [
            (uuid, number)
            for uuid, number in people.by_prefix(tx, prefix)
            if viewer.everything or _is_listed(tx, viewer, listed, number)
        ]

    return people.final(tx, find_one(person_id, "person", lookup))


def _is_listed(tx: Tx, viewer: Viewer, listed: set[int], number: int) -> bool:
    person = people.final(tx, number)
    if person not in listed:
        return False
    return model.is_known_by(tx, viewer, known(tx, viewer, person), number)
