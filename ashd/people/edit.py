"""The operator's changes to a person: names, aliases, relationships, the record itself.

A call acts on behalf of its scope: it changes what this user stated, never what somebody else did,
least of all what people stated about themselves (B8). With `all_scopes` the operator may change
everything.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from ashd import errors, limits
from ashd.access import disclosure, metadata, sensitivity
from ashd.access.actor import Call
from ashd.access.secrets import require_no_secret
from ashd.access.text_cleaning import one_line
from ashd.language.people import references, vocabulary
from ashd.language.people.references import Reference
from ashd.language.words import normalise
from ashd.people import by_hand, directory, joining, learn_from_mention, reference_candidates
from ashd.people.directory import IdParams, PersonId, PersonResult
from ashd.people.reference_matching import Wanted
from ashd.store import chats, merges, people, rejected_references
from ashd.store.database import Database, Tx
from ashd.store.people import Alias, Person, Relationship
from ashd.store.visibility import Viewer

Word = Annotated[str, msgspec.Meta(min_length=1, max_length=limits.NAME_CHARS)]


class CreateParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A person's name, and their relationship to the scope's user ("plumber")."""

    name: Word
    relationship: Word | None = None


class UpdateParams(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
):
    """A person and the changes; null `metadata` removes it."""

    id: PersonId
    name: Word | msgspec.UnsetType = msgspec.UNSET
    metadata: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET


class AliasParams(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person, and another name."""

    id: PersonId
    alias: Word


class RelateParams(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The relationship ("wife") of a person to another; without `to`, to the scope's user."""

    id: PersonId
    relationship: Word
    to: PersonId | None = None


class EditPeople:
    """Changes people."""

    def __init__(self, db: Database) -> None:
        self._db = db

    async def create(self, call: Call, params: CreateParams) -> PersonResult:
        """Create a person, even if somebody else has the name.

        Raises:
            errors.QuotaExceeded: too many people were made known in this chat.
        """
        return await self._db.write(lambda tx: _create(tx, call, params), scoped=True)

    async def update(self, call: Call, params: UpdateParams) -> PersonResult:
        """Change a person's name or metadata.

        Raises:
            errors.Denied: the person is not the scope's to change.
        """
        return await self._db.write(lambda tx: _update(tx, call, params))

    async def add_alias(self, call: Call, params: AliasParams) -> PersonResult:
        """Add another name that means this person."""
        return await self._db.write(lambda tx: _add_alias(tx, call, params), scoped=True)

    async def remove_alias(self, call: Call, params: AliasParams) -> PersonResult:
        """Remove another name of a person.

        Raises:
            errors.Denied: somebody else stated it.
        """
        return await self._db.write(lambda tx: _remove_alias(tx, call, params))

    async def relate(self, call: Call, params: RelateParams) -> PersonResult:
        """State the relationship of a person to the user of the scope, or to another person."""
        return await self._db.write(lambda tx: _relate(tx, call, params), scoped=True)

    async def unrelate(self, call: Call, params: RelateParams) -> PersonResult:
        """End a relationship; it stays in the history.

        Raises:
            errors.Denied: somebody else stated it.
        """
        return await self._db.write(lambda tx: _unrelate(tx, call, params), scoped=True)

    async def delete(self, call: Call, params: IdParams) -> PersonResult:
        """Delete everything known of a person; memories about them stay, without a name.

        Raises:
            errors.Denied: the person has an account, or others stated something about it.
        """
        return await self._db.write(lambda tx: _delete(tx, call, params))


def _create(tx: Tx, call: Call, params: CreateParams) -> PersonResult:
    viewer = call.enter(tx)
    name = _checked(params.name, "name")
    word = _relationship(params.relationship) if params.relationship else None
    held = disclosure.stricter(sensitivity.classify(name), sensitivity.classify(word or ""))
    speaker = reference_candidates.speaker_of(tx, viewer, call.speaker(tx, viewer), held)
    if word is not None and speaker.person is None:
        raise errors.InvalidParams("Nobody acts here to be related to.", "Leave relationship out.")
    with by_hand.apart(tx, viewer) as alone:
        account = call.speaker(tx, viewer)
        speaker = reference_candidates.speaker_of(tx, alone.viewer, account, held)
        wanted = Wanted(Reference(name=name, relationship=word), name, speaker.person, held)
        number = learn_from_mention.create(tx, speaker, wanted)
    call.record(tx)
    return PersonResult(directory.view(tx, viewer, number))


def _update(tx: Tx, call: Call, params: UpdateParams) -> PersonResult:
    if params.name is msgspec.UNSET and params.metadata is msgspec.UNSET:
        raise errors.InvalidParams("Nothing is to be different.", "Give name or metadata.")
    viewer = call.enter(tx)
    number = directory.find(tx, viewer, params.id)
    person = people.by_id(tx, number)
    accounts = {account.id for account in chats.accounts_of(tx, number)}
    own = accounts <= set(viewer.accounts) if accounts else person.created_by in viewer.accounts
    if not (own or viewer.everything):
        raise errors.Denied(
            "This person is somebody else's to name.",
            "Add an alias of your own, or act as the operator (all_scopes).",
        )
    if params.name is not msgspec.UNSET:
        name = _checked(params.name, "name")
        with by_hand.apart(tx, viewer, (number, params.id)) as alone:
            _rename(tx, alone.viewer, people.by_id(tx, alone.persons[0]), name)
    if params.metadata is not msgspec.UNSET:
        people.set_metadata(tx, number, metadata.encode(params.metadata))
    call.record(tx)
    return PersonResult(directory.view(tx, viewer, number))


def _rename(tx: Tx, viewer: Viewer, person: Person, name: str) -> None:
    """Set the person's name in this chat; names stated elsewhere are unchanged.

    The names that a provider gives an account are read from the account, so they stay too.
    """
    here = person.learned_in if viewer.everything else viewer.chat
    if person.named and person.learned_in not in {None, here}:
        people.add_alias(
            *(tx, person.id, person.name, normalise(person.name)),
            added_by=person.created_by,
            learned_in=person.learned_in,
            sensitivity=person.sensitivity,
            said_at=person.said_at,
            stored_at=person.named_at,
        )
    else:
        people.forget_name(tx, person.id, person.name)
    by = person.created_by if viewer.everything else viewer.account
    people.rename(
        *(tx, person.id, name),
        by=by,
        learned_in=here,
        said_at=tx.now,
        sensitivity=person.sensitivity,
    )


def _add_alias(tx: Tx, call: Call, params: AliasParams) -> PersonResult:
    viewer = call.enter(tx)
    number = directory.find(tx, viewer, params.id)
    alias = _checked(params.alias, "alias")
    rejected_references.remove(
        tx, number, {normalise(alias)}, None if viewer.everything else viewer.accounts
    )
    with by_hand.apart(tx, viewer, (number, params.id)) as alone:
        added = people.add_alias(
            *(tx, alone.persons[0], alias, normalise(alias)),
            added_by=viewer.account,
            learned_in=viewer.chat,
            said_at=tx.now,
            sensitivity=sensitivity.classify(alias),
        )
    if added is not None:
        call.record(tx)
    return PersonResult(directory.view(tx, viewer, number))


def _remove_alias(tx: Tx, call: Call, params: AliasParams) -> PersonResult:
    viewer = call.enter(tx)
    number = directory.find(tx, viewer, params.id)
    key = normalise(one_line(params.alias))
    stated = [alias for alias in directory.known(tx, viewer, number).aliases if alias.learned_in]
    known = [alias for alias in stated if alias.key == key]
    if not known:
        raise errors.NotFound(
            "Nobody added such an alias.",
            "`ash person show` shows them; the names of an account are its provider's.",
        )
    mine = [alias for alias in known if viewer.everything or alias.added_by in viewer.accounts]
    _require_own(mine, "added this alias")
    _require_here(tx, viewer, mine)
    for alias in mine:
        people.remove_alias(tx, alias.id)
        people.forget_name(tx, number, alias.value)
    call.record(tx)
    return PersonResult(directory.view(tx, viewer, number))


def _relate(tx: Tx, call: Call, params: RelateParams) -> PersonResult:
    viewer = call.enter(tx)
    number = directory.find(tx, viewer, params.id)
    to_person = _to(tx, viewer, params)
    if to_person is None:
        raise errors.InvalidParams("Nobody acts here to be related to.", "Give `to`.")
    if to_person == number:
        raise errors.InvalidParams("Nobody is related to himself.", "Name two people.")
    word = _relationship(params.relationship)
    with by_hand.apart(tx, viewer, (number, params.id), (to_person, params.to or "")) as alone:
        person, to_person = alone.persons
        people.relate(
            *(tx, person, word, to_person),
            stated_by=viewer.account,
            learned_in=viewer.chat,
            said_at=tx.now,
            sensitivity=sensitivity.classify(word),
        )
    call.record(tx)
    return PersonResult(directory.view(tx, viewer, number))


def _unrelate(tx: Tx, call: Call, params: RelateParams) -> PersonResult:
    viewer = call.enter(tx)
    number = directory.find(tx, viewer, params.id)
    to_person = _to(tx, viewer, params)
    word = _relationship(params.relationship)
    known = [
        claim
        for claim in directory.known(tx, viewer, number).relationships
        if claim.relationship == word
        and claim.ended_at is None
        and (to_person is None or claim.to_person == to_person)
    ]
    if not known:
        raise errors.NotFound("There is no such relationship.", "`ash person show` shows them.")
    mine = [claim for claim in known if viewer.everything or claim.stated_by in viewer.accounts]
    _require_own(mine, "stated this")
    _require_here(tx, viewer, mine)
    for claim in mine:
        people.end_relationship(tx, claim.id)
    call.record(tx)
    return PersonResult(directory.view(tx, viewer, number))


def _delete(tx: Tx, call: Call, params: IdParams) -> PersonResult:
    viewer = call.enter(tx)
    number = directory.find(tx, viewer, params.id)
    shown = PersonResult(directory.view(tx, viewer, number))
    if chats.accounts_of(tx, number):
        raise errors.Denied(
            "The person has an account and cannot be deleted.",
            "`memory.forget_person` archives what is known; `ash person unlink-account` takes an"
            " account away that is another's.",
        )
    if not (viewer.everything or tells_alone(tx, viewer, number)):
        raise errors.Denied(
            "Others have told of this person too.",
            "Take away what you told, or act as the operator (all_scopes).",
        )
    merges.erase(tx, number)
    call.record(tx)
    return shown


def tells_alone(tx: Tx, viewer: Viewer, number: int) -> bool:
    """Return whether all that was stated about a person comes from the viewer's own accounts."""
    return joining.tellers(tx, {number}) <= set(viewer.accounts)


def _to(tx: Tx, viewer: Viewer, params: RelateParams) -> int | None:
    if params.to is not None:
        return directory.find(tx, viewer, params.to)
    return people.final(tx, viewer.persons[0]) if viewer.persons else None


def _relationship(text: str) -> str:
    """Return the canonical word for a relationship.

    Raises:
        errors.InvalidParams: it means several people.
        errors.ContentRefused: it holds a secret.
    """
    cleaned = _checked(text, "relationship")
    word = references.parse_reference(f"my {cleaned}").relationship or normalise(cleaned)
    if word in vocabulary.GROUPS:
        raise errors.InvalidParams(f'"{word}" means several people.', "Relate each.")
    return word


def _checked(text: str, field: str) -> str:
    cleaned = one_line(text)
    reference = references.parse_reference(cleaned)
    if reference.is_empty or reference.is_self:
        raise errors.InvalidParams(f"{field} means nobody in particular.", "Say it in words.")
    require_no_secret(cleaned, field)
    return cleaned


def _require_here(tx: Tx, viewer: Viewer, entries: Sequence[Alias | Relationship]) -> None:
    """Require that anything stated in a group is removed only in that group."""
    types = chats.types_of(tx, {one.learned_in for one in entries})
    for one in entries:
        assert one.learned_in is not None
        disclosure.require_changeable(viewer, one.learned_in, types[one.learned_in])


def _require_own(mine: list[Any], what: str) -> None:
    if not mine:
        raise errors.Denied(
            f"Only who {what} can take it back.",
            "Ask that person, or act as the operator (all_scopes).",
        )
